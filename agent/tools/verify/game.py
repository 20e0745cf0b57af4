"""One game with all watchers and trials, and its result as JSON and as a page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from agent import VERSION
from agent.app import Interrupt, Stop, TickView, Viewer
from agent.app.play import RUN, session_in
from agent.app.session import PlayLimits
from agent.story.story import Story
from agent.tools.report.html import render
from agent.tools.verify import (
    addresses,
    battles,
    encounters,
    growth,
    movement,
    scripts,
    text_menus,
    waits,
    warps,
)
from agent.tools.verify.fact import (
    Deviation,
    Fact,
    FactLog,
    FactRow,
    FactStatus,
    FactWatcher,
    Trial,
    WatchedConsole,
)
from emulator import EMULATOR, Cartridge, Dex, EmulatorError, PyBoyConsole, World
from emulator.soundness.survey import survey


def expectation(story: Story, minutes: float) -> str:
    """Return how far so many minutes of game time are likely to come, and how long the later chapters take."""
    taken = ", ".join(f"{name} {more}" for name, more in story.minutes.items() if more > minutes)
    come = [name for name, more in story.minutes.items() if more <= minutes]
    reach = f"come to {come[-1]}" if come else "end in the first chapter"
    later = f"; the minutes to later chapters: {taken}" if taken else ""
    return f"In {minutes:g} minutes of game time half of the rehearsed games {reach}{later}."


class PlayResult(NamedTuple):
    """How play ended, and how far it got."""

    stop: Stop
    reason: str
    ticks: int
    frames: int


@dataclass(frozen=True, slots=True)
class CartridgeVerdict:
    """The result of one game; `wrong` lists the contradicted facts, in the order they were seen."""

    cartridge: str
    sha1: str
    seed: int
    played: PlayResult
    rows: tuple[FactRow, ...]
    wrong: tuple[FactRow, ...]

    @property
    def broke(self) -> bool:
        """Whether play itself ended by an error or gave up."""
        return self.played.stop in {Stop.ERROR, Stop.GAVE_UP}

    @property
    def exit_code(self) -> int:
        """0 when every checked fact held, 1 when one did not or play broke, 130 for Ctrl-C."""
        if self.wrong or self.broke:
            return 1
        return Stop.INTERRUPTED.exit_code if self.played.stop is Stop.INTERRUPTED else 0

    def count(self, standing: FactStatus) -> int:
        """Return the number of facts with this status."""
        return sum(row.standing is standing for row in self.rows)

    @property
    def reached(self) -> tuple[str, ...]:
        """The milestones that were seen, in the order of the story."""
        seen = [row.fact.id for row in self.rows if row.standing is FactStatus.HELD]
        return tuple(each.removeprefix(STORY) for each in seen if each.startswith(STORY))

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        held, unseen = self.count(FactStatus.HELD), self.count(FactStatus.NOT_SEEN)
        if self.wrong:
            facts = "fact was" if len(self.wrong) == 1 else "facts were"
            return f"{len(self.wrong)} written {facts} wrong, {held} held, {unseen} were not seen"
        return f"all {held} facts that were seen held, {unseen} were not seen"

    def as_json(self) -> Mapping[str, Any]:
        """Return the result in plain JSON types, without personal names and without game content."""
        return {
            "cartridge": {"name": self.cartridge, "sha1": self.sha1},
            "versions": {"red-agent": VERSION, "emulator": EMULATOR},
            "seed": self.seed,
            "stop": self.played.stop.value,
            "reason": self.played.reason,
            "ticks": self.played.ticks,
            "frames": self.played.frames,
            "headline": self.headline,
            "wrong": [row.fact.id for row in self.wrong],
            "facts": [row.as_json() for row in self.rows],
        }


def page(verdict: CartridgeVerdict) -> str:
    """Return the result page as HTML text."""
    topics = dict.fromkeys(row.fact.topic for row in verdict.rows)
    return render(
        "verify.html",
        verdict=verdict,
        title=f"{verdict.cartridge}: {verdict.headline}",
        kicker=f"SHA-1 {verdict.sha1}, seed {verdict.seed}, red-agent {VERSION}, {EMULATOR}",
        standings=[(each.value, verdict.count(each)) for each in FactStatus],
        topics=[(each, [r for r in verdict.rows if r.fact.topic == each]) for each in topics],
    )


STORY: Final = "story."  # prefix of milestone facts
TABLES: Final = "formats.md 2 and 3: tables of the cartridge"
WATCHERS: Final[tuple[type[FactWatcher], ...]] = (
    addresses.AddressWatcher,
    movement.WalkWatcher,
    warps.WarpWatcher,
    text_menus.ArrowWatcher,
    text_menus.CursorWatcher,
    encounters.EncounterWatcher,
    encounters.SightWatcher,
    battles.BattleWatcher,
    battles.DamageWatcher,
    growth.ExperienceWatcher,
    growth.LevelWatcher,
    growth.MoneyWatcher,
    growth.HealingWatcher,
    growth.StockWatcher,
    encounters.DepartureWatcher,
    waits.CatchWatcher,
    scripts.ScriptWatcher,
)
TRIALS: Final[tuple[type[Trial], ...]] = (
    movement.StepTrials,
    warps.WarpTrials,
    text_menus.PageTrials,
    text_menus.MenuTrials,
    text_menus.StartMenuTrials,
    battles.ChanceTrials,
    waits.MenuWaitTrials,
    waits.TownMapTrials,
    waits.HeldTextTrials,
    scripts.MustWinTrials,
    scripts.PanelTrials,
    scripts.CurrentTrials,
    scripts.NoItemTrials,
    scripts.LiftTrials,
)


class VerifyRequest(NamedTuple):
    """How far to play: up to a milestone, at most a number of frames, with which seed, and what to reach on the way.

    Play begins at power-on, or goes on with a copy of `run`.
    """

    until: str
    frames: float
    seed: int = 0
    wants: tuple[str, ...] = ()
    run: Path | None = None


class FactChecks:
    """The watchers and trials of one game, and their common log; milestones are facts in it too."""

    def __init__(self, cartridge: Cartridge) -> None:
        self.log = FactLog(  # a milestone holds when it is proven in memory and on screen
            Fact(
                f"{STORY}{each.id}",
                f"The milestone {each.id} is reached, and work RAM and the screen show it as the story file states.",
                "progression.md: milestones",
            )
            for each in Story.of(cartridge.kind).milestones
        )
        warps.check_ladders(World.of(cartridge), self.log)
        shared = self.log, World.of(cartridge), Dex.of(cartridge), Story.of(cartridge.kind)
        self._watchers = [make(*shared) for make in WATCHERS]
        self._trials = [make(*shared) for make in TRIALS]

    def around(self, machine: PyBoyConsole) -> WatchedConsole:
        """Return a watched console around the machine."""
        return WatchedConsole(machine, self._watchers, self._trials, self.log)


def verify(
    cartridge: Cartridge,
    request: VerifyRequest,
    viewer: Viewer,
    interrupt: Interrupt,
    enough: Callable[[FactLog], bool] | None = None,
) -> CartridgeVerdict:
    """Play as requested, or until `enough` is true of the log, and return which facts held."""
    tables, checks = _survey(cartridge), FactChecks(cartridge)
    log = checks.log
    watch = _Watch(viewer, interrupt, log, request.frames, enough)
    with TemporaryDirectory(prefix="verify-") as home:
        played = _play(Path(home), cartridge, request, checks, watch)
    for milestone in watch.reached:
        log.holds(STORY + milestone)
    rows = (*log.rows.values(), *tables)
    wrong = (*[row for row in tables if row.broken], *log.wrong)
    return CartridgeVerdict(cartridge.name, cartridge.sha1, request.seed, played, rows, wrong)


@dataclass
class _Watch(Viewer):
    """A viewer that passes the tick to the log, and ends play at its limit."""

    viewer: Viewer
    interrupt: Interrupt
    log: FactLog
    frames: float
    enough: Callable[[FactLog], bool] | None
    reached: tuple[str, ...] = ()
    ran_out: bool = False

    def show(self, moment: TickView) -> None:
        """Record one tick, and pass it on."""
        self.log.tick = moment.tick
        self.reached = moment.milestones
        self.viewer.show(moment)
        if moment.frame >= self.frames or (self.enough is not None and self.enough(self.log)):
            self.ran_out = self.interrupt.asked = True


def _play(
    home: Path, cartridge: Cartridge, request: VerifyRequest, checks: FactChecks, watch: _Watch
) -> PlayResult:
    if request.run is not None:
        copytree(request.run, home / RUN)
    story = Story.of(cartridge.kind).with_requested(request.wants)
    session_of = partial(session_in, home, cartridge, story, request.seed, watch.interrupt)
    with session_of(around=checks.around) as (session, _):
        try:
            summary = session.play(PlayLimits(request.until, inf), watch)
        except EmulatorError as error:
            return PlayResult(Stop.ERROR, type(error).__name__, checks.log.tick, 0)
    stop = Stop.LIMIT if watch.ran_out and summary.stop is Stop.INTERRUPTED else summary.stop
    if summary.milestones:
        watch.reached = tuple(each.id for each in summary.milestones)
    # The text of an error may name files of the player; it is in the log.
    reason = summary.reason.partition(":")[0] if stop is Stop.ERROR else summary.reason
    return PlayResult(stop, reason, summary.ticks, summary.frames)


def _survey(cartridge: Cartridge) -> list[FactRow]:
    """Return the invariants of the cartridge tables as facts, checked without playing.

    The details of the survey are left out, because they may contain cartridge content.
    """
    rows = []
    for number, check in enumerate(survey(cartridge), 1):
        fact = Fact(f"tables.{number}", check.invariant, TABLES)
        seen = f"{check.broken} of {check.checked} checked break it; `doctor` names them"
        found = [Deviation("on the cartridge", None, None, None, seen)] if check.broken else []
        rows.append(FactRow(fact, check.checked - check.broken, check.broken, found))
    return rows
