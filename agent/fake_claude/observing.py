"""Observations out of a conversation, and fewer out of many, in the form that their askers want."""

import re
from typing import Final

MOST_OBSERVED: Final = 12
LONGEST: Final = 160  # characters of one observation
_OBSERVATION: Final = re.compile(r"^\s*[*-]\s*(🔴|🟡|🟢)")
_MARKS: Final = ("🔴", "🟡", "🟢")


def observed(conversation: str) -> str:
    """Return some lines of `conversation` as observations; the first lines of it count as the weightiest."""
    lines = [line.strip() for line in conversation.splitlines()]
    said = [line for line in lines if len(line) > 20 and not line.startswith("<")]
    step = max(len(said) // MOST_OBSERVED, 1)
    chosen = said[::step][:MOST_OBSERVED] or ["Nothing was said."]
    body = [f"* {_MARKS[min(at, 2)]} {line[:LONGEST]}" for at, line in enumerate(chosen)]
    return _framed(body, chosen[-1][:LONGEST])


def reflected(text: str) -> str:
    """Return the weighty half of the observations in `text`, in their order."""
    found = [line.rstrip() for line in text.splitlines() if _OBSERVATION.match(line)]
    weighty = [line for line in found if "🔴" in line] or found
    kept = weighty[: max(len(found) // 2, 1)] or ["* 🟢 Nothing was observed."]
    return _framed(kept, kept[-1].lstrip("*- 🔴🟡🟢"))


def _framed(observations: list[str], task: str) -> str:
    body = "\n".join(observations)
    return (
        f"<observations>\n{body}\n</observations>\n"
        f"<current-task>{task}</current-task>\n"
        "<suggested-response>Go on as planned.</suggested-response>"
    )
