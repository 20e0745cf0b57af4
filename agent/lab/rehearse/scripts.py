"""What the scripts of a cartridge do: the tasks of its story, and the facts of `cartridges/*.toml` that the story does not tell.

A fact is a kind and a number, as in a story file, or the name of an event of the profile after `event:` or `clear:`. Kinds of
the model are `there` (a person or thing is on its map) and `came` (the floor from which a lift was entered).
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Final, NamedTuple

from agent.story.facts import FactKind, RamFact, parse_fact
from agent.story.interactions import Task
from agent.story.places import Square
from agent.story.story import FOLDERS, Story
from emulator import RED, CartridgeKind, MapSquare
from emulator.world import Opponent, OverworldMon

NOT: Final = "clear:"
THERE: Final = "there"
CAME: Final = "came"
# Interactions with the squares that they name: a step onto one, or a look at one.
STEPS: Final = ("walk_to", "visit", "leave")
LOOKS: Final = ("examine", "answer", "play_on", "vend", "search")


class Mark(NamedTuple):
    """A fact that RAM or the model shows, and whether it must be true."""

    kind: str
    number: int
    so: bool = True


@dataclass(frozen=True, slots=True)
class Script:
    """What one script does: where it begins, what it needs, and its effects.

    It begins by talking to one of `talk` (sprite slots), by examining one of `look`, or by a step onto one of `step`. `fights`
    is a trainer by each starter of the rival, or a wild Pokemon; the effects come when that is not lost, or always if
    `loses_on`. `member` joins the team, a species and its level; `end` is where the script leaves the player.
    """

    id: str
    map_id: int
    talk: frozenset[int] = frozenset()
    look: frozenset[Square] = frozenset()
    step: frozenset[Square] = frozenset()
    needs: tuple[Mark, ...] = ()
    makes: tuple[Mark, ...] = ()
    fights: tuple[Opponent, ...] = ()
    meets: OverworldMon | None = None
    loses_on: bool = False
    items: tuple[tuple[int, int], ...] = ()
    member: OverworldMon | None = None
    rival: int = 0
    money: int = 0
    end: MapSquare | None = None
    task: Task | None = None

    @property
    def leaves(self) -> tuple[Mark, ...]:
        """The effects that stay: while all of them hold the script has been played."""
        return tuple(each for each in self.makes if each.kind != FactKind.ITEM.value)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What entering a map makes true while `needs` hold, from map `start` if given."""

    map_id: int
    needs: tuple[Mark, ...]
    makes: tuple[Mark, ...]
    start: int | None = None
    end: MapSquare | None = None


@dataclass(frozen=True, slots=True)
class Door:
    """Squares that are open while a fact holds, and shut while it does not."""

    map_id: int
    squares: frozenset[Square]
    mark: Mark


@dataclass(frozen=True, eq=False)
class ScriptBook:
    """The scripts and arrivals of a cartridge by map, its doors, what follows by itself, and the maps that are dark."""

    scripts: Mapping[int, tuple[Script, ...]]
    arrivals: Mapping[int, tuple[Arrival, ...]]
    doors: tuple[Door, ...] = ()
    follows: tuple[Arrival, ...] = ()
    dark: frozenset[int] = frozenset()

    @cached_property
    def visit(self) -> Script | None:
        """The script that begins a visit to the Safari Zone, if the cartridge has one."""
        every = (each for scripts in self.scripts.values() for each in scripts)
        key = "visit"
        return next((s for s in every if s.task and s.task.interaction.key == key), None)

    @staticmethod
    @cache
    def of(kind: CartridgeKind) -> "ScriptBook":
        """Return the scripts of a cartridge."""
        folder = files("agent.lab.rehearse") / "cartridges"
        text = (folder / f"{FOLDERS[kind]}.toml").read_text(encoding="utf-8")
        return _book(Story.of(kind), tomllib.loads(text))


def marks(names: Iterable[str], *, so: bool = True) -> Iterator[Mark]:
    """Yield facts by their names; `so` false makes each the opposite."""
    for name in names:
        kind, _, number = name.partition(":")
        wanted = so is not (kind == "clear")
        if kind == "clear":
            kind = FactKind.EVENT.value
        value = int(number) if number.isdigit() else RED.events[number]
        yield Mark(kind, value, wanted)


def _of_story(story: Story, names: Iterable[str], *, so: bool = True) -> Iterator[Mark]:
    for name in names:
        fact, positive = parse_fact(name)
        mark: RamFact = story.ram_facts[fact]
        yield Mark(mark.kind.value, mark.number, so is positive)


