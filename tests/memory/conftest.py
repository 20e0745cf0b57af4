from collections.abc import Iterator
from pathlib import Path

import pytest

from memory import Blackboard, RunStore, open_run_store
from tests.memory.samples import Tiers, open_tiers


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    opened = open_run_store(tmp_path / "run.sqlite", run_id="run-1")
    yield opened
    opened.close()


@pytest.fixture
def blackboard(store: RunStore) -> Blackboard:
    return Blackboard(store)


@pytest.fixture
def tiers(tmp_path: Path) -> Iterator[Tiers]:
    opened = open_tiers(tmp_path / "tiers.sqlite")
    yield opened
    opened.store.close()
