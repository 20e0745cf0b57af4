"""Written facts about the game, the counts of how often each held or failed, and the base class of watchers.

The sentences are in `facts.toml`, each with its reference.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from agent.story.story import Story
from emulator import Button, Dex, Ram, State, World, symbol
from emulator.ram import MoveSlot
from emulator.rules import full_pp

EXAMPLES: Final = 3  # deviations kept for each fact
MAP: Final = symbol("wCurMap")
Y: Final = symbol("wYCoord")
X: Final = symbol("wXCoord")
IN_BATTLE: Final = symbol("wIsInBattle")
COUNTER: Final = symbol("wWalkCounter")
FACING: Final = symbol("wSpritePlayerStateData1FacingDirection")
MOVEMENT: Final = symbol("wMovementFlags")
JOY_IGNORE: Final = symbol("wJoyIgnore")


class Fact(NamedTuple):
    """A written statement about the game; `reference` is where it is documented, with words to search for."""

    id: str
    statement: str
    reference: str

    @property
    def topic(self) -> str:
        """The topic: the part of its id before the dot."""
        return self.id.partition(".")[0]


@cache
def written_facts() -> Mapping[str, Fact]:
    """Return every written fact by its id, in report order."""
    text = (files("agent.tools.verify") / "facts.toml").read_text(encoding="utf-8")
    return {name: Fact(name, **row) for name, row in tomllib.loads(text).items()}


class FactStatus(Enum):
    """The status of a fact."""

    HELD = "held"
    WRONG = "wrong"
    NOT_SEEN = "not seen"


class Deviation(NamedTuple):
    """One time that a fact did not hold: the place in the game, if any, and what was seen instead."""

    where: str
    map_id: int | None
    tick: int | None
    frame: int | None
    seen: str


@dataclass(slots=True)
class FactRow:
    """A fact, the counts of how often it held and failed, and its first deviations."""

    fact: Fact
    held: int = 0
    broken: int = 0
    findings: list[Deviation] = field(default_factory=list)

    @property
    def standing(self) -> FactStatus:
        """The current status."""
        if self.broken:
            return FactStatus.WRONG
        return FactStatus.HELD if self.held else FactStatus.NOT_SEEN

    @property
    def words(self) -> str:
        """The first deviation in one line."""
        first = self.findings[0]
        return f"{self.fact.id} ({self.fact.reference}): {first.seen}; {first.where}"

    def as_json(self) -> Mapping[str, Any]:
        """Return the row in plain JSON types."""
        return {
            **self.fact._asdict(),
            "standing": self.standing.value,
            "held": self.held,
            "broken": self.broken,
            "findings": [each._asdict() for each in self.findings],
        }


class FactLog:
    """All written facts and `more`, by id, with their results so far in one game.

    `wrong` lists the contradicted facts in order.
    """

    def __init__(self, more: Iterable[Fact] = ()) -> None:
        self.tick = 0  # the tick of play, for the next result
        self.rows = {fact.id: FactRow(fact) for fact in (*written_facts().values(), *more)}
        self.wrong: list[FactRow] = []

    def holds(self, fact: str) -> None:
        """Record that a fact held."""
        self.rows[fact].held += 1

    def fails(self, fact: str, seen: str, ram: Ram, frame: int) -> None:
        """Record what the game did instead, at the place that `ram` shows."""
        map_id, x, y = ram.byte(MAP), ram.byte(X), ram.byte(Y)
        where = f"map {map_id} at ({x},{y}), tick {self.tick}, frame {frame:,}"
        self.add(fact, Deviation(where, map_id, self.tick, frame, seen))

    def add(self, fact: str, deviation: Deviation) -> None:
        """Record a deviation, which may be one of the cartridge's tables."""
        row = self.rows[fact]
        if not row.broken:
            self.wrong.append(row)
        row.broken += 1
        if len(row.findings) < EXAMPLES:
            row.findings.append(deviation)

    def record(self, fact: str, seen: str | None, ram: Ram, frame: int) -> None:
        """Record the result of a check: None when the fact held, else what was seen instead."""
        if seen is None:
            self.holds(fact)
        else:
            self.fails(fact, seen, ram, frame)

    def record_all(self, checks: Mapping[str, str | None], ram: Ram, frame: int) -> None:
        """Record the results of several checks at one frame."""
        for fact, seen in checks.items():
            self.record(fact, seen, ram, frame)


class FactSource:
    """The base class of watchers and trials: the log of results, the tables of the cartridge, and its story."""

    def __init__(self, log: FactLog, world: World, dex: Dex, story: Story) -> None:
        self.log = log
        self.world = world
        self.dex = dex
        self.story = story
        self.reset()

    def reset(self) -> None:
        """Forget everything seen so far, because the next frame does not follow it."""

    def max_pp(self, move: MoveSlot) -> int:
        """Return the maximum PP of a move; for an unknown move, its current PP."""
        known = self.dex.all_moves.get(move.move)
        base = known.pp if known is not None else move.pp
        return full_pp(base, move.pp_ups)


class FactWatcher(FactSource):
    """A check of every frame and step of play; this base class checks nothing."""

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Check one frame that has passed with `button` down."""

    def after_step(self, state: State) -> None:
        """Check the state after a step."""
