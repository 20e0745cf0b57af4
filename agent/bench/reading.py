"""How well and how fast text is read from pixels."""

from collections.abc import Sequence
from statistics import fmean
from time import perf_counter

from agent.bench.figures import Reading, Spread
from agent.bench.screens import Sample
from emulator import TextReader, accuracy


def read_all(samples: Sequence[Sample], reader: TextReader) -> Reading:
    """Return how `reader` does on at least one sample; the rows that the tile map holds are right."""
    shares, times = [], []
    for screen, rows in samples:
        start = perf_counter()
        read = reader.read(screen)
        times.append((perf_counter() - start) * 1_000)
        shares.append(accuracy(rows, read).share)
    return Reading(len(samples), fmean(shares), shares.count(1.0), Spread.of(times))


def some(samples: Sequence[Sample], wanted: int) -> Sequence[Sample]:
    """Return so many samples at most, from all over them."""
    return samples[:: -(-len(samples) // wanted)] if samples else ()
