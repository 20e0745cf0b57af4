"""What an actor is shown of memory: one tagged block behind its rules, and a reminder before the messages that are left.

Both are made anew for each call and take the place of the earlier ones. Nothing here has a clock: the same memory is
the same text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memory.thread.message import Message, Origin
from memory.thread.prompting import prompt
from memory.thread.tags import (
    CURRENT_TASK,
    MEMORY,
    OBSERVATIONS,
    OTHER_CONVERSATION,
    REMINDER,
    SUGGESTED_RESPONSE,
    blunted,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


CONTINUATION_ID: Final = "om-continuation"
_OPENING: Final = f"<{MEMORY}>"
_CLOSING: Final = f"</{MEMORY}>"
_REMINDER_OPENING: Final = f'<{REMINDER} id="{CONTINUATION_ID}">'


class Injected(NamedTuple):
    """What is put in. `parts` are one block of text in pieces, what changes seldom first, to be cached one by one."""

    parts: tuple[str, ...] = ()
    reminder: str = ""

    @property
    def text(self) -> str:
        """The whole block, '' where there is nothing to remember."""
        return "\n".join(self.parts)


def inject(
    reflection: str = "",
    observations: str = "",
    current_task: str = "",
    suggested_response: str = "",
    others: str = "",
) -> Injected:
    """Return what an actor is shown of its memory; nothing where there is none.

    `others` is what other conversations hold, each between its tags already, or plain text of one. Apart from these,
    no text can close a tag or open one.
    """
    reflection, observations = reflection.strip(), observations.strip()
    noted = [each for each in (reflection, observations) if each]
    rest = _told(CURRENT_TASK, current_task) + _told(SUGGESTED_RESPONSE, suggested_response)
    told = _others(others)
    if not (noted or rest or told):
        return Injected()
    first = [_OPENING, prompt("memory")]
    if noted:
        first.append(f"<{OBSERVATIONS}>")
        rest = [f"</{OBSERVATIONS}>", *rest]
    parts = _pieces(first, [blunted(each) for each in noted], rest)
    last = [*told, _CLOSING]
    if told:
        parts.append("\n".join(last))
    else:
        parts[-1] = "\n".join((parts[-1], *last))
    return Injected(tuple(parts), _reminder() if noted else "")


def other_conversation(thread: str, text: str) -> str:
    """Return what another conversation holds, between tags that its own words cannot close."""
    return wrapped(OTHER_CONVERSATION, text, f'thread="{blunted(thread)}"')


def with_reminder(
    tail: Sequence[Message], injected: Injected, thread: str = ""
) -> tuple[Message, ...]:
    """Return `tail` behind the reminder of `injected`, without any earlier one."""
    kept = tuple(each for each in tail if not is_reminder(each))
    if not injected.reminder:
        return kept
    block = {"type": "text", "text": injected.reminder}
    reminder = Message(thread, "user", (block,), 0, 0.0, origin=Origin.INJECTED)
    return (reminder, *kept)


def is_reminder(message: Message) -> bool:
    """Return whether `message` is the reminder that a conversation goes on."""
    return any(str(each.get("text", "")).startswith(_REMINDER_OPENING) for each in message.blocks)


def _reminder() -> str:
    return wrapped(REMINDER, prompt("continuation"), f'id="{CONTINUATION_ID}"')


def _told(tag: str, words: str) -> list[str]:
    return [wrapped(tag, words.strip())] if words.strip() else []


def _others(others: str) -> list[str]:
    others = others.strip()
    if not others or others.startswith(f"<{OTHER_CONVERSATION}"):
        return [others] if others else []
    return [wrapped(OTHER_CONVERSATION, others)]


def _pieces(first: list[str], noted: Sequence[str], rest: Sequence[str]) -> list[str]:
    """Return the pieces of a block: what was reflected upon goes with its beginning, what is newer with its end."""
    if len(noted) < 2:
        return ["\n".join((*first, *noted, *rest))]
    reflection, observations = noted
    return ["\n".join((*first, reflection)), "\n".join((observations, *rest))]
