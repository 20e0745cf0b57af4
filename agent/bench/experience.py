"""Seeded games played twice, with an empty memory and with a taught one: what battles came to in each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

from agent.app import Interrupt, Settings, play_run
from agent.bench.game import Nobody
from agent.capabilities import Story
from agent.errors import RunError
from emulator import Cartridge
from memory import WAYPOINT, read_run

SHORT: Final = "rival"  # the milestone behind the first battle
WHOLE: Final = 6  # one game in so many is played to the end, the others to the first battle

Progress: TypeAlias = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Reached:
    """What a game took up to a milestone; `choices` are the ways it took."""

    battles: int
    lost: int
    turns: int
    tick: int
    choices: Mapping[str, int]

    @property
    def won_all(self) -> bool:
        """Whether no battle was lost."""
        return not self.lost


@dataclass(frozen=True, slots=True)
class Twice:
    """One seed's game with what was taught, and without: what each took to the milestones it reached."""

    seed: int
    taught: Mapping[str, Reached]
    empty: Mapping[str, Reached]


def teach(cartridge: Cartridge, seeds: Sequence[int], memory: Path, done: Progress) -> None:
    """Play one game after the other to the story's last milestone, all with the same memory."""
    for seed in seeds:
        _play(cartridge.path, _last(cartridge), seed, memory)
        done(1)


def play_twice(
    cartridge: Cartridge, seeds: Sequence[int], memory: Path, *, processes: int, done: Progress
) -> list[Twice]:
    """Return the games of each seed; every game gets a copy of the memory to itself."""
    work = partial(_twice, cartridge.path, _last(cartridge), memory)
    if processes == 1:
        return list(_counted(map(work, seeds), done))
    # A process of its own that begins afresh: PyBoy may run threads, which a fork would break.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(_counted(pool.map(work, seeds), done))


def _counted(games: Iterator[Twice], done: Progress) -> Iterator[Twice]:
    for each in games:
        done(1)
        yield each


def _last(cartridge: Cartridge) -> str:
    return Story.of(cartridge.kind).milestones[-1].id


def _twice(rom: Path, last: str, memory: Path, seed: int) -> Twice:
    until = last if seed % WHOLE == 0 else SHORT
    with TemporaryDirectory(prefix="bench-") as home:
        own = Path(home) / "taught.sqlite"
        copyfile(memory, own)
        taught = _play(rom, until, seed, own)
        return Twice(seed, taught, _play(rom, until, seed, Path(home) / "empty.sqlite"))


def _play(rom: Path, until: str, seed: int, memory: Path) -> dict[str, Reached]:
    with TemporaryDirectory(prefix="bench-") as home:
        run = Path(home) / "run"
        settings = Settings(rom=rom, until=until, seed=seed, run=run, memory=memory)
        summary = play_run(settings, Nobody(), Interrupt())
        with closing(read_run(run)) as folder:
            found = dict(_reached(event.payload) for event in folder.store.events(WAYPOINT))
    if until not in found:
        message = f"the game of seed {seed} ended before {until}: {summary.stop.value}"
        raise RunError(message)
    return found


def _reached(data: Mapping[str, Any]) -> tuple[str, Reached]:
    figures = (data[name] for name in ("battles", "lost", "turns", "tick", "choices"))
    return data["milestone"], Reached(*figures)
