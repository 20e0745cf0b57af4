"""Builds all that lives on one branch of a run: memory, the mind, the loop, and what watches them."""

from functools import partial
from typing import NamedTuple

from agent.app.advice import Asking, Consultations
from agent.app.observations import GameKnowledge, PlayObservations, PostMortems
from agent.app.settings import RunSettings
from agent.capabilities import (
    Encounters,
    GameContext,
    RecallJudge,
    Topic,
    capabilities_for,
    escape,
    inquiry,
)
from agent.experience import ActionCosts, Experience, TaskChoices, found
from agent.loop import Loop
from agent.mind import (
    AGENT,
    Advising,
    AdvisorTools,
    BattleWatch,
    Describing,
    Ladder,
    MeetingProducers,
    Mind,
    PlayProducers,
    ProgressMonitor,
    watch_advice,
)
from agent.perception import Due, Perceiver
from agent.skills import Terrain
from agent.story import MilestoneLedger, ReachedMilestone, Story
from emulator import Dex, Font, RecordingConsole, State, World
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
from memory.recall import watch_actions


class RunContext(NamedTuple):
    """What all branches of a run have in common; `more` is what the agent can do beside the registry's topics."""

    store: RunStore
    session: str
    frozen: RunSettings
    knowledge: KnowledgeStore
    story: Story
    dex: Dex
    more: tuple[Topic, ...]
    asking: Asking | None  # where rules run out


class Branch:
    """One lineage of play, from power-on or a checkpoint to its end; what is attached to the store comes back with it."""

    def __init__(
        self, ground: RunContext, console: RecordingConsole, on_fault: OnFault, *, is_new: bool
    ) -> None:
        self._ground = ground
        self._console = console
        self.hooks = Hooks(on_fault)
        self.memory = self._remember(on_fault, is_new=is_new)
        self._world = World.of(console.cartridge)
        self._battles = BattleWatch(ground.dex, ground.story.place_of)
        ground.store.attach("battles", self._battles)
        self.ledger = MilestoneLedger(ground.story.milestones, self.hooks)
        ground.store.attach("ledger", self.ledger)
        self.experience = self._experienced()
        ground.store.attach("experience", self.experience)
        self._choices = TaskChoices(self.experience)
        ground.store.attach("choices", self._choices)
        self.loop = self._wire()
        self.observations = self._watch()

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

    def _experienced(self) -> Experience:
        episodes, session = scope_name(AGENT, "ltm:episodic"), scope_name(AGENT, "stm")
        experience = Experience(self.memory.recall, self._ground.frozen.uses, episodes, session)
        self.memory.blackboard.subscribe(f"agent:{AGENT}:ltm:*", experience.learnt)
        self.memory.blackboard.subscribe(session, experience.met)
        return experience

    def _wire(self) -> Loop:
        story, store, seed = self._ground.story, self._ground.store, self._ground.frozen.seed
        terrain = Terrain(self._world)
        store.attach("terrain", terrain)
        actions = self.memory.actions(store, self.hooks)
        kit = GameContext(
            story,
            terrain,
            self._ground.dex,
            self.ledger,
            seed,
            actions,
            self.experience,
            self._choices,
            Encounters(self.hooks),
        )
        hindsight = RecallJudge(kit, actions)
        self.memory.blackboard.subscribe(scope_name(AGENT, "stm"), hindsight.saw)
        self.ladder = Ladder(ProgressMonitor(), seed, escape(terrain), inquiry(kit))
        costs = ActionCosts(self.experience, story.place_of)
        capabilities = capabilities_for(kit, *self._ground.more)
        advising = self._advising(
            actions, Describing(story, terrain, self._ground.dex, self.ledger)
        )
        mind = Mind(capabilities, self.memory.recall, self.hooks, self.ladder, costs, advising)
        self._mind = mind
        self.memory.blackboard.subscribe(f"agent:{AGENT}:ltm:*", mind.remembered)
        return Loop(
            console=self._console,
            eyes=Perceiver(
                self._console,
                Font.of(self._console.cartridge),
                self._world,
                self.ledger.due if advising is None else partial(self._due, advising),
            ),
            mind=mind,
            ledger=self.ledger,
            hooks=self.hooks,
            tick=self._console.link.tick,
        )

    def _advising(self, actions: MemoryActions, describing: Describing) -> Advising | None:
        """Return how advice is asked, where anybody gives it."""
        asking = self._ground.asking
        if asking is None:
            return None
        tools = AdvisorTools(
            actions,
            describing,
            now=lambda: advising.look(),
            plan=lambda goal: self._mind.plan_for((goal,), advising.look().facts),
        )
        consultations = Consultations(self._ground.store)
        noted = [consultations.noting(each) for each in tools.all()]
        advisor = asking.advisor(noted, lambda: self.observations.block())
        recording = consultations.recording(advisor)
        advising = Advising(recording, describing, self.hooks, asking.every)
        self._choices.advise = advising.choose

        def reached(_call: Call, reached: tuple[ReachedMilestone, ...]) -> None:
            for each in reached:
                advising.reached(each.id)

        self.hooks.after("MilestoneLedger.observe", reached, on_error=ErrorMode.SUPPRESS)
        return advising

    def _due(self, advising: Advising, state: State) -> Due:
        """Return what of the next frame somebody waits for: a witness of a milestone, or who is asked about it."""
        due = self.ledger.due(state)
        return Due.FRAME if due is Due.NOTHING and advising.wants_picture else due

    def _watch(self) -> PlayObservations:
        story, store, blackboard = self._ground.story, self._ground.store, self.memory.blackboard
        producers = Producers(self.hooks, blackboard)
        picked_up = partial(found, self._world)
        PlayProducers(
            story.place_of, self._battles, self._choices, self._ground.dex, store.run_id, picked_up
        ).register(producers)
        MeetingProducers(story, lambda: self._console.link.tick).register(producers)
        PostMortems(store, story.called).register(producers)
        watch_actions(producers, AGENT)
        watch_advice(producers)
        knowing = GameKnowledge(story, self._ground.dex)
        observations = PlayObservations(
            store, self._ground.session, knowing, self.hooks, blackboard
        )
        for level in ("working", "stm"):
            blackboard.subscribe(scope_name(AGENT, level), self._chronicle)
        self.hooks.before("Mind.decide", self._judge, on_error=ErrorMode.SUPPRESS)
        return observations

    def _judge(self, call: Call) -> None:
        """Let facts judge what is claimed."""
        percept, facts = call.args
        self.memory.truth.judge(facts, percept.tick)

    def _chronicle(self, event: BlackboardEvent) -> None:
        """Whatever is done, and whatever is new, is an event worth asking about later; what is inferred is not."""
        entry = event.entry
        if event.action == "write" and entry.status == "verified":
            self._ground.store.append_event(entry.tick, entry.kind, entry.data)
