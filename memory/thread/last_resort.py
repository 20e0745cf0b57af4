"""What is left where everything else failed, so that a conversation never runs out of room. It cannot fail.

It is no good observer: a line of each message. All that is lost by it is in the file still, and can be recalled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.thread.port import Distilled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.thread.message import Message

WIDTH: Final = 120  # characters of one message


class Gist:
    """Observes the beginning of each text."""

    source = "programmatic"

    def observe(self, messages: Sequence[Message], known: str) -> Distilled:  # part of the port
        """Return a line for each message that has a text."""
        return Distilled("\n".join(line for each in messages for line in _lines(each)))


class Newest:
    """Reflects by keeping the last lines there is room for."""

    source = "programmatic"

    def __init__(self, estimate: Callable[[str], int]) -> None:
        self._estimate = estimate

    def reflect(
        self, observations: str, *, level: int, target: int
    ) -> Distilled:  # part of the port
        """Return the end of `observations`, at most `target` tokens."""
        return Distilled(ending(observations, target, self._estimate))


def ending(text: str, limit: int, estimate: Callable[[str], int]) -> str:
    """Return as many of the last lines of `text` as have at most `limit` tokens together."""
    lines: list[str] = []
    left = limit
    for line in reversed(text.splitlines()):
        left -= estimate(line + "\n")
        if left < 0:
            break
        lines.append(line)
    return "\n".join(reversed(lines))


def _lines(message: Message) -> list[str]:
    texts = (str(each.get("text", "")) for each in message.blocks if each.get("type") == "text")
    flat = (" ".join(text.split()) for text in texts)
    return [f"* 🟢 (tick {message.tick}) {message.role}: {text[:WIDTH]}" for text in flat if text]
