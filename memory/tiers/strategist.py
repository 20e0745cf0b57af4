"""The second tier: objectives, battles, places and items of one session. A view of short-term memory.

Any entry of these kinds in short-term memory belongs to the strategist; its methods only write and read such entries.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import eq
from typing import Any, Final

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import Entry, EntryKind, Status, record_kind, scope_name
from memory.blackboard.view import View
from memory.codec import Json, as_json, as_table, merged, rows_of
from memory.errors import UnknownMemory
from memory.flow.subscription import Derived
from memory.tiers.observer import TICK_STATE, TickState

OBJECTIVE: Final = "objective"
BATTLE: Final = "battle"
LOCATION: Final = "location"
RESOURCES: Final = "resources"
SESSION_TOTALS: Final = "session_totals"
TEAM: Final = "team"  # the party and the levels; the newest entry is current
CURRENT: Final = "current"  # the name of the one entry of a session's totals
CLOSED: Final = frozenset({"completed", "failed"})

MAX_OBJECTIVES: Final = 100
MAX_BATTLES: Final = 100
MAX_LOCATIONS: Final = 248  # as many as the game has maps
MAX_RESOURCES: Final = 25  # snapshots: with a hundred, a session exceeds its 50 KB
MAX_DETAILS: Final = 50  # of each list inside one location
IGNORED_FIELDS: Final = {"tick": 0, "location": ""}


@dataclass(frozen=True, slots=True)
class SessionObjective:
    """An objective of this session; `status` is pending, active, completed or failed."""

    objective_id: str
    name: str
    description: str
    objective_type: str
    priority: int
    status: str
    progress_percent: float
    created_tick: int
    completed_tick: int | None
    prerequisites: tuple[str, ...] = ()
    related_location: str | None = None


@dataclass(frozen=True, slots=True)
class BattleRecord:
    """One battle; `outcome` is victory, defeat, runaway or catch.

    `player_pokemon` is the one that it began with, and `moves_used` are its moves.
    """

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
    """One place and its known details."""

    location_name: str
    location_type: str
    first_visit_tick: int
    last_visit_tick: int
    visit_count: int
    explored_areas: tuple[str, ...] = ()
    unexplored_areas: tuple[str, ...] = ()
    points_of_interest: tuple[str, ...] = ()
    npcs_interacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResourceSnapshot:
    """Money and items at one tick."""

    tick: int
    money: int
    items: Mapping[str, int]
    tms_obtained: tuple[int, ...] = ()
    hms_obtained: tuple[str, ...] = ()
    key_items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionTotals:
    """The session, its start, and the outcomes of its battles; runaways and catches are neither victories nor defeats."""

    session_id: str
    session_start_tick: int
    total_battles: int
    victories: int
    defeats: int


def strategist_kinds() -> tuple[EntryKind, ...]:
    """Return the policies of a session's records: their keys, merging and limits."""
    return (
        record_kind(
            OBJECTIVE,
            SessionObjective,
            "objective_id",
            limit=MAX_OBJECTIVES,
            rank=lambda entry: (entry.data["status"] not in CLOSED, entry.seq),
        ),
        record_kind(
            BATTLE,
            BattleRecord,
            lambda data: f"{data['battle_id']}@{data['start_tick']}",
            limit=MAX_BATTLES,
        ),
        record_kind(LOCATION, LocationVisited, "location_name", _merge_visit, limit=MAX_LOCATIONS),
        record_kind(
            RESOURCES,
            ResourceSnapshot,
            "tick",
            # The time and place of a snapshot do not count as a difference.
            repeats=lambda last, now: {**last, **IGNORED_FIELDS} == {**now, **IGNORED_FIELDS},
            limit=MAX_RESOURCES,
        ),
        EntryKind(TEAM, key=lambda _data: CURRENT, repeats=eq, lasting=True),
        record_kind(SESSION_TOTALS, SessionTotals, lambda _data: CURRENT, _add_totals),
    )


