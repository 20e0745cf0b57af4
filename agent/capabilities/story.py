"""The story of a cartridge: its places, events, tasks and milestones, read from a data file."""

import random
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from agent.capabilities.capability import Capability, Deed, Sensor
from agent.capabilities.ledger import Ledger, Milestone, Witness
from agent.capabilities.travel import Place, at, happened
from agent.perception import Percept
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Destination, Outcome, Skill, Terrain, look_at_team, talk, travel, wait
from emulator import CartridgeKind, State
from memory import Recall

FILES: Final = {CartridgeKind.DEMO: "demo.toml", CartridgeKind.RED: "red.toml"}
# An errand is worth a detour on the way to the next milestone, but never its failure.
ERRAND_PRIORITY: Final = 60
MILESTONE_PRIORITY: Final = 50
LOOKS: Final = 30  # how many ticks to wait for the second witness


@dataclass(frozen=True, slots=True)
class Errand:
    """Somebody worth talking to once: the sprite slot of a person in a place."""

    id: str
    says: str
    place: str
    person: int


@dataclass(frozen=True, slots=True)
class Task:
    """Something that makes event `sets` happen, once the events it `needs` have.

    Either talking to one of the people (sprite slots) in `talk_to` and saying yes to what they
    ask, or walking to one of the squares in `walk_to`.
    """

    id: str
    says: str
    place: str
    sets: str
    needs: tuple[str, ...] = ()
    talk_to: tuple[int, ...] = ()
    walk_to: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Healer:
    """Who heals the team: the sprite slot of a person in a place."""

    place: str
    person: int


@dataclass(frozen=True, slots=True)
class Story:
    """What there is to do on a cartridge; milestones stand in the order they are reached."""

    places: tuple[Place, ...]
    events: Mapping[str, int]
    errands: tuple[Errand, ...]
    tasks: tuple[Task, ...]
    healers: tuple[Healer, ...]
    milestones: tuple[Milestone, ...]

    @staticmethod
    def of(kind: CartridgeKind) -> "Story":
        """Return the story of a cartridge."""
        folder = files("agent.capabilities") / "stories"
        return _parse(tomllib.loads((folder / FILES[kind]).read_text(encoding="utf-8")))

    def place_of(self, state: State) -> str:
        """Return where `state` is, in words; before a game has begun RAM says nothing of it."""
        if not state.game_started:
            return "before the game"
        here = state.map.map_id
        named = (place.name for place in self.places if place.map_id == here)
        return next(named, f"map {here}")


def story_telling(
    story: Story, terrain: Terrain, ledger: Ledger, chance: random.Random
) -> Capability:
    """Do what the story asks for and reach its milestones, one after the other."""
    return Capability(
        name="story",
        sensors=(_errand_sensor(story), _event_sensor(story), _milestone_sensor(story, ledger)),
        deeds=(
            *(_errand_deed(errand, terrain) for errand in story.errands),
            *(_task_deed(task, terrain, chance) for task in story.tasks),
            *_witness_deeds(story, ledger),
        ),
        goals=(
            *(_goal(_done(each), each.says, ERRAND_PRIORITY) for each in story.errands),
            *(
                _goal(_reached(each), each.says, MILESTONE_PRIORITY - number)
                for number, each in enumerate(story.milestones)
            ),
        ),
    )


def _parse(table: Mapping[str, Any]) -> Story:
    maps = {name: row["map"] for name, row in table["places"].items()}
    events = table.get("events", {})
    return Story(
        places=tuple(
            Place(name, row["map"], tuple(row.get("needs", ())))
            for name, row in table["places"].items()
        ),
        events=events,
        errands=tuple(Errand(**row) for row in table.get("errands", ())),
        tasks=tuple(_task(row) for row in table.get("tasks", ())),
        healers=tuple(Healer(**row) for row in table.get("healers", ())),
        milestones=tuple(_milestone(row, maps, events) for row in table["milestones"]),
    )


def _task(row: Mapping[str, Any]) -> Task:
    lists = {name: tuple(row[name]) for name in ("needs", "talk_to") if name in row}
    squares = tuple((x, y) for x, y in row.get("walk_to", ()))
    return Task(**{**row, **lists, "walk_to": squares})


def _milestone(
    row: Mapping[str, Any], maps: Mapping[str, int], events: Mapping[str, int]
) -> Milestone:
    return Milestone(
        id=row["id"],
        says=row["says"],
        witness=Witness(row["witness"]),
        place=row.get("place"),
        map_id=maps[row["place"]] if "place" in row else None,
        event=events[row["event"]] if "event" in row else None,
        home=maps[row["home"]] if "home" in row else None,
        words=row.get("shows", ""),
    )


