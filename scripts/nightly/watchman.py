"""The supervisor of a game: begun by one command, again and again, as systemd or a person would."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

PATIENCE_S: Final = 20.0
ROOT: Final = Path(__file__).resolve().parents[2]


class Watchman:
    """Runs `command`; what its processes say on stderr goes to `log`."""

    def __init__(self, command: Sequence[str], log: Path, more: Mapping[str, str]) -> None:
        self.command = command
        self.starts = 0
        self._log = log
        self._environment = {**os.environ, **more}
        self._process: subprocess.Popen[bytes] | None = None
        self._said = log.with_suffix(".out")

    @property
    def pid(self) -> int:
        """The number of the process that runs, or ran last."""
        assert self._process is not None
        return self._process.pid

    @property
    def code(self) -> int | None:
        """How it ended; None while it runs."""
        return None if self._process is None else self._process.poll()

    @property
    def told(self) -> Mapping[str, Any]:
        """The object it ended with, or nothing."""
        lines = self._said.read_text(encoding="utf-8").splitlines()
        with suppress(ValueError, IndexError):
            told = json.loads(lines[-1])
            if isinstance(told, dict):
                return told
        return {}

    def begin(self) -> None:
        """Start it, a first time or again."""
        self.starts += 1
        with self._said.open("wb") as out, self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
                process_group=0,
            )

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, and nobody else."""
        if self.code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def another(self) -> subprocess.CompletedProcess[str]:
        """Run the same command beside it, and return how that ended."""
        return subprocess.run(
            self.command,
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    def close(self) -> None:
        """End it, if it runs; its child ends when nobody listens."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
