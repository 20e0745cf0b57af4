"""The story of a cartridge, read from its TOML files: places, gates, tasks, shops, milestones."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Final, NamedTuple

from agent.errors import UsageError, did_you_mean
from agent.skills import CUT, FLASH, FLY, STRENGTH, SURF
from agent.story.facts import FactKind, RamFact, parse_fact, script_number
from agent.story.interactions import (
    INTERACTIONS,
    Clerk,
    Errand,
    Healer,
    Interaction,
    StoryTrainer,
    Task,
)
from agent.story.milestones import Milestone, Witness
from agent.story.places import Gate, Land, Place, Square, Way
from emulator import RED, CartridgeKind, MapSquare, State
from emulator.world import Floor, Lift

FIELD_MOVES: Final = {"cut": CUT, "fly": FLY, "surf": SURF, "strength": STRENGTH, "flash": FLASH}
# The table of a story file that holds the numbers of the facts of a kind.
TABLES: Final = {
    FactKind.BADGE: "badges",
    FactKind.ITEM: "items",
    FactKind.MOVE: "moves",
    FactKind.STATUS: "statuses",
    FactKind.GONE: "toggles",
    FactKind.MONEY: "sums",
    FactKind.MON: "mons",
    FactKind.OWNED: "collections",
    FactKind.SCRIPT: "scripts",
    FactKind.FAME: "teams",
}
FOLDERS: Final = {CartridgeKind.DEMO: "demo", CartridgeKind.RED: "red"}

_RED_NAMES: Final = {number: name.replace("_", " ").title() for number, name in RED.maps.items()}

NEVER: Final = "never"  # no milestone: play continues after the last one of the story


class FieldMove(NamedTuple):
    """A field move: its name in the story, its move number, and the badge required to use it."""

    name: str
    move: int
    badge: str

    @property
    def known(self) -> str:
        """The name of the fact that a member of the team knows it."""
        return f"{FactKind.MOVE.value}:{self.name}"

    @property
    def able(self) -> str:
        """The name of the fact that a member of the team can learn it, or knows it."""
        return f"able:{self.name}"


@dataclass(frozen=True, slots=True)
class Ambition:
    """A fact to make true after the milestone `after`, or after all of them; it needs no frame as witness.

    It is dropped once the milestone `before` is reached, and waits while its plan costs more than `most_cost`.
    """

    fact: str
    label: str
    after: str = ""
    before: str = ""
    most_cost: int | None = None


@dataclass(frozen=True, eq=False)  # the same story is a key of caches
class Story:
    """The story of a cartridge: places, tasks and the rest; milestones and ambitions are in order.

    `ram_facts` are the story facts (events, badges, items, moves and others) by name; `names` are the display names of
    maps that have one; `carries` maps the squares of slides and holes to where a script moves the player; `lifts`
    are the elevators by the map of their car. `field_moves` are the moves used on the map. `caveat` is a warning
    for the owner, or ''; `wants` are the requested facts, which come before the milestones. `rival_starters` are the
    species that the rival may choose first, in the order of his teams. `minutes` is the game time at which half of the
    rehearsed games have come to the last milestone of each chapter.
    """

    places: tuple[Place, ...]
    milestones: tuple[Milestone, ...]
    lands: tuple[Land, ...] = ()
    gates: tuple[Gate, ...] = ()
    ram_facts: Mapping[str, RamFact] = field(default_factory=dict)
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
    rival_starters: tuple[int, ...] = ()
    minutes: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    @cache
    def of(kind: CartridgeKind) -> "Story":
        """Return the story of a cartridge; the files are read once."""
        folder = files("agent.story") / "cartridges" / FOLDERS[kind]
        chapters = sorted(folder.iterdir(), key=lambda file: file.name)
        table = _bound(tomllib.loads(each.read_text(encoding="utf-8")) for each in chapters)
        return _parse(table, _RED_NAMES if kind is CartridgeKind.RED else {})

    def with_requested(self, facts: tuple[str, ...]) -> "Story":
        """Return the story with requested facts before its milestones; raises UsageError for an unknown fact."""
        for fact in facts:
            if fact not in self.ram_facts:
                message = (
                    f"the story has no fact {fact!r}; it has {', '.join(sorted(self.ram_facts))}"
                )
                raise UsageError(message)
        return replace(self, wants=facts) if facts != self.wants else self

    def up_to(self, last: str | None) -> tuple[str, ...]:
        """Return the ids of the milestones up to `last`, or of all; raises UsageError for an unknown `last`."""
        known = [each.id for each in self.milestones]
        if last is not None and last not in known:
            more = did_you_mean(last, known) or f"; it has {', '.join(known)}"
            raise UsageError(f"--until {last} is no milestone of this cartridge{more}")
        return tuple(known if last is None else known[: known.index(last) + 1])

    def last(self, wanted: str) -> str:
        """Return the milestone to play to: `wanted`, or the last one for `never`; raises UsageError for an unknown one."""
        return self.up_to(None if wanted == NEVER else wanted)[-1]

    def milestones_up_to(self, last: str | None) -> tuple[Milestone, ...]:
        """Return the milestones up to `last`, or all; raises UsageError for an unknown `last`."""
        return self.milestones[: len(self.up_to(last))]

    @cached_property
    def kept(self) -> frozenset[int]:
        """The items that a task needs or hands over: they are never used up or tossed."""
        facts = {parse_fact(each)[0] for task in self.tasks for each in (*task.needs, *task.takes)}
        ram_facts = [self.ram_facts[each] for each in facts]
        return frozenset(each.number for each in ram_facts if each.kind is FactKind.ITEM)

    @cached_property
    def needed(self) -> frozenset[str]:
        """The facts that a place, land, gate or task requires."""
        closed: list[Place | Land | Gate | Task] = [*self.places, *self.lands]
        closed += [*self.gates, *self.tasks]
        return frozenset(parse_fact(fact)[0] for each in closed for fact in each.needs)

    @cached_property
    def prices(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """The tasks that ask for money: what each makes true, and the sums that it needs."""
        sums = {name for name, each in self.ram_facts.items() if each.kind is FactKind.MONEY}
        asked = [(task.sets, sums.intersection(task.needs)) for task in self.tasks]
        return tuple([(done, frozenset(needs)) for done, needs in asked if needs])

    def place(self, name: str) -> Place:
        """Return a place by its name."""
        return next(each for each in self.places if each.name == name)

    def rival_choice(self, state: State) -> int:
        """Return the index of the rival's starter; 0 while he has none."""
        starter = state.player.rival_starter
        return self.rival_starters.index(starter) if starter in self.rival_starters else 0

    def can_use(self, state: State, move: int) -> bool:
        """Return whether a member of the team knows a move and may use it on the map."""
        return any(
            self.shows(state, each.known) and self.shows(state, each.badge)
            for each in self.field_moves
            if each.move == move
        )

    def fact_of(self, mark: RamFact) -> str | None:
        """Return the name of a story fact; None if the story does not have it."""
        return next((fact for fact, each in self.ram_facts.items() if each == mark), None)

    def shows(self, state: State, fact: str) -> bool:
        """Return whether RAM shows a fact of `ram_facts`; for a name with `clear:`, whether its event is not set."""
        name, so = parse_fact(fact)
        return state.game_started and self.ram_facts[name].shown_by(state) == so

    def usable_lifts(self, state: State) -> Mapping[int, Lift]:
        """Return the elevators whose panel works now, by the map of their car."""
        return {
            car: lift
            for car, lift in self.lifts.items()
            if all(self.shows(state, fact) for fact in lift.needs)
        }

    def is_open(self, state: State, gate: Gate) -> bool:
        """Return whether a gate lets the player through."""
        if all(self.shows(state, fact) for fact in gate.needs):
            return True
        return any(self.shows(state, fact) for fact in gate.instead)

    def is_near(self, state: State, place: Place) -> bool:
        """Return whether the player can walk to a place now, with no task to do before."""
        if place.only_ways:
            return state.map.map_id == place.map_id
        inside = place.land is None or place.land.contains(state)
        needs = place.needs if inside or place.land is None else (*place.needs, *place.land.needs)
        return all(self.shows(state, fact) for fact in needs)

    def place_of(self, state: State) -> str:
        """Return the display name of the player's map; before the game starts RAM has no map."""
        if not state.game_started:
            return "before the game"
        return self.called(state.map.map_id)

    @cached_property
    def _called(self) -> Mapping[int, str]:  # the first place of a map names it
        return {**self.names, **{each.map_id: each.called for each in reversed(self.places)}}

    def called(self, map_id: int) -> str:
        """Return the display name of a map."""
        return self._called.get(map_id) or f"map {map_id}"


