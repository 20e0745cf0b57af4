"""One life: a forked process that plays, watched through a pipe and killed at the moment that was aimed at."""

import json
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from kills.watch import Teller
from kills.words import Phase

CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Aim:
    """Kill `delay_s` seconds after `phase` was entered for the `count`th time, or after `most_s` at the latest."""

    phase: Phase
    count: int
    delay_s: float
    most_s: float

    def __str__(self) -> str:
        return f"{1000 * self.delay_s:.2f} ms into {self.phase.value} no. {self.count}"


@dataclass(frozen=True, slots=True)
class Death:
    """How a life ended, where it was then, and all it had said."""

    said: Sequence[list[Any]]
    phase: Phase
    code: int | None  # None: it was killed
    seconds: float


@dataclass
class _Line:
    """The pipe from a life, read as far as a kill lets it be written."""

    pipe: int
    phase: Phase
    count: int
    said: list[list[Any]] = field(default_factory=list)
    is_open: bool = True
    _rest: bytes = b""

    def read(self) -> bool:
        """Take what is there; return whether the phase that is aimed at was just entered."""
        data = os.read(self.pipe, CHUNK)
        self.is_open = bool(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        is_entered = False
        for line in lines:
            word = json.loads(line)
            self.said.append(word)
            if word == ["in", self.phase.value]:
                self.count -= 1
                is_entered = is_entered or self.count == 0
        return is_entered

    def wait(self, until: float) -> bool:
        """Return whether there is something to read before `until`."""
        return bool(select.select([self.pipe], [], [], max(until - perf_counter(), 0.0))[0])


def lived(play: Callable[[Teller], None], aim: Aim, log: Path) -> Death:
    """Play in a child of this process, kill it as aimed, and return what is known of it."""
    start = perf_counter()
    pipe, end = os.pipe()
    wait, go = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(pipe)
        _play_and_exit(play, Teller(end, wait, aim.phase, aim.count), log)
    os.close(end)
    line = _Line(pipe, aim.phase, aim.count)
    deadline = start + aim.most_s
    while line.is_open and line.wait(deadline):
        if line.read():
            os.write(go, b"!")
            _pass_time(aim.delay_s)
            break
    if line.is_open:
        os.kill(child, signal.SIGKILL)
        while line.is_open:
            line.read()
    for each in (pipe, wait, go):
        os.close(each)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = None if status == -signal.SIGKILL else status
    return Death(line.said, phase_after(line.said), code, perf_counter() - start)


def _pass_time(seconds: float) -> None:
    """Return after so long; a sleep would not be exact enough."""
    until = perf_counter() + seconds
    while perf_counter() < until:
        pass


def phase_after(said: Sequence[list[Any]]) -> Phase:
    """Return where a life was that had said so much."""
    inside = [Phase.STARTING]
    for word, *about in said:
        if word == "in":
            inside.append(Phase(about[0]))
        elif word == "out" and inside.pop() is Phase.PLAYING:
            inside = [Phase.ENDING]
    return inside[-1]


def _play_and_exit(play: Callable[[Teller], None], teller: Teller, log: Path) -> None:
    """Never return: what is below on the stack belongs to the parent."""
    code = 1
    try:
        with log.open("a", encoding="utf-8") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            play(teller)
        code = 0
    except BaseException:  # noqa: BLE001  # a child must not come back into the parent's code
        traceback.print_exc(file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(code)
