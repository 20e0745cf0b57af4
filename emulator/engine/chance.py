"""The chance of a battle: bytes that follow from a seed and a count of draws, both part of the position.

The same position gives the same bytes on every machine, compiled or not: all products stay below 2**63.
"""

from typing import Final

from emulator.compiled import compiled
from emulator.rules.arithmetic import BYTE
from emulator.rules.position import Position

WORD: Final = (1 << 32) - 1
# A mixing function of 32 bits with low bias (C. Wellons, "Prospecting for Hash Functions").
FIRST_FACTOR: Final = 0x21F0AAAD
SECOND_FACTOR: Final = 0x735A2D97
STEP: Final = 0x9E3779B9


@compiled
def mixed(word: int) -> int:
    """Return 32 bits that depend on all bits of `word`."""
    word ^= word >> 16
    word = word * FIRST_FACTOR & WORD
    word ^= word >> 15
    word = word * SECOND_FACTOR & WORD
    return word ^ (word >> 15)


@compiled
def next_word(position: Position) -> int:
    """Return the next 32 random bits."""
    draw = int(position.draws) + 1
    position.draws = draw
    seed = int(position.seed)
    # The draw is mixed before the seed is added: seeds that differ by little give no shifted copies of one sequence.
    return mixed((mixed(draw & WORD) + (seed & WORD) + (seed >> 32) * STEP) & WORD)


@compiled
def random_byte(position: Position) -> int:
    """Return the next random byte, as the game's BattleRandom."""
    return next_word(position) >> 24


@compiled
def below(position: Position, count: int) -> int:
    """Return one of `count` equally likely numbers from 0, as the game does by drawing bytes again."""
    return next_word(position) * count >> 32


@compiled
def happens(position: Position, threshold: int) -> bool:
    """Return whether something happens that does so for `threshold` of 256 random bytes."""
    return threshold >= BYTE or random_byte(position) < threshold
