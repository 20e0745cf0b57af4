"""Helpers of the tests of play."""

import json
import logging
import os
import pickle
import shutil
import sqlite3
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from filelock import FileLock

from agent.advisor.port import Decider
from agent.app import Interrupt, Settings, Summary, TickView, Viewer, play_run, record_of
from agent.app.play import OpenSession, session_of_run
from agent.app.settings import RunSettings
from agent.cli import main
from agent.errors import StuckReason
from agent.mind import progress, recovery
from agent.record.answers import AdviceSource
from agent.skills import Outcome, Skill, SkillRun, wait
from agent.story.story import Story
from emulator import (
    CartridgeKind,
    PyBoyConsole,
    State,
    Step,
    demo_cartridge_path,
    load_cartridge,
    read_state,
)
from memory import EventRow, open_knowledge_store, read_run

ROOT = Path(__file__).resolve().parents[2]


def assert_within(count: int, most: int, what: str) -> None:
    """Fail beyond a limit; warn from nine tenths of it on, where it still leaves room to do something."""
    assert count <= most, f"{what}: {count:,}, and {most:,} are allowed"
    if count >= 0.9 * most:
        warnings.warn(f"near its limit: {what}: {count:,} of {most:,}", stacklevel=2)


@dataclass(frozen=True)
class Played:
    """A run that reached its goal, and its summary."""

    folder: Path
    memory: Path
    summary: Summary


def edited(run: Path, to: Path, *changes: str) -> Path:
    """Return a copy of a run, in `to`, with its rows changed by SQL."""
    shutil.copytree(run, to)
    with closing(sqlite3.connect(to / "run.sqlite")) as database, database:
        for sql in changes:
            assert database.execute(sql).rowcount > 0
    return to


def events_of(run: Path, kind: str) -> list[EventRow]:
    """Return the events of one kind in the live branch of a run."""
    with closing(read_run(run)) as folder:
        return list(folder.store.record.events(kind))


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return this worker's copy of the folder `name`, which the first worker that needs it fills by `make`."""
    home = factory.getbasetemp()
    shared = (home.parent if "PYTEST_XDIST_WORKER" in os.environ else home) / name
    with FileLock(f"{shared}.lock"):
        if not shared.exists():
            draft = factory.mktemp(name)
            make(draft)
            draft.rename(shared)
    return shutil.copytree(shared, factory.mktemp(name), dirs_exist_ok=True)


class Watcher(Viewer):
    """A viewer that records what it saw, and calls `react` if given."""

    def __init__(self, react: Callable[[TickView], None] | None = None) -> None:
        self.moments: list[TickView] = []
        self._react = react

    def show(self, moment: TickView) -> None:
        self.moments.append(moment)
        if self._react:
            self._react(moment)


def play_in(
    home: Path,
    react: Callable[[TickView], None] | None = None,
    asked: Interrupt | None = None,
    **flags: Any,  # noqa: ANN401  # those of Settings
) -> Summary:
    """Play with these flags, with run and memory in `home` unless the flags name others."""
    where = {} if flags.keys() & {"run", "resume"} else {"run": home / "run"}
    settings = Settings(**{"memory": home / "memory.sqlite", **where, **flags})
    return play_run(settings, Watcher(react), asked or Interrupt())


@contextmanager
def advised_session(home: Path, asking: AdviceSource, seed: int) -> Iterator[OpenSession]:
    """Yield a session on the demo, with an empty memory, that asks for advice."""
    cartridge = load_cartridge(demo_cartridge_path())
    with closing(open_knowledge_store(home / "memory.sqlite", now=0.0)) as empty:
        memory_hash = empty.content_hash()
    began, mind = datetime(2000, 1, 1, tzinfo=UTC), Decider.CLAUDE.value
    frozen = RunSettings(
        cartridge.name,
        cartridge.sha1,
        f"run{seed}",
        began,
        seed,
        mind=mind,
        memory_hash=memory_hash,
        ask_every=asking.every,
    )
    story = Story.of(cartridge.kind)
    with (
        closing(PyBoyConsole(cartridge)) as console,
        session_of_run(home, frozen, console, story, Interrupt(), asking=asking) as opened,
    ):
        yield opened


@dataclass(frozen=True)
class Ended:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out.splitlines()[-1])  # type: ignore[no-any-return]


def refused(ended: Ended, code: int, words: str = "") -> None:
    """Require that a command ended with one short error line that has `words`."""
    lines = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    assert (ended.code, len(lines), "Traceback" in ended.err) == (code, 1, False), ended.err[
        -2_000:
    ]
    assert words in lines[0]
    assert "unexpected" not in lines[0]
    assert len(lines[0]) < 1_000


Agent = Callable[..., Ended]


