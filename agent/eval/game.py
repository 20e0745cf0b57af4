"""One game of an evaluation: its summary and what its run holds beyond that, as one row."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from agent.eval.runner import Ended
from emulator import FRAMES_PER_SECOND
from memory import BLACKOUT, EventRow, MemoryFault, RunReader, read_run

TIMEOUT: Final = "timeout"
CRASH: Final = "crash"
PLAYED: Final = frozenset({"goal", "ticks", "limit", "gave_up"})  # it came to an end of its own


class When(NamedTuple):
    """A moment of a game."""

    tick: int
    frame: int

    @property
    def minutes(self) -> float:
        """Game time since power-on."""
        return self.frame / FRAMES_PER_SECOND / 60


@dataclass(frozen=True, slots=True)
class Game:
    """How one seed went; `stop` is that of `play`, or timeout or crash where it says nothing.

    A blackout is a defeat after which money is gone, which the first fight of the story is not.
    """

    seed: int
    stop: str
    reason: str
    ticks: int
    frames: int
    wall_s: float
    milestones: Mapping[str, When]
    battles_won: int
    battles_lost: int
    battles_fled: int
    blackouts: int
    badges: int
    episodes: int
    restores: int
    errors: int

    @property
    def was_played(self) -> bool:
        """Whether it came to an end without a fault of the program."""
        return self.stop in PLAYED and self.errors == 0


def game_of(ended: Ended, run: Path) -> Game:
    """Return what became of a game whose process has ended, with what its folder holds of it."""
    summary = _summary(ended)
    when, events = _recorded(run, [str(each["id"]) for each in summary["milestones"]])
    fights = Counter(str(e.payload["outcome"]) for e in events if e.kind == "battle")
    return Game(
        seed=ended.seed,
        stop=summary["stop"],
        reason=summary["reason"],
        ticks=summary["ticks"],
        frames=summary["frames"],
        wall_s=round(ended.wall_s, 3),
        milestones=when,
        battles_won=fights["victory"],
        battles_lost=fights["defeat"],
        battles_fled=fights["runaway"],
        blackouts=blackouts(events),
        badges=summary["badges"],
        episodes=summary["episodes"],
        restores=summary["restores"],
        errors=summary["errors"],
    )


def blackouts(events: Iterable[EventRow]) -> int:
    """Count the defeats that cost money."""
    return sum(event.kind == BLACKOUT for event in events)


def _summary(ended: Ended) -> Mapping[str, Any]:
    try:
        told = json.loads(ended.last_line)
    except ValueError:
        told = None
    if ended.code is not None and isinstance(told, dict):
        return told
    stop = TIMEOUT if ended.code is None else CRASH
    reason = "it took too long" if ended.code is None else f"it ended with code {ended.code}"
    counts = dict.fromkeys(("ticks", "frames", "badges", "episodes", "restores"), 0)
    return {**counts, "stop": stop, "reason": reason, "milestones": (), "errors": 1}


def _recorded(run: Path, milestones: Iterable[str]) -> tuple[dict[str, When], list[EventRow]]:
    """Return when each milestone was reached, and what happened, as far as it can be read."""
    try:
        with closing(read_run(run)) as folder:
            return _times(folder.store, milestones), list(folder.store.events())
    except (MemoryFault, OSError):
        return {}, []  # the game ended before it had written anything


def _times(store: RunReader, milestones: Iterable[str]) -> dict[str, When]:
    ticks = {str(e.payload["id"]): e.tick for e in store.events("milestone")}
    frames = {step.tick: step.frame for step in store.steps()}
    return {name: When(ticks[name], frames[ticks[name]]) for name in milestones if name in ticks}
