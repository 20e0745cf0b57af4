"""The story of a cartridge, read from a data file: its places, what happens there, its milestones."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files
from typing import Any, Final, NamedTuple

from agent.capabilities.ledger import Milestone, Witness
from agent.capabilities.travel import Place
from emulator import RED, CartridgeKind, State

FILES: Final = {CartridgeKind.DEMO: "demo.toml", CartridgeKind.RED: "red.toml"}

Square = tuple[int, int]

_RED_NAMES: Final = {number: name.replace("_", " ").title() for number, name in RED.maps.items()}


class Kind(Enum):
    """What a fact of the story is about; its name is the kind, a colon, and a name of that kind."""

    EVENT = "event"  # has happened
    BADGE = "badge"  # has been earned
    ITEM = "item"  # is carried
    MOVE = "move"  # is known by somebody of the team


class Mark(NamedTuple):
    """Where RAM shows a fact: the number of the event, badge, item or move."""

    kind: Kind
    number: int


@dataclass(frozen=True, slots=True)
class Errand:
    """Somebody worth talking to once: the sprite slot of a person in a place."""

    id: str
    says: str
    place: str
    person: int


@dataclass(frozen=True, slots=True)
class Task:
    """Something that makes the fact `sets` true, once all the facts that it `needs` are.

    Either talking to one of the people (sprite slots) in `talk_to` and saying yes to what they
    ask first, or walking to one of the squares in `walk_to`.
    """

    id: str
    says: str
    place: str
    sets: str
    needs: tuple[str, ...] = ()
    talk_to: tuple[int, ...] = ()
    walk_to: tuple[Square, ...] = ()


@dataclass(frozen=True, slots=True)
class Healer:
    """Who heals the team: the sprite slot of a person in a place."""

    place: str
    person: int


@dataclass(frozen=True, slots=True)
class Ambition:
    """A fact to make true once every milestone is behind; no frame bears witness to it."""

    fact: str
    says: str


@dataclass(frozen=True, slots=True)
class Story:
    """What there is to do on a cartridge; milestones and ambitions stand in order.

    `marks` are the facts of events, badges, items and moves by name; `names` is what maps are called
    where they have names of their own; `caveat` is what whoever plays it should know, or nothing.
    """

    places: tuple[Place, ...]
    marks: Mapping[str, Mark]
    errands: tuple[Errand, ...]
    tasks: tuple[Task, ...]
    healers: tuple[Healer, ...]
    milestones: tuple[Milestone, ...]
    ambitions: tuple[Ambition, ...]
    names: Mapping[int, str]
    caveat: str

    @staticmethod
    def of(kind: CartridgeKind) -> "Story":
        """Return the story of a cartridge."""
        folder = files("agent.capabilities") / "stories"
        table = tomllib.loads((folder / FILES[kind]).read_text(encoding="utf-8"))
        return _parse(table, _RED_NAMES if kind is CartridgeKind.RED else {})

    def place_of(self, state: State) -> str:
        """Return where `state` is, in words; before a game has begun RAM says nothing of it."""
        if not state.game_started:
            return "before the game"
        return self.called(state.map.map_id)

    def called(self, map_id: int) -> str:
        """Return what a map is called."""
        called = (place.called for place in self.places if place.map_id == map_id)
        return next(called, self.names.get(map_id, f"map {map_id}"))


def _parse(table: Mapping[str, Any], names: Mapping[int, str]) -> Story:
    places = tuple(
        Place(
            name,
            row["map"],
            names.get(row["map"]) or f"the {name.replace('_', ' ')}",
            tuple(row.get("needs", ())),
        )
        for name, row in table["places"].items()
    )
    maps = {place.name: place.map_id for place in places}
    tasks = tuple(_task(row) for row in table.get("tasks", ()))
    marks = _marks(table, places, tasks)
    return Story(
        places=places,
        marks=marks,
        errands=tuple(Errand(**row) for row in table.get("errands", ())),
        tasks=tasks,
        healers=tuple(Healer(**row) for row in table.get("healers", ())),
        milestones=tuple(_milestone(row, maps, marks) for row in table["milestones"]),
        ambitions=tuple(Ambition(**row) for row in table.get("ambitions", ())),
        names=names,
        caveat=table.get("caveat", ""),
    )


def _marks(
    table: Mapping[str, Any], places: Iterable[Place], tasks: Iterable[Task]
) -> dict[str, Mark]:
    """Return the facts that places and tasks are about; events have the profile's names."""
    numbers = {
        Kind.EVENT: RED.events,
        Kind.BADGE: table.get("badges", {}),
        Kind.ITEM: table.get("items", {}),
        Kind.MOVE: table.get("moves", {}),
    }
    facts = [fact for place in places for fact in place.needs]
    facts += [fact for task in tasks for fact in (*task.needs, task.sets)]
    marks = {}
    for fact in facts:
        kind, _, name = fact.partition(":")
        marks[fact] = Mark(Kind(kind), numbers[Kind(kind)][name])
    return marks


def _task(row: Mapping[str, Any]) -> Task:
    lists = {name: tuple(row[name]) for name in ("needs", "talk_to") if name in row}
    squares = tuple((x, y) for x, y in row.get("walk_to", ()))
    return Task(**{**row, **lists, "walk_to": squares})


def _milestone(
    row: Mapping[str, Any], maps: Mapping[str, int], marks: Mapping[str, Mark]
) -> Milestone:
    fact = row.get("fact")
    mark = marks[fact] if fact else None
    return Milestone(
        id=row["id"],
        says=row["says"],
        witness=Witness(row["witness"]),
        place=row.get("place"),
        map_id=maps[row["place"]] if "place" in row else None,
        fact=fact,
        event=mark.number if mark and mark.kind is Kind.EVENT else None,
        badge=mark.number if mark and mark.kind is Kind.BADGE else None,
        home=maps[row["home"]] if "home" in row else None,
        words=tuple(row.get("shows", ())),
        reading=tuple(row["reading"]) if "reading" in row else None,
        behind=row.get("behind", fact),
    )
