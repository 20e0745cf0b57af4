"""Places of a story, the regions they lie in, and the ways that lead to them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from emulator import State

Square: TypeAlias = tuple[int, int]


class MapArea(NamedTuple):
    """The squares of a map from one corner to the other."""

    map_id: int
    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Land:
    """Maps, and parts of maps, that are open to each other; they are entered only where all of `needs` hold.

    Where it `shuts_in` one gets in and out only by the ways of places.
    """

    name: str
    maps: frozenset[int]
    parts: tuple[MapArea, ...]
    needs: tuple[str, ...]
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
        return map_id in self.maps or any(each.map_id == map_id for each in self.parts)

    def contains(self, state: State) -> bool:
        """Say whether the player is there."""
        here = state.map
        return self.covers(here.map_id, (here.x, here.y))

    def covers(self, map_id: int, square: Square) -> bool:
        """Say whether a square of a map belongs to it."""
        x, y = square
        return map_id in self.maps or any(
            each.map_id == map_id and each.left <= x <= each.right and each.top <= y <= each.bottom
            for each in self.parts
        )


class Way(NamedTuple):
    """How one comes to a place from another one, `start`; on the way the facts in `gives` come true."""

    start: str
    needs: tuple[str, ...]
    gives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A map of the story, and what people call it, or what of it is joined to one square, its `spot`.

    `needs` are the facts without which something on the way from anywhere turns one back; where `only_ways` lead
    there, there are no others. Arriving makes the facts in `gives` true, and those in `takes` untrue.
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
    takes: tuple[str, ...] = ()
    trials: tuple[str, ...] = ()
    tame: bool = False

    @property
    def facts(self) -> Iterator[str]:
        """Every fact that is named with it."""
        yield from (*self.needs, *self.gives, *self.takes)
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


def read_lands(table: Mapping[str, Any]) -> dict[str, Land]:
    """Return the lands of a story file by name."""
    return {
        name: Land(
            name,
            frozenset(row["maps"]),
            tuple(MapArea(*part) for part in row.get("parts", ())),
            tuple(row.get("needs", ())),
            row.get("shuts_in", False),
        )
        for name, row in table.get("lands", {}).items()
    }


def read_place(
    name: str,
    row: Mapping[str, Any],
    called: str | None,
    gates: Mapping[str, tuple[str, ...]],
    lands: Mapping[str, Land],
) -> Place:
    """Return a place of a story file; `gates` says what each gate needs."""
    guarded = tuple(fact for gate in row.get("behind", ()) for fact in gates[gate])
    ways = tuple(
        Way(each["from"], tuple(each.get("needs", ())), tuple(each.get("gives", ())))
        for each in row.get("ways", ())
    )
    return Place(
        name=name,
        map_id=row["map"],
        called=called or f"the {name.replace('_', ' ')}",
        needs=(*row.get("needs", ()), *guarded),
        ways=ways,
        only_ways=bool(ways) and not row.keys() & {"needs", "behind"},
        spot=tuple(row["spot"]) if "spot" in row else None,
        land=next((each for each in lands.values() if each.holds(row["map"])), None),
        gives=tuple(row.get("gives", ())),
        takes=tuple(row.get("takes", ())),
        trials=tuple(row.get("trials", ())),
        tame=row.get("tame", False),
    )
