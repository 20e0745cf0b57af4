"""Where one press of the pad leads by the written facts: squares, warps, arrow tiles and holes; it knows no route search."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from agent.skills.route import Spot
from emulator import Facing, MapSquare
from tests.emulator.synthetic.facts import load, real_maps

SHUT: Final = "#TcL"
WATER: Final = "~"
LEDGES: Final = {"v": Facing.DOWN, "<": Facing.LEFT, ">": Facing.RIGHT}
LEVELS: Final = {"A", "B"}  # no step leads from one to the other


class Footing:
    """The facts of the ground by square; `kinds` of a moment are the squares of another class than at first."""

    def __init__(self) -> None:
        rows = load("ground.json")["maps"]
        self._rows = {int(map_id): each["rows"] for map_id, each in rows.items()}
        self.warps = {
            (each["id"], row["x"], row["y"]): row for each in real_maps() for row in each["warps"]
        }

    @cached_property
    def arrows(self) -> Mapping[MapSquare, list[tuple[str, int]]]:
        """The forced steps from each arrow tile."""
        return {
            (row["map"], each["x"], each["y"]): each["path"]
            for row in load("data/spinners.json")["spinners"]
            for each in row["arrows"]
        }

    @cached_property
    def holes(self) -> Mapping[MapSquare, Spot]:
        """The squares below the holes."""
        return {
            (int(map_id), *hole["at"]): Spot(hole["to"][0], *hole["arrive"])
            for map_id, row in load("regions.json")["maps"].items()
            for hole in row.get("holes", ())
        }

    def after(self, spot: Spot, facing: Facing, kinds: Mapping[MapSquare, str]) -> Spot | None:
        """Return where a press leads, or None over the edge of a map, which is not judged."""
        ahead = spot.next_to(facing)
        kind, here = self._kind(ahead, kinds), self._kind(spot, kinds)
        warp = self.warps.get(spot[:3])
        if warp is not None and _fires(warp, facing) and (kind is None or kind in SHUT):
            return _end(warp)
        if kind is None:
            return None
        if kind in LEDGES:
            return ahead.next_to(facing) if LEDGES[kind] is facing else spot
        if kind in SHUT or {kind, here} == LEVELS or (kind == WATER != here):
            return spot
        warp = self.warps.get(ahead[:3])
        if warp is not None and (warp["trigger"] == "step" or _fires(warp, facing)):
            return _end(warp)
        return self._carried(ahead, kinds)

    def _carried(self, spot: Spot, kinds: Mapping[MapSquare, str]) -> Spot:
        """Return where an arrow tile or a hole leaves the player, step by step."""
        for side, steps in self.arrows.get(spot[:3], ()):
            for _ in range(steps):
                spot = spot.next_to(Facing[side.upper()])
                assert self._kind(spot, kinds) not in {None, *SHUT}
        return self.holes.get(spot[:3], spot)

    def _kind(self, spot: Spot, kinds: Mapping[MapSquare, str]) -> str | None:
        rows = self._rows[spot.map_id]
        if not (0 <= spot.y < len(rows) and 0 <= spot.x < len(rows[spot.y])):
            return None
        return kinds.get(spot[:3]) or str(rows[spot.y][spot.x])


def _fires(warp: Mapping[str, Any], facing: Facing) -> bool:
    return facing.name.lower() in warp.get("press", ())


def _end(warp: Mapping[str, Any]) -> Spot:
    return Spot(
        warp["resolved_dest"][0] if "resolved_dest" in warp else warp["dest"],
        warp["arrive_x"],
        warp["arrive_y"],
    )
