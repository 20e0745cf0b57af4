"""The memory queries of sensors: read-only, and only about stored entries."""

from collections.abc import Sequence

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import Entry
from memory.tiers.observer import ObserverMemory
from memory.tiers.strategist import StrategistMemory
from memory.tiers.tactician import TacticianMemory


class Recall:
    """Queries on the memory of one run and the knowledge it started with; none of them changes memory."""

    def __init__(
        self,
        blackboard: Blackboard,
        observer: ObserverMemory,
        strategist: StrategistMemory,
        tactician: TacticianMemory,
    ) -> None:
        self._blackboard = blackboard
        self.recent_outcomes = observer.get_recent_outcomes
        self._strategist = strategist
        self.changes = blackboard.changes
        self.fullness = blackboard.fullness
        self.strategies = tactician.get_successful_strategies
        self.mistakes = tactician.get_mistakes_for_context
        self.patterns = tactician.get_relevant_patterns
        self.preference = tactician.get_preference
        self.objective_status = strategist.objective_status

    def recent(self, scope: str, kind: str, limit: int) -> Sequence[Entry]:
        """Return the newest entries of `kind` in `scope`, oldest first."""
        return self._blackboard.entries(scope, kind=kind, limit=limit)

    def visits(self, location_name: str) -> int:
        """Return the number of visits to the place in this session."""
        place = self._strategist.locations_visited.get(location_name)
        return 0 if place is None else place.visit_count
