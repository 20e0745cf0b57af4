"""What the server answers, before it is put on the wire."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent.fake_claude.tokens import tokens_of_text

SIGNATURE: Final = "fake-claude"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """Thoughts, text, then calls of tools; `stop_reason` '' is the natural one.

    `explanation` says why a refusal refuses.
    """

    text: str = ""
    calls: Sequence[Call] = ()
    stop_reason: str = ""
    explanation: str = ""
    thought: str = ""

    @property
    def stop(self) -> str:
        """Why the message ends."""
        return self.stop_reason or ("tool_use" if self.calls else "end_turn")

    @property
    def tokens(self) -> int:
        """How many tokens of output it counts as."""
        said = sum(tokens_of_text(call.name + str(call.input)) + 10 for call in self.calls)
        return max(tokens_of_text(self.thought + self.text) + said, 1)

    def blocks(self, message_id: str) -> list[dict[str, object]]:
        """Return its blocks of content; calls are numbered after the message."""
        found: list[dict[str, object]] = []
        if self.thought:
            found.append({"type": "thinking", "thinking": self.thought, "signature": SIGNATURE})
        if self.text:
            found.append({"type": "text", "text": self.text, "citations": None})
        tag = message_id.removeprefix("msg_")
        for number, call in enumerate(self.calls, start=1):
            block: dict[str, object] = {"type": "tool_use", "id": f"toolu_{tag}_{number}"}
            found.append({**block, "name": call.name, "input": dict(call.input)})
        return found


def json_text(value: object) -> str:
    """Return `value` as JSON on one line, letters as they are."""
    return json.dumps(value, ensure_ascii=False)
