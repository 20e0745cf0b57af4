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

from emulator.rules import codes

Position: TypeAlias = np.record
Side: TypeAlias = np.record
NUMBER: Final = np.int64


def record(*fields: tuple[str, object] | tuple[str, object, int | tuple[int, ...]]) -> np.dtype:
    """Return a record type whose fields are read as attributes."""
    return np.dtype((np.record, list(fields)))


def numbers(names: str) -> list[tuple[str, object]]:
    """Return one field for each of the names."""
    return [(name, NUMBER) for name in names.split()]


# A member of a team, as in the party. `max_hp` and `stats` are those of its level; `max_pp` includes PP Ups.
MEMBER: Final = record(
    *numbers("species level hp max_hp status exp traded can_evolve"),
    ("moves", NUMBER, codes.SLOTS),
    ("pp", NUMBER, codes.SLOTS),
    ("max_pp", NUMBER, codes.SLOTS),
    ("stats", NUMBER, codes.STATS),
    ("dvs", NUMBER, codes.STATS),
    ("stat_exp", NUMBER, codes.STATS + 1),  # HP first
)
# A move as the game has loaded it: effects change it until another one is loaded.
LOADED: Final = record(*numbers("number effect power type accuracy"))
# One side: the Pokemon in battle (`out` is its place in the team), what it does, and its team. `selected` is the move
# of this turn or CANNOT_MOVE, `slot` its place, `used` the last one that was announced (for Mirror Move).
SIDE: Final = record(
    *numbers("species level hp max_hp status type1 type2 volatile"),
    ("stats", NUMBER, codes.STATS),
    ("unmodified", NUMBER, codes.STATS),
    ("plain", NUMBER, codes.STATS),  # those of critical hits
    ("stages", NUMBER, codes.STAGES),  # -6 to 6
    ("moves", NUMBER, codes.SLOTS),
    ("pp", NUMBER, codes.SLOTS),
    *numbers("confused toxic disabled disabled_turns disabled_move attacks_left bide_damage"),
    *numbers("substitute selected slot used mimic_slot out count"),
    ("move", LOADED),
    ("team", MEMBER, codes.TEAM),
)
# `kind` and `outcome` are among `codes`; `participants` and `gainers` are bits by place in our team
# (wPartyFoughtCurrentEnemyFlags, wPartyGainExpFlags); `missed` and `critical` are those of the last move,
# `must_send` says that we have tried to run instead of sending another Pokemon.
POSITION: Final = record(
    *numbers("kind outcome damage missed critical badges trainer_class ai_uses ai_turns"),
    *numbers("run_attempts gainers participants pay_day money catch_rate bait rock balls"),
    *numbers("must_send turns seed draws"),
    ("bag_items", NUMBER, codes.BAG),
    ("bag_counts", NUMBER, codes.BAG),
    ("sides", SIDE, 2),
)


def empty_positions(count: int) -> np.ndarray:
    """Return `count` blank positions."""
    return np.zeros(count, POSITION)


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
CLASS: Final = record(("choices", NUMBER, CHOICES))
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
