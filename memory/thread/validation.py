"""Whether what a model made of a conversation can take its place: neither empty, nor too long, nor mad, nor made up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memory.thread.format import parse
from memory.thread.port import DistillingFailed
from memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHORTEST_DEGENERATE: Final = 2_000  # characters; less cannot be told from a list
WINDOW: Final = 200  # characters
MOST_REPEATED: Final = 0.4  # of all windows
LONGEST_ROW: Final = 50_000  # characters
MOST_NAMED: Final = 3  # made-up names that a problem tells

# Ids such as left_home and route_1; names as the cartridge writes them, all in capitals.
_WORD: Final = re.compile(r"\w+")
_CAPITALS: Final = re.compile(r"\b[A-Z]{4,}\b")
_EMPHASIS: Final = frozenset(
    {"ALWAYS", "AVOID", "FAILED", "IMPORTANT", "MUST", "NEVER", "NOTE", "ONLY", "WARNING"}
)


class Unusable(DistillingFailed):
    """An answer came and cannot be used; asking again, and otherwise, may help."""


def problem_with(
    text: str, *, source: str, limit: int, estimate: Callable[[str], int] = tokens
) -> str:
    """Return what is wrong with `text` as the observations of `source`, in one line; '' where it is sound.

    `limit` is the most tokens it may have; 0 sets none.
    """
    observations = parse(text)
    if not observations:
        return "there are no observations in it"
    if is_degenerate(text):
        return "it repeats itself over and over"
    if limit and (size := estimate(text)) > limit:
        return f"it has {size} tokens, more than {limit}"
    said = "\n".join("\n".join((line.text, *line.details)) for _, line in observations)
    if made_up := made_up_names(said, source):
        return f"it names what was not said: {', '.join(made_up[:MOST_NAMED])}"
    return ""


def is_degenerate(text: str) -> bool:
    """Return whether `text` is what a model writes that cannot stop: windows that were there before, or an endless row."""
    if len(text) < SHORTEST_DEGENERATE:
        return False
    if any(len(row) > LONGEST_ROW for row in text.splitlines()):
        return True
    starts = range(0, len(text) - WINDOW + 1, WINDOW)
    # Looked for anywhere before: a text may repeat itself in steps that are not those of the windows.
    repeated = sum(
        text.find(text[start : start + WINDOW], 0, start + WINDOW - 1) >= 0 for start in starts
    )
    return repeated > MOST_REPEATED * len(starts)


def made_up_names(text: str, source: str) -> tuple[str, ...]:
    """Return the ids and names in `text` that `source` does not have, in any case of letters."""
    known = source.lower()
    return tuple(dict.fromkeys(name for name in _names(text) if name.lower() not in known))


def _names(text: str) -> Iterator[str]:
    words = (found[0].strip("_") for found in _WORD.finditer(text))
    yield from (word for word in words if "_" in word)
    yield from (found[0] for found in _CAPITALS.finditer(text) if found[0] not in _EMPHASIS)
