"""Knowledge that outlives runs: patterns, strategies, mistakes and preferences, with their merging and limits.

Adding a record adds its evidence to the known record with its id, so that several runs can report the same knowledge.
Knows nothing of files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypeAlias

from memory.codec import Json, as_json, merged

MONTH_S: Final = 30 * 86_400.0
OCCURRENCES: Final = 3  # that make a pattern
LOST_AT: Final = "lost_at"  # in the situation of a lost battle: how often it was lost, by level


@dataclass(frozen=True, slots=True)
class ConsolidationConfig:
    """The settings of consolidation; each cap applies to one kind of knowledge."""

    tick_interval: int = 1000
    session_end_consolidate: bool = True
    pattern_threshold: float = 0.7
    min_occurrences_for_pattern: int = OCCURRENCES
    forgetting_decay_rate: float = 0.95
    max_patterns_per_type: int = 50
    max_strategies: int = 100
    max_mistakes: int = 200
    importance_threshold: float = 0.3


SEVERITIES: Final = ("minor", "major", "critical")
_SEVERITY_VALUE: Final = dict(zip(SEVERITIES, (0.5, 0.8, 1.0), strict=True))


@dataclass(frozen=True, slots=True)
class LearnedPattern:
    """Something that tends to work, or to fail, when its conditions hold."""

    pattern_id: str
    pattern_type: str
    description: str
    trigger_conditions: Mapping[str, Json]
    learned_from_session: str
    learned_from_tick: int
    success_count: int
    failure_count: int
    confidence: float
    last_validated: float
    relevance_score: float


@dataclass(frozen=True, slots=True)
class SuccessfulStrategy:
    """Moves that won against one enemy, in order."""

    strategy_id: str
    context: Mapping[str, Json]
    enemy_type: str
    player_pokemon: str
    strategy_description: str
    moves_sequence: tuple[str, ...]
    success_rate: float
    total_uses: int
    first_used: float
    last_used: float


@dataclass(frozen=True, slots=True)
class MistakeRecord:
    """An action or battle to avoid; `severity` is minor, major or critical."""

    mistake_id: str
    description: str
    situation: Mapping[str, Json]
    outcome: str
    severity: str
    prevention_tip: str
    first_occurred: float
    last_occurred: float
    occurrence_count: int

    @property
    def defeats_by_level(self) -> Mapping[int, int]:
        """How often this battle was lost, by the level of the own Pokemon; older files have only the last level."""
        known, last = self.situation.get(LOST_AT), self.situation.get("player_level")
        if isinstance(known, Mapping):
            sound = [each for each in known.items() if each[0].isdecimal()]
            return {int(level): times for level, times in sound if isinstance(times, int)}
        return {last: self.occurrence_count} if isinstance(last, int) else {}


@dataclass(frozen=True, slots=True)
class PlayerPreference:
    """A choice that was configured or learnt."""

    preference_id: str
    category: str
    description: str
    preference_value: Json
    learned_from_session: str
    confidence: float
    created_at: float
    updated_at: float


KnowledgeRecord: TypeAlias = LearnedPattern | SuccessfulStrategy | MistakeRecord | PlayerPreference


def merge_pattern(known: LearnedPattern, new: LearnedPattern) -> LearnedPattern:
    """Return `known` with the evidence of `new` added."""
    both = merged(
        known,
        new,
        kept=("learned_from_session", "learned_from_tick"),
        added=("success_count", "failure_count"),
        highest=("last_validated",),
    )
    total = both.success_count + both.failure_count
    confidence = both.success_count / total if total else 0.0
    relevance = relevance_of(both.success_count, both.failure_count)
    return replace(both, confidence=confidence, relevance_score=relevance)


def relevance_of(successes: int, failures: int) -> float:
    """Return the relevance of a pattern with this evidence: its confidence, and less while it is not proven."""
    return successes / max(successes + failures, OCCURRENCES)


def is_proven(pattern: LearnedPattern, config: ConsolidationConfig) -> bool:
    """Return whether a pattern has enough evidence, most of it for it."""
    enough = pattern.success_count >= config.min_occurrences_for_pattern
    return enough and pattern.confidence >= config.pattern_threshold


def merge_strategy(known: SuccessfulStrategy, new: SuccessfulStrategy) -> SuccessfulStrategy:
    """Return `known` with the uses of `new` added; the context is that of the last success."""
    uses = known.total_uses + new.total_uses
    wins = known.success_rate * known.total_uses + new.success_rate * new.total_uses
    return merged(
        known,
        new,
        added=("total_uses",),
        lowest=("first_used",),
        highest=("last_used",),
        context=new.context if new.success_rate else known.context,
        success_rate=wins / uses,
    )


def merge_mistake(known: MistakeRecord, new: MistakeRecord) -> MistakeRecord:
    """Return `known` with the occurrences of `new` added, those of a battle by level; the higher severity is kept.

    The tip is that of the highest level at which a battle was lost.
    """
    situation, advised = new.situation, new
    if LOST_AT in situation:
        advised = max(new, known, key=lambda each: max(each.defeats_by_level, default=0))
        levels = Counter(known.defeats_by_level) + Counter(new.defeats_by_level)
        situation = {**situation, LOST_AT: {str(level): levels[level] for level in sorted(levels)}}
    return merged(
        known,
        new,
        added=("occurrence_count",),
        lowest=("first_occurred",),
        highest=("last_occurred",),
        severity=max(known.severity, new.severity, key=rank),
        situation=situation,
        prevention_tip=advised.prevention_tip,
    )


def merge_preference(known: PlayerPreference, new: PlayerPreference) -> PlayerPreference:
    """Return `new`, created when the first of both was."""
    return merged(known, new, lowest=("created_at",))


def _is_frequent(pattern: Mapping[str, Any], config: ConsolidationConfig) -> bool:
    return bool(pattern["success_count"] >= config.min_occurrences_for_pattern)


def _has_won(strategy: Mapping[str, Any], _config: ConsolidationConfig) -> bool:
    return bool(strategy["success_rate"] != 0.0)


# Scopes of a memory file that all agents share.
KNOWLEDGE_SCOPES: Final = ("ltm:procedural", "ltm:semantic")


class KnowledgeKind(NamedTuple):
    """One kind of knowledge: its name, scope, record type and view, and how records merge, fade and rank.

    The value of a record is its field `worth`, which fades with time: it is stored undecayed when it `fades` by itself, from
    the field `date`; the others hold what is left of it.
    """

    name: str
    table: str  # the view of the design
    collection: str  # the attribute of `Knowledge`
    record: type[Any]
    merge: Callable[[Any, Any], Any]  # merges the known record and the new one
    date: str  # the field with the time of the last evidence
    worth: str
    scope: str
    fades: bool = False
    ranked: tuple[str, ...] = ()  # the fields that rank records when the limit is reached
    limit: str = ""  # the field of the configuration with the limit
    first: tuple[str, ...] = ()  # the fields of the run that began
    decides: str = ""  # the field in which two runs can contradict each other
    is_kept: Callable[[Mapping[str, Any], ConsolidationConfig], bool] | None = None

    @property
    def id(self) -> str:
        """The field that holds the id."""
        return f"{self.name}_id"

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of all fields, in order."""
        return tuple(self.record.__match_args__)

    def value_of(self, data: Mapping[str, Any]) -> float:
        """Return the value of a record that has not faded, from 0 to 1."""
        value = data[self.worth]
        return float(_SEVERITY_VALUE.get(value, 0.5) if self.worth == "severity" else value)

    def rank(self, field_of: Callable[[str], Any]) -> tuple[float, ...]:
        """Return the rank of a record among others of its kind; the lowest are removed first."""
        return tuple(
            float(rank(field_of(each)) if each == "severity" else field_of(each))
            for each in self.ranked
        )


