"""Whether the turn engine can do what Showdown did in a turn, found by playing the turn again and again.

A turn is possible when a sample is equal in every column that is not an amount, and each amount (HP, what a substitute or
Bide holds) occurs among such samples. Both amounts at once would take some 1,500 samples for each class of outcomes.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tests.proofs.showdown.positions import Rows, Translator
from tests.proofs.showdown.steps import Step

SIZES: Final = (48, 400, 4_000, 20_000, 20_000)  # of samples, each when those before are too few
RARE: Final = (20_000,) * 10  # for what no known difference explains
AMOUNTS: Final = ("hp", "substitute", "bide_damage")
FAR: Final = 1_000  # a column that is not an amount counts for so many that are

Play: TypeAlias = Callable[[NDArray[np.void], Step], None]  # a step of many copies, in place


class Verdict(NamedTuple):
    """Whether a step is possible; if not, the columns in which the most similar sample differs, and their values."""

    possible: bool
    samples: int
    differs: tuple[str, ...] = ()
    nearest: tuple[int, ...] = ()


class Possible:
    """Judges steps by playing them on the turn engine."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self.names = [translator.columns.names[at] for at in translator.compared]
        self.amounts = np.array([name.rpartition(".")[2] in AMOUNTS for name in self.names])

    def samples(self, step: Step, play: Play, count: int, seed: int) -> Rows:
        """Return the compared columns after `count` plays of a step."""
        positions = np.repeat(self._translator.positions(step.before[np.newaxis]), count)
        positions["seed"] = seed + np.arange(count)
        play(positions, step)
        return self._translator.seen(positions)

    def expected(self, rows: Rows) -> Rows:
        """Return the compared columns of Showdown's rows."""
        return self._translator.expected(rows)

    def verdict(self, step: Step, play: Play, seed: int, sizes: Sequence[int] = SIZES) -> Verdict:
        """Judge one step by at most as many samples as all sizes together."""
        wanted = self.expected(step.after[np.newaxis])[0]
        wanted_class = self.classes(wanted)
        found = np.zeros(int(self.amounts.sum()), bool)
        total, fewest, nearest = 0, len(wanted) * FAR, wanted
        for size in sizes:
            samples = self.samples(step, play, size, seed + total)
            total += size
            others = (self.classes(samples) != wanted_class).sum(axis=1)
            alike = samples[others == 0][:, self.amounts]
            found |= (alike == wanted[self.amounts]).any(axis=0)
            if found.all():
                return Verdict(possible=True, samples=total)
            distances = (samples != wanted).sum(axis=1) + FAR * others
            if distances.min() < fewest:
                fewest, nearest = int(distances.min()), samples[int(distances.argmin())]
        differ = nearest != wanted
        if fewest < FAR:  # each amount alone was found or not
            differ[self.amounts] = ~found
        differs = tuple(name for name, it_does in zip(self.names, differ, strict=True) if it_does)
        return Verdict(False, total, differs, tuple(map(int, nearest)))

    def classes(self, samples: Rows) -> Rows:
        """Return samples with amounts reduced to whether there is any."""
        return np.where(self.amounts, samples > 0, samples)
