"""What outlives runs, as patterns, strategies, mistakes and preferences, how evidence adds up, and the limits of it all.

Adding a record adds its evidence to what is known under its id, so that several runs can teach the same memory.
Knows nothing of files, nor of scopes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from memory.codec import Json, as_json

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ConsolidationConfig:
    """The figures of consolidation; the caps hold for each kind of knowledge."""

    tick_interval: int = 1000
    session_end_consolidate: bool = True
    pattern_threshold: float = 0.7
    min_occurrences_for_pattern: int = 3
    forgetting_decay_rate: float = 0.95
    max_patterns_per_type: int = 50
    max_strategies: int = 100
    max_mistakes: int = 200
    importance_threshold: float = 0.3


SEVERITIES: Final = ("minor", "major", "critical")
_LIMITS: Final = ConsolidationConfig()


@dataclass(frozen=True, slots=True)
class LearnedPattern:
    """Something that tends to work, or not, when its conditions hold."""

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
    """Moves that won against one enemy, in their order."""

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
    """Something not to do again; `severity` is minor, major or critical."""

    mistake_id: str
    description: str
    situation: Mapping[str, Json]
    outcome: str
    severity: str
    prevention_tip: str
    first_occurred: float
    last_occurred: float
    occurrence_count: int


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


def more_pattern(known: LearnedPattern, new: LearnedPattern) -> LearnedPattern:
    """Return `known` with the evidence of `new` added."""
    successes = known.success_count + new.success_count
    failures = known.failure_count + new.failure_count
    confidence = successes / (successes + failures) if successes + failures else 0.0
    return replace(
        new,
        learned_from_session=known.learned_from_session,
        learned_from_tick=known.learned_from_tick,
        success_count=successes,
        failure_count=failures,
        confidence=confidence,
        last_validated=max(known.last_validated, new.last_validated),
        relevance_score=confidence,
    )


def more_strategy(known: SuccessfulStrategy, new: SuccessfulStrategy) -> SuccessfulStrategy:
    """Return `known` with the uses of `new` added; the context stays that of the last success."""
    uses = known.total_uses + new.total_uses
    wins = known.success_rate * known.total_uses + new.success_rate * new.total_uses
    return replace(
        new,
        context=new.context if new.success_rate else known.context,
        success_rate=wins / uses,
        total_uses=uses,
        first_used=min(known.first_used, new.first_used),
        last_used=max(known.last_used, new.last_used),
    )


def more_mistake(known: MistakeRecord, new: MistakeRecord) -> MistakeRecord:
    """Return `known` with the occurrences of `new` added; the worst severity stays."""
    return replace(
        new,
        severity=max(known.severity, new.severity, key=rank),
        first_occurred=min(known.first_occurred, new.first_occurred),
        last_occurred=max(known.last_occurred, new.last_occurred),
        occurrence_count=known.occurrence_count + new.occurrence_count,
    )


def newer_preference(known: PlayerPreference, new: PlayerPreference) -> PlayerPreference:
    """Return `new`, as old as `known`."""
    return replace(new, created_at=known.created_at)


@dataclass
class Knowledge:
    """All of it by id. `total_battles` and the rate count battles that were won or lost."""

    patterns: dict[str, LearnedPattern] = field(default_factory=dict)
    strategies: dict[str, SuccessfulStrategy] = field(default_factory=dict)
    mistakes: dict[str, MistakeRecord] = field(default_factory=dict)
    preferences: dict[str, PlayerPreference] = field(default_factory=dict)
    total_sessions: int = 0
    total_battles: int = 0
    overall_win_rate: float = 0.0

    def add_pattern(self, pattern: LearnedPattern) -> None:
        """Add the evidence of `pattern` to what is known under its id."""
        known = self.patterns.get(pattern.pattern_id)
        self.patterns[pattern.pattern_id] = more_pattern(known, pattern) if known else pattern
        self._limit_patterns(pattern.pattern_type, _LIMITS.max_patterns_per_type)

    def add_strategy(self, strategy: SuccessfulStrategy) -> None:
        """Add the uses of `strategy` to what is known; one that never worked is not taken up."""
        known = self.strategies.get(strategy.strategy_id)
        if known is None and strategy.success_rate == 0.0:
            return
        self.strategies[strategy.strategy_id] = (
            more_strategy(known, strategy) if known else strategy
        )
        self._limit_strategies(_LIMITS.max_strategies)

    def add_mistake(self, mistake: MistakeRecord) -> None:
        """Add the occurrences of `mistake` to what is known; the worst severity stays."""
        known = self.mistakes.get(mistake.mistake_id)
        self.mistakes[mistake.mistake_id] = more_mistake(known, mistake) if known else mistake
        self._limit_mistakes(_LIMITS.max_mistakes)

    def set_preference(self, preference: PlayerPreference) -> None:
        """Put `preference` in the place of what is known under its id."""
        known = self.preferences.get(preference.preference_id)
        self.preferences[preference.preference_id] = (
            newer_preference(known, preference) if known else preference
        )

    def count(self, *, sessions: int, battles: int, victories: int) -> None:
        """Add to the totals; `battles` are those won or lost."""
        victories_so_far = self.overall_win_rate * self.total_battles
        self.total_sessions += sessions
        self.total_battles += battles
        if battles:
            self.overall_win_rate = (victories_so_far + victories) / self.total_battles

    def limit(self, config: ConsolidationConfig) -> None:
        """Drop what is over the caps: least relevant, least successful, least severe."""
        for pattern_type in {each.pattern_type for each in self.patterns.values()}:
            self._limit_patterns(pattern_type, config.max_patterns_per_type)
        self._limit_strategies(config.max_strategies)
        self._limit_mistakes(config.max_mistakes)

    def to_json(self) -> dict[str, Json]:
        """Return everything, as `from_json` reads it back."""
        return {
            "patterns": [as_json(each) for each in self.patterns.values()],
            "strategies": [as_json(each) for each in self.strategies.values()],
            "mistakes": [as_json(each) for each in self.mistakes.values()],
            "preferences": [as_json(each) for each in self.preferences.values()],
            "total_sessions": self.total_sessions,
            "total_battles": self.total_battles,
            "overall_win_rate": self.overall_win_rate,
        }

    def _limit_patterns(self, pattern_type: str, limit: int) -> None:
        of_type = [each for each in self.patterns.values() if each.pattern_type == pattern_type]
        of_type.sort(key=lambda each: (-each.relevance_score, -each.success_count, each.pattern_id))
        for pattern in of_type[limit:]:
            del self.patterns[pattern.pattern_id]

    def _limit_strategies(self, limit: int) -> None:
        if len(self.strategies) > limit:
            best = sorted(
                self.strategies.values(),
                key=lambda each: (-each.success_rate, -each.total_uses, each.strategy_id),
            )
            for strategy in best[limit:]:
                del self.strategies[strategy.strategy_id]

    def _limit_mistakes(self, limit: int) -> None:
        if len(self.mistakes) > limit:
            worst = sorted(
                self.mistakes.values(),
                key=lambda each: (-rank(each.severity), -each.occurrence_count, each.mistake_id),
            )
            for mistake in worst[limit:]:
                del self.mistakes[mistake.mistake_id]


def rank(severity: str) -> int:
    """Return how grave a severity is, from 0."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else 0
