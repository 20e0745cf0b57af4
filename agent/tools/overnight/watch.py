"""Watching one child until it ends or must be ended: a limit, a hang, a livelock, or a damaged file."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from signal import Signals
from typing import Any, Final, Protocol

from agent.app import Interrupt, file_bytes, free_bytes, resident_of
from agent.tools.overnight.child import Child, Heartbeat
from agent.tools.overnight.logs import Line, Logbook, NightJournal
from agent.tools.overnight.outcomes import (
    FRAMES_PER_HOUR,
    KILLED,
    ChildExit,
    NightFault,
    NightUsage,
    StopReason,
    passed,
)
from agent.tools.overnight.repair import Copier
from agent.tools.overnight.settings import Clock, NightSettings
from memory import StoreError, flaw_in, read_run_store
from memory.store.calls import CallState


@dataclass(slots=True)
class StallDetector:
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

    def saw(self, beat: Heartbeat, now: float) -> None:
        """Note a heartbeat; one at the same tick says nothing."""
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


NANOS: Final = 1_000_000_000  # of a dollar


@dataclass(slots=True)
class UsageMeter:
    """Reads what a night takes. `night_s` gives its seconds so far; `asks` says whether a model may be asked."""

    run: Path
    memory: Path
    log: Logbook
    night_s: Callable[[], float]
    asks: bool
    calls: int = 0
    usd: float = 0.0

    def read(self, pid: int, frame: int) -> NightUsage:
        """Return what is taken now."""
        return NightUsage(
            night_s=self.night_s(),
            frame=frame,
            free_bytes=self.free(),
            resident=resident_of(pid),
            log_bytes=self.log.total,
            calls=self.calls,
            usd=self.usd,
            asks=self.asks,
        )

    def free(self) -> int:
        """Return what is left on the fuller of the two disks."""
        return min(free_bytes(self.run.parent), free_bytes(self.memory))

    def count_calls(self) -> None:
        """Look into the ledger; where it cannot be read now, the last look holds."""
        try:
            with closing(read_run_store(self.run)) as store:
                made = [each for each in store.calls() if each.state is not CallState.CANCELLED]
        except StoreError:
            return
        self.calls, self.usd = len(made), sum(each.nanos for each in made) / NANOS


STEP_S: Final = 0.25  # how soon a request for an end is noticed
LOOK_S: Final = 1.0  # between two looks at the guards


class NightViewer(Protocol):
    """Shows a night while it goes on."""

    def told(self, line: Line) -> None:
        """Take a line of the journal."""
        ...

    def saw(self, beat: Heartbeat, night_s: float) -> None:
        """Take a beat of the child that plays."""
        ...


@dataclass(slots=True)
class ChildWatch:
    """Reads the heartbeat, keeps copies, writes samples, and checks the limits every second."""

    settings: NightSettings
    clock: Clock
    interrupt: Interrupt
    meter: UsageMeter
    copier: Copier
    viewer: NightViewer
    journal: NightJournal
    milestones: dict[str, None]
    stalls: StallDetector = field(default_factory=StallDetector)
    _first: Heartbeat | None = None
    _beat: Heartbeat | None = None
    _look_at: float = 0.0
    _sample_at: float = 0.0

    def until_ended(self, child: Child, number: int) -> ChildExit:
        """Return how the child ended, by itself or because there was a reason."""
        self.stalls.begin(self.clock.elapsed())
        self._first = self._beat = None
        self._sample_at = 0.0
        reason = None
        while child.code is None and reason is None:
            for beat in child.listen(STEP_S):
                self._take(beat, child, number)
            reason = self._reason(child)
        unasked = child.code is not None or not self._end(child)
        for beat in child.drain():
            self._take(beat, child, number)
        self.meter.log.end_line()
        return self._ended(child, reason, unasked=unasked)

    def _take(self, beat: Heartbeat, child: Child, number: int) -> None:
        if self._first is None:
            self._first = beat
            self.journal.tell("started", n=number, pid=child.pid, tick=beat.tick)
            self.copier.hurry()  # from now on there is something to lose
            self._look_at = 0.0
        self._beat = beat
        self.stalls.saw(beat, self.clock.elapsed())
        for milestone in beat.milestones:
            if milestone not in self.milestones:
                self.milestones[milestone] = None
                self.journal.tell("milestone", id=milestone, tick=beat.tick)
                self.copier.hurry()
        self.viewer.saw(beat, self.meter.night_s())

    def _reason(self, child: Child) -> StopReason | None:
        """Return why the child should end now, or None."""
        if self.interrupt.asked:
            return StopReason(None, "")
        now = self.clock.elapsed()
        if now < self._look_at:
            return None
        self._look_at = now + LOOK_S
        self.journal.settle()  # a child that says nothing leaves nothing to tell, and what waits would be lost
        self._sample_if_due(child, now)
        reading = self.meter.read(child.pid, self._beat.frame if self._beat else 0)
        return passed(reading, self.settings.limits) or self._lulled(now) or self._damaged()

    def _lulled(self, now: float) -> StopReason | None:
        patience = self.settings.patience
        where = f"{self._beat.place}, {self._beat.doing}" if self._beat else "its start"
        if self.stalls.hangs(now, after_s=patience.hang_s):
            return StopReason(NightFault.HANG, f"no tick for {patience.hang_s:g} s since {where}")
        if self.stalls.is_livelock(after_hours=patience.gain_hours):
            says = f"nothing gained in {patience.gain_hours:g} hours of game time: {where}"
            return StopReason(NightFault.LIVELOCK, says)
        return None

    def _damaged(self) -> StopReason | None:
        """Copy what is due; a file of which no whole copy can be made, and that is not whole itself, is damaged."""
        if self._beat is None:
            return None
        failed = self.copier.copy_if_due(self.meter.free())
        flaw = flaw_in(failed[0]) if failed is not None else None
        if failed is None or flaw is None:
            return None
        is_run = failed[0] == self.meter.run
        fault = NightFault.DAMAGED_RUN if is_run else NightFault.DAMAGED_MEMORY
        return StopReason(fault, str(flaw))

    def _sample_if_due(self, child: Child, now: float) -> None:
        if now < self._sample_at or self._beat is None:
            return
        self._sample_at = now + self.settings.patience.sample_s
        self.meter.count_calls()
        told = self.meter.read(child.pid, self._beat.frame)._asdict()
        del told["asks"]
        self.journal.tell(
            "sample",
            tick=self._beat.tick,
            milestones=len(self._beat.milestones),
            gains=self._beat.gains,
            file_bytes=file_bytes(self.meter.run),
            **told,
        )

    def _end(self, child: Child) -> bool:
        """Ask for a clean end, and kill the child when it does not end in time.

        Return whether its end may be of our asking; a SIGKILL that the supervisor did not send was on its way before.
        """
        child.ask_to_end()
        until = self.clock.elapsed() + self.settings.patience.grace_s
        while child.code is None and self.clock.elapsed() < until:
            for beat in child.listen(STEP_S):
                self._beat = beat
        if child.code is None:
            child.kill()
            return True
        return child.code != KILLED

    def _ended(self, child: Child, reason: StopReason | None, *, unasked: bool) -> ChildExit:
        code, beat = child.code or 0, self._beat
        summary = child.summary or {}
        return ChildExit(
            code=code,
            stop=str(summary.get("stop", "")),
            says=(reason.says if reason else "") or self._words(code, summary),
            because=reason.because if reason else None,
            is_unwatched=self.interrupt.asked,
            tick=int(summary.get("ticks", beat.tick if beat else 0)),
            frame=int(summary.get("frames", beat.frame if beat else 0)),
            ticks=beat.tick - self._first.tick if beat and self._first else 0,
            checkpoint=beat.checkpoint if beat else -1,
            gains=self.stalls.gains,
            gained_at=self.stalls.gained_at,
            played=beat is not None,
            unasked=unasked,
        )

    def _words(self, code: int, told: Mapping[str, Any]) -> str:
        """Return in one line how a child ended: what it says, or the signal that ended it."""
        if told.get("stop"):
            return str(told.get("reason") or told["stop"])
        if code < 0:
            named = {each.value: each.name for each in Signals}
            return f"ended by {named.get(-code, f'signal {-code}')}"
        return self.meter.log.last.removeprefix("error: ") or f"ended with {code}"
