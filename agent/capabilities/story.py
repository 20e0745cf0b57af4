"""The story of a cartridge, read from a data file: its places, what happens there, its milestones."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeAlias

from agent.capabilities.feats import Feat, readers
from agent.capabilities.ledger import Milestone, Witness
from agent.errors import UsageError
from emulator import RED, CartridgeKind, MapSquare, Opponent, State

FOLDERS: Final = {CartridgeKind.DEMO: "demo", CartridgeKind.RED: "red"}

Square: TypeAlias = tuple[int, int]

_RED_NAMES: Final = {number: name.replace("_", " ").title() for number, name in RED.maps.items()}


class Kind(Enum):
    """What a fact of the story is about; its name is the kind, a colon, and a name of that kind."""

    EVENT = "event"  # has happened
    BADGE = "badge"  # has been earned
    ITEM = "item"  # is carried
    MOVE = "move"  # is known by somebody of the team
    STATUS = "status"  # a bit of wStatusFlags1 is set


class Mark(NamedTuple):
    """Where RAM shows a fact: the number of the event, badge, item, move or bit."""

    kind: Kind
    number: int

    def shown_by(self, state: State) -> bool:
        """Say whether it is so."""
        match self.kind:
            case Kind.EVENT:
                return state.flags.is_set(self.number)
            case Kind.BADGE:
                return self.number in state.player.badges
            case Kind.ITEM:
                return state.bag.quantity(self.number) > 0
            case Kind.MOVE:
                known = (slot.move for mon in state.party.mons for slot in mon.moves)
                return self.number in known
            case Kind.STATUS:
                return bool(state.flags.status_1 >> self.number & 1)


class Gate(NamedTuple):
    """Squares of a map where somebody turns one back until all the facts in `needs` are true."""

    map_id: int
    squares: frozenset[Square]
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A map of the story, and what people call it.

    `needs` are the facts without which something on the way turns one back.
    """

    name: str
    map_id: int
    called: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Errand:
    """Somebody worth talking to once: the sprite slot of a person in a place."""

    id: str
    says: str
    place: str
    person: int


@dataclass(frozen=True, slots=True)
class Task:
    """Something that makes the fact `sets` true, once all the facts that it `needs` are, by a feat.

    `gives` are further facts that it makes true, `takes` those that it makes untrue, as of what is handed over.
    Whoever has to be fought for it is `against`, a class of trainers and a number.
    """

    id: str
    says: str
    place: str
    sets: str
    feat: Feat
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    against: Opponent | None = None

    @property
    def ready(self) -> str:
        """The name of the fact that the team stands up to whom it is against."""
        return f"ready:{self.id}"

    @property
    def recalled(self) -> str:
        """The name of the fact that it was called to mind what is known of whom it is against."""
        return f"recalled:{self.id}"

    @property
    def fits(self) -> str:
        """The name of the fact that somebody of the team does well against them."""
        return f"fits:{self.id}"


@dataclass(frozen=True, slots=True)
class Healer:
    """Who heals the team: the sprite slot of a person in a place."""

    place: str
    person: int


@dataclass(frozen=True, slots=True)
class Clerk:
    """Who sells things, once all the facts in `needs` are true: the sprite slot of a person in a place."""

    place: str
    person: int
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambition:
    """A fact to make true once every milestone is behind; no frame bears witness to it."""

    fact: str
    says: str


