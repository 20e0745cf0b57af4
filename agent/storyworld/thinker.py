"""The planner that plays, put to a model instead of a cartridge: the same capabilities, story, goals and search."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Final

from agent.capabilities import Kit, Ledger, Story, capabilities_for, domain_of
from agent.planning import Domain
from agent.skills import Nearness, Terrain
from agent.storyworld.atlas import Atlas
from emulator import CartridgeKind, Dex, Member, TrainerClass, Wild, WildSlot, WildTable, World
from memory import Hooks

BREADTH: Final = 30  # steps that crossing a region is taken for


class Roads(Nearness):
    """How far maps of an atlas are from one another, as if every join were open."""

    def __init__(self, atlas: Atlas) -> None:
        super().__init__(World.empty())
        self._ends: dict[int, set[int]] = {}
        for start, joins in atlas.joins.items():
            self._ends.setdefault(start.map_id, set()).update(each.end.map_id for each in joins)
        self._found: dict[int, Mapping[int, int]] = {}

    def steps(self, start: int, end: int) -> int:
        """Return about how many steps it is from one map to another; 0 inside the same."""
        if start not in self._found:
            self._found[start] = self._spread(start)
        return self._found[start].get(end, super().steps(start, end))

    def _spread(self, start: int) -> Mapping[int, int]:
        steps, waiting = {start: 0}, deque([start])
        while waiting:
            here = waiting.popleft()
            for end in sorted(self._ends.get(here, ())):
                if end not in steps:
                    steps[end] = steps[here] + BREADTH
                    waiting.append(end)
        return steps


@dataclass(frozen=True, slots=True)
class Thinker:
    """What plans: the domain of the capabilities there are, and the story they were made with."""

    domain: Domain
    story: Story

    @staticmethod
    @cache
    def of_red() -> "Thinker":
        """Return what plans on Pokemon Red, with the teams and wild levels of the model and nothing else of a dex."""
        atlas, story = Atlas.of_red(), Story.of(CartridgeKind.RED)
        terrain = Terrain(World.empty())
        terrain.nearness = Roads(atlas)
        kit = Kit(story, terrain, _dex(atlas), Ledger(story.milestones, Hooks()), 0)
        return Thinker(domain_of(capabilities_for(kit)), story)


def _dex(atlas: Atlas) -> Dex:
    trainers = {
        number: TrainerClass(
            number,
            f"class {number}",
            0,
            tuple(tuple(Member(*each) for each in team) for team in teams),
            (),
        )
        for number, teams in atlas.teams.items()
    }
    wild = {
        map_id: Wild(
            WildTable(rate, tuple(WildSlot(*each, Fraction(1, len(slots))) for each in slots)), None
        )
        for map_id, (rate, slots) in atlas.wild.items()
    }
    return replace(Dex.empty(), all_trainers=trainers, wild=wild)
