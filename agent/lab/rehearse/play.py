"""Plays rehearsals: whole games in the model, with the figures at each milestone."""

from bisect import bisect_right
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from agent.app import Interrupt, TickView, Viewer
from agent.app.build import GameParts
from agent.app.play import session_of_run
from agent.app.session import PlayLimits
from agent.app.settings import RunSettings
from agent.lab.rehearse.console import ModelConsole
from agent.lab.rehearse.facts import StartingMoment
from agent.lab.rehearse.scripts import ScriptBook
from agent.lab.rehearse.skills import ModelSkills
from agent.story.story import Story
from agent.tools.progress import Asked
from emulator import Cartridge, Console, Dex, PyBoyConsole, State, World, load_cartridge
from memory import BLACKOUT

LONGEST: Final = 30_000  # ticks, of which a game of Pokemon Red takes a tenth


class AtMilestone(NamedTuple):
    """The figures of a game when it reaches a milestone."""

    tick: int
    frames: int
    battles: int
    blackouts: int
    level: int  # the highest of the team
    money: int


@dataclass(slots=True)
class MilestoneWatcher(Viewer):
    """A viewer that notes the figures of a game at each milestone, but for blackouts, which the run records."""

    found: dict[str, AtMilestone] = field(default_factory=dict)
    battles: int = 0
    _last: State | None = None

    def show(self, moment: TickView) -> None:
        """Note one tick; a milestone was reached in the state before it."""
        state, last = moment.state, self._last or moment.state
        for name in moment.milestones[len(self.found) :]:
            levels = [mon.level for mon in last.party.mons]
            self.found[name] = AtMilestone(
                moment.tick - 1,
                last.frame,
                self.battles,
                0,
                max(levels, default=0),
                last.player.money,
            )
        self.battles += state.in_battle and not last.in_battle
        self._last = state


class RehearsedGame(NamedTuple):
    """The result of one game: how it ended, and its figures at each milestone."""

    seed: int
    stop: str
    reason: str
    ticks: int
    frames: int
    milestones: Mapping[str, AtMilestone]


class RehearsalJob(NamedTuple):
    """The job of one process: the cartridge, the milestone to play to, and whether the model carries actions out.

    A rehearsal begins at `start`, if there is one.
    """

    rom: Path
    until: str
    in_model: bool = True
    start: StartingMoment | None = None

    def play(self, seed: int, _asked: Asked) -> RehearsedGame:
        """Play the game of a seed."""
        cartridge = load_cartridge(self.rom)
        if not self.in_model:
            return play_seed(cartridge, seed, self.until)
        return rehearse(cartridge, seed, self.until, self.start)


def rehearse(
    cartridge: Cartridge, seed: int, until: str, start: StartingMoment | None = None
) -> RehearsedGame:
    """Play a game of a cartridge in the model, from `start` or the first moment of control to a milestone."""
    story = Story.of(cartridge.kind).with_requested(start.wants if start is not None else ())
    parts = GameParts(story, World.of(cartridge), Dex.of(cartridge), seed, {}, ModelSkills())
    with closing(PyBoyConsole(cartridge)) as machine:
        console = ModelConsole(machine, story, ScriptBook.of(cartridge.kind), seed)
        if start is not None:
            start.begin(console)
        return rehearse_on(console, parts, until, start.known if start is not None else None)


def play_seed(cartridge: Cartridge, seed: int, until: str) -> RehearsedGame:
    """Play the game of a seed on the console to a milestone, and return the same figures."""
    story = Story.of(cartridge.kind)
    parts = GameParts.of(cartridge, story, seed)
    with closing(PyBoyConsole(cartridge)) as console:
        return rehearse_on(console, parts, until)


def rehearse_on(
    console: Console,
    parts: GameParts,
    until: str,
    known: Mapping[str, Mapping[str, Any]] | None = None,
) -> RehearsedGame:
    """Play a game on a console, or in the model of one, to a milestone; with `known` it goes on from another game."""
    cartridge, seed = console.cartridge, parts.seed
    began = datetime(2000, 1, 1, tzinfo=UTC)
    settings = RunSettings(cartridge.name, cartridge.sha1, f"rehearsal-{seed}", began, seed)
    watcher = MilestoneWatcher()
    with TemporaryDirectory(prefix="rehearse-") as home:
        opened = session_of_run(Path(home), settings, console, parts.story, Interrupt(), game=parts)
        with opened as session:
            if known is not None:
                session.session.begin_here(known)
            summary = session.session.play(PlayLimits(until, LONGEST), watcher)
            lost = [each.tick for each in session.run.store.record.events(BLACKOUT)]
    found = {
        name: each._replace(blackouts=bisect_right(lost, each.tick))
        for name, each in watcher.found.items()
    }
    return RehearsedGame(
        seed, summary.stop.value, summary.reason, summary.ticks, summary.frames, found
    )
