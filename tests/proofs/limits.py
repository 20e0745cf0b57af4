"""Measured times and sizes against the limits of the design; a figure whose 99th percentile is above one is a problem.

Times are processor times, which other load does not change; figures that wait for a disk have wall-clock times as well.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import process_time
from typing import Final, Literal, TypeAlias

from agent.lab.stats import Distribution
from tests.proofs.workers import Row

Unit: TypeAlias = Literal["ms", "μs", "KB"]
BoundVerdict: TypeAlias = Literal[
    "within the aim", "within the limit", "ABOVE THE LIMIT", "no limit"
]


def lapse(work: Callable[[], object], clock: Callable[[], float] = process_time) -> float:
    """Return the seconds that `work` takes."""
    start = clock()
    work()
    return clock() - start


@dataclass(frozen=True, slots=True)
class BoundedFigure:
    """One measured figure, with the limit of the design and our aim, if any, all in `unit`."""

    what: str
    limit: float | None
    aim: float | None
    values: Distribution
    unit: Unit = "ms"

    @property
    def verdict(self) -> BoundVerdict:
        """The verdict on its 99th percentile."""
        p99, limit, aim = self.values.p99, self.limit, self.aim
        if limit is None:
            return "no limit"
        if aim is not None and p99 <= aim:
            return "within the aim"
        return "within the limit" if p99 <= limit else "ABOVE THE LIMIT"

    @property
    def problem(self) -> str:
        """What is wrong with it: '' while its 99th percentile is within the limit."""
        if self.verdict != "ABOVE THE LIMIT":
            return ""
        return f"{self.what}: {self.values.p99:.3g} {self.unit}, and the limit is {self.limit:g}"


def limits_row(
    name: str, held: Mapping[str, int], figures: Sequence[BoundedFigure], **more: object
) -> Row:
    """Return the row of a proof that measured figures; `held` counts the data present during the measurement."""
    found = [{**asdict(each), "verdict": each.verdict} for each in figures]
    problems = [each.problem for each in figures if each.problem]
    measured = {"held": dict(held), "figures": found, **more}
    return {"name": name, "measured": json.loads(json.dumps(measured)), "problems": problems}


A_SECOND: Final[dict[Unit, float]] = {"ms": 1e3, "μs": 1e6}
Bounds: TypeAlias = tuple[float | None, float | None]  # the limit, and our aim
NO_BOUNDS: Final = (None, None)


def timed(
    what: str, bounds: Bounds, works: Sequence[Callable[[], object]], rounds: int, parts: int = 1
) -> BoundedFigure:
    """Return the time of one part of each of `works`, which are run alternately `rounds` times."""
    return figure(what, bounds, [lapse(work) / parts for _ in range(rounds) for work in works])


def figure(what: str, bounds: Bounds, seconds: Sequence[float], unit: Unit = "ms") -> BoundedFigure:
    """Return the figure of measurements in seconds."""
    values = Distribution.of([each * A_SECOND[unit] for each in seconds])
    return BoundedFigure(what, *bounds, values, unit)
