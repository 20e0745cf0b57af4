"""The tables of a cartridge as the engine takes them: one record of integers, built once from decoded tables."""

from bisect import bisect_left
from collections.abc import Iterable
from operator import itemgetter
from typing import Final, TypeAlias

import numpy as np

from emulator.rules.engine.position import NUMBER, numbers, record

Tables: TypeAlias = np.record
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
