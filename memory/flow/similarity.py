"""How alike two entries are."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from memory.codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory.blackboard.entry import Entry

_WORD = re.compile(r"\w+")
_NOTHING: Final = ("",)  # what texts without a word are looked up by


def words(entry: Entry) -> frozenset[str]:
    """Return the words of what an entry says."""
    return frozenset(_WORD.findall(encode(entry.data).lower()))


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words that two texts have in common, of all that are in either."""
    both = len(one | other)
    return len(one & other) / both if both else 1.0


def groups(entries: Iterable[Entry], threshold: float) -> list[list[Entry]]:
    """Return `entries` in groups of one kind whose words agree with those of the newest to `threshold`."""
    said = [(each, words(each)) for each in sorted(entries, key=lambda each: -each.seq)]
    uses = Counter(word for _, text in said for word in text)
    found: list[tuple[frozenset[str], list[Entry]]] = []
    by_word = defaultdict[tuple[str, str], list[int]](list)
    for entry, text in said:
        telling = [(entry.kind, word) for word in _telling(text, uses, threshold)]
        for number in sorted({number for each in telling for number in by_word[each]}):
            of_newest, group = found[number]
            if alike(of_newest, text) >= threshold:
                group.append(entry)
                break
        else:
            for each in telling:
                by_word[each].append(len(found))
            found.append((text, [entry]))
    return [group for _, group in found]


def _telling(text: frozenset[str], uses: Mapping[str, int], threshold: float) -> Iterable[str]:
    """Return the rarest words of a text: whatever agrees with it to `threshold` has one of them among its own.

    So that each text is held against few others, whatever their number: of those in common, at most a share of
    1 - threshold can be missing.
    """
    if threshold <= 0:
        return _NOTHING
    rarest = sorted(text, key=lambda word: (uses[word], word))
    return rarest[: int((1 - threshold) * len(text) + 1e-9) + 1] or _NOTHING
