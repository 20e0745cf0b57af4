"""Numbers of move effects, moves and types that the battle policy treats specially."""

from typing import Final

SLEEP: Final = 32
CHARGES_HIDDEN: Final = 43
RECOIL: Final = 48
CONFUSE: Final = 49
HEAL: Final = 56
LIGHT_SCREEN: Final = 64
REFLECT: Final = 65
POISON: Final = 66
PARALYZE: Final = 67
RAGE: Final = 81  # its user repeats it until it faints or the battle ends
LEECH_SEED: Final = 84

TOXIC_MOVE: Final = 92
REST_MOVE: Final = 156  # heals everything, and its user sleeps
DIG_MOVE: Final = 91  # its user cannot be hit while it charges, as with FLY
STRUGGLE_MOVE: Final = 165
HM_MOVES: Final = frozenset({15, 19, 57, 70, 148})  # cannot be forgotten

POISON_TYPE: Final = 3
GROUND_TYPE: Final = 4
GRASS_TYPE: Final = 22
ELECTRIC_TYPE: Final = 23
