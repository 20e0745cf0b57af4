"""Scenarios in a list, their execution in sequence or in parallel, their reports, and the tallies of many games."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from agent.app import Interrupt, Stop
from agent.errors import ScenarioError
from agent.story.story import Story
from agent.tools.pool import results_of
from agent.tools.progress import Asked, never
from agent.tools.scenario.conditions import GameSnapshot
from agent.tools.scenario.file import (
    PlayBody,
    PressBody,
    SavedStart,
    Scenario,
    Setup,
    read_scenario,
)
from agent.tools.scenario.start import (
    RUN,
    Cache,
    GameOrigin,
    PlayWatch,
    StartPart,
    derive,
    describe_end,
    load_latest,
    play_part,
    without_changes,
)
from agent.tools.scenario.states import (
    cartridge_name,
    current_state,
    describe_episodes,
    origin_of,
    state_path,
)
from emulator import EMULATOR, Cartridge, PyBoyConsole
from memory import read_run


@dataclass(frozen=True, slots=True)
class ScenarioListing:
    """A scenario in a list; `trouble` is why its saved state cannot be used with this emulator, '' if it can."""

    name: str
    pitfall: str
    description: str
    start: str
    trouble: str = ""


def list_entry(scenario: Scenario) -> ScenarioListing:
    """Return the description of a scenario for a list."""
    first = scenario.start[0] if scenario.start else None
    start, trouble = (f"after moment {scenario.after}" if scenario.after else "power-on"), ""
    if isinstance(first, SavedStart):
        start = f"state {first.name}"
        try:
            made_by, sha1, frame = origin_of(state_path(scenario.states, first.name))
        except ScenarioError as error:
            trouble = str(error)
        else:
            start += f": {cartridge_name(sha1)}, frame {frame:,}, {made_by}"
            trouble = "" if made_by == EMULATOR else f"this is {EMULATOR}; record it again"
    return ScenarioListing(scenario.name, scenario.pitfall, scenario.description, start, trouble)


class ScenarioVerdict(StrEnum):
    """The outcome of a scenario."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # it is for another cartridge


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a scenario, passed when it ran without problems; `skipped` is the reason why it did not run."""

    name: str
    pitfall: str
    seed: int
    frames: int = 0
    problems: tuple[str, ...] = ()
    skipped: str = ""

    @property
    def verdict(self) -> ScenarioVerdict:
        """The outcome."""
        if self.skipped:
            return ScenarioVerdict.SKIPPED
        return ScenarioVerdict.FAILED if self.problems else ScenarioVerdict.PASSED

    @property
    def passed(self) -> bool:
        """Whether the scenario passed."""
        return self.verdict is ScenarioVerdict.PASSED


def run_scenario(
    scenario: Scenario, cartridge: Cartridge, cache: Cache, asked: Asked = never
) -> Report:
    """Derive the start of a scenario, execute its body, and return the report.

    Raises KeyboardInterrupt when a stop is requested.
    """
    body, report = scenario.body, partial(Report, scenario.name, scenario.pitfall, scenario.seed)
    if scenario.cartridge not in {"", cartridge.sha1}:
        wanted = f"it is for {cartridge_name(scenario.cartridge)}, SHA-1 {scenario.cartridge}"
        return report(skipped=wanted)
    earlier, changes = without_changes(scenario)
    try:
        path = derive(earlier, cartridge, cache, asked)
        start = ScenarioStart(GameOrigin(cartridge, scenario.seed, path), changes)
        if isinstance(body, PlayBody):
            frames, problems = _play(scenario, body, start, asked)
        else:
            frames, problems = _press(scenario, body, start, asked)
    except ScenarioError as error:
        return report(problems=(str(error),))
    return report(frames, tuple(problems))


class ScenarioStart(NamedTuple):
    """The game that the body of a scenario begins in, and the changes made before."""

    origin: GameOrigin
    changes: list[Setup]


def _play(
    scenario: Scenario, body: PlayBody, start: ScenarioStart, asked: Asked
) -> tuple[int, list[str]]:
    watch = PlayWatch(body, Interrupt(), asked)
    with TemporaryDirectory() as scratch:
        run = Path(scratch) / RUN
        part = StartPart(settings=start.changes, play=body.play)
        summary = play_part(start.origin, part, run, watch)
        watch.end(summary)
        stuck_lines = _stuck_lines(run, watch)
    problems = watch.problems()
    if body.play.until is not None and not watch.arrived:
        problems += [f"not reached: {body.play.until}"]
        problems += body.play.until.failures(watch.now, watch.start)
    if summary.stop in {Stop.GAVE_UP, Stop.ERROR} or summary.errors:
        problems.append(f"{summary.stop.value}, {summary.errors} errors: {summary.reason}")
    problems += scenario.then.failures(watch.now, watch.start)
    if problems:
        problems += [*stuck_lines, describe_end(summary, watch)]
    return watch.frames, problems


def _stuck_lines(run: Path, watch: PlayWatch) -> list[str]:
    """Return one line for each time that play got stuck."""
    if watch.now.episodes == watch.start.episodes:
        return []
    with closing(read_run(run)) as folder:
        lines = describe_episodes(folder.store, watch.start.episodes)
        return [f"play got stuck: {words}" for words in lines]


def _press(
    scenario: Scenario, body: Sequence[PressBody], start: ScenarioStart, asked: Asked
) -> tuple[int, list[str]]:
    with closing(PyBoyConsole(start.origin.cartridge)) as console:
        if start.origin.path is not None:
            load_latest(start.origin.path, console)
        for change in start.changes:
            change.do(console)
        first, problems = _seen(console), []
        for number, part in enumerate(body, 1):
            wrong = _perform(part, console, first, asked)
            problems += [f"step {number}: {each}" for each in wrong]
        end = _seen(console)
    problems += scenario.then.failures(end, first)
    if problems:
        here = end.state.map
        problems.append(f"it ended in {end.place} ({here.x},{here.y}):\n{end.state.screen_text}")
    return end.state.frame - first.state.frame, problems


def _perform(
    part: PressBody, console: PyBoyConsole, start: GameSnapshot, asked: Asked
) -> list[str]:
    """Press the buttons of a part, repeated while it waits for a condition; return the failures after that."""
    now = _seen(console)
    for _ in range(part.within):
        if part.until is not None and part.until.holds(now, start):
            break
        if asked():
            raise KeyboardInterrupt
        for step in part.steps:
            console.perform(step)
        now = _seen(console)
    missed = part.until.failures(now, start) if part.until is not None else []
    return missed + part.then.failures(now, start)


def _seen(console: PyBoyConsole) -> GameSnapshot:
    state = current_state(console)
    return GameSnapshot(state, Story.of(console.cartridge.kind).place_of(state))


def run_all(
    scenarios: Sequence[Scenario], cartridge: Cartridge, jobs: int = 1, *, asked: Asked = never
) -> Generator[Report, None, None]:
    """Yield the report of each scenario in order, running up to `jobs` at a time.

    When a stop is requested, the running scenarios end unfinished, and only those that are complete are yielded.
    """
    work = partial(_run, cartridge=cartridge, cache=Cache.of(cartridge))
    files = [(each.path, each.states, each.seed) for each in scenarios]
    with suppress(KeyboardInterrupt):
        yield from results_of(work, files, jobs, asked)


def _run(
    file: tuple[Path, Path, int], asked: Asked, *, cartridge: Cartridge, cache: Cache
) -> Report:
    """Run the scenario of a file, which is read again because its functions cannot be pickled."""
    path, states, seed = file
    scenario = replace(read_scenario(path, states), seed=seed)
    return run_scenario(scenario, cartridge, cache, asked)


def tallies(reports: Iterable[Report]) -> Iterator[tuple[str, str, str]]:
    """Yield each scenario's name, how often it passed, and the range of its frames; `reports` are grouped by scenario."""
    for name, group in groupby(reports, key=lambda each: each.name):
        games = list(group)
        passed = sum(each.passed for each in games)
        took = [each.frames for each in games]
        yield name, f"{passed} of {len(games)}", f"{min(took):,} to {max(took):,}"
