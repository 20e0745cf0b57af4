"""What the tests of nights share: a supervisor over children that stand in for play, and a look at what it told."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agent.app import Interrupt
from agent.tools.overnight.child import Heartbeat
from agent.tools.overnight.logs import Line, read_journal
from agent.tools.overnight.outcomes import Night, NightLimits
from agent.tools.overnight.settings import Clock, NightSettings, NightTimeouts
from agent.tools.overnight.supervisor import Supervisor

STAND_IN = Path(__file__).with_name("stand_in.py")
QUICK = NightTimeouts(
    hang_s=30, gain_hours=3, backoff_s=0.01, grace_s=5, sample_s=0.05, folder_s=20
)
LIMITS = NightLimits(free_bytes=0)


class Viewer:
    """A viewer that keeps what it was told, and may do something about it."""

    def __init__(self, react: Callable[[Line], None] | None = None) -> None:
        self.lines: list[Line] = []
        self.beats: list[Heartbeat] = []
        self._react = react

    def told(self, line: Line) -> None:
        self.lines.append(line)
        if self._react:
            self._react(line)

    def saw(self, beat: Heartbeat, night_s: float) -> None:
        self.beats.append(beat)


def stand_in(folder: Path, lives: Sequence[dict[str, Any]]) -> list[str]:
    """Return what a child's command line begins with, so that its lives are as given."""
    plan = folder / "plan.json"
    plan.write_text(json.dumps(lives), encoding="utf-8")
    return [sys.executable, "-S", "-E", str(STAND_IN), str(plan)]


def lives_of(folder: Path) -> list[list[str]]:
    """Return the arguments of each life that there was."""
    return [json.loads(line) for line in (folder / "lives.jsonl").read_text().splitlines()]


def night_over(
    run: Path,
    *lives: dict[str, Any],
    program: Sequence[str] = (),
    viewer: Viewer | None = None,
    interrupt: Interrupt | None = None,
    clock: Clock | None = None,
    **settings: Any,  # noqa: ANN401  # those of a night
) -> Night:
    """Return a night over the run in a folder, whose memory lies beside that by default; its children live as is said."""
    usual = {"memory": run.parent / "memory.sqlite", "limits": LIMITS, "patience": QUICK}
    wanted = NightSettings(run=run, **{**usual, **settings})
    program = program or stand_in(run.parent, lives)
    asked, clock = interrupt or Interrupt(), clock or Clock()
    return Supervisor(wanted, asked, viewer or Viewer(), clock, program).play()


def told(run: Path, what: str) -> list[Line]:
    """Return the lines of one kind in the journal of a run."""
    return [line for line in read_journal(run) if line["what"] == what]


def kinds(run: Path) -> list[str]:
    """Return the faults of a night by kind, in their order."""
    return [line["kind"] for line in told(run, "fault")]
