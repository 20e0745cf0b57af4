from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of a knowledge file."""
    return tmp_path / "memory.sqlite"
