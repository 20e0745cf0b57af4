"""One game from power-on, watched by everybody on the roster."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from agent.app import Interrupt, Moment, Viewer
from agent.app.passing import session_in
from agent.app.session import Limits
from agent.capabilities import Story
from agent.report import Stop
from agent.verify.fact import Notebook
from agent.verify.facts.story import milestone_facts, reached_of
from agent.verify.facts.tables import checks_of
from agent.verify.roster import Roster
from agent.verify.verdict import Played, Verdict
from emulator import FRAMES_PER_SECOND, Cartridge, EmulatorError

Enough = Callable[[Notebook], bool]


class Wish(NamedTuple):
    """How far to play: up to a milestone, for so many frames of the game, and with which seed."""

    until: str
    frames: float
    seed: int = 0


def frames_of(minutes: float) -> float:
    """Return how many frames so many minutes of game time are."""
    return minutes * 60 * FRAMES_PER_SECOND


def verify(
    cartridge: Cartridge,
    wish: Wish,
    viewer: Viewer,
    interrupt: Interrupt,
    enough: Enough | None = None,
) -> Verdict:
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
    return Verdict.of(cartridge, wish.seed, played, roster.notebook, tables)


class _Watch(Viewer):
    """Tells the notebook which tick it is, and ends play when there is no need for more."""

    def __init__(
        self,
        wish: Wish,
        viewer: Viewer,
        interrupt: Interrupt,
        notebook: Notebook,
        enough: Enough | None,
    ) -> None:
        self.reached: tuple[str, ...] = ()
        self.ran_out = False
        self._wish = wish
        self._viewer = viewer
        self._interrupt = interrupt
        self._notebook = notebook
        self._enough = enough

    def show(self, moment: Moment) -> None:
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
    wish: Wish,
    roster: Roster,
    watch: _Watch,
    interrupt: Interrupt,
) -> Played:
    with session_in(home, cartridge, story, wish.seed, interrupt, around=roster.around) as (
        session,
        _,
    ):
        try:
            summary = session.play(Limits(wish.until, inf), watch)
        except EmulatorError as error:
            return Played(Stop.ERROR, type(error).__name__, roster.notebook.tick, 0)
    stop = Stop.LIMIT if watch.ran_out and summary.stop is Stop.INTERRUPTED else summary.stop
    if summary.milestones:
        watch.reached = tuple(each.id for each in summary.milestones)
    # What an error says may name files of whoever plays; the log has it.
    reason = summary.reason.partition(":")[0] if stop is Stop.ERROR else summary.reason
    return Played(stop, reason, summary.ticks, summary.frames)
