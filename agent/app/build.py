"""Builds the parts of one branch of a run: memory, the mind, the loop, and the producers that observe them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Self

from agent.app.settings import RunSettings
from agent.capabilities.battle import OrderGiven
from agent.capabilities.context import GameContext
from agent.capabilities.memory_actions import RecallJudge
from agent.capabilities.registry import Topic, capabilities_for
from agent.capabilities.travel import only_places
from agent.capabilities.unstuck import escape, inquiry
from agent.experience.action_costs import ActionCosts
from agent.experience.choices import GameChoices
from agent.experience.memory_use import MemoryUse
from agent.experience.uses import Experience
from agent.loop import Loop
from agent.mind.advice import CurrentMoment, ModelAdvice
from agent.mind.advisor_tools import AdvisorTools
from agent.mind.mind import Mind
from agent.mind.progress import ProgressMonitor
from agent.mind.recovery import StuckRecovery
from agent.mind.situation import SituationDescriber
from agent.perception.percept import Due, Perceiver
from agent.perception.screen_readers import ScreenReaders
from agent.planning.domain import Action
from agent.record.answers import AdviceRecorder, AdviceSource, ReplayedAdvice
from agent.record.battles import BattleWatch
from agent.record.encounters import ActionWatch, EncounterProducers, StuckProducer, watch_advice
from agent.record.game_names import AGENT, GameNames
from agent.record.observations import PlayObservations
from agent.record.producers import PlayProducers
from agent.skills import Skills, Terrain
from agent.story.milestones import MilestoneLedger, ReachedMilestone
from agent.story.story import Story
from emulator import Cartridge, Dex, Font, RecordingConsole, State, World
from memory import (
    AgentMemory,
    BlackboardEvent,
    Call,
    ErrorMode,
    EventRow,
    Hooks,
    KnowledgeStore,
    MemoryActions,
    Producers,
    RunStore,
    open_memory,
    scope_name,
)
from memory.errors import OnFault
from memory.recall import register_recall_producers
from memory.tiers import UNPLANNED, MemoryAIIntegration


class GameParts(NamedTuple):
    """Static input of decisions: the story, world and tables of a cartridge, and the seed of the run.

    `actions` are those that branches of the run have made so far, by name; `skills` carry them out.
    """

    story: Story
    world: World
    dex: Dex
    seed: int
    actions: dict[str, Action]
    skills: Skills = Skills()

    @classmethod
    def of(cls, cartridge: Cartridge, story: Story, seed: int) -> Self:
        """Return the parts of `cartridge`."""
        return cls(story, World.of(cartridge), Dex.of(cartridge), seed, {})


Advise = Callable[[MemoryActions, SituationDescriber], ModelAdvice]


class DecisionParts:
    """The parts that decide, with one memory, without playing or recording; checkpoints of `store` include them.

    `advise` builds the part that asks for advice; without it no advice is asked for.
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
        self.ledger = MilestoneLedger(story.milestones, hooks, is_drawn=game.skills.is_drawn)
        episodes = scope_name(AGENT, "ltm:episodic")
        self.experience = Experience(memory.recall, uses, episodes, session, store.run_id)
        actions = memory.actions(store, hooks)
        taught = MemoryAIIntegration(memory.observer, memory.strategist, memory.tactician)
        describer = SituationDescriber(
            story, self.terrain, game.dex, self.ledger, self.experience, taught
        )
        self.model_advice = advise(actions, describer) if advise is not None else None
        choose = self.model_advice.choose if self.model_advice is not None else None
        self.choices = GameChoices(self.experience, choose)
        if self.model_advice is not None:
            self.model_advice.settle_choices = self.choices.settle_due
        for name in ("ledger", "experience", "choices", "terrain"):
            store.attach(name, getattr(self, name))
        memory.blackboard.subscribe(f"agent:{AGENT}:ltm:*", self.experience.long_term_changed)
        memory.blackboard.subscribe(session, self.experience.encounter_stored)
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
            actions=game.actions,
            skills=game.skills,
        )
        memory.blackboard.subscribe(session, RecallJudge(self._context, actions).saw)
        self.recovery = StuckRecovery(
            ProgressMonitor(), game.seed, escape(self._context), inquiry(self._context)
        )

    def mind(self, *more: Topic) -> Mind:
        """Return the mind, with the topics of every game and `more`."""
        topics, recall = capabilities_for(self._context, *more), self._memory.recall
        story = self._context.story
        costs = ActionCosts(self.experience, story.place_of, only_places(story))
        mind = Mind(topics, recall, self._hooks, self.recovery, costs, self.model_advice)
        self._memory.blackboard.subscribe(f"agent:{AGENT}:ltm:*", mind.remembered)
        return mind


class RunContext(NamedTuple):
    """What all branches of a run share; `more` are topics added to those of every game."""

    store: RunStore
    session: str
    settings: RunSettings
    knowledge: KnowledgeStore
    game: GameParts
    more: tuple[Topic, ...]
    asking: AdviceSource | None  # for questions that rules cannot answer
    readers: ScreenReaders
    answers: Sequence[EventRow] = ()  # recorded ones, of ticks that are played again as they were


