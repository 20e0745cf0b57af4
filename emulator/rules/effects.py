"""The effects and moves, as numbers of the contract, whose damage, order or cost is a special case."""

from __future__ import annotations

from typing import Final

DRAIN: Final = 3  # gives its user half of what it takes
EXPLODE: Final = 7  # halves the defense it meets, and its user faints
DREAM_EATER: Final = 8  # misses whoever is awake
SWIFT: Final = 17  # never misses
THRASH: Final = 27  # goes on for turns, and ends in confusion
SEVERAL_HITS: Final = (29, 30)  # two to five
ONE_HIT: Final = 38  # knocks out whoever is not faster
CHARGES: Final = (39, 43)  # strike in their second turn; the latter out of reach before that
HALF: Final = 40  # takes half of what is left
FIXED: Final = 41  # takes an amount that depends on the move
TRAP: Final = 42  # goes on for turns, in which the other side cannot act
TWO_HITS: Final = (44, 77)
CRASH: Final = 45  # hurts its user when it misses
RECOIL: Final = 48  # hurts its user as well
RECHARGE: Final = 80  # costs a turn afterwards, unless it missed or knocked out

FIXED_AMOUNTS: Final = {49: 20, 82: 40}
LEVEL_AMOUNTS: Final = (69, 101)  # take the user's level
RANDOM_AMOUNT: Final = 149
FIRST: Final = 98  # the move that goes first
LAST_RESORT: Final = 165  # what is left without PP; its recoil is greater
LAST: Final = 68  # the move that goes last, and gives back what it got: nobody can foresee it
