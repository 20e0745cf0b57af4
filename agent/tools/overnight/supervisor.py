"""The loop of a night: start a child, watch it until it ends, and recover, until there is a verdict."""

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from threading import Event
from typing import Final

from agent.app import Interrupt, resident_bytes
from agent.errors import RunError, UsageError
from agent.events import MilestoneEvent, events
from agent.tools.overnight.child import Child
from agent.tools.overnight.copies import Copier, asked, memory_file, run_file, settings_file
from agent.tools.overnight.logs import ChildLog, NightJournal, orphan_of, progress_of, read_journal
from agent.tools.overnight.night import (
    INTERRUPTED_NIGHT,
    USAGE,
    ChildExit,
    Clock,
    Limit,
    Night,
    NightEnding,
    NightSettings,
    NightVerdict,
    hours_over,
)
from agent.tools.overnight.recovery import NightHistory, Recovery, Restart
from agent.tools.overnight.repair import NightFiles
from agent.tools.overnight.watch import ChildWatch, NightViewer, UsageMeter
from memory import RunReader
from memory.errors import RunFolderError
from memory.store import STORE, own

LOCK: Final = "night.lock"
PROGRAM: Final = (sys.executable, "-m", "agent")
STEP_S: Final = 0.2
VERDICT: Final = ("verdict", "which", "reason", "ticks", "frames", "restarts", "night_s")


