"""Effects of moves, as numbers of the contract, that a policy has to know of beyond their damage."""

from typing import Final

DRAIN: Final = 3
EXPLODE: Final = 7
DREAM_EATER: Final = 8
SLEEP: Final = 32
HALF: Final = 40
SET_DAMAGE: Final = 41
CHARGES_HIDDEN: Final = 43
TWO_TURNS: Final = (39, 43)  # one to get ready, one to strike
HYPER_BEAM: Final = 80  # one to strike, one to rest
RECOIL: Final = 48
CONFUSE: Final = 49
HEAL: Final = 56
LIGHT_SCREEN: Final = 64
REFLECT: Final = 65
POISON: Final = 66
PARALYZE: Final = 67
LEECH_SEED: Final = 84

TOXIC_MOVE: Final = 92
DIG_MOVE: Final = 91  # charges out of reach, too
COUNTER_MOVE: Final = 68
STRUGGLE_MOVE: Final = 165
HM_MOVES: Final = frozenset({15, 19, 57, 70, 148})  # which cannot be forgotten

POISON_TYPE: Final = 3
GRASS_TYPE: Final = 22
