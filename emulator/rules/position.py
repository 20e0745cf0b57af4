"""The position of a battle, everything on which its next turn depends, and the tables of a cartridge, as records of integers.

`POSITION` is a numpy record; fields are read and written by name (`position.sides[0].hp`). All are 64-bit
integers, so that functions are compiled for one kind only. Names are pret's without the prefix: `damage` is wDamage, `side.used` is
wPlayerUsedMove or wEnemyUsedMove, `ai_uses` is wAICount. Stats are in the order attack, defense, speed, special.
"""

from bisect import bisect_left
from collections.abc import Iterable
from operator import itemgetter
from typing import Final, TypeAlias

import numpy as np

from emulator.ram.battle_mon import Volatile

Position: TypeAlias = np.record
Side: TypeAlias = np.record
NUMBER: Final = np.int64


def record(*fields: tuple[str, object] | tuple[str, object, int | tuple[int, ...]]) -> np.dtype:
    """Return a record type whose fields are read as attributes."""
    return np.dtype((np.record, list(fields)))


def numbers(names: str) -> list[tuple[str, object]]:
    """Return one field for each of the names."""
    return [(name, NUMBER) for name in names.split()]


SLOTS: Final = 4  # moves of a Pokemon
TEAM: Final = 6
STATS: Final = 4  # that stages change
STAGES: Final = 6  # of those, accuracy and evasion
BAG: Final = 20
NO_ONE: Final = -1

# A member of a team, as in the party. `max_hp` and `stats` are those of its level; `max_pp` includes PP Ups.
MEMBER: Final = record(
    *numbers("species level hp max_hp status exp traded can_evolve"),
    ("moves", NUMBER, SLOTS),
    ("pp", NUMBER, SLOTS),
    ("max_pp", NUMBER, SLOTS),
    ("stats", NUMBER, STATS),
    ("dvs", NUMBER, STATS),
    ("stat_exp", NUMBER, STATS + 1),  # HP first
)
# A move as the game has loaded it: effects change it until another one is loaded.
LOADED: Final = record(*numbers("number effect power type accuracy"))
# One side: the Pokemon in battle (`out` is its place in the team), what it does, and its team. `selected` is the move
# of this turn or CANNOT_MOVE, `slot` its place, `used` the last one that was announced (for Mirror Move).
SIDE: Final = record(
    *numbers("species level hp max_hp status type1 type2 volatile"),
    ("stats", NUMBER, STATS),
    ("unmodified", NUMBER, STATS),
    ("plain", NUMBER, STATS),  # those of critical hits
    ("stages", NUMBER, STAGES),  # -6 to 6
    ("moves", NUMBER, SLOTS),
    ("pp", NUMBER, SLOTS),
    *numbers("confused toxic disabled disabled_turns disabled_move attacks_left bide_damage"),
    *numbers("substitute selected slot used mimic_slot out count"),
    ("move", LOADED),
    ("team", MEMBER, TEAM),
)
# `kind` and `outcome` are the codes below; `participants` and `gainers` are bits by place in our team
# (wPartyFoughtCurrentEnemyFlags, wPartyGainExpFlags); `missed` and `critical` are those of the last move,
# `must_send` says that we have tried to run instead of sending another Pokemon.
POSITION: Final = record(
    *numbers("kind outcome damage missed critical badges trainer_class ai_uses ai_turns"),
    *numbers("run_attempts gainers participants pay_day money catch_rate bait rock balls"),
    *numbers("must_send turns seed draws"),
    ("bag_items", NUMBER, BAG),
    ("bag_counts", NUMBER, BAG),
    ("sides", SIDE, 2),
)

OURS: Final = 0
THEIRS: Final = 1

# Kinds of battles. In a link battle both sides are players: PP, no badges, no extra misses, replacements chosen.
WILD: Final = 0
TRAINER: Final = 1
SAFARI: Final = 2
LINK: Final = 3

# How a turn ended. The replacements wait for `send`.
GOES_ON: Final = 0
WE_SEND: Final = 1
THEY_SEND: Final = 2
BOTH_SEND: Final = 3
WON: Final = 4
LOST: Final = 5
DRAWN: Final = 6
RAN: Final = 7
CAUGHT: Final = 8
FOE_LEFT: Final = 9

# Choices, one kind of small integer.
SWITCH: Final = 4  # to the member at choice - SWITCH
RUN: Final = 10
GO_ON: Final = 11  # no move is chosen: asleep, recharging, in the middle of a move
STRUGGLES: Final = 12  # no move can be chosen
BAIT: Final = 13
ROCK: Final = 14
MIMIC_ONE: Final = 16  # MIMIC_ONE + slot * 4 + the slot of the move to copy
ITEM: Final = 32  # ITEM + item * 32 + place in the team * 4 + move slot
DECIDES: Final = -1  # the foe chooses as the game does
PER_ITEM: Final = 32

