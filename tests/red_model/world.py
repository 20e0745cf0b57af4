"""Pokemon Red's world for planning: regions, their joins, and the happenings on each map.

It is read from red.json beside this file, which `python -m tests.red_model.build FACTS` writes from written facts of the cartridge;
it holds none of the cartridge's blocks, texts or names."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias


class Region(NamedTuple):
    """Squares of a map that are connected by plain walking."""

    map_id: int
    number: int


class Fact(NamedTuple):
    """A true-or-false fact: a kind, such as `event`, `item` or `field` (a usable field move), and a number."""

    kind: str
    number: int

    @staticmethod
    def of(text: str) -> "Fact":
        """Return the fact written as `kind:number`."""
        kind, _, number = text.partition(":")
        return Fact(kind, int(number))


Facts: TypeAlias = tuple[Fact, ...]
Square: TypeAlias = tuple[int, int]
Team: TypeAlias = tuple[tuple[int, int], ...]  # level and species of each


@dataclass(frozen=True, slots=True)
class Join:
    """A step from one region to another, open while all `needs` hold; `at` is its first square."""

    start: Region
    end: Region
    needs: Facts
    at: Square


@dataclass(frozen=True, slots=True)
class Happening:
    """The effect of talking to `people` (sprite slots), or of examining or stepping on `squares`, from some regions.

    `level` is that of the strongest opponent, or 0; `pays` is money, negative for a cost. `end` is the region
    afterwards if it changes.
    """

    id: str
    regions: frozenset[Region]
    people: frozenset[int]
    squares: frozenset[Square]
    needs: Facts
    gives: Facts
    takes: Facts
    level: int = 0
    pays: int = 0
    end: Region | None = None

    @property
    def map_id(self) -> int:
        """The map of the happening."""
        return next(iter(self.regions)).map_id


@dataclass(frozen=True, slots=True)
class Arrival:
    """The effect of entering a map, from map `start` if given, while all of `when` hold."""

    map_id: int
    start: int | None
    when: Facts
    gives: Facts
    takes: Facts
    end: Region | None


class Gate(NamedTuple):
    """A gate of the written facts: its squares, its kind, and a text about what opens it."""

    map_id: int
    kind: str
    cells: frozenset[Square]
    opened_by: str


class Rule(NamedTuple):
    """A rule: `then` becomes true when all of `when` hold."""

    when: Facts
    then: Facts


@dataclass(frozen=True, slots=True, eq=False)
class Atlas:
    """The world; `joins` by start region, the others by map."""

    joins: Mapping[Region, tuple[Join, ...]]
    happenings: Mapping[int, tuple[Happening, ...]]
    arrivals: Mapping[int, tuple[Arrival, ...]]
    rules: tuple[Rule, ...]
    gates: tuple[Gate, ...]
    sizes: Mapping[int, tuple[int, int]]  # columns and rows of each map
    grass: frozenset[Region]  # outdoor regions with wild Pokemon
    towns: frozenset[Region]  # landing regions of FLY
    regions: Mapping[tuple[int, Square], Region]  # by one square of each
    squares: Mapping[Region, Square]  # the inverse of `regions`
    teams: Mapping[int, tuple[Team, ...]]  # by class
    species: Mapping[int, tuple[int, frozenset[int]]]  # base experience, machines that teach it
    wild: Mapping[int, tuple[int, Team]]  # rate, and the slots

    @staticmethod
    @cache
    def of_red() -> "Atlas":
        """Return the world of Pokemon Red (US)."""
        text = Path(__file__).with_name("red.json").read_text(encoding="utf-8")
        return _atlas(json.loads(text))


def _atlas(table: Mapping[str, Any]) -> Atlas:
    joins = [
        Join(Region(a, b), Region(c, d), _facts(needs.split("+") if needs else ()), (x, y))
        for a, b, c, d, needs, x, y in table["joins"]
    ]
    happenings = [_happening(row) for row in table["happenings"]]
    arrivals = [_arrival(row) for row in table["arrivals"]]
    return Atlas(
        joins=_grouped((each.start, each) for each in joins),
        happenings=_grouped((each.map_id, each) for each in happenings),
        arrivals=_grouped((each.map_id, each) for each in arrivals),
        rules=tuple(Rule(_facts(when), _facts(then)) for when, then in table["follows"]),
        gates=tuple(Gate(m, kind, _squares(cells), by) for m, kind, cells, by in table["gates"]),
        sizes={m: (columns, rows) for m, columns, rows in table["sizes"]},
        grass=frozenset(Region(*each) for each in table["grass"]),
        towns=frozenset(Region(*each) for each in table["fly"]),
        regions={(m, (x, y)): Region(m, number) for m, number, x, y in table["squares"]},
        squares={Region(m, number): (x, y) for m, number, x, y in table["squares"]},
        teams={number: tuple(map(_levels, teams)) for number, teams in table["teams"]},
        species={
            n: (experience, frozenset(machines)) for n, experience, machines in table["species"]
        },
        wild={m: (rate, _levels(slots)) for m, rate, slots in table["wild"]},
    )


def _happening(row: Mapping[str, Any]) -> Happening:
    return Happening(
        id=row["id"],
        regions=frozenset(Region(row["map"], each) for each in row["regions"]),
        people=frozenset(row.get("people", ())),
        squares=_squares(row.get("squares", ())),
        needs=_facts(row.get("needs", ())),
        gives=_facts(row.get("gives", ())),
        takes=_facts(row.get("takes", ())),
        level=row.get("level", 0),
        pays=row.get("pays", 0),
        end=Region(*row["to"]) if "to" in row else None,
    )


def _arrival(row: Mapping[str, Any]) -> Arrival:
    return Arrival(
        map_id=row["map"],
        start=row.get("from"),
        when=_facts(row.get("when", ())),
        gives=_facts(row.get("gives", ())),
        takes=_facts(row.get("takes", ())),
        end=Region(*row["to"]) if "to" in row else None,
    )


def _facts(texts: Iterable[str]) -> Facts:
    return tuple(Fact.of(each) for each in texts)


def _squares(pairs: Iterable[Iterable[int]]) -> frozenset[Square]:
    return frozenset((x, y) for x, y in pairs)


def _levels(pairs: Iterable[Iterable[int]]) -> Team:
    return tuple((level, species) for level, species in pairs)


def _grouped(pairs: Iterable[tuple[Any, Any]]) -> Mapping[Any, tuple[Any, ...]]:
    groups: defaultdict[Any, list[Any]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return {key: tuple(values) for key, values in groups.items()}