@dataclass(frozen=True, slots=True)
class Story:
    """What there is to do on a cartridge; milestones and ambitions stand in order.

    `marks` are the facts of events, badges, items, moves and statuses by name; `names` is what maps are called
    where they have names of their own; `carries` are the squares on which a script takes hold of who steps there, and
    where it lets go: slides and holes. `caveat` is what whoever plays it should know, or nothing; `wants` are the marks
    that somebody asked for, before the milestones.
    """

    places: tuple[Place, ...]
    milestones: tuple[Milestone, ...]
    gates: tuple[Gate, ...] = ()
    marks: Mapping[str, Mark] = field(default_factory=dict)
    errands: tuple[Errand, ...] = ()
    tasks: tuple[Task, ...] = ()
    healers: tuple[Healer, ...] = ()
    clerks: tuple[Clerk, ...] = ()
    ambitions: tuple[Ambition, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    carries: Mapping[MapSquare, MapSquare] = field(default_factory=dict)
    caveat: str = ""
    wants: tuple[str, ...] = ()

    @staticmethod
    def of(kind: CartridgeKind) -> "Story":
        """Return the story of a cartridge."""
        folder = files("agent.capabilities") / "stories" / FOLDERS[kind]
        chapters = sorted(folder.iterdir(), key=lambda file: file.name)
        table = _bound(tomllib.loads(each.read_text(encoding="utf-8")) for each in chapters)
        return _parse(table, _RED_NAMES if kind is CartridgeKind.RED else {})

    def wanting(self, facts: tuple[str, ...]) -> "Story":
        """Return it with facts that come before its milestones; raises UsageError where it has no such mark."""
        for fact in facts:
            if fact not in self.marks:
                message = f"the story knows no {fact!r}; it knows {', '.join(sorted(self.marks))}"
                raise UsageError(message)
        return replace(self, wants=facts)

    def shows(self, state: State, fact: str) -> bool:
        """Say whether RAM shows one of the `marks`."""
        return state.game_started and self.marks[fact].shown_by(state)

    def place_of(self, state: State) -> str:
        """Return where `state` is, in words; before a game has begun RAM says nothing of it."""
        if not state.game_started:
            return "before the game"
        return self.called(state.map.map_id)

    def called(self, map_id: int) -> str:
        """Return what a map is called."""
        for place in self.places:
            if place.map_id == map_id:
                return place.called
        return self.names.get(map_id) or f"map {map_id}"


def _bound(chapters: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the chapters as one table: lists follow one another, and no name is given twice."""
    whole: dict[str, Any] = {}
    for chapter in chapters:
        for key, part in chapter.items():
            if isinstance(part, list):
                whole[key] = [*whole.get(key, ()), *part]
            elif isinstance(part, dict):
                known = whole.get(key, {})
                if twice := sorted(known.keys() & part.keys()):
                    message = f"the story has two {key} called {twice[0]!r}"
                    raise ValueError(message)
                whole[key] = {**known, **part}
            else:
                whole[key] = part
    return whole


def _parse(table: Mapping[str, Any], names: Mapping[int, str]) -> Story:
    maps = {name: row["map"] for name, row in table["places"].items()}
    gates = {name: _gate(row, maps) for name, row in table.get("gates", {}).items()}
    places = tuple(
        Place(
            name,
            row["map"],
            names.get(row["map"]) or f"the {name.replace('_', ' ')}",
            (
                *row.get("needs", ()),
                *(each for gate in row.get("behind", ()) for each in gates[gate].needs),
            ),
        )
        for name, row in table["places"].items()
    )
    tasks = tuple(_task(row) for row in table.get("tasks", ()))
    marks = _marks(table, places, tasks)
    return Story(
        places=places,
        gates=tuple(gates.values()),
        marks=marks,
        errands=tuple(Errand(**row) for row in table.get("errands", ())),
        tasks=tasks,
        healers=tuple(Healer(**row) for row in table.get("healers", ())),
        clerks=tuple(_clerk(row) for row in table.get("clerks", ())),
        milestones=tuple(_milestone(row, maps, marks) for row in table["milestones"]),
        ambitions=tuple(Ambition(**row) for row in table.get("ambitions", ())),
        names=names,
        carries=_carries(table, maps),
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
        Kind.STATUS: table.get("statuses", {}),
    }
    facts = [fact for place in places for fact in place.needs]
    facts += [fact for task in tasks for fact in (*task.needs, task.sets, *task.gives, *task.takes)]
    facts += [fact for clerk in table.get("clerks", ()) for fact in clerk.get("needs", ())]
    marks = {}
    for fact in facts:
        kind, _, name = fact.partition(":")
        marks[fact] = Mark(Kind(kind), numbers[Kind(kind)][name])
    return marks


def _task(row: Mapping[str, Any]) -> Task:
    (key,) = readers().keys() & row.keys()
    rest = {name: value for name, value in row.items() if name != key}
    lists = {name: tuple(row[name]) for name in ("needs", "gives", "takes") if name in row}
    against = Opponent(*row["against"]) if "against" in row else None
    return Task(**{**rest, **lists, "feat": readers()[key](row[key]), "against": against})


def _clerk(row: Mapping[str, Any]) -> Clerk:
    return Clerk(row["place"], row["person"], tuple(row.get("needs", ())))


def _gate(row: Mapping[str, Any], maps: Mapping[str, int]) -> Gate:
    squares = frozenset((x, y) for x, y in row["squares"])
    return Gate(maps[row["place"]], squares, tuple(row["needs"]))


def _carries(table: Mapping[str, Any], maps: Mapping[str, int]) -> Mapping[MapSquare, MapSquare]:
    """Return where slides and holes lead."""
    slides = {
        (maps[row["place"]], *row["at"]): (maps[row["place"]], *row["to"])
        for row in table.get("slides", ())
    }
    holes = {
        (maps[row["place"]], *row["at"]): (maps[row["to_place"]], *row["to"])
        for row in table.get("holes", ())
    }
    return {**slides, **holes}


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
