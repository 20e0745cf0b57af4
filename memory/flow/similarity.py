"""How alike two entries are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory.codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.blackboard.entry import Entry

_WORD = re.compile(r"\w+")


def words(entry: Entry) -> frozenset[str]:
    """Return the words of what an entry says."""
    return frozenset(_WORD.findall(encode(entry.data).lower()))


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words that two texts have in common, of all that are in either."""
    both = len(one | other)
    return len(one & other) / both if both else 1.0


def groups(entries: Iterable[Entry], threshold: float) -> list[list[Entry]]:
    """Return `entries` in groups of one kind whose words agree with those of the newest to `threshold`."""
    found: list[tuple[frozenset[str], list[Entry]]] = []
    for entry in sorted(entries, key=lambda each: -each.seq):
        said = words(entry)
        for of_newest, group in found:
            if group[0].kind == entry.kind and alike(of_newest, said) >= threshold:
                group.append(entry)
                break
        else:
            found.append((said, [entry]))
    return [group for _, group in found]
