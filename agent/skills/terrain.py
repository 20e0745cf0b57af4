"""The ground of every map as far as it is known: the cartridge's, with what was seen to have changed.

What of it is a way depends on who walks there: some get past obstacles.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from agent.skills.nearness import Nearness
from agent.skills.route import Obstacles
from emulator import Lift, MapSquare, Obstacle, State, World
from memory import Json

Hazard: TypeAlias = Callable[[State], Obstacles]
Passage: TypeAlias = Callable[[State], frozenset[Obstacle]]


class Terrain:
    """What is believed of every map, and what else keeps one from walking there.

    A door that was seen open stays open in what is believed of its map until that map is seen again.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.nearness = Nearness.of(
            world.plain
        )  # how far maps are from one another, without changes
        self._hazards: tuple[Hazard, ...] = ()
        self._passages: tuple[Passage, ...] = ()

    def beware(self, hazards: Iterable[Hazard]) -> None:
        """From now on keep clear of these and no others."""
        self._hazards = tuple(hazards)

    def open(self, passages: Iterable[Passage]) -> None:
        """From now on get past the obstacles that these tell of, and no others."""
        self._passages = tuple(passages)

    def carry(self, carries: Mapping[MapSquare, MapSquare], lifts: Mapping[int, Lift]) -> None:
        """Take it that scripts carry whoever steps on some squares to others, and that these maps are cars of lifts."""
        self._world = self._world.carrying(carries).riding(lifts)

    @property
    def plain(self) -> World:
        """The world as the cartridge lays it out."""
        return self._world.plain

    def hazards(self, state: State) -> Obstacles:
        """Return what to keep clear of at this moment, people not counted."""
        found = Obstacles.none()
        for hazard in self._hazards:
            found = found.and_also(hazard(state))
        return found

    def world(self, state: State) -> World:
        """Return the world as it is known now that `state` is seen; the same object while nothing new is."""
        self._world = self._world.seen(state)
        if self._passages:
            self._world = self._world.passing(self.passes(state))
        return self._world

    def passes(self, state: State) -> frozenset[Obstacle]:
        """Return the obstacles that the team gets past at this moment."""
        return frozenset[Obstacle]().union(*[tell(state) for tell in self._passages])

    def to_json(self) -> dict[str, str]:
        """Return what a checkpoint keeps: the blocks of the maps that have changed, in hexadecimal."""
        return {str(map_id): blocks.hex() for map_id, blocks in self._world.changed.items()}

    def restore(self, data: Mapping[str, Json]) -> None:
        """Take over what `to_json` returned."""
        changed = {int(map_id): bytes.fromhex(str(blocks)) for map_id, blocks in data.items()}
        self._world = self._world.with_blocks(changed)
