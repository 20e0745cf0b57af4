"""Map sources as immutable records. Covers the TOML form, not the ROM form."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from world.errors import WorldError
from world.people import TRAINER, Person, Table, person, trainer_texts

LAST_MAP = 0xFF
OUTDOOR_LIMIT = 37
DIRECTIONS = ("north", "south", "west", "east")  # the order of connections in a header

Text: TypeAlias = str | bytes  # markup, or the bytes of a service


class Warp(NamedTuple):
    """A square that leads to warp number `entrance` of another map."""

    x: int
    y: int
    target: int
    entrance: int


class Sign(NamedTuple):
    """A square that can be read."""

    x: int
    y: int
    text: str


class Hidden(NamedTuple):
    """A hidden item."""

    x: int
    y: int
    item: int


class Switch(NamedTuple):
    """A square on which a boulder sets an event, which makes one of the map's changes permanent."""

    x: int
    y: int
    event: int
    change: str


class Hole(NamedTuple):
    """A square from which the player falls to a square of another map.

    A boulder disappears there and sets the event; from then on `appears` is visible on the other map.
    """

    x: int
    y: int
    target: int
    to: tuple[int, int]
    event: int | None
    appears: str


class Connection(NamedTuple):
    """A neighbour; `offset` is how many blocks further east (or south) its origin lies."""

    direction: str
    target: int
    offset: int


class Change(NamedTuple):
    """A block that a scene puts into the live map, by the names of its four steps."""

    name: str
    x: int
    y: int
    rows: tuple[tuple[str, ...], ...]


class Wild(NamedTuple):
    """An encounter rate and ten pairs of level and creature, by name or index; 0 has none."""

    rate: int
    slots: tuple[tuple[int, str | int], ...]


@dataclass(frozen=True, slots=True)
class Map:
    """One map as in its source."""

    name: str
    id: int
    tileset: str
    tileset_id: int | None  # which of the tileset's ids; None is the first
    border: str
    rows: tuple[tuple[str, ...], ...]  # step names
    warps: tuple[Warp, ...]
    signs: tuple[Sign, ...]
    people: tuple[Person, ...]
    connections: tuple[Connection, ...]
    changes: tuple[Change, ...]
    texts: Mapping[str, Text]
    landing: tuple[int, int] | None  # where the player wakes up or lands in this town
    grass: Wild
    water: Wild
    hidden: tuple[Hidden, ...]
    switches: tuple[Switch, ...]
    holes: tuple[Hole, ...]

    @property
    def width(self) -> int:
        """Width in blocks."""
        return len(self.rows[0]) // 2

    @property
    def height(self) -> int:
        """Height in blocks."""
        return len(self.rows) // 2

    @property
    def trainers(self) -> tuple[Person, ...]:
        """Return the trainers, in order."""
        return tuple(each for each in self.people if each.flags == TRAINER)

    def text_id(self, name: str) -> int:
        """Return the number, from 1, of a text of this map."""
        if name not in self.texts:
            message = f"maps/{self.name}.toml: there is no text {name!r}"
            raise WorldError(message)
        return list(self.texts).index(name) + 1


MART, MART_END = 0xFE, 0xFF
SERVICES = {"nurse": 0xFF, "pc": 0xF9, "player_pc": 0xFC, "boxes": 0xFD, "machine": 0xF5}
NOT_WILD = Wild(0, ())
SLOTS = 10


# TOML tables are checked by use: a missing key is reported with the file's name.
def load(path: Path) -> Map:
    """Return the map of `path`."""
    source = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        return Map(
            name=path.stem,
            id=source["id"],
            tileset=source["tileset"],
            tileset_id=source.get("tileset_id"),
            border=source["border"],
            rows=_rows(source),
            warps=tuple(_warp(table) for table in source.get("warps", ())),
            signs=tuple(_sign(table) for table in source.get("signs", ())),
            people=tuple(person(table) for table in source.get("people", ())),
            connections=_connections(source.get("connections", {})),
            changes=tuple(_change(table, source["key"]) for table in source.get("changes", ())),
            texts=_texts(source),
            landing=tuple(source["landing"]) if "landing" in source else None,
            grass=_wild(source.get("wild", {}).get("grass")),
            water=_wild(source.get("wild", {}).get("water")),
            hidden=tuple(Hidden(*it["at"], it["item"]) for it in source.get("hidden", ())),
            switches=tuple(_switch(table) for table in source.get("switches", ())),
            holes=tuple(_hole(table) for table in source.get("holes", ())),
        )
    except (KeyError, TypeError, WorldError) as error:
        message = f"maps/{path.name}: {error}"
        raise WorldError(message) from error


def load_all(folder: Path) -> list[Map]:
    """Return every map of `folder`, ordered by id."""
    return sorted((load(path) for path in folder.glob("*.toml")), key=lambda each: each.id)


def _rows(source: Table) -> tuple[tuple[str, ...], ...]:
    key = source["key"]
    rows = tuple(tuple(key[letter] for letter in row) for row in source["rows"])
    if len(rows) % 2 or len({len(row) for row in rows}) != 1 or len(rows[0]) % 2:
        message = "the rows must have an even number and one even length (blocks are 2x2 steps)"
        raise WorldError(message)
    return rows


def _warp(table: Table) -> Warp:
    (x, y), target = table["at"], table["to"]["map"]
    return Warp(x, y, LAST_MAP if target == "last" else target, table["to"]["warp"])


def _sign(table: Table) -> Sign:
    x, y = table["at"]
    return Sign(x, y, table["text"])


def _switch(table: Table) -> Switch:
    return Switch(*table["at"], table["event"], table["change"])


def _hole(table: Table) -> Hole:
    x, y = table["to"]["at"]
    return Hole(
        *table["at"], table["to"]["map"], (x, y), table.get("event"), table.get("appears", "")
    )


def _change(table: Table, key: Mapping[str, str]) -> Change:
    x, y = table["at"]
    rows = tuple(tuple(key[letter] for letter in row) for row in table["rows"])
    if x % 2 or y % 2 or [len(row) for row in rows] != [2, 2]:
        message = f"change {table['name']!r} must be 2x2 steps at even coordinates"
        raise WorldError(message)
    return Change(table["name"], x // 2, y // 2, rows)


def _connections(table: Table) -> tuple[Connection, ...]:
    return tuple(
        Connection(direction, table[direction]["map"], table[direction].get("offset", 0))
        for direction in DIRECTIONS
        if direction in table
    )


def _texts(source: Table) -> dict[str, Text]:
    texts = {name: _text(text) for name, text in source.get("texts", {}).items()}
    return texts | trainer_texts(source.get("trainers", {}))


def _text(source: str | Table) -> Text:
    if isinstance(source, str):
        return source
    if "mart" in source:
        goods = source["mart"]
        return bytes([MART, len(goods), *goods, MART_END])
    return bytes([SERVICES[source["service"]]])


def _wild(table: Table | None) -> Wild:
    if table is None:
        return NOT_WILD
    slots = tuple((level, creature) for level, creature in table["slots"])
    if len(slots) != SLOTS:
        message = f"wild ground must have {SLOTS} slots of [level, creature]"
        raise WorldError(message)
    return Wild(table["rate"], slots)
