"""How memory is consolidated and forgotten."""

from __future__ import annotations

from dataclasses import dataclass


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
