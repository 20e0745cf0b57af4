"""Running many scenarios, one after the other or several at a time, each of those in a process of its own."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from agent.scenario.cache import Cache
from agent.scenario.file import Scenario, read_scenario
from agent.scenario.run import Report, run_scenario
from emulator import Cartridge


def run_all(scenarios: Sequence[Scenario], cartridge: Cartridge, jobs: int = 1) -> Iterator[Report]:
    """Yield how each went, in their order, with as many at a time as there are `jobs`."""
    cache = Cache.of(cartridge)
    if jobs == 1:
        yield from (run_scenario(each, cartridge, cache) for each in scenarios)
        return
    files = [(each.path, each.states, each.seed) for each in scenarios]
    # A process that began as a copy of this one would share what the emulator has open.
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))
    try:
        with _ctrl_c_passed_over():  # who is started now goes on so: it ends with what it is at
            reports = pool.map(partial(_run, cartridge=cartridge, cache=cache), files)
        yield from reports
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_passed_over() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _run(file: tuple[Path, Path, int], cartridge: Cartridge, cache: Cache) -> Report:
    """Run the scenario of a file, read again: what it demands are functions, which no process can hand on."""
    path, states, seed = file
    scenario = replace(read_scenario(path, states), seed=seed)
    return run_scenario(scenario, cartridge, cache)
