"""What an answer of a model comes to, in a few words. All of it is its word, and no fact."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from memory.thread.format import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LONGEST_NOTE: Final = 160  # characters
MOST_NAMES: Final = 3  # goals or candidates that are told; those behind hardly matter
_NAMED: Final = {"goals": "goals", "candidates": "do"}


def advised(text: str) -> str:
    """Return what `text` advises: names as they are, the note cut; prose is cut to its beginning."""
    answer = _object(text)
    told = "; ".join(_told(answer)) if answer is not None else ""
    return f"advised: {told}" if told else f"model said: {one_line(text, LONGEST_NOTE)}"


def _object(text: str) -> Mapping[str, object] | None:
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _told(answer: Mapping[str, object]) -> Iterator[str]:
    for name, word in _NAMED.items():
        names = answer.get(name)
        if isinstance(names, list) and names:
            yield f"{word} {' > '.join(one_line(str(each)) for each in names[:MOST_NAMES])}"
    note = answer.get("note")
    if isinstance(note, str) and note.strip():
        yield f'note "{one_line(note, LONGEST_NOTE)}"'
