"""Maintenance of scopes: pruning decayed entries, merging similar ones, and rebuilding the word index.

Driven by time and by the consolidator; the planner may also request it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from math import ceil, inf
from typing import Any, Final

from memory.blackboard.blackboard import MAX_SOURCES, Blackboard
from memory.blackboard.entry import TRUST, Entry
from memory.blackboard.scope_index import decayed_relevance
from memory.codec import Json, encode

_WORD = re.compile(r"\w+")


def field_words(entry: Entry) -> frozenset[str]:
    """Return the words of an entry, each with its field: the 3 of one field differs from the 3 of another."""
    return frozenset(
        f"{name} {word}"
        for name, value in entry.data.items()
        for word in _WORD.findall(encode(value).lower())
    )


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common words among all words of two texts."""
    both = len(one | other)
    return len(one & other) / both if both else 1.0


def similar_groups(entries: Iterable[Entry], threshold: float) -> list[list[Entry]]:
    """Return `entries` in groups of one kind whose words match those of the newest to at least `threshold`.

    Only texts that share one of their `_rarest` words are compared: two texts that similar always share one.
    """
    ordered = sorted(entries, key=lambda each: -each.seq)
    texts = [field_words(each) for each in ordered]
    frequency = Counter(word for text in texts for word in text)
    found: list[tuple[frozenset[str], list[Entry]]] = []
    numbers: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for entry, text in zip(ordered, texts, strict=True):
        keys = [(entry.kind, word) for word in _rarest(text, frequency, threshold)]
        for number in sorted({number for key in keys for number in numbers[key]}):
            if similarity(found[number][0], text) >= threshold:
                found[number][1].append(entry)
                break
        else:
            for key in keys:
                numbers[key].append(len(found))
            found.append((text, [entry]))
    return [group for _, group in found]


def _rarest(text: frozenset[str], frequency: Mapping[str, int], threshold: float) -> list[str]:
    """Return the rarest words of `text`, enough of them that any similar text contains at least one."""
    if not text or threshold <= 0:
        return [""]  # an empty text matches only empty texts; threshold 0 matches anything
    shared = ceil(threshold * len(text) - 1e-9)  # at least, with any similar text
    return sorted(text, key=lambda word: (frequency[word], word))[: len(text) - shared + 1]


ARCHIVE_FROM: Final = 7  # importance from which entries are archived before they are pruned
EVERY_S: Final = 600.0  # game seconds between two maintenances of a scope
NOT_MAINTAINED: Final = frozenset({"sensory"})  # states are similar and live for seconds


class Maintenance:
    """Maintains all scopes of a blackboard, each at most once in `EVERY_S` game seconds."""

    def __init__(
        self,
        blackboard: Blackboard,
        *,
        reindex: Callable[[], int] | None = None,
        archive: Callable[[Entry, str], object] | None = None,
    ) -> None:
        self._blackboard = blackboard
        self._reindex = reindex
        self._archive = archive
        self._maintained_s: dict[str, float] = {}

    def run(self, *, forced: bool = False) -> list[str]:
        """Prune and merge in the scopes that are due, or in all when `forced`; return their names.

        When `forced`, the word index is rebuilt too: each write updates it, so this is rarely needed.
        """
        now = self._blackboard.game_s
        due = [
            scope
            for scope in self._blackboard.scopes()
            if scope.rpartition(":")[2] not in NOT_MAINTAINED
            and (forced or now - self._maintained_s.get(scope, 0.0) >= EVERY_S)
        ]
        for scope in due:
            self._maintained_s[scope] = now
            self.prune(scope)
            self.deduplicate(scope)
        if forced:
            self.reindex()
        return due

    def relevance(self, entry: Entry) -> float:
        """Return the current relevance of `entry`: relevance·(1-rate)^minutes."""
        rate = self._blackboard.policy(entry.scope).decay_per_min
        return decayed_relevance(entry, self._blackboard.game_s, rate)

    def prune(self, scope: str, threshold: float | None = None) -> int:
        """Return the number of entries removed from `scope` because their relevance was below `threshold`."""
        limit = self._blackboard.policy(scope).prune_below if threshold is None else threshold
        pruned = [
            entry
            for entry in self._blackboard.entries(scope)
            if not self._is_lasting(entry) and self.relevance(entry) < limit
        ]
        for entry in pruned:
            if entry.importance >= ARCHIVE_FROM and self._archive is not None:
                self._archive(entry, "pruned")
        return self._blackboard.forget(scope, keys={each.key for each in pruned})

    def deduplicate(self, scope: str, threshold: float | None = None) -> int:
        """Return the number of entries of `scope` merged into a similar entry.

        The most trusted entry stays; of equals the one that lives longest, then the newest. It gets the highest importance
        and utility of the group, and all tags and evidence. Closed entries are ignored.
        """
        limit = self._blackboard.policy(scope).similar if threshold is None else threshold
        entries = self._blackboard.entries(scope)
        candidates = [each for each in entries if not each.closed and not self._is_lasting(each)]
        merged = 0
        for group in similar_groups(candidates, limit):
            if len(group) > 1:
                self._merge(group)
                merged += len(group) - 1
        return merged

    def reindex(self) -> int:
        """Return the number of entries in the rebuilt word index."""
        return 0 if self._reindex is None else self._reindex()

    def to_json(self) -> dict[str, Json]:
        """Return when each scope was last maintained."""
        return dict(self._maintained_s)

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from the saved times."""
        self._maintained_s = dict(data)

    def _is_lasting(self, entry: Entry) -> bool:
        policy = self._blackboard.kinds.get(entry.kind)
        return policy is not None and (policy.lasting or policy.key is not None)

    def _merge(self, group: list[Entry]) -> None:
        blackboard = self._blackboard
        remaining = max(group, key=_merge_rank)
        others = [each for each in group if each is not remaining]
        links = dict.fromkeys(key for each in group for key in each.sources)
        links.update(dict.fromkeys(each.key for each in others))
        blackboard.revise(
            remaining,
            importance=max(each.importance for each in group),
            utility=max(each.utility for each in group),
            tags=remaining.tags.union(*(each.tags for each in others)),
            sources=tuple(links)[-MAX_SOURCES:],
        )
        blackboard.forget(remaining.scope, keys={each.key for each in others})


def _merge_rank(entry: Entry) -> tuple[float, ...]:
    return TRUST[entry.status], inf if entry.expires_s is None else entry.expires_s, entry.seq
