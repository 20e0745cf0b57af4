"""Paying for so many steps somewhere: `visit = { ask_at = [[x, y], ...], map = id, arrive = [x, y], fetch = { map = id, person = slot } }`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, agree_at, nothing, steps_to
from agent.skills.hops import spot_of
from emulator import State

KEY: Final = "visit"
STEPS: Final = 502  # that are paid for


@dataclass(frozen=True, slots=True)
class Visiting:
    """Saying yes on one of some squares, where what one comes for lies within the steps that one gets."""

    squares: tuple[tuple[int, int], ...]
    map_id: int
    arrival: tuple[int, int]
    wanted: tuple[int, int]  # what one comes for: its map and sprite slot
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the walk and the yes; nothing where the money would be lost."""
        (x, y), (map_id, slot) = self.arrival, self.wanted
        start = spot_of(state)._replace(map_id=self.map_id, x=x, y=y)
        steps = steps_to(slot, map_id, tools.terrain.world(state), start)
        if steps is None or steps >= STEPS:
            return nothing()
        return agree_at(self.squares, tools.terrain, state)


def read(visit: Mapping[str, Any]) -> Visiting:
    """Return what the story file says."""
    squares = tuple((x, y) for x, y in visit["ask_at"])
    x, y = visit["arrive"]
    wanted = visit["fetch"]
    return Visiting(squares, visit["map"], (x, y), (wanted["map"], wanted["person"]))
