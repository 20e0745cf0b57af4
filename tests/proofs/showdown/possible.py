"""Whether the turn engine can do what Showdown did in a turn, found by playing the turn again and again.

A turn is possible when a sample is equal in every column that is not an amount, and each amount (HP, what a substitute or
Bide holds) occurs among such samples. Both amounts at once would take some 1,500 samples for each class of outcomes.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tests.proofs.showdown.positions import Rows, Translator
from tests.proofs.showdown.steps import Step

SIZES: Final = (48, 400, 4_000, 40_000)  # of samples, each when the one before was not enough
AMOUNTS: Final = ("hp", "substitute", "bide_damage")
FAR: Final = 1_000  # a column that is not an amount counts for so many that are

Play: TypeAlias = Callable[[NDArray[np.void], Step], None]  # a step of many copies, in place


class Verdict(NamedTuple):
    """Whether a step is possible, and the columns in which the most similar sample differs if it is not."""

    possible: bool
    samples: int
    differs: tuple[str, ...] = ()
    nearest: tuple[int, ...] = ()


class Possible:
    """Judges steps by playing them on the turn engine."""

    def __init__(self, translator: Translator, play: Play) -> None:
        self._translator, self._play = translator, play
        names = [translator.columns.names[at] for at in translator.compared]
        self.names = names
        self.amounts = np.array([name.rpartition(".")[2] in AMOUNTS for name in names])

    def samples(self, step: Step, count: int, seed: int) -> Rows:
        """Return the compared columns after `count` plays of a step."""
        positions = np.repeat(self._translator.positions(step.before[np.newaxis]), count)
        positions["seed"] = seed + np.arange(count)
        self._play(positions, step)
        return self._translator.seen(positions)

    def verdict(self, step: Step, seed: int) -> Verdict:
        """Judge one step."""
        wanted = self._translator.expected(step.after[np.newaxis])[0]
        found = np.zeros(int(self.amounts.sum()), bool)
        total, fewest, nearest = 0, len(wanted) * FAR, wanted
        for size in SIZES:
            samples = self.samples(step, size, seed + total)
            total += size
            classes = self.classes(samples) == self.classes(wanted[np.newaxis])
            alike = classes.all(axis=1)
            amounts = samples[alike][:, self.amounts] == wanted[self.amounts]
            found |= amounts.any(axis=0)
            if found.all():
                return Verdict(possible=True, samples=total)
            differences = (samples != wanted).sum(axis=1) + FAR * (~classes).sum(axis=1)
            at = int(differences.argmin())
            if differences[at] < fewest:
                fewest, nearest = int(differences[at]), samples[at]
        missing = {name for name, is_found in zip(np.array(self.names)[self.amounts], found, strict=True) if not is_found}
        class_columns = self.classes(nearest[np.newaxis])[0] != self.classes(wanted[np.newaxis])[0]
        if class_columns.any():
            differs = tuple(np.array(self.names)[nearest != wanted])
        else:
            differs = tuple(sorted(missing))
        return Verdict(False, total, tuple(map(str, differs)), tuple(map(int, nearest)))

    def classes(self, samples: Rows) -> Rows:
        """Return samples with amounts reduced to whether there is any."""
        return np.where(self.amounts, samples > 0, samples)
