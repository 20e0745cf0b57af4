"""What an answer of a model comes to, in a few words. All of it is its word, and no fact."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from memory.thread.format import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LONGEST_NOTE: Final = 120  # characters
MOST_NAMES: Final = 3  # goals or candidates that are told; those behind hardly matter
ADVISED: Final = "advised: "
NOTE: Final = "; note "
_NAMED: Final = {"goals": "goals", "candidates": "do"}


def advised(text: str) -> str:
    """Return what `text` advises: names as they are, the note cut; prose is cut to its beginning."""
    answer = _object(text) or {}
    names = "; ".join(_names(answer))
    note = answer.get("note")
    noted = (
        f'{NOTE}"{one_line(note, LONGEST_NOTE)}"' if isinstance(note, str) and note.strip() else ""
    )
    if not names and not noted:
        return f"model said: {one_line(text, LONGEST_NOTE)}"
    return f"{ADVISED}{names or 'nothing'}{noted}"


def _object(text: str) -> Mapping[str, object] | None:
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _names(answer: Mapping[str, object]) -> Iterator[str]:
    for name, word in _NAMED.items():
        names = answer.get(name)
        if isinstance(names, list) and names:
            yield f"{word} {' > '.join(one_line(str(each)) for each in names[:MOST_NAMES])}"
