"""Playing many games at once, each in a process of its own; one that fails or hangs stops no other.

Knows nothing of what a game is: a command for each seed, and the last line of its output.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Final, NamedTuple

POLL: Final = 0.2  # seconds between two looks at whether somebody asked for an end
GRACE: Final = 10.0  # seconds that a game gets to end by itself when it is asked to


class EndedGame(NamedTuple):
    """How the process of one game ended; `code` is None where it was ended for taking too long."""

    seed: int
    code: int | None
    last_line: str
    wall_s: float


def play_command(
    seed: int, run: Path, memory: Path, rom: Path | None, until: str, ticks: int | None
) -> list[str]:
    """Return the command line that plays one game into the folder `run`."""
    command = [sys.executable, "-m", "agent", "play", "--json", "--seed", str(seed)]
    command += ["--run", str(run), "--memory", str(memory), "--until", until]
    if rom is not None:
        command += ["--rom", str(rom)]
    if ticks is not None:
        command += ["--ticks", str(ticks)]
    return command


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

    def play(self, seeds: Sequence[int], stop: Callable[[], bool]) -> Iterator[EndedGame]:
        """Yield each game as it ends, in whatever order; once `stop` says so, end those under way."""
        self.logs.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = {pool.submit(self._play, seed) for seed in seeds}
            try:
                while waiting and not stop():
                    done, waiting = wait(waiting, POLL, FIRST_COMPLETED)
                    yield from (each.result() for each in done)
            finally:
                self._end(waiting)

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

    def _end(self, waiting: set[Future[EndedGame]]) -> None:
        """Ask what still runs to end, and end what does not."""
        for each in waiting:
            each.cancel()
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
