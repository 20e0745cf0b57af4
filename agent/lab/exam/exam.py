"""An exam: games played one after the other with one memory, and after each a paper for two examinees.

After each game its recorded steps are driven again and work RAM is read at every tick: that is where the right answers
come from. Questions are put as typed forms to an examinee with the memory that the run left, and to one with an empty
memory and the last state of the game. Grading is exact. The questions are of kinds that were written together with what
memory keeps for them: they hold memory to what it promises, and do not measure whether it understands words.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from agent.app import Interrupt, Settings, Stop, play_run
from agent.app.play import NoViewer
from agent.errors import RunError
from agent.lab.exam.examinee import Examinee, Glimpse, forgetful, notebook
from agent.lab.exam.paper import OF_EACH, paper
from agent.lab.exam.question import (
    Exactly,
    ExamAnswer,
    ExamMark,
    ExamQuestion,
    ExamScore,
    Expected,
    QuestionKind,
    Unknown,
    Within,
)
from agent.lab.exam.truth import CartridgeNames, GameTruth, truth_of
from agent.lab.publish import Findings
from agent.story import Story
from agent.tools.replay import moments
from emulator import Cartridge, Dex, PyBoyConsole
from memory import read_knowledge_store, read_run

FINISHED = frozenset({Stop.GOAL, Stop.TICKS})


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """One game: the folder of its run, memory as it was when it had ended, and what really happened."""

    run: Path
    memory: Path
    truth: GameTruth


def record(
    cartridge: Cartridge,
    seeds: Sequence[int],
    home: Path,
    *,
    until: str | None = None,
) -> Iterator[RecordedGame]:
    """Yield the game of each seed, which was taught by those before it; all is kept in the folder `home`."""
    memory = home / "memory.sqlite"
    for seed in seeds:
        run, after = home / f"run-{seed}", home / f"memory-{seed}.sqlite"
        settings = Settings(rom=cartridge.path, until=until, seed=seed, run=run, memory=memory)
        summary = play_run(settings, NoViewer(), Interrupt())
        if summary.stop not in FINISHED:
            message = f"the game of seed {seed} did not end well: {summary.stop.value}"
            raise RunError(message)
        with closing(read_knowledge_store(memory)) as knowledge:
            knowledge.backup(after)
        yield RecordedGame(run, after, _truth(cartridge, run, seed))


def _truth(cartridge: Cartridge, run: Path, seed: int) -> GameTruth:
    with closing(read_run(run)) as folder, closing(PyBoyConsole(cartridge)) as console:
        story, dex = Story.of(cartridge.kind), Dex.of(cartridge)
        driven = moments(folder.store, console)
        return truth_of(driven, story, dex, run=folder.store.run_id, seed=seed)


GOAL: Final = "first_badge"  # of the games whose paper is sat
SEED: Final = 0  # of the choice of questions, with the number of the paper


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question, and what each examinee said to it."""

    question: ExamQuestion
    remembering: ExamAnswer | None
    forgetful: ExamAnswer | None


@dataclass(slots=True)
class ExamResults:
    """All papers together; `papers` are in the order of the games."""

    papers: list[list[AnsweredQuestion]] = field(default_factory=list)
    remembering: ExamScore = field(default_factory=ExamScore)
    forgetful: ExamScore = field(default_factory=ExamScore)

    def add(self, answered: list[AnsweredQuestion]) -> None:
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
) -> ExamResults:
    """Return how both did in one paper a game; nothing of the games is left behind."""
    results = ExamResults()
    with TemporaryDirectory(prefix="exam-") as home:
        before: list[GameTruth] = []
        for game in record(cartridge, seeds, Path(home), until=until):
            before.append(game.truth)
            results.add(sit(cartridge, game, before, of_each))
            done(1)
    return results


def sit(
    cartridge: Cartridge, game: RecordedGame, truths: Sequence[GameTruth], of_each: int = OF_EACH
) -> list[AnsweredQuestion]:
    """Return the paper on the last of `truths`, which is that of `game`, with both examinees' answers."""
    story, dex = Story.of(cartridge.kind), Dex.of(cartridge)
    chance = Random(f"{SEED}/{len(truths)}/{game.truth.seed}")
    questions = paper(truths, CartridgeNames.of(story, dex), chance, of_each)
    with TemporaryDirectory(prefix="exam-") as home, _examinees(cartridge, game, Path(home)) as two:
        one, other = two
        return [AnsweredQuestion(q, one.answer(q.form), other.answer(q.form)) for q in questions]


@contextmanager
def _examinees(
    cartridge: Cartridge, game: RecordedGame, home: Path
) -> Iterator[tuple[Examinee, Examinee]]:
    glimpse = Glimpse(game.truth.last, Story.of(cartridge.kind), Dex.of(cartridge))
    with (
        notebook(game.run, game.memory, home) as notes,
        forgetful(game.truth.run, home) as blank,
    ):
        yield Examinee(notes), Examinee(blank, glimpse)


MARKS: Final = (
    ExamMark.RIGHT,
    ExamMark.ABSTAINED_RIGHTLY,
    ExamMark.ABSTAINED_WRONGLY,
    ExamMark.WRONG,
)


def exam_findings(cartridge: str, results: ExamResults) -> Findings:
    """Return the marks of both examinees, and every question with what was said to it."""
    sides = {"with": results.remembering, "without": results.forgetful}
    kinds = [kind for kind in QuestionKind if results.remembering.count([kind])]
    table = [
        {
            "kind": name,
            "questions": results.remembering.count(these),
            **{
                f"{who}: {mark.value}": score.total(these)[mark]
                for who, score in sides.items()
                for mark in MARKS
            },
            **{f"{who}: points": score.points(these) for who, score in sides.items()},
        }
        for name, these in (
            *((kind.value, (kind,)) for kind in kinds),
            ("all", tuple(QuestionKind)),
        )
    ]
    figures = {
        "papers": [len(paper) for paper in results.papers],
        **{who: _figures(score) for who, score in sides.items()},
    }
    rows = [
        {
            "paper": number,
            "kind": each.question.kind.value,
            "question": each.question.words,
            "right": _expected(each.question.expected),
            "with": _said(each.remembering),
            "without": _said(each.forgetful),
        }
        for number, paper in enumerate(results.papers, start=1)
        for each in paper
    ]

    def draw() -> bytes:
        from agent.lab.plots import stacks_plot

        panels = {
            f"{who} memory": {
                kind.value: {mark.value: score.marks[kind][mark] for mark in MARKS}
                for kind in kinds
            }
            for who, score in sides.items()
        }
        return stacks_plot(panels, "questions")

    title = f"bench exam: {cartridge}, {len(results.papers)} papers"
    return Findings(title, figures, [table], rows, draw)


def _figures(score: ExamScore) -> dict[str, Any]:
    return {
        "answered_rightly": round(score.answered.share, 4),
        "not_abstained_from": round(score.spoke.share, 4),
        "abstained_rightly": round(score.abstained.share, 4),
        "trapped": score.trapped,
        "points": score.points(),
        "questions": score.count(),
        "kinds": {
            kind.value: {each.value: score.marks[kind][each] for each in ExamMark}
            for kind in QuestionKind
        },
    }


def _expected(expected: Expected) -> str:
    match expected:
        case Exactly(value):
            return _said(value)
        case Within(first, last):
            return f"{first} to {last}"
        case Unknown():
            return "I do not know"


def _said(answer: ExamAnswer | None) -> str:
    match answer:
        case None:
            return "I do not know"
        case frozenset():
            return ", ".join(sorted(answer))
        case tuple():
            return ", then ".join(answer)
        case _:
            return str(answer)
