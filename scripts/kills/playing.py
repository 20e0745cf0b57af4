"""What a life does: the ordinary `play`, or `play --resume`, with consolidation often and a clock of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, Final

from agent.app import Interrupt, Settings, TickView, build, play_run
from agent.app import play as runs
from agent.errors import Stuck, StuckReason
from agent.loop import Loop
from agent.mind import Ladder
from kills.watch import Teller, Watch, around
from memory import AgentMemory
from memory.tiers import ConsolidationConfig

RESTORE_PAST: Final = 2  # checkpoints that a restore passes over, so that what they covered dies


@dataclass(frozen=True, slots=True)
class Plan:
    """One life: which run, new or to go on with, at which date, and how often it consolidates.

    `delivered` are the sequences of its lessons that went up already. `restore_after` is the number of ticks after which it goes back to an older checkpoint, as it does when it
    gets nowhere; None is never.
    """

    run: Path
    memory: Path
    seed: int
    until: str
    is_new: bool
    now: float
    interval: int
    delivered: frozenset[int] = frozenset()
    restore_after: int | None = None


class Nobody:
    """A viewer that looks away."""

    def show(self, moment: TickView) -> None:
        """Look away."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """A clock that stands still at one date, where the program asks `datetime`."""

    epoch_s: float

    def now(self, zone: tzinfo) -> datetime:
        """Return the date."""
        return datetime.fromtimestamp(self.epoch_s, zone)


def play(plan: Plan, teller: Teller) -> None:
    """Play as planned to the end, and tell all of it."""
    Watch(teller, plan.delivered).begin()
    setattr(runs, "datetime", Calendar(plan.now))  # noqa: B010  # the type checker knows the real one
    consolidate_every(plan.interval)
    if plan.restore_after is not None:
        _restore(plan.restore_after)
    settings = (
        Settings(seed=plan.seed, run=plan.run, memory=plan.memory, until=plan.until)
        if plan.is_new
        else Settings(resume=plan.run, memory=plan.memory)
    )
    summary = play_run(settings, Nobody(), Interrupt())
    teller.say(
        "end", summary.stop.value, summary.ticks, summary.errors, summary.reason, summary.restores
    )


def today() -> float:
    """Return the date at which the first life of a lane begins."""
    return datetime.now(UTC).timestamp()


def consolidate_every(ticks: int) -> None:
    """Have every session of this process consolidate so often."""
    config = ConsolidationConfig(tick_interval=ticks)

    def with_config(original: Callable[..., AgentMemory], *parts: Any, **more: Any) -> AgentMemory:  # noqa: ANN401
        return original(*parts, config=config, **more)

    around(build, "open_memory", with_config)


def _restore(ticks: int) -> None:
    """Get stuck once after so many ticks, and go further back than to the newest checkpoint."""
    left = iter(range(ticks))
    original = Loop.perceive

    def perceive(loop: Loop, state: Any) -> Any:  # noqa: ANN401
        if next(left, None) is None:
            setattr(Loop, "perceive", original)  # noqa: B010
            raise Stuck(StuckReason.NO_PLAN, "nowhere", "nothing", may_restore=True)
        return original(loop, state)

    setattr(Loop, "perceive", perceive)  # noqa: B010
    around(Ladder, "way_back", _further_back)


def _further_back(original: Callable[..., int], ladder: Ladder, ticks: Sequence[int]) -> int:
    return original(ladder, ticks[min(RESTORE_PAST, len(ticks) - 1) :])
