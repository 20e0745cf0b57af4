from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.store.conversations import ConversationStore
from tests.memory.conversation.fixtures import TalkFixture, open_conversations, talk


@pytest.fixture
def threads(tmp_path: Path) -> Iterator[ConversationStore]:
    store = open_conversations(tmp_path / "t.sqlite")
    yield store
    store.close()


@pytest.fixture
def it(threads: ConversationStore) -> TalkFixture:
    return talk(threads)
