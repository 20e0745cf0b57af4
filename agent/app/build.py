"""Builds all that lives on one branch of a run: memory, the mind, the loop, and what watches them."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Self

from agent.app.advice import Asking, Consultations
from agent.app.battle_record import BattleWatch
from agent.app.memory_producers import (
    AGENT,
    MeetingProducers,
    PlayProducers,
    PostMortems,
    watch_advice,
)
from agent.app.observations import PlayObservations
from agent.app.settings import RunSettings
from agent.capabilities.context import GameContext
from agent.capabilities.memory_actions import RecallJudge
from agent.capabilities.registry import Topic, capabilities_for
from agent.capabilities.unstuck import escape, inquiry
from agent.experience.action_costs import ActionCosts
from agent.experience.choices import TaskChoices
from agent.experience.uses import Experience, MemoryUse, found
from agent.loop import Loop
from agent.mind.advice import Advising, CurrentMoment, Describing
from agent.mind.advisor_tools import AdvisorTools
from agent.mind.mind import Mind
from agent.mind.progress import ProgressMonitor
from agent.mind.recovery import Ladder
from agent.perception.percept import Due, Perceiver
from agent.skills import Terrain
from agent.story.milestones import MilestoneLedger, ReachedMilestone
from agent.story.story import Story
from emulator import Cartridge, Dex, Font, RecordingConsole, State, World
from memory import (
    AgentMemory,
    BlackboardEvent,
    Call,
    ErrorMode,
    Hooks,
    KnowledgeStore,
    MemoryActions,
    Producers,
    RunStore,
    open_memory,
    scope_name,
)
from memory.errors import OnFault
from memory.recall.actions import watch_actions


class GameParts(NamedTuple):
    """What decisions know of a cartridge beforehand: its story, its world, its tables; and the seed of the run."""

    story: Story
    world: World
    dex: Dex
    seed: int

    @classmethod
    def of(cls, cartridge: Cartridge, story: Story, seed: int) -> Self:
        """Return the parts of the cartridge in the slot."""
        return cls(story, World.of(cartridge), Dex.of(cartridge), seed)


Advise = Callable[[MemoryActions, Describing], Advising]


class Thinker:
    """What decides, with one memory; it neither plays nor records. What is attached to `store` comes back with it.

    `advise` makes what asks for advice, where anybody gives it.
    """

    def __init__(
        self,
        game: GameParts,
        memory: AgentMemory,
        store: RunStore,
        hooks: Hooks,
        uses: frozenset[MemoryUse],
        advise: Advise | None = None,
    ) -> None:
        story, session = game.story, scope_name(AGENT, "stm")
        self._memory = memory
        self._hooks = hooks
        self.terrain = Terrain(game.world)
        self.ledger = MilestoneLedger(story.milestones, hooks)
        episodes = scope_name(AGENT, "ltm:episodic")
        self.experience = Experience(memory.recall, uses, episodes, session)
        actions = memory.actions(store, hooks)
        describing = Describing(story, self.terrain, game.dex, self.ledger)
        self.advising = advise(actions, describing) if advise is not None else None
        choose = self.advising.choose if self.advising is not None else None
        self.choices = TaskChoices(self.experience, choose)
        for name in ("ledger", "experience", "choices", "terrain"):
            store.attach(name, getattr(self, name))
        memory.blackboard.subscribe(f"agent:{AGENT}:ltm:*", self.experience.learnt)
        memory.blackboard.subscribe(session, self.experience.met)
        self._context = GameContext(
            story,
            self.terrain,
            game.dex,
            self.ledger,
            game.seed,
            actions,
            self.experience,
            self.choices,
            hooks,
        )
        memory.blackboard.subscribe(session, RecallJudge(self._context, actions).saw)
        self.ladder = Ladder(
            ProgressMonitor(), game.seed, escape(self.terrain), inquiry(self._context)
        )

    def mind(self, *more: Topic) -> Mind:
        """Return the mind, which can do `more` beside the topics of every game."""
        topics, recall = capabilities_for(self._context, *more), self._memory.recall
        costs = ActionCosts(self.experience, self._context.story.place_of)
        mind = Mind(topics, recall, self._hooks, self.ladder, costs, self.advising)
        self._memory.blackboard.subscribe(f"agent:{AGENT}:ltm:*", mind.remembered)
        return mind


class RunContext(NamedTuple):
    """What all branches of a run have in common; `more` is what the agent can do beside the topics of every game."""

    store: RunStore
    session: str
    frozen: RunSettings
    knowledge: KnowledgeStore
    game: GameParts
    more: tuple[Topic, ...]
    asking: Asking | None  # where rules run out


class Branch:
    """One lineage of play, from power-on or a checkpoint to its end: a mind, the loop that plays, and what watches them."""

    def __init__(
        self, ground: RunContext, console: RecordingConsole, on_fault: OnFault, *, is_new: bool
    ) -> None:
        game, store = ground.game, ground.store
        self._ground = ground
        self._console = console
        self.hooks = Hooks(on_fault)
        self.memory = self._remember(on_fault, is_new=is_new)
        self.observations = PlayObservations(
            store, ground.session, game.story, game.dex, self.hooks, self.memory.blackboard
        )
        self._battles = BattleWatch(game.dex, game.story.place_of)
        store.attach("battles", self._battles)
        advise = partial(self._advising, ground.asking) if ground.asking is not None else None
        thinker = Thinker(game, self.memory, store, self.hooks, ground.frozen.uses, advise)
        advising = thinker.advising
        self.ledger, self.experience = thinker.ledger, thinker.experience
        self.ladder, self._choices = thinker.ladder, thinker.choices
        self.mind = thinker.mind(*ground.more)
        eyes = Perceiver(
            console,
            Font.of(console.cartridge),
            game.world,
            self.ledger.due if advising is None else partial(self._due, advising),
        )
        tick = console.link.tick
        self.loop = Loop(console, eyes, self.mind, self.ledger, self.hooks, tick)
        self._watch()
        store.attach("eyes", eyes)
        store.attach("mind", self.mind)

    @property
    def faults(self) -> int:
        """How often something failed that must not disturb play."""
        return sum(self.hooks.faults.values()) + sum(self.memory.blackboard.faults.values())

    def _remember(self, on_fault: OnFault, *, is_new: bool) -> AgentMemory:
        store, known = self._ground.store, self._ground.knowledge
        started = self._ground.frozen.started.timestamp()
        memory = open_memory(
            store, AGENT, session_id=store.run_id, started_at=started, on_fault=on_fault
        )
        if is_new:
            entries = sorted(known.seed(), key=lambda each: each.seq)  # the oldest first
            memory.take_over(known.load_knowledge(), entries, origins=known.origins())
        return memory

    def _advising(self, asking: Asking, actions: MemoryActions, describing: Describing) -> Advising:
        """Return how advice is asked."""
        now = CurrentMoment()
        tools = AdvisorTools(actions, describing, now)
        consultations = Consultations(self._ground.store)
        noted = [consultations.noting(each) for each in tools.all()]
        advisor = asking.advisor(noted, self.observations.block)
        recording = consultations.recording(advisor)
        advising = Advising(recording, describing, now, self.hooks, asking.every)

        def reached(_call: Call, reached: tuple[ReachedMilestone, ...]) -> None:
            for each in reached:
                advising.reached(each.id)

        self.hooks.after(MilestoneLedger.observe, reached, on_error=ErrorMode.SUPPRESS)
        return advising

    def _due(self, advising: Advising, state: State) -> Due:
        """Return what of the next frame somebody waits for: a witness of a milestone, or who is asked about it."""
        due = self.ledger.due(state)
        return Due.FRAME if due is Due.NOTHING and advising.wants_picture else due

    def _watch(self) -> None:
        (story, world, dex, _), store = self._ground.game, self._ground.store
        blackboard = self.memory.blackboard
        producers = Producers(self.hooks, blackboard)
        picked_up = partial(found, world)
        play = PlayProducers(
            story.place_of, self._battles, self._choices, dex, store.run_id, picked_up
        )
        play.register(producers)
        MeetingProducers(story, lambda: self._console.link.tick).register(producers)
        PostMortems(store, story.called).register(producers)
        watch_actions(producers, AGENT)
        watch_advice(producers)
        for level in ("working", "stm"):
            blackboard.subscribe(scope_name(AGENT, level), self._chronicle)
        self.hooks.before(Mind.decide, self._judge, on_error=ErrorMode.SUPPRESS)

    def _judge(self, call: Call) -> None:
        """Let facts judge what is claimed."""
        percept, facts = call.args
        self.memory.truth.judge(facts, percept.tick)

    def _chronicle(self, event: BlackboardEvent) -> None:
        """Whatever is done, and whatever is new, is an event worth asking about later; what is inferred is not."""
        entry = event.entry
        if event.action == "write" and entry.status == "verified":
            self._ground.store.append_event(entry.tick, entry.kind, entry.data)
