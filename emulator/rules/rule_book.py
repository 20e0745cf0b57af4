"""Battle tables of the cartridge: the type chart, applied in the order of its rows, and the stat stage ratios."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

from emulator.rules.arithmetic import LOWEST_STAGE, at_stage, with_matchup

TENTH = 10


class Matchup(NamedTuple):
    """The effect of one type on another in tenths; pairs that are not listed have ten."""

    attacking: int
    defending: int
    tenths: int


@dataclass(frozen=True, slots=True)
class TypeChart:
    """Every listed pair of types, in the order of the cartridge."""

    matchups: tuple[Matchup, ...]
    _by_type: dict[int, tuple[Matchup, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_type: dict[int, tuple[Matchup, ...]] = {}
        for matchup in self.matchups:
            by_type[matchup.attacking] = (*by_type.get(matchup.attacking, ()), matchup)
        object.__setattr__(self, "_by_type", by_type)

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int]]) -> "TypeChart":
        """Return the chart with these rows."""
        return cls(tuple([Matchup(*row) for row in rows]))

    def apply(self, damage: int, move_type: int, types: tuple[int, int]) -> int:
        """Return `damage` after each row that matches one of the two types, rounded down each time."""
        for matchup in self._by_type.get(move_type, ()):
            if matchup.defending in types:
                damage = with_matchup(damage, matchup.tenths)
        return damage

    def multiplier(self, move_type: int, types: tuple[int, int]) -> Fraction:
        """Return the effectiveness of a move of this type against these two types."""
        product = Fraction(1)
        for matchup in self._by_type.get(move_type, ()):
            if matchup.defending in types:
                product *= Fraction(matchup.tenths, TENTH)
        return product


STAGES: Final = range(LOWEST_STAGE, 7)


class StageRatio(NamedTuple):
    """The ratio by which a stage multiplies a stat."""

    numerator: int
    denominator: int


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The tables of the battle arithmetic; `ratios` begin with the lowest stage."""

    chart: TypeChart
    ratios: tuple[StageRatio, ...]

    def scaled(self, value: int, stage: int) -> int:
        """Return `value` at a stat stage, which may be negative; at least 1."""
        numerator, denominator = self.ratios[stage - LOWEST_STAGE]
        return at_stage(value, numerator, denominator)
