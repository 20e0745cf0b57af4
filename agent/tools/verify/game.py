"""One game from power-on, watched by every watcher and trial, and the verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from agent.app import Interrupt, Stop, TickView, Viewer
from agent.app.play import session_in
from agent.app.session import PlayLimits
from agent.story import Story
from agent.tools.verify.addresses import AddressWatcher
from agent.tools.verify.battles import BattleWatcher, ChanceTrials, DamageWatcher
from agent.tools.verify.console import Trial, WatchedConsole
from agent.tools.verify.encounters import EncounterWatcher, SightWatcher
from agent.tools.verify.fact import Deviation, Fact, FactLog, FactRow, FactWatcher
from agent.tools.verify.growth import ExperienceWatcher, HealingWatcher, LevelWatcher, MoneyWatcher
from agent.tools.verify.movement import StepTrials, WalkWatcher
from agent.tools.verify.text_menus import (
    ArrowWatcher,
    CursorWatcher,
    MenuTrials,
    PageTrials,
    StartMenuTrials,
)
from agent.tools.verify.verdict import CartridgeVerdict, PlayResult
from agent.tools.verify.warps import WarpTrials, WarpWatcher
from emulator import FRAMES_PER_SECOND, Cartridge, Dex, EmulatorError, PyBoyConsole, World
from emulator.soundness import survey

STORY: Final = "story."  # what the ids of milestones begin with
TABLES: Final = "formats.md 2 and 3: tables of the cartridge"
WATCHERS: Final[tuple[type[FactWatcher], ...]] = (
    AddressWatcher,
    WalkWatcher,
    WarpWatcher,
    ArrowWatcher,
    CursorWatcher,
    EncounterWatcher,
    SightWatcher,
    BattleWatcher,
    DamageWatcher,
    ExperienceWatcher,
    LevelWatcher,
    MoneyWatcher,
    HealingWatcher,
)
TRIALS: Final[tuple[type[Trial], ...]] = (
    StepTrials,
    WarpTrials,
    PageTrials,
    MenuTrials,
    StartMenuTrials,
    ChanceTrials,
)
Enough = Callable[[FactLog], bool]


class VerifyRequest(NamedTuple):
    """How far to play: up to a milestone, for so many frames of the game, and with which seed."""

    until: str
    frames: float
    seed: int = 0


class Roster:
    """The watchers and trials of one game, and the log they share; milestones are facts of it too."""

    def __init__(self, cartridge: Cartridge) -> None:
        known = [*WATCHERS, *TRIALS]
        facts = dict.fromkeys(fact for each in known for fact in each.facts)
        self.log = FactLog([*facts, *_milestone_facts(Story.of(cartridge.kind))])
        with_what = self.log, World.of(cartridge), Dex.of(cartridge)
        self._watchers = [make(*with_what) for make in WATCHERS]
        self._trials = [make(*with_what) for make in TRIALS]

    def around(self, machine: PyBoyConsole) -> WatchedConsole:
        """Return the console between play and the machine."""
        return WatchedConsole(machine, self._watchers, self._trials, self.log)


def frames_of(minutes: float) -> float:
    """Return how many frames so many minutes of game time are."""
    return minutes * 60 * FRAMES_PER_SECOND


def verify(
    cartridge: Cartridge,
    wish: VerifyRequest,
    viewer: Viewer,
    interrupt: Interrupt,
    enough: Enough | None = None,
) -> CartridgeVerdict:
    """Play as `wish` says, or until `enough` is known, and return what held and what did not."""
    tables, roster = _survey(cartridge), Roster(cartridge)

    def is_over(moment: TickView) -> bool:
        return moment.frame >= wish.frames or (enough is not None and enough(roster.log))

    watch = _Watch(viewer, interrupt, roster.log, is_over)
    with TemporaryDirectory(prefix="verify-") as home:
        played = _play(Path(home), cartridge, wish, roster, watch)
    for fact in _milestone_facts(Story.of(cartridge.kind)):
        if fact.id.removeprefix(STORY) in watch.reached:
            roster.log.holds(fact)
    return CartridgeVerdict.of(cartridge, wish.seed, played, roster.log, tables)


class _Watch(Viewer):
    """Tells the log which tick it is, and ends play when it is over."""

    def __init__(
        self,
        viewer: Viewer,
        interrupt: Interrupt,
        log: FactLog,
        is_over: Callable[[TickView], bool],
    ) -> None:
        self.reached: tuple[str, ...] = ()
        self.ran_out = False
        self.interrupt = interrupt
        self._viewer = viewer
        self._log = log
        self._is_over = is_over

    def show(self, moment: TickView) -> None:
        """Take one moment, and pass it on."""
        self._log.tick = moment.tick
        self.reached = moment.milestones
        self._viewer.show(moment)
        if self._is_over(moment):
            self.ran_out = self.interrupt.asked = True


def _play(
    home: Path, cartridge: Cartridge, wish: VerifyRequest, roster: Roster, watch: _Watch
) -> PlayResult:
    story = Story.of(cartridge.kind)
    session_of = partial(session_in, home, cartridge, story, wish.seed, watch.interrupt)
    with session_of(around=roster.around) as (session, _):
        try:
            summary = session.play(PlayLimits(wish.until, inf), watch)
        except EmulatorError as error:
            return PlayResult(Stop.ERROR, type(error).__name__, roster.log.tick, 0)
    stop = Stop.LIMIT if watch.ran_out and summary.stop is Stop.INTERRUPTED else summary.stop
    if summary.milestones:
        watch.reached = tuple(each.id for each in summary.milestones)
    # An error's words may name files of the player's; the log has them.
    reason = summary.reason.partition(":")[0] if stop is Stop.ERROR else summary.reason
    return PlayResult(stop, reason, summary.ticks, summary.frames)


def _milestone_facts(story: Story) -> Iterator[Fact]:
    """Yield a fact for each milestone, held when both its witnesses have shown it."""
    for each in story.milestones:
        yield Fact(
            f"{STORY}{each.id}",
            f"The milestone {each.id} is reached, and work RAM and the picture show it as the story file says.",
            "progression.md: milestones",
        )


def _survey(cartridge: Cartridge) -> list[FactRow]:
    """Return the invariants of the cartridge's tables as facts: no game is played for that.

    The survey's own words are left out: they may name what is on the cartridge.
    """
    rows = []
    for number, check in enumerate(survey(cartridge), 1):
        fact = Fact(f"tables.{number}", check.invariant, TABLES)
        seen = f"{check.broken} of {check.looked_at} looked at break it; `doctor` names them"
        found = [Deviation("on the cartridge", None, None, None, seen)] if check.broken else []
        rows.append(FactRow(fact, check.looked_at - check.broken, check.broken, found))
    return rows
