"""Parallel execution of many games, each in its own process: as a function, or as a command with a time limit.

Knows nothing about games. It reports progress, and the caller may request a stop.
"""

import subprocess
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Final, NamedTuple

from agent.tools.pool import POLL_S, Order, Result, results_of
from agent.tools.progress import Asked, Done, never

GRACE: Final = 10.0  # seconds for a game to end by itself after a stop request


def play_all(
    work: Callable[[Order, Asked], Result],
    orders: Sequence[Order],
    *,
    processes: int,
    done: Done,
    asked: Asked = never,
) -> list[Result]:
    """Return the result of `work`, a module-level function, for each order, in sequence.

    Raises KeyboardInterrupt once a stop is requested, because half of a measurement is useless.
    """
    games = []
    for game in results_of(work, orders, processes, asked):
        games.append(game)
        if asked():
            break
        done(1)
    if len(games) < len(orders) or asked():
        raise KeyboardInterrupt
    return games


class EndedGame(NamedTuple):
    """The end of the process of one game; `code` is None when it was killed at its time limit."""

    seed: int
    code: int | None
    last_line: str
    wall_s: float


@dataclass
class Runner:
    """Runs `command(seed)` in `home`, `jobs` at a time, each for at most `cap` seconds of wall time.

    Their output goes to `logs`, two files for each seed.
    """

    command: Callable[[int], Sequence[str]]
    home: Path
    logs: Path
    jobs: int
    cap: float
    _running: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _stopped: bool = False

    def play(self, seeds: Sequence[int], stop: Asked) -> Generator[EndedGame, None, None]:
        """Yield each game as it ends, in any order; once `stop` returns True, end the running ones."""
        self.logs.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = {pool.submit(self._play, seed) for seed in seeds}
            try:
                while waiting and not stop():
                    ended, waiting = wait(waiting, POLL_S, FIRST_COMPLETED)
                    yield from (each.result() for each in ended)
            finally:
                for each in waiting:
                    each.cancel()
                self._end()

    def _play(self, seed: int) -> EndedGame:
        out, err = (self.logs / f"seed-{seed}.{name}" for name in ("out", "err"))
        start = perf_counter()
        with out.open("wb") as stdout, err.open("wb") as stderr:
            with self._lock:
                if self._stopped:
                    return EndedGame(seed, None, "", 0.0)
                # Its own process session: Ctrl-C is handled by the parent.
                process = self._running[seed] = subprocess.Popen(
                    self.command(seed),
                    cwd=self.home,
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
            try:
                code: int | None = process.wait(self.cap)
            except subprocess.TimeoutExpired:
                code = None
                process.kill()
                process.wait()
        with self._lock:
            del self._running[seed]
        lines = out.read_text(encoding="utf-8", errors="replace").splitlines()
        return EndedGame(seed, code, lines[-1] if lines else "", perf_counter() - start)

    def _end(self) -> None:
        """Terminate the running processes, and kill those that do not end."""
        with self._lock:
            self._stopped = True
            running = list(self._running.values())
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
