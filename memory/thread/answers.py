"""What an observer or a reflector answered, taken apart: observations, the current task, the suggested response."""

from __future__ import annotations

import re

from memory.thread.format import one_line, parse, render
from memory.thread.port import Distilled
from memory.thread.tags import (
    CURRENT_TASK,
    OBSERVATIONS,
    SUGGESTED_RESPONSE,
    blunted,
    without_injected,
)


def parse_answer(text: str) -> Distilled:
    """Return the parts of `text`, each '' where it has none; never raises.

    A part that is never closed ends where the next begins. Without `<observations>` the lists outside of the other
    parts are taken, and the prose around them is not.
    """
    bodies = _bodies(text, OBSERVATIONS)
    found = parse("\n".join(bodies)) if bodies else parse(without_injected(text), lists_only=True)
    return Distilled(
        observations=blunted(render(found)),
        current_task=_short(text, CURRENT_TASK),
        suggested_response=_short(text, SUGGESTED_RESPONSE),
    )


def _short(text: str, tag: str) -> str:
    return blunted(one_line(" ".join(_bodies(text, tag))))


def _bodies(text: str, tag: str) -> list[str]:
    """Return what stands between each opening `tag` and its end."""
    ends = "|".join((OBSERVATIONS, CURRENT_TASK, SUGGESTED_RESPONSE))
    # One that was never closed has neither its own end nor another part behind it.
    pattern = rf"<{tag}>(.*?)(?:</{tag}>|(?=<(?:{ends})>)|\Z)"
    return re.findall(pattern, text, re.DOTALL | re.IGNORECASE)
