"""The socket between a proof and its playing processes: their phase and tick, their commits, and where to stop them.

Both ends use this module.
"""

import json
import os
import selectors
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from time import perf_counter
from typing import Any, Final, NamedTuple

from tests.proofs.ledger import Ledger

PORT: Final = "PROOF_PORT"  # the environment variable with the port of the proof
EVERY: Final = 10  # ticks between two reports
CHUNK: Final = 1 << 16
POLL_S: Final = 0.01


class Phase(Enum):
    """The activity of a process; the innermost one counts."""

    STARTING = "starting"
    DECAYING = "decay of memory"
    REWINDING = "rewind to a checkpoint"
    PLAYING = "play"
    CONSOLIDATING = "consolidation"
    COMMITTING = "commit without checkpoint"
    CHECKPOINTING = "commit of a checkpoint"
    KEPT = "between a commit and its acknowledgement"
    DELIVERING = "delivery of lessons"
    REPEATING = "delivery of nothing new"
    CLOSING = "consolidation at the end"
    MAINTAINING = "maintenance of memory"
    ENDING = "end"


class Aim(NamedTuple):
    """Stop when `phase` is entered at or after `tick`."""

    phase: Phase
    tick: int


STARTUP: Final = frozenset({Phase.STARTING, Phase.DECAYING, Phase.REWINDING})
NEVER: Final = Aim(Phase.ENDING, 1 << 40)


class Reporter:
    """The end in the playing process. It stops in the phase of the aim, and waits for the next aim."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._socket.makefile("r", encoding="utf-8")
        self._tick = -1
        self._phase, self._after = "", 0
        self.say("hello", os.getpid())
        self._wait()

    def say(self, kind: str, *about: object) -> None:
        """Send one line."""
        self._socket.sendall(f"{json.dumps([kind, *about], default=dict)}\n".encode())

    def at(self, tick: int) -> None:
        """Report every tenth tick, and stop at the tick of the aim."""
        if self._tick < 0 or tick % EVERY == 0:
            self.say("tick", tick)
        self._tick = tick
        self._enter(Phase.PLAYING)

    @contextmanager
    def within(self, phase: Phase) -> Iterator[None]:
        """Report the start and the end of a phase."""
        self.say("in", phase.value)
        self._enter(phase)
        try:
            yield
        finally:
            self.say("out", phase.value)

    def _enter(self, phase: Phase) -> None:
        if phase.value == self._phase and self._tick >= self._after:
            self.say("held", phase.value, self._tick)
            self._wait()

    def _wait(self) -> None:
        self._phase, self._after = json.loads(self._answers.readline() or '["", 0]')


@dataclass
class Player:
    """One playing process, as seen by the proof; times are readings of the performance counter."""

    socket: socket.socket
    pid: int = 0
    tick: int = -1
    first_tick: int = -1
    ticked_at: float = 0.0
    held: Phase | None = None
    is_open: bool = True
    inside: list[Phase] = field(default_factory=list)
    rest: bytes = b""


class Channel:
    """The end in the proof. `aim` is sent to each process that starts or is released."""

    def __init__(self, ledger: Ledger) -> None:
        self.aim = NEVER
        self.players: list[Player] = []
        self.ledger = ledger
        self._selector = selectors.DefaultSelector()
        self._server = socket.create_server(("127.0.0.1", 0))
        self._selector.register(self._server, selectors.EVENT_READ)

    @property
    def port(self) -> int:
        """The local port."""
        return int(self._server.getsockname()[1])

    @property
    def player(self) -> Player | None:
        """The latest process, while it is alive."""
        return self.players[-1] if self.players and self.players[-1].is_open else None

    def until(self, condition: Callable[[], bool], most_s: float) -> bool:
        """Listen until a condition is true, for at most `most_s` seconds; return whether it is."""
        deadline = perf_counter() + most_s
        while not condition():
            if perf_counter() > deadline:
                return False
            self.listen()
        return True

    def release(self, aim: Aim | None = None) -> None:
        """Let the stopped process continue, with the given aim or with the next one."""
        player, aim = self.player, aim or self.aim
        if player is not None and player.held is not None:
            player.held = None
            after = -1 if aim.phase in STARTUP else aim.tick
            with suppress(OSError):  # it died while it was stopped
                player.socket.sendall(f"{json.dumps([aim.phase.value, after])}\n".encode())

    def close(self) -> None:
        """Close all sockets."""
        for player in self.players:
            player.socket.close()
        self._selector.close()
        self._server.close()

    def listen(self) -> None:
        """Receive messages, waiting for a short time."""
        for key, _ in self._selector.select(POLL_S):
            if key.data is None:
                connection, _ = self._server.accept()
                self.players.append(Player(connection))
                self._selector.register(connection, selectors.EVENT_READ, self.players[-1])
            else:
                self._receive(key.data)

    def _receive(self, player: Player) -> None:
        try:
            data = player.socket.recv(CHUNK)
        except OSError:
            data = b""
        if not data:
            player.is_open = False
            self._selector.unregister(player.socket)
            player.socket.close()
            return
        *lines, player.rest = (player.rest + data).split(b"\n")
        for line in lines:
            self._handle(player, *json.loads(line))

    def _handle(self, player: Player, kind: str, *about: Any) -> None:  # noqa: ANN401
        match kind:
            case "hello":
                player.pid, player.held = about[0], Phase.STARTING
                if self.aim.phase is not Phase.STARTING:
                    self.release()
            case "tick":
                _ticked(player, about[0])
            case "in":
                player.inside.append(Phase(about[0]))
            case "out":
                player.inside.pop()
            case "held":
                player.held = Phase(about[0])
                _ticked(player, about[1])
            case _:
                self.ledger.note(kind, *about)


def _ticked(player: Player, tick: int) -> None:
    if player.first_tick < 0 <= tick:
        player.first_tick = tick
    player.tick, player.ticked_at = max(tick, -1), perf_counter()
