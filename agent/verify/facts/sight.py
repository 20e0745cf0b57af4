"""Trainers who watch: from where they see the player, and that nothing else lets them come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from agent.verify.fact import Fact, Notebook
from agent.verify.facts.watcher import Onlooker
from emulator import Button, Facing, Lookout, Person, Ram, State, World, is_in_sight, read_state
from emulator.profile import symbol

SEES: Final = Fact(
    "trainers.sees",
    "A trainer who is not beaten comes when the player stands in his row or column before him, within his sight, whatever is between.",
    "engine.md 3.5: trainers' sight",
)
BLIND: Final = Fact(
    "trainers.blind",
    "A trainer comes for nobody who stands beside or behind him, or beyond his sight.",
    "engine.md 3.5: trainers' sight",
)

SPOTTED: Final = symbol("wMiscFlags")
IS_SPOTTED: Final = 0x01
COUNTER: Final = symbol("wWalkCounter")
FLAGS: Final = symbol("wStatusFlags5")
SCRIPTED: Final = 0x81
MOVEMENT: Final = symbol("wMovementFlags")
JOY_IGNORE: Final = symbol("wJoyIgnore")


class Watched(NamedTuple):
    """A trainer who is not beaten, and how far away ahead of him the player stands, 0 where he does not."""

    person: Person
    lookout: Lookout
    distance: int


class Sight(Onlooker):
    """Looks at the trainers of the map when the player stands free, and when one has come."""

    facts = (SEES, BLIND)

    def __init__(self, notebook: Notebook, world: World) -> None:
        super().__init__(notebook)
        self._world = world

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """See a trainer notice the player, or the player begin a step before one who did not."""
        if now.byte(SPOTTED) & IS_SPOTTED and not before.byte(SPOTTED) & IS_SPOTTED:
            self._noticed(before, now, number)
        elif now.byte(COUNTER) and not before.byte(COUNTER):
            scripted = now.byte(FLAGS) & SCRIPTED or now.byte(MOVEMENT) or now.byte(JOY_IGNORE)
            if not scripted:
                self._passed(before, number)

    def _noticed(self, before: Ram, now: Ram, number: int) -> None:
        state = read_state(before, number)
        near = any(0 < each.distance <= each.lookout.sight for each in self._watched(state))
        where = f"the player stands at {tuple(state.position)}, which nobody's sight covers"
        self.notebook.judge(BLIND, None if near else where, now, number)
        if near:
            self.notebook.holds(SEES)

    def _passed(self, before: Ram, number: int) -> None:
        """Look at who watched the square that is left: they are asked in each pass before the pad is."""
        state = read_state(before, number)
        if not len(state.party):
            return
        for each in self._watched(state):
            is_there = each.person.on_screen and not each.person.moving
            if is_there and 0 < each.distance <= each.lookout.sight:
                seen = f"the player walks on {each.distance} squares before one who sees {each.lookout.sight}"
                self.notebook.fails(SEES, seen, before, number)

    def _watched(self, state: State) -> Iterator[Watched]:
        people = {person.slot: person for person in state.people_present}
        for slot, lookout in self._world.lookouts(state).items():
            person = people.get(slot)
            if person is None or state.flags.is_set(lookout.event):
                continue
            if not is_in_sight(state.position, person.position):
                continue
            yield Watched(person, lookout, _ahead(person, state.position))


def _ahead(person: Person, here: tuple[int, int]) -> int:
    """Return how many squares before a person one stands, or 0 for elsewhere."""
    facing: Facing = person.facing
    dx, dy = here[0] - person.x, here[1] - person.y
    along, across = dx * facing.dx + dy * facing.dy, dx * facing.dy + dy * facing.dx
    return along if along > 0 and not across else 0
