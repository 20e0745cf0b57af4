"""What decides whether and how a Pokemon acts: status and moves that last for turns, and the start of such moves."""

from typing import Final

from emulator.compiled import compiled
from emulator.engine.chance import below, happens
from emulator.engine.hit import hurt_itself, start_confusion
from emulator.rules import codes, effects
from emulator.rules.position import Position

FIRST_STATUS_BYTE: Final = 0xFF
HURT_BY_CONFUSION: Final = 128  # of 256
FULLY_PARALYZED: Final = 63
WORD: Final = 0xFFFF

# Where the use of a move begins.
NOWHERE: Final = 0  # it does nothing
CHOSEN: Final = 1  # with the selected move
ANNOUNCED: Final = 2  # Rage: with the move that is loaded
AIMED: Final = 3  # Thrash: with its damage; no PP
STRUCK: Final = 4  # Bide and trapping moves: with the damage as it is


@compiled
def begin(position: Position, side: int) -> int:
    """Return where the use of a move begins (CheckPlayerStatusConditions, CheckEnemyStatusConditions)."""
    if is_held(position, side):
        return NOWHERE
    mon = position.sides[side]
    if mon.disabled_turns:
        mon.disabled_turns -= 1
        if not mon.disabled_turns:
            mon.disabled = mon.disabled_move = 0
    if mon.volatile & codes.CONFUSED and is_hurt_by_confusion(position, side):
        return NOWHERE
    if mon.disabled_move and mon.disabled_move == mon.selected:
        mon.volatile &= ~codes.CHARGING
        return NOWHERE
    if mon.status & codes.PARALYZED and happens(position, FULLY_PARALYZED):
        interrupt(position, side)
        return NOWHERE
    return go_on(position, side)


@compiled
def is_held(position: Position, side: int) -> bool:
    """Return whether sleep, ice, a trapping move, flinching or recharging takes the turn."""
    mon, other = position.sides[side], position.sides[1 - side]
    if mon.status & (codes.ASLEEP | codes.FROZEN):
        if mon.status & codes.ASLEEP:
            mon.status -= 1  # the turn in which it wakes up is lost as well
        mon.used = 0
        return True
    if other.volatile & codes.TRAPPING:
        return True
    for bit in (codes.FLINCHED, codes.RECHARGING):
        if mon.volatile & bit:
            mon.volatile &= ~bit
            return True
    return False


@compiled
def is_hurt_by_confusion(position: Position, side: int) -> bool:
    """Count a turn of confusion; return whether the Pokemon hit itself, which ends the moves that last for turns."""
    mon = position.sides[side]
    mon.confused -= 1
    if mon.confused == 0:
        mon.volatile &= ~codes.CONFUSED
        return False
    if not happens(position, HURT_BY_CONFUSION):
        return False
    mon.volatile &= ~FIRST_STATUS_BYTE | codes.CONFUSED
    hurt_itself(position, side)
    return True


@compiled
def interrupt(position: Position, side: int) -> None:
    """End the moves that last for turns; one that flew up or dug in stays out of reach, a bug."""
    position.sides[side].volatile &= ~(
        codes.BIDING | codes.THRASHING | codes.CHARGING | codes.TRAPPING
    )


@compiled
def go_on(position: Position, side: int) -> int:
    """Go on with a move that lasts for turns."""
    mon = position.sides[side]
    if mon.volatile & codes.BIDING:
        return bide_on(position, side)
    if mon.volatile & codes.THRASHING:
        mon.move.number = effects.MOVE_THRASH
        mon.attacks_left -= 1
        if mon.attacks_left == 0:
            mon.volatile &= ~codes.THRASHING
            start_confusion(position, side)
        return AIMED
    if mon.volatile & codes.TRAPPING:
        mon.attacks_left -= 1
        return STRUCK
    if mon.volatile & codes.RAGING:
        mon.move.effect = 0
        return ANNOUNCED
    return CHOSEN


@compiled
def bide_on(position: Position, side: int) -> int:
    """Store the last damage done by either side, or give back twice the stored damage."""
    mon = position.sides[side]
    mon.move.number = 0
    mon.bide_damage = int(mon.bide_damage + position.damage) & WORD
    mon.attacks_left -= 1
    if mon.attacks_left:
        return NOWHERE
    mon.volatile &= ~codes.BIDING
    mon.move.number = effects.MOVE_BIDE
    mon.move.power = 1
    position.damage = int(mon.bide_damage) * 2 & WORD
    if position.damage == 0:
        position.missed = 1
    mon.bide_damage = 0
    return STRUCK


@compiled
def start_bide(position: Position, side: int) -> None:
    """Begin to store damage for 2 or 3 turns (BideEffect)."""
    mon = position.sides[side]
    mon.volatile |= codes.BIDING
    mon.bide_damage = 0
    mon.attacks_left = 2 + below(position, 2)
    # The game clears the effects of both sides' loaded moves.
    mon.move.effect = position.sides[1 - side].move.effect = 0


@compiled
def start_thrash(position: Position, side: int) -> None:
    """Begin to thrash for 2 or 3 more turns (ThrashPetalDanceEffect)."""
    mon = position.sides[side]
    mon.volatile |= codes.THRASHING
    mon.attacks_left = 2 + below(position, 2)


@compiled
def start_trapping(position: Position, side: int) -> None:
    """Begin to trap the target for 1 to 4 more turns (TrappingEffect); a miss ends it at once."""
    mon, target = position.sides[side], position.sides[1 - side]
    if mon.volatile & codes.TRAPPING:
        return
    # Before it is known whether the move hits.
    target.volatile &= ~codes.RECHARGING
    mon.volatile |= codes.TRAPPING
    mon.attacks_left = several(position) - 1


@compiled
def several(position: Position) -> int:
    """Return 2 to 5: both 2 and 3 in three of eight cases."""
    number = below(position, 4)
    return 2 + (number if number < 2 else below(position, 4))


@compiled
def start_hitting_again(position: Position, side: int) -> None:
    """Decide how often a move hits that hits more than once (TwoToFiveAttacksEffect)."""
    mon = position.sides[side]
    if mon.volatile & codes.HITTING_AGAIN:
        return
    mon.volatile |= codes.HITTING_AGAIN
    if mon.move.effect in effects.SEVERAL_HITS:
        mon.attacks_left = several(position)
        return
    mon.attacks_left = 2
    if mon.move.effect == effects.TWINEEDLE:
        mon.move.effect = effects.POISON_SIDE_1


@compiled
def start_charging(position: Position, side: int) -> None:
    """Spend the first turn of a move that charges (ChargeEffect); those who fly or dig are out of reach."""
    mon = position.sides[side]
    mon.volatile |= codes.CHARGING
    if mon.move.effect == effects.FLY or mon.move.number == effects.MOVE_DIG:
        mon.volatile |= codes.INVULNERABLE