class Branch:
    """One branch of play, from power-on or a checkpoint to its end: a mind, the loop, and their producers."""

    def __init__(
        self, context: RunContext, console: RecordingConsole, on_fault: OnFault, *, is_new: bool
    ) -> None:
        game, store = context.game, context.store
        self._context = context
        self._console = console
        self.hooks = Hooks(on_fault)
        self.memory = self._open_memory(on_fault, is_new=is_new)
        self.observations = PlayObservations(
            store, context.session, game.story, game.dex, self.hooks, self.memory.blackboard
        )
        self._battles = BattleWatch(game.dex, game.story.place_of)
        store.attach("battles", self._battles)
        advise = partial(self._model_advice, context.asking) if context.asking is not None else None
        parts = DecisionParts(game, self.memory, store, self.hooks, context.settings.uses, advise)
        model_advice = parts.model_advice
        self.ledger, self.experience = parts.ledger, parts.experience
        self.recovery, self.choices = parts.recovery, parts.choices
        self.mind = parts.mind(*context.more)
        perceiver = Perceiver(
            console,
            Font.of(console.cartridge),
            game.world,
            self.ledger.due if model_advice is None else partial(self._due, model_advice),
            is_drawn=game.skills.is_drawn,
        )
        self.loop = Loop(console, perceiver, self.mind, self.ledger, self.hooks, console.link.tick)
        self._watch()
        store.attach("perceiver", perceiver)
        store.attach("mind", self.mind)

    @property
    def faults(self) -> int:
        """How often a hook or a listener failed without stopping play."""
        return sum(self.hooks.faults.values()) + sum(self.memory.blackboard.faults.values())

    def _open_memory(self, on_fault: OnFault, *, is_new: bool) -> AgentMemory:
        store, known = self._context.store, self._context.knowledge
        started = self._context.settings.started.timestamp()
        memory = open_memory(
            store, AGENT, session_id=store.run_id, started_at=started, on_fault=on_fault
        )
        if is_new:
            memory.inherit(known)
        return memory

    def _model_advice(
        self, asking: AdviceSource, actions: MemoryActions, describer: SituationDescriber
    ) -> ModelAdvice:
        """Return the part of the mind that asks for advice."""
        now = CurrentMoment()
        tools = AdvisorTools(actions, describer, now)
        consultations = AdviceRecorder(self._context.store, self._context.answers)
        recorded = [consultations.recording_calls(each) for each in tools.all()]
        advisor = asking.advisor(recorded, self.observations.block)
        if self._context.answers:
            advisor = ReplayedAdvice(self._context.answers, recorded, advisor)
        recording = consultations.recording_answers(advisor)
        model_advice = ModelAdvice(recording, describer, now, self.hooks, asking.every)

        def reached(_call: Call, reached: tuple[ReachedMilestone, ...]) -> None:
            for each in reached:
                model_advice.reached(each.id)

        self.hooks.after(MilestoneLedger.observe, reached, on_error=ErrorMode.SUPPRESS)
        return model_advice

    def _due(self, model_advice: ModelAdvice, state: State) -> Due:
        """Return which reading of the next frame is needed, by a witness of a milestone or by a question with a picture."""
        due = self.ledger.due(state)
        return Due.FRAME if due is Due.NOTHING and model_advice.wants_picture else due

    def _watch(self) -> None:
        (story, world, dex, *_), store = self._context.game, self._context.store
        blackboard = self.memory.blackboard
        producers = Producers(self.hooks, blackboard)
        names = GameNames(story, world, dex)
        watched = self.memory.strategist, self._battles, self.choices, self.experience
        play = PlayProducers(names, *watched, store.run_id)
        observer, readers = self.memory.observer, self._context.readers
        observer.text_readings = readers.readings
        after = partial(self.hooks.after, on_error=ErrorMode.SUPPRESS)
        self.hooks.before(Loop.perceive, lambda _: observer.clear(), on_error=ErrorMode.SUPPRESS)
        after(Loop.perceive, lambda _call, percept: readers.see(percept))
        after(Loop.perform, ActionWatch(observer, story.place_of).performed)
        play.register(producers)
        EncounterProducers(names, lambda: self._console.link.tick).register(producers)
        StuckProducer(store, story.called).register(producers)
        register_recall_producers(producers, AGENT)
        watch_advice(producers)
        for level in ("working", "stm"):
            blackboard.subscribe(scope_name(AGENT, level), self._append_event)
        self.hooks.before(Mind.decide, self._judge, on_error=ErrorMode.SUPPRESS)
        after(OrderGiven, lambda _call, order: self._battles.explain(order.why))

    def _judge(self, call: Call) -> None:
        """Check claims in memory against the facts."""
        percept, facts = call.args
        self.memory.claim_checker.check_claims(facts, percept.tick)

    def _append_event(self, event: BlackboardEvent) -> None:
        """Append each verified new entry to the events of the run, without inferred ones and reflexes."""
        entry = event.entry
        if event.action == "write" and entry.status == "verified" and entry.kind != UNPLANNED:
            self._context.store.record.add_event(entry.tick, entry.kind, entry.data)
