"""One game from power-on, watched by every watcher and trial, and the verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
from agent.tools.verify.console import FactWatcher, Trial, WatchedConsole
from agent.tools.verify.encounters import EncounterWatcher, SightWatcher
from agent.tools.verify.fact import Fact, FactLog
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
from emulator import (
    FRAMES_PER_SECOND,
    Cartridge,
    CartridgeCheck,
    Dex,
    EmulatorError,
    PyBoyConsole,
    World,
    survey,
)

REFERENCE: Final = "formats.md 2 and 3: tables of the cartridge"


def checks_of(cartridge: Cartridge) -> tuple[tuple[Fact, CartridgeCheck], ...]:
    """Return every invariant as a fact, with what a look at the cartridge has found."""
    found = survey(cartridge)
    return tuple(
        (Fact(f"tables.{n}", each.invariant, REFERENCE), each) for n, each in enumerate(found, 1)
    )


def milestone_facts(story: Story) -> tuple[Fact, ...]:
    """Return a fact for each milestone, held when both its witnesses have shown it."""
    return tuple(
        Fact(
            f"story.{each.id}",
            f"The milestone {each.id} is reached, and work RAM and the picture show it as the story file says.",
            "progression.md: milestones",
        )
        for each in story.milestones
    )


def reached_of(facts: Iterable[Fact], reached: Iterable[str]) -> tuple[Fact, ...]:
    """Return the facts whose milestones were reached."""
    names = {f"story.{each}" for each in reached}
    return tuple(fact for fact in facts if fact.id in names)


class WatcherContext(NamedTuple):
    """What watchers are made with."""

    notebook: FactLog
    world: World
    dex: Dex


WATCHERS: Final[tuple[Callable[[WatcherContext], FactWatcher], ...]] = (
    lambda ground: AddressWatcher(*ground),
    lambda ground: WalkWatcher(ground.notebook),
    lambda ground: WarpWatcher(ground.notebook, ground.world),
    lambda ground: ArrowWatcher(ground.notebook),
    lambda ground: CursorWatcher(ground.notebook),
    lambda ground: EncounterWatcher(ground.notebook, ground.dex),
    lambda ground: SightWatcher(ground.notebook, ground.world),
    lambda ground: BattleWatcher(ground.notebook, ground.dex),
    lambda ground: DamageWatcher(ground.notebook, ground.dex),
    lambda ground: ExperienceWatcher(ground.notebook, ground.dex),
    lambda ground: LevelWatcher(ground.notebook, ground.dex),
    lambda ground: MoneyWatcher(ground.notebook, ground.dex),
    lambda ground: HealingWatcher(ground.notebook, ground.dex),
)
TRIALS: Final[tuple[Callable[[WatcherContext], Trial], ...]] = (
    lambda ground: StepTrials(ground.notebook, ground.world),
    lambda ground: WarpTrials(ground.notebook, ground.world),
    lambda ground: PageTrials(ground.notebook),
    lambda ground: MenuTrials(ground.notebook),
    lambda ground: StartMenuTrials(ground.notebook),
    lambda ground: ChanceTrials(ground.notebook, ground.dex),
)


class Roster:
    """The watchers and trials of one game, and the notebook they share."""

    def __init__(self, cartridge: Cartridge) -> None:
        self.notebook = FactLog()
        ground = WatcherContext(self.notebook, World.of(cartridge), Dex.of(cartridge))
        self._watchers = [make(ground) for make in WATCHERS]
        self._trials = [make(ground) for make in TRIALS]
        everybody: list[FactWatcher | Trial] = [*self._watchers, *self._trials]
        self.notebook.learn(dict.fromkeys(fact for each in everybody for fact in each.facts))

    def around(self, machine: PyBoyConsole) -> WatchedConsole:
        """Return what stands between play and the machine."""
        return WatchedConsole(machine, self._watchers, self._trials, self.notebook)


Enough = Callable[[FactLog], bool]


class VerifyRequest(NamedTuple):
    """How far to play: up to a milestone, for so many frames of the game, and with which seed."""

    until: str
    frames: float
    seed: int = 0


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
    story = Story.of(cartridge.kind)
    tables, milestones = checks_of(cartridge), milestone_facts(story)
    roster = Roster(cartridge)
    roster.notebook.learn(milestones)
    watch = _Watch(wish, viewer, interrupt, roster.notebook, enough)
    with TemporaryDirectory(prefix="verify-") as home:
        played = _play(Path(home), cartridge, story, wish, roster, watch, interrupt)
    for fact in reached_of(milestones, watch.reached):
        roster.notebook.holds(fact)
    return CartridgeVerdict.of(cartridge, wish.seed, played, roster.notebook, tables)


class _Watch(Viewer):
    """Tells the notebook which tick it is, and ends play when there is no need for more."""

    def __init__(
        self,
        wish: VerifyRequest,
        viewer: Viewer,
        interrupt: Interrupt,
        notebook: FactLog,
        enough: Enough | None,
    ) -> None:
        self.reached: tuple[str, ...] = ()
        self.ran_out = False
        self._wish = wish
        self._viewer = viewer
        self._interrupt = interrupt
        self._notebook = notebook
        self._enough = enough

    def show(self, moment: TickView) -> None:
        """Take one moment, and pass it on."""
        self._notebook.tick = moment.tick
        self.reached = moment.milestones
        self._viewer.show(moment)
        satisfied = self._enough is not None and self._enough(self._notebook)
        if moment.frame >= self._wish.frames or satisfied:
            self.ran_out = self._interrupt.asked = True


def _play(  # noqa: PLR0913  # what a game is made of
    home: Path,
    cartridge: Cartridge,
    story: Story,
    wish: VerifyRequest,
    roster: Roster,
    watch: _Watch,
    interrupt: Interrupt,
) -> PlayResult:
    with session_in(home, cartridge, story, wish.seed, interrupt, around=roster.around) as (
        session,
        _,
    ):
        try:
            summary = session.play(PlayLimits(wish.until, inf), watch)
        except EmulatorError as error:
            return PlayResult(Stop.ERROR, type(error).__name__, roster.notebook.tick, 0)
    stop = Stop.LIMIT if watch.ran_out and summary.stop is Stop.INTERRUPTED else summary.stop
    if summary.milestones:
        watch.reached = tuple(each.id for each in summary.milestones)
    # What an error says may name files of whoever plays; the log has it.
    reason = summary.reason.partition(":")[0] if stop is Stop.ERROR else summary.reason
    return PlayResult(stop, reason, summary.ticks, summary.frames)
