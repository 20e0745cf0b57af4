"""How alike entries are, and which are so much alike that they are one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from math import ceil
from typing import TYPE_CHECKING

from memory.codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory.blackboard.entry import Entry

_WORD = re.compile(r"\w+")


def words(entry: Entry) -> frozenset[str]:
    """Return the words of what an entry says, each with its field: the 3 of one is not the 3 of another."""
    return frozenset(
        f"{name} {word}"
        for name, value in entry.data.items()
        for word in _WORD.findall(encode(value).lower())
    )


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words that two texts have in common, of all that are in either."""
    both = len(one | other)
    return len(one & other) / both if both else 1.0


def groups(entries: Iterable[Entry], threshold: float) -> list[list[Entry]]:
    """Return `entries` in groups of one kind whose words agree with those of the newest to `threshold`.

    Not every pair is compared: two texts that agree so far share one of their `_rarest` words, and few do.
    """
    ordered = sorted(entries, key=lambda each: -each.seq)
    texts = [words(each) for each in ordered]
    frequency = Counter(word for text in texts for word in text)
    found: list[tuple[frozenset[str], list[Entry]]] = []
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for entry, text in zip(ordered, texts, strict=True):
        marks = [(entry.kind, word) for word in _rarest(text, frequency, threshold)]
        for place in sorted({place for mark in marks for place in places[mark]}):
            if alike(found[place][0], text) >= threshold:
                found[place][1].append(entry)
                break
        else:
            for mark in marks:
                places[mark].append(len(found))
            found.append((text, [entry]))
    return [group for _, group in found]


def _rarest(text: frozenset[str], frequency: Mapping[str, int], threshold: float) -> list[str]:
    """Return so many words of `text`, rarest first, that what is alike cannot do without all of them."""
    if not text or threshold <= 0:
        return [""]  # alike to nothing but its like, or to anything
    shared = ceil(threshold * len(text) - 1e-9)  # at least, with anything that is alike
    return sorted(text, key=lambda word: (frequency[word], word))[: len(text) - shared + 1]
