"""Written facts about the game, how often each was seen to hold or fail, and the base of their watchers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from emulator import Button, Ram, State
from emulator.profile import symbol

EXAMPLES: Final = 3  # of what contradicts one fact
MAP: Final = symbol("wCurMap")
Y: Final = symbol("wYCoord")
X: Final = symbol("wXCoord")


class Fact(NamedTuple):
    """A sentence of ours about the game; `reference` is where it is written, with the words to look for there."""

    id: str
    says: str
    reference: str

    @property
    def topic(self) -> str:
        """What it is about: the part of its id before the dot."""
        return self.id.partition(".")[0]


class Contradiction(NamedTuple):
    """One time that the game did otherwise: where and when, and what was seen instead."""

    map_id: int
    x: int
    y: int
    tick: int
    frame: int
    seen: str

    @property
    def where(self) -> str:
        """The moment in words."""
        return f"map {self.map_id} at ({self.x},{self.y}), tick {self.tick}, frame {self.frame:,}"


@dataclass(slots=True)
class FactTally:
    """How one fact has fared so far."""

    fact: Fact
    held: int = 0
    broken: int = 0
    examples: list[Contradiction] = field(default_factory=list)


class FactLog:
    """Where whoever watches writes down what held and what did not."""

    def __init__(self) -> None:
        self.tick = 0  # of play, for what is written down next
        self.tallies: dict[str, FactTally] = {}
        self._wrong: list[FactTally] = []

    def learn(self, facts: Iterable[Fact]) -> None:
        """Take up facts that nothing is known of yet."""
        self.tallies |= {fact.id: FactTally(fact) for fact in facts}

    @property
    def wrong(self) -> tuple[FactTally, ...]:
        """The facts that were contradicted, in the order in which that was first seen."""
        return tuple(self._wrong)

    def holds(self, fact: Fact, times: int = 1) -> None:
        """Note that a fact was seen to hold."""
        self.tallies[fact.id].held += times

    def fails(self, fact: Fact, seen: str, ram: Ram, frame: int) -> None:
        """Note that the game did otherwise at the moment that `ram` shows, and what was seen."""
        tally = self.tallies[fact.id]
        if not tally.broken:
            self._wrong.append(tally)
        tally.broken += 1
        if len(tally.examples) < EXAMPLES:
            here = Contradiction(ram.byte(MAP), ram.byte(X), ram.byte(Y), self.tick, frame, seen)
            tally.examples.append(here)

    def judge(self, fact: Fact, seen: str | None, ram: Ram, frame: int) -> None:
        """Note what a look has found: None where the fact held, else what was seen instead."""
        if seen is None:
            self.holds(fact)
        else:
            self.fails(fact, seen, ram, frame)


class Onlooker:
    """A watcher that looks at nothing."""

    facts: Sequence[Fact] = ()

    def __init__(self, notebook: FactLog) -> None:
        self.notebook = notebook

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Look away."""

    def moment(self, state: State) -> None:
        """Look away."""

    def begin_anew(self) -> None:
        """Have nothing to forget."""
