"""One game under way: its files, the program that plays it, the channel to it, and the disk below."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from agent.tools.overnight.logs import read_journal
from tests.proofs.channel import Channel, Player
from tests.proofs.child_process import PROGRAM, ROOT, run
from tests.proofs.disk import Disk
from tests.proofs.patches import fork

PATIENCE_S: Final = 20.0


class Program:
    """A command of the program in a fork of this process, given again as often as it begins."""

    def __init__(
        self,
        command: Callable[[], Sequence[str]],
        environment: Mapping[str, str],
        out: Path,
        log: Path,
    ) -> None:
        self._command = command  # which depends on what there is already
        self._environment = {**environment, "PYTHONPATH": str(ROOT)}
        self._out, self._log = out, log
        self._pid, self._code = 0, -1

    @property
    def code(self) -> int | None:
        """How it ended; None while it runs."""
        if self._pid:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self._pid, self._code = 0, os.waitstatus_to_exitcode(status)
        return None if self._pid else self._code

    def begin(self) -> None:
        """Start it, a first time or again."""
        self._pid = fork(partial(run, self._command(), self._environment, self._out, self._log))

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, and no process that it started."""
        if self.code is None:
            os.kill(self._pid, number)

    def another(self) -> subprocess.CompletedProcess[str]:
        """Run the same command beside it."""
        return subprocess.run(
            (*PROGRAM, *self._command()),
            cwd=ROOT,
            env={**os.environ, **self._environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    def close(self) -> None:
        """End it, if it runs; a player that it started ends when the channel is closed."""
        if self.code is None:
            self.signal(signal.SIGKILL)
            os.waitpid(self._pid, 0)


@dataclass(frozen=True, slots=True)
class Scene:
    """One game."""

    disk: Disk
    channel: Channel
    program: Program
    clock: Path
    out: Path
    chance: Random

    @property
    def run(self) -> Path:
        """The folder of the run."""
        return self.disk.home / "run"

    @property
    def run_file(self) -> Path:
        """The record of the run."""
        return self.run / "run.sqlite"

    @property
    def memory(self) -> Path:
        """What outlives it."""
        return self.disk.home / "memory.sqlite"

    @property
    def player(self) -> Player:
        """The process that plays, or played last."""
        return self.channel.players[-1]

    @property
    def ending(self) -> Mapping[str, Any]:
        """The object that the program printed last, or nothing."""
        with suppress(ValueError, IndexError, OSError):
            told = json.loads(self.out.read_text(encoding="utf-8").splitlines()[-1])
            if isinstance(told, dict):
                return told
        return {}

    def signal_player(self, number: signal.Signals) -> None:
        """Send the playing process a signal, if there is one."""
        if self.player.is_open:
            with suppress(ProcessLookupError):
                os.kill(self.player.pid, number)

    def shift_clock(self, seconds: float) -> None:
        """Set by how much the date is off, for player and supervisor."""
        self.clock.write_text(str(seconds), encoding="ascii")

    def faults_told(self) -> list[str]:
        """Return the kinds of all faults that the log of the night tells of."""
        if not self.run.exists():
            return []
        return [str(line["kind"]) for line in read_journal(self.run) if line["what"] == "fault"]