def tally(battles: Sequence[Entry]) -> list[Derived]:
    """Return the battle counts to add to the totals of the session."""
    outcomes = [each.data["outcome"] for each in battles]
    counted = SessionTotals(
        "", 0, len(outcomes), outcomes.count("victory"), outcomes.count("defeat")
    )
    return [Derived(SESSION_TOTALS, as_json(counted), tuple(each.key for each in battles))]


def _add_totals(known: SessionTotals, new: SessionTotals) -> SessionTotals:
    return merged(new, known, added=("total_battles", "victories", "defeats"))


def _merge_visit(known: LocationVisited, seen: LocationVisited) -> LocationVisited:
    return merged(
        known,
        seen,
        added=("visit_count",),
        lowest=("first_visit_tick",),
        highest=("last_visit_tick",),
        **details(known, seen),
    )


def details(known: Any, seen: Any) -> dict[str, Any]:  # noqa: ANN401  # two records of a place
    """Return the details of both records of a place; what one of them has explored is not unexplored."""
    names = ("explored_areas", "unexplored_areas", "points_of_interest", "npcs_interacted")
    both = {
        name: tuple(dict.fromkeys((*getattr(known, name), *getattr(seen, name))))[-MAX_DETAILS:]
        for name in names
    }
    explored = both["explored_areas"]
    open_areas = tuple(each for each in both["unexplored_areas"] if each not in explored)
    return {**both, "unexplored_areas": open_areas}


