"""The second tier: one session's objectives, battles, places and belongings.

Fed by entries of short-term memory of the kinds named here, or by its methods. Saved with each checkpoint.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.scopes import scope_name
from memory.codec import Json, as_json, from_json, overwrite
from memory.errors import UnknownMemory

if TYPE_CHECKING:
    from memory.blackboard.blackboard import Blackboard, Subscription
    from memory.blackboard.entry import BlackboardEvent

OBJECTIVE: Final = "objective"
BATTLE: Final = "battle"
LOCATION: Final = "location"
RESOURCES: Final = "resources"

MAX_OBJECTIVES: Final = 100
MAX_BATTLES: Final = 100
MAX_LOCATIONS: Final = 248  # as many as the game has maps
MAX_RESOURCES: Final = 100
MAX_DETAILS: Final = 50  # of each list inside one location


@dataclass(frozen=True, slots=True)
class SessionObjective:
    """Something this session wants; `status` is pending, active, completed or failed."""

    objective_id: str
    name: str
    description: str
    objective_type: str
    priority: int
    status: str
    progress_percent: float
    created_tick: int
    completed_tick: int | None
    prerequisites: tuple[str, ...]
    related_location: str | None


@dataclass(frozen=True, slots=True)
class BattleRecord:
    """One battle; `outcome` is victory, defeat, runaway or catch."""

    battle_id: str
    start_tick: int
    end_tick: int
    enemy_pokemon: str
    enemy_level: int
    player_pokemon: str
    player_level: int
    outcome: str
    turns_taken: int
    player_hp_remaining: float
    moves_used: tuple[str, ...]
    items_used: tuple[str, ...]
    key_decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LocationVisited:
    """One place and what is known of it."""

    location_name: str
    location_type: str
    first_visit_tick: int
    last_visit_tick: int
    visit_count: int
    explored_areas: tuple[str, ...]
    unexplored_areas: tuple[str, ...]
    points_of_interest: tuple[str, ...]
    npcs_interacted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ResourceSnapshot:
    """What was owned at one tick."""

    tick: int
    money: int
    items: Mapping[str, int]
    tms_obtained: tuple[int, ...]
    hms_obtained: tuple[str, ...]
    key_items: tuple[str, ...]


@dataclass
class StrategistMemory:
    """One session. Histories are bounded; the totals count everything."""

    session_id: str
    session_start_tick: int
    objectives: list[SessionObjective] = field(default_factory=list)
    active_objective: SessionObjective | None = None
    battle_history: list[BattleRecord] = field(default_factory=list)
    locations_visited: dict[str, LocationVisited] = field(default_factory=dict)
    resource_history: list[ResourceSnapshot] = field(default_factory=list)
    total_battles: int = 0
    victories: int = 0
    defeats: int = 0

    def follow(self, blackboard: Blackboard, agent_id: str) -> Subscription:
        """Take in every objective, battle, location and resources entry of short-term memory."""
        return blackboard.subscribe(scope_name(agent_id, "stm"), self._take)

    def get_objectives_progress(self) -> dict[str, float]:
        """Return the mean progress, in percent, of each type of objective."""
        progress = defaultdict[str, list[float]](list)
        for objective in self.objectives:
            progress[objective.objective_type].append(objective.progress_percent)
        return {name: sum(each) / len(each) for name, each in progress.items()}

    def get_win_rate(self) -> float:
        """Return victories per battle that was won or lost; 0.0 when there was none."""
        decided = self.victories + self.defeats
        return self.victories / decided if decided else 0.0

    def record_battle(self, battle: BattleRecord) -> None:
        """Add one battle; running away and catching are neither victory nor defeat."""
        self.total_battles += 1
        self.victories += battle.outcome == "victory"
        self.defeats += battle.outcome == "defeat"
        self.battle_history.append(battle)
        del self.battle_history[:-MAX_BATTLES]

    def set_objective(self, objective: SessionObjective) -> None:
        """Add or replace one objective; an active one becomes the active objective."""
        others = [each for each in self.objectives if each.objective_id != objective.objective_id]
        if len(others) >= MAX_OBJECTIVES:
            closed = (each for each in others if each.status in {"completed", "failed"})
            others.remove(next(closed, others[0]))
        self.objectives = [*others, objective]
        active = self.active_objective
        if objective.status == "active":
            self.active_objective = objective
        elif active is not None and active.objective_id == objective.objective_id:
            self.active_objective = None

    def update_objective_progress(
        self, objective_id: str, progress: float, *, tick: int | None = None
    ) -> None:
        """Set the percentage of one objective; at 100 it is completed, at `tick`."""
        for old in self.objectives:
            if old.objective_id == objective_id:
                break
        else:
            message = f"no objective {objective_id!r}; call set_objective first."
            raise UnknownMemory(message)
        new = replace(old, progress_percent=min(max(progress, 0.0), 100.0))
        if progress >= 100.0 and old.status != "completed":
            new = replace(new, status="completed", completed_tick=tick)
        self.objectives[self.objectives.index(old)] = new
        if self.active_objective == old:
            self.active_objective = None if new.status == "completed" else new

    def add_location(self, location: LocationVisited) -> None:
        """Record a visit; a place known already adds its visits and details to what is known."""
        known = self.locations_visited.pop(location.location_name, None)
        visited = location if known is None else _visited_again(known, location)
        self.locations_visited[location.location_name] = visited
        while len(self.locations_visited) > MAX_LOCATIONS:
            del self.locations_visited[next(iter(self.locations_visited))]

    def snapshot_resources(self, tick: int, owned: ResourceSnapshot | None = None) -> None:
        """Record what is owned at `tick`: `owned`, where it differs from last time, or the same again."""
        last = self.resource_history[-1] if self.resource_history else None
        if owned is None:
            owned = last
        elif last is not None and replace(last, tick=owned.tick) == owned:
            return
        if owned is not None:
            self.resource_history.append(replace(owned, tick=tick))
            del self.resource_history[:-MAX_RESOURCES]

    def clear_session(self) -> None:
        """Forget the session; its name and start stay."""
        overwrite(self, StrategistMemory(self.session_id, self.session_start_tick))

    def to_json(self) -> dict[str, Json]:
        """Return everything, as `from_json` reads it back."""
        active = self.active_objective
        return {
            "session_id": self.session_id,
            "session_start_tick": self.session_start_tick,
            "objectives": [as_json(each) for each in self.objectives],
            "active_objective": None if active is None else as_json(active),
            "battle_history": [as_json(each) for each in self.battle_history],
            # A list, because a JSON object with sorted keys forgets which place was seen last.
            "locations_visited": [as_json(each) for each in self.locations_visited.values()],
            "resource_history": [as_json(each) for each in self.resource_history],
            "total_battles": self.total_battles,
            "victories": self.victories,
            "defeats": self.defeats,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StrategistMemory:
        """Return the memory that `to_json` took apart."""
        active = data["active_objective"]
        places = [from_json(LocationVisited, each) for each in data["locations_visited"]]
        return cls(
            **{each.name: data[each.name] for each in fields(cls)}
            | {
                "objectives": [from_json(SessionObjective, each) for each in data["objectives"]],
                "active_objective": None if active is None else from_json(SessionObjective, active),
                "battle_history": [
                    from_json(BattleRecord, each) for each in data["battle_history"]
                ],
                "locations_visited": {each.location_name: each for each in places},
                "resource_history": [
                    from_json(ResourceSnapshot, each) for each in data["resource_history"]
                ],
            }
        )

    def restore(self, data: Mapping[str, Json]) -> None:
        """Become the memory that `to_json` took apart."""
        overwrite(self, self.from_json(data))

    def _take(self, event: BlackboardEvent) -> None:
        if event.action != "write":
            return
        entry = event.entry
        if entry.kind == OBJECTIVE:
            self.set_objective(from_json(SessionObjective, entry.data))
        elif entry.kind == BATTLE:
            self.record_battle(from_json(BattleRecord, entry.data))
        elif entry.kind == LOCATION:
            self.add_location(from_json(LocationVisited, entry.data))
        elif entry.kind == RESOURCES:
            self.snapshot_resources(entry.tick, from_json(ResourceSnapshot, entry.data))


def _visited_again(known: LocationVisited, seen: LocationVisited) -> LocationVisited:
    explored = _joined(known.explored_areas, seen.explored_areas)
    unexplored = _joined(known.unexplored_areas, seen.unexplored_areas)
    return LocationVisited(
        location_name=known.location_name,
        location_type=seen.location_type,
        first_visit_tick=min(known.first_visit_tick, seen.first_visit_tick),
        last_visit_tick=max(known.last_visit_tick, seen.last_visit_tick),
        visit_count=known.visit_count + seen.visit_count,
        explored_areas=explored,
        unexplored_areas=tuple(area for area in unexplored if area not in explored),
        points_of_interest=_joined(known.points_of_interest, seen.points_of_interest),
        npcs_interacted=_joined(known.npcs_interacted, seen.npcs_interacted),
    )


def _joined(known: tuple[str, ...], seen: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *seen)))[-MAX_DETAILS:]
