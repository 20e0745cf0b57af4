"""How worn a team is."""

from emulator import Dex, Party, PartyMon


def hp_percent(party: Party) -> int:
    """Return how much of its HP the team has left; nobody to be hurt counts as all of it."""
    whole = sum(mon.stats.hp for mon in party.mons)
    left = sum(min(mon.hp, mon.stats.hp) for mon in party.mons)
    return 100 * left // whole if whole else 100


def pp_percent(dex: Dex, party: Party) -> int:
    """Return how much PP is left in the attacks of whoever of the team has most; without any it is all of it."""
    return max((_pp_percent(dex, mon) for mon in party.mons if mon.hp), default=100)


def _pp_percent(dex: Dex, mon: PartyMon) -> int:
    known = [(slot, dex.all_moves.get(slot.move)) for slot in mon.moves]
    attacks = [(slot, move) for slot, move in known if move is not None and move.power]
    whole = sum(move.pp + slot.pp_ups * (move.pp // 5) for slot, move in attacks)
    return 100 * sum(slot.pp for slot, _ in attacks) // whole if whole else 100
