"""Moves that their user does not survive: worth it where the others have it easier afterwards."""

from collections.abc import Iterator

from agent.capabilities.tactics.blows import strikes
from agent.capabilities.tactics.duel import after, standing_at
from agent.capabilities.tactics.effects import EXPLODE
from agent.capabilities.tactics.matchup import their_next
from agent.capabilities.tactics.options import Option, Table
from agent.capabilities.tactics.stakes import FALL
from agent.capabilities.tactics.teams import beats
from agent.skills import Attack, usable_slots
from emulator import first_chance


def sacrifices(table: Table) -> Iterator[Option]:
    """Yield every such move; who has nobody left to go on loses by it."""
    own, foe, dex = table.own, table.foe, table.dex
    for slot in usable_slots(own) if table.bench else ():
        known = own.moves[slot]
        move = dex.all_moves.get(known.move)
        if move is None or move.effect != EXPLODE:
            continue
        standing = after(standing_at(foe), strikes(dex, own, foe, (move.number,)))
        value = float(standing @ table.stakes.lost)
        value += (1 - float(standing.sum())) * (beats(dex, table.bench, table.to_come) - FALL)
        first = float(first_chance(own.stats.speed, move.number, foe.stats.speed, 0))
        blow = their_next(dex, own, foe)
        if blow is not None and first < 1:
            falls = (1 - first) * (1 - float(after(standing_at(own), blow).sum()))
            value += falls * (float(standing_at(foe) @ table.stakes.lost) - value)
        yield Option(Attack(slot), value, 1.0, known.pp)
