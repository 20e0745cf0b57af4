"""Whether a playing child gets anywhere: a hang is no tick for long, a livelock no gain for long. Pure.

Play has a ladder of its own against getting nowhere; this is for when that fails too.
"""

from dataclasses import dataclass

from agent.overnight.beat import Beat
from agent.overnight.guards import FRAMES_PER_HOUR


@dataclass(slots=True)
class Lull:
    """Watches beats. Frames count where they are played: going back to a checkpoint takes none away.

    `gains` is the most that any child of the night had, so that what is done again after a restart is no gain.
    """

    gains: int = -1
    gained_at: int = 0  # the tick of the last gain
    idle_frames: int = 0  # played since then
    _tick: int = -1
    _frame: int = 0
    _beat_at: float = 0.0

    def begin(self, now: float) -> None:
        """Give a child that starts its time."""
        self._tick, self._beat_at = -1, now

    def spare(self) -> None:
        """Give play that went back on purpose as long again."""
        self.idle_frames = 0

    def saw(self, beat: Beat, now: float) -> None:
        """Take note of a beat; one at the same tick tells nothing."""
        if beat.tick == self._tick:
            return
        if self._tick >= 0:
            self.idle_frames += max(beat.frame - self._frame, 0)
        self._tick, self._frame, self._beat_at = beat.tick, beat.frame, now
        if beat.gains > self.gains:
            self.gains, self.gained_at, self.idle_frames = beat.gains, beat.tick, 0

    def hangs(self, now: float, *, after_s: float) -> bool:
        """Return whether there was no new tick for so long."""
        return now - self._beat_at > after_s

    def is_livelock(self, *, after_hours: float) -> bool:
        """Return whether so many hours of game time brought no gain."""
        return self.idle_frames > after_hours * FRAMES_PER_HOUR
