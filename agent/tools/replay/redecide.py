"""Decides a run again from power-on, with the advice it was given then, and compares every step."""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from agent.advisor import Tool
from agent.app.advice import ADVICE, Asking, ReplayedAdvice
from agent.app.play import KNOWLEDGE, NEVER, NoViewer, session_of_run
from agent.app.process import Interrupt
from agent.app.session import PlayLimits
from agent.app.settings import Decider, RunSettings, cartridge_for
from agent.errors import RunError
from agent.story import Story
from agent.tools.replay.operations import Tell, quiet, tell_emulator
from emulator import PyBoyConsole
from memory import RunReader, StepRow, read_knowledge_store, read_run


class Redecided(NamedTuple):
    """How many ticks were decided again, with how many answers, and the first that differs, '' for none."""

    ticks: int
    advice: int
    divergence: str


def redecide_run(
    path: Path, rom: Path | None, memory: Path | None, *, tell: Tell = quiet
) -> Redecided:
    """Play the run in `path` again in a temporary folder. No model is asked, and nothing is written.

    `memory` is what the run began with, if that was anything.

    Raises:
        RunError: when the run was played in more than one session, or began with another memory.
    """
    with ExitStack() as stack:
        if path.is_file():
            message = f"{path} is an exported replay, and --decide takes the folder of a run"
            raise RunError(message)
        folder = stack.enter_context(closing(read_run(path)))
        frozen, recorded = RunSettings.of(folder.settings), list(folder.store.steps())
        cartridge = cartridge_for(rom, frozen)
        tell_emulator(frozen.pyboy, tell)
        if len(folder.store.sessions()) > 1:
            message = f"{path} was resumed, and what it knew then is gone; replay its steps alone"
            raise RunError(message)
        home = Path(stack.enter_context(TemporaryDirectory()))
        if memory is not None:
            with closing(read_knowledge_store(memory)) as known:
                known.backup(home / KNOWLEDGE)
        console = stack.enter_context(closing(PyBoyConsole(cartridge)))
        story = Story.of(cartridge.kind).wanting(frozen.wanted)
        asking = _asking(frozen, folder.store)
        opened = session_of_run(home, frozen, console, story, Interrupt(), asking=asking)
        session, again, knowledge = stack.enter_context(opened)
        if knowledge.content_hash() != frozen.memory_hash:
            message = (
                "the run began with another memory; name a copy of what it was then by --memory"
            )
            raise RunError(message)
        session.play(PlayLimits(NEVER, len(recorded)), NoViewer())
        steps = list(again.store.steps())
        answers = sum(1 for _ in again.store.events(ADVICE))
        return Redecided(len(steps), answers, _difference(recorded, steps))


def _asking(frozen: RunSettings, run: RunReader) -> Asking | None:
    if frozen.mind != Decider.CLAUDE.value:
        return None
    told = [*run.events(ADVICE, live=False), *run.events(ADVICE)]

    def again(tools: Sequence[Tool], _observed: object) -> ReplayedAdvice:
        return ReplayedAdvice(told, tools)

    return Asking(again, frozen.ask_every)


def _difference(recorded: Sequence[StepRow], again: Sequence[StepRow]) -> str:
    for number, (then, now) in enumerate(zip_longest(recorded, again), start=1):
        if then is None or now is None:
            return f"tick {number}: only one of the two goes on"
        if then != now:
            what = ", ".join(
                f"{name} {getattr(then, name)!r} became {getattr(now, name)!r}"
                for name in ("button", "hold", "settle", "frame")
                if getattr(then, name) != getattr(now, name)
            )
            return f"tick {number}: {what or 'the game itself is another'}"
    return ""
