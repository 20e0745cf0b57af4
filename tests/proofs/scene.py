"""A game in progress: its files, the playing program, the channel to it, and its disk."""

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

from agent.lab.sources import python_path
from agent.tools.overnight.logs import read_journal
from tests.proofs.channel import Channel, Player
from tests.proofs.child_process import PROGRAM, ROOT, run
from tests.proofs.disk import Disk
from tests.proofs.patches import fork

REFUSAL_S: Final = 20.0


class Program:
    """A command of the program in a fork of this process, which can be started again."""

    def __init__(
        self,
        command: Callable[[], Sequence[str]],
        environment: Mapping[str, str],
        out: Path,
        log: Path,
    ) -> None:
        self._command = command  # depends on the existing files
        self._environment = {**environment, "PYTHONPATH": python_path()}
        self._out, self._log = out, log
        self._pid, self._code = 0, -1

    @property
    def code(self) -> int | None:
        """The exit code; None while it runs."""
        if self._pid:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self._pid, self._code = 0, os.waitstatus_to_exitcode(status)
        return None if self._pid else self._code

    def begin(self) -> None:
        """Start the command."""
        self._pid = fork(partial(run, self._command(), self._environment, self._out, self._log))

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process, but not to its children."""
        if self.code is None:
            os.kill(self._pid, number)

    def another(self) -> subprocess.CompletedProcess[str]:
        """Run the same command in parallel."""
        return subprocess.run(
            (*PROGRAM, *self._command()),
            cwd=ROOT,
            env={**os.environ, **self._environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=REFUSAL_S,
        )

    def close(self) -> None:
        """Kill the process if it runs; its player ends when the channel is closed."""
        if self.code is None:
            self.signal(signal.SIGKILL)
            os.waitpid(self._pid, 0)


@dataclass(frozen=True, slots=True)
class Scene:
    """A game in progress."""

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
        """The database of the run."""
        return self.run / "run.sqlite"

    @property
    def memory(self) -> Path:
        """The memory file."""
        return self.disk.home / "memory.sqlite"

    @property
    def player(self) -> Player:
        """The current or last playing process."""
        return self.channel.players[-1]

    @property
    def ending(self) -> Mapping[str, Any]:
        """The last JSON object printed by the program, or an empty one."""
        with suppress(ValueError, IndexError, OSError):
            result = json.loads(self.out.read_text(encoding="utf-8").splitlines()[-1])
            if isinstance(result, dict):
                return result
        return {}

    def signal_player(self, number: signal.Signals) -> None:
        """Send the playing process a signal, if there is one."""
        if self.player.is_open:
            with suppress(ProcessLookupError):
                os.kill(self.player.pid, number)

    def shift_clock(self, seconds: float) -> None:
        """Set the shift of the date for player and supervisor."""
        self.clock.write_text(str(seconds), encoding="ascii")

    def repairs(self, kind: str) -> int:
        """Return how often a fault was repaired; closing a file can write intact pages over damaged ones."""
        faults = [line for line in read_journal(self.run) if line["what"] == "fault"]
        return sum(each["kind"] == kind and "is intact" not in each["answer"] for each in faults)

    def logged_faults(self) -> list[str]:
        """Return the kinds of all faults in the log of the night."""
        if not self.run.exists():
            return []
        return [str(line["kind"]) for line in read_journal(self.run) if line["what"] == "fault"]
