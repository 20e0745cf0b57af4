"""The third tier: permanent knowledge. A view of the three scopes of long-term memory.

The scopes belong to one agent: they start with the knowledge of earlier runs, to which this run adds its lessons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, Final

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import Entry, EntryKind, record_kind, scope_name
from memory.blackboard.view import View
from memory.codec import Json, as_json
from memory.errors import UnknownMemory
from memory.tiers.knowledge import (
    KIND_BY_TABLE,
    KINDS,
    KNOWLEDGE_SCOPES,
    ConsolidationConfig,
    Knowledge,
    KnowledgeKey,
    KnowledgeKind,
    KnowledgeRecord,
    LearnedPattern,
    MistakeRecord,
    PlayerPreference,
    SuccessfulStrategy,
    is_proven,
    rank,
)

PATTERN: Final = "pattern"
STRATEGY: Final = "strategy"
MISTAKE: Final = "mistake"
PREFERENCE: Final = "preference"
TOTALS: Final = "totals"
IMPORTANCE: Final = 6  # of knowledge
MAX_PREFERENCES: Final = 100
ALL: Final = "all"  # the name of the one entry of totals
KIND_OF: Final = {kind.record: kind.name for kind in KINDS}


def tactician_kinds(config: ConsolidationConfig) -> tuple[EntryKind, ...]:
    """Return the policies of knowledge entries: their keys, merging and caps."""
    return (
        *(
            record_kind(
                kind.name,
                kind.record,
                kind.id,
                kind.merge,
                limit=getattr(config, kind.limit) if kind.limit else MAX_PREFERENCES,
                group=lambda data: data.get("pattern_type"),
                rank=partial(_rank, kind) if kind.ranked else None,
            )
            for kind in KINDS
        ),
        EntryKind(TOTALS, key=lambda _data: ALL, merge=added, lasting=True),
    )


def _rank(kind: KnowledgeKind, entry: Entry) -> tuple[float, ...]:
    return (*kind.rank(entry.data.__getitem__), float(entry.seq))


class TacticianMemory:
    """Knowledge by id, on the blackboard. `total_battles` counts battles that were won or lost."""

    def __init__(self, blackboard: Blackboard, agent_id: str) -> None:
        self.blackboard = blackboard
        self.episodic = scope_name(agent_id, "ltm:episodic")
        self.semantic = scope_name(agent_id, "ltm:semantic")
        self.procedural = scope_name(agent_id, "ltm:procedural")
        self.patterns = View(blackboard, self.procedural, PATTERN, LearnedPattern)
        self.strategies = View(blackboard, self.procedural, STRATEGY, SuccessfulStrategy)
        self.mistakes = View(blackboard, self.semantic, MISTAKE, MistakeRecord)
        self.preferences = View(blackboard, self.semantic, PREFERENCE, PlayerPreference)

    @property
    def total_sessions(self) -> int:
        """The number of sessions that have ended, of all runs."""
        return int(self._totals()["sessions"])

    @property
    def total_battles(self) -> int:
        """The number of battles that were won or lost, of all runs."""
        return int(self._totals()["battles"])

    @property
    def overall_win_rate(self) -> float:
        """The share of those battles that was won; 0.0 without any."""
        totals = self._totals()
        return totals["victories"] / totals["battles"] if totals["battles"] else 0.0

    def inherit(self, entries: Iterable[Entry]) -> None:
        """Write the entries of earlier runs, known from tick 0, each with the runs it comes from."""
        for earlier in entries:
            if earlier.scope in KNOWLEDGE_SCOPES:
                scope, sources = self._scope_of(earlier.kind), earlier.sources
                self._write(scope, earlier.kind, earlier.data, sources=sources)
                continue
            arguments = earlier.rewritten(key=earlier.key or None, tick=0, game_s=0.0)
            written = self.blackboard.write(**arguments)
            self.blackboard.revise(written, relevance=earlier.relevance, utility=earlier.utility)

    def add(self, record: KnowledgeRecord) -> None:
        """Add the evidence of a record to the known record with its id; a preference replaces the known one."""
        kind = KIND_OF[type(record)]
        self._write(self._scope_of(kind), kind, as_json(record))

    add_pattern = add_strategy = add_mistake = set_preference = add

    def record_strategy_success(self, strategy_id: str) -> None:
        """Count one more successful use of a strategy."""
        known = self.strategies.get(strategy_id)
        if known is None:
            raise UnknownMemory(f"no strategy {strategy_id!r}; call add_strategy first.")
        self.add(replace(known, success_rate=1.0, total_uses=1))

    def get_preference(self, category: str) -> PlayerPreference | None:
        """Return the preference of `category` with the highest confidence, then the newest, or None."""
        of_category = (each for each in self.preferences.records() if each.category == category)
        return max(of_category, key=lambda each: (each.confidence, each.updated_at), default=None)

    def get_relevant_patterns(self, context: Mapping[str, Json]) -> list[LearnedPattern]:
        """Return the proven patterns whose conditions match `context`, closest first."""
        found = [
            (-matches, -each.relevance_score, each.pattern_id, each)
            for each in self.patterns.records()
            if is_proven(each, ConsolidationConfig())
            and (matches := _matches(each.trigger_conditions, context))
        ]
        return [pattern for *_, pattern in sorted(found, key=itemgetter(0, 1, 2))]

    def get_successful_strategies(
        self, enemy_type: str, player_pokemon: str
    ) -> list[SuccessfulStrategy]:
        """Return the strategies that worked for this Pokemon against this enemy, most proven first."""
        found = [
            each
            for each in self.strategies.records()
            if each.enemy_type == enemy_type
            and each.player_pokemon == player_pokemon
            and each.success_rate
        ]
        return sorted(found, key=lambda each: (-proven(each), each.strategy_id))

    def get_mistakes_for_context(self, context: Mapping[str, Json]) -> list[MistakeRecord]:
        """Return the mistakes whose situation matches `context`, closest and most severe first."""
        found = [
            (-matches, -rank(each.severity), -each.occurrence_count, each.mistake_id, each)
            for each in self.mistakes.records()
            if (matches := _matches(each.situation, context))
        ]
        return [mistake for *_, mistake in sorted(found, key=itemgetter(0, 1, 2, 3))]

    def forget(self, memory: KnowledgeKey) -> None:
        """Remove one record from this run; later runs may still know it."""
        kind = KIND_BY_TABLE[memory.table].name
        self.blackboard.forget(self._scope_of(kind), kind=kind, keys={f"{kind}:{memory.id}"})

    def knowledge(self) -> Knowledge:
        """Return a copy of all knowledge, independent of the blackboard."""
        return Knowledge(
            dict(self.patterns),
            dict(self.strategies),
            dict(self.mistakes),
            dict(self.preferences),
            self.total_sessions,
            self.total_battles,
            self.overall_win_rate,
        )

    def _scope_of(self, kind: str) -> str:
        return self.procedural if kind in {PATTERN, STRATEGY} else self.semantic

    def _totals(self) -> Mapping[str, Any]:
        entry = self.blackboard.get(self.semantic, f"{TOTALS}:{ALL}")
        return {"sessions": 0, "battles": 0, "victories": 0} if entry is None else entry.data

    def _write(
        self, scope: str, kind: str, data: Mapping[str, Json], *, sources: tuple[str, ...] = ()
    ) -> Entry:
        return self.blackboard.write(
            scope, kind, data, importance=IMPORTANCE, status="inferred", sources=sources
        )


def added(known: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Json]:
    """Return the sums of two sets of counts."""
    return {name: known[name] + new[name] for name in known}


def _matches(conditions: Mapping[str, Json], context: Mapping[str, Json]) -> int:
    """Return the number of values that both share; 0 when they differ in any text value."""
    shared = conditions.keys() & context.keys()
    if any(conditions[key] != context[key] and isinstance(context[key], str) for key in shared):
        return 0
    return sum(conditions[key] == context[key] for key in shared)


def proven(strategy: SuccessfulStrategy) -> float:
    """Return how well a strategy is proven, from 0 to 1."""
    # One win of one ranks below nine of ten.
    wins = strategy.success_rate * strategy.total_uses
    return (wins + 1) / (strategy.total_uses + 2)
