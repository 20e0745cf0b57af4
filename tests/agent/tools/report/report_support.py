"""A run in which much happened, for tests of what is told of it: a real one, with a night's worth of events put into it."""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from agent.tools.report import Gathered, gather
from emulator import demo_cartridge_path, load_cartridge
from memory import RunFolder, RunStore, open_run, read_run
from memory.store.calls import Booking, CallOutcome, CallState

CARTRIDGE: Final = load_cartridge(demo_cartridge_path())
STUCK: Final[Mapping[str, Any]] = {
    "number": 1, "reason": "nothing_new", "place": "the lane", "map_id": 12, "x": 5, "y": 5,
    "goal": "reach the second town", "since": 200, "noticed": 260, "lasted": 300,
    "tried": ["travel:second_town", "talk"], "rungs": ["replan", "restore"],
    "solved_by": "restore", "over": True, "run": "r", "checkpoint_tick": 185, "last_step": None,
}  # fmt: skip
BATTLE: Final[Mapping[str, Any]] = {
    "battle_id": "1", "enemy_pokemon": "NIBBIT", "enemy_level": 3, "player_pokemon": "PLIPPET", "player_level": 5,
    "outcome": "defeat", "turns_taken": 4, "location": "the lane", "start_tick": 290, "end_tick": 299,
    "moves_used": [], "items_used": [], "key_decisions": [], "player_hp_remaining": 0.0,
}  # fmt: skip
AT: Final = 1_790_000_000.0


def told_of(run: Path) -> Gathered:
    """Return what a run has to tell."""
    with closing(read_run(run)) as folder:
        return gather(folder, CARTRIDGE)


def copied(run: Path, to: Path) -> Path:
    """Return a copy of a run."""
    shutil.copytree(run, to)
    return to


def add_events(run: Path, events: Iterable[tuple[int, str, Mapping[str, Any]]]) -> None:
    """Put events into a run, as play would have."""
    with closing(open_run(run)) as folder:
        for tick, kind, payload in events:
            folder.store.append_event(tick, kind, payload)
        folder.store.commit()


def add_calls(run: Path, *milestones: str) -> None:
    """Book a call after each of the milestones: the first is answered for a cent, the others are lost."""
    with closing(open_run(run)) as folder:
        for number, milestone in enumerate(milestones):
            _call(folder, milestone, is_answered=number == 0)


def _call(folder: RunFolder[RunStore], milestone: str, *, is_answered: bool) -> None:
    booked = folder.store.book_call(Booking("m", "stuck", milestone, 1, 50_000_000, 900))
    outcome = (
        CallOutcome(CallState.SETTLED, 10_000_000, input=400, output=60)
        if is_answered
        else CallOutcome(CallState.LOST)
    )
    folder.store.settle_call(booked, outcome)


def write_night(run: Path, lines: Sequence[Mapping[str, Any]], torn: str = "") -> None:
    """Write a supervisor's log, whose last line may be torn."""
    text = "".join(json.dumps({"at": AT + n, **line}) + "\n" for n, line in enumerate(lines))
    (run / "night.jsonl").write_text(text + torn, encoding="utf-8")


NIGHT: Final[Sequence[Mapping[str, Any]]] = (
    {"what": "began", "settings": {}, "game": "Red Agent Demo"},
    {"what": "started", "n": 1, "pid": 1, "tick": 0},
    {"what": "sample", "tick": 50, "frame": 900, "milestones": 0, "resident": 1e8, "file_bytes": 1e6,
     "free_bytes": 7e10, "log_bytes": 500, "usd": 0.0, "calls": 0},
    {"what": "ended", "n": 1, "code": -9, "says": "", "ticks": 100},
    {"what": "fault", "kind": "killed", "says": "killed by signal 9", "tick": 100, "answer": "restart in 2 s"},
    {"what": "started", "n": 2, "pid": 2, "tick": 99},
    {"what": "fault", "kind": "killed", "says": "killed by signal 9", "tick": 140, "answer": "restart in 4 s"},
    {"what": "started", "n": 3, "pid": 3, "tick": 99},
    {"what": "fault", "kind": "livelock", "says": "nothing gained", "tick": 300, "answer": "went back to tick 185"},
    {"what": "verdict", "verdict": "limit", "which": "dollars", "why": "5.00 of 5.00 dollars are spent",
     "ticks": 1403, "frames": 58984, "restarts": 2},
)  # fmt: skip
