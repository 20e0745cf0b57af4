"""Running one scenario, and saying in words what was not as it must be."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from agent.app import Interrupt
from agent.capabilities import Story
from agent.errors import ScenarioError
from agent.report import Stop
from agent.scenario.cache import Cache
from agent.scenario.derive import RUN, Beginning, derive, ending, go_to, play_from
from agent.scenario.episodes import told_of_episodes
from agent.scenario.file import Played, Pressed, Scenario
from agent.scenario.readings import Seen
from agent.scenario.staging import look
from agent.scenario.states import cartridge_name
from agent.scenario.watch import StrictWatch
from emulator import Cartridge, PyBoyConsole
from memory import read_run


class Verdict(StrEnum):
    """What running a scenario came to."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # it is for another cartridge


@dataclass(frozen=True, slots=True)
class Report:
    """How a scenario went: it passed when it was run and there are no problems; `skipped` says why it was not."""

    name: str
    pitfall: str
    seed: int
    frames: int = 0
    problems: tuple[str, ...] = ()
    skipped: str = ""

    @property
    def verdict(self) -> Verdict:
        """What it came to."""
        if self.skipped:
            return Verdict.SKIPPED
        return Verdict.FAILED if self.problems else Verdict.PASSED

    @property
    def passed(self) -> bool:
        """Whether all was as it must be."""
        return self.verdict is Verdict.PASSED


def run_scenario(scenario: Scenario, cartridge: Cartridge, cache: Cache) -> Report:
    """Derive the scenario's moment, do what it says, and return how that went."""
    body, report = scenario.body, partial(Report, scenario.name, scenario.pitfall, scenario.seed)
    if scenario.cartridge not in {"", cartridge.sha1}:
        wanted = f"it is for {cartridge_name(scenario.cartridge)}, SHA-1 {scenario.cartridge}"
        return report(skipped=wanted)
    try:
        path = derive(scenario, cartridge, cache)
    except ScenarioError as error:
        return report(problems=(str(error),))
    if isinstance(body, Played):
        beginning = Beginning(cartridge, scenario.seed, path, wants=body.play.wants)
        frames, problems = _play(scenario, body, beginning)
    else:
        frames, problems = _press(scenario, body, cartridge, path)
    return report(frames, tuple(problems))


def _play(scenario: Scenario, body: Played, beginning: Beginning) -> tuple[int, list[str]]:
    interrupt = Interrupt()
    watch = StrictWatch(body, interrupt)
    with TemporaryDirectory() as scratch:
        run = Path(scratch) / RUN
        summary = play_from(beginning, run, watch, interrupt)
        watch.end(summary)
        nowhere = _nowhere(run, watch)
    problems = watch.problems()
    if body.play.until is not None and not watch.arrived:
        problems += [f"not reached: {body.play.until}"]
        problems += body.play.until.failures(watch.now, watch.start)
    if summary.stop in {Stop.GAVE_UP, Stop.ERROR} or summary.errors:
        problems.append(f"{summary.stop.value}, {summary.errors} faults: {summary.reason}")
    problems += scenario.then.failures(watch.now, watch.start)
    if problems:
        problems += [*nowhere, ending(summary, watch)]
    return watch.frames, problems


def _nowhere(run: Path, watch: StrictWatch) -> list[str]:
    """Return in words each time that play got nowhere."""
    if watch.now.episodes == watch.start.episodes:
        return []
    with closing(read_run(run)) as folder:
        told = told_of_episodes(folder.store, watch.start.episodes)
        return [f"it got nowhere: {words}" for words in told]


def _press(
    scenario: Scenario, body: Sequence[Pressed], cartridge: Cartridge, path: Path | None
) -> tuple[int, list[str]]:
    with closing(PyBoyConsole(cartridge)) as console:
        if path is not None:
            go_to(path, console)
        start = _seen(console)
        problems = []
        for number, part in enumerate(body, 1):
            wrong = _perform(part, console, start)
            problems += [f"step {number}: {each}" for each in wrong]
        end = _seen(console)
    problems += scenario.then.failures(end, start)
    if problems:
        here = end.state.map
        problems.append(f"it ended in {end.place} ({here.x},{here.y}):\n{end.state.screen_text}")
    return end.state.frame - start.state.frame, problems


def _perform(part: Pressed, console: PyBoyConsole, start: Seen) -> list[str]:
    """Press what a part says, again and again where it waits for something; return what is wrong then."""
    now = _seen(console)
    for _ in range(part.within):
        if part.until is not None and part.until.holds(now, start):
            break
        for step in part.steps:
            console.perform(step)
        now = _seen(console)
    missed = part.until.failures(now, start) if part.until is not None else []
    return missed + part.then.failures(now, start)


def _seen(console: PyBoyConsole) -> Seen:
    state = look(console)
    return Seen(state, Story.of(console.cartridge.kind).place_of(state))
