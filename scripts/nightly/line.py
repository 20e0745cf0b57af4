"""The other end of the line: who lives, where they are, and what they have taught."""

import json
import selectors
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final, NamedTuple

from kills.words import Phase

from nightly.taught import Taught

CHUNK: Final = 1 << 16
GLANCE_S: Final = 0.01  # between two looks at what says nothing by itself


class Aim(NamedTuple):
    """The moment to hold at: `phase`, entered at or after `tick` of the run; of a life that begins, whatever its tick."""

    phase: Phase
    tick: int

    @property
    def is_of_a_birth(self) -> bool:
        """Whether only a new life passes it."""
        return self.phase in BIRTH


NEVER: Final = Aim(Phase.ENDING, 1 << 40)
BIRTH: Final = frozenset({Phase.STARTING, Phase.AGEING, Phase.REWINDING})


@dataclass
class Life:
    """One playing child, as far as it tells of itself; `born` and `played_at` are readings of the counter."""

    line: socket.socket
    born: float
    pid: int = 0
    tick: int = -1
    first: int = -1  # tick
    played_at: float = 0.0  # its first tick
    ticked_at: float = 0.0  # its newest
    phase: Phase = Phase.STARTING
    held: Phase | None = None
    is_open: bool = True
    rest: bytes = b""
    inside: list[Phase] = field(default_factory=list)


class Line:
    """Listens on a socket. `aim` is handed to whoever is born or let go."""

    def __init__(self) -> None:
        self.aim = NEVER
        self.lives: list[Life] = []
        self.taught = Taught()
        self._selector = selectors.DefaultSelector()
        self._door = socket.create_server(("127.0.0.1", 0))
        self._selector.register(self._door, selectors.EVENT_READ)

    @property
    def port(self) -> int:
        """Where it listens, on this machine."""
        return int(self._door.getsockname()[1])

    @property
    def life(self) -> Life | None:
        """The child that was born last, if it lives."""
        return self.lives[-1] if self.lives and self.lives[-1].is_open else None

    def until(self, is_so: Callable[[], bool], most_s: float) -> bool:
        """Listen until it is so, or for so many seconds; return whether it is."""
        deadline = perf_counter() + most_s
        while not is_so():
            if perf_counter() > deadline:
                return False
            self.listen()
        return True

    def release(self, aim: Aim | None = None) -> None:
        """Let go whoever is held, with the aim that is next, or with one of its own."""
        life, aim = self.life, aim or self.aim
        if life is not None and life.held is not None:
            life.held = None
            after = -1 if aim.is_of_a_birth else aim.tick
            with suppress(OSError):  # it died while it was held
                life.line.sendall(f"{json.dumps([aim.phase.value, after])}\n".encode())

    def close(self) -> None:
        """Hear no more."""
        for life in self.lives:
            life.line.close()
        self._selector.close()
        self._door.close()

    def listen(self) -> None:
        """Take in what was said, waiting a moment for it."""
        for key, _ in self._selector.select(GLANCE_S):
            if key.data is None:
                self._welcome()
            else:
                self._hear(key.data)

    def _welcome(self) -> None:
        line, _ = self._door.accept()
        life = Life(line, perf_counter())
        self.lives.append(life)
        self._selector.register(line, selectors.EVENT_READ, life)

    def _hear(self, life: Life) -> None:
        try:
            data = life.line.recv(CHUNK)
        except OSError:
            data = b""
        if not data:
            life.is_open = False
            self._selector.unregister(life.line)
            life.line.close()
            return
        *lines, life.rest = (life.rest + data).split(b"\n")
        for each in lines:
            self._take(life, *json.loads(each))

    def _take(self, life: Life, word: str, *about: Any) -> None:  # noqa: ANN401
        match word:
            case "hello":
                life.pid = about[0]
                life.held = Phase.STARTING
                if self.aim.phase is not Phase.STARTING:
                    self.release()
            case "tick":
                _ticked(life, about[0])
            case "in":
                life.inside.append(Phase(about[0]))
            case "out":
                life.inside.pop()
            case "held":
                life.held = Phase(about[0])
                _ticked(life, about[1])
            case _:
                self.taught.hear(word, *about)


def _ticked(life: Life, tick: int) -> None:
    now = perf_counter()
    if life.first < 0 <= tick:
        life.first, life.played_at = tick, now
    life.tick, life.ticked_at = max(tick, -1), now
