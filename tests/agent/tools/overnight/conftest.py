"""A short run, for tests that supervise, damage or resume it."""

from pathlib import Path
from shutil import copytree

import pytest

from tests.agent.support import made_once, play_in


@pytest.fixture(scope="session")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "begun", lambda folder: play_in(folder, until="starter"))


@pytest.fixture
def run(short_run: Path, tmp_path: Path) -> Path:
    """The folder of a run with milestones at ticks 65 and 102, with its memory beside it."""
    return copytree(short_run, tmp_path, dirs_exist_ok=True) / "run"
