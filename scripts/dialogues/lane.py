"""Life after life on one file, until there were enough turns and enough kills."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from dialogues.life import Aim, Fate, Life, live
from dialogues.truth import Truth
from memory.conversation.conversation import open_conversations

WHOLE_EVERY: Final = 250  # lives after which all of the file is looked at
STATEMENTS: Final = 250
MOMENTS_MS: Final = 150
LAST_TURNS: Final = 500  # of a life that nobody kills


@dataclass
class Told:
    """What came of all lives."""

    turns: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    together: int = 0
    problems: list[str] = field(default_factory=list)
    saw: list[tuple[int, int, int]] = field(default_factory=list)
    took: list[float] = field(default_factory=list)

    @property
    def killed(self) -> int:
        """How many lives were killed."""
        return sum(self.kills.values())


def killed_again_and_again(
    path: Path, seed: int, turns: int, kills: int, together: float = 0.0
) -> Iterator[Told]:
    """Yield what came of the lives so far, after each; `together` is the share of times that two are on one file."""
    chance, told, truth = Random(seed), Told(), Truth(path)
    count = 0
    open_conversations(
        path
    ).close()  # there is a file to look into, however early the first life ends
    while told.turns < turns or told.killed < kills:
        starts = [(told.turns, _fate(chance, left=turns - told.turns, kills=kills - told.killed))]
        if starts[0][1].aim is not Aim.NEVER and chance.random() < together:
            starts.append((told.turns + 50_000, _fate(chance, left=turns, kills=kills)))
            told.together += 1
        lives = live(path, seed, starts)
        count += 1
        for life in lives:
            _add(told, life)
        told.problems += truth.problems(lives, whole=count % WHOLE_EVERY == 0)
        yield told
    told.problems += truth.problems([], whole=True)
    yield told


def _fate(chance: Random, *, left: int, kills: int) -> Fate:
    if kills <= 0:
        return Fate(Aim.NEVER, 0, max(1, min(left, LAST_TURNS)))
    aim = chance.choices((Aim.STATEMENT, Aim.MOVE, Aim.INSTANT), (60, 12, 28))[0]
    most = {Aim.STATEMENT: STATEMENTS, Aim.MOVE: 6, Aim.INSTANT: MOMENTS_MS}[aim]
    return Fate(aim, chance.randrange(most), LAST_TURNS)


def _add(told: Told, life: Life) -> None:
    begun = told.turns
    told.turns += life.turns
    if life.was_killed:
        told.kills[life.fate.aim.value] += 1
    told.saw += [(begun + at - life.first, messages, seen) for at, messages, seen in life.saw]
    told.took += life.took
