"""The story of a cartridge, read from its TOML files: places, gates, tasks, shops, milestones."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any, Final, NamedTuple

from agent.errors import UsageError
from agent.skills import CUT, FLASH, FLY, STRENGTH, SURF
from agent.story.facts import FactKind, RamFact, told
from agent.story.interactions import READERS, Interaction
from agent.story.milestones import Milestone, Witness
from agent.story.places import Land, Place, Square, read_lands, read_place
from emulator import RED, CartridgeKind, MapSquare, State
from emulator.world.residents import Opponent
from emulator.world.world import Floor, Lift

FIELD_MOVES: Final = {"cut": CUT, "fly": FLY, "surf": SURF, "strength": STRENGTH, "flash": FLASH}
FOLDERS: Final = {CartridgeKind.DEMO: "demo", CartridgeKind.RED: "red"}

_RED_NAMES: Final = {number: name.replace("_", " ").title() for number, name in RED.maps.items()}


class FieldMove(NamedTuple):
    """A move that is used on the map: its name in the story and its number, and the badge without which it is refused."""

    name: str
    move: int
    badge: str

    @property
    def known(self) -> str:
        """The name of the fact that a member of the team knows it."""
        return f"{FactKind.MOVE.value}:{self.name}"


class Gate(NamedTuple):
    """Squares of a map where the player is turned back until all the facts in `needs` are true, or one of `instead`."""

    map_id: int
    squares: frozenset[Square]
    needs: tuple[str, ...]
    instead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Errand:
    """A person worth talking to once: their sprite slot in a place."""

    id: str
    says: str
    place: str
    person: int


@dataclass(frozen=True, slots=True)
class Task:
    """Something that makes the fact `sets` true, once all the facts that it `needs` are, by an interaction.

    `gives` are further facts that it makes true, `takes` those that it makes untrue, as of what is handed over.
    The trainer to beat for it is `against`, a class and a number. The team must be `rested` for it, but where
    there is no healer on the way.
    """

    id: str
    says: str
    place: str
    sets: str
    interaction: Interaction
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    against: Opponent | None = None
    rested: bool = True

    @property
    def ready(self) -> str:
        """The name of the fact that the team is ready for the trainer."""
        return f"ready:{self.id}"

    @property
    def recalled(self) -> str:
        """The name of the fact that memory was asked about the trainer."""
        return f"recalled:{self.id}"

    @property
    def fits(self) -> str:
        """The name of the fact that a member of the team does well against the trainer."""
        return f"fits:{self.id}"


@dataclass(frozen=True, slots=True)
class Healer:
    """A healer: a sprite slot in a place; after a defeat play goes on in `town`, a map."""

    place: str
    person: int
    town: int | None = None


@dataclass(frozen=True, slots=True)
class Clerk:
    """A clerk, who sells once all the facts in `needs` are true: a sprite slot in a place."""

    place: str
    person: int
    needs: tuple[str, ...] = ()

    @property
    def supplied(self) -> str:
        """The name of the fact that nothing runs short that is for sale there."""
        return f"supplied:{self.place}"


@dataclass(frozen=True, slots=True)
class Ambition:
    """A fact to make true once the milestone `after` is reached, or all are; no frame bears witness to it.

    It is not worth its while any more once the milestone `before` is reached.
    """

    fact: str
    says: str
    after: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """What there is to do on a cartridge; milestones and ambitions stand in order.

    `marks` are the facts of events, badges, items, moves and the like by name; `names` is what maps are called
    where they have names of their own; `carries` are the squares on which a script moves the player, and where
    to: slides and holes; `lifts` are those by the maps of their cars. `field_moves` are those that are of
    use on the map. `caveat` is what the owner should know, or nothing; `wants` are the marks
    that were asked for, before the milestones.
    """

    places: tuple[Place, ...]
    milestones: tuple[Milestone, ...]
    lands: tuple[Land, ...] = ()
    gates: tuple[Gate, ...] = ()
    marks: Mapping[str, RamFact] = field(default_factory=dict)
    errands: tuple[Errand, ...] = ()
    tasks: tuple[Task, ...] = ()
    healers: tuple[Healer, ...] = ()
    clerks: tuple[Clerk, ...] = ()
    ambitions: tuple[Ambition, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    carries: Mapping[MapSquare, MapSquare] = field(default_factory=dict)
    lifts: Mapping[int, Lift] = field(default_factory=dict)
    field_moves: tuple[FieldMove, ...] = ()
    caveat: str = ""
    wants: tuple[str, ...] = ()

    @staticmethod
    def of(kind: CartridgeKind) -> "Story":
        """Return the story of a cartridge."""
        folder = files("agent.story") / "cartridges" / FOLDERS[kind]
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

    def up_to(self, last: str | None) -> tuple[str, ...]:
        """Return the ids of the milestones up to `last`, or of all; raises UsageError where `last` is none of them."""
        known = [each.id for each in self.milestones]
        if last is not None and last not in known:
            message = f"--until {last} is no milestone of this cartridge; it has {', '.join(known)}"
            raise UsageError(message)
        return tuple(known if last is None else known[: known.index(last) + 1])

    @property
    def kept(self) -> frozenset[int]:
        """The items that a task needs or hands over: they are never used up nor thrown away."""
        facts = {told(each)[0] for task in self.tasks for each in (*task.needs, *task.takes)}
        marks = [self.marks[each] for each in facts]
        return frozenset(each.number for each in marks if each.kind is FactKind.ITEM)

    @property
    def needed(self) -> frozenset[str]:
        """The facts without which a place or a task of it is out of reach."""
        closed: tuple[tuple[Place | Land | Gate | Task, ...], ...] = (
            self.places,
            self.lands,
            self.gates,
            self.tasks,
        )
        return frozenset(told(fact)[0] for kind in closed for each in kind for fact in each.needs)

    def field_move(self, move: int) -> FieldMove | None:
        """Return what there is to know of a move that is used on the map; None where the story has none."""
        return next((each for each in self.field_moves if each.move == move), None)

    def can_use(self, state: State, move: int) -> bool:
        """Say whether a member of the team knows a move and may use it on the map."""
        known = self.field_move(move)
        return known is not None and all(
            self.shows(state, each) for each in (known.known, known.badge)
        )

    def fact_of(self, mark: RamFact) -> str | None:
        """Return the name of the fact that a mark is of; None where the story is not about it."""
        return next((fact for fact, each in self.marks.items() if each == mark), None)

    def shows(self, state: State, fact: str) -> bool:
        """Say whether RAM shows one of the `marks`, or that an event of them is clear."""
        name, so = told(fact)
        return state.game_started and self.marks[name].shown_by(state) == so

    def is_open(self, state: State, gate: Gate) -> bool:
        """Say whether a gate lets the player through."""
        if all(self.shows(state, fact) for fact in gate.needs):
            return True
        return any(self.shows(state, fact) for fact in gate.instead)

    def is_near(self, state: State, place: Place) -> bool:
        """Say whether one can walk to a place as things are: nothing has to be done for it before."""
        if place.only_ways:
            return state.map.map_id == place.map_id
        inside = place.land is None or place.land.contains(state)
        needs = place.needs if inside or place.land is None else (*place.needs, *place.land.needs)
        return all(self.shows(state, fact) for fact in needs)

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
    """Return the chapters as one table: lists follow one another, and no name has two meanings."""
    whole: dict[str, Any] = {}
    for chapter in chapters:
        for key, part in chapter.items():
            if isinstance(part, list):
                whole[key] = [*whole.get(key, ()), *part]
            elif isinstance(part, dict):
                known = whole.get(key, {})
                if twice := sorted(
                    name for name in known.keys() & part.keys() if known[name] != part[name]
                ):
                    message = f"the story has two {key} called {twice[0]!r}"
                    raise ValueError(message)
                whole[key] = {**known, **part}
            else:
                whole[key] = part
    return whole


def _parse(table: Mapping[str, Any], names: Mapping[int, str]) -> Story:
    maps = {name: row["map"] for name, row in table["places"].items()}
    gates = {name: _gate(row, maps) for name, row in table.get("gates", {}).items()}
    lands = read_lands(table)
    needs = {name: gate.needs for name, gate in gates.items()}
    places = tuple(
        read_place(name, row, names.get(row["map"]), needs, lands)
        for name, row in table["places"].items()
    )
    tasks = tuple(_task(row) for row in table.get("tasks", ()))
    marks = _marks(table, places, tasks, tuple(gates.values()))
    return Story(
        places=places,
        lands=tuple(lands.values()),
        gates=tuple(gates.values()),
        marks=marks,
        errands=tuple(Errand(**row) for row in table.get("errands", ())),
        tasks=tasks,
        healers=tuple(
            Healer(row["place"], row["person"], maps[row["town"]] if "town" in row else None)
            for row in table.get("healers", ())
        ),
        clerks=tuple(Clerk(**_frozen(row)) for row in table.get("clerks", ())),
        milestones=tuple(_milestone(row, maps, marks) for row in table["milestones"]),
        ambitions=tuple(Ambition(**row) for row in table.get("ambitions", ())),
        names=names,
        carries=_carries(table),
        lifts=dict(_lift(row, maps) for row in table.get("lifts", ())),
        field_moves=_field_moves(table),
        caveat=table.get("caveat", ""),
    )


def _marks(
    table: Mapping[str, Any], places: Iterable[Place], tasks: Iterable[Task], gates: Iterable[Gate]
) -> dict[str, RamFact]:
    """Return the facts that places, tasks and gates are about; events have the profile's names."""
    numbers = {
        FactKind.EVENT: RED.events,
        FactKind.BADGE: table.get("badges", {}),
        FactKind.ITEM: table.get("items", {}),
        FactKind.MOVE: {**FIELD_MOVES, **table.get("moves", {})},
        FactKind.STATUS: table.get("statuses", {}),
        FactKind.GONE: table.get("toggles", {}),
        FactKind.MONEY: table.get("sums", {}),
        FactKind.MON: table.get("mons", {}),
        FactKind.OWNED: table.get("collections", {}),
    }
    facts = [fact for place in places for fact in place.facts]
    facts += [fact for gate in gates for fact in (*gate.needs, *gate.instead)]
    facts += [fact for task in tasks for fact in (*task.needs, task.sets, *task.gives, *task.takes)]
    facts += [fact for clerk in table.get("clerks", ()) for fact in clerk.get("needs", ())]
    facts += [fact for move in _field_moves(table) for fact in (move.known, move.badge)]
    marks = {}
    for fact in (told(each)[0] for each in facts):
        kind, _, name = fact.partition(":")
        marks[fact] = RamFact(FactKind(kind), numbers[FactKind(kind)][name])
    return marks


