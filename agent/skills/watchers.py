"""Trainers who have not been beaten yet, and the squares on which they would see the player."""

from collections.abc import Iterator
from typing import NamedTuple

from emulator import Lookout, MapSquare, Opponent, Person, Resident, State, World


class Watcher(NamedTuple):
    """Somebody who fights whoever they see; they look over walls and people alike."""

    slot: int
    opponent: Opponent
    squares: frozenset[MapSquare]


def watchers(world: World, state: State) -> Iterator[Watcher]:
    """Yield the trainers of the player's map who would still fight."""
    lookouts = world.lookouts(state)
    if not lookouts:
        return
    present = {person.slot: person for person in state.people_present}
    for resident in world.map(state.map.map_id).people:
        lookout, person = lookouts.get(resident.slot), present.get(resident.slot)
        if lookout is None or person is None or resident.opponent is None:
            continue
        if not state.flags.is_set(lookout.event):
            squares = frozenset(_in_sight(state.map.map_id, resident, person, lookout))
            yield Watcher(resident.slot, resident.opponent, squares)


def _in_sight(
    map_id: int, resident: Resident, person: Person, lookout: Lookout
) -> Iterator[MapSquare]:
    facing = resident.facing or person.facing
    for steps in range(1, lookout.sight + 1):
        yield map_id, person.x + steps * facing.dx, person.y + steps * facing.dy
