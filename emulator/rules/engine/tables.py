"""The tables of a cartridge as the engine takes them: one record of integers, built once from decoded tables."""

from typing import Final, TypeAlias

import numpy as np

from emulator.rules.engine.position import NUMBER, numbers, record

Tables: TypeAlias = np.record
MOVES: Final = 166
SPECIES: Final = 191
CLASSES: Final = 48
STAGE_COUNT: Final = 13
CHART: Final = 128
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
    ("chart", ROW, CHART),  # in the order of the cartridge, up to `rows`
    ("rows", NUMBER),
    ("numerators", NUMBER, STAGE_COUNT),
    ("denominators", NUMBER, STAGE_COUNT),
    ("species", SPECIES_ROW, SPECIES),
    ("classes", CLASS, CLASSES),
)


def empty_tables() -> Tables:
    """Return blank tables."""
    tables: Tables = np.zeros(1, TABLES)[0]
    return tables
