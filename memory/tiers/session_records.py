"""What a session is made of: its records, what names each, how they grow, and how many there may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.kinds import Kind, growing
from memory.codec import Json, as_json, from_json
from memory.flow.subscription import Derived

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.blackboard.entry import Entry

OBJECTIVE: Final = "objective"
BATTLE: Final = "battle"
LOCATION: Final = "location"
RESOURCES: Final = "resources"
SESSION_TOTALS: Final = "session_totals"
TEAM: Final = "team"  # who is with us, and how far each has got; the newest word counts
CURRENT: Final = "current"  # the name of the one entry of a session's totals
CLOSED: Final = frozenset({"completed", "failed"})

MAX_OBJECTIVES: Final = 100
MAX_BATTLES: Final = 100
MAX_LOCATIONS: Final = 248  # as many as the game has maps
MAX_RESOURCES: Final = 25  # looks at what is owned: with a hundred, a session is over its 50 KB
MAX_DETAILS: Final = 50  # of each list inside one location
ANY_LOOK: Final = {"tick": 0, "location": ""}


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


@dataclass(frozen=True, slots=True)
class SessionTotals:
    """Which session it is, since when, and how its battles went so far; runaways and catches are neither."""

    session_id: str
    session_start_tick: int
    total_battles: int
    victories: int
    defeats: int


def strategist_kinds() -> tuple[Kind, ...]:
    """Return the policies of a session's records: what names them, how they grow, and how many there are."""
    return (
        Kind(
            OBJECTIVE,
            check=lambda data: from_json(SessionObjective, data),
            key=lambda data: str(data["objective_id"]),
            limit=MAX_OBJECTIVES,
            rank=lambda entry: (entry.data["status"] not in CLOSED, entry.seq),
            lasting=True,
        ),
        Kind(
            BATTLE,
            check=lambda data: from_json(BattleRecord, data),
            key=lambda data: f"{data['battle_id']}@{data['start_tick']}",
            limit=MAX_BATTLES,
            lasting=True,
        ),
        Kind(
            LOCATION,
            check=lambda data: from_json(LocationVisited, data),
            key=lambda data: str(data["location_name"]),
            merge=growing(LocationVisited, _visited_again),
            limit=MAX_LOCATIONS,
            lasting=True,
        ),
        Kind(
            RESOURCES,
            check=lambda data: from_json(ResourceSnapshot, data),
            key=lambda data: str(data["tick"]),
            # When and where one looked is no difference.
            repeats=lambda last, now: {**last, **ANY_LOOK} == {**now, **ANY_LOOK},
            limit=MAX_RESOURCES,
            lasting=True,
        ),
        Kind(
            TEAM,
            key=lambda _data: CURRENT,
            repeats=lambda last, now: last == now,
            lasting=True,
        ),
        Kind(
            SESSION_TOTALS,
            check=lambda data: from_json(SessionTotals, data),
            key=lambda _data: CURRENT,
            merge=_counted,
            lasting=True,
        ),
    )


def tally(battles: Sequence[Entry]) -> list[Derived]:
    """Return what battles add to the totals of the session."""
    outcomes = [each.data["outcome"] for each in battles]
    counted = SessionTotals(
        "", 0, len(outcomes), outcomes.count("victory"), outcomes.count("defeat")
    )
    return [Derived(SESSION_TOTALS, as_json(counted), tuple(each.key for each in battles))]


def _counted(known: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Json]:
    figures = ("total_battles", "victories", "defeats")
    return {**known, **{name: known[name] + new[name] for name in figures}}


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
