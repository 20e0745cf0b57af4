"""The planner that plays, put to a model instead of a cartridge: the same capabilities, story, goals and search."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from heapq import heappop, heappush

from agent.capabilities import GameContext, capabilities_for, domain_of
from agent.planning import Domain
from agent.skills import Nearness, Terrain
from agent.story import MilestoneLedger, Story
from agent.storyworld.atlas import Atlas
from agent.storyworld.moment import MACHINES
from emulator import CartridgeKind, Dex, Species, World
from emulator.dex import Item, Member, TrainerClass, Wild, WildSlot, WildTable
from emulator.ram import Stats
from emulator.rules import Growth
from memory import Hooks


class Roads(Nearness):
    """How far maps of an atlas are from one another, as if every join were open; crossing half of a map is a step of it."""

    def __init__(self, atlas: Atlas) -> None:
        super().__init__(World.empty())
        self._breadth = {map_id: 1 + sum(size) // 4 for map_id, size in atlas.sizes.items()}
        self._ends: defaultdict[int, set[int]] = defaultdict(set)
        for start, joins in atlas.joins.items():
            self._ends[start.map_id].update(each.end.map_id for each in joins)
        self._found: dict[int, Mapping[int, int]] = {}

    def steps(self, start: int, end: int) -> int:
        """Return about how many steps it is from one map to another; 0 inside the same."""
        if start not in self._found:
            self._found[start] = self._spread(start)
        return self._found[start].get(end, super().steps(start, end))

    def _spread(self, start: int) -> Mapping[int, int]:
        steps, waiting = {start: 0}, [(0, start)]
        while waiting:
            so_far, here = heappop(waiting)
            further = so_far + self._breadth[here]
            for end in self._ends[here]:
                if further < steps.get(end, further + 1):
                    steps[end] = further
                    heappush(waiting, (further, end))
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
        kit = GameContext(
            story, terrain, _dex(atlas), MilestoneLedger(story.milestones, Hooks()), 0
        )
        return Thinker(domain_of(capabilities_for(kit)), story)


def _dex(atlas: Atlas) -> Dex:
    """Return what the model tells of a dex: teams, who lives where, what teaches field moves and to whom."""
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
    return replace(
        Dex.empty(),
        all_species={number: _species(number, *known) for number, known in atlas.species.items()},
        all_items={
            item: Item(item, f"item {item}", 0, key=True, teaches=move)
            for move, item in MACHINES.items()
        },
        all_trainers=trainers,
        wild=wild,
    )


def _species(number: int, experience: int, machines: frozenset[int]) -> Species:
    return Species(
        index=number,
        dex=0,
        name=f"species {number}",
        base=Stats(0, 0, 0, 0, 0),
        types=(0, 0),
        catch_rate=0,
        base_experience=experience,
        growth=Growth(1, 1, 0, 0, 0),
        first_moves=(),
        lessons=(),
        evolutions=(),
        machines=tuple(sorted(machines)),
    )
