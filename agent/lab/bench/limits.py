"""Measured times and sizes against the limits of the design. Verdicts use the 99th percentile.

Times are processor times, which other load does not change; figures that wait for a disk have wall-clock times as well.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import process_time
from typing import Final, Literal, TypeAlias

from agent.lab.publish import Findings, Row
from agent.lab.stats import Distribution

Unit: TypeAlias = Literal["ms", "μs", "KB"]
BoundVerdict: TypeAlias = Literal[
    "within the aim", "within the limit", "ABOVE THE LIMIT", "no limit"
]


@dataclass(frozen=True, slots=True)
class FigureBound:
    """The upper bounds of one figure: the limit of the design, and our aim, if any, all in `unit`."""

    what: str
    limit: float | None
    aim: float | None
    unit: Unit = "ms"


@dataclass(frozen=True, slots=True)
class BoundedFigure:
    """One measured figure and its limit."""

    bound: FigureBound
    values: Distribution

    @property
    def verdict(self) -> BoundVerdict:
        """The verdict on its 99th percentile."""
        p99, limit, aim = self.values.p99, self.bound.limit, self.bound.aim
        if limit is None:
            return "no limit"
        if aim is not None and p99 <= aim:
            return "within the aim"
        return "within the limit" if p99 <= limit else "ABOVE THE LIMIT"

    def row(self) -> Row:
        """Return the figure as a row for display."""
        bound = self.bound

        def shown(value: float | None, form: str = "g") -> str:
            return "" if value is None else f"{value:{form}} {bound.unit}"

        return {
            "what": bound.what,
            "p50": shown(self.values.p50, ".3g"),
            "p99": shown(self.values.p99, ".3g"),
            "limit, aim": ", ".join(filter(None, (shown(bound.limit), shown(bound.aim)))),
            "verdict": self.verdict,
        }


def bounded(
    title: str, cartridge: str, held: Mapping[str, int], figures: Sequence[BoundedFigure]
) -> Findings:
    """Return figures with their limits; `held` counts the data present during the measurement."""
    found = {
        "cartridge": cartridge,
        "held": dict(held),
        "figures": [{**asdict(each), "verdict": each.verdict} for each in figures],
    }
    words = ", ".join(f"{count:,} {what}" for what, count in held.items())
    return Findings(f"{title}: {cartridge}, {words}", found, [[each.row() for each in figures]])


A_SECOND: Final[dict[Unit, float]] = {"ms": 1e3, "μs": 1e6}


def timed(
    bound: FigureBound, works: Sequence[Callable[[], object]], rounds: int, parts: int = 1
) -> BoundedFigure:
    """Return the time of one part of each of `works`, which are run alternately `rounds` times."""
    return figure(bound, [lapse(work) / parts for _ in range(rounds) for work in works])


def figure(bound: FigureBound, seconds: Sequence[float]) -> BoundedFigure:
    """Return the figure of measurements in seconds."""
    factor = A_SECOND[bound.unit]
    return BoundedFigure(bound, Distribution.of([each * factor for each in seconds]))


def lapse(work: Callable[[], object], clock: Callable[[], float] = process_time) -> float:
    """Return the seconds that `work` takes."""
    start = clock()
    work()
    return clock() - start
