"""The second tier: one session's objectives, battles, places and belongings. A view of short-term memory.

Whoever writes an entry of these kinds there has told the strategist; its methods do nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memory.blackboard.scopes import scope_name
from memory.blackboard.view import View
from memory.codec import Json, as_json, as_table, rows_of
from memory.errors import UnknownMemory
from memory.tiers.observer import TICK_STATE, TickState
from memory.tiers.session_records import (
    BATTLE,
    CURRENT,
    LOCATION,
    OBJECTIVE,
    RESOURCES,
    SESSION_TOTALS,
    BattleRecord,
    LocationVisited,
    ResourceSnapshot,
    SessionObjective,
    SessionTotals,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from memory.blackboard.blackboard import Blackboard
    from memory.blackboard.entry import Status


class StrategistMemory:
    """One session, on the blackboard. Histories are bounded; the totals count everything."""

    def __init__(
        self, blackboard: Blackboard, agent_id: str, *, session_id: str, session_start_tick: int = 0
    ) -> None:
        self.blackboard = blackboard
        self.stm = scope_name(agent_id, "stm")
        self._objectives = View(blackboard, self.stm, OBJECTIVE, SessionObjective)
        self._battles = View(blackboard, self.stm, BATTLE, BattleRecord)
        self._locations = View(blackboard, self.stm, LOCATION, LocationVisited)
        self._resources = View(blackboard, self.stm, RESOURCES, ResourceSnapshot)
        sensory = scope_name(agent_id, "sensory")
        self._moments = View(blackboard, sensory, TICK_STATE, TickState)
        self._totals = View(blackboard, self.stm, SESSION_TOTALS, SessionTotals)
        if CURRENT not in self._totals:
            self._begin(session_id, session_start_tick)

    @property
    def totals(self) -> SessionTotals:
        """The session and its figures."""
        return self._totals[CURRENT]

    @property
    def session_id(self) -> str:
        """The name of the session."""
        return self.totals.session_id

    @property
    def session_start_tick(self) -> int:
        """The tick it began at."""
        return self.totals.session_start_tick

    @property
    def total_battles(self) -> int:
        """How many battles there were."""
        return self.totals.total_battles

    @property
    def victories(self) -> int:
        """How many were won."""
        return self.totals.victories

    @property
    def defeats(self) -> int:
        """How many were lost."""
        return self.totals.defeats

    @property
    def objectives(self) -> list[SessionObjective]:
        """What the session wants or wanted, the last touched last."""
        return self._objectives.records()

    @property
    def active_objective(self) -> SessionObjective | None:
        """The objective turned to last, of those that are active."""
        active = [each for each in self.objectives if each.status == "active"]
        return active[-1] if active else None

    @property
    def battle_history(self) -> list[BattleRecord]:
        """The last battles, oldest first."""
        return self._battles.records()

    @property
    def locations_visited(self) -> Mapping[str, LocationVisited]:
        """What is known of each place, the last visited last."""
        return self._locations

    @property
    def resource_history(self) -> list[ResourceSnapshot]:
        """What was owned, each time it had changed, oldest first."""
        return self._resources.records()

    def objective(self, objective_id: str) -> SessionObjective | None:
        """Return one objective, or None."""
        return self._objectives.get(objective_id)

    def objective_status(self, objective_id: str) -> str | None:
        """Return the status of one objective, which is asked every tick, or None."""
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

    def record_battle(self, battle: BattleRecord) -> None:
        """Add one battle; running away and catching are neither victory nor defeat."""
        self._write(BATTLE, as_json(battle), tick=battle.end_tick, importance=7)

    def set_objective(self, objective: SessionObjective) -> None:
        """Add or replace one objective; an active one becomes the active objective."""
        self._write(OBJECTIVE, as_json(objective))

    def update_objective_progress(
        self, objective_id: str, progress: float, *, tick: int | None = None
    ) -> None:
        """Set the percentage of one objective; at 100 it is completed, at `tick`."""
        old = self.objective(objective_id)
        if old is None:
            message = f"no objective {objective_id!r}; call set_objective first."
            raise UnknownMemory(message)
        new = replace(old, progress_percent=min(max(progress, 0.0), 100.0))
        if progress >= 100.0 and old.status != "completed":
            new = replace(new, status="completed", completed_tick=tick)
        self.set_objective(new)

    def add_location(self, location: LocationVisited) -> None:
        """Record a visit; a place known already adds its visits and details to what is known."""
        self._write(LOCATION, as_json(location), tick=location.last_visit_tick)

    def snapshot_resources(self, tick: int, owned: ResourceSnapshot | None = None) -> None:
        """Record what is owned at `tick`, where it differs from last time.

        By itself it takes what was owned last, with the money of this moment.
        """
        if owned is None:
            last, now = self._resources.records(1), self._moments.records(1)
            if not last:
                return
            owned = replace(last[0], money=now[0].money if now else last[0].money)
        self._write(RESOURCES, as_json(replace(owned, tick=tick)), tick=tick)

    def clear_session(self, *, session_id: str, tick: int, kept: Collection[str] = ()) -> None:
        """Forget the session, but for the kinds that are `kept`, and begin another."""
        for kind in (OBJECTIVE, BATTLE, LOCATION, RESOURCES, SESSION_TOTALS):
            if kind not in kept:
                self.blackboard.forget(self.stm, kind=kind)
        self._begin(session_id, tick)

    def to_json(self) -> dict[str, Json]:
        """Return the whole session, as `restore` takes it back."""
        return {
            "totals": as_json(self.totals),
            "objectives": as_table(self.objectives),
            "battle_history": as_table(self.battle_history),
            "locations_visited": as_table(list(self.locations_visited.values())),
            "resource_history": as_table(self.resource_history),
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Become the session that `to_json` took apart, whatever was known before."""
        for kind in (OBJECTIVE, BATTLE, LOCATION, RESOURCES, SESSION_TOTALS):
            self.blackboard.forget(self.stm, kind=kind)
        for kind, records in (
            (OBJECTIVE, data["objectives"]),
            (BATTLE, data["battle_history"]),
            (LOCATION, data["locations_visited"]),
            (RESOURCES, data["resource_history"]),
        ):
            for record in rows_of(records):
                self._write(kind, record)
        # Last, because the battles just written were counted once more.
        self.blackboard.forget(self.stm, kind=SESSION_TOTALS)
        self._write(SESSION_TOTALS, data["totals"], status="inferred")

    def _begin(self, session_id: str, tick: int) -> None:
        begun = SessionTotals(session_id, tick, 0, 0, 0)
        self._write(SESSION_TOTALS, as_json(begun), tick=tick, status="inferred")

    def _write(
        self,
        kind: str,
        data: Mapping[str, Json],
        *,
        tick: int = 0,
        importance: int = 6,
        status: Status = "verified",
    ) -> None:
        blackboard = self.blackboard
        blackboard.write(
            self.stm,
            kind,
            data,
            tick=max(tick, blackboard.tick),
            game_s=blackboard.game_s,
            importance=importance,
            status=status,
        )
