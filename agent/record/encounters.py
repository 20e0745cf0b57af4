"""Records of what the agent did and met: actions, encounters, stuck episodes and advice.

Actions of plans and advice are recorded when they end, and lessons are drawn from them. Those of recovery, what was
dropped for something more urgent, and a reflex with all its presses in a row are remembered for a while only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from agent.advisor.names import model_name
from agent.advisor.port import NoAnswer
from agent.capabilities.context import SquareTried, StockSeen, TalkEnded
from agent.loop import Performed
from agent.mind.advice import QuestionAnswered
from agent.mind.intent import Intent, IntentSource
from agent.mind.recovery import EpisodeReport
from agent.record.game_names import AGENT, GameNames, game_seconds
from agent.skills import Outcome
from emulator import FRAMES_PER_SECOND, State, Step
from memory import (
    BlockedSquare,
    Call,
    Produced,
    Producers,
    RunReader,
    ShopStockSeen,
    TalkOutcome,
    as_json,
    scope_name,
)
from memory.tiers import BLOCKED_SQUARE, SHOP_STOCK, TALK_OUTCOME, ActionRecord, ObserverMemory

ADVISED: Final = "follow advice"  # the reasoning of an advised action
LEARNT: Final = frozenset({IntentSource.PLAN, IntentSource.ADVICE})


@dataclass(slots=True)
class _Action:
    """An action that has not ended: its inputs, and the last tick and state."""

    intent: Intent
    tick: int
    state: State
    steps: list[Step] = field(default_factory=list)


@dataclass(slots=True)
class ActionWatch:
    """Gives the observer each action; `place_of` names the place in which it began."""

    observer: ObserverMemory
    place_of: Callable[[State], str]
    _action: _Action | None = None

    def performed(self, call: Call, performed: Performed) -> None:
        """Record an action that has ended, or that another one has replaced."""
        intent: Intent = call.args[0]
        source, last = intent.source, self._action
        if performed.step.button is None and source in {IntentSource.IDLE, IntentSource.REFLEX}:
            return  # waiting is no action
        is_reflex = source is IntentSource.REFLEX
        is_next_press = is_reflex and last is not None and last.intent.name == intent.name
        if last is not None and last.intent is not intent and not is_next_press:
            was_reflex = last.intent.source is IntentSource.REFLEX
            ended = Outcome.DONE if was_reflex else Outcome.INTERRUPTED
            self._record(last, ended, learns=False)
            last = None
        tick, state = call.instance.tick, performed.state
        action = self._action = last or _Action(intent, tick, state)
        action.tick, action.state = tick, state
        action.steps.append(performed.step)
        if not is_reflex and performed.outcome is not Outcome.RUNNING:
            self._action = None
            self._record(action, performed.outcome, learns=source in LEARNT)

    def _record(self, action: _Action, outcome: Outcome, *, learns: bool) -> None:
        intent = action.intent
        reasoning = intent.active_goal.goal.label if intent.active_goal else intent.why
        record = ActionRecord(
            tick=action.tick,
            action_type=type_of(action.steps),
            action_value=intent.name,
            reasoning=ADVISED if intent.source is IntentSource.ADVICE else reasoning,
            confidence=intent.confidence,
            success=outcome is Outcome.DONE,
            outcome_summary=outcome.value,
            duration_ms=1000 * (action.state.frame - intent.began.frame) / FRAMES_PER_SECOND,
        )
        self.observer.add_action(
            record,
            learns=learns,
            game_s=game_seconds(action.state),
            location=self.place_of(intent.began),
            label=intent.why,
        )


def type_of(steps: Sequence[Step]) -> Literal["press", "hold", "batch", "sequence"]:
    """Return the type of an action: one press, a button held or a wait, the same press several times, or anything else."""
    presses = [step for step in steps if step.button is not None]
    if len({step.button for step in presses}) > 1:
        return "sequence"
    if all(step.settle == 0 for step in presses):
        return "hold"
    return "press" if len(presses) == 1 else "batch"


ENCOUNTER_IMPORTANCE: Final = 6
ADVICE: Final = "advice"  # the entry kind
ADVICE_IMPORTANCE: Final = 4


@dataclass(frozen=True, slots=True)
class EncounterProducers:
    """The extractors of encounters; `tick` returns the current tick of the run."""

    game: GameNames
    tick: Callable[[], int]

    def register(self, producers: Producers) -> None:
        """Watch encounters; their entries go to short-term memory."""
        scope = scope_name(AGENT, "stm")
        producers.register(TalkEnded, self.talk, scope=scope, kind=TALK_OUTCOME)
        producers.register(StockSeen, self.stock, scope=scope, kind=SHOP_STOCK)
        producers.register(SquareTried, self.square, scope=scope, kind=BLOCKED_SQUARE)

    def talk(self, _call: Call, ended: TalkEnded) -> Produced:
        """A person that the player talked to, with the text and its effects."""
        here = ended.state.map.map_id
        called, person = self.game.story.called(here), self.game.person(here, ended.slot)
        talk = TalkOutcome(called, here, ended.slot, ended.words, ended.effects, person)
        return self._produced(talk, ended.state)

    def stock(self, _call: Call, seen: StockSeen) -> Produced:
        """The stock of a shop clerk."""
        here = seen.state.map.map_id
        names = tuple(map(self.game.dex.item_name, seen.stock))
        stock = ShopStockSeen(self.game.story.called(here), here, seen.slot, seen.stock, names)
        return self._produced(stock, seen.state)

    def square(self, _call: Call, tried: SquareTried) -> Produced:
        """A square that a walk could not enter, or one that is no longer blocked."""
        place = self.game.story.called(tried.square[0])
        way = BlockedSquare(place, tried.towards, *tried.square, tried.passed)
        return self._produced(way, tried.state)

    def _produced(self, record: Any, state: State) -> Produced:  # noqa: ANN401  # an encounter
        return Produced(
            as_json(record), self.tick(), game_seconds(state), importance=ENCOUNTER_IMPORTANCE
        )


@dataclass(frozen=True, slots=True)
class StuckProducer:
    """Makes an entry of short-term memory, and so an event of the run, for each stuck episode.

    It names the run, the last checkpoint before the episode, and its ticks; if they are on an abandoned branch,
    `last_step` is the number of the last one. `replay --episode` replays them.
    """

    run: RunReader
    map_name: Callable[[int], str]  # the name of a map

    def register(self, producers: Producers) -> None:
        """Watch stuck episodes of the mind."""
        producers.register(EpisodeReport, self.stuck, scope=scope_name(AGENT, "stm"), kind="stuck")

    def stuck(self, _call: Call, ended: EpisodeReport) -> Produced:
        """One stuck episode: the reason, the place, the recovery steps tried, and the one that helped."""
        episode, percept = ended.episode, ended.percept
        before = [tick for tick in self.run.checkpoints.ticks() if tick <= episode.since]
        data = {
            **as_json(episode),
            "place": self.map_name(episode.map_id),
            "run": self.run.run_id,
            "checkpoint_tick": before[0] if before else None,
            "last_step": None if episode.over else self.run.record.last_dead_step(),
        }
        return Produced(data, percept.tick, game_seconds(percept.state), importance=8)


def watch_advice(producers: Producers) -> None:
    """Make an entry of each answer; missing answers are only counted in the record of the run."""
    scope = scope_name(AGENT, "stm")
    producers.register(QuestionAnswered, _advice, scope=scope, kind=ADVICE)


def _advice(_call: Call, answered: QuestionAnswered) -> Produced | None:
    """The advice, and the purpose of its question."""
    question, answer = answered.question, answered.answer
    if isinstance(answer, NoAnswer):
        return None
    return Produced(
        {
            "purpose": question.purpose.value,
            "goals": list(answer.goals),
            "candidates": list(answer.candidates),
            "says": answer.note,
            "confidence": answer.confidence,
            "by": model_name(answer.by),
        },
        question.tick,
        question.game_s,
        tags=(f"purpose:{question.purpose.value}",),
        importance=ADVICE_IMPORTANCE,
        status="claim",
    )
