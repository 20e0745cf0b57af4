"""Measured times and sizes against the limits of the design: how they are taken, their verdicts, and their table."""

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter, process_time, thread_time
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from agent.lab.stats import Distribution

Unit: TypeAlias = Literal["ms", "μs", "KB"]
BoundVerdict: TypeAlias = Literal[
    "within the aim", "within the limit", "ABOVE THE LIMIT", "no limit", "with the tapes"
]


@dataclass(frozen=True, slots=True)
class FigureBound:
    """What one figure may be at most: the design's limit, and our aim, if any; `unit` is of both and of the figure."""

    what: str
    limit: float | None
    aim: float | None
    unit: Unit = "ms"


@dataclass(frozen=True, slots=True)
class MemoryFigure:
    """One measured thing; `values` is None for what is not there to be measured yet."""

    bound: FigureBound
    values: Distribution | None

    @property
    def verdict(self) -> BoundVerdict:
        """How its 99th percentile stands."""
        if self.values is None:
            return "with the tapes"
        p99, limit, aim = self.values.p99, self.bound.limit, self.bound.aim
        if limit is None:
            return "no limit"
        if aim is not None and p99 <= aim:
            return "within the aim"
        return "within the limit" if p99 <= limit else "ABOVE THE LIMIT"


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """All figures of memory, at the capacity that `held` tells."""

    cartridge: str
    held: Mapping[str, int]
    figures: Sequence[MemoryFigure]

    @property
    def what_was_held(self) -> str:
        """How much of everything there was, in words."""
        return ", ".join(f"{count:,} {what}" for what, count in self.held.items())

    def as_json(self) -> Mapping[str, Any]:
        """Return the object in plain JSON types."""
        return {
            "cartridge": self.cartridge,
            "held": dict(self.held),
            "figures": [{**asdict(each), "verdict": each.verdict} for each in self.figures],
        }


A_SECOND: Final[dict[Unit, float]] = {"ms": 1e3, "μs": 1e6}


def timed(bound: FigureBound, works: Sequence[Callable[[], object]], rounds: int) -> MemoryFigure:
    """Return what each of `works` takes, all of them done by turns, `rounds` times."""
    took = [lapse(work) for _ in range(rounds) for work in works]
    return figure(bound, took)


def figure(bound: FigureBound, seconds: Sequence[float]) -> MemoryFigure:
    """Return the figure that measurements in seconds come to."""
    factor = A_SECOND[bound.unit]
    return MemoryFigure(bound, Distribution.of([each * factor for each in seconds]))


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

    def figures(self) -> Iterator[MemoryFigure]:
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


HEAD: Final = ("what", "p50", "p99", "limit", "aim", "verdict")
ABOUT: Final = (
    "A verdict is on the 99th percentile. *Limit* is what the design allows, *aim* what we want; sizes have one",
    "measurement each. Times are of the processor, so that whatever else runs does not count; those of saving and",
    "reading a file are of the wall, so that the disk does.",
    "",
    "What a thousand ticks of play write is taken from a real game (`agent/lab/bench/memory_fill.py`) and written again,",
    "later each time, before each consolidation. The hundred thousand observations are of the same kinds, with all",
    "places of that game and all species of the cartridge; they are in a run's file, where recall looks. Recall's limit",
    "is for what play asks: place, species and time. What nobody asks in play is told as a worst case.",
    "",
    "*Overhead* is what consolidation adds to the thousand ticks between two of them: the consolidator is asked every",
    "tick whether one is due. What it takes to watch those ticks and to remember them is another matter, and has a row",
    "of its own: handlers of hooks, extractors, the blackboard and its edges. Deciding, recording, consolidation and",
    "checkpoints are not in it; it is part of what a tick costs, for which `docs/bench.md` has the limit.",
)


class MemoryRow(NamedTuple):
    """One figure in words."""

    what: str
    p50: str
    p99: str
    limit: str
    aim: str
    verdict: str


def memory_rows(figures: MemoryFigures) -> Iterator[MemoryRow]:
    """Yield every figure."""
    for each in figures.figures:
        bound, unit = each.bound, each.bound.unit
        p50, p99 = _values(each)
        yield MemoryRow(
            bound.what, p50, p99, _bound(bound.limit, unit), _bound(bound.aim, unit), each.verdict
        )


def memory_page(figures: MemoryFigures) -> str:
    """Return the page that `bench memory --write` leaves."""
    lines = [
        "# Memory, measured",
        "",
        f"Written by `python -m agent bench memory --write docs/bench_memory.md`, on {os.cpu_count()} cores; every",
        f"figure is from one run of it. {figures.cartridge}, at full capacity: {figures.what_was_held}.",
        "",
        *ABOUT,
        "",
        *figures_as_markdown(figures),
    ]
    return "\n".join(lines) + "\n"


def figures_as_markdown(figures: MemoryFigures) -> list[str]:
    """Return the table of a page, line by line."""
    rows = [f"| {' | '.join(row)} |" for row in memory_rows(figures)]
    return [f"| {' | '.join(HEAD)} |", "|---|--:|--:|--:|--:|---|", *rows]


def _bound(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:g} {unit}"


def _values(figure: MemoryFigure) -> tuple[str, str]:
    values, unit = figure.values, figure.bound.unit
    if values is None:
        return "", ""
    return f"{values.p50:.3g} {unit}", f"{values.p99:.3g} {unit}"
