"""The start of a scenario, and the viewers of its play.

The start is played from power-on or a saved state, or taken from the cache. Each derived state is a run folder named by
the hash of all its inputs: the cartridge image, the emulator version, all sources of this project, the seed and the
stages of its file. Deleting the cache is always safe. Changes that a file makes last are quicker made than kept.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, Self

from filelock import FileLock

from agent.app import Interrupt, Settings, Stop, Summary, TickView, Viewer, play_run
from agent.errors import ScenarioError
from agent.events import MilestoneEvent, events
from agent.mind.progress import Gains, Novelty
from agent.story.story import Story
from agent.tools.progress import Asked, never
from agent.tools.report.words import counted, times
from agent.tools.scenario.conditions import Condition, GameSnapshot
from agent.tools.scenario.file import Count, Play, PlayBody, PowerCycle, SavedStart, Scenario, Setup
from agent.tools.scenario.states import (
    copy_battery,
    current_state,
    episode_count,
    read_moment,
    record_known,
    state_path,
)
from emulator import Cartridge, PyBoyConsole
from memory import read_run


class PlayWatch(Viewer):
    """A viewer that ends play when its goal is reached, its frames are used up, or `asked` requests a stop.

    It records forbidden conditions that occur, and counts how often conditions become true.
    """

    def __init__(self, played: PlayBody, interrupt: Interrupt, asked: Asked = never) -> None:
        self.arrived = False
        self.stopped = False  # by a request, before its end
        self.last: TickView | None = None
        self.interrupt = interrupt
        self.start: GameSnapshot  # the tick at which play began
        self.now: GameSnapshot  # the latest one
        self._asked = asked
        self._played = played
        self._gains = Gains()
        self._counts = [_Counter(each) for each in played.counts]
        self._broken: list[str] = []

    @property
    def frames(self) -> int:
        """The frames played."""
        return self.now.state.frame - self.start.state.frame

    def problems(self) -> list[str]:
        """Return one line for each forbidden condition and each wrong count."""
        return self._broken + [
            f"{each.count.when} happened {times(each.times)}, not {each.count.description}"
            for each in self._counts
            if not each.count.allows(each.times)
        ]

    def begin(self, start: GameSnapshot) -> None:
        """Record the state at which play begins."""
        self._gains.saw(start.state)
        self.start = self.now = start

    def show(self, moment: TickView) -> None:
        """Process one tick."""
        self.last = moment
        now, play = self._seen(moment), self._played.play
        self._record(now)
        self.arrived = play.until is not None and play.until.holds(now, self.start)
        is_over = self.arrived or self.frames >= play.frames
        self.stopped = not is_over and self._asked()
        self.interrupt.asked = is_over or self.stopped

    def end(self, summary: Summary) -> None:
        """Record the number of stuck episodes, which is known only at the end of play."""
        self._record(replace(self.now, episodes=summary.episodes))

    def _record(self, now: GameSnapshot) -> None:
        """Record a tick; the first forbidden one is a problem."""
        self.now = now
        if now.state.frame < self.start.state.frame and not self._broken:
            self._broken.append("the agent restored a checkpoint from before the scenario")
        for each in self._played.never:
            if not self._broken and each.holds(now, self.start):
                here = now.state.map
                where = f"{now.place} ({here.x},{here.y}), frame {now.state.frame}"
                self._broken.append(f"a forbidden condition was met: {each}; {where}")
        for counter in self._counts:
            counter.note(now, self.start)

    def _seen(self, moment: TickView) -> GameSnapshot:
        before, state = self.now, moment.state
        return GameSnapshot(
            state=state,
            place=moment.place_of(state),
            milestones=moment.milestones,
            doing=moment.intent.name,
            goal=moment.goal or "",
            gains=before.gains + (self._gains.saw(state) is Novelty.GAIN),
            episodes=before.episodes,
        )


@dataclass(slots=True)
class _Counter:
    """The number of times a condition has become true."""

    count: Count
    times: int = 0
    holds: bool = False

    def note(self, now: GameSnapshot, start: GameSnapshot) -> None:
        held, self.holds = self.holds, self.count.when.holds(now, start)
        self.times += self.holds and not held


ROOT: Final = Path(__file__).resolve().parents[3]
PACKAGES: Final = ("agent", "emulator", "memory")
SOURCES: Final = (".py", ".toml", ".json")
GENERATIONS_KEPT: Final = 3


class Cache(NamedTuple):
    """A folder of derived states, named by the hash of their common inputs."""

    home: Path

    @classmethod
    def of(cls, cartridge: Cartridge, folder: Path = ROOT / ".cache" / "scenarios") -> Self:
        """Return the cache for a cartridge and the current sources; older generations are removed."""
        generation = cls(folder / _hash((cartridge.sha1, version("pyboy"), _sources())))
        generation.home.mkdir(parents=True, exist_ok=True)
        generations = [each for each in folder.iterdir() if each.is_dir()]
        generations.sort(key=lambda each: (each == generation.home, each.stat().st_mtime))
        for old in generations[:-GENERATIONS_KEPT]:
            shutil.rmtree(old, ignore_errors=True)
        return generation

    def entry(self, parent: str, spelled: Iterable[str]) -> str:
        """Return the name of the state derived from `parent` by stages with the text `spelled`."""
        return _hash((parent, *spelled))


@cache
def _sources() -> str:
    """Return the hash of every source file that play may depend on."""
    files = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.*")))
    digest = hashlib.blake2b(digest_size=16)
    for path in files:
        if path.suffix in SOURCES:
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _hash(parts: Iterable[str]) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()


RUN: Final = "run"
NO_PLAY: Final = Play(Condition(()), frames=0)


@dataclass(slots=True)
class StartPart:
    """Stages that are cached together: the setup, and the play after it, if there is any.

    With `power_cycle` it begins by switching off and on. With `moment` it is only a saved state, and `known` lists the
    facts reached before it.
    """

    spelled: list[str] = field(default_factory=list)
    settings: list[Setup] = field(default_factory=list)
    play: Play | None = None
    power_cycle: bool = False
    moment: bytes | None = None
    known: tuple[str, ...] = ()


class GameOrigin(NamedTuple):
    """The game that a part is played in; `path` is the run with the state before it, None for power-on."""

    cartridge: Cartridge
    seed: int
    path: Path | None


def without_changes(scenario: Scenario) -> tuple[Scenario, list[Setup]]:
    """Return a scenario without the changes that its own file makes last, and these changes."""
    own = scenario.start[len(scenario.start) - scenario.own :]
    changes = [*takewhile(lambda each: isinstance(each, Setup), reversed(own))][::-1]
    kept = len(scenario.start) - len(changes)
    earlier = replace(scenario, start=scenario.start[:kept], spelled=scenario.spelled[:kept])
    return earlier, [each for each in changes if isinstance(each, Setup)]


def derive(
    scenario: Scenario, cartridge: Cartridge, cache: Cache, asked: Asked = never
) -> Path | None:
    """Return the run whose last checkpoint is the start of the scenario, or None for power-on.

    Raises ScenarioError when play or a walk does not arrive there, or a saved state cannot be used, and
    KeyboardInterrupt when a stop is requested.
    """
    path, entry = None, f"seed {scenario.seed}"
    for part in _parts(scenario, cartridge):
        entry = cache.entry(entry, part.spelled)
        target = cache.home / entry
        with FileLock(f"{target}.lock"):  # so that two processes do not derive it at the same time
            if asked():  # perhaps since it began to wait for the lock
                raise KeyboardInterrupt
            if not target.exists():
                with TemporaryDirectory(dir=cache.home) as scratch:
                    run = Path(scratch) / RUN
                    _derive_part(GameOrigin(cartridge, scenario.seed, path), part, run, asked)
                    run.rename(target)
        path = target
    return path


def play_part(origin: GameOrigin, part: StartPart, run: Path, watch: PlayWatch) -> Summary:
    """Play a part in folder `run`, after setting up; raises KeyboardInterrupt when a stop is requested."""
    path = None if part.power_cycle else origin.path

    def stage(console: PyBoyConsole) -> None:
        if part.moment is not None:
            console.load(part.moment)
        if part.power_cycle and origin.path is not None:
            with closing(PyBoyConsole(console.cartridge)) as old:
                load_latest(origin.path, old)
                copy_battery(old, console)
        for setting in part.settings:
            setting.do(console)
        watch.begin(_seen_first(console, run))

    if path is not None:
        shutil.copytree(path, run)
    settings = Settings(
        rom=origin.cartridge.path,
        seed=origin.seed if path is None else None,
        run=run if path is None else None,
        resume=run if path is not None else None,
        memory=run.parent / f"{run.name}.memory.sqlite",
        wants=part.play.wants if part.play is not None else (),
    )
    summary = play_run(settings, watch, watch.interrupt, stage=stage)
    if watch.stopped:
        raise KeyboardInterrupt
    return summary


def _parts(scenario: Scenario, cartridge: Cartridge) -> Iterator[StartPart]:
    """Yield the stages of a start in parts; each part ends with a slow stage, except perhaps the last."""
    part = StartPart()
    for stage, spelled in zip(scenario.start, scenario.spelled, strict=True):
        match stage:
            case SavedStart(name, known):
                moment = read_moment(state_path(scenario.states, name), cartridge)
                # The content of the file is the key, not its name.
                content = hashlib.blake2b(moment, digest_size=16).hexdigest()
                yield StartPart([content, *known], moment=moment, known=known)
                continue
            case PowerCycle():
                if part.spelled:
                    yield part
                part = StartPart([spelled], power_cycle=True)
                continue
            case Play():
                part.play = stage
            case _:
                part.settings.append(stage)
        part.spelled.append(spelled)
        if isinstance(stage, Play) or stage.is_walk:
            yield part
            part = StartPart()
    if part.spelled:
        yield part


def _derive_part(origin: GameOrigin, part: StartPart, run: Path, asked: Asked) -> None:
    # The checkpoint of the start is made even without play.
    interrupt = Interrupt(asked=part.play is None, is_final=True)
    watch = PlayWatch(PlayBody(part.play or NO_PLAY), interrupt, asked)
    summary = play_part(origin, part, run, watch)
    if part.known:
        record_known(run, part.known, Story.of(origin.cartridge.kind))
    if part.play is not None and not watch.arrived:
        message = f"the start was not reached: {part.play.until}; {describe_end(summary, watch)}"
        raise ScenarioError(message)


def load_latest(path: Path, console: PyBoyConsole) -> None:
    """Load the last checkpoint of the run in `path` into a console."""
    with closing(read_run(path)) as folder:
        checkpoint = folder.store.checkpoints.latest()
    if checkpoint is None:
        raise ScenarioError(f"the derived state {path} holds no checkpoint; delete it")
    console.load(checkpoint.state)


def describe_end(summary: Summary, watch: PlayWatch) -> str:
    """Return a line about where and how play ended."""
    here, last = watch.now.state.map, watch.last
    words = [
        f"play ended by {summary.stop.value} after {counted(watch.frames, 'frame')}",
        f"in {watch.now.place} ({here.x},{here.y})",
    ]
    if summary.stop in {Stop.GAVE_UP, Stop.ERROR}:
        words.append(summary.reason)
    if last is not None:
        words.append(f"doing {last.intent.name}: {last.intent.why}")
        words += [f"text {last.text!r}"] if last.text else []
        words += [f"plan: {last.intent.plan}"] if last.intent.plan else []
    return "; ".join(words)


def _seen_first(console: PyBoyConsole, run: Path) -> GameSnapshot:
    state = current_state(console)
    with closing(read_run(run)) as folder:
        store = folder.store
        milestones = tuple(each.id for each in events(store, MilestoneEvent, strict=True))
        episodes = episode_count(store)
    place = Story.of(console.cartridge.kind).place_of(state)
    return GameSnapshot(state, place, milestones, episodes=episodes)
