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
PATIENCE: Final = 3  # steps that a trainer may take to come


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
        self.forget()

    def forget(self) -> None:
        """Know of no step before."""
        self._unseen = 0  # steps in a row in which the player stood free before a trainer

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """See a trainer notice the player."""
        if before.byte(SPOTTED) & IS_SPOTTED or not now.byte(SPOTTED) & IS_SPOTTED:
            return
        state = read_state(before, number)
        seen = [each for each in self._watched(state) if each.distance]
        near = any(each.distance <= each.lookout.sight for each in seen)
        here = tuple(state.position)
        where = f"the player stands at {here}, which nobody's sight covers"
        self.notebook.judge(BLIND, None if near else where, now, number)

    def moment(self, state: State) -> None:
        """See whether one stands before a trainer and he does not come."""
        if not state.game_started or state.in_battle:
            self._unseen = 0
            return
        if not state.in_control or not len(state.party):
            self._unseen = 0
            return
        before = [
            each
            for each in self._watched(state)
            if 0 < each.distance <= each.lookout.sight and each.person.on_screen
        ]
        self._unseen = self._unseen + 1 if before else 0
        if self._unseen == PATIENCE:
            far = before[0].distance
            seen = f"the player stands free {far} squares before one who sees {before[0].lookout.sight}"
            self.notebook.fails(SEES, seen, state.ram, state.frame)

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
