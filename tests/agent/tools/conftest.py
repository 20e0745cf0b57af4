"""Short runs, for tests that replay, supervise, damage or resume one."""

from pathlib import Path
from shutil import copytree

import pytest

from tests.agent.support import made_once, play_in

TICKS = 30


@pytest.fixture(scope="session")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run up to the starter, with its memory: checkpoints at ticks 66 and 104; only to read."""
    return made_once(tmp_path_factory, "begun", lambda folder: play_in(folder, until="starter"))


@pytest.fixture
def run(short_run: Path, tmp_path: Path) -> Path:
    """The folder of a copy of that run, with its memory beside it."""
    return copytree(short_run, tmp_path, dirs_exist_ok=True) / "run"


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a few ticks; only to read."""
    folder = made_once(tmp_path_factory, "tiny", lambda folder: play_in(folder, ticks=TICKS))
    return folder / "run"
