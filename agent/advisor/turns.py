"""The messages of a conversation as the Messages API takes them, whatever became of the calls in between.

A process may have ended between the call of a tool and its result, a question may have had no answer, and the older half
of a conversation is not sent. What is sent is sound all the same, and depends on nothing but the messages, so that a
conversation that grows at its end keeps its beginning to the byte. Each message stays one of its own, for whoever records
requests knows a message again only where it is the same; the service takes several of one role as one turn.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from memory.thread.message import Message

EARLIER: Final = "(What came before this is in the observations.)"
NOT_RUN: Final = "This call was never made: the program ended before it."

Turn = dict[str, Any]


def turns_of(messages: Iterable[Message]) -> list[Turn]:
    """Return the messages to send: each call has its result behind it, and the first is the user's."""
    turns: list[Turn] = []
    for message in messages:
        said = [dict(each) for each in message.blocks if _says_anything(each)]
        if message.role == "user":
            add_user(turns, said)
        elif said:
            _add_model(turns, said)
    return turns


def add_user(turns: list[Turn], said: Sequence[Mapping[str, Any]]) -> None:
    """Add what the user says, behind a result for each call that the last turn made."""
    calls = _open_calls(turns)
    given = {each["tool_use_id"]: each for each in said if each["type"] == "tool_result"}
    results = [given.get(call) or result(call, NOT_RUN, is_error=True) for call in calls]
    # A result without a call is one whose call was observed; the service takes no such thing.
    blocks = [*results, *(each for each in said if each["type"] != "tool_result")]
    if blocks:
        turns.append({"role": "user", "content": blocks})


def text(words: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": words}


def result(call: str, words: str, *, is_error: bool) -> dict[str, Any]:
    """Return the result of a call of a tool."""
    told = {"type": "tool_result", "tool_use_id": call, "content": [text(words)]}
    return told | {"is_error": True} if is_error else told


def _add_model(turns: list[Turn], said: list[dict[str, Any]]) -> None:
    if not turns:
        add_user(turns, [text(EARLIER)])
    elif _open_calls(turns):
        add_user(turns, [])
    turns.append({"role": "assistant", "content": said})


def _open_calls(turns: Sequence[Turn]) -> list[str]:
    if not turns or turns[-1]["role"] != "assistant":
        return []
    return [each["id"] for each in turns[-1]["content"] if each["type"] == "tool_use"]


def _says_anything(block: Mapping[str, Any]) -> bool:
    return block["type"] != "text" or bool(block["text"].strip())
