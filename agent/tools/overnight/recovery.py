"""The recovery after a child ended: the decision, repairs of damaged files, and the choice of a restore target.

`judge` is pure and decides; `Recovery` executes its decisions.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, NamedTuple

from agent.tools.overnight.night import (
    DAMAGE,
    INTERRUPTED_NIGHT,
    TEMPORARY,
    ChildExit,
    Limit,
    NightEnding,
    NightFault,
    NightVerdict,
)
from agent.tools.overnight.repair import Damage, NightFiles, RepairResult
from agent.tools.overnight.watch import StallDetector

TRIES: Final = 3  # restarts from the last checkpoint, before older ones are used
FURTHER: Final = 3  # restarts from older and older checkpoints
KILLS: Final = 30  # ends from outside without progress
WAITS: Final = 15  # waits for a folder that cannot be written
REPAIRS: Final = 6  # repairs without progress
RETURNS: Final = 2  # restores of a checkpoint before the last gain, without a new gain
LONGEST: Final = 60  # limit of the back-off, as a multiple of the first


class Target(Enum):
    """The restore target of a restart."""

    LAST = "last"  # the last checkpoint
    FURTHER = "further"  # a checkpoint before the last restore target
    BEFORE_GAIN = "before_gain"  # before the last gain: a checkpoint, the next time a milestone
    COPY = "copy"  # an older copy of the whole run


class Restart(NamedTuple):
    """The start of another child: the fault before it, the wait as a multiple of the first back-off, and the target.

    `damage` is repaired first; with `by_rules`, no model is asked from now on.
    """

    fault: NightFault | None = None
    message: str = ""
    wait: float = 0
    target: Target = Target.LAST
    damage: Damage | None = None
    by_rules: bool = False


@dataclass(frozen=True, slots=True)
class NightHistory:
    """The history of a night, as far as decisions depend on it.

    `furthest` is the highest tick of a checkpoint; failures, kills, waits and repairs are counted since then,
    returns since the last gain.
    """

    furthest: int = -1
    failures: int = 0
    kills: int = 0
    waits: int = 0
    repairs: int = 0
    gains: int = -1
    returns: int = 0
    memory_is_short: bool = False  # a restart freed memory a few minutes ago
    by_rules: bool = False

    def after(self, ended: ChildExit) -> "NightHistory":
        """Return the history after the progress of a child that ended."""
        history = self
        if ended.checkpoint > self.furthest:
            history = replace(
                history, furthest=ended.checkpoint, failures=0, kills=0, waits=0, repairs=0
            )
        if ended.gains > self.gains:
            history = replace(history, gains=ended.gains, returns=0)
        return history


class Decision(NamedTuple):
    """The next step of the supervisor, and the history after it."""

    step: Restart | NightVerdict
    history: NightHistory


def decide(ended: ChildExit, damage: Damage | None, before: NightHistory) -> Decision:
    """Return the next step after a child ended, given the `damage` found, if any."""
    history = before.after(ended)
    if ended.is_complete and damage is not None and damage.fault in DAMAGE:
        return _repair(damage, history)  # the goal is not stored safely yet
    verdict = _verdict(ended, history)
    if verdict is not None:
        return Decision(verdict, history)
    if ended.because is Limit.MEMORY:
        return Decision(Restart(NightFault.MEMORY, ended.message), history)
    if isinstance(ended.because, Limit):  # calls or dollars; all others end the night
        history = replace(history, by_rules=True)
        return Decision(Restart(message=ended.message, by_rules=True), history)
    if ended.because is NightFault.LIVELOCK or ended.stop == "gave_up":
        return _return(ended, history)
    if damage is not None:
        return _repair(damage, history)
    return _restart(ended, history)


def _verdict(ended: ChildExit, history: NightHistory) -> NightVerdict | None:
    """Return the verdict that follows from an exit by itself, or None if play may continue."""
    if ended.stop == "goal":
        return NightVerdict(NightEnding.GOAL, "the milestone is reached")
    if ended.is_interrupted:
        return INTERRUPTED_NIGHT
    if ended.stop == "ticks":
        return NightVerdict(NightEnding.LIMIT, "the requested ticks are played", Limit.TICKS)
    match ended.because:
        case Limit.HOURS | Limit.GAME_HOURS | Limit.DISK | Limit.LOG as limit:
            return NightVerdict(NightEnding.LIMIT, ended.message, limit)
        case Limit.MEMORY as limit if history.memory_is_short:
            why = f"{ended.message}, soon after a restart that freed it"
            return NightVerdict(NightEnding.LIMIT, why, limit)
        case _:
            return None


def _return(ended: ChildExit, history: NightHistory) -> Decision:
    """Restart from before the last gain, at most `RETURNS` times."""
    if history.returns >= RETURNS:
        why = f"{ended.message}; going back {RETURNS} times did not help"
        return Decision(NightVerdict(NightEnding.GAVE_UP, why), history)
    # From there, the same progress counts again.
    history = replace(history, returns=history.returns + 1, furthest=-1)
    return Decision(Restart(NightFault.LIVELOCK, ended.message, target=Target.BEFORE_GAIN), history)


def _repair(damage: Damage, history: NightHistory) -> Decision:
    if damage.fault not in DAMAGE:
        return _wait(damage, history)
    history = replace(history, repairs=history.repairs + 1)
    if history.repairs > REPAIRS:
        why = f"{damage.message}; it was repaired {REPAIRS} times without progress"
        return Decision(NightVerdict(NightEnding.GAVE_UP, why), history)
    return Decision(Restart(damage.fault, damage.message, damage=damage), history)


def _wait(damage: Damage, history: NightHistory) -> Decision:
    """Wait until there is disk space or the folder can be written again."""
    history = replace(history, waits=history.waits + 1)
    if history.waits <= WAITS:
        wait = _backoff(history.waits)
        return Decision(Restart(damage.fault, damage.message, wait), history)
    if damage.fault is NightFault.DISK:
        return Decision(NightVerdict(NightEnding.LIMIT, damage.message, Limit.DISK), history)
    return Decision(NightVerdict(NightEnding.GAVE_UP, damage.message), history)


def _restart(ended: ChildExit, history: NightHistory) -> Decision:
    """Restart after a crash, from older checkpoints when it repeats."""
    kind = ended.kind
    if kind in {NightFault.KILLED, NightFault.TERMINATED}:
        return _restart_after_kill(ended, history)
    history = replace(history, failures=history.failures + 1)
    wait, times = _backoff(history.failures), history.failures
    if times <= TRIES:
        return Decision(Restart(kind, ended.message, wait), history)
    if times <= TRIES + FURTHER:
        return Decision(Restart(kind, ended.message, wait, Target.FURTHER), history)
    if times == TRIES + FURTHER + 1:
        return Decision(Restart(kind, ended.message, wait, Target.COPY), history)
    why = f"{ended.message} (it happened {times} times, also from older checkpoints)"
    return Decision(NightVerdict(NightEnding.GAVE_UP, why), history)


def _restart_after_kill(ended: ChildExit, history: NightHistory) -> Decision:
    """Restart from the last checkpoint after an end from outside, against which no older one helps."""
    history = replace(history, kills=history.kills + 1)
    if history.kills > KILLS:
        why = f"the child was ended from outside {history.kills} times without progress"
        return Decision(NightVerdict(NightEnding.GAVE_UP, why), history)
    return Decision(Restart(ended.kind, ended.message, _backoff(history.kills)), history)


def _backoff(times: int) -> float:
    return float(min(2 ** (times - 1), LONGEST))


def newest_before(marks: list[tuple[int, bool]], tick: int, *, lasting: bool = False) -> int | None:
    """Return the newest of `marks` before `tick`, permanent ones only if `lasting`; else the oldest, or None."""
    ticks = sorted(mark for mark, stays in marks if stays or not lasting)
    earlier = [mark for mark in ticks if mark < tick]
    return earlier[-1] if earlier else min((mark for mark, _ in marks), default=None)


SHORT_S: Final = 600.0  # if memory is short again earlier, restarts do not help


@dataclass(slots=True)
class Recovery:
    """Executes the decisions after each exit, except for the start of the next child.

    `report` takes a fault with the actions taken; `elapsed` reads the clock for durations.
    """

    files: NightFiles
    stalls: StallDetector
    backoff_s: float
    elapsed: Callable[[], float]
    report: Callable[[Restart, str], object]
    history: NightHistory
    last: ChildExit = field(default_factory=lambda: ChildExit(0))
    _restore_tick: int | None = None
    _last_restore_tick: int | None = None  # the last restore target
    _cleared_at: float | None = None  # when a restart last freed memory

    def before_first(self) -> Restart | NightVerdict:
        """Return the step before the first child, after a check of all pages of the files."""
        return self._handle_damage() or Restart()

    def after(self, ended: ChildExit) -> Restart | NightVerdict:
        """Return the next step after a child ended."""
        if not ended.played and not ended.tick:  # no progress
            ended = replace(ended, tick=self.last.tick, frame=self.last.frame)
        self.last = ended
        return self._decide(ended, self.files.examine(thoroughly=ended.is_suspicious))

    def before_next(self, decision: Restart) -> Restart | NightVerdict | None:
        """Return another step while the folder still cannot be written; None when it can."""
        return self._handle_damage(thoroughly=False) if decision.fault in TEMPORARY else None

    def next_tick(self) -> int | None:
        """Return and clear the restore target of the next child; None for the last checkpoint."""
        tick, self._restore_tick = self._restore_tick, None
        return tick

    def wait_s(self, decision: Restart) -> float:
        """Return the seconds before the next child."""
        return decision.wait * self.backoff_s

    def _decide(self, ended: ChildExit, damage: Damage | None) -> Restart | NightVerdict:
        cleared = self._cleared_at
        is_short = cleared is not None and self.elapsed() - cleared < SHORT_S
        history = replace(self.history, memory_is_short=is_short)
        decision, self.history = decide(ended, damage, history)
        if isinstance(decision, NightVerdict):
            return decision
        if ended.ended_from_outside not in {None, decision.fault}:
            also = Restart(ended.ended_from_outside, "ended from outside")
            self.report(also, "restart, after the other fault")
        if ended.because is Limit.MEMORY:
            self._cleared_at = self.elapsed()
        if decision.damage is not None:
            return self._repair(decision, decision.damage)
        return self._choose_target(decision)

    def _repair(self, decision: Restart, damage: Damage) -> Restart | NightVerdict:
        repaired = self._try_repair(lambda: self.files.repair(damage))
        self.report(decision, repaired.message)
        if not repaired.done:
            return NightVerdict(NightEnding.GAVE_UP, f"{damage.message}; {repaired.message}")
        return self._handle_damage() or decision

    def _try_repair(self, repair: Callable[[], RepairResult]) -> RepairResult:
        try:
            return repair()
        except OSError as error:
            return RepairResult(False, f"the repair failed ({error.strerror})")

    def _handle_damage(self, *, thoroughly: bool = True) -> Restart | NightVerdict | None:
        """Return the step against the next damage; None if there is none."""
        damage = self.files.examine(thoroughly=thoroughly)
        if damage is None:
            return None
        return self._decide(replace(self.last, code=1, stop="", because=None), damage)

    def _choose_target(self, decision: Restart) -> Restart:
        """Choose the restore target of a restart, and report the fault with the actions taken."""
        done = []
        if decision.target is Target.COPY:
            done.append(self._try_repair(self.files.go_back_to_copy).message)
        self._restore_tick = self._target_tick(decision.target)
        if self._restore_tick is not None:
            self._last_restore_tick = self._restore_tick
            done.append(f"went back to tick {self._restore_tick}")
        if decision.target is Target.BEFORE_GAIN:
            self.stalls.reset_idle()
        if decision.fault in {NightFault.DAMAGED_RUN, NightFault.DAMAGED_MEMORY}:
            # Closing the file wrote pages of the log over the damaged ones.
            done.append("the file is intact now that play has ended")
        wait_s = self.wait_s(decision)
        done.append(f"restart in {wait_s:g} s" if wait_s else "restart")
        if decision.fault is not None:
            self.report(decision, ", ".join(done))
        return decision

    def _target_tick(self, target: Target) -> int | None:
        """Return the tick of the restore target; None for the last checkpoint."""
        match target:
            case Target.LAST | Target.COPY:
                return None
            case Target.FURTHER:
                return self._earlier_tick(self._last_restore_tick)
            case Target.BEFORE_GAIN if self.history.returns == 1:
                return self._earlier_tick(self.last.gained_at)
            case Target.BEFORE_GAIN:
                return self._earlier_tick(self._last_restore_tick, lasting=True)

    def _earlier_tick(self, tick: int | None, *, lasting: bool = False) -> int | None:
        marks = self.files.marks()
        newest = max((mark for mark, _ in marks), default=0)
        before = newest if tick is None else min(tick, newest)
        return newest_before(marks, before, lasting=lasting)
