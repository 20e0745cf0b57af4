"""Part D, recall: what was said is got at again through the observations of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.conversation.archive import Detail, MessageRecall, archived, catalogue
from memory.conversation.conversation import open_conversations
from memory.errors import UnknownMemory
from memory.store.conversations import ConversationStore
from memory.tokens import tokens
from tests.memory.conversation.threads import Mirror, talk


@pytest.fixture
def threads(tmp_path: Path) -> Iterator[ConversationStore]:
    store = open_conversations(tmp_path / "t.sqlite")
    yield store
    store.close()


def test_d18_d26_what_a_reflection_forgot_is_recalled_word_by_word(
    threads: ConversationStore,
) -> None:
    it = talk(threads, reflector=Mirror(says="* 🔴 a lot was said"))
    it.say("user", 1, text="the secret is kept\nunder the third stone")
    while not it.conversation.record().generation_count:
        it.turn()
    record = it.conversation.record()
    groups = archived(threads, "t", record.reflection.upto_seq)
    assert groups[0].id in catalogue(groups)
    recalling = MessageRecall(threads, "t", tokens)
    assert "tick 1, user: the secret is kept under the third stone" in (
        recalling.recall(groups[0].id).text
    )
    assert "the secret is kept\nunder the third stone" in (
        recalling.recall(groups[0].id, Detail.HIGH).text
    )
    everything = [recalling.recall(group.id).text.count("tick ") for group in groups]
    assert sum(everything) == len(threads.messages("t", upto=record.reflection.upto_seq))


def test_d26_what_has_no_room_on_a_page_is_on_the_next(threads: ConversationStore) -> None:
    it = talk(threads)
    words = " ".join(f"{number:05}" for number in range(1_500))
    it.say("user", 1, text=words)
    it.conversation.before_call(0)
    recalling = MessageRecall(threads, "t", tokens, room=500)
    (group,) = archived(threads, "t", 1)
    first = recalling.recall(group.id, Detail.HIGH)
    assert first.pages > 3
    pages = [recalling.recall(group.id, Detail.HIGH, number + 1) for number in range(first.pages)]
    assert "".join(page.text for page in pages) == f"tick 1, user: {words}"
    assert all(tokens(page.text) <= 500 for page in pages)
    assert recalling.recall(group.id, Detail.HIGH, 99) == pages[-1]
    short = recalling.recall(group.id)
    assert (short.pages, len(short.text)) == (1, len("tick 1, user: ") + 160)


def test_d26_a_group_that_there_is_not_is_refused(threads: ConversationStore) -> None:
    with pytest.raises(UnknownMemory, match="group-7"):
        MessageRecall(threads, "t", tokens).recall("group-7")
