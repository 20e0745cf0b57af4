"""The memory of an agent without earlier runs."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory import AgentMemory, open_memory, open_run_store


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[AgentMemory]:
    with closing(open_run_store(tmp_path / "run.sqlite", run_id="run")) as store:
        yield open_memory(store, "play", session_id="run", started_at=0.0)
