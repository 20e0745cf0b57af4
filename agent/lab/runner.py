"""Playing many games at once, each in a process of its own: as a function of ours, or as a command with a time limit.

Knows nothing of what a game is. Progress is reported, and whoever waits may ask for an end.
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
from typing import Final, NamedTuple, TypeAlias, TypeVar

from agent.errors import RunError

POLL: Final = 0.2  # seconds between two looks at whether an end is asked for
GRACE: Final = 10.0  # seconds that a game gets to end by itself when it is asked to

Order = TypeVar("Order")
Played = TypeVar("Played")
Asked: TypeAlias = Callable[[], bool]  # whether an end is asked for
Done: TypeAlias = Callable[[int], object]  # is told how many more are over


def never() -> bool:
    """Ask for no end."""
    return False


def play_all(
    work: Callable[[Order, Asked], Played],
    orders: Sequence[Order],
    *,
    processes: int,
    done: Done,
    asked: Asked = never,
) -> list[Played]:
    """Return what `work`, a function of a module, makes of each order, in their order.

    Raises KeyboardInterrupt once an end is asked for: half of a measurement says nothing.
    """
    if processes > 1:
        return _side_by_side(work, orders, processes, done, asked)
    games = []
    for order in orders:
        games.append(work(order, asked))
        if asked():
            raise KeyboardInterrupt
        done(1)
    return games


def _side_by_side(
    work: Callable[[Order, Asked], Played],
    orders: Sequence[Order],
    processes: int,
    done: Done,
    asked: Asked,
) -> list[Played]:
    with (
        TemporaryDirectory(prefix="bench-") as home,
        # Processes that begin afresh: PyBoy may run threads, which a fork would break. Ctrl-C reaches
        # them too, but the one that waits for all of them ends them, by the file.
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
    """Yield each as it ends, until an end is asked for; what has not begun by then never begins."""
    waiting = set(futures)
    try:
        while waiting and not asked():
            ended, waiting = wait(waiting, POLL, FIRST_COMPLETED)
            yield from ended
    finally:
        for each in waiting:
            each.cancel()


class EndedGame(NamedTuple):
    """How the process of one game ended; `code` is None where it was ended for taking too long."""

    seed: int
    code: int | None
    last_line: str
    wall_s: float


@dataclass
class Runner:
    """Runs `command(seed)` in `home`, `jobs` at a time, none longer than `cap` seconds of wall time.

    What they say goes to `logs`, a file or two for each seed.
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
        """Yield each game as it ends, in whatever order; once `stop` says so, end those under way."""
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
                # A session of its own: Ctrl-C is for whoever waits for all of them.
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
        """Ask what still runs to end, and end what does not."""
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
