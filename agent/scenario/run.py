"""Running one scenario, and saying in words what was not as it must be."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from agent.app import Interrupt
from agent.capabilities import Story
from agent.errors import ScenarioError
from agent.report import Stop
from agent.scenario.cache import Cache
from agent.scenario.derive import RUN, derive, ending, go_to, play_from
from agent.scenario.file import Played, Pressed, Scenario
from agent.scenario.readings import Seen
from agent.scenario.staging import look
from agent.scenario.watch import StrictWatch
from emulator import Cartridge, PyBoyConsole


@dataclass(frozen=True, slots=True)
class Report:
    """How a scenario went: it passed when there are no problems."""

    name: str
    pitfall: str
    frames: int
    problems: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether all was as it must be."""
        return not self.problems


def run_scenario(scenario: Scenario, cartridge: Cartridge, cache: Cache) -> Report:
    """Derive the scenario's moment, do what it says, and return how that went."""
    try:
        path = derive(scenario, cache)
    except ScenarioError as error:
        return Report(scenario.name, scenario.pitfall, 0, (str(error),))
    body = scenario.body
    if isinstance(body, Played):
        frames, problems = _play(scenario, body, path)
    else:
        frames, problems = _press(scenario, body, cartridge, path)
    return Report(scenario.name, scenario.pitfall, frames, tuple(problems))


def _play(scenario: Scenario, body: Played, path: Path | None) -> tuple[int, list[str]]:
    interrupt = Interrupt()
    watch = StrictWatch(body, interrupt)
    with TemporaryDirectory() as scratch:
        summary = play_from(path, scenario.seed, Path(scratch) / RUN, watch, interrupt)
    problems = watch.problems()
    if not watch.arrived:
        problems += [f"not reached: {body.play.until}"]
        problems += body.play.until.failures(watch.now, watch.start)
    if summary.stop in {Stop.GAVE_UP, Stop.ERROR} or summary.errors:
        problems.append(f"{summary.stop.value}, {summary.errors} faults: {summary.reason}")
    problems += scenario.then.failures(watch.now, watch.start)
    if problems:
        problems.append(ending(summary, watch))
    return watch.frames, problems


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