def in_this_process(home: Path, args: Sequence[str]) -> Ended:
    """Run the command line with `args` and return the result; its output goes to files in `home`, as to a pipe."""
    handlers, logging.root.handlers = logging.root.handlers, []  # those of pytest
    before = sys.argv, Path.cwd()
    with (
        (home / ".out").open("w+", encoding="utf-8") as out,
        (home / ".err").open("w+", encoding="utf-8") as err,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        sys.argv = ["agent", *args]
        os.chdir(ROOT)
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            logging.root.handlers = handlers
            sys.argv, _ = before
            os.chdir(before[1])
    texts = [(home / each).read_text(encoding="utf-8") for each in (".out", ".err")]
    for each in (".out", ".err"):
        (home / each).unlink()
    return Ended(code, *texts)


class CtrlC:
    """A request for the end that comes after some questions for it."""

    is_final = False

    def __init__(self, answers: Iterator[bool]) -> None:
        self._answers = answers

    @property
    def asked(self) -> bool:
        return next(self._answers)


class Game:
    """The demo in an emulator, in a state that a test needs."""

    def __init__(self, console: PyBoyConsole) -> None:
        self.console = console

    @property
    def state(self) -> State:
        return read_state(self.console.ram(), self.console.frame)

    def poke(self, changes: Mapping[int, int]) -> None:
        """Change bytes of RAM now, as a script of the game would."""
        for address, value in changes.items():
            self.console.poke(address, bytes([value]))

    def carry_out(self, skill: Skill, *, within: int = 2_000) -> Outcome:
        """Perform the steps of `skill` to its end, at most `within` of them."""
        skill_run = SkillRun(skill)
        for _ in range(within):
            if skill_run.outcome is not Outcome.RUNNING:
                return skill_run.outcome
            self.console.perform(skill_run.step)
            skill_run.resume(self.state)
        raise AssertionError("the skill does not end")


def ends(outcome: Outcome, ticks: int = 1) -> Callable[[State], Skill]:
    """Return the begin of a skill that waits for so many ticks and ends with `outcome`."""

    def begin(_state: State) -> Skill:
        for _ in range(ticks):
            yield wait(1)
        return outcome

    return begin


class Driven(NamedTuple):
    """The steps of a run, the state after each, and save states before the first and every `APART` steps later."""

    steps: Sequence[Step]
    states: Sequence[State]
    saved: Sequence[bytes]


APART = 50
DRIVEN = "driven.pickle"


@lru_cache(maxsize=4)
def driven(run: Path) -> Driven:
    """Return the states of a run from power-on to its end; cached in a file beside it."""
    if (cached := run.with_name(DRIVEN)).exists():
        return pickle.loads(cached.read_bytes())  # type: ignore[no-any-return]
    with (
        closing(read_run(run)) as folder,
        closing(PyBoyConsole(load_cartridge(demo_cartridge_path()))) as console,
    ):
        steps = [record_of(row).step for row in folder.store.record.steps()]
        states, saved = [], []
        for number, step in enumerate(steps):
            if number % APART == 0:
                saved.append(console.save())
            console.perform(step)
            states.append(Game(console).state)
    return Driven(steps, states, saved)


IDLE: list[
    PyBoyConsole
] = []  # emulators that no test uses now: one takes longer to switch on than to load
REACHED: dict[tuple[Path, int], bytes] = {}  # save states after a step of a run


@contextmanager
def game_at(run: Path, moment: Callable[[State], bool]) -> Iterator[Game]:
    """Yield the game of a run after the first step whose state meets `moment`."""
    steps, states, saved = driven(run)
    last = next((number for number, state in enumerate(states) if moment(state)), None)
    if last is None:
        raise AssertionError("no state of the run meets the condition")
    console = IDLE.pop() if IDLE else PyBoyConsole(load_cartridge(demo_cartridge_path()))
    if (run, last) not in REACHED:
        nearest = last // APART
        console.load(saved[nearest])
        for step in steps[nearest * APART : last + 1]:
            console.perform(step)
        REACHED[run, last] = console.save()
    console.load(REACHED[run, last])
    yield Game(console)
    IDLE.append(console)


def game_fixture(moment: Callable[[State], bool], pokes: Mapping[int, int] | None = None) -> Any:  # noqa: ANN401
    """Return a fixture that yields the game of `played` as `game_at` does, with bytes of RAM changed."""

    @pytest.fixture
    def game(played: Played) -> Iterator[Game]:
        with game_at(played.folder, moment) as found:
            found.poke(pokes or {})
            yield found

    return game


def state_fixture(moment: Callable[[State], bool]) -> Any:  # noqa: ANN401
    """Return a fixture of a module: the first state of `played` that meets `moment`."""

    @pytest.fixture(scope="module")
    def state(played: Played) -> State:
        return next(each for each in driven(played.folder).states if moment(each))

    return state


def end_the_story(monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    """End the story of every cartridge with milestone `last`, to test what follows the end of a story."""
    original = Story.of

    def shortened(kind: CartridgeKind) -> Story:
        story = original(kind)
        return replace(story, milestones=story.milestones[: len(story.up_to(last))], ambitions=())

    monkeypatch.setattr(Story, "of", staticmethod(shortened))


@pytest.fixture(scope="module", autouse=True)
def short_limits() -> Iterator[None]:
    """Shorten the limits of failures and ticks: how long a run tries does not matter here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "LIMITS", {**progress.LIMITS, StuckReason.REPEATED_FAILURE: 2})
        patch.setattr(progress, "QUIET", 20)
        patch.setattr(recovery, "COOL_DOWN", 40)
        patch.setattr(recovery, "LONG_COOL_DOWN", 60)
        yield
