"""What is done after a child ended: judged, damaged files repaired, and the checkpoint to go back to chosen.

`judge` is pure and decides; `Recovery` carries out.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, NamedTuple

from agent.tools.overnight.outcomes import (
    DAMAGE,
    HINDRANCES,
    INTERRUPTED_NIGHT,
    ChildExit,
    Guard,
    NightEnding,
    NightFault,
    NightVerdict,
)
from agent.tools.overnight.repair import Damage, NightFiles, RepairResult
from agent.tools.overnight.watch import StallDetector

TRIES: Final = 3  # from the last checkpoint, before an older one is taken
FURTHER: Final = 3  # times that an older one is taken
KILLS: Final = 30  # by others, without getting further
WAITS: Final = 15  # for a folder that cannot be written
MENDS: Final = 6  # without getting further
RETURNS: Final = 2  # to before the last gain, while nothing is gained
LONGEST: Final = 60  # times the first back-off


class Back(Enum):
    """Where play goes on."""

    LAST = "last"  # the last checkpoint
    FURTHER = "further"  # one before the one it went back to last
    BEFORE_GAIN = "before_gain"  # the last one before the last gain, then a milestone before that
    COPY = "copy"  # an older copy of the whole run


class Restart(NamedTuple):
    """Start another child: after what, in how many times the first back-off, and from where.

    `damage` is to be put right before; `by_rules` says that no model is asked any more.
    """

    fault: NightFault | None = None
    says: str = ""
    wait: float = 0
    back: Back = Back.LAST
    damage: Damage | None = None
    by_rules: bool = False


@dataclass(frozen=True, slots=True)
class NightHistory:
    """What the night has been through, as far as answers depend on it.

    `furthest` is the highest tick of a checkpoint; failures, kills, waits and mends are those since it was reached,
    returns those since there was a gain.
    """

    furthest: int = -1
    failures: int = 0
    kills: int = 0
    waits: int = 0
    mends: int = 0
    gains: int = -1
    returns: int = 0
    memory_is_short: bool = False  # it was cleared by a restart only minutes ago
    by_rules: bool = False

    def after(self, ended: ChildExit) -> "NightHistory":
        """Return it with what a child got done."""
        record = self
        if ended.checkpoint > self.furthest:
            record = replace(
                record, furthest=ended.checkpoint, failures=0, kills=0, waits=0, mends=0
            )
        if ended.gains > self.gains:
            record = replace(record, gains=ended.gains, returns=0)
        return record


class Judgement(NamedTuple):
    """What is done now, and the record as it is then."""

    answer: Restart | NightVerdict
    record: NightHistory


def judge(ended: ChildExit, damage: Damage | None, before: NightHistory) -> Judgement:
    """Return what is done after a child ended so, and `damage` was found."""
    record = before.after(ended)
    if ended.is_whole and damage is not None and damage.fault in DAMAGE:
        return _repair(damage, record)  # what was reached is not kept yet
    verdict = _verdict(ended, record)
    if verdict is not None:
        return Judgement(verdict, record)
    if ended.because is Guard.MEMORY:
        return Judgement(Restart(NightFault.MEMORY, ended.says), record)
    if isinstance(ended.because, Guard):  # calls or dollars; all others end a night
        return Judgement(Restart(says=ended.says, by_rules=True), replace(record, by_rules=True))
    if ended.because is NightFault.LIVELOCK or ended.stop == "gave_up":
        return _return(ended, record)
    if damage is not None:
        return _repair(damage, record)
    return _restart(ended, record)


def _verdict(ended: ChildExit, record: NightHistory) -> NightVerdict | None:
    """Return the verdict that an ending is by itself, or None when play may go on."""
    if ended.stop == "goal":
        return NightVerdict(NightEnding.GOAL, "the milestone is reached")
    if ended.is_unwatched:
        return INTERRUPTED_NIGHT
    if ended.stop == "ticks":
        return NightVerdict(NightEnding.LIMIT, "the ticks it was given are played", Guard.TICKS)
    match ended.because:
        case Guard.HOURS | Guard.GAME_HOURS | Guard.DISK | Guard.LOG as guard:
            return NightVerdict(NightEnding.LIMIT, ended.says, guard)
        case Guard.MEMORY if record.memory_is_short:
            return NightVerdict(
                NightEnding.LIMIT, f"{ended.says}, soon after a restart had freed it", Guard.MEMORY
            )
        case _:
            return None


def _return(ended: ChildExit, record: NightHistory) -> Judgement:
    """Go back to before the last gain, and try from there; a bounded number of times."""
    if record.returns >= RETURNS:
        why = f"{ended.says}; going back {RETURNS} times did not help"
        return Judgement(NightVerdict(NightEnding.GAVE_UP, why), record)
    # What is done again from there counts as getting further.
    record = replace(record, returns=record.returns + 1, furthest=-1)
    return Judgement(Restart(NightFault.LIVELOCK, ended.says, back=Back.BEFORE_GAIN), record)


def _repair(damage: Damage, record: NightHistory) -> Judgement:
    if damage.fault not in DAMAGE:
        return _wait(damage, record)
    record = replace(record, mends=record.mends + 1)
    if record.mends > MENDS:
        why = f"{damage.says}; it was put right {MENDS} times, and got no further"
        return Judgement(NightVerdict(NightEnding.GAVE_UP, why), record)
    return Judgement(Restart(damage.fault, damage.says, damage=damage), record)


def _wait(damage: Damage, record: NightHistory) -> Judgement:
    """Wait until there is room, or the folder can be written again."""
    record = replace(record, waits=record.waits + 1)
    if record.waits <= WAITS:
        return Judgement(Restart(damage.fault, damage.says, wait=_backoff(record.waits)), record)
    if damage.fault is NightFault.DISK:
        return Judgement(NightVerdict(NightEnding.LIMIT, damage.says, Guard.DISK), record)
    return Judgement(NightVerdict(NightEnding.GAVE_UP, damage.says), record)


def _restart(ended: ChildExit, record: NightHistory) -> Judgement:
    """Start again after a crash, from further back when the same comes again and again."""
    kind = ended.kind
    if kind in {NightFault.KILLED, NightFault.TERMINATED}:
        return _survive(ended, record)
    record = replace(record, failures=record.failures + 1)
    wait, times = _backoff(record.failures), record.failures
    if times <= TRIES:
        return Judgement(Restart(kind, ended.says, wait), record)
    if times <= TRIES + FURTHER:
        return Judgement(Restart(kind, ended.says, wait, Back.FURTHER), record)
    if times == TRIES + FURTHER + 1:
        return Judgement(Restart(kind, ended.says, wait, Back.COPY), record)
    why = f"{ended.says} (it came {times} times, also from older checkpoints)"
    return Judgement(NightVerdict(NightEnding.GAVE_UP, why), record)


def _survive(ended: ChildExit, record: NightHistory) -> Judgement:
    """Start again after the child was ended from outside: no older checkpoint helps against that."""
    record = replace(record, kills=record.kills + 1)
    if record.kills > KILLS:
        why = f"the child was ended from outside {record.kills} times and got no further"
        return Judgement(NightVerdict(NightEnding.GAVE_UP, why), record)
    return Judgement(Restart(ended.kind, ended.says, _backoff(record.kills)), record)


def _backoff(times: int) -> float:
    return float(min(2 ** (times - 1), LONGEST))


def newest_before(marks: list[tuple[int, bool]], tick: int, *, lasting: bool = False) -> int | None:
    """Return the newest of `marks` before a tick, of those that stay if `lasting`; else the oldest, None for none."""
    ticks = sorted(mark for mark, stays in marks if stays or not lasting)
    earlier = [mark for mark in ticks if mark < tick]
    return earlier[-1] if earlier else min((mark for mark, _ in marks), default=None)


SHORT_S: Final = 600.0  # memory that is short again so soon is not freed by a restart


@dataclass(slots=True)
class Recovery:
    """Judges endings and carries out what follows from them, but for the start of the next child.

    `tell` takes a fault with what was done about it; `elapsed` reads the clock for durations.
    """

    files: NightFiles
    stalls: StallDetector
    backoff_s: float
    elapsed: Callable[[], float]
    tell: Callable[[Restart, str], object]
    record: NightHistory
    last: ChildExit = field(default_factory=lambda: ChildExit(0))
    _at: int | None = None
    _back_at: int | None = None  # the last tick that play went back to
    _cleared_at: float | None = None  # when a restart last freed memory

    def to_begin(self) -> Restart | NightVerdict:
        """Return what is to be done before the first child, once every page of the files was looked at."""
        return self._look_round() or Restart()

    def to(self, ended: ChildExit) -> Restart | NightVerdict:
        """Return what is to be done after a child ended so."""
        if not ended.played and not ended.tick:  # play is where it was
            ended = replace(ended, tick=self.last.tick, frame=self.last.frame)
        self.last = ended
        return self._answer(ended, self.files.examine(thoroughly=ended.is_suspicious))

    def before(self, answer: Restart) -> Restart | NightVerdict | None:
        """Return what is to be done before the next child while the folder still cannot be written; None when it can."""
        return self._look_round(thoroughly=False) if answer.fault in HINDRANCES else None

    def next_tick(self) -> int | None:
        """Return, once, the tick that the next child goes back to; None for the last checkpoint."""
        tick, self._at = self._at, None
        return tick

    def wait_s(self, answer: Restart) -> float:
        """Return the seconds before the next child."""
        return answer.wait * self.backoff_s

    def _answer(self, ended: ChildExit, damage: Damage | None) -> Restart | NightVerdict:
        cleared = self._cleared_at
        is_short = cleared is not None and self.elapsed() - cleared < SHORT_S
        record = replace(self.record, memory_is_short=is_short)
        answer, self.record = judge(ended, damage, record)
        if isinstance(answer, NightVerdict):
            return answer
        if ended.by_others not in {None, answer.fault}:
            self.tell(
                Restart(ended.by_others, "ended from outside"), "restart, after what else is wrong"
            )
        if ended.because is Guard.MEMORY:
            self._cleared_at = self.elapsed()
        if answer.damage is not None:
            return self._repair(answer, answer.damage)
        return self._go_back(answer)

    def _repair(self, answer: Restart, damage: Damage) -> Restart | NightVerdict:
        repaired = self._tried(lambda: self.files.repair(damage))
        self.tell(answer, repaired.says)
        if not repaired.done:
            return NightVerdict(NightEnding.GAVE_UP, f"{damage.says}: {repaired.says}")
        return self._look_round() or answer

    def _tried(self, mend: Callable[[], RepairResult]) -> RepairResult:
        try:
            return mend()
        except OSError as error:
            return RepairResult(False, f"it could not be put right ({error.strerror})")

    def _look_round(self, *, thoroughly: bool = True) -> Restart | NightVerdict | None:
        """Return what is to be done about the next thing that is wrong; None when nothing is."""
        damage = self.files.examine(thoroughly=thoroughly)
        if damage is None:
            return None
        return self._answer(replace(self.last, code=1, stop="", because=None), damage)

    def _go_back(self, answer: Restart) -> Restart:
        """Choose where an answer goes back to, and tell the fault with what is done about it."""
        done = []
        if answer.back is Back.COPY:
            done.append(self._tried(self.files.go_back_to_copy).says)
        self._at = self._target(answer.back)
        if self._at is not None:
            self._back_at = self._at
            done.append(f"went back to tick {self._at}")
        if answer.back is Back.BEFORE_GAIN:
            self.stalls.spare()
        wait_s = self.wait_s(answer)
        done.append(f"restart in {wait_s:g} s" if wait_s else "restart")
        if answer.fault is not None:
            self.tell(answer, ", ".join(done))
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
        marks = self.files.marks()
        newest = max((mark for mark, _ in marks), default=0)
        before = newest if tick is None else min(tick, newest)
        return newest_before(marks, before, lasting=lasting)
