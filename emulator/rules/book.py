"""What the arithmetic takes from the cartridge: the chart of types and the ratios of stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from emulator.rules.chart import TypeChart

LOWEST_STAGE: Final = -6
STAGES: Final = range(LOWEST_STAGE, 7)


class Ratio(NamedTuple):
    """What a stat is multiplied with, and then divided by."""

    numerator: int
    denominator: int


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The tables that battles are computed with; `ratios` begin with the lowest stage."""

    chart: TypeChart
    ratios: tuple[Ratio, ...]

    def scaled(self, value: int, stage: int) -> int:
        """Return a number after `stage` raises, or falls when it is negative; at least 1."""
        numerator, denominator = self.ratios[stage - LOWEST_STAGE]
        return max(value * numerator // denominator, 1)
