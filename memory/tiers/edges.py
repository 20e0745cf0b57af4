"""The dataflow of an agent's memory: every edge from the senses up to what is known for good.

    sensory ──moments──► working ──actions, situations──► stm ──experiences──► ltm:episodic
                                                           ├───skills──────► ltm:procedural ──habits──┐
                                                           ├───concepts────► ltm:semantic ◄───────────┘
                                                           └───acquaintances, belongings──► ltm:semantic

A kind of memory more is an edge more here; nothing else changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.scopes import scope_name
from memory.codec import as_json, from_json
from memory.flow.subscription import Derived, MemorySubscription, of_kinds
from memory.flow.transformers import identity
from memory.flow.triggers import AllOf, AnyOf, Fullness, OnDemand, Periodic, Threshold
from memory.tiers import acquaintances, approaches, belongings, lessons, situations
from memory.tiers.approaches import Approach
from memory.tiers.encounters import ENCOUNTERS
from memory.tiers.journeys import WAYPOINT
from memory.tiers.knowledge import SuccessfulStrategy
from memory.tiers.observer import ACTION, RECENT_ACTIONS, TICK_STATE
from memory.tiers.session_records import BATTLE, RESOURCES, BattleRecord, tally
from memory.tiers.tactician import IMPORTANCE, MISTAKE, PATTERN, PREFERENCE, STRATEGY, TOTALS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory.blackboard.entry import Entry
    from memory.tiers.settings import ConsolidationConfig

SESSION: Final = "session"
STUCK: Final = "stuck"
BLACKOUT: Final = "blackout"  # a defeat that cost money: where, against whom, and how much
RISING: Final = ("moments", "actions", "situations")  # from the observer to the strategist
LEARNING: Final = (  # on to the tactician
    "experiences",
    "skills",
    "concepts",
    "acquaintances",
    "belongings",
    "habits",
)
COMPACT_AT: Final = 0.9  # of working memory's budget of tokens
KEPT_S: Final = 300.0  # what is younger stays in working memory


@dataclass(frozen=True, slots=True)
class Lessons:
    """Short-term memory turned into knowledge. `started_at` is the epoch second of game second 0."""

    config: ConsolidationConfig
    session_id: str
    started_at: float

    def experiences(self, entries: Sequence[Entry]) -> list[Derived]:
        """Return what is worth telling as it was; a battle names its run: what two runs did alike are two things."""
        run = {"run": self.session_id}
        return [
            each._replace(data={**each.data, **run}) if each.kind == BATTLE else each
            for each in identity(entries)
        ]

    def skills(self, entries: Sequence[Entry]) -> Iterator[Derived]:
        """Yield the sequences that work and the moves that won: what to do."""
        for entry in entries:
            if entry.kind == BATTLE:
                battle = from_json(BattleRecord, entry.data)
                yield from _lesson(STRATEGY, lessons.strategy_of(battle, at=self._at(entry)), entry)
                continue
            seen = from_json(Approach, entry.data)
            at = self.started_at + seen.last_s
            pattern = lessons.pattern_of(seen, self.config, session_id=self.session_id, at=at)
            if pattern is not None:
                yield from _lesson(PATTERN, pattern, entry)
                yield approaches.told(entry)

    def concepts(self, entries: Sequence[Entry]) -> Iterator[Derived]:
        """Yield what keeps failing, what was lost, and the totals: what to know."""
        for entry in entries:
            if entry.kind == SESSION:
                yield _totals(entry, sessions=1)
            elif entry.kind == BATTLE:
                battle = from_json(BattleRecord, entry.data)
                yield from _lesson(MISTAKE, lessons.defeat_of(battle, at=self._at(entry)), entry)
                if battle.outcome in {"victory", "defeat"}:
                    yield _totals(entry, battles=1, victories=int(battle.outcome == "victory"))
            else:
                seen = from_json(Approach, entry.data)
                mistake = lessons.mistake_of(seen, self.config, at=self.started_at + seen.last_s)
                if mistake is not None:
                    yield from _lesson(MISTAKE, mistake, entry)
                    yield approaches.told(entry)

    def acquaintances(self, entries: Sequence[Entry]) -> list[Derived]:
        """Return what battles tell of whom one met: of each, where and when, and how it went."""
        return acquaintances.acquaintances(entries, run=self.session_id)

    def belongings(self, entries: Sequence[Entry]) -> list[Derived]:
        """Return what looks at the bag tell of each thing: where one had it first, and how many at most."""
        return belongings.belongings(entries, run=self.session_id)

    def habits(self, entries: Sequence[Entry]) -> Iterator[Derived]:
        """Yield the preferences that strategies have become."""
        for entry in entries:
            strategy = from_json(SuccessfulStrategy, entry.data)
            preference = lessons.preference_of(strategy, self.config, session_id=self.session_id)
            yield from _lesson(PREFERENCE, preference, entry)

    def _at(self, entry: Entry) -> float:
        return self.started_at + entry.game_s


def edges(agent_id: str, teacher: Lessons) -> tuple[MemorySubscription, ...]:
    """Return the subscriptions of one agent's memory.

    The design this is built on fills short-term memory at 5 to 20 entries or after 120 seconds, consolidates it at
    15 or after 300, and each level above at 10 to 100 or after 600 to 1,800. Ours does all of it when the consolidator
    asks, every thousand ticks, which is minutes of game time: each consolidation ends in a checkpoint, and counts of
    what recurs come out the same however often they are taken. Only a full working memory does not wait.
    """
    sensory, working, stm = (scope_name(agent_id, each) for each in ("sensory", "working", "stm"))
    episodic = scope_name(agent_id, "ltm:episodic")
    semantic = scope_name(agent_id, "ltm:semantic")
    procedural = scope_name(agent_id, "ltm:procedural")
    return (
        MemorySubscription(
            "moments",
            sensory,
            working,
            situations.spans,
            of_kinds(TICK_STATE),
            # Before they expire, and seldom enough to find stretches.
            AnyOf((Threshold(1, 20), Periodic(8.0))),
        ),
        MemorySubscription(
            "actions",
            working,
            stm,
            approaches.count,
            of_kinds(ACTION),
            # Where the last minutes alone are too long a text, a few more of them are no reason to begin again.
            AnyOf((OnDemand(), AllOf((Threshold(1, 20), Fullness(COMPACT_AT))))),
            ripe=approaches.complete,
            consumes=True,
            keep_last=RECENT_ACTIONS,
            keep_s=KEPT_S,
        ),
        MemorySubscription(
            "situations",
            working,
            stm,
            situations.common,
            of_kinds(situations.SPAN),
            Threshold(1, 200),
            consumes=True,
        ),
        MemorySubscription("tally", stm, stm, tally, of_kinds(BATTLE), Threshold(1, 1)),
        MemorySubscription(
            "experiences", stm, episodic, teacher.experiences, _is_experience, delivers=True
        ),
        MemorySubscription("skills", stm, procedural, teacher.skills, _is_skill, delivers=True),
        MemorySubscription("concepts", stm, semantic, teacher.concepts, _is_concept, delivers=True),
        MemorySubscription(
            "acquaintances", stm, semantic, teacher.acquaintances, of_kinds(BATTLE), delivers=True
        ),
        MemorySubscription(
            "belongings", stm, semantic, teacher.belongings, of_kinds(RESOURCES), delivers=True
        ),
        MemorySubscription(
            "habits", procedural, semantic, teacher.habits, _is_habit, delivers=True
        ),
    )


def _is_experience(entry: Entry) -> bool:
    """What is worth telling as it was: sessions, how far a run got, encounters, and what went wrong or caught something."""
    if entry.kind == BATTLE:
        return entry.data["outcome"] in {"defeat", "catch"}
    return entry.kind in {BLACKOUT, SESSION, STUCK, WAYPOINT, *ENCOUNTERS}


def _is_skill(entry: Entry) -> bool:
    is_sequence = entry.kind == approaches.APPROACH and bool(entry.data["reasoning"])
    return is_sequence or entry.kind == BATTLE


def _is_concept(entry: Entry) -> bool:
    is_action = entry.kind == approaches.APPROACH and not entry.data["reasoning"]
    return is_action or entry.kind in {BATTLE, SESSION}


def _is_habit(entry: Entry) -> bool:
    # What earlier runs learnt has made its habits there.
    return entry.kind == STRATEGY and any(each.startswith("tick:") for each in entry.sources)


def _lesson(kind: str, record: Any, entry: Entry) -> Iterator[Derived]:  # noqa: ANN401  # any record
    if record is not None:
        yield Derived(
            kind, as_json(record), (entry.key, f"tick:{entry.tick}"), importance=IMPORTANCE
        )


def _totals(entry: Entry, *, sessions: int = 0, battles: int = 0, victories: int = 0) -> Derived:
    added = {"sessions": sessions, "battles": battles, "victories": victories}
    return Derived(TOTALS, added, (entry.key,))
