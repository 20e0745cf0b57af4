"""Helpers for tests of nights: a supervisor over scripted children, and readers of its journal."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agent.app import Interrupt
from agent.tools.overnight.child import Heartbeat
from agent.tools.overnight.logs import Line, read_journal
from agent.tools.overnight.night import Clock, Night, NightLimits, NightSettings, NightTimeouts
from agent.tools.overnight.supervisor import Supervisor

SCRIPTED_CHILD = Path(__file__).with_name("scripted_child.py")
QUICK = NightTimeouts(
    hang_s=30, gain_hours=3, backoff_s=0.01, grace_s=5, sample_s=0.05, folder_s=20
)
LIMITS = NightLimits(free_bytes=0)


class Viewer:
    """A viewer that stores events and heartbeats, and may react to an event."""

    def __init__(self, react: Callable[[Line], None] | None = None) -> None:
        self.lines: list[Line] = []
        self.beats: list[Heartbeat] = []
        self._react = react

    def show_event(self, line: Line) -> None:
        self.lines.append(line)
        if self._react:
            self._react(line)

    def show_heartbeat(self, beat: Heartbeat, night_s: float) -> None:
        self.beats.append(beat)


def scripted_child(folder: Path, lives: Sequence[dict[str, Any]]) -> list[str]:
    """Return the start of a command line for children that follow `lives`."""
    plan = folder / "plan.json"
    plan.write_text(json.dumps(lives), encoding="utf-8")
    return [sys.executable, "-S", "-E", str(SCRIPTED_CHILD), str(plan)]


def lives_of(folder: Path) -> list[list[str]]:
    """Return the arguments of each child that was started."""
    return [json.loads(line) for line in (folder / "lives.jsonl").read_text().splitlines()]


def run_night(
    run: Path,
    *lives: dict[str, Any],
    program: Sequence[str] = (),
    viewer: Viewer | None = None,
    interrupt: Interrupt | None = None,
    clock: Clock | None = None,
    **settings: Any,  # noqa: ANN401  # fields of NightSettings
) -> Night:
    """Return the result of a night over a run whose children follow `lives`; its memory is beside the run by default."""
    defaults = {"memory": run.parent / "memory.sqlite", "limits": LIMITS, "patience": QUICK}
    given = NightSettings(run=run, **{**defaults, **settings})
    program = program or scripted_child(run.parent, lives)
    stop, clock = interrupt or Interrupt(), clock or Clock()
    return Supervisor(given, stop, viewer or Viewer(), clock, program).play()


def lines_of(run: Path, what: str) -> list[Line]:
    """Return the lines of one kind in the journal of a run."""
    return [line for line in read_journal(run) if line["what"] == what]


def kinds(run: Path) -> list[str]:
    """Return the kinds of the faults of a night, in order."""
    return [line["kind"] for line in lines_of(run, "fault")]