class StrategistMemory:
    """One session, on the blackboard. Histories are bounded; the totals count everything."""

    def __init__(self, blackboard: Blackboard, agent_id: str, *, session_id: str) -> None:
        self.blackboard = blackboard
        self.stm = scope_name(agent_id, "stm")
        self._objectives = View(blackboard, self.stm, OBJECTIVE, SessionObjective)
        self._battles = View(blackboard, self.stm, BATTLE, BattleRecord)
        # Each place, last visited last.
        self.locations_visited = View(blackboard, self.stm, LOCATION, LocationVisited)
        self._resources = View(blackboard, self.stm, RESOURCES, ResourceSnapshot)
        self._histories: dict[str, View[Any]] = {
            "objectives": self._objectives,
            "battle_history": self._battles,
            "locations_visited": self.locations_visited,
            "resource_history": self._resources,
        }
        sensory = scope_name(agent_id, "sensory")
        self._moments = View(blackboard, sensory, TICK_STATE, TickState)
        self._totals = View(blackboard, self.stm, SESSION_TOTALS, SessionTotals)
        if CURRENT not in self._totals:
            self._begin(session_id, tick=0)

    @property
    def totals(self) -> SessionTotals:
        """The session and its totals."""
        return self._totals[CURRENT]

    @property
    def session_id(self) -> str:
        """The id of the session."""
        return self.totals.session_id

    @property
    def objectives(self) -> list[SessionObjective]:
        """All objectives of the session, last changed last."""
        return self._objectives.records()

    @property
    def active_objective(self) -> SessionObjective | None:
        """The active objective that was changed last, or None."""
        active = [each for each in self.objectives if each.status == "active"]
        return active[-1] if active else None

    @property
    def battle_history(self) -> list[BattleRecord]:
        """The last battles, oldest first."""
        return self._battles.records()

    @property
    def resource_history(self) -> list[ResourceSnapshot]:
        """The snapshots of money and items, oldest first; one for each change."""
        return self._resources.records()

    def objective(self, objective_id: str) -> SessionObjective | None:
        """Return one objective, or None."""
        return self._objectives.get(objective_id)

    def objective_status(self, objective_id: str) -> str | None:
        """Return the status of one objective, or None; called every tick."""
        entry = self._objectives.entry(objective_id)
        return None if entry is None or entry.closed else str(entry.data["status"])

    def get_objectives_progress(self) -> dict[str, float]:
        """Return the mean progress, in percent, of each type of objective."""
        progress = defaultdict[str, list[float]](list)
        for objective in self.objectives:
            progress[objective.objective_type].append(objective.progress_percent)
        return {name: sum(each) / len(each) for name, each in progress.items()}

    def get_win_rate(self) -> float:
        """Return victories per battle that was won or lost; 0.0 when there was none."""
        totals = self.totals
        decided = totals.victories + totals.defeats
        return totals.victories / decided if decided else 0.0

    def record_battle(self, battle: BattleRecord, **around: Json) -> None:
        """Add one battle, with more about it; running away and catching are neither victory nor defeat."""
        self._write(BATTLE, {**as_json(battle), **around}, tick=battle.end_tick, importance=7)

    def set_objective(self, objective: SessionObjective, *, status: Status = "verified") -> None:
        """Add or replace one objective; an active one becomes the active objective."""
        self._write(OBJECTIVE, as_json(objective), status=status)

    def update_objective_progress(
        self, objective_id: str, progress: float, *, tick: int | None = None
    ) -> None:
        """Set the percentage of one objective; at 100 it is completed, at `tick`, which is then verified."""
        old = self.objective(objective_id)
        if old is None:
            raise UnknownMemory(f"no objective {objective_id!r}; call set_objective first.")
        new = replace(old, progress_percent=min(max(progress, 0.0), 100.0))
        if progress >= 100.0 and old.status != "completed":
            new = replace(new, status="completed", completed_tick=tick)
        self.set_objective(new, status="verified" if progress >= 100.0 else "inferred")

    def add_location(self, location: LocationVisited) -> None:
        """Record a visit, or details of a place without one; both are added to what is known of the place."""
        status: Status = "verified" if location.visit_count else "inferred"
        self._write(LOCATION, as_json(location), tick=location.last_visit_tick, status=status)

    def snapshot_resources(
        self, tick: int, owned: ResourceSnapshot | None = None, **around: Json
    ) -> None:
        """Record money and items at `tick`, and more about them, if they differ from the last snapshot.

        Without `owned` it uses the last snapshot, with the current money.
        """
        if owned is None:
            last, now = self._resources.records(1), self._moments.records(1)
            if not last:
                return
            owned = replace(last[0], money=now[0].money if now else last[0].money)
        self._write(RESOURCES, {**as_json(replace(owned, tick=tick)), **around}, tick=tick)

    def clear_session(self, *, session_id: str, tick: int, kept: Collection[str] = ()) -> None:
        """Forget the session, except for the kinds in `kept`, and begin another."""
        self._forget(kept)
        self._begin(session_id, tick)

    def to_json(self) -> dict[str, Json]:
        """Return the whole session, for `restore`."""
        histories = {name: as_table(view.records()) for name, view in self._histories.items()}
        return {"totals": as_json(self.totals), **histories}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Replace the current session with the one that `to_json` returned."""
        self._forget()
        for name, view in self._histories.items():
            for record in rows_of(data[name]):
                self._write(view.kind, record)
        # Last, because writing the battles counted them again.
        self.blackboard.forget(self.stm, kind=SESSION_TOTALS)
        self._write(SESSION_TOTALS, data["totals"], status="inferred")

    def _forget(self, kept: Collection[str] = ()) -> None:
        for view in (*self._histories.values(), self._totals):
            if view.kind not in kept:
                self.blackboard.forget(self.stm, kind=view.kind)

    def _begin(self, session_id: str, tick: int) -> None:
        new_totals = SessionTotals(session_id, tick, 0, 0, 0)
        self._write(SESSION_TOTALS, as_json(new_totals), tick=tick, status="inferred")

    def _write(
        self,
        kind: str,
        data: Mapping[str, Json],
        *,
        tick: int = 0,
        importance: int = 6,
        status: Status = "verified",
    ) -> None:
        now = max(tick, self.blackboard.tick)
        self.blackboard.write(
            self.stm, kind, data=data, tick=now, importance=importance, status=status
        )
