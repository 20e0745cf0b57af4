"""How long something takes, time after time.

In time of the processor, which whatever else runs on the machine does not add to; with the disk, in time of the wall.
"""

from collections.abc import Callable, Sequence
from time import perf_counter, process_time
from typing import Final

from agent.bench.figures import Spread
from agent.bench.memory.figures import Bound, MemoryFigure, Unit

A_SECOND: Final[dict[Unit, float]] = {"ms": 1e3, "μs": 1e6}


def timed(bound: Bound, works: Sequence[Callable[[], object]], rounds: int) -> MemoryFigure:
    """Return what each of `works` takes, all of them done by turns, `rounds` times."""
    took = [lapse(work) for _ in range(rounds) for work in works]
    return figure(bound, took)


def figure(bound: Bound, seconds: Sequence[float]) -> MemoryFigure:
    """Return the figure that measurements in seconds come to."""
    factor = A_SECOND[bound.unit]
    return MemoryFigure(bound, Spread.of([each * factor for each in seconds]))


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
