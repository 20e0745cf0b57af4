"""The night: start a child, watch it until something happens, judge, answer; until there is a verdict."""

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from threading import Event
from typing import Final

from agent.app import Interrupt
from agent.errors import RunError, UsageError
from agent.overnight.carried import carried
from agent.overnight.child import Child
from agent.overnight.clock import Clock
from agent.overnight.copies import Copier, kept_memory, kept_run, take_settings
from agent.overnight.diary import Diary, Line, read_diary
from agent.overnight.ended import USAGE, Ended
from agent.overnight.fault import Fault
from agent.overnight.gauge import Gauge
from agent.overnight.guards import Guard
from agent.overnight.judging import Again, Back, Record, judge, newest_before
from agent.overnight.logbook import Logbook
from agent.overnight.mending import Damage, Estate, Mended
from agent.overnight.settings import NightSettings
from agent.overnight.verdict import Ending, Night, Verdict
from agent.overnight.watch import NightViewer, Watch
from memory import RunFolderError, own

LOCK: Final = "night.lock"
PROGRAM: Final = (sys.executable, "-m", "agent")
SHORT_S: Final = 600.0  # memory that is short again so soon is not freed by a restart
STEP_S: Final = 0.2


class Supervisor:
    """Plays a run in child processes. `program` is what a child's command line begins with."""

    def __init__(
        self,
        settings: NightSettings,
        interrupt: Interrupt,
        viewer: NightViewer,
        clock: Clock | None = None,
        program: Sequence[str] = PROGRAM,
    ) -> None:
        self._settings = settings
        self._interrupt = interrupt
        self._viewer = viewer
        self._clock = clock or Clock()
        self._program = program
        folder = settings.run
        self._estate = Estate(folder, kept_run(folder), kept_memory(folder, settings.memory))
        self._last = Ended(0)
        self._at: int | None = None  # the tick that the next child goes back to
        self._back_at: int | None = None  # the last one that play went back to
        self._cleared_at: float | None = None  # when a restart last freed memory

    def play(self) -> Night:
        """Play until there is a verdict, and return how it was.

        Raises:
            RunFolderError: when the folder is somebody else's, or cannot be written.
            UsageError: when a child says that what was asked for cannot be.
            RunError: when nothing was played, and the first child says why it cannot.
        """
        with own(self._settings.run, LOCK) as lock:
            pass
        try:
            self._open()
            answer: Again | Verdict = self._look_round() or Again()
            while isinstance(answer, Again):
                answer = self._once(answer)
            return self._close(answer)
        finally:
            lock.release()

    def _open(self) -> None:
        """Take over where the night is, and wait for the child of a supervisor that died."""
        settings, folder = self._settings, self._settings.run
        self._diary = Diary(folder, self._clock.date)
        self._carried = carried(read_diary(folder))
        self._began = self._clock.elapsed()
        self._log = Logbook(folder, self._carried.log_bytes)
        self._record = Record(by_rules=self._carried.by_rules)
        self._gauge = Gauge(
            self._estate.run.path,
            settings.memory,
            self._log,
            self._night_s,
            asks=settings.asks and not self._record.by_rules,
        )
        kept = (self._estate.run, self._estate.memory)
        self._watch = Watch(
            settings.limits,
            settings.patience,
            self._clock,
            self._interrupt,
            self._gauge,
            Copier(kept, settings.limits.free_bytes, self._clock.elapsed),
            self._viewer,
            self._tell,
            self._carried.milestones,
        )
        self._carried.milestones |= self._estate.milestones()
        self._tell("began", settings=settings.told(), night_s=round(self._night_s(), 1))
        self._wait_for_folder()

    def _once(self, answer: Again) -> Again | Verdict:
        """Do what the last ending asks for, let a child play, and return what its ending asks for."""
        self._pause(answer.wait * self._settings.patience.backoff_s)
        if self._interrupt.asked:
            return Verdict(
                Ending.INTERRUPTED, "somebody asked for an end; the same command goes on"
            )
        self._last = self._let_play(answer)
        self._refuse_what_cannot_be(self._last)
        damage = None
        if self._last.stop not in {"goal", "ticks"}:
            damage = self._estate.examine(thoroughly=self._last.is_suspicious)
        return self._answer(self._last, damage)

    def _let_play(self, answer: Again) -> Ended:
        take_settings(self._settings.run)
        self._log.last = ""
        self._carried.children += 1
        command = self._settings.command(
            self._program,
            goes_on=self._estate.has_run,
            at=self._at,
            by_rules=self._record.by_rules,
        )
        self._at = None
        with closing(Child(command, self._log.write)) as child:
            ended = self._watch.until_ended(child, self._carried.children)
        self._tell(
            "ended",
            n=self._carried.children,
            code=ended.code,
            says=ended.says,
            ticks=ended.ticks,
            night_s=round(self._night_s(), 1),
            log_bytes=self._log.total,
        )
        return ended

    def _refuse_what_cannot_be(self, ended: Ended) -> None:
        """Raise what a child says that no restart would change."""
        if ended.code == USAGE:
            raise UsageError(ended.says)
        if ended.code == 1 and not self._estate.has_run:
            raise RunError(ended.says)

    def _answer(self, ended: Ended, damage: Damage | None) -> Again | Verdict:
        record = replace(self._record, memory_is_short=self._is_short())
        answer, self._record = judge(ended, damage, record)
        if isinstance(answer, Verdict):
            return answer
        if ended.because is Guard.MEMORY:
            self._cleared_at = self._clock.elapsed()
        if answer.by_rules:
            self._gauge.asks = False
            self._tell("rules", which=_name(ended.because), says=answer.says)
        if answer.damage is not None:
            return self._mend(answer, answer.damage)
        return self._go_back(answer)

    def _mend(self, answer: Again, damage: Damage) -> Again | Verdict:
        mended = self._mended(damage)
        self._fault(answer, mended.says)
        if not mended.done:
            return Verdict(Ending.GAVE_UP, f"{damage.says}: {mended.says}")
        return self._look_round() or answer

    def _mended(self, damage: Damage) -> Mended:
        try:
            return self._estate.mend(damage)
        except OSError as error:
            return Mended(False, f"it could not be put right ({error.strerror})")

    def _look_round(self) -> Again | Verdict | None:
        """Return what is to be done before a child can play, looking at every page; None when nothing is."""
        damage = self._estate.examine(thoroughly=True)
        if damage is None:
            return None
        return self._answer(replace(self._last, says=damage.says, code=1, because=None), damage)

    def _go_back(self, answer: Again) -> Again:
        """Choose the tick that an answer goes back to, and tell the fault with what is done about it."""
        done = []
        match answer.back:
            case Back.LAST:
                pass
            case Back.COPY:
                done.append(self._estate.go_back_to_copy().says)
            case Back.FURTHER:
                self._at = self._earlier(self._back_at)
            case Back.BEFORE_GAIN if self._record.returns == 1:
                self._at = self._earlier(self._last.gained_at)
            case Back.BEFORE_GAIN:
                self._at = self._earlier(self._back_at, lasting=True)
        if answer.back is Back.BEFORE_GAIN:
            self._watch.lull.spare()
        if self._at is not None:
            self._back_at = self._at
            done.append(f"went back to tick {self._at}")
        wait = answer.wait * self._settings.patience.backoff_s
        done.append(f"restart in {wait:g} s" if wait else "restart")
        if answer.fault is not None:
            self._fault(answer, ", ".join(done))
        return answer

    def _earlier(self, tick: int | None, *, lasting: bool = False) -> int | None:
        marks = self._estate.marks()
        newest = max((mark for mark, _ in marks), default=0)
        before = newest if tick is None else min(tick, newest)
        return newest_before(marks, before, lasting=lasting)

    def _close(self, verdict: Verdict) -> Night:
        """Tell the verdict and return the night as it was."""
        which = verdict.which.value if verdict.which else ""
        night = Night(
            run=str(self._settings.run),
            verdict=verdict.ending.value,
            which=which,
            why=verdict.why,
            ticks=self._last.tick,
            frames=self._last.frame,
            milestones=tuple(sorted(self._carried.milestones)),
            restarts=max(self._carried.children - 1, 0),
            faults=dict(self._carried.faults),
            night_s=round(self._night_s(), 1),
        )
        self._tell(
            "verdict",
            verdict=night.verdict,
            which=which,
            why=night.why,
            ticks=night.ticks,
            frames=night.frames,
            restarts=night.restarts,
            night_s=night.night_s,
        )
        return night

    def _fault(self, answer: Again, done: str) -> None:
        kind = _name(answer.fault)
        self._carried.faults[kind] += 1
        self._tell("fault", kind=kind, says=answer.says, tick=self._last.tick, answer=done)

    def _tell(self, what: str, **more: object) -> Line:
        line = self._diary.tell(what, **more)
        self._viewer.told(line)
        return line

    def _night_s(self) -> float:
        return self._carried.night_s + self._clock.elapsed() - self._began

    def _is_short(self) -> bool:
        now = self._clock.elapsed()
        return self._cleared_at is not None and now - self._cleared_at < SHORT_S

    def _pause(self, seconds: float) -> None:
        """Wait so long, or until somebody asks for an end."""
        until, never = self._clock.elapsed() + seconds, Event()
        while not self._interrupt.asked and (left := until - self._clock.elapsed()) > 0:
            never.wait(min(left, STEP_S))

    def _wait_for_folder(self) -> None:
        """Wait until nobody plays the run: the child of a supervisor that died ends by itself."""
        until = self._clock.elapsed() + self._settings.patience.folder_s
        while not self._interrupt.asked:
            try:
                with own(self._settings.run) as lock:
                    pass
            except RunFolderError:
                if self._clock.elapsed() > until:
                    raise
                self._pause(STEP_S)
            else:
                lock.release()
                return


def _name(kind: Guard | Fault | None) -> str:
    return kind.value if kind else ""
