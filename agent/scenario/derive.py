"""Deriving a scenario's moment by playing from power-on or a saved one, or taking it from the cache."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from agent.app import Interrupt, Settings, play_run
from agent.capabilities import Story
from agent.errors import ScenarioError
from agent.report import Stop, Summary
from agent.scenario.cache import Cache
from agent.scenario.check import Condition
from agent.scenario.episodes import episodes_begun
from agent.scenario.file import Scenario
from agent.scenario.knowing import presume
from agent.scenario.readings import Seen
from agent.scenario.stages import Play, Power, Saved, Setting, Walk
from agent.scenario.staging import hand_over_battery, look, set_up
from agent.scenario.states import read_moment, state_path
from agent.scenario.watch import Watch
from emulator import Cartridge, PyBoyConsole
from memory import read_run

RUN: Final = "run"
NO_PLAY: Final = Play(Condition(()), frames=0)


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where play begins: at power-on, or at the last moment of the run `path`, or at a saved `moment`.

    `battery` is the run at whose last moment the cartridge was taken out, if it was; `settings` are what is
    set up then; `wants` what play sees to first.
    """

    cartridge: Cartridge
    seed: int
    path: Path | None = None
    battery: Path | None = None
    moment: bytes | None = None
    settings: tuple[Setting, ...] = ()
    wants: tuple[str, ...] = ()


@dataclass(slots=True)
class Stretch:
    """Some stages of a start, worth keeping: what is set up, and the play after it, if there is one."""

    spelled: list[str] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    play: Play | None = None
    anew: bool = False  # whether it begins by switching off and on
    moment: bytes | None = None  # with which it begins, and nothing else is in it
    known: tuple[str, ...] = ()


def derive(scenario: Scenario, cartridge: Cartridge, cache: Cache) -> Path | None:
    """Return the run whose last checkpoint is the scenario's moment; None for power-on.

    Raises:
        ScenarioError: when play or a walk does not arrive there, or a saved moment cannot be used.
    """
    path, entry = None, f"seed {scenario.seed}"
    for stretch in _stretches(scenario, cartridge):
        entry = cache.entry(entry, stretch.spelled)
        target = cache.path(entry)
        with cache.lock(entry):
            if not target.exists():
                with TemporaryDirectory(dir=cache.home) as scratch:
                    before = Beginning(cartridge, scenario.seed, path)
                    _play_on(before, stretch, Path(scratch) / RUN)
                    (Path(scratch) / RUN).rename(target)
        path = target
    return path


def play_from(beginning: Beginning, run: Path, watch: Watch, interrupt: Interrupt) -> Summary:
    """Play in folder `run` from where it begins, after setting up."""
    path = beginning.path

    def stage(console: PyBoyConsole) -> None:
        if beginning.moment is not None:
            console.load(beginning.moment)
        if beginning.battery is not None:
            with closing(PyBoyConsole(console.cartridge)) as old:
                go_to(beginning.battery, old)
                hand_over_battery(old, console)
        set_up(console, beginning.settings)
        watch.begin(_seen_first(console, run))

    if path is not None:
        shutil.copytree(path, run)
    asked = Settings(
        rom=beginning.cartridge.path,
        seed=beginning.seed if path is None else None,
        run=run if path is None else None,
        resume=run if path is not None else None,
        memory=run.parent / f"{run.name}.memory.sqlite",
        wants=beginning.wants,
    )
    return play_run(asked, watch, interrupt, stage=stage)


def _stretches(scenario: Scenario, cartridge: Cartridge) -> Iterator[Stretch]:
    """Yield the stages of a start in parts that each end with what takes long, but perhaps for the last."""
    stretch = Stretch()
    for stage, spelled in zip(scenario.start, scenario.spelled, strict=True):
        match stage:
            case Saved(name, known):
                moment = read_moment(state_path(scenario.states, name), cartridge)
                # What is in the file counts, and not what it is called.
                content = blake2b(moment, digest_size=16).hexdigest()
                yield Stretch([content, *known], moment=moment, known=known)
                continue
            case Power():
                if stretch.spelled:
                    yield stretch
                stretch = Stretch([spelled], anew=True)
                continue
            case Play():
                stretch.play = stage
            case _:
                stretch.settings.append(stage)
        stretch.spelled.append(spelled)
        if isinstance(stage, Play | Walk):
            yield stretch
            stretch = Stretch()
    if stretch.spelled:
        yield stretch


def _play_on(before: Beginning, stretch: Stretch, run: Path) -> None:
    interrupt = Interrupt(
        asked=stretch.play is None
    )  # the checkpoint of the start is made all the same
    watch = Watch(stretch.play or NO_PLAY, interrupt)
    beginning = Beginning(
        before.cartridge,
        before.seed,
        path=None if stretch.anew else before.path,
        battery=before.path if stretch.anew else None,
        moment=stretch.moment,
        settings=tuple(stretch.settings),
    )
    summary = play_from(beginning, run, watch, interrupt)
    if stretch.known:
        presume(run, stretch.known, Story.of(before.cartridge.kind))
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


def _seen_first(console: PyBoyConsole, run: Path) -> Seen:
    state = look(console)
    with closing(read_run(run)) as folder:
        store = folder.store
        milestones = tuple(str(event.payload["id"]) for event in store.events("milestone"))
        episodes = episodes_begun(store)
    place = Story.of(console.cartridge.kind).place_of(state)
    return Seen(state, place, milestones, episodes=episodes)
