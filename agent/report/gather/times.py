"""When things were: ticks of the live lineage in game time, and on the clock of the wall where that is known."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from emulator import FRAMES_PER_SECOND
from memory import RunReader, VitalsRow


class When(NamedTuple):
    """A tick, the game seconds since power-on, and seconds since 1970 where they are known."""

    tick: int
    game_s: float
    at: float | None


class Reading(NamedTuple):
    """What the clock of the wall said at a tick of one session."""

    tick: int
    session: str
    at: float


@dataclass(frozen=True, slots=True)
class Times:
    """The frame that each tick ended in, by tick from 0, and readings of the wall's clock in between."""

    frames: Sequence[int]
    readings: Sequence[Reading]

    @classmethod
    def of(cls, run: RunReader) -> Self:
        """Return the times of a run's live lineage."""
        frames = array("q", [0])
        frames.extend(row.frame for row in run.steps())
        return cls(frames, _live(run.vitals()))

    @property
    def last(self) -> When:
        """The last moment on record."""
        return self.when(len(self.frames) - 1)

    def game_s(self, tick: int) -> float:
        """Return the game seconds at the end of a tick; the last there are for a later one."""
        return self.frames[max(0, min(tick, len(self.frames) - 1))] / FRAMES_PER_SECOND

    def when(self, tick: int) -> When:
        """Return all that is known of when a tick was."""
        return When(tick, self.game_s(tick), self._at(tick))

    def _at(self, tick: int) -> float | None:
        """Return the wall's time between two readings of one session; otherwise that of the nearest before."""
        number = bisect_right(self.readings, tick, key=lambda each: each.tick)
        if not number:
            return self.readings[0].at if self.readings else None
        before = self.readings[number - 1]
        if number == len(self.readings) or self.readings[number].session != before.session:
            return before.at
        after = self.readings[number]
        share = (tick - before.tick) / max(after.tick - before.tick, 1)
        return before.at + share * (after.at - before.at)


def game_s(frame: int) -> float:
    """Return frames since power-on as game seconds."""
    return frame / FRAMES_PER_SECOND


def clocked(rows: Iterable[VitalsRow]) -> list[tuple[VitalsRow, float]]:
    """Return each row with seconds since 1970 that never go back, whatever was done to the wall's clock meanwhile.

    A session's own seconds count from where it began, and no session begins before the last one ended.
    """
    found: list[tuple[VitalsRow, float]] = []
    session, began, last = None, 0.0, 0.0
    for row in rows:
        if row.session != session:
            session, began = row.session, max(row.at_ms / 1_000 - row.wall_s, last)
        last = max(last, began + row.wall_s)
        found.append((row, last))
    return found


def _live(rows: Iterable[VitalsRow]) -> list[Reading]:
    """Return those readings that no later one goes back behind."""
    found: list[Reading] = []
    for row, at in reversed(clocked(rows)):
        if not found or row.tick < found[-1].tick:
            found.append(Reading(row.tick, row.session, at))
    return found[::-1]
