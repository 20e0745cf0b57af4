"""What sensors may ask memory: reading only, and only what was stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.blackboard.blackboard import Blackboard
    from memory.blackboard.entry import Entry
    from memory.codec import Json
    from memory.tiers.knowledge import LearnedPattern, MistakeRecord, SuccessfulStrategy
    from memory.tiers.strategist import StrategistMemory
    from memory.tiers.tactician import TacticianMemory


class Recall(Protocol):
    """Questions to memory; none of them changes it."""

    def recent(self, scope: str, kind: str, limit: int) -> Sequence[Entry]:
        """Return the newest entries of `kind` in `scope`, oldest of them first."""

    def changes(self, scope: str) -> tuple[int, int]:
        """Return what is never the same again once anything of `scope` has changed."""

    def fullness(self, scope: str) -> float:
        """Return how much of its budget of tokens `scope` uses; 0.0 where it has none."""

    def strategies(self, enemy_type: str, player_pokemon: str) -> Sequence[SuccessfulStrategy]:
        """Return what worked for this Pokemon against this enemy, the most proven first."""

    def mistakes(self, context: Mapping[str, Json]) -> Sequence[MistakeRecord]:
        """Return the mistakes made in situations like `context`, closest and gravest first."""

    def patterns(self, context: Mapping[str, Json]) -> Sequence[LearnedPattern]:
        """Return the patterns that hold in situations like `context`, the closest first."""

    def visits(self, location_name: str) -> int:
        """Return how often the place was visited."""

    def objective_status(self, objective_id: str) -> str | None:
        """Return pending, active, completed or failed; None when it was never an objective."""


class BlackboardRecall:
    """Recall from the memory of one run and the knowledge it started with."""

    def __init__(
        self, blackboard: Blackboard, strategist: StrategistMemory, tactician: TacticianMemory
    ) -> None:
        self._blackboard = blackboard
        self._strategist = strategist
        self.changes = blackboard.changes
        self.fullness = blackboard.fullness
        self.strategies = tactician.get_successful_strategies
        self.mistakes = tactician.get_mistakes_for_context
        self.patterns = tactician.get_relevant_patterns
        self.objective_status = strategist.objective_status

    def recent(self, scope: str, kind: str, limit: int) -> Sequence[Entry]:
        """Return the newest entries of `kind` in `scope`, oldest of them first."""
        return self._blackboard.entries(scope, kind=kind, limit=limit)

    def visits(self, location_name: str) -> int:
        """Return how often the place was visited in this session."""
        place = self._strategist.locations_visited.get(location_name)
        return 0 if place is None else place.visit_count
