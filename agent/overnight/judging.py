"""From how a child ended, and what the night has been through, to what is done now. Pure."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, NamedTuple

from agent.overnight.ended import Ended
from agent.overnight.fault import DAMAGE, Fault
from agent.overnight.guards import Guard
from agent.overnight.mending import Damage
from agent.overnight.verdict import Ending, Verdict

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


class Again(NamedTuple):
    """Start another child: after what, in how many times the first back-off, and from where.

    `damage` is to be put right before; `by_rules` says that no model is asked any more.
    """

    fault: Fault | None = None
    says: str = ""
    wait: float = 0
    back: Back = Back.LAST
    damage: Damage | None = None
    by_rules: bool = False


@dataclass(frozen=True, slots=True)
class Record:
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

    def after(self, ended: Ended) -> "Record":
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

    answer: Again | Verdict
    record: Record


def judge(ended: Ended, damage: Damage | None, before: Record) -> Judgement:
    """Return what is done after a child ended so, and `damage` was found."""
    record = before.after(ended)
    if ended.is_whole and damage is not None and damage.fault in DAMAGE:
        return _repair(damage, record)  # what was reached is not kept yet
    verdict = _verdict(ended, record)
    if verdict is not None:
        return Judgement(verdict, record)
    if ended.because is Guard.MEMORY:
        return Judgement(Again(Fault.MEMORY, ended.says), record)
    if isinstance(ended.because, Guard):  # calls or dollars; all others end a night
        return Judgement(Again(says=ended.says, by_rules=True), replace(record, by_rules=True))
    if ended.because is Fault.LIVELOCK or ended.stop == "gave_up":
        return _return(ended, record)
    if damage is not None:
        return _repair(damage, record)
    return _restart(ended, record)


def _verdict(ended: Ended, record: Record) -> Verdict | None:
    """Return the verdict that an ending is by itself, or None when play may go on."""
    if ended.stop == "goal":
        return Verdict(Ending.GOAL, "the milestone is reached")
    if ended.is_unwatched:
        return Verdict(Ending.INTERRUPTED, "somebody asked for an end; the same command goes on")
    if ended.stop == "ticks":
        return Verdict(Ending.LIMIT, "the ticks it was given are played", Guard.TICKS)
    match ended.because:
        case Guard.HOURS | Guard.GAME_HOURS | Guard.DISK | Guard.LOG as guard:
            return Verdict(Ending.LIMIT, ended.says, guard)
        case Guard.MEMORY if record.memory_is_short:
            return Verdict(
                Ending.LIMIT, f"{ended.says}, soon after a restart had freed it", Guard.MEMORY
            )
        case _:
            return None


def _return(ended: Ended, record: Record) -> Judgement:
    """Go back to before the last gain, and try from there; a bounded number of times."""
    if record.returns >= RETURNS:
        why = f"{ended.says}; going back {RETURNS} times did not help"
        return Judgement(Verdict(Ending.GAVE_UP, why), record)
    # What is done again from there counts as getting further.
    record = replace(record, returns=record.returns + 1, furthest=-1)
    return Judgement(Again(Fault.LIVELOCK, ended.says, back=Back.BEFORE_GAIN), record)


def _repair(damage: Damage, record: Record) -> Judgement:
    if damage.fault not in DAMAGE:
        return _wait(damage, record)
    record = replace(record, mends=record.mends + 1)
    if record.mends > MENDS:
        why = f"{damage.says}; it was put right {MENDS} times, and got no further"
        return Judgement(Verdict(Ending.GAVE_UP, why), record)
    return Judgement(Again(damage.fault, damage.says, damage=damage), record)


def _wait(damage: Damage, record: Record) -> Judgement:
    """Wait for somebody to make room, or to let the folder be written again."""
    record = replace(record, waits=record.waits + 1)
    if record.waits <= WAITS:
        return Judgement(Again(damage.fault, damage.says, wait=_backoff(record.waits)), record)
    if damage.fault is Fault.DISK:
        return Judgement(Verdict(Ending.LIMIT, damage.says, Guard.DISK), record)
    return Judgement(Verdict(Ending.GAVE_UP, damage.says), record)


def _restart(ended: Ended, record: Record) -> Judgement:
    """Start again after a crash, from further back when the same comes again and again."""
    kind = ended.kind
    if kind in {Fault.KILLED, Fault.TERMINATED}:
        return _survive(ended, record)
    record = replace(record, failures=record.failures + 1)
    wait, times = _backoff(record.failures), record.failures
    if times <= TRIES:
        return Judgement(Again(kind, ended.says, wait), record)
    if times <= TRIES + FURTHER:
        return Judgement(Again(kind, ended.says, wait, Back.FURTHER), record)
    if times == TRIES + FURTHER + 1:
        return Judgement(Again(kind, ended.says, wait, Back.COPY), record)
    why = f"{ended.says} (it came {times} times, also from older checkpoints)"
    return Judgement(Verdict(Ending.GAVE_UP, why), record)


def _survive(ended: Ended, record: Record) -> Judgement:
    """Start again after somebody else ended the child: no older checkpoint helps against that."""
    record = replace(record, kills=record.kills + 1)
    if record.kills > KILLS:
        why = f"the child was ended from outside {record.kills} times and got no further"
        return Judgement(Verdict(Ending.GAVE_UP, why), record)
    return Judgement(Again(ended.kind, ended.says, _backoff(record.kills)), record)


def _backoff(times: int) -> float:
    return float(min(2 ** (times - 1), LONGEST))


def newest_before(marks: list[tuple[int, bool]], tick: int, *, lasting: bool = False) -> int | None:
    """Return the newest of `marks` before a tick, of those that stay if `lasting`; else the oldest, None for none."""
    ticks = sorted(mark for mark, stays in marks if stays or not lasting)
    earlier = [mark for mark in ticks if mark < tick]
    return earlier[-1] if earlier else min((mark for mark, _ in marks), default=None)
