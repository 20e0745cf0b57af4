"""Exact arithmetic of battles and growth, on records only; independent of cartridge and RAM addresses."""

from emulator.rules.arithmetic import HIGHEST_LEVEL, full_pp, rolled
from emulator.rules.damage import ROLLS, full_damage, hit_chance, run_chance
from emulator.rules.effects import (
    CHARGES,
    CONFUSE,
    DREAM_EATER,
    EXPLODE,
    HEAL,
    HYPER_BEAM,
    LEECH_SEED,
    MOVE_COUNTER,
    ONE_HIT,
    PARALYZE,
    POISON,
    REFLECT,
    SEVERAL_HITS,
    SLEEP,
    SPECIAL_DAMAGE,
    SUPER_FANG,
    TWO_HITS,
)
from emulator.rules.moves import Attacker, Defender, MoveData
from emulator.rules.position import Position, Tables, empty_positions
from emulator.rules.stats import experience_gained, stage_change, stats_of
