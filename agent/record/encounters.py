"""Memory producers of encounters, stuck episodes and advice."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from agent.advisor.names import model_name
from agent.advisor.port import NoAnswer
from agent.capabilities.context import SquareTried, StockSeen, TalkEnded
from agent.mind.advice import QuestionAnswered
from agent.mind.recovery import EpisodeReport
from agent.record.game_names import AGENT, GameNames, game_seconds
from emulator import State
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
from memory.tiers import BLOCKED_SQUARE, SHOP_STOCK, TALK_OUTCOME

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