def _book(story: Story, table: Mapping[str, Any]) -> ScriptBook:
    scripts: defaultdict[int, list[Script]] = defaultdict(list)
    extras: Mapping[str, Mapping[str, Any]] = table.get("tasks", {})
    for task in story.tasks:
        map_id = story.place(task.place).map_id
        scripts[map_id] += _of_task(story, task, map_id, extras.get(task.id, {}))
    for row in table.get("scripts", ()):
        scripts[row["map"]].append(_script(row["id"], row["map"], row))
    arrivals: defaultdict[int, list[Arrival]] = defaultdict(list)
    for row in table.get("arrivals", ()):
        arrivals[row["map"]].append(_arrival(row))
    return ScriptBook(
        {map_id: tuple(rows) for map_id, rows in scripts.items()},
        {map_id: tuple(rows) for map_id, rows in arrivals.items()},
        tuple(_door(row) for row in table.get("doors", ())),
        tuple(_arrival({"map": 0, **row}) for row in table.get("follows", ())),
        frozenset(table.get("dark", ())),
    )


def _of_task(story: Story, task: Task, map_id: int, more: Mapping[str, Any]) -> Iterator[Script]:
    """Yield the scripts of a task: one for each person who does it in another way."""
    own = (*_of_story(story, (task.sets, *task.gives)), *_of_story(story, task.takes, so=False))
    needs = tuple(_of_story(story, task.needs))
    key, value = task.interaction.key, task.interaction.value
    squares = frozenset(_squares(key, value))
    fights = task.against.opponents() if task.against is not None else ()
    choices: Mapping[str, Mapping[str, Any]] = more.get("by_person", {})
    people = [frozenset({int(each)}) for each in choices] or [frozenset(task.interaction.people)]
    for talk in people:
        chosen = _joined(more, choices.get(str(min(talk, default=0)), {}))
        script = _script(task.id, map_id, {**chosen, "talk": sorted(talk)})
        yield Script(
            script.id,
            map_id,
            talk,
            squares if key in LOOKS else frozenset(),
            squares if key in STEPS else frozenset(),
            (*needs, *script.needs),
            (*own, *script.makes),
            script.fights or fights,
            script.meets,
            script.loses_on,
            script.items,
            script.member,
            script.rival,
            script.money,
            script.end,
            task,
        )


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return two tables as one; lists of both are joined."""
    lists: dict[str, Any] = {
        key: [*one[key], *other[key]]
        for key in ("gives", "takes", "needs")
        if key in one.keys() & other.keys()
    }
    return {**one, **other, **lists}


def _squares(key: str, value: Any) -> Iterator[Square]:  # noqa: ANN401  # of a story file
    match key:
        case "walk_to" | "search":
            yield from map(_square, value)
        case "examine":
            yield _square(value)
        case "visit":
            yield from map(_square, value["ask_at"])
        case "answer" | "play_on" | "vend":
            yield _square(value["at"])
        case _:
            pass


def _square(pair: Iterable[int]) -> Square:
    x, y = pair
    return x, y


def _script(name: str, map_id: int, row: Mapping[str, Any]) -> Script:
    fights = row.get("fights")
    return Script(
        id=name,
        map_id=map_id,
        talk=frozenset(row.get("talk", ())),
        look=frozenset(map(_square, row.get("look", ()))),
        step=frozenset(map(_square, row.get("step", ()))),
        needs=tuple(marks(row.get("needs", ()))),
        makes=(*marks(row.get("gives", ())), *marks(row.get("takes", ()), so=False)),
        fights=tuple(Opponent(fights[0], each) for each in fights[1:]) if fights else (),
        meets=OverworldMon(*row["meets"]) if "meets" in row else None,
        loses_on=row.get("loses_on", False),
        items=tuple((item, count) for item, count in row.get("items", ())),
        member=OverworldMon(*row["member"]) if "member" in row else None,
        rival=row.get("rival", 0),
        money=row.get("money", 0),
        end=_end(row),
    )


def _end(row: Mapping[str, Any]) -> MapSquare | None:
    if "end" not in row:
        return None
    map_id, x, y = row["end"]
    return map_id, x, y


def _arrival(row: Mapping[str, Any]) -> Arrival:
    return Arrival(
        row["map"],
        tuple(marks(row.get("when", ()))),
        (*marks(row.get("gives", ())), *marks(row.get("takes", ()), so=False)),
        row.get("from"),
        _end(row),
    )


def _door(row: Mapping[str, Any]) -> Door:
    (mark,) = marks([row["open"]])
    return Door(row["map"], frozenset(map(_square, row["squares"])), mark)