ATTACK: Final = 0
DEFENSE: Final = 1
SPEED: Final = 2
SPECIAL: Final = 3
ACCURACY: Final = 4
EVASION: Final = 5

# Major status, as stored.
ASLEEP: Final = 7  # a mask: turns left
POISONED: Final = 1 << 3
BURNED: Final = 1 << 4
FROZEN: Final = 1 << 5
PARALYZED: Final = 1 << 6

# Volatile status: the bits of `Volatile`, of which the lowest byte is the first status byte.
BIDING: Final[int] = Volatile.BIDING.value
THRASHING: Final[int] = Volatile.THRASHING.value
HITTING_AGAIN: Final[int] = Volatile.HITTING_AGAIN.value
FLINCHED: Final[int] = Volatile.FLINCHED.value
CHARGING: Final[int] = Volatile.CHARGING.value
TRAPPING: Final[int] = Volatile.TRAPPING.value
INVULNERABLE: Final[int] = Volatile.INVULNERABLE.value
CONFUSED: Final[int] = Volatile.CONFUSED.value
ALWAYS_HITS: Final[int] = Volatile.ALWAYS_HITS.value
MIST: Final[int] = Volatile.MIST.value
FOCUSED: Final[int] = Volatile.FOCUSED.value
SUBSTITUTE: Final[int] = Volatile.SUBSTITUTE.value
RECHARGING: Final[int] = Volatile.RECHARGING.value
RAGING: Final[int] = Volatile.RAGING.value
SEEDED: Final[int] = Volatile.SEEDED.value
BADLY_POISONED: Final[int] = Volatile.BADLY_POISONED.value
LIGHT_SCREEN: Final[int] = Volatile.LIGHT_SCREEN.value
REFLECT: Final[int] = Volatile.REFLECT.value
TRANSFORMED: Final[int] = Volatile.TRANSFORMED.value

CANNOT_MOVE: Final = 0xFF


def empty_positions(count: int) -> np.ndarray:
    """Return `count` blank positions."""
    return np.zeros(count, POSITION)


def choice_of_item(item: int, member: int = 0, slot: int = 0) -> int:
    """Return the choice to use an item on a member of the team, or on one of its moves."""
    return ITEM + item * PER_ITEM + member * SLOTS + slot


Tables: TypeAlias = np.record
# The tables of a cartridge as the engine takes them: one record of integers, built once from decoded tables.
MOVES: Final = 166
SPECIES: Final = 191
CLASSES: Final = 48
STAGE_COUNT: Final = 13
CHART: Final = 128
TYPES: Final = 256  # numbers of a byte
LESSONS: Final = 24
CHOICES: Final = 4

MOVE: Final = record(*numbers("effect power type accuracy pp high_critical"))
ROW: Final = record(*numbers("attacking defending tenths"))
LESSON: Final = record(*numbers("level move"))
# `evolves_at` is the level of an evolution by level, or 0; growth coefficients as in `rules.stats.Growth`.
SPECIES_ROW: Final = record(
    *numbers("type1 type2 catch_rate base_experience evolves_at evolves_to"),
    *numbers("numerator denominator square linear minus"),
    ("base_stats", NUMBER, 5),  # HP first
    ("lessons", LESSON, LESSONS),
)
CLASS: Final = record(*numbers("base_money"), ("choices", NUMBER, CHOICES))
TABLES: Final = record(
    ("moves", MOVE, MOVES),
    # By attacking type, for each in the order of the cartridge; those of a type end where those of the next begin.
    ("chart", ROW, CHART),
    ("first_row", NUMBER, TYPES + 1),
    ("numerators", NUMBER, STAGE_COUNT),
    ("denominators", NUMBER, STAGE_COUNT),
    ("species", SPECIES_ROW, SPECIES),
    ("classes", CLASS, CLASSES),
)


def empty_tables() -> Tables:
    """Return blank tables."""
    tables: Tables = np.zeros(1, TABLES)[0]
    return tables


def put_chart(tables: Tables, matchups: Iterable[tuple[int, int, int]]) -> None:
    """Write the type chart: attacking and defending type, and the effect in tenths, in the order of the cartridge."""
    rows = sorted(matchups, key=itemgetter(0))
    tables.chart[: len(rows)] = rows
    attacking = [row[0] for row in rows]
    tables.first_row[:] = [bisect_left(attacking, kind) for kind in range(TYPES + 1)]
