"""Signs on a tape that something goes wrong: turns in circles, tokens that run away; and how far a run got, as a number."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.tapes.entries import TapeEntry

LOOP_TURNS: Final = 10
LOOP_WITHIN: Final = timedelta(seconds=30)
SPIKE_TIMES: Final = 2  # the mean of those shortly before
SPIKE_WITHIN: Final = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Alert:
    """What is wrong, `loop` or `spike`, at which entry (of a loop its last so far), when, and how much: turns, or tokens."""

    kind: str
    hash: str
    at: datetime
    amount: int


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a run came to, as counts."""

    map: int = 0
    badges: int = 0
    party: int = 0
    battles: int = 0
    stuck: int = 0
    turns: int = 0
    backtracks: int = 0

    def fitness(self) -> float:
        """Return one number to compare runs by; more is better."""
        gained = self.map * 1_000 + self.badges * 5_000 + self.party * 500 + self.battles * 100
        return gained - self.stuck * 5 - self.turns * 0.1 - self.backtracks * 2


def loops(entries: Iterable[TapeEntry]) -> list[Alert]:
    """Return an alert for each run of 10 or more turns of the model within 30 seconds, with its number of turns."""
    alerts: list[Alert] = []
    run: list[tuple[datetime, str]] = []
    for at, entry in _timed(each for each in entries if each.role == "assistant"):
        run = [turn for turn in run if at - turn[0] <= LOOP_WITHIN] + [(at, entry.hash)]
        if len(run) < LOOP_TURNS:
            continue
        goes_on = bool(alerts) and alerts[-1].hash in {name for _, name in run}
        turns = alerts.pop().amount + 1 if goes_on else len(run)
        alerts.append(Alert("loop", entry.hash, at, turns))
    return alerts


def spikes(entries: Iterable[TapeEntry]) -> list[Alert]:
    """Return an alert for each turn that took over twice the mean of the turns of the two minutes before it."""
    alerts: list[Alert] = []
    recent: list[tuple[datetime, int]] = []
    for at, entry in _timed(entries):
        if not (tokens := (entry.usage.input or 0) + (entry.usage.output or 0)):
            continue
        recent = [each for each in recent if at - each[0] <= SPIKE_WITHIN]
        if recent and tokens > SPIKE_TIMES * _mean([each[1] for each in recent]):
            alerts.append(Alert("spike", entry.hash, at, tokens))
        recent.append((at, tokens))
    return alerts


def _timed(entries: Iterable[TapeEntry]) -> Iterable[tuple[datetime, TapeEntry]]:
    return ((entry.timestamp, entry) for entry in entries if entry.timestamp is not None)


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers)