def _task(row: Mapping[str, Any]) -> Task:
    (key,) = READERS.keys() & row.keys()
    rest = {name: value for name, value in _frozen(row).items() if name != key}
    against = Opponent(*row["against"]) if "against" in row else None
    return Task(**{**rest, "interaction": READERS[key](row[key]), "against": against})


def _frozen(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


def _field_moves(table: Mapping[str, Any]) -> tuple[FieldMove, ...]:
    """Return the moves of the table that says which badge each needs."""
    needed = table.get("field_moves", {})
    return tuple([FieldMove(name, FIELD_MOVES[name], badge) for name, badge in needed.items()])


def _gate(row: Mapping[str, Any], maps: Mapping[str, int]) -> Gate:
    left, top, right, bottom = row.get("box", (0, 0, -1, -1))
    rows = range(top, bottom + 1)
    squares = frozenset((x, y) for x, y in row.get("squares", ()))
    squares |= frozenset((x, y) for y in rows for x in range(left, right + 1))
    return Gate(maps[row["place"]], squares, tuple(row["needs"]), tuple(row.get("instead", ())))


def _carries(table: Mapping[str, Any]) -> Mapping[MapSquare, MapSquare]:
    """Return where slides and holes lead; an arrow of a floor is its square, and where one comes to stand."""
    slides = {
        (row["map"], x, y): (row["map"], to_x, to_y)
        for row in table.get("slides", ())
        for x, y, to_x, to_y in row["arrows"]
    }
    holes = {
        (row["map"], *row["at"]): (row["to_map"], *row["to"]) for row in table.get("holes", ())
    }
    return {**slides, **holes}


def _lift(row: Mapping[str, Any], maps: Mapping[str, int]) -> tuple[int, Lift]:
    x, y = row["panel"]
    floors = (
        Floor(number, maps[floor["place"]], floor["warp"])
        for number, floor in enumerate(row["floors"])
    )
    return maps[row["place"]], Lift((x, y), tuple(floors))


def _milestone(
    row: Mapping[str, Any], maps: Mapping[str, int], marks: Mapping[str, RamFact]
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
        event=mark.number if mark and mark.kind is FactKind.EVENT else None,
        badge=mark.number if mark and mark.kind is FactKind.BADGE else None,
        mark=mark,
        home=maps[row["home"]] if "home" in row else None,
        words=tuple(row.get("shows", ())),
        reading=tuple(row["reading"]) if "reading" in row else None,
        behind=row.get("behind", fact),
    )
