"""Deriving a scenario's moment by playing from power-on, or taking it from the cache."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from agent.app import Interrupt, Settings, play_run
from agent.capabilities import Story
from agent.errors import ScenarioError
from agent.report import Stop, Summary
from agent.scenario.cache import Cache
from agent.scenario.check import Condition
from agent.scenario.file import Play, Power, Scenario, Setting, Walk
from agent.scenario.readings import Seen
from agent.scenario.staging import hand_over_battery, look, set_up
from agent.scenario.watch import Watch
from emulator import PyBoyConsole
from memory import read_run

RUN: Final = "run"
NO_PLAY: Final = Play(Condition(()), frames=0)


@dataclass(slots=True)
class Stretch:
    """Some stages of a start, worth keeping: what is set up, and the play after it, if there is one."""

    spelled: list[str] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    play: Play | None = None
    anew: bool = False  # whether it begins by switching off and on


def derive(scenario: Scenario, cache: Cache) -> Path | None:
    """Return the run whose last checkpoint is the scenario's moment; None for power-on.

    Raises:
        ScenarioError: when play or a walk does not arrive there.
    """
    path, entry = None, f"seed {scenario.seed}"
    for stretch in _stretches(scenario):
        entry = cache.entry(entry, stretch.spelled)
        target = cache.path(entry)
        with cache.lock(entry):
            if not target.exists():
                with TemporaryDirectory(dir=cache.home) as scratch:
                    _play_on(scenario.seed, path, stretch, Path(scratch) / RUN)
                    (Path(scratch) / RUN).rename(target)
        path = target
    return path


def play_from(
    path: Path | None,
    seed: int,
    run: Path,
    watch: Watch,
    interrupt: Interrupt,
    *settings: Setting,
    battery: Path | None = None,
) -> Summary:
    """Play in folder `run` from the moment that `path` holds, or from power-on, after setting up.

    `battery` is the run at whose last moment the cartridge was taken out, if it was.
    """

    def stage(console: PyBoyConsole) -> None:
        if battery is not None:
            with closing(PyBoyConsole(console.cartridge)) as old:
                go_to(battery, old)
                hand_over_battery(old, console)
        set_up(console, settings)
        state = look(console)
        story = Story.of(console.cartridge.kind)
        watch.begin(Seen(state, story.place_of(state), _milestones(run)))

    if path is not None:
        shutil.copytree(path, run)
    asked = Settings(
        seed=seed if path is None else None,
        run=run if path is None else None,
        resume=run if path is not None else None,
        memory=run.parent / f"{run.name}.memory.sqlite",
    )
    return play_run(asked, watch, interrupt, stage=stage)


def _stretches(scenario: Scenario) -> Iterator[Stretch]:
    """Yield the stages of a start in parts that each end with what takes long, but perhaps for the last."""
    stretch = Stretch()
    for stage, spelled in zip(scenario.start, scenario.spelled, strict=True):
        if isinstance(stage, Power):
            if stretch.spelled:
                yield stretch
            stretch = Stretch([spelled], anew=True)
            continue
        stretch.spelled.append(spelled)
        if isinstance(stage, Play):
            stretch.play = stage
            yield stretch
            stretch = Stretch()
        else:
            stretch.settings.append(stage)
        if isinstance(stage, Walk):
            yield stretch
            stretch = Stretch()
    if stretch.spelled:
        yield stretch


def _play_on(seed: int, path: Path | None, stretch: Stretch, run: Path) -> None:
    interrupt = Interrupt(
        asked=stretch.play is None
    )  # the checkpoint of the start is made all the same
    watch = Watch(stretch.play or NO_PLAY, interrupt)
    start, battery = (None, path) if stretch.anew else (path, None)
    summary = play_from(start, seed, run, watch, interrupt, *stretch.settings, battery=battery)
    if stretch.play is not None and not watch.arrived:
        message = f"the start was not reached: {stretch.play.until}; {ending(summary, watch)}"
        raise ScenarioError(message)


def go_to(path: Path, console: PyBoyConsole) -> None:
    """Bring a console to the moment that `path` holds."""
    with closing(read_run(path)) as folder:
        checkpoint = folder.store.latest_checkpoint()
    if checkpoint is None:
        message = f"the derived state {path} holds no checkpoint; delete it"
        raise ScenarioError(message)
    console.load(checkpoint.state)


def ending(summary: Summary, watch: Watch) -> str:
    """Return where and how play ended, in words."""
    here, last = watch.now.state.map, watch.last
    words = [
        f"play ended by {summary.stop.value} after {watch.frames:,} frames",
        f"in {watch.now.place} ({here.x},{here.y})",
    ]
    if summary.stop in {Stop.GAVE_UP, Stop.ERROR}:
        words.append(summary.reason)
    if last is not None:
        words.append(f"doing {last.intent.name}: {last.intent.why}")
        words += [f"text {last.text!r}"] if last.text else []
        words += [f"plan: {last.intent.plan}"] if last.intent.plan else []
    return "; ".join(words)


def _milestones(run: Path) -> tuple[str, ...]:
    with closing(read_run(run)) as folder:
        return tuple(str(event.payload["id"]) for event in folder.store.events("milestone"))
