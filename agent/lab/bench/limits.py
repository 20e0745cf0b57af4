"""Measured times and sizes against the limits of the design. A verdict is on the 99th percentile.

Times are of the processor, which whatever else runs does not add to; what waits for a disk is of the wall as well.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter, process_time, thread_time
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from agent.lab.publish import Findings, Row
from agent.lab.stats import Distribution

Unit: TypeAlias = Literal["ms", "μs", "KB"]
BoundVerdict: TypeAlias = Literal[
    "within the aim", "within the limit", "ABOVE THE LIMIT", "no limit"
]


@dataclass(frozen=True, slots=True)
class FigureBound:
    """What one figure may be at most: the design's limit, and our aim, if any; `unit` is of both and of the figure."""

    what: str
    limit: float | None
    aim: float | None
    unit: Unit = "ms"


@dataclass(frozen=True, slots=True)
class BoundedFigure:
    """One measured thing and its limit."""

    bound: FigureBound
    values: Distribution

    @property
    def verdict(self) -> BoundVerdict:
        """How its 99th percentile stands."""
        p99, limit, aim = self.values.p99, self.bound.limit, self.bound.aim
        if limit is None:
            return "no limit"
        if aim is not None and p99 <= aim:
            return "within the aim"
        return "within the limit" if p99 <= limit else "ABOVE THE LIMIT"

    def row(self) -> Row:
        """Return it as people read it."""
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
    """Return figures with their limits, measured while `held` of everything was there."""
    found = {
        "cartridge": cartridge,
        "held": dict(held),
        "figures": [{**asdict(each), "verdict": each.verdict} for each in figures],
    }
    words = ", ".join(f"{count:,} {what}" for what, count in held.items())
    return Findings(f"{title}: {cartridge}, {words}", found, [[each.row() for each in figures]])


A_SECOND: Final[dict[Unit, float]] = {"ms": 1e3, "μs": 1e6}


def timed(bound: FigureBound, works: Sequence[Callable[[], object]], rounds: int) -> BoundedFigure:
    """Return what each of `works` takes, all of them done by turns, `rounds` times."""
    took = [lapse(work) for _ in range(rounds) for work in works]
    return figure(bound, took)


def figure(bound: FigureBound, seconds: Sequence[float]) -> BoundedFigure:
    """Return the figure that measurements in seconds come to."""
    factor = A_SECOND[bound.unit]
    return BoundedFigure(bound, Distribution.of([each * factor for each in seconds]))


def lapse(work: Callable[[], object]) -> float:
    """Return the seconds of the processor that `work` takes."""
    start = process_time()
    work()
    return process_time() - start


def lapse_with_disk(work: Callable[[], object]) -> float:
    """Return the seconds that `work` takes, waiting included."""
    start = perf_counter()
    work()
    return perf_counter() - start


Result = TypeVar("Result")


class Lapse(NamedTuple):
    """The seconds of one work, in the thread that did it."""

    cpu_s: float
    wall_s: float


@dataclass(frozen=True, slots=True)
class Lapses:
    """All lapses, by what was done."""

    by: dict[FigureBound, list[Lapse]] = field(default_factory=dict)

    def note(self, bound: FigureBound, took: Lapse) -> None:
        """Keep what was measured."""
        self.by.setdefault(bound, []).append(took)

    def of(self, bound: FigureBound, work: Callable[[], Result], parts: int = 1) -> Result:
        """Do `work`, which has so many parts, and keep what each of them took on the average; return what came of it."""
        took, result = lapse_of(work)
        self.note(bound, Lapse(took.cpu_s / parts, took.wall_s / parts))
        return result

    def figures(self) -> Iterator[BoundedFigure]:
        """Yield two figures for each thing that was done, both held to its bound."""
        for bound, took in self.by.items():
            cpu = replace(bound, what=f"{bound.what}: of the processor")
            wall = replace(bound, what=f"{bound.what}: of the wall, with the disk")
            yield figure(cpu, [each.cpu_s for each in took])
            yield figure(wall, [each.wall_s for each in took])


def lapse_of(work: Callable[[], Result]) -> tuple[Lapse, Result]:
    """Do `work`; return what it took, and what came of it."""
    gc.freeze()  # as play does: the collector need not go over what was there before
    cpu, wall = thread_time(), perf_counter()
    result = work()
    return Lapse(thread_time() - cpu, perf_counter() - wall), result
