"""How far a run got, with which choices, and what it took: one entry a run, which grows with each milestone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.kinds import Kind
from memory.codec import content_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.codec import Json

WAYPOINT: Final = "waypoint"
_OF_THE_RUN: Final = frozenset({"run", "choices", "milestone", "before", "left", "found"})


def waypoint_kind() -> Kind:
    """Return the policies of waypoints: of each journey the furthest one, with what came before it."""
    return Kind(WAYPOINT, key=_journey, merge=_further)


def milestones_of(waypoint: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return what one journey took up to each milestone, and what there was then: tick, turns, battles, team and so on."""
    taken = {name: value for name, value in waypoint.items() if name not in _OF_THE_RUN}
    return {**waypoint.get("before", {}), waypoint["milestone"]: taken}


def _journey(data: Mapping[str, Any]) -> str:
    """Name the journey; before they named their run each milestone was told by itself."""
    return str(data.get("run") or content_id(dict(data)))


def _further(known: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Json]:
    before = {**milestones_of(known), **new.get("before", {})}
    before.pop(new["milestone"], None)
    return {**new, "before": before}