@dataclass
class Supervisor:
    """Plays a run in child processes; `program` is the start of their command line."""

    settings: NightSettings
    interrupt: Interrupt
    viewer: NightViewer
    clock: Clock = field(default_factory=Clock)
    program: Sequence[str] = PROGRAM

    def play(self) -> Night:
        """Play until there is a verdict, and return the result of the night.

        Raises RunFolderError at once if another process has locked the folder or it cannot be written, StoreError if
        a file is of a newer version of the program. Raises UsageError if a child refuses its flags. Raises RunError if the first child ends with an error before it has
        started a run.
        """
        folder, clock = self.settings.run, self.clock
        with own(folder, LOCK) as lock:
            lines = read_journal(folder)
            self._journal = NightJournal(folder, clock.date, self.viewer.show_event)
            self._progress, self._began = progress_of(lines), clock.elapsed()
            self._earlier = self._progress.children  # of the commands before this one
            self._require_free_run(orphan_of(lines))
            settings = settings_file(folder)
            run, memory = run_file(folder), memory_file(folder, self.settings.memory)
            self._files = NightFiles(folder, settings, run, memory, clock.date)
            self._files.require_known_versions()
        try:
            self._resume_night()
            decision = self._recovery.before_first()
            self._copier.copy_if_due(self._meter.free())  # all files are intact now
            while isinstance(decision, Restart):
                decision = self._play_child(decision)
            return self._finish(decision)
        finally:
            lock.release()

    def _resume_night(self) -> None:
        """Begin the night, or resume it with the progress in its journal."""
        settings, folder, clock = self.settings, self.settings.run, self.clock
        flags, resumed = settings.describe(), self._progress.is_resumed
        self._journal.append("began", settings=flags, night_s=self._night_s(), resumed=resumed)
        self._progress.milestones |= dict.fromkeys(self._files.milestones())
        self._log = ChildLog(folder, self._progress.log_bytes)
        asks = settings.asks and not self._progress.by_rules
        run, memory = self._files.run, self._files.memory
        self._meter = UsageMeter(run.path, memory.path, self._log, self._night_s, asks=asks)
        self._copier = Copier(
            (run, memory), self._files.settings, settings.limits.free_bytes, clock.elapsed
        )
        self._watch = ChildWatch(
            settings,
            clock,
            self.interrupt,
            self._meter,
            self._copier,
            self.viewer,
            self._journal,
            self._progress.milestones,
        )
        self._recovery = Recovery(
            self._files,
            self._watch.stalls,
            settings.patience.backoff_s,
            clock.elapsed,
            self._record_fault,
            NightHistory(by_rules=self._progress.by_rules),
        )
        if vitals := self._files.last_vitals():  # where the run is if no child plays
            self._recovery.last = ChildExit(0, tick=vitals.tick, frame=vitals.frame)

    def _play_child(self, decision: Restart) -> Restart | NightVerdict:
        """Wait for the back-off, let a child play, and return the next step after its end."""
        self._pause(self._recovery.wait_s(decision))
        if self.interrupt.asked:
            return INTERRUPTED_NIGHT
        over = hours_over(self._night_s(), self.settings.limits)
        if over is not None:  # no child may have played since
            return NightVerdict(NightEnding.LIMIT, over, Limit.HOURS)
        damaged = self._recovery.before_next(decision)
        if damaged is not None:
            return damaged
        if decision.by_rules:
            self._meter.asks = False
            self._journal.append("rules", says=decision.message)
        ended = self._run_child()
        # Restarts do not help against these.
        if ended.code == USAGE:
            raise UsageError(ended.message)
        if ended.code == 1 and not self._files.has_run and self._progress.children == 1:
            raise RunError(ended.message)
        return self._recovery.after(ended)

    def _run_child(self) -> ChildExit:
        self._log.last = ""
        self._progress.children += 1
        number = self._progress.children
        command = self.settings.command(
            self.program,
            resumes=self._files.has_run,
            at=self._recovery.next_tick(),
            by_rules=self._recovery.history.by_rules,
        )
        try:
            with closing(Child(command, self._log.write)) as child:
                self._journal.append("child", n=number, pid=child.pid, restarts=self._restarts)
                ended = self._watch.until_ended(child, number)
        except OSError as error:  # the system has no process or pipe left
            ended = ChildExit(1, message=f"no child could be started ({error.strerror})")
        self._journal.append(
            "ended",
            n=number,
            code=ended.code,
            says=ended.message,
            ticks=ended.ticks,
            night_s=self._night_s(),
            log_bytes=self._log.total,
        )
        return ended

    def _finish(self, verdict: NightVerdict) -> Night:
        """Write the verdict to the journal, and return the result of the night; first its files are looked at."""
        last, run_id = self._recovery.last, self._watch.run_id
        if run_id and (losses := self._files.losses(run_id)):
            verdict = NightVerdict(NightEnding.GAVE_UP, f"{losses} ({verdict.reason})")
        night = Night(
            run=str(self.settings.run),
            verdict=verdict.ending.value,
            which=verdict.which.value if verdict.which else "",
            reason=verdict.reason,
            ticks=last.tick,
            frames=last.frame,
            milestones=tuple(self._progress.milestones),
            restarts=self._restarts,
            faults=dict(self._progress.faults),
            night_s=self._night_s(),
        )
        self._journal.append("verdict", **{name: getattr(night, name) for name in VERDICT})
        return night

    def _record_fault(self, decision: Restart, done: str) -> None:
        kind = decision.fault.value if decision.fault else ""
        self._progress.faults[kind] += 1
        last = self._recovery.last
        self._journal.append(
            "fault", kind=kind, says=decision.message, tick=last.tick, frame=last.frame, answer=done
        )

    @property
    def _restarts(self) -> int:
        """The restarts of the night; that a command goes on with it is none."""
        return self._progress.restarts + max(self._progress.children - self._earlier - 1, 0)

    def _night_s(self) -> float:
        return round(self._progress.night_s + self.clock.elapsed() - self._began, 1)

    def _pause(self, seconds: float) -> None:
        """Wait for `seconds`, or until an interrupt."""
        until, never = self.clock.elapsed() + seconds, Event()
        while not self.interrupt.asked and (left := until - self.clock.elapsed()) > 0:
            self._journal.flush()
            never.wait(min(left, STEP_S))

    def _require_free_run(self, orphan: int) -> None:
        """Raise RunFolderError if a process plays the run.

        The child `orphan` of a killed supervisor ends by itself and is waited for, for at most `folder_s` and the rest
        of the hours.
        """
        settings, clock = self.settings, self.clock
        left_s = settings.limits.hours * 3_600 - self._night_s()
        until = clock.elapsed() + min(settings.patience.folder_s, left_s)
        is_waiting = False
        while not self.interrupt.asked:
            is_alive = resident_bytes(orphan) > 0  # read before the lock, which its end unlocks
            try:
                with own(settings.run) as lock:
                    pass
            except RunFolderError:
                if not is_alive or clock.elapsed() > until:
                    raise
                if not is_waiting:
                    self._journal.append("waiting", pid=orphan)
                is_waiting = True
                self._pause(STEP_S)
            else:
                lock.release()
                return


def finished_night(folder: Path, goal: str) -> Night | None:
    """Return a night in which nothing is played if the run in `folder` has reached milestone `goal`, else None.

    A file that cannot be read is no finished run: a night examines and repairs it.
    """
    return asked(folder / STORE, lambda run: _night(folder, run, goal), None)


def _night(folder: Path, run: RunReader, goal: str) -> Night | None:
    reached = {each.id: each.tick for each in events(run, MilestoneEvent)}
    if goal not in reached:
        return None
    rows = run.record.vitals()
    since = [*takewhile(lambda row: row.tick >= reached[goal], reversed(rows))]
    at = datetime.fromtimestamp(since[-1].at_ms / 1_000, UTC).astimezone() if since else None
    day = f" on {at:%d %B %Y}" if at else ""
    return Night(
        run=str(folder),
        verdict=NightEnding.GOAL.value,
        which="",
        reason=f"already reached its goal{day}; nothing to do",
        ticks=rows[-1].tick if rows else reached[goal],
        frames=rows[-1].frame if rows else 0,
        milestones=tuple(reached),
    )
