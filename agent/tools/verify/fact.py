"""Written facts about the game, how often each held or failed, and the console that checks them while play goes on.

The sentences are in `facts.toml`, each with its reference. Watchers see every frame; trials run on the same machine.
Play is not affected: a step is split into single frames, and the effects of a trial are undone.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple, Self

from agent.skills import Outcome, Skill, SkillRun
from agent.story.story import Story
from emulator import Button, Dex, Menu, PyBoyConsole, Ram, State, Step, World, read_state, symbol
from emulator.ram import CURSOR, MoveSlot, read_menu, read_tiles
from emulator.recording import ConsoleWrapper
from emulator.rules import full_pp

EXAMPLES: Final = 3  # deviations kept for each fact
MAP: Final = symbol("wCurMap")
Y: Final = symbol("wYCoord")
X: Final = symbol("wXCoord")
IN_BATTLE: Final = symbol("wIsInBattle")
COUNTER: Final = symbol("wWalkCounter")
FACING: Final = symbol("wSpritePlayerStateData1FacingDirection")
MOVEMENT: Final = symbol("wMovementFlags")
JOY_IGNORE: Final = symbol("wJoyIgnore")


class Fact(NamedTuple):
    """A written statement about the game; `reference` is where it is documented, with words to search for."""

    id: str
    statement: str
    reference: str

    @property
    def topic(self) -> str:
        """The topic: the part of its id before the dot."""
        return self.id.partition(".")[0]


@cache
def written_facts() -> Mapping[str, Fact]:
    """Return every written fact by its id, in report order."""
    text = (files("agent.tools.verify") / "facts.toml").read_text(encoding="utf-8")
    return {name: Fact(name, **row) for name, row in tomllib.loads(text).items()}


class FactStatus(Enum):
    """The status of a fact."""

    HELD = "held"
    WRONG = "wrong"
    NOT_SEEN = "not seen"


class Deviation(NamedTuple):
    """One time that a fact did not hold: the place in the game, if any, and what was seen instead."""

    where: str
    map_id: int | None
    tick: int | None
    frame: int | None
    seen: str


@dataclass(slots=True)
class FactRow:
    """A fact, the counts of how often it held and failed, and its first deviations."""

    fact: Fact
    held: int = 0
    broken: int = 0
    findings: list[Deviation] = field(default_factory=list)

    @property
    def standing(self) -> FactStatus:
        """The current status."""
        if self.broken:
            return FactStatus.WRONG
        return FactStatus.HELD if self.held else FactStatus.NOT_SEEN

    @property
    def words(self) -> str:
        """The first deviation in one line."""
        first = self.findings[0]
        return f"{self.fact.id} ({self.fact.reference}): {first.seen}; {first.where}"

    def as_json(self) -> Mapping[str, Any]:
        """Return the row in plain JSON types."""
        return {
            **self.fact._asdict(),
            "standing": self.standing.value,
            "held": self.held,
            "broken": self.broken,
            "findings": [each._asdict() for each in self.findings],
        }


class FactLog:
    """All written facts and `more`, by id, with their results so far in one game.

    `wrong` lists the contradicted facts in order.
    """

    def __init__(self, more: Iterable[Fact] = ()) -> None:
        self.tick = 0  # the tick of play, for the next result
        self.rows = {fact.id: FactRow(fact) for fact in (*written_facts().values(), *more)}
        self.wrong: list[FactRow] = []

    def holds(self, fact: str) -> None:
        """Record that a fact held."""
        self.rows[fact].held += 1

    def fails(self, fact: str, seen: str, ram: Ram, frame: int) -> None:
        """Record what the game did instead, at the place that `ram` shows."""
        map_id, x, y = ram.byte(MAP), ram.byte(X), ram.byte(Y)
        where = f"map {map_id} at ({x},{y}), tick {self.tick}, frame {frame:,}"
        self.add(fact, Deviation(where, map_id, self.tick, frame, seen))

    def add(self, fact: str, deviation: Deviation) -> None:
        """Record a deviation, which may be one of the cartridge's tables."""
        row = self.rows[fact]
        if not row.broken:
            self.wrong.append(row)
        row.broken += 1
        if len(row.findings) < EXAMPLES:
            row.findings.append(deviation)

    def record(self, fact: str, seen: str | None, ram: Ram, frame: int) -> None:
        """Record the result of a check: None when the fact held, else what was seen instead."""
        if seen is None:
            self.holds(fact)
        else:
            self.fails(fact, seen, ram, frame)

    def record_all(self, checks: Mapping[str, str | None], ram: Ram, frame: int) -> None:
        """Record the results of several checks at one frame."""
        for fact, seen in checks.items():
            self.record(fact, seen, ram, frame)


def menu_with_cursor(ram: Ram) -> Menu | None:
    """Return the open menu; None without a cursor on the screen."""
    return read_menu(ram) if CURSOR in read_tiles(ram) else None


class FactSource:
    """The base class of watchers and trials: the log of results, the tables of the cartridge, and its story."""

    def __init__(self, log: FactLog, world: World, dex: Dex, story: Story) -> None:
        self.log = log
        self.world = world
        self.dex = dex
        self.story = story

    def max_pp(self, move: MoveSlot) -> int:
        """Return the maximum PP of a move; for an unknown move, its current PP."""
        known = self.dex.all_moves.get(move.move)
        base = known.pp if known is not None else move.pp
        return full_pp(base, move.pp_ups)


