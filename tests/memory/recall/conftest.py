from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.recall.recalling import Remembering, remembering


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Remembering]:
    with remembering(tmp_path / "run.sqlite") as opened:
        yield opened
