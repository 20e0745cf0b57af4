"""A playing child process: started, stopped, and read; each of its heartbeats is one line of JSON."""

import json
import os
import selectors
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Self

LONGEST_TEXT: Final = 200  # characters of a text; a line must fit into a pipe at once


class Heartbeat(NamedTuple):
    """Where play is: `gains` counts what it has to show, `checkpoint` is the tick of the last one."""

    tick: int
    frame: int
    place: str
    doing: str
    milestones: tuple[str, ...]
    gains: int
    checkpoint: int

    def line(self) -> bytes:
        """Return it as one line of JSON."""
        table = {
            **self._asdict(),
            "place": self.place[:LONGEST_TEXT],
            "doing": self.doing[:LONGEST_TEXT],
        }
        return json.dumps(table).encode() + b"\n"

    @classmethod
    def of(cls, line: bytes) -> Self | None:
        """Return the beat that a line tells; None where it is cut or says something else."""
        try:
            table = json.loads(line)
            numbers = {name: int(table[name]) for name in ("tick", "frame", "gains", "checkpoint")}
            return cls(
                place=str(table["place"]),
                doing=str(table["doing"]),
                milestones=tuple(map(str, table["milestones"])),
                **numbers,
            )
        except (ValueError, LookupError, TypeError):
            return None


CHUNK: Final = 1 << 16
MOST_STDOUT: Final = 1 << 20  # bytes that are kept of stdout, of which the last line counts
EXIT_S: Final = 5.0  # a process that closed its streams is about to end


class Child:
    """A process in a group of its own, so that Ctrl-C reaches its supervisor alone.

    Its pulse and its stdout are read here; what it says on stderr goes to `log`. When this process dies, the pulse has no
    reader any more, and the child ends by itself.
    """

    def __init__(self, command: Sequence[str], log: Callable[[bytes], object]) -> None:
        self._log = log
        self._out = b""
        self._rest = b""  # of a beat
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
        for file, kind in (
            (pulse, "pulse"),
            (self._process.stdout.fileno(), "out"),
            (self._process.stderr.fileno(), "err"),
        ):
            os.set_blocking(file, False)
            self._open.register(file, selectors.EVENT_READ, kind)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """How it ended, a signal's number negative; None while it runs."""
        return self._process.poll()

    @property
    def summary(self) -> Mapping[str, Any] | None:
        """What the last line of its stdout says, where that is an object."""
        lines = self._out.strip().splitlines()
        try:
            told = json.loads(lines[-1]) if lines else None
        except ValueError:
            return None
        return told if isinstance(told, dict) else None

    def listen(self, seconds: float) -> Iterator[Heartbeat]:
        """Wait until it says something or ends, at most so long, and yield the beats that came."""
        if not self._open.get_map():
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(min(seconds, EXIT_S))
            return
        for key, _ in self._open.select(seconds):
            yield from self._read(key.fd, key.data)

    def drain(self) -> Iterator[Heartbeat]:
        """Yield the beats that were still on their way when it ended, without waiting for other holders of its streams."""
        for key in list(self._open.get_map().values()):
            yield from self._read(key.fd, key.data)

    def ask_to_end(self) -> None:
        """Send SIGTERM, on which play ends cleanly."""
        self._signal(signal.SIGTERM)
        self._signal(signal.SIGCONT)  # one that was stopped would never hear of it

    def kill(self) -> None:
        """Send SIGKILL and wait for the end."""
        self._signal(signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """Let go of its streams; one that runs is killed."""
        if self.code is None:
            self.kill()
        for key in list(self._open.get_map().values()):
            self._close(key.fd, key.data)
        self._open.close()

    def _signal(self, number: signal.Signals) -> None:
        if self.code is None:  # until it is waited for, its number is its own
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
            yield from self._beats(data)
        elif kind == "out":
            self._out = (self._out + data)[-MOST_STDOUT:]
        else:
            self._log(data)

    def _beats(self, data: bytes) -> Iterator[Heartbeat]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-CHUNK:]
        for line in lines:
            if beat := Heartbeat.of(line):
                yield beat

    def _close(self, fd: int, kind: str) -> None:
        self._open.unregister(fd)
        stream = {"out": self._process.stdout, "err": self._process.stderr}.get(kind)
        if stream is None:
            os.close(fd)
        else:
            stream.close()
