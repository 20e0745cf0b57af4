"""The stats of a Pokemon in battle: sent out, at their stages, with the penalties and badge boosts applied again and again."""

from typing import Final

import numpy as np

from emulator.compiled import compiled
from emulator.rules import arithmetic, codes, effects
from emulator.rules.arithmetic import HIGHEST, LOWEST_STAGE
from emulator.rules.position import Position, Tables

HIGHEST_STAGE: Final = 6
HAZED: Final = (
    codes.CONFUSED
    | codes.ALWAYS_HITS
    | codes.MIST
    | codes.FOCUSED
    | codes.SEEDED
    | codes.BADLY_POISONED
    | codes.LIGHT_SCREEN
    | codes.REFLECT
)

at_stage = compiled(arithmetic.at_stage)
with_badge = compiled(arithmetic.with_badge)


@compiled
def put(numbers: np.ndarray, values: np.ndarray) -> None:
    """Replace all numbers by as many values."""
    for at in range(
        len(numbers)
    ):  # numba compiles an assignment of slices with texts for its errors
        numbers[at] = values[at]


@compiled
def stat_at_stage(position: Position, side: int, stat: int, tables: Tables) -> int:
    """Return an unmodified stat at its stage."""
    mon = position.sides[side]
    at = int(mon.stages[stat]) - LOWEST_STAGE
    ratio = int(tables.numerators[at]), int(tables.denominators[at])
    return min(at_stage(int(mon.unmodified[stat]), ratio[0], ratio[1]), HIGHEST)


@compiled
def apply_badges(position: Position) -> None:
    """Boost our stats by badges: those of attack, defense, speed and special have every second bit."""
    if position.kind == codes.LINK:
        return
    ours = position.sides[codes.OURS]
    for stat in range(codes.STATS):
        if position.badges >> 2 * stat & 1:
            ours.stats[stat] = with_badge(int(ours.stats[stat]))


@compiled
def apply_penalties(position: Position, side: int) -> None:
    """Quarter the speed of a paralyzed Pokemon and halve the attack of a burned one, once more if done before."""
    mon = position.sides[side]
    if mon.status & codes.PARALYZED:
        mon.stats[codes.SPEED] = max(int(mon.stats[codes.SPEED]) // 4, 1)
    if mon.status & codes.BURNED:
        mon.stats[codes.ATTACK] = max(int(mon.stats[codes.ATTACK]) // 2, 1)


@compiled
def stat_of(effect: int) -> int:
    """Return the stat that a stage effect changes."""
    if effect >= effects.ATTACK_DOWN_SIDE:
        return effect - effects.ATTACK_DOWN_SIDE
    effect -= effects.ATTACK_UP_1 if effect < effects.ATTACK_UP_2 else effects.ATTACK_UP_2
    return effect % (effects.ATTACK_DOWN_1 - effects.ATTACK_UP_1)


@compiled
def raise_stage(position: Position, side: int, effect: int, tables: Tables) -> None:
    """Raise a stage of the side itself (StatModifierUpEffect)."""
    user = position.sides[side]
    stat = stat_of(effect)
    old = int(user.stages[stat])
    if old == HIGHEST_STAGE:
        return
    by = 2 if effect >= effects.ATTACK_UP_2 else 1
    user.stages[stat] = min(old + by, HIGHEST_STAGE)
    if stat < codes.STATS:
        if user.stats[stat] == HIGHEST:
            # A bug: what is undone is one stage, also of two.
            user.stages[stat] -= 1
            return
        user.stats[stat] = stat_at_stage(position, side, stat, tables)
    if side == codes.OURS:
        apply_badges(position)
    # The penalties of the other side, which has changed nothing, are applied once more.
    apply_penalties(position, 1 - side)


@compiled
def recalculate(position: Position, side: int, tables: Tables) -> None:
    """Calculate all stats from their stages (CalculateModifiedStats)."""
    for stat in range(codes.STATS):
        position.sides[side].stats[stat] = stat_at_stage(position, side, stat, tables)


@compiled
def haze(position: Position, side: int) -> None:
    """Reset all stages, the target's status and most of what the battle has added to either side."""
    target = position.sides[1 - side]
    for each in (codes.OURS, codes.THEIRS):
        mon = position.sides[each]
        mon.stages[:] = 0
        # Neither penalties nor badges apply to these.
        put(mon.stats, mon.unmodified)
        mon.volatile &= ~HAZED
        mon.disabled = mon.disabled_turns = mon.disabled_move = 0
    if target.status & (codes.FROZEN | codes.ASLEEP):
        target.selected = codes.CANNOT_MOVE
    target.status = 0


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
    put(mon.stats, member.stats)
    put(mon.unmodified, member.stats)
    put(mon.plain, member.stats)
    put(mon.moves, member.moves)
    put(mon.pp, member.pp)
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
