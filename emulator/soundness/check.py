"""An invariant of sound cartridges, and what a look at one cartridge found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from emulator.dex.dex import Dex
from emulator.world.world import World

EXAMPLES: Final = 5

# For everything looked at, what is wrong with it in words, or None.
Findings: TypeAlias = Iterable[str | None]
Look: TypeAlias = Callable[[World, Dex], Iterator[str | None]]


class Invariant(NamedTuple):
    """What holds for every sound cartridge, in words, and how to look."""

    words: str
    look: Look


@dataclass(frozen=True, slots=True)
class Check:
    """How an invariant fared: of so many things looked at, how many break it, and the first few."""

    invariant: str
    looked_at: int
    broken: int
    violations: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing breaks the invariant."""
        return not self.broken


def check(invariant: Invariant, world: World, dex: Dex) -> Check:
    """Return how a cartridge does by one invariant."""
    findings = tuple(invariant.look(world, dex))
    faults = [finding for finding in findings if finding is not None]
    return Check(
        invariant=invariant.words,
        looked_at=len(findings),
        broken=len(faults),
        violations=tuple(islice(faults, EXAMPLES)),
    )