def _done(errand: Errand) -> str:
    return f"errand:{errand.id}"


def _reached(milestone: Milestone) -> str:
    return f"reached:{milestone.id}"


def _goal(fact: str, says: str, priority: int) -> Goal:
    return Goal(fact, (Require(fact, at_least=1),), priority, says)


def _errand_sensor(story: Story) -> Sensor:
    names = {_done(errand) for errand in story.errands}

    def read(_percept: Percept, recall: Recall) -> dict[str, int]:
        return {name: int(recall.objective_status(name) == "completed") for name in names}

    return Sensor(frozenset(names), read)


def _event_sensor(story: Story) -> Sensor:
    bits = {happened(name): bit for name, bit in story.events.items()}

    def read(percept: Percept, _recall: Recall) -> dict[str, int]:
        flags, started = percept.state.flags, percept.state.game_started
        return {name: int(started and flags.is_set(bit)) for name, bit in bits.items()}

    return Sensor(frozenset(bits), read)


def _milestone_sensor(story: Story, ledger: Ledger) -> Sensor:
    names = {_reached(each): each.id for each in story.milestones}

    def read(_percept: Percept, _recall: Recall) -> dict[str, int]:
        return {name: int(ledger.has(id_)) for name, id_ in names.items()}

    return Sensor(frozenset(names), read)


def _errand_deed(errand: Errand, terrain: Terrain) -> Deed:
    def begin(state: State) -> Skill:
        return talk(errand.person, terrain, state)

    action = Action(
        name=_done(errand),
        requires=(Require(at(errand.place), at_least=1), Require("in_control", at_least=1)),
        effects=(Effect(_done(errand), 1),),
        cost=5,
        says=errand.says,
    )
    return Deed(action, begin, masters=frozenset({"busy", "text"}))


def _task_deed(task: Task, terrain: Terrain, chance: random.Random) -> Deed:
    # Chosen once, so that a resumed session wants the same as the one before it.
    person = chance.choice(task.talk_to) if task.talk_to else 0
    squares = frozenset(task.walk_to)

    def begin(state: State) -> Skill:
        if task.talk_to:
            return talk(person, terrain, state, say_yes=True)
        return travel(terrain, Destination(state.map.map_id, squares), state)

    action = Action(
        name=f"task:{task.id}",
        requires=(
            Require(at(task.place), at_least=1),
            Require("in_control", at_least=1),
            *(Require(happened(event), at_least=1) for event in task.needs),
        ),
        effects=(Effect(happened(task.sets), 1),),
        cost=5,
        says=task.says,
    )
    masters = {"busy", "text", "stray_menu"} if task.talk_to else {"busy"}
    return Deed(action, begin, masters=frozenset(masters))


def _witness_deeds(story: Story, ledger: Ledger) -> Iterator[Deed]:
    """How each milestone gets its second witness."""
    for milestone in story.milestones:
        yield _witness_deed(milestone, story, ledger)


def _witness_deed(milestone: Milestone, story: Story, ledger: Ledger) -> Deed:
    def proven() -> bool:
        return ledger.has(milestone.id)

    def begin(state: State) -> Skill:
        if milestone.witness in (Witness.TEAM, Witness.HEALTHY_TEAM):
            return look_at_team(proven, state, patience=LOOKS)
        return _stand_still(proven)

    action = Action(
        name=f"witness:{milestone.id}",
        requires=(Require("in_control", at_least=1), *_conditions(milestone, story)),
        effects=(Effect(_reached(milestone), 1),),
        cost=1,
        says=f"wait for the picture to show it: {milestone.says}",
    )
    return Deed(action, begin, masters=frozenset({"busy", "stray_menu"}))


def _conditions(milestone: Milestone, story: Story) -> Iterator[Require]:
    if milestone.place is not None:
        yield Require(at(milestone.place), at_least=1)
    for name, bit in story.events.items():
        if bit == milestone.event:
            yield Require(happened(name), at_least=1)
    if milestone.home is not None:
        yield Require("healed", at_least=1)


def _stand_still(proven: Callable[[], bool]) -> Skill:
    for _ in range(LOOKS):
        yield wait(10)
        if proven():
            return Outcome.DONE
    return Outcome.BLOCKED
