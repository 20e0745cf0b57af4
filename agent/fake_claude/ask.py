"""A valid request, as whoever makes up an answer sees it."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Final

_PURPOSE: Final = re.compile(
    r"^(?:purpose|why you are asked): *(\w+)", re.IGNORECASE | re.MULTILINE
)


class Kind(Enum):
    """What sort of answer is wanted."""

    ANSWER = "answer"  # JSON after a schema
    OBSERVE = "observe"  # a conversation into observations
    REFLECT = "reflect"  # observations into fewer
    TALK = "talk"  # whatever else


@dataclass(frozen=True)
class Ask:
    """One request. `turn` counts the requests for a message from 1, those that failed included.

    `digest` is the same for the same prompt.
    """

    body: Mapping[str, Any]
    turn: int = 1
    digest: bytes = b""

    @cached_property
    def system(self) -> str:
        """The system text."""
        return "\n\n".join(texts(self.body.get("system", "")))

    @cached_property
    def user(self) -> str:
        """What the user said last: from the question on, where tools were called or an answer was sent back since."""
        return "\n\n".join(text for each in self._since for text in texts(each["content"]))

    @cached_property
    def purpose(self) -> str:
        """Why it is asked, where the user says so in a line of its own, the last one; '' where it does not."""
        found = _PURPOSE.findall(self.told)
        return str(found[-1]) if found else ""

    @cached_property
    def told(self) -> str:
        """The text of all user messages: what a question offers stands before the results of tools and repairs."""
        said = [each["content"] for each in self.body["messages"] if each["role"] == "user"]
        return "\n\n".join(text for content in said for text in texts(content))

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools on offer; none where the request forbids to call any."""
        if self.tool_choice.get("type") == "none":
            return ()
        return self.body.get("tools") or ()

    @property
    def tool_choice(self) -> Mapping[str, Any]:
        """Whether a tool may, must or must not be called."""
        return self.body.get("tool_choice") or {"type": "auto"}

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema of the final answer, if it must follow one."""
        output = self.body.get("output_config") or {}
        return (output.get("format") or {}).get("schema")

    @cached_property
    def rounds(self) -> int:
        """How many rounds of tools were done since the last question."""
        return sum(_has_results(each) for each in self._since)

    @cached_property
    def _since(self) -> Sequence[Mapping[str, Any]]:
        """The messages of the user from the last question on, which says why it is asked, or has no results of tools."""
        said = [each for each in self.body["messages"] if each["role"] == "user"]
        asks = [
            at for at, each in enumerate(said) if any(map(_PURPOSE.search, texts(each["content"])))
        ]
        plain = [at for at, each in enumerate(said) if not _has_results(each)]
        return said[(asks or plain or [0])[-1] :]

    @cached_property
    def kind(self) -> Kind:
        """What sort of answer is wanted."""
        if self.schema is not None:
            return Kind.ANSWER
        if "<observations>" not in self.system:
            return Kind.TALK
        return Kind.REFLECT if "reflect" in self.system.lower() else Kind.OBSERVE

    def chance(self, seed: int, salt: str = "") -> random.Random:
        """Return chance that is the same for the same prompt, `seed` and `salt`."""
        return random.Random(self.digest + f"{seed} {salt}".encode())


def blocks(content: object) -> Sequence[Mapping[str, Any]]:
    """Return content as blocks; a string is short for one of text."""
    if isinstance(content, str):
        return ({"type": "text", "text": content},) if content else ()
    return content if isinstance(content, list | tuple) else ()


def _has_results(message: Mapping[str, Any]) -> bool:
    return any(each["type"] == "tool_result" for each in blocks(message["content"]))


def texts(content: object) -> Iterator[str]:
    """Yield the text of each block of text."""
    for block in blocks(content):
        if block.get("type") == "text":
            yield str(block["text"])
