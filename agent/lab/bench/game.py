"""One seeded game, played by a full session like in `play`, and timed tick by tick."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from agent.app import Interrupt, Stop, TickView, Viewer, record_of
from agent.app.play import session_in
from agent.app.session import PlayLimits, Session
from agent.app.summary import NoViewer
from agent.errors import RunError
from agent.lab.bench.stopwatch import CONSOLE, SAVING, Parts, Stopwatch
from agent.story.story import NEVER, Story
from emulator import Cartridge, Console, State, Step
from memory import RunStore

GOAL: Final = "first_badge"  # of complete games; every story has it
TURN: Final = 50  # ticks between two runs of the reference


@dataclass(frozen=True, slots=True)
class TimedTick:
    """One tick: its frames, and the seconds spent in our code, in PyBoy, and in saving PyBoy's state."""

    frames: int
    ours: float
    console: float
    saving: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class TimedGame:
    """The timed ticks of a game; the first `story` ticks are those up to the first badge.

    `reference` is the time of a frame of the reference in seconds; 0 without one.
    """

    ticks: tuple[TimedTick, ...]
    story: int
    reference: float


def play(
    cartridge: Cartridge, seed: int, ticks: int, parts: Parts, reference: Console | None = None
) -> TimedGame:
    """Play `ticks` ticks with everything on; `reference` plays the same number of frames, alternating with play."""
    story = Story.of(cartridge.kind)
    stopwatch = Stopwatch()
    with stopwatch.on(parts), open_session(cartridge, story, seed) as (session, _):
        pacer = Pacer(stopwatch, reference)
        summary = session.play(PlayLimits(NEVER, ticks), pacer)
        if summary.stop is not Stop.TICKS:
            message = f"play ended before its {ticks} ticks: {summary.stop.value}, {summary.reason}"
            raise RunError(message)
        return pacer.finish()


def steps_of(cartridge: Cartridge, seed: int, ticks: int, until: str = GOAL) -> list[Step]:
    """Return the input of a game up to a milestone, at most `ticks` ticks."""
    with open_session(cartridge, Story.of(cartridge.kind), seed) as (session, store):
        session.play(PlayLimits(until, ticks), NoViewer())
        return [record_of(row).step for row in store.record.steps()]


@contextmanager
def open_session(
    cartridge: Cartridge, story: Story, seed: int, interrupt: Interrupt | None = None
) -> Iterator[tuple[Session, RunStore]]:
    """Open a new session with an empty memory, and its store, in a temporary folder."""
    with TemporaryDirectory(prefix="bench-") as home:
        asked = interrupt or Interrupt()
        with session_in(Path(home), cartridge, story, seed, asked) as session:
            yield session


@dataclass(frozen=True, slots=True)
class StateWatcher(Viewer):
    """A viewer that ends play at the first state that meets a condition."""

    found: Callable[[State], bool]
    interrupt: Interrupt

    def show(self, moment: TickView) -> None:
        """Check the state."""
        self.interrupt.asked = self.interrupt.asked or self.found(moment.state)


class Pacer(Viewer):
    """A viewer that times play, and at intervals runs the reference for the same number of frames.

    They alternate, so that other load on the machine slows both equally; not at every tick, because two
    consoles that alternate at each tick evict each other's caches, and ours.
    """

    def __init__(self, stopwatch: Stopwatch, reference: Console | None) -> None:
        self._stopwatch = stopwatch
        self._reference = reference
        self._ticks: list[TimedTick] = []
        self._story: int | None = None
        self._frame = self._paced = 0
        self._pacing = 0.0
        stopwatch.lap()
        self._since = perf_counter()

    def show(self, moment: TickView) -> None:
        """Record one tick."""
        wall = perf_counter() - self._since
        self._record(wall, moment.frame - self._frame)
        self._frame = moment.frame
        if self._story is None and GOAL in moment.milestones:
            self._story = moment.tick
        if self._reference is not None and moment.tick % TURN == 0:
            self._pace(self._reference)
        self._since = perf_counter()

    def finish(self) -> TimedGame:
        """Return the game; the end of the session counts as our time in its last tick."""
        self._record(perf_counter() - self._since, 0)
        if self._reference is not None and self._frame > self._paced:
            self._pace(self._reference)  # a game may be shorter than an interval
        end, last = self._ticks.pop(), self._ticks.pop()
        parts = Counter(last.parts) + Counter(end.parts)
        ours, saving = last.ours + end.ours, last.saving + end.saving
        self._ticks.append(replace(last, ours=ours, saving=saving, parts=parts))
        per_frame = self._pacing / self._paced if self._paced else 0.0
        return TimedGame(tuple(self._ticks), self._story or len(self._ticks), per_frame)

    def _record(self, wall: float, frames: int) -> None:
        parts = self._stopwatch.lap()
        console, saving = parts.pop(CONSOLE, 0.0), parts.pop(SAVING, 0.0)
        self._ticks.append(TimedTick(frames, wall - console - saving, console, saving, parts))

    def _pace(self, reference: Console) -> None:
        frames = self._frame - self._paced
        start = perf_counter()
        reference.perform(Step(None, 0, frames))
        self._pacing += perf_counter() - start
        self._paced += frames
        self._stopwatch.lap()  # the reference is a console too
