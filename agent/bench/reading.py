"""How well and how fast text is read from pixels."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from statistics import fmean
from time import perf_counter
from typing import TypeAlias

from agent.bench.figures import Reading, Spread
from agent.bench.screens import Sample
from emulator import Screen

Reader: TypeAlias = Callable[[Screen], str]


def read_all(samples: Sequence[Sample], reader: Reader) -> Reading:
    """Return how `reader` does on at least one sample; the text that the tile map holds is right."""
    accuracies, times = [], []
    for screen, text in samples:
        start = perf_counter()
        read = reader(screen)
        times.append((perf_counter() - start) * 1_000)
        accuracies.append(alike(text, read))
    perfect = sum(accuracy == 1.0 for accuracy in accuracies)
    return Reading(len(samples), fmean(accuracies), perfect, Spread.of(times))


def alike(text: str, read: str) -> float:
    """Return the share of characters, of whichever has more, that stand in both in the same order.

    White space counts only as the end of a word: not every reader keeps columns.
    """
    right, found = " ".join(text.split()), " ".join(read.split())
    longest = max(len(right), len(found))
    matcher = SequenceMatcher(None, right, found, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    return same / longest if longest else 1.0
