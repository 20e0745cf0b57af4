"""Watches one child until it ends, or ends it at a limit, a hang, a livelock or a damaged file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from signal import Signals
from typing import Any, Final, Protocol

from agent.app import Interrupt, file_bytes, free_bytes, resident_bytes
from agent.app.verdicts import NANOS
from agent.tools.overnight.child import Child, Heartbeat
from agent.tools.overnight.copies import Copier, asked
from agent.tools.overnight.logs import ChildLog, Line, NightJournal
from agent.tools.overnight.night import (
    FRAMES_PER_HOUR,
    KILLED,
    ChildExit,
    Clock,
    NightFault,
    NightSettings,
    NightUsage,
    StopReason,
    exceeded,
)
from memory.store import CallState


@dataclass(slots=True)
class StallDetector:
    """Detects hangs and livelocks from heartbeats. A return to a checkpoint does not reduce the idle frames.

    `gains` is the highest count of any child of the night, so that repeated progress after a restart is no gain.
    """

    gains: int = -1
    gained_at: int = 0  # the tick of the last gain
    idle_frames: int = 0  # played since the last gain
    _tick: int = -1
    _frame: int = 0
    _ticked_at: float = 0.0

    def begin(self, now: float) -> None:
        """Start the timeout of a new child."""
        self._tick, self._ticked_at = -1, now

    def reset_idle(self) -> None:
        """Reset the idle frames after a deliberate return to a checkpoint."""
        self.idle_frames = 0

    def observe(self, heartbeat: Heartbeat, now: float) -> None:
        """Update from a heartbeat; one at the same tick is ignored."""
        if heartbeat.tick == self._tick:
            return
        if self._tick >= 0:
            self.idle_frames += max(heartbeat.frame - self._frame, 0)
        self._tick, self._frame, self._ticked_at = heartbeat.tick, heartbeat.frame, now
        if heartbeat.gains > self.gains:
            self.gains, self.gained_at, self.idle_frames = heartbeat.gains, heartbeat.tick, 0

    def hangs(self, now: float, *, after_s: float) -> bool:
        """Return whether the last new tick is more than `after_s` seconds ago."""
        return now - self._ticked_at > after_s

    def is_livelock(self, *, after_hours: float) -> bool:
        """Return whether more than `after_hours` of game time passed without a gain."""
        return self.idle_frames > after_hours * FRAMES_PER_HOUR


@dataclass(slots=True)
class UsageMeter:
    """Reads the usage of a night; `night_s` returns its seconds so far, `asks` is whether a model may be asked."""

    run: Path
    memory: Path
    log: ChildLog
    night_s: Callable[[], float]
    asks: bool
    calls: int = 0
    usd: float = 0.0

    def read(self, pid: int, frame: int) -> NightUsage:
        """Return the current usage."""
        return NightUsage(
            night_s=self.night_s(),
            frame=frame,
            free_bytes=self.free(),
            resident=resident_bytes(pid),
            log_bytes=self.log.total,
            calls=self.calls,
            usd=self.usd,
            asks=self.asks,
        )

    def run_id(self) -> str:
        """Return the id of the run, '' when it cannot be read."""
        return asked(self.run, lambda run: run.run_id, "")

    def free(self) -> int:
        """Return the free bytes on the fuller of the two disks."""
        return min(free_bytes(self.run.parent), free_bytes(self.memory))

    def count_calls(self) -> None:
        """Count the calls in the record; if it cannot be read, the last count stays."""
        every = asked(self.run, lambda run: run.calls.all(), None)
        if every is not None:
            made = [each for each in every if each.state is not CallState.CANCELLED]
            self.calls, self.usd = len(made), sum(each.nanos for each in made) / NANOS


STEP_S: Final = 0.25  # the longest delay of an interrupt
CHECK_S: Final = 1.0  # between two checks of the limits


class NightViewer(Protocol):
    """A display of a running night."""

    def show_event(self, line: Line) -> None:
        """Show a line of the journal."""
        ...

    def show_heartbeat(self, heartbeat: Heartbeat, night_s: float) -> None:
        """Show a heartbeat of the child."""
        ...


@dataclass(slots=True)
class ChildWatch:
    """Reads heartbeats, makes copies, writes samples, and checks the limits every second.

    `run_id` is the id of the run that is played, '' until a child plays.
    """

    settings: NightSettings
    clock: Clock
    interrupt: Interrupt
    meter: UsageMeter
    copier: Copier
    viewer: NightViewer
    journal: NightJournal
    milestones: dict[str, None]
    stalls: StallDetector = field(default_factory=StallDetector)
    run_id: str = ""
    _first: Heartbeat | None = None
    _heartbeat: Heartbeat | None = None
    _check_at: float = 0.0
    _sample_at: float = 0.0

    def until_ended(self, child: Child, number: int) -> ChildExit:
        """Return how the child ended, by itself or because it had to end."""
        self.stalls.begin(self.clock.elapsed())
        self._first = self._heartbeat = None
        self._sample_at = 0.0
        reason = None
        while child.code is None and reason is None:
            for heartbeat in child.listen(STEP_S):
                self._handle(heartbeat, child, number)
            reason = self._reason(child)
        was_over = child.code is not None or not self._end(child)
        for heartbeat in child.drain():
            self._handle(heartbeat, child, number)
        self.meter.log.end_line()
        return self._exit_of(child, reason, was_over=was_over)

    def _handle(self, heartbeat: Heartbeat, child: Child, number: int) -> None:
        if self._first is None:
            self._first = heartbeat
            self.run_id = self.run_id or self.meter.run_id()
            began = {**_moment(heartbeat), "repeats_to": heartbeat.repeats_to}
            self.journal.append("started", n=number, pid=child.pid, **began)
            self.copier.request_copy()  # now there is progress to lose
            self._check_at = 0.0
        self._heartbeat = heartbeat
        self.stalls.observe(heartbeat, self.clock.elapsed())
        now = heartbeat.tick, heartbeat.frame
        moments = dict(zip(heartbeat.milestones[::-1], heartbeat.reached[::-1], strict=False))
        for milestone in heartbeat.milestones:
            if milestone not in self.milestones:
                self.milestones[milestone] = None
                tick, frame = moments.get(milestone, now)
                at = {"reached": len(self.milestones), "tick": tick, "frame": frame}
                self.journal.append("milestone", id=milestone, **at)
                self.copier.request_copy()
        self.viewer.show_heartbeat(heartbeat, self.meter.night_s())

    def _reason(self, child: Child) -> StopReason | None:
        """Return why the child must end now, or None."""
        if self.interrupt.asked:
            return StopReason(None, "")
        now = self.clock.elapsed()
        if now < self._check_at:
            return None
        self._check_at = now + CHECK_S
        self.journal.flush()  # waiting lines must be written even if the child is silent
        self._sample_if_due(child, now)
        reading = self.meter.read(child.pid, self._heartbeat.frame if self._heartbeat else 0)
        over = exceeded(reading, self.settings.limits)
        return over or self._stall_reason(now) or self._damage_reason()

    def _stall_reason(self, now: float) -> StopReason | None:
        patience = self.settings.patience
        last = self._heartbeat
        where = f"{last.place}, {last.doing}" if last else "its start"
        if self.stalls.hangs(now, after_s=patience.hang_s):
            return StopReason(NightFault.HANG, f"no tick for {patience.hang_s:g} s since {where}")
        if self.stalls.is_livelock(after_hours=patience.gain_hours):
            message = f"no gain in {patience.gain_hours:g} hours of game time: {where}"
            return StopReason(NightFault.LIVELOCK, message)
        return None

    def _damage_reason(self) -> StopReason | None:
        """Make due copies; a damaged file is a reason to end."""
        damaged = self.copier.copy_if_due(self.meter.free()) if self._heartbeat else None
        if damaged is None:
            return None
        path, damage = damaged
        is_run = path == self.meter.run
        fault = NightFault.DAMAGED_RUN if is_run else NightFault.DAMAGED_MEMORY
        return StopReason(fault, str(damage))

    def _sample_if_due(self, child: Child, now: float) -> None:
        if now < self._sample_at or self._heartbeat is None:
            return
        self._sample_at = now + self.settings.patience.sample_s
        self.meter.count_calls()
        usage = self.meter.read(child.pid, self._heartbeat.frame)._asdict()
        del usage["asks"]
        self.journal.append(
            "sample",
            tick=self._heartbeat.tick,
            milestones=len(self._heartbeat.milestones),
            gains=self._heartbeat.gains,
            file_bytes=file_bytes(self.meter.run),
            **usage,
        )

    def _end(self, child: Child) -> bool:
        """Request a clean end, and kill the child if it does not end in time.

        Return whether the request may have ended it; a SIGKILL from outside was sent before.
        """
        child.terminate()
        until = self.clock.elapsed() + self.settings.patience.grace_s
        while child.code is None and self.clock.elapsed() < until:
            for heartbeat in child.listen(STEP_S):
                self._heartbeat = heartbeat
        if child.code is None:
            child.kill()
            return True
        return child.code != KILLED

    def _exit_of(self, child: Child, reason: StopReason | None, *, was_over: bool) -> ChildExit:
        code, heartbeat = child.code or 0, self._heartbeat
        summary = child.summary or {}
        return ChildExit(
            code=code,
            stop=str(summary.get("stop", "")),
            message=(reason.message if reason else "") or self._exit_message(code, summary),
            because=reason.because if reason else None,
            is_interrupted=self.interrupt.asked,
            tick=int(summary.get("ticks", heartbeat.tick if heartbeat else 0)),
            frame=int(summary.get("frames", heartbeat.frame if heartbeat else 0)),
            ticks=heartbeat.tick - self._first.tick if heartbeat and self._first else 0,
            checkpoint=heartbeat.checkpoint if heartbeat else -1,
            gains=self.stalls.gains,
            gained_at=self.stalls.gained_at,
            played=heartbeat is not None,
            was_over=was_over,
        )

    def _exit_message(self, code: int, summary: Mapping[str, Any]) -> str:
        """Return in one line why a child ended: its own reason, or the signal that ended it."""
        if summary.get("stop"):
            return str(summary.get("reason") or summary["stop"])
        if code < 0:
            named = {each.value: each.name for each in Signals}
            return f"ended by {named.get(-code, f'signal {-code}')}"
        return self.meter.log.last.removeprefix("error: ") or f"ended with {code}"


def _moment(heartbeat: Heartbeat) -> Mapping[str, int]:
    return {"tick": heartbeat.tick, "frame": heartbeat.frame}
