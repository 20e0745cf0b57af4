from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.recall.memory_fixture import MemoryFixture, open_memory_fixture


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryFixture]:
    with open_memory_fixture(tmp_path / "run.sqlite") as opened:
        yield opened
