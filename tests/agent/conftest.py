"""Runs of the demo, played once for all tests, and other fixtures."""

import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agent.tools.report.page import report_ended
from agent.tools.scenario.start import Cache
from emulator import Cartridge, State, demo_cartridge_path, load_cartridge
from emulator.profile import symbol
from tests.agent.demo import at_the_menu
from tests.agent.ring import Ring
from tests.agent.support import (
    DRIVEN,
    ROOT,
    Agent,
    Ended,
    Game,
    Played,
    driven,
    game_at,
    in_this_process,
    made_once,
    play_in,
)

LANE = 12


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    def play(folder: Path) -> None:
        summary = play_in(folder, seed=3, until="first_badge")
        report_ended(folder / "run", None)
        (folder / "summary.pickle").write_bytes(pickle.dumps(summary))
        (folder / DRIVEN).write_bytes(pickle.dumps(driven(folder / "run")))

    folder = made_once(tmp_path_factory, "a played run", play)
    run, summary = folder / "run", pickle.loads((folder / "summary.pickle").read_bytes())
    return Played(run, folder / "memory.sqlite", replace(summary, run=str(run)))


@pytest.fixture(scope="session")
def demo() -> Cartridge:
    return load_cartridge(demo_cartridge_path())


@pytest.fixture(scope="session")
def cache(demo: Cartridge) -> Cache:
    """Return the cache of derived scenario states."""
    return Cache.of(demo)


@pytest.fixture(scope="session")
def first_turn(played: Played) -> State:
    """Return the state in the first turn of the first battle."""
    with game_at(played.folder, at_the_menu) as game:
        return game.state


@pytest.fixture(scope="module")
def ring(played: Played) -> Iterator[Ring]:
    with game_at(played.folder, lambda state: state.in_control) as game:
        yield Ring(game, game.console.save())


@pytest.fixture
def quiet_lane(played: Played) -> Iterator[Game]:
    """Yield the demo's lane without wild Pokemon, between the trainer and the thickets to the north."""

    def is_there(state: State) -> bool:
        here = state.map
        return state.in_control and here.map_id == LANE and 16 < here.y < 22

    with game_at(played.folder, is_there) as game:
        game.poke({symbol("wGrassRate"): 0, symbol("wPartyMon1Status"): 0})
        yield game


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """Return a function that runs the command line with the given arguments in this process."""

    def run(*args: object) -> Ended:
        return in_this_process(tmp_path, _with_memory(args, tmp_path))

    return run


@pytest.fixture
def process(tmp_path: Path) -> Agent:
    """Return a function that runs `python -m agent` with the given arguments in a child process."""

    def run(*args: object) -> Ended:
        command = [sys.executable, "-m", "agent", *_with_memory(args, tmp_path)]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


def _with_memory(args: Sequence[object], home: Path) -> list[str]:
    more = ["--memory", str(home / "memory.sqlite")] if args[0] == "play" else []
    return [*map(str, args), *([] if "--memory" in args else more)]
