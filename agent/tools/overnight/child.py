"""A child process that plays: its start, its end, and its output; each heartbeat is one line of JSON."""

import json
import os
import selectors
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Self

from agent.tools.overnight.logs import shortened
from memory.codec import decode

LONGEST_TEXT: Final = 150  # characters of a text; a whole line must fit into the pipe
MOST_REACHED: Final = 8  # moments in a line, for the same reason


class Heartbeat(NamedTuple):
    """The progress of play: `gains` counts its gains, `checkpoint` is the tick of the last checkpoint.

    `reached` holds tick and frame of the newest milestones; up to tick `repeats_to` the child repeats what an earlier one played.
    """

    tick: int
    frame: int
    place: str
    doing: str
    milestones: tuple[str, ...]
    gains: int
    checkpoint: int
    reached: tuple[tuple[int, int], ...] = ()
    repeats_to: int = 0

    def line(self) -> bytes:
        """Return the heartbeat as one line of JSON."""
        table = {
            **self._asdict(),
            "place": shortened(self.place, LONGEST_TEXT),
            "doing": shortened(self.doing, LONGEST_TEXT),
            "reached": self.reached[-MOST_REACHED:],
        }
        return json.dumps(table, ensure_ascii=False).encode(errors="replace") + b"\n"

    @classmethod
    def of(cls, line: bytes) -> Self | None:
        """Return the heartbeat in a line of JSON; None for an incomplete or other line."""
        try:
            table = decode(line.decode())
            numbers = {name: int(table[name]) for name in ("tick", "frame", "gains", "checkpoint")}
            return cls(
                place=str(table["place"]),
                doing=str(table["doing"]),
                milestones=tuple(map(str, table["milestones"])),
                reached=tuple((int(tick), int(frame)) for tick, frame in table.get("reached", ())),
                repeats_to=int(table.get("repeats_to", 0)),
                **numbers,
            )
        except (ValueError, LookupError, TypeError):
            return None


CHUNK: Final = 1 << 16
MOST_STDOUT: Final = 1 << 20  # bytes of stdout that are stored; only its last line is used
EXIT_S: Final = 5.0  # the longest wait for the exit of a process that closed its streams


class Child:
    """A process in its own process group, so that Ctrl-C reaches only its supervisor.

    Its heartbeat pipe and its stdout are read here; its stderr goes to `log`. When this process dies, the pipe is
    closed and the child ends by itself.
    """

    def __init__(self, command: Sequence[str], log: Callable[[bytes], object]) -> None:
        self._log = log
        self._out = b""
        self._rest = b""  # of a heartbeat line
        pulse, writer = os.pipe()
        try:
            self._process = subprocess.Popen(
                [*command, "--pulse", str(writer)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(writer,),
                process_group=0,
            )
        except BaseException:
            os.close(pulse)
            raise
        finally:
            os.close(writer)
        self._open = selectors.DefaultSelector()
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        out, err = self._process.stdout.fileno(), self._process.stderr.fileno()
        for file, kind in ((pulse, "pulse"), (out, "out"), (err, "err")):
            os.set_blocking(file, False)
            self._open.register(file, selectors.EVENT_READ, kind)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """The exit code, a negative number for a signal; None while the process runs."""
        return self._process.poll()

    @property
    def summary(self) -> Mapping[str, Any] | None:
        """The JSON object on the last line of its stdout, or None."""
        lines = self._out.strip().splitlines()
        try:
            value = decode(lines[-1].decode()) if lines else None
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    def listen(self, seconds: float) -> Iterator[Heartbeat]:
        """Wait up to `seconds` for output or the end, and yield the heartbeats that arrived."""
        if not self._open.get_map():
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(min(seconds, EXIT_S))
            return
        for key, _ in self._open.select(seconds):
            yield from self._read(key.fd, key.data)

    def drain(self) -> Iterator[Heartbeat]:
        """Yield the heartbeats left in the pipe after the end, without waiting for other holders of its streams."""
        for key in list(self._open.get_map().values()):
            yield from self._read(key.fd, key.data)

    def terminate(self) -> None:
        """Send SIGTERM, which ends play cleanly."""
        self._signal(signal.SIGTERM)
        self._signal(signal.SIGCONT)  # a stopped process would not get SIGTERM

    def kill(self) -> None:
        """Send SIGKILL and wait for the end."""
        self._signal(signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """Close its streams; a running process is killed first."""
        if self.code is None:
            self.kill()
        for key in list(self._open.get_map().values()):
            self._close(key.fd, key.data)
        self._open.close()

    def _signal(self, number: signal.Signals) -> None:
        if self.code is None:  # before the wait, its id is not reused
            with suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    def _read(self, fd: int, kind: str) -> Iterator[Heartbeat]:
        try:
            data = os.read(fd, CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._close(fd, kind)
        elif kind == "pulse":
            yield from self._heartbeats(data)
        elif kind == "out":
            self._out = (self._out + data)[-MOST_STDOUT:]
        else:
            self._log(data)

    def _heartbeats(self, data: bytes) -> Iterator[Heartbeat]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-CHUNK:]
        for line in lines:
            if heartbeat := Heartbeat.of(line):
                yield heartbeat

    def _close(self, fd: int, kind: str) -> None:
        self._open.unregister(fd)
        stream = {"out": self._process.stdout, "err": self._process.stderr}.get(kind)
        if stream is None:
            os.close(fd)
        else:
            stream.close()
