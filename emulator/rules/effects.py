"""The effect numbers of moves (pret: *_EFFECT), moves with rules of their own, and when an effect comes in its use."""

from typing import Final

import numpy as np

POISON_SIDE_1: Final = 2
DRAIN: Final = 3  # heals its user by half of the damage
BURN_SIDE_1: Final = 4
FREEZE_SIDE_1: Final = 5
PARALYZE_SIDE_1: Final = 6
EXPLODE: Final = 7  # halves the target's defense, and its user faints
DREAM_EATER: Final = 8  # fails on a target that is awake
MIRROR_MOVE: Final = 9
ATTACK_UP_1: Final = 10
EVASION_UP_1: Final = 15
PAY_DAY: Final = 16
SWIFT: Final = 17  # never misses
ATTACK_DOWN_1: Final = 18
EVASION_DOWN_1: Final = 23
CONVERSION: Final = 24
HAZE: Final = 25
BIDE: Final = 26
THRASH: Final = 27  # lasts for turns, and ends in confusion
SWITCH_AND_TELEPORT: Final = 28
SEVERAL_HITS: Final = (29, 30)  # two to five hits
FLINCH_SIDE_1: Final = 31
SLEEP: Final = 32
POISON_SIDE_2: Final = 33
BURN_SIDE_2: Final = 34
PARALYZE_SIDE_2: Final = 36
FLINCH_SIDE_2: Final = 37
ONE_HIT: Final = 38  # knocks out a target that is not faster
CHARGE: Final = 39  # hits in its second turn
SUPER_FANG: Final = 40  # takes half of the remaining HP
SPECIAL_DAMAGE: Final = 41  # takes an amount that depends on the move
TRAP: Final = 42  # lasts for turns in which the other side cannot act
FLY: Final = 43  # hits in its second turn, and is out of reach before that
TWICE: Final = 44
TWINEEDLE: Final = 77
CHARGES: Final = (CHARGE, FLY)
TWO_HITS: Final = (TWICE, TWINEEDLE)
JUMP_KICK: Final = 45
MIST: Final = 46
FOCUS_ENERGY: Final = 47
RECOIL: Final = 48
CONFUSE: Final = 49
ATTACK_UP_2: Final = 50
EVASION_UP_2: Final = 55
HEAL: Final = 56
TRANSFORM: Final = 57
ATTACK_DOWN_2: Final = 58
EVASION_DOWN_2: Final = 63
LIGHT_SCREEN: Final = 64
REFLECT: Final = 65
POISON: Final = 66
PARALYZE: Final = 67
ATTACK_DOWN_SIDE: Final = 68
SPECIAL_DOWN_SIDE: Final = 71
CONFUSION_SIDE: Final = 76
SUBSTITUTE: Final = 79
HYPER_BEAM: Final = 80  # costs a turn afterwards, unless it missed or knocked out
RAGE: Final = 81
MIMIC: Final = 82
METRONOME: Final = 83
LEECH_SEED: Final = 84
SPLASH: Final = 85
DISABLE: Final = 86
COUNT: Final = 87

# Moves, by number.
MOVE_THRASH: Final = 37
MOVE_COUNTER: Final = 68  # Counter: goes last; its damage depends on the enemy's move
MOVE_DIG: Final = 91
MOVE_TOXIC: Final = 92
MOVE_QUICK_ATTACK: Final = 98  # the move that goes first
MOVE_RAGE: Final = 99
MOVE_MIMIC: Final = 102
MOVE_BIDE: Final = 117
MOVE_METRONOME: Final = 118
MOVE_MIRROR_MOVE: Final = 119
MOVE_REST: Final = 156
MOVE_STRUGGLE: Final = 165

INSTEAD: Final = 1  # of damage, and with its own test whether it hits (ResidualEffects1)
BEFORE: Final = 2  # the damage is calculated (SpecialEffectsCont)
SET_DAMAGE: Final = 4  # the damage is not calculated (SetDamageEffects)
AFTER_TEST: Final = 8  # once the damage of 0 is calculated (ResidualEffects2)
ALWAYS: Final = 16  # after the hit, even when it knocked out the target (AlwaysHappenSideEffects)
AT_END: Final = 32  # when the target still stands: all others but SpecialEffects


def _phases() -> np.ndarray:
    instead = [CONVERSION, HAZE, SWITCH_AND_TELEPORT, MIST, FOCUS_ENERGY, CONFUSE, HEAL, TRANSFORM]
    instead += [LIGHT_SCREEN, REFLECT, POISON, PARALYZE, SUBSTITUTE, MIMIC, LEECH_SEED, SPLASH]
    stages = [*range(ATTACK_UP_1, EVASION_UP_1 + 1), *range(ATTACK_DOWN_1, EVASION_DOWN_1 + 1)]
    stages += [*range(ATTACK_UP_2, EVASION_UP_2 + 1), *range(ATTACK_DOWN_2, EVASION_DOWN_2 + 1)]
    always = (DRAIN, EXPLODE, DREAM_EATER, PAY_DAY, *SEVERAL_HITS, TWICE, RECOIL)
    phases = np.full(COUNT, AT_END, np.int32)
    for phase, effects in (
        (INSTEAD, instead),
        (AFTER_TEST, (1, *stages, BIDE, SLEEP)),
        (BEFORE, (THRASH, TRAP)),
        (SET_DAMAGE, (SUPER_FANG, SPECIAL_DAMAGE)),
        (ALWAYS, always),
        (ALWAYS | AT_END, (TWINEEDLE, RAGE)),
        (0, (0, SWIFT, CHARGE, FLY, JUMP_KICK)),
    ):
        phases[list(effects)] = phase
    return phases


PHASES: Final = _phases()
