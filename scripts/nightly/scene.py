"""What a fault finds when it strikes: the files of a game, who plays, who watches, and the disk below them."""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from agent.tools.overnight import read_diary
from nightly.disk import Disk
from nightly.line import Life, Line
from nightly.watchman import Watchman


@dataclass(frozen=True, slots=True)
class Scene:
    """One game under way."""

    disk: Disk
    line: Line
    watchman: Watchman
    clock: Path
    chance: Random

    @property
    def run(self) -> Path:
        """The folder of its run."""
        return self.disk.home / "run"

    @property
    def run_file(self) -> Path:
        """What is recorded of it."""
        return self.run / "run.sqlite"

    @property
    def memory(self) -> Path:
        """What outlives it."""
        return self.disk.home / "memory.sqlite"

    @property
    def life(self) -> Life:
        """Who plays now, or played last."""
        return self.line.lives[-1]

    def signal_player(self, number: signal.Signals) -> None:
        """Send the player a signal; whoever is gone does not hear it."""
        if self.life.is_open:
            with suppress(ProcessLookupError):
                os.kill(self.life.pid, number)

    def faults_told(self) -> Sequence[str]:
        """Return the kinds of all faults that the diary tells of, in their order."""
        return [str(line["kind"]) for line in read_diary(self.run) if line["what"] == "fault"]
