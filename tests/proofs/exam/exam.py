"""An exam: games played in sequence with one memory, and after each a set of questions, with memory and without.

After each game its recorded steps are replayed and work RAM is read at every tick, which gives the right answers.
Questions are typed forms, answered from the memory that the run left, and from only the last state of the game.
Grading is exact. The kinds of questions were written together with the kinds of memory entries: they test that memory
keeps what it promises, and do not measure whether it understands language.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeAlias

from agent.app import Interrupt, Settings, Stop, play_run
from agent.app.summary import NoViewer
from agent.errors import RunError
from agent.story.story import Story
from emulator import Cartridge, Dex, PyBoyConsole, demo_cartridge_path, load_cartridge
from memory import read_knowledge_store, read_run
from tests.proofs.exam.memory_answers import guess, open_exam_memory, recall
from tests.proofs.exam.paper import paper
from tests.proofs.exam.question import ExamAnswer, ExamQuestion, ExamScore, Expected, mark
from tests.proofs.exam.truth import CartridgeNames, GameTruth, replayed_states, truth_of
from tests.proofs.workers import Row

FINISHED = frozenset({Stop.GOAL, Stop.TICKS})


class RecordedGame(NamedTuple):
    """One game: its run folder, the memory after it, and what really happened."""

    run: Path
    memory: Path
    truth: GameTruth


def record(
    cartridge: Cartridge, seeds: Sequence[int], home: Path, *, until: str
) -> Iterator[RecordedGame]:
    """Yield the game of each seed, played with the memory of those before it; all files are in the folder `home`."""
    memory, story, dex = home / "memory.sqlite", Story.of(cartridge.kind), Dex.of(cartridge)
    for seed in seeds:
        run, after = home / f"run-{seed}", home / f"memory-{seed}.sqlite"
        settings = Settings(rom=cartridge.path, until=until, seed=seed, run=run, memory=memory)
        summary = play_run(settings, NoViewer(), Interrupt())
        if summary.stop not in FINISHED:
            message = f"the game of seed {seed} did not end well: {summary.stop.value}"
            raise RunError(message)
        with closing(read_knowledge_store(memory)) as knowledge:
            knowledge.backup(after)
        with closing(read_run(run)) as folder, closing(PyBoyConsole(cartridge)) as console:
            driven = replayed_states(folder.store, console)
            truth = truth_of(driven, story, dex, run=folder.store.run_id, seed=seed)
        yield RecordedGame(run, after, truth)


GOAL: Final = "first_badge"  # of the games of the exam
FIRST_SEED: Final = 600
ENOUGH: Final = 0.9  # of the questions of a paper, answered rightly
SEED: Final = 0  # for the choice of questions, together with the number of the paper


class AnsweredQuestion(NamedTuple):
    """A question, and its answers with memory and without."""

    question: ExamQuestion
    with_memory: ExamAnswer | None
    without_memory: ExamAnswer | None


Paper: TypeAlias = Sequence[AnsweredQuestion]


def examine(cartridge: Cartridge, seeds: Sequence[int]) -> Iterator[Paper]:
    """Yield one answered paper for each game, in order; the files of the games are removed at the end."""
    with TemporaryDirectory(prefix="exam-") as home:
        truths: list[GameTruth] = []
        for game in record(cartridge, seeds, Path(home), until=GOAL):
            truths.append(game.truth)
            yield answer_paper(cartridge, game, truths)


def answer_paper(cartridge: Cartridge, game: RecordedGame, truths: Sequence[GameTruth]) -> Paper:
    """Return the answered paper about the last of `truths`, which is that of `game`."""
    story, dex = Story.of(cartridge.kind), Dex.of(cartridge)
    chance = Random(f"{SEED}/{len(truths)}/{game.truth.seed}")
    questions = paper(truths, CartridgeNames.of(story, dex), chance)
    with (
        TemporaryDirectory(prefix="exam-") as home,
        open_exam_memory(game.run, game.memory, Path(home)) as notes,
    ):
        return [
            AnsweredQuestion(each, recall(notes, each), guess(each, game.truth.last, story, dex))
            for each in questions
        ]


def scores(papers: Iterable[Paper]) -> dict[str, ExamScore]:
    """Return the marks with memory and without."""
    found = {"with": ExamScore(), "without": ExamScore()}
    for each in chain.from_iterable(papers):
        kind = each.question.kind
        found["with"][kind, mark(each.question, each.with_memory)] += 1
        found["without"][kind, mark(each.question, each.without_memory)] += 1
    return found


def exam_job(number: int) -> Row:
    """Play two games with one memory, and return the answered papers about them."""
    seeds = (FIRST_SEED + 2 * number, FIRST_SEED + 2 * number + 1)
    papers = list(examine(load_cartridge(demo_cartridge_path()), seeds))
    right = [scores([paper])["with"].figures()["answered_rightly"] for paper in papers]
    return {
        "name": f"games {seeds[0]} and {seeds[1]}",
        "figures": {who: score.figures() for who, score in scores(papers).items()},
        "answers": [_row(each) for each in chain.from_iterable(papers)],
        "problems": [f"{share:.0%} answered rightly" for share in right if share < ENOUGH],
    }


def _row(each: AnsweredQuestion) -> Row:
    return {
        "kind": each.question.kind.value,
        "question": each.question.words,
        "right": _answer_text(each.question.expected),
        "with": _answer_text(each.with_memory),
        "without": _answer_text(each.without_memory),
    }


def _answer_text(answer: Expected) -> str:
    match answer:
        case None:
            return "I do not know"
        case range():
            return f"{answer[0]} to {answer[-1]}"
        case frozenset():
            return ", ".join(sorted(answer))
        case tuple():
            return ", then ".join(answer)
        case _:
            return str(answer)
