"""Catching a wild Pokemon with a ball, and the battles of the Safari Zone."""

from typing import Final

from emulator.rules import arithmetic, codes
from emulator.rules.arithmetic import BYTE
from emulator.rules.engine.chance import below, happens
from emulator.rules.engine.compiled import compiled
from emulator.rules.position import Position, Tables

MASTER_BALL: Final = 1
GREAT_BALL: Final = 3
POKE_BALL: Final = 4
GREAT_BALL_BYTES: Final = (
    201  # equally likely first bytes; the game draws again until it has one of them
)
OTHER_BYTES: Final = 151  # Ultra Ball, Safari Ball
HELPLESS: Final = 25
ILL: Final = 12
FIVE: Final = 5

catch_threshold = compiled(arithmetic.catch_threshold)


@compiled
def throw_ball(position: Position, ball: int) -> bool:
    """Draw whether a ball catches the foe (ItemUseBall)."""
    foe = position.sides[codes.THEIRS]
    if ball == MASTER_BALL:
        return True
    first = BYTE if ball == POKE_BALL else OTHER_BYTES
    if ball == GREAT_BALL:
        first = GREAT_BALL_BYTES
    drawn = below(position, first)
    if foe.status:
        drawn -= HELPLESS if foe.status & (codes.ASLEEP | codes.FROZEN) else ILL
    if drawn < 0:
        return True
    factor = 8 if ball == GREAT_BALL else 12
    threshold = catch_threshold(int(foe.max_hp), int(foe.hp), factor)
    return bool(drawn <= position.catch_rate) and happens(position, threshold)


@compiled
def play_safari_turn(position: Position, choice: int, tables: Tables) -> int:
    """Throw a ball (any choice but the others), bait or a rock, or run; then the foe may leave."""
    if choice == codes.RUN:
        return codes.RAN
    if choice == codes.BAIT:
        position.catch_rate //= 2
        position.rock = 0
        position.bait = min(int(position.bait) + 1 + below(position, FIVE), BYTE - 1)
    elif choice == codes.ROCK:
        position.catch_rate = min(int(position.catch_rate) * 2, BYTE - 1)
        position.bait = 0
        position.rock = min(int(position.rock) + 1 + below(position, FIVE), BYTE - 1)
    else:
        position.balls -= 1
        if throw_ball(position, choice):
            return codes.CAUGHT
    if position.balls == 0:
        return codes.RAN
    return codes.FOE_LEFT if leaves_safari(position, tables) else codes.GOES_ON


@compiled
def leaves_safari(position: Position, tables: Tables) -> bool:
    """Count down bait and anger, and draw whether the foe leaves."""
    foe = position.sides[codes.THEIRS]
    if position.bait:
        position.bait -= 1
    elif position.rock:
        position.rock -= 1
        if position.rock == 0:
            position.catch_rate = tables.species[foe.species].catch_rate
    odds = int(foe.stats[codes.SPEED]) % BYTE * 2
    if odds >= BYTE:
        return True
    if position.bait:
        odds //= 4
    if position.rock:
        odds = min(odds * 2, BYTE - 1)
    return happens(position, odds)
