"""Sending Pokemon out, and keeping in the team what has become of the one that is out."""

from typing import Final

from emulator.rules import codes
from emulator.rules.engine.compiled import compiled
from emulator.rules.engine.stages import apply_badges, apply_penalties
from emulator.rules.position import Position, Tables

NOT_COUNTED: Final = 0xFF  # wAICount until the foe's first turn


@compiled
def keep(position: Position, side: int) -> None:
    """Write HP and status of the Pokemon in battle into its team; PP are written when they are spent."""
    mon = position.sides[side]
    mon.team[mon.out].hp = mon.hp
    mon.team[mon.out].status = mon.status


@compiled
def send_out(position: Position, side: int, place: int, tables: Tables) -> None:
    """Let a member of the team take the field (LoadBattleMonFromParty, SendOutMon, EnemySendOut)."""
    mon, other = position.sides[side], position.sides[1 - side]
    member, species = mon.team[place], tables.species[mon.team[place].species]
    mon.out = place
    mon.species, mon.level, mon.hp, mon.max_hp = (
        member.species,
        member.level,
        member.hp,
        member.max_hp,
    )
    mon.status, mon.type1, mon.type2 = member.status, species.type1, species.type2
    mon.stats[:] = member.stats
    mon.unmodified[:] = member.stats
    mon.plain[:] = member.stats
    mon.moves[:] = member.moves
    mon.pp[:] = member.pp
    mon.stages[:] = 0
    mon.volatile = mon.disabled = mon.disabled_turns = mon.disabled_move = 0
    mon.used = other.used = 0
    other.volatile &= ~codes.TRAPPING
    # The computer's Pokemon come without the penalties of their status.
    if side == codes.OURS or position.kind == codes.LINK:
        apply_penalties(position, side)
    if side == codes.OURS:
        apply_badges(position)
        position.gainers |= 1 << place
        position.participants |= 1 << place
    else:
        position.gainers = position.participants = 1 << int(other.out)
        position.ai_uses = NOT_COUNTED


@compiled
def next_member(position: Position, side: int) -> int:
    """Return the first member that can fight and is not out, or NO_ONE."""
    mon = position.sides[side]
    for place in range(mon.count):
        if place != mon.out and mon.team[place].hp > 0:
            return place
    return codes.NO_ONE


@compiled
def start_battle(position: Position, tables: Tables) -> None:
    """Send out the first of each side that can fight; the team of a wild Pokemon is itself."""
    for side in (codes.THEIRS, codes.OURS):
        mon = position.sides[side]
        mon.out = codes.NO_ONE
        mon.out = next_member(position, side)
        mon.mimic_slot = codes.NO_ONE
    position.gainers = position.participants = 0
    for side in (codes.THEIRS, codes.OURS):
        send_out(position, side, int(position.sides[side].out), tables)
    foe = position.sides[codes.THEIRS]
    position.gainers = position.participants = 1 << int(position.sides[codes.OURS].out)
    position.catch_rate = tables.species[foe.species].catch_rate
