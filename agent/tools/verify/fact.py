"""Written facts about the game, how often each was seen to hold or fail, and the base of their watchers.

The sentences are in `facts.toml`, each with the place where it is written.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from emulator import Button, Dex, Ram, State, World
from emulator.profile import symbol
from emulator.ram.party import MoveSlot

MOST_UP: Final = 7  # PP of a PP Up
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
    """A sentence of ours about the game; `reference` is where it is written, with the words to look for there."""

    id: str
    says: str
    reference: str

    @property
    def topic(self) -> str:
        """What it is about: the part of its id before the dot."""
        return self.id.partition(".")[0]


@cache
def written_facts() -> Mapping[str, Fact]:
    """Return every written fact by its id, in the order in which they are reported."""
    text = (files("agent.tools.verify") / "facts.toml").read_text(encoding="utf-8")
    return {name: Fact(name, **row) for name, row in tomllib.loads(text).items()}


class FactStatus(Enum):
    """What is known of a fact."""

    HELD = "held"
    WRONG = "wrong"
    NOT_SEEN = "not seen"


class Deviation(NamedTuple):
    """One time that a fact did not hold: where, if anywhere in the game, and what was seen instead."""

    where: str
    map_id: int | None
    tick: int | None
    frame: int | None
    seen: str


@dataclass(slots=True)
class FactRow:
    """A fact, how often it held and did not, and the first deviations."""

    fact: Fact
    held: int = 0
    broken: int = 0
    findings: list[Deviation] = field(default_factory=list)

    @property
    def standing(self) -> FactStatus:
        """What is known of it now."""
        if self.broken:
            return FactStatus.WRONG
        return FactStatus.HELD if self.held else FactStatus.NOT_SEEN

    @property
    def words(self) -> str:
        """What was wrong, in one line."""
        first = self.findings[0]
        return f"{self.fact.id} ({self.fact.reference}): {first.seen}; {first.where}"

    def as_json(self) -> Mapping[str, Any]:
        """Return it in plain JSON types."""
        return {
            **self.fact._asdict(),
            "standing": self.standing.value,
            "held": self.held,
            "broken": self.broken,
            "findings": [each._asdict() for each in self.findings],
        }


class FactLog:
    """All written facts and `more`, by their ids, and how each has fared so far in one game.

    `wrong` are those contradicted, in order.
    """

    def __init__(self, more: Iterable[Fact] = ()) -> None:
        self.tick = 0  # of play, for what is noted next
        self.rows = {fact.id: FactRow(fact) for fact in (*written_facts().values(), *more)}
        self.wrong: list[FactRow] = []

    def holds(self, fact: str) -> None:
        """Note that a fact was seen to hold."""
        self.rows[fact].held += 1

    def fails(self, fact: str, seen: str, ram: Ram, frame: int) -> None:
        """Note what the game did instead at the moment that `ram` shows."""
        row = self.rows[fact]
        if not row.broken:
            self.wrong.append(row)
        row.broken += 1
        if len(row.findings) < EXAMPLES:
            map_id, x, y = ram.byte(MAP), ram.byte(X), ram.byte(Y)
            where = f"map {map_id} at ({x},{y}), tick {self.tick}, frame {frame:,}"
            row.findings.append(Deviation(where, map_id, self.tick, frame, seen))

    def judge(self, fact: str, seen: str | None, ram: Ram, frame: int) -> None:
        """Note the result of a look: None where the fact held, else what was seen instead."""
        if seen is None:
            self.holds(fact)
        else:
            self.fails(fact, seen, ram, frame)

    def judge_all(self, looks: Mapping[str, str | None], ram: Ram, frame: int) -> None:
        """Note the results of several looks at one moment."""
        for fact, seen in looks.items():
            self.judge(fact, seen, ram, frame)


class FactSource:
    """The base of watchers and trials: the log of what they judge, and the cartridge's tables."""

    def __init__(self, log: FactLog, world: World, dex: Dex) -> None:
        self.log = log
        self.world = world
        self.dex = dex
        self.reset()

    def reset(self) -> None:
        """Forget everything seen so far: what comes next does not follow it."""

    def most_pp(self, move: MoveSlot) -> int:
        """Return the PP of a move that is whole; of a number that is no move's, what it has."""
        known = self.dex.all_moves.get(move.move)
        base = known.pp if known is not None else move.pp
        return base + move.pp_ups * min(base // 5, MOST_UP)


class FactWatcher(FactSource):
    """Looks at every frame and step of play; this base looks at nothing."""

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Look at one frame that has passed with `button` down."""

    def moment(self, state: State) -> None:
        """Look at the moment after a step."""
