"""The few effects and moves, as numbers of the contract, whose damage or order is a special case."""

from __future__ import annotations

from typing import Final

EXPLODE: Final = 7  # halves the defense it meets
DREAM_EATER: Final = 8  # misses whoever is awake
SWIFT: Final = 17  # never misses
SEVERAL_HITS: Final = (29, 30)  # two to five
ONE_HIT: Final = 38  # knocks out whoever is not faster
HALF: Final = 40  # takes half of what is left
FIXED: Final = 41  # takes an amount that depends on the move
TWO_HITS: Final = (44, 77)

FIXED_AMOUNTS: Final = {49: 20, 82: 40}
LEVEL_AMOUNTS: Final = (69, 101)  # take the user's level
RANDOM_AMOUNT: Final = 149
FIRST: Final = 98  # the move that goes first
LAST: Final = 68  # the move that goes last, and gives back what it got: nobody can foresee it
