"""The loop of a night: start a child, watch it until it ends, judge, recover; until there is a verdict."""

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from threading import Event
from typing import Final

from agent.app import Interrupt
from agent.errors import RunError, UsageError
from agent.tools.overnight.child import Child
from agent.tools.overnight.logs import Logbook, NightJournal, progress_of, read_journal
from agent.tools.overnight.outcomes import INTERRUPTED_NIGHT, USAGE, ChildExit, Night, NightVerdict
from agent.tools.overnight.recovery import NightHistory, Recovery, Restart
from agent.tools.overnight.repair import Copier, NightFiles, kept_memory, kept_run, take_settings
from agent.tools.overnight.settings import Clock, NightSettings
from agent.tools.overnight.watch import ChildWatch, NightViewer, UsageMeter
from memory.errors import RunFolderError
from memory.store.run_folder import own

LOCK: Final = "night.lock"
PROGRAM: Final = (sys.executable, "-m", "agent")
STEP_S: Final = 0.2
VERDICT: Final = ("verdict", "which", "why", "ticks", "frames", "restarts", "night_s")


@dataclass
class Supervisor:
    """Plays a run in child processes. `program` is what a child's command line begins with."""

    settings: NightSettings
    interrupt: Interrupt
    viewer: NightViewer
    clock: Clock = field(default_factory=Clock)
    program: Sequence[str] = PROGRAM

    def play(self) -> Night:
        """Play until there is a verdict, and return how it was.

        Raises RunFolderError when another process has the folder, or it cannot be written. Raises UsageError when a
        child says that what was asked for cannot be. Raises RunError when nothing was played, and the first child says
        why it cannot.
        """
        with own(self.settings.run, LOCK) as lock:
            pass
        try:
            self._take_over()
            answer = self._answers.to_begin()
            self._copier.copy_if_due(self._meter.free())  # as it is now everything is whole
            while isinstance(answer, Restart):
                answer = self._once(answer)
            return self._close(answer)
        finally:
            lock.release()

    def _take_over(self) -> None:
        """Go on where the night is, once the child of a supervisor that died let go of the folder."""
        settings, folder, clock = self.settings, self.settings.run, self.clock
        self._diary = NightJournal(folder, clock.date, self.viewer.told)
        self._progress = progress_of(read_journal(folder))
        self._began = clock.elapsed()
        self._files = NightFiles(folder, kept_run(folder), kept_memory(folder, settings.memory))
        self._diary.tell("began", settings=settings.told(), night_s=self._night_s())
        self._wait_for_folder()
        self._progress.milestones |= dict.fromkeys(self._files.milestones())
        self._log = Logbook(folder, self._progress.log_bytes)
        asks = settings.asks and not self._progress.by_rules
        run, memory = self._files.run, self._files.memory
        self._meter = UsageMeter(run.path, memory.path, self._log, self._night_s, asks=asks)
        self._copier = Copier((run, memory), settings.limits.free_bytes, clock.elapsed)
        self._watch = ChildWatch(
            settings,
            clock,
            self.interrupt,
            self._meter,
            self._copier,
            self.viewer,
            self._diary,
            self._progress.milestones,
        )
        self._answers = Recovery(
            self._files,
            self._watch.stalls,
            settings.patience.backoff_s,
            clock.elapsed,
            self._fault,
            NightHistory(by_rules=self._progress.by_rules),
        )

    def _once(self, answer: Restart) -> Restart | NightVerdict:
        """Wait as the last ending asks for, let a child play, and return what its ending asks for."""
        self._pause(self._answers.wait_s(answer))
        if self.interrupt.asked:
            return INTERRUPTED_NIGHT
        hindrance = self._answers.before(answer)
        if hindrance is not None:
            return hindrance
        if answer.by_rules:
            self._meter.asks = False
            self._diary.tell("rules", says=answer.says)
        ended = self._let_play()
        # No restart would change these.
        if ended.code == USAGE:
            raise UsageError(ended.says)
        if ended.code == 1 and not self._files.has_run and self._progress.children == 1:
            raise RunError(ended.says)
        return self._answers.to(ended)

    def _let_play(self) -> ChildExit:
        take_settings(self.settings.run)
        self._log.last = ""
        self._progress.children += 1
        number = self._progress.children
        command = self.settings.command(
            self.program,
            goes_on=self._files.has_run,
            at=self._answers.next_tick(),
            by_rules=self._answers.record.by_rules,
        )
        try:
            with closing(Child(command, self._log.write)) as child:
                ended = self._watch.until_ended(child, number)
        except OSError as error:  # no process, no pipe: the machine is short of something
            ended = ChildExit(1, says=f"no child could be started ({error.strerror})")
        self._diary.tell(
            "ended",
            n=number,
            code=ended.code,
            says=ended.says,
            ticks=ended.ticks,
            night_s=self._night_s(),
            log_bytes=self._log.total,
        )
        return ended

    def _close(self, verdict: NightVerdict) -> Night:
        """Tell the verdict and return the night as it was."""
        last = self._answers.last
        night = Night(
            run=str(self.settings.run),
            verdict=verdict.ending.value,
            which=verdict.which.value if verdict.which else "",
            why=verdict.why,
            ticks=last.tick,
            frames=last.frame,
            milestones=tuple(self._progress.milestones),
            restarts=max(self._progress.children - 1, 0),
            faults=dict(self._progress.faults),
            night_s=self._night_s(),
        )
        self._diary.tell("verdict", **{name: getattr(night, name) for name in VERDICT})
        return night

    def _fault(self, answer: Restart, done: str) -> None:
        kind = answer.fault.value if answer.fault else ""
        self._progress.faults[kind] += 1
        self._diary.tell(
            "fault", kind=kind, says=answer.says, tick=self._answers.last.tick, answer=done
        )

    def _night_s(self) -> float:
        return round(self._progress.night_s + self.clock.elapsed() - self._began, 1)

    def _pause(self, seconds: float) -> None:
        """Wait so long, or until an end is asked for."""
        until, never = self.clock.elapsed() + seconds, Event()
        while not self.interrupt.asked and (left := until - self.clock.elapsed()) > 0:
            self._diary.settle()
            never.wait(min(left, STEP_S))

    def _wait_for_folder(self) -> None:
        """Wait until no process plays the run: the child of a supervisor that died ends by itself."""
        until = self.clock.elapsed() + self.settings.patience.folder_s
        while not self.interrupt.asked:
            try:
                with own(self.settings.run) as lock:
                    pass
            except RunFolderError:
                if self.clock.elapsed() > until:
                    raise
                self._pause(STEP_S)
            else:
                lock.release()
                return
