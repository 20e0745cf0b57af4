"""Parallel execution of many games, each in its own process: as a function, or as a command with a time limit.

Knows nothing about games. It reports progress, and the caller may request a stop.
"""

import signal
import subprocess
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import perf_counter
from typing import Final, NamedTuple, TypeVar

from agent.errors import RunError
from agent.tools.progress import Asked, Done, never

POLL: Final = 0.2  # seconds between two checks for a requested stop
GRACE: Final = 10.0  # seconds for a game to end by itself after a stop request

Order = TypeVar("Order")
Played = TypeVar("Played")


def play_all(
    work: Callable[[Order, Asked], Played],
    orders: Sequence[Order],
    *,
    processes: int,
    done: Done,
    asked: Asked = never,
) -> list[Played]:
    """Return the result of `work`, a module-level function, for each order, in sequence.

    Raises KeyboardInterrupt once a stop is requested, because half of a measurement is useless.
    """
    if processes > 1:
        return _in_parallel(work, orders, processes, done, asked)
    games = []
    for order in orders:
        games.append(work(order, asked))
        if asked():
            raise KeyboardInterrupt
        done(1)
    return games


def _in_parallel(
    work: Callable[[Order, Asked], Played],
    orders: Sequence[Order],
    processes: int,
    done: Done,
    asked: Asked,
) -> list[Played]:
    with (
        TemporaryDirectory(prefix="bench-") as home,
        # Spawned processes: PyBoy may run threads, which a fork would break. They ignore Ctrl-C; the
        # parent stops them by creating the file.
        ProcessPoolExecutor(
            processes,
            mp_context=get_context("spawn"),
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        ) as pool,
    ):
        enough = Path(home) / "enough"
        every = [pool.submit(work, order, enough.exists) for order in orders]
        played = 0
        try:
            with closing(_ended(every, asked)) as ended:
                for each in ended:
                    each.result()
                    played += 1
                    done(1)
        except BrokenExecutor as error:
            if asked():
                raise KeyboardInterrupt from error
            message = "the process of a game was killed; try again with fewer --processes"
            raise RunError(message) from error
        finally:
            enough.touch()
        if played < len(every):
            raise KeyboardInterrupt
        return [each.result() for each in every]


def _ended(
    futures: Sequence[Future[Played]], asked: Asked
) -> Generator[Future[Played], None, None]:
    """Yield each future as it ends, until a stop is requested; those not started by then are cancelled."""
    waiting = set(futures)
    try:
        while waiting and not asked():
            ended, waiting = wait(waiting, POLL, FIRST_COMPLETED)
            yield from ended
    finally:
        for each in waiting:
            each.cancel()


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
            every = [pool.submit(self._play, seed) for seed in seeds]
            try:
                yield from (each.result() for each in _ended(every, stop))
            finally:
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
