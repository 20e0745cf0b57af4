"""Watching one child: until it ends, or there is a reason to end it."""

from collections.abc import Mapping
from signal import Signals
from typing import Any, Final, NamedTuple, Protocol

from agent.app import Interrupt
from agent.overnight.beat import Beat
from agent.overnight.child import Child
from agent.overnight.clock import Clock
from agent.overnight.copies import Copier
from agent.overnight.diary import Diary, Line
from agent.overnight.ended import Ended
from agent.overnight.fault import Fault
from agent.overnight.gauge import Gauge
from agent.overnight.guards import Guard, Limits, passed, told
from agent.overnight.lull import Lull
from agent.overnight.settings import Patience
from memory import flaw_in

STEP_S: Final = 0.25  # how soon a request for an end is noticed
LOOK_S: Final = 1.0  # between two looks at the guards


class Reason(NamedTuple):
    """Why a child is to end; None for somebody who asks for it."""

    because: Guard | Fault | None
    says: str


class NightViewer(Protocol):
    """Whoever watches the night."""

    def told(self, line: Line) -> None:
        """Take a line of the diary."""
        ...

    def saw(self, beat: Beat, night_s: float) -> None:
        """Take a beat of the child that plays."""
        ...


class Watch:
    """Reads the pulse, keeps copies, writes samples, and looks at the guards every second."""

    def __init__(  # noqa: PLR0913  # what there is to look at
        self,
        limits: Limits,
        patience: Patience,
        clock: Clock,
        interrupt: Interrupt,
        gauge: Gauge,
        copier: Copier,
        viewer: NightViewer,
        diary: Diary,
        milestones: dict[str, None],
    ) -> None:
        self.lull = Lull()
        self._limits = limits
        self._patience = patience
        self._clock = clock
        self._interrupt = interrupt
        self._gauge = gauge
        self._copier = copier
        self._viewer = viewer
        self._diary = diary
        self._milestones = milestones
        self._first: Beat | None = None
        self._beat: Beat | None = None
        self._look_at = 0.0
        self._sample_at = 0.0

    def until_ended(self, child: Child, number: int) -> Ended:
        """Return how the child ended, by itself or because there was a reason."""
        self.lull.begin(self._clock.elapsed())
        self._first = self._beat = None
        self._sample_at = 0.0
        reason = None
        while child.code is None and reason is None:
            for beat in child.listen(STEP_S):
                self._take(beat, child, number)
            reason = self._reason(child)
        unasked = child.code is not None
        if not unasked:
            self._end(child)
        for beat in child.drain():
            self._take(beat, child, number)
        self._gauge.log.end_line()
        return self._ended(child, reason, unasked=unasked)

    def _take(self, beat: Beat, child: Child, number: int) -> None:
        if self._first is None:
            self._first = beat
            self._diary.tell("started", n=number, pid=child.pid, tick=beat.tick)
            self._copier.hurry()  # from now on there is something to lose
            self._look_at = 0.0
        self._beat = beat
        self.lull.saw(beat, self._clock.elapsed())
        for milestone in beat.milestones:
            if milestone not in self._milestones:
                self._milestones[milestone] = None
                self._diary.tell("milestone", id=milestone, tick=beat.tick)
                self._copier.hurry()
        self._viewer.saw(beat, self._gauge.night_s())

    def _reason(self, child: Child) -> Reason | None:
        """Return why the child should end now, or None."""
        if self._interrupt.asked:
            return Reason(None, "")
        now = self._clock.elapsed()
        if now < self._look_at:
            return None
        self._look_at = now + LOOK_S
        self._diary.settle()  # a child that says nothing leaves nothing to tell, and what waits would be lost
        self._sample_if_due(child, now)
        return self._guarded(child) or self._lulled(now) or self._damaged()

    def _guarded(self, child: Child) -> Reason | None:
        reading = self._gauge.read(child.pid, self._beat.frame if self._beat else 0)
        guard = passed(reading, self._limits)
        return None if guard is None else Reason(guard, told(guard, reading, self._limits))

    def _lulled(self, now: float) -> Reason | None:
        patience = self._patience
        where = f"{self._beat.place}, {self._beat.doing}" if self._beat else "its start"
        if self.lull.hangs(now, after_s=patience.hang_s):
            return Reason(Fault.HANG, f"no tick for {patience.hang_s:g} s since {where}")
        if self.lull.is_livelock(after_hours=patience.gain_hours):
            says = f"nothing gained in {patience.gain_hours:g} hours of game time: {where}"
            return Reason(Fault.LIVELOCK, says)
        return None

    def _damaged(self) -> Reason | None:
        """Copy what is due; a file of which no whole copy can be made, and that is not whole itself, is damaged."""
        if self._beat is None:
            return None
        failed = self._copier.copy_if_due(self._gauge.free())
        flaw = flaw_in(failed[0]) if failed is not None else None
        if failed is None or flaw is None:
            return None
        is_run = failed[0] == self._gauge.run
        return Reason(Fault.DAMAGED_RUN if is_run else Fault.DAMAGED_MEMORY, str(flaw))

    def _sample_if_due(self, child: Child, now: float) -> None:
        if now < self._sample_at or self._beat is None:
            return
        self._sample_at = now + self._patience.sample_s
        self._gauge.count_calls()
        reading = self._gauge.read(child.pid, self._beat.frame)
        self._diary.tell(
            "sample",
            tick=self._beat.tick,
            frame=self._beat.frame,
            milestones=len(self._beat.milestones),
            gains=self._beat.gains,
            resident=reading.resident,
            file_bytes=self._gauge.file_bytes(),
            free_bytes=reading.free_bytes,
            log_bytes=reading.log_bytes,
            usd=reading.usd,
            calls=reading.calls,
            night_s=reading.night_s,
        )

    def _end(self, child: Child) -> None:
        """Ask for a clean end; who does not end in time is killed."""
        child.ask_to_end()
        until = self._clock.elapsed() + self._patience.grace_s
        while child.code is None and self._clock.elapsed() < until:
            for beat in child.listen(STEP_S):
                self._beat = beat
        if child.code is None:
            child.kill()

    def _ended(self, child: Child, reason: Reason | None, *, unasked: bool) -> Ended:
        code, beat = child.code or 0, self._beat
        summary = child.summary or {}
        return Ended(
            code=code,
            stop=str(summary.get("stop", "")),
            says=(reason.says if reason else "") or self._words(code, summary),
            because=reason.because if reason else None,
            is_unwatched=self._interrupt.asked,
            tick=int(summary.get("ticks", beat.tick if beat else 0)),
            frame=int(summary.get("frames", beat.frame if beat else 0)),
            ticks=beat.tick - self._first.tick if beat and self._first else 0,
            checkpoint=beat.checkpoint if beat else -1,
            gains=self.lull.gains,
            gained_at=self.lull.gained_at,
            played=beat is not None,
            unasked=unasked,
        )

    def _words(self, code: int, told: Mapping[str, Any]) -> str:
        """Return in one line how a child ended: what it says, or the signal that ended it."""
        if told.get("stop"):
            return str(told.get("reason") or told["stop"])
        if code < 0:
            return f"ended by {_signal(-code)}"
        return self._gauge.log.last.removeprefix("error: ") or f"ended with {code}"


def _signal(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"
