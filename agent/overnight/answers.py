"""What is done after a child ended: files put right, the tick to go back to chosen, the fault told."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from agent.overnight.ended import Ended
from agent.overnight.fault import HINDRANCES
from agent.overnight.guards import Guard
from agent.overnight.judging import Again, Back, Record, judge, newest_before
from agent.overnight.lull import Lull
from agent.overnight.mending import Damage, Estate, Mended
from agent.overnight.verdict import Ending, Verdict

SHORT_S: Final = 600.0  # memory that is short again so soon is not freed by a restart


class Answers:
    """Judges endings and sees to what follows from them, but for the start of the next child.

    `tell` takes a fault with what was done about it; `elapsed` reads the clock for durations.
    """

    def __init__(
        self,
        estate: Estate,
        lull: Lull,
        backoff_s: float,
        elapsed: Callable[[], float],
        tell: Callable[[Again, str], object],
        *,
        by_rules: bool,
    ) -> None:
        self.record = Record(by_rules=by_rules)
        self.last = Ended(0)
        self._estate = estate
        self._lull = lull
        self._backoff_s = backoff_s
        self._elapsed = elapsed
        self._tell = tell
        self._at: int | None = None
        self._back_at: int | None = None  # the last tick that play went back to
        self._cleared_at: float | None = None  # when a restart last freed memory

    def to_begin(self) -> Again | Verdict:
        """Return what is to be done before the first child, once every page of the files was looked at."""
        return self._look_round() or Again()

    def to(self, ended: Ended) -> Again | Verdict:
        """Return what is to be done after a child ended so."""
        if not ended.played and not ended.tick:  # play is where it was
            ended = replace(ended, tick=self.last.tick, frame=self.last.frame)
        self.last = ended
        return self._answer(ended, self._estate.examine(thoroughly=ended.is_suspicious))

    def before(self, answer: Again) -> Again | Verdict | None:
        """Return what is to be done before the next child while the folder still cannot be written; None when it can."""
        if answer.fault not in HINDRANCES:
            return None
        damage = self._estate.examine(thoroughly=False)
        return None if damage is None else self._found(damage)

    def next_tick(self) -> int | None:
        """Return, once, the tick that the next child goes back to; None for the last checkpoint."""
        tick, self._at = self._at, None
        return tick

    def wait_s(self, answer: Again) -> float:
        """Return the seconds before the next child."""
        return answer.wait * self._backoff_s

    def _answer(self, ended: Ended, damage: Damage | None) -> Again | Verdict:
        record = replace(self.record, memory_is_short=self._is_short())
        answer, self.record = judge(ended, damage, record)
        if isinstance(answer, Verdict):
            return answer
        if ended.by_others not in {None, answer.fault}:
            self._tell(
                Again(ended.by_others, "ended from outside"), "restart, after what else is wrong"
            )
        if ended.because is Guard.MEMORY:
            self._cleared_at = self._elapsed()
        if answer.damage is not None:
            return self._mend(answer, answer.damage)
        return self._go_back(answer)

    def _mend(self, answer: Again, damage: Damage) -> Again | Verdict:
        mended = self._tried(lambda: self._estate.mend(damage))
        self._tell(answer, mended.says)
        if not mended.done:
            return Verdict(Ending.GAVE_UP, f"{damage.says}: {mended.says}")
        return self._look_round() or answer

    def _tried(self, mend: Callable[[], Mended]) -> Mended:
        try:
            return mend()
        except OSError as error:
            return Mended(False, f"it could not be put right ({error.strerror})")

    def _look_round(self) -> Again | Verdict | None:
        """Return what is to be done about the next thing that is wrong; None when nothing is."""
        damage = self._estate.examine(thoroughly=True)
        return None if damage is None else self._found(damage)

    def _found(self, damage: Damage) -> Again | Verdict:
        """Return what is to be done about something that is wrong while nobody plays."""
        return self._answer(replace(self.last, code=1, stop="", because=None), damage)

    def _go_back(self, answer: Again) -> Again:
        """Choose where an answer goes back to, and tell the fault with what is done about it."""
        done = []
        if answer.back is Back.COPY:
            done.append(self._tried(self._estate.go_back_to_copy).says)
        self._at = self._target(answer.back)
        if self._at is not None:
            self._back_at = self._at
            done.append(f"went back to tick {self._at}")
        if answer.back is Back.BEFORE_GAIN:
            self._lull.spare()
        wait_s = self.wait_s(answer)
        done.append(f"restart in {wait_s:g} s" if wait_s else "restart")
        if answer.fault is not None:
            self._tell(answer, ", ".join(done))
        return answer

    def _target(self, back: Back) -> int | None:
        """Return the tick of the checkpoint to go back to, None for the last one."""
        match back:
            case Back.LAST | Back.COPY:
                return None
            case Back.FURTHER:
                return self._earlier(self._back_at)
            case Back.BEFORE_GAIN if self.record.returns == 1:
                return self._earlier(self.last.gained_at)
            case Back.BEFORE_GAIN:
                return self._earlier(self._back_at, lasting=True)

    def _earlier(self, tick: int | None, *, lasting: bool = False) -> int | None:
        marks = self._estate.marks()
        newest = max((mark for mark, _ in marks), default=0)
        before = newest if tick is None else min(tick, newest)
        return newest_before(marks, before, lasting=lasting)

    def _is_short(self) -> bool:
        now = self._elapsed()
        return self._cleared_at is not None and now - self._cleared_at < SHORT_S
