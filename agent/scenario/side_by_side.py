"""Running many scenarios, one after the other or several at a time, each of those in a process of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
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
    work = partial(_run, cartridge=cartridge, cache=cache)
    # A process that began as a copy of this one would share what the emulator has open.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(work, [(each.path, each.states) for each in scenarios])


def _run(file: tuple[Path, Path], cartridge: Cartridge, cache: Cache) -> Report:
    """Run the scenario of a file, read again: what it demands are functions, which no process can hand on."""
    return run_scenario(read_scenario(*file), cartridge, cache)
