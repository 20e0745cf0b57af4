from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where knowledge is kept."""
    return tmp_path / "memory.sqlite"
