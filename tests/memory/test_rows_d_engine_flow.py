"""Part D, the flow: what a call sees, and when messages become observations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.thread.store import ThreadStore, open_threads
from tests.memory.threads import talk, uncovered


@pytest.fixture
def threads(tmp_path: Path) -> Iterator[ThreadStore]:
    store = open_threads(tmp_path / "t.sqlite")
    yield store
    store.close()


def test_d08_at_the_threshold_messages_are_observed_and_the_cursor_moves(
    threads: ThreadStore,
) -> None:
    it = talk(threads)
    sights = [it.turn() for _ in range(60)]
    record = it.conversation.record()
    assert record.cursor > 0
    assert record.pending_message_tokens < 1_000
    assert sights[-1].observations or sights[-1].reflection
    assert not list(uncovered(threads._database))
