"""What works with a disk take: of the processor, which is ours, and of the wall, where disk and all that runs beside are in."""

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter, thread_time
from typing import NamedTuple, TypeVar

from agent.bench.memory.figures import Bound, MemoryFigure
from agent.bench.memory.timing import figure

Result = TypeVar("Result")


class Lapse(NamedTuple):
    """The seconds of one work, in the thread that did it."""

    cpu_s: float
    wall_s: float


@dataclass(frozen=True, slots=True)
class Lapses:
    """All lapses, by what was done."""

    by: dict[Bound, list[Lapse]] = field(default_factory=dict)

    def note(self, bound: Bound, took: Lapse) -> None:
        """Keep what was measured."""
        self.by.setdefault(bound, []).append(took)

    def of(self, bound: Bound, work: Callable[[], Result], parts: int = 1) -> Result:
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