def _bound(chapters: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the chapters as one table: lists are joined in order; raises ValueError for a name with two meanings."""
    merged: dict[str, Any] = {}
    for chapter in chapters:
        for key, part in chapter.items():
            if isinstance(part, list):
                merged[key] = [*merged.get(key, ()), *part]
            elif isinstance(part, dict):
                known = merged.get(key, {})
                if twice := sorted(
                    name for name in known.keys() & part.keys() if known[name] != part[name]
                ):
                    raise ValueError(f"the story has two {key} called {twice[0]!r}")
                merged[key] = {**known, **part}
            else:
                merged[key] = part
    return merged


def _parse(raw: Mapping[str, Any], names: Mapping[int, str]) -> Story:
    """Return the story of the chapters; the keys of the file are the arguments of records and parsers."""
    table: Mapping[str, Any] = {key: _frozen(part) for key, part in raw.items()}
    maps = {name: row["map"] for name, row in table["places"].items()}
    names = {**names, **{each: name for name, each in table.get("passages", {}).items()}}
    gates = {name: _gate(maps, row) for name, row in table.get("gates", {}).items()}
    lands = tuple(
        Land(name, **{**row, "maps": frozenset(row["maps"])})
        for name, row in table.get("lands", {}).items()
    )
    places = tuple(_place(name, row, names, gates, lands) for name, row in table["places"].items())
    story = Story(
        places=places,
        lands=lands,
        gates=tuple(gates.values()),
        errands=tuple(Errand(**row) for row in table.get("errands", ())),
        tasks=tuple(_task(row) for row in table.get("tasks", ())),
        healers=tuple(_healer(maps, **row) for row in table.get("healers", ())),
        clerks=tuple(Clerk(**row) for row in table.get("clerks", ())),
        milestones=(),
        ambitions=tuple(Ambition(**row) for row in table.get("ambitions", ())),
        names=names,
        carries=_carries(table),
        lifts=dict(_lift(maps, **row) for row in table.get("lifts", ())),
        field_moves=tuple(
            FieldMove(name, FIELD_MOVES[name], badge)
            for name, badge in table.get("field_moves", {}).items()
        ),
        caveat=table.get("caveat", ""),
        rival_starters=table.get("rival_starters", ()),
        minutes=table["minutes"],
    )
    ram_facts = _marks(table, story)
    milestones = tuple(_milestone(maps, ram_facts, row) for row in table["milestones"])
    return replace(story, ram_facts=ram_facts, milestones=milestones)


def _frozen(value: object) -> object:
    """Return a value of a file with tuples instead of lists at every level."""
    if isinstance(value, dict):
        return {name: _frozen(each) for name, each in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _marks(table: Mapping[str, Any], story: Story) -> dict[str, RamFact]:
    """Return the facts that places, gates, tasks, clerks, moves and milestones name; events have the names of the profile."""
    numbers = {kind: table.get(key, {}) for kind, key in TABLES.items()}
    numbers[FactKind.EVENT] = RED.events
    numbers[FactKind.MOVE] = {**FIELD_MOVES, **numbers[FactKind.MOVE]}
    scripts = numbers[FactKind.SCRIPT].items()
    numbers[FactKind.SCRIPT] = {name: script_number(**row) for name, row in scripts}
    facts = [fact for place in story.places for fact in place.facts]
    facts += [fact for gate in story.gates for fact in (*gate.needs, *gate.instead)]
    facts += [fact for task in story.tasks for fact in task.facts]
    facts += [fact for lift in story.lifts.values() for fact in lift.needs]
    facts += [fact for clerk in story.clerks for fact in clerk.needs]
    facts += [fact for move in story.field_moves for fact in (move.known, move.badge)]
    behind = [fact for row in table["milestones"] for fact in row.get("behind", ())]
    facts += [
        fact for fact in behind if fact.partition(":")[0] in {each.value for each in FactKind}
    ]
    ram_facts = {}
    for fact in (parse_fact(each)[0] for each in facts):
        kind, _, name = fact.partition(":")
        ram_facts[fact] = RamFact(FactKind(kind), numbers[FactKind(kind)][name])
    return ram_facts


def _without(row: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in keys}


def _gate(maps: Mapping[str, int], row: Mapping[str, Any]) -> Gate:
    """Return a gate; its map is given by a place or by its number."""
    left, top, right, bottom = row.get("box", (0, 0, -1, -1))
    inside = [(x, y) for y in range(top, bottom + 1) for x in range(left, right + 1)]
    squares = frozenset((*row.get("squares", ()), *inside))
    map_id = row["map"] if "map" in row else maps[row["place"]]
    return Gate(map_id, squares, row["needs"], row.get("instead", ()))


def _place(
    name: str,
    row: Mapping[str, Any],
    names: Mapping[int, str],
    gates: Mapping[str, Gate],
    lands: Iterable[Land],
) -> Place:
    map_id, ways = row["map"], tuple(Way(**each) for each in row.get("ways", ()))
    guarded = (fact for gate in row.get("behind", ()) for fact in gates[gate].needs)
    spot = row.get("spot")
    around = [each for each in lands if each.covers(map_id, spot)] if spot else lands
    return Place(
        name=name,
        map_id=map_id,
        called=names.get(map_id) or f"the {name.replace('_', ' ')}",
        needs=(*row.get("needs", ()), *guarded),
        ways=ways,
        only_ways=bool(ways) and not row.keys() & {"needs", "behind"},
        land=next((each for each in around if each.holds(map_id)), None),
        **_without(row, "map", "needs", "behind", "ways"),
    )


def _task(row: Mapping[str, Any]) -> Task:
    (key,) = INTERACTIONS.keys() & row.keys()
    against = StoryTrainer.of(row["against"]) if "against" in row else None
    rest = _without(row, key, "against")
    return Task(interaction=Interaction.of(key, row[key]), against=against, **rest)


def _healer(maps: Mapping[str, int], place: str, person: int, town: str = "") -> Healer:
    return Healer(place, person, maps[town] if town else None)


def _carries(table: Mapping[str, Any]) -> Mapping[MapSquare, MapSquare]:
    """Return the targets of slides and holes; an arrow is the square of a floor tile and the square where it ends."""
    slides = {
        (row["map"], x, y): (row["map"], to_x, to_y)
        for row in table.get("slides", ())
        for x, y, to_x, to_y in row["arrows"]
    }
    holes = {
        (row["map"], *row["at"]): (row["to_map"], *row["to"]) for row in table.get("holes", ())
    }
    return {**slides, **holes}


def _lift(
    maps: Mapping[str, int],
    place: str,
    panel: Square,
    floors: tuple[Mapping[str, Any], ...],
    needs: tuple[str, ...] = (),
) -> tuple[int, Lift]:
    stops = [Floor(row, maps[each["place"]], each["warp"]) for row, each in enumerate(floors)]
    return maps[place], Lift(panel, tuple(stops), needs)


def _milestone(
    maps: Mapping[str, int], ram_facts: Mapping[str, RamFact], row: Mapping[str, Any]
) -> Milestone:
    own = (row["fact"],) if "fact" in row else ()
    here = (f"at:{row['place']}",) if "place" in row and not own else ()
    return Milestone(
        witness=Witness(row["witness"]),
        map_id=maps[row["place"]] if "place" in row else None,
        mark=ram_facts[row["fact"]] if "fact" in row else None,
        home=maps[row["home"]] if "home" in row else None,
        words=row.get("shows", ()),
        behind=(*row.get("behind", own), *here),
        **_without(row, "witness", "home", "shows", "behind"),
    )
