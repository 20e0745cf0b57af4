"""Runs of the demo, played once for all tests of a worker."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, play_run
from emulator import State
from emulator.profile import symbol
from tests.agent.support import ROOT, Agent, Ended, Game, Played, Watcher, game_at

LANE = 12


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("played")
    run, memory = folder / "run", folder / "memory.sqlite"
    summary = play_run(Settings(seed=3, run=run, memory=memory), Watcher(), Interrupt())
    return Played(run, memory, summary)


@pytest.fixture
def quiet_lane(played: Played) -> Iterator[Game]:
    """The demo's lane without wild creatures, between the trainer who fights and the thickets to the north."""

    def is_there(state: State) -> bool:
        here = state.map
        return state.in_control and here.map_id == LANE and 16 < here.y < 22

    with game_at(played.folder, is_there) as game:
        game.poke({symbol("wGrassRate"): 0})
        yield game


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """Run `python -m agent` with the arguments given, in a process of its own."""

    def run(*args: object) -> Ended:
        command = [sys.executable, "-m", "agent", *map(str, args)]
        if args[0] == "play" and "--memory" not in args:
            command += ["--memory", str(tmp_path / "memory.sqlite")]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run
