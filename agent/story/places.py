"""Places of a story, the regions they lie in, the ways that lead to them, and the gates on these."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from emulator import State

Square: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Land:
    """Maps, and parts of maps, that are open to each other; they are entered only where all of `needs` hold.

    A part is a map, and the squares of it from left and top to right and bottom. Where it `shuts_in` one gets in and
    out only by the ways of places.
    """

    name: str
    maps: frozenset[int]
    parts: tuple[tuple[int, int, int, int, int], ...] = ()
    needs: tuple[str, ...] = ()
    shuts_in: bool = False

    @property
    def fact(self) -> str:
        """The name of the fact that it hinders travel: that one is shut in there, or else that one is beyond it."""
        return f"{'shut_in' if self.shuts_in else 'beyond'}:{self.name}"

    def hinders(self, *, inside: bool) -> bool:
        """Say whether that fact is true inside, or outside."""
        return inside == self.shuts_in

    def holds(self, map_id: int) -> bool:
        """Say whether a map, or a part of it, belongs to it."""
        return map_id in self.maps or any(part[0] == map_id for part in self.parts)

    def contains(self, state: State) -> bool:
        """Say whether the player is there."""
        here = state.map
        return self.covers(here.map_id, (here.x, here.y))

    def covers(self, map_id: int, square: Square) -> bool:
        """Say whether a square of a map belongs to it."""
        x, y = square
        return map_id in self.maps or any(
            there == map_id and left <= x <= right and top <= y <= bottom
            for there, left, top, right, bottom in self.parts
        )


class Way(NamedTuple):
    """How one comes to a place from another one, `start`; on the way the facts in `gives` come true."""

    start: str
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A map of the story, and what people call it, or what of it is joined to one square, its `spot`.

    `needs` are the facts without which something on the way from anywhere turns one back; where `only_ways` lead
    there, there are no others. Arriving makes the facts in `gives` true.
    The team has to stand up to all `trials` before it goes in: tasks with no way out between them.
    Where it is `tame` no wild Pokemon of its map is met.
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

    @property
    def facts(self) -> Iterator[str]:
        """Every fact that is named with it."""
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
    """A way to a place by a name of its own, from `start` or from anywhere, or from anywhere in the land `within`."""

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
