from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.conversation.conversation import open_conversations
from memory.store.conversations import ConversationStore


@pytest.fixture
def threads(tmp_path: Path) -> Iterator[ConversationStore]:
    store = open_conversations(tmp_path / "t.sqlite")
    yield store
    store.close()
