"""An exam: after each recorded game a paper about it is put to whoever has its memory, and to whoever has none."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from agent.capabilities import Story
from agent.exam.choosing import OF_EACH, paper
from agent.exam.examinee import Examinee, Glimpse
from agent.exam.grading import Score
from agent.exam.notebook import forgetful, notebook
from agent.exam.question import Answer, Question
from agent.exam.recording import Recorded, record
from agent.exam.there import There
from agent.exam.truth import Truth
from emulator import Cartridge, Dex

GOAL: Final = "first_badge"  # of the games whose paper is sat
SEED: Final = 0  # of the choice of questions, with the number of the paper


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and what each examinee said to it."""

    question: Question
    remembering: Answer | None
    forgetful: Answer | None


@dataclass(slots=True)
class Results:
    """All papers together; `papers` are in the order of the games."""

    papers: list[list[Answered]] = field(default_factory=list)
    remembering: Score = field(default_factory=Score)
    forgetful: Score = field(default_factory=Score)

    def add(self, answered: list[Answered]) -> None:
        """Take in one paper."""
        self.papers.append(answered)
        for each in answered:
            self.remembering.add(each.question, each.remembering)
            self.forgetful.add(each.question, each.forgetful)


def examine(
    cartridge: Cartridge,
    seeds: Sequence[int],
    *,
    until: str = GOAL,
    of_each: int = OF_EACH,
    done: Callable[[int], object] = lambda _more: None,
) -> Results:
    """Return how both did in one paper a game; nothing of the games is left behind."""
    results = Results()
    with TemporaryDirectory(prefix="exam-") as home:
        before: list[Truth] = []
        for game in record(cartridge, seeds, Path(home), until=until):
            before.append(game.truth)
            results.add(sit(cartridge, game, before, of_each))
            done(1)
    return results


def sit(
    cartridge: Cartridge, game: Recorded, truths: Sequence[Truth], of_each: int = OF_EACH
) -> list[Answered]:
    """Return the paper on the last of `truths`, which is that of `game`, with both examinees' answers."""
    story, dex = Story.of(cartridge.kind), Dex.of(cartridge)
    chance = Random(f"{SEED}/{len(truths)}/{game.truth.seed}")
    questions = paper(truths, There.of(story, dex), chance, of_each)
    with TemporaryDirectory(prefix="exam-") as home, _examinees(cartridge, game, Path(home)) as two:
        one, other = two
        return [Answered(q, one.answer(q.form), other.answer(q.form)) for q in questions]


@contextmanager
def _examinees(
    cartridge: Cartridge, game: Recorded, home: Path
) -> Iterator[tuple[Examinee, Examinee]]:
    glimpse = Glimpse(game.truth.last, Story.of(cartridge.kind), Dex.of(cartridge))
    with (
        notebook(game.run, game.memory, home) as notes,
        forgetful(game.truth.run, home) as blank,
    ):
        yield Examinee(notes), Examinee(blank, glimpse)
