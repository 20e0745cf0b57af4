"""Runs of the demo, played once for all tests of a worker."""

import subprocess
import sys
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, play_run
from tests.agent.support import ROOT, Agent, Ended, Played, Watcher


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("played")
    run, memory = folder / "run", folder / "memory.sqlite"
    summary = play_run(Settings(seed=3, run=run, memory=memory), Watcher(), Interrupt())
    return Played(run, memory, summary)


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
