"""Places of a story, the lands they lie in, the ways that lead to them, and gates."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from emulator import State

Square: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Land:
    """A region of connected maps, and parts of maps; it can be entered only if all of `needs` hold.

    A part is a map and its squares from left and top to right and bottom. A land that `shuts_in` is entered and
    left only by the ways of places.
    """

    name: str
    maps: frozenset[int]
    parts: tuple[tuple[int, int, int, int, int], ...] = ()
    needs: tuple[str, ...] = ()
    shuts_in: bool = False

    @property
    def fact(self) -> str:
        """The name of the fact that it blocks travel: the player is shut in there, or else is outside of it."""
        return f"{'shut_in' if self.shuts_in else 'beyond'}:{self.name}"

    def hinders(self, *, inside: bool) -> bool:
        """Return whether that fact is true for a player who is `inside` or not."""
        return inside == self.shuts_in

    def holds(self, map_id: int) -> bool:
        """Return whether a map, or a part of it, belongs to it."""
        return map_id in self.maps or any(part[0] == map_id for part in self.parts)

    def contains(self, state: State) -> bool:
        """Return whether the player is in it."""
        here = state.map
        return self.covers(here.map_id, (here.x, here.y))

    def covers(self, map_id: int, square: Square) -> bool:
        """Return whether a square of a map belongs to it."""
        x, y = square
        return map_id in self.maps or any(
            there == map_id and left <= x <= right and top <= y <= bottom
            for there, left, top, right, bottom in self.parts
        )


class Way(NamedTuple):
    """A way to a place from another place, `start`; on the way the facts in `gives` become true."""

    start: str
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A map of the story and its display name, or the part of the map connected to one square, its `spot`.

    `needs` are the facts required to get there from anywhere; with `only_ways` the place is reached only by its
    `ways`. Arriving makes the facts in `gives` true. `trials` are tasks with no exit between them: the team
    must be ready for all of them before it enters.
    A `tame` place has no wild Pokemon. In a `safari` place they are caught with balls given there, and not fought.
    """

    name: str
    map_id: int
    called: str
    needs: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    only_ways: bool = False
    spot: Square | None = None
    land: Land | None = None
    gives: tuple[str, ...] = ()
    trials: tuple[str, ...] = ()
    tame: bool = False
    safari: bool = False

    @property
    def facts(self) -> Iterator[str]:
        """Every fact that it names."""
        yield from (*self.needs, *self.gives)
        yield from (fact for way in self.ways for fact in (*way.needs, *way.gives))
        yield from self.land.needs if self.land is not None else ()

    def approaches(self) -> Iterator["PlaceAccess"]:
        """Yield each way that leads there."""
        if not self.only_ways:
            yield PlaceAccess("", "", self.needs, self.land)
        if self.land is not None and not self.only_ways:
            yield PlaceAccess(f":into_{self.land.name}", "", (*self.land.needs, *self.needs), None)
        for way in self.ways:
            yield PlaceAccess(f":from_{way.start}", way.start, way.needs, None, way.gives)


class PlaceAccess(NamedTuple):
    """One travel option to a place with its own name suffix: from `start`, from anywhere, or from anywhere in the land `within`."""

    suffix: str
    start: str
    needs: tuple[str, ...]
    within: Land | None
    gives: tuple[str, ...] = ()


class Gate(NamedTuple):
    """Squares of a map where the player is turned back until all the facts in `needs` are true, or one of `instead`."""

    map_id: int
    squares: frozenset[Square]
    needs: tuple[str, ...]
    instead: tuple[str, ...] = ()
