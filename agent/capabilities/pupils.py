"""Who of the team learns a move that the story needs, what is given up for it, and who else could learn it."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from agent.capabilities.marks import Kind, Mark
from agent.capabilities.story import FieldMove, Story
from agent.capabilities.tactics import HM_MOVES, SLOTS, room_for
from emulator import Dex, Party, State


class Pupil(NamedTuple):
    """A place in the team, and the slot for the new move."""

    position: int
    slot: int


def pupil_for(dex: Dex, party: Party, move: int) -> Pupil | None:
    """Return whose moves are worth most with a new one that a machine teaches; None when nobody can learn it."""
    rooms = [(at, room_for(dex, party[at], move)) for at in able_to_learn(dex, party, move)]
    found = [(room.loss, at, room.slot) for at, room in rooms if room is not None]
    return Pupil(*min(found)[1:]) if found else None


def able_to_learn(dex: Dex, party: Party, move: int) -> list[int]:
    """Return the places of those who can be taught a move that they do not know, and have room for it or can make some."""
    learners = learners_of(dex, move)
    found = []
    for at, mon in enumerate(party.mons):
        known = [each.move for each in mon.moves]
        has_room = len(known) < SLOTS or not HM_MOVES.issuperset(known)
        if mon.species in learners and move not in known and has_room:
            found.append(at)
    return found


@lru_cache(maxsize=64)
def learners_of(dex: Dex, move: int) -> frozenset[int]:
    """Return the species that a machine can teach a move."""
    machine = dex.machine_for(move)
    return dex.learners(machine) if machine is not None else frozenset()


def machine_fact(story: Story, dex: Dex, move: int) -> str | None:
    """Return the name of the fact that what teaches a move is in the bag; None where the story never gives it."""
    machine = dex.machine_for(move)
    return story.fact_of(Mark(Kind.ITEM, machine)) if machine is not None else None


def awaited(story: Story, dex: Dex, state: State) -> Iterator[FieldMove]:
    """Yield the moves without which the story does not go on, and which nobody of the team knows or learns."""
    needed = story.needed
    for each in story.field_moves:
        known = each.known not in needed or story.shows(state, each.known)
        if not known and not able_to_learn(dex, state.party, each.move):
            yield each


def untaught(story: Story, dex: Dex, state: State) -> Iterator[FieldMove]:
    """Yield the moves that could be taught by now, if there were anybody who learns them."""
    for each in story.field_moves:
        machine = dex.machine_for(each.move)
        taught = (
            machine is None or not state.bag.quantity(machine) or story.shows(state, each.known)
        )
        if not taught and not able_to_learn(dex, state.party, each.move):
            yield each
