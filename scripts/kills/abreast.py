"""Work done side by side in processes that have children of their own, which tell of it as it comes."""

from collections.abc import Callable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any


def abreast(jobs: int, work: Callable[[Connection, int], None]) -> Iterator[Any]:
    """Yield what the calls `work(told, number)` send to `told`, each in a process of its own."""
    processes = get_context("fork")
    lanes: list[Connection] = []
    for number in range(jobs):
        here, there = processes.Pipe(duplex=False)
        # Not daemonic: those could not have children, and a lane is there to have them.
        processes.Process(target=work, args=(there, number)).start()
        there.close()
        lanes.append(here)
    while lanes:
        for lane in wait(lanes):
            assert isinstance(lane, Connection)
            try:
                yield lane.recv()
            except EOFError:
                lanes.remove(lane)


def share(count: int, jobs: int, number: int) -> int:
    """Return how much of `count` is the part of the job `number`."""
    return count * (number + 1) // jobs - count * number // jobs
