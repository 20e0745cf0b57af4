"""A run that was played for a while, for whoever watches over it, damages it or goes on with it."""

from pathlib import Path
from shutil import copytree

import pytest

from tests.agent.support import made_once, play_in


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "begun", lambda folder: play_in(folder, until="starter"))


@pytest.fixture
def run(begun: Path, tmp_path: Path) -> Path:
    """The folder of a run with milestones at ticks 65 and 102; its memory lies beside it."""
    return copytree(begun, tmp_path, dirs_exist_ok=True) / "run"
