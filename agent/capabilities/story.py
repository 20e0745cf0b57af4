"""The story of a cartridge: its places, errands and milestones, read from a data file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from agent.capabilities.capability import Capability, Deed, Sensor
from agent.capabilities.ledger import Ledger, Milestone
from agent.capabilities.travel import at
from agent.perception import Percept
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill, talk, wait
from emulator import CartridgeKind, State, World
from memory import Recall

FILES: Final = {CartridgeKind.DEMO: "demo.toml", CartridgeKind.RED: "red.toml"}
# An errand is worth a detour on the way to the next milestone, but never its failure.
ERRAND_PRIORITY: Final = 60
MILESTONE_PRIORITY: Final = 50
LOOKS: Final = 30  # how many ticks to stand still for the second witness


@dataclass(frozen=True, slots=True)
class Errand:
    """Somebody worth talking to once: the sprite slot of a person in a place."""

    id: str
    says: str
    place: str
    person: int


@dataclass(frozen=True, slots=True)
class Story:
    """What there is to do on a cartridge; milestones stand in the order they are reached."""

    places: Mapping[str, int]
    errands: tuple[Errand, ...]
    milestones: tuple[Milestone, ...]

    @staticmethod
    def of(kind: CartridgeKind) -> "Story":
        """Return the story of a cartridge."""
        folder = files("agent.capabilities") / "stories"
        table = tomllib.loads((folder / FILES[kind]).read_text(encoding="utf-8"))
        places: dict[str, int] = table["places"]
        return Story(
            places=places,
            errands=tuple(Errand(**row) for row in table.get("errands", ())),
            milestones=tuple(
                Milestone(row["id"], row["says"], row["place"], places[row["place"]])
                for row in table["milestones"]
            ),
        )

    def place_of(self, state: State) -> str:
        """Return where `state` is, in words; before a game has begun RAM says nothing of it."""
        if not state.game_started:
            return "before the game"
        here = state.map.map_id
        named = (place for place, map_id in self.places.items() if map_id == here)
        return next(named, f"map {here}")


def story_telling(story: Story, world: World, ledger: Ledger) -> Capability:
    """Run the errands of the story and reach its milestones, one after the other."""
    return Capability(
        name="story",
        sensors=(_errand_sensor(story), _milestone_sensor(story, ledger)),
        deeds=(
            *(_errand_deed(errand, world) for errand in story.errands),
            *(_milestone_deed(milestone, ledger) for milestone in story.milestones),
        ),
        goals=(
            *(_goal(_done(each), each.says, ERRAND_PRIORITY) for each in story.errands),
            *(
                _goal(_reached(each), each.says, MILESTONE_PRIORITY - number)
                for number, each in enumerate(story.milestones)
            ),
        ),
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


def _errand_deed(errand: Errand, world: World) -> Deed:
    def begin(state: State) -> Skill:
        return talk(errand.person, world, state)

    action = Action(
        name=_done(errand),
        requires=(Require(at(errand.place), at_least=1), Require("in_control", at_least=1)),
        effects=(Effect(_done(errand), 1),),
        cost=5,
        says=errand.says,
    )
    return Deed(action, begin, masters=frozenset({"busy", "text"}))


def _milestone_sensor(story: Story, ledger: Ledger) -> Sensor:
    def read(_percept: Percept, _recall: Recall) -> dict[str, int]:
        return {_reached(each): int(ledger.has(each.id)) for each in story.milestones}

    return Sensor(frozenset(_reached(each) for each in story.milestones), read)


def _milestone_deed(milestone: Milestone, ledger: Ledger) -> Deed:
    def begin(_state: State) -> Skill:
        for _ in range(LOOKS):
            yield wait(10)
            if ledger.has(milestone.id):
                return Outcome.DONE
        return Outcome.BLOCKED

    action = Action(
        name=_reached(milestone),
        requires=(Require(at(milestone.place), at_least=1), Require("in_control", at_least=1)),
        effects=(Effect(_reached(milestone), 1),),
        cost=1,
        says=f"stand still until the picture shows it: {milestone.says}",
    )
    return Deed(action, begin)