class FactWatcher(FactSource):
    """A check of every frame and step of play; this base class checks nothing."""

    def restarted(self) -> Self:
        """Return a watcher that has seen nothing yet, for frames that do not follow those before."""
        return type(self)(self.log, self.world, self.dex, self.story)

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Check one frame that has passed with `button` down."""

    def after_step(self, state: State) -> None:
        """Check the state after a step."""


PRESS: Final = 3  # frames: long enough to register, and short enough to count once


class Sandbox:
    """The machine as used by one trial at a time."""

    def __init__(self, console: PyBoyConsole) -> None:
        self._console = console
        self._start = console.save()
        self._is_changed = False

    @property
    def ram(self) -> Ram:
        """The current RAM."""
        return self._console.ram()

    @property
    def state(self) -> State:
        """The current state."""
        return read_state(self.ram, self._console.frame)

    def restore(self) -> None:
        """Restore the state in which the sandbox was created."""
        if self._is_changed:  # a restore takes as long as a hundred frames
            self._console.load(self._start)
            self._is_changed = False

    def poke(self, address: int, data: bytes) -> None:
        """Write bytes to memory."""
        self._is_changed = True
        self._console.poke(address, data)

    def press(self, button: Button, *, hold: int = PRESS, settle: int = 8) -> State:
        """Press a button, and return the state after it."""
        self._perform(Step(button, hold, settle))
        return self.state

    def follow(self, skill: Skill, steps: int) -> State:
        """Perform at most that many steps of a skill, and return the state after them."""
        skill_run = SkillRun(skill)
        for _ in range(steps):
            if skill_run.outcome is not Outcome.RUNNING:
                break
            self._perform(skill_run.step)
            skill_run.resume(self.state)
        return self.state

    def wait(self, frames: int) -> State:
        """Let frames pass without a button, and return the state after them."""
        self._perform(Step(None, 0, frames))
        return self.state

    def frames(self, button: Button | None, count: int) -> Iterator[Ram]:
        """Let frames pass with a button down, or none, and yield RAM after each."""
        step = Step(None, 0, 1) if button is None else Step(button, 1, 0)
        for _ in range(count):
            self._perform(step)
            yield self.ram

    def until(
        self, reached: Callable[[Ram], bool], within: int, button: Button | None = None
    ) -> bool:
        """Let at most `within` frames pass until `reached` is true of RAM, and return whether it was."""
        return any(reached(ram) for ram in self.frames(button, within))

    def _perform(self, step: Step) -> None:
        self._is_changed = True
        self._console.perform(step)


class Trial(FactSource):
    """A test run on the machine in states that suit it; `tried` counts what was tried, whether a fact, a map or a task."""

    def __init__(self, log: FactLog, world: World, dex: Dex, story: Story) -> None:
        super().__init__(log, world, dex, story)
        self.tried: Counter[Hashable] = Counter()

    def is_ready(self, state: State) -> bool:
        """Return whether to run now; called before every step, so it must be cheap."""
        raise NotImplementedError

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Run the test and log the results; the caller restores the machine afterwards."""
        raise NotImplementedError


class WatchedConsole(ConsoleWrapper):
    """A console that shows every frame to watchers, and runs trials before a step."""

    def __init__(
        self,
        machine: PyBoyConsole,
        watchers: Sequence[FactWatcher],
        trials: Sequence[Trial],
        log: FactLog,
    ) -> None:
        super().__init__(machine)
        self._machine = machine
        self.save = machine.save
        self._watchers = tuple(watchers)
        self._trials: Final = tuple(trials)
        self._log = log
        self._before: Ram | None = None

    def perform(self, step: Step, *, render: bool = False) -> None:
        """Run the trials that are ready, and then the frames of `step` one by one."""
        self._run_trials()
        for _ in range(step.hold):
            self._pass(Step(step.button, 1, 0), step.button, render=render)
        for _ in range(step.settle):
            self._pass(Step(None, 0, 1), None, render=render)
        self._log.tick += 1
        state = read_state(self._machine.ram(), self._machine.frame)
        for watcher in self._watchers:
            watcher.after_step(state)

    def load(self, state: bytes) -> None:
        """Load a state returned by `save`, or raise a StateError."""
        self._machine.load(state)
        self._before = None
        self._watchers = tuple(watcher.restarted() for watcher in self._watchers)

    def _pass(self, step: Step, button: Button | None, *, render: bool) -> None:
        # A rendered step renders every frame: otherwise the first picture would be wrong.
        self._machine.perform(step, render=render)
        before, now, number = self._before, self._machine.ram(), self._machine.frame
        if before is not None:
            for watcher in self._watchers:
                watcher.frame(before, now, button, number)
        self._before = now

    def _run_trials(self) -> None:
        state = read_state(self._machine.ram(), self._machine.frame)
        if not (state.game_started or state.menu or state.dialogue.lines):
            return
        ready = [trial for trial in self._trials if trial.is_ready(state)]
        if not ready:
            return
        sandbox = Sandbox(self._machine)
        for trial in ready:
            trial.run(sandbox, state)
            sandbox.restore()
