"""Which species do well against a team, which members can learn a move by machine, and which machines are worth keeping."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from agent.battle.learn_move import HM_MOVES, SLOTS, replacement_for
from agent.battle.odds import Foe, Foes, beats, mon_from
from emulator import Dex, Party

STRONG: Final = 2  # damage multiplier that makes a species suitable
LEAST_POWER: Final = 30  # of an attack that makes a species suitable
GOOD: Final = 75  # power of an attack whose machine is worth its place in the bag
FAIR: Final = 0.5  # the chance to beat the strongest enemy at its level, of a suitable species


@lru_cache(maxsize=256)
def fitting_for(dex: Dex, team: Foes) -> frozenset[int]:
    """Return the species that are strong against a trainer's team, and would do well at its level."""
    return frozenset(index for index in dex.all_species if _does_well(dex, index, team))


def _does_well(dex: Dex, species: int, team: Foes) -> bool:
    foes = [dex.all_species[member.species] for member in team if member.species in dex.all_species]
    strongest = max(team, key=lambda each: each.level, default=None)
    if strongest is None or len(foes) < len(team):
        return False
    known = dex.all_species[species].moves_at(strongest.level)
    attacks = [dex.all_moves[move] for move in known if move in dex.all_moves]
    is_strong = any(
        2 * sum(dex.rules.chart.multiplier(move.type, foe.types) >= STRONG for foe in foes)
        >= len(foes)
        for move in attacks
        if move.power >= LEAST_POWER
    )
    own = mon_from(dex, Foe(strongest.level, species)) if is_strong else None
    return own is not None and beats(dex, Party((own,)), (strongest,), FAIR)


class Learner(NamedTuple):
    """A position in the team, and the move slot for the new move."""

    position: int
    slot: int


def learner_for(dex: Dex, party: Party, move: int) -> Learner | None:
    """Return the member that loses least by replacing a move; None when no member can learn it."""
    rooms = [(at, replacement_for(dex, party[at], move)) for at in able_to_learn(dex, party, move)]
    found = [(room.loss, at, room.slot) for at, room in rooms if room is not None]
    return Learner(*min(found)[1:]) if found else None


def able_to_learn(dex: Dex, party: Party, move: int) -> list[int]:
    """Return the positions of members that can learn a move and have, or can free, a slot for it."""
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
    """Return the species that can learn a move by machine."""
    machine = dex.machine_for(move)
    return dex.learners(machine) if machine is not None else frozenset()


def useful_machines(dex: Dex, party: Party) -> Iterator[int]:
    """Yield the machines of good attacks that the strongest member can learn and does not know."""
    if not party.mons:
        return
    mon = max(party.mons, key=lambda each: each.level)
    known = [slot.move for slot in mon.moves]
    for item in dex.all_items.values():
        move = dex.all_moves.get(item.teaches or 0)
        is_good = move is not None and move.power >= GOOD and item.teaches not in known
        if is_good and mon.species in dex.learners(item.number):
            yield item.number