KINDS: Final = (
    KnowledgeKind(
        "pattern", "tactician_patterns", "patterns", LearnedPattern,
        merge_pattern, "last_validated", "relevance_score", "ltm:procedural",
        ranked=("relevance_score", "success_count"), limit="max_patterns_per_type",
        first=("learned_from_session", "learned_from_tick"), is_kept=_is_frequent,
    ),
    KnowledgeKind(
        "strategy", "successful_strategies", "strategies", SuccessfulStrategy,
        merge_strategy, "last_used", "success_rate", "ltm:procedural", fades=True,
        ranked=("success_rate", "total_uses"), limit="max_strategies", is_kept=_has_won,
    ),
    KnowledgeKind(
        "mistake", "mistake_records", "mistakes", MistakeRecord,
        merge_mistake, "last_occurred", "severity", "ltm:semantic", fades=True,
        ranked=("severity", "occurrence_count"), limit="max_mistakes",
    ),
    KnowledgeKind(
        "preference", "player_preferences", "preferences", PlayerPreference,
        merge_preference, "updated_at", "confidence", "ltm:semantic", decides="preference_value",
    ),
)  # fmt: skip
KIND_BY_NAME: Final = {kind.name: kind for kind in KINDS}
KIND_BY_TABLE: Final = {kind.table: kind for kind in KINDS}


class KnowledgeKey(NamedTuple):
    """The key of one knowledge record: its table and its id."""

    table: str
    id: str


@dataclass
class Knowledge:
    """All knowledge by id. `total_battles` and the rate count battles that were won or lost."""

    patterns: dict[str, LearnedPattern] = field(default_factory=dict)
    strategies: dict[str, SuccessfulStrategy] = field(default_factory=dict)
    mistakes: dict[str, MistakeRecord] = field(default_factory=dict)
    preferences: dict[str, PlayerPreference] = field(default_factory=dict)
    total_sessions: int = 0
    total_battles: int = 0
    overall_win_rate: float = 0.0

    def of(self, table: str) -> dict[str, Any]:
        """Return the records of a table, by id."""
        collection: dict[str, Any] = getattr(self, KIND_BY_TABLE[table].collection)
        return collection

    def values(self, *, now: float, rate: float) -> dict[KnowledgeKey, float]:
        """Return the value of each record at `now`, in epoch seconds, from 0 to 1."""
        worth = dict[KnowledgeKey, float]()
        for kind in KINDS:
            for memory_id, record in self.of(kind.table).items():
                left = decayed(getattr(record, kind.date), now, rate) if kind.fades else 1.0
                worth[KnowledgeKey(kind.table, memory_id)] = kind.value_of(as_json(record)) * left
        return worth

    def to_json(self) -> dict[str, Json]:
        """Return everything as plain JSON."""
        return {
            **{
                kind.collection: [as_json(each) for each in self.of(kind.table).values()]
                for kind in KINDS
            },
            "total_sessions": self.total_sessions,
            "total_battles": self.total_battles,
            "overall_win_rate": self.overall_win_rate,
        }


def decayed(since: float, now: float, rate: float) -> float:
    """Return the part of 1 that is left at `now`, when `rate` is left after one month."""
    return float(rate ** (max(0.0, now - since) / MONTH_S))


def rank(severity: str) -> int:
    """Return the rank of a severity, from 0."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else 0
