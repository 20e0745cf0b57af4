"""The memory exam on three short recorded games: a memory answers, and without memory almost nothing is known."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from agent.story.story import Story
from emulator import Dex, State, demo_cartridge_path, load_cartridge
from memory import read_run
from tests.agent.support import game_at
from tests.proofs.exam.exam import Paper, RecordedGame, answer_paper, record, scores
from tests.proofs.exam.memory_answers import READERS, ExamMemory, open_exam_memory, recall
from tests.proofs.exam.paper import paper
from tests.proofs.exam.question import (
    ExamAnswer,
    ExamMark,
    ExamQuestion,
    ExamScore,
    Expected,
    QuestionKind,
    QuestionTopic,
    mark,
)
from tests.proofs.exam.truth import CartridgeNames, FightOutcome, GameTruth
from tests.proofs.recorded_truth import sentences_after
from tests.proofs.sentences import SENTENCES

CARTRIDGE = load_cartridge(demo_cartridge_path())
STORY, DEX = Story.of(CARTRIDGE.kind), Dex.of(CARTRIDGE)
SEEDS = (119, 102, 501)  # the first game loses two battles, each has the memory of those before
UNTIL = "second_town"
ENOUGH = 0.9


class ExamResult(NamedTuple):
    """The games and their exam."""

    games: list[RecordedGame]
    papers: list[Paper]
    scores: dict[str, ExamScore]


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> ExamResult:
    games = list(record(CARTRIDGE, SEEDS, tmp_path_factory.mktemp("games"), until=UNTIL))
    truths = [game.truth for game in games]
    papers = [answer_paper(CARTRIDGE, game, truths[:at]) for at, game in enumerate(games, 1)]
    return ExamResult(games, papers, scores(papers))


@pytest.fixture
def truth(exam: ExamResult) -> GameTruth:
    return exam.games[0].truth


@pytest.fixture
def notes(exam: ExamResult, tmp_path: Path) -> Iterator[ExamMemory]:
    with open_exam_memory(exam.games[-1].run, exam.games[-1].memory, tmp_path) as notes:
        yield notes


def test_memory_answers_nine_of_ten_questions_right(exam: ExamResult) -> None:
    figures = exam.scores["with"].figures()
    assert all(len(each) >= 60 for each in exam.papers)
    assert figures["answered_rightly"] >= ENOUGH
    assert figures["questions"] - figures["kinds"]["what never was"]["abstained rightly"] > 60


def test_every_sentence_of_memory_is_what_the_recordings_show(
    exam: ExamResult, tmp_path: Path
) -> None:
    kinds, false = sentences_after(exam.games, tmp_path)
    assert not false
    assert set(kinds) == set(SENTENCES) - {"item_owned"}  # nothing is owned so early


def test_memory_abstains_only_when_it_does_not_know(exam: ExamResult) -> None:
    figures = exam.scores["with"].figures()
    assert figures["abstained_rightly"] >= ENOUGH
    assert figures["kinds"]["what never was"]["abstained rightly"] > 36
    assert figures["not_abstained_from"] >= ENOUGH


def test_without_memory_few_questions_are_answered(exam: ExamResult) -> None:
    score = exam.scores["without"]
    assert score.figures()["answered_rightly"] < 0.2
    assert score.points() < exam.scores["with"].points() / 2


def test_each_kind_of_question_is_asked(exam: ExamResult) -> None:
    asked = [each.question for paper in exam.papers for each in paper]
    assert {each.kind for each in asked} == set(QuestionKind)


def test_every_topic_has_an_answer_reader() -> None:
    assert set(READERS) == set(QuestionTopic)


def test_the_same_games_get_the_same_paper(exam: ExamResult) -> None:
    there, truths = CartridgeNames.of(STORY, DEX), [game.truth for game in exam.games]
    one, other = (paper(truths, there, Random(7)) for _ in range(2))
    assert one == other
    assert paper(truths, there, Random(8)) != one


def test_the_truth_equals_ram(exam: ExamResult, truth: GameTruth) -> None:
    visit = truth.visits[-1]
    seen: list[State] = []

    def at_the_last_place(state: State) -> bool:
        is_there = state.in_control and STORY.place_of(state) == visit.place
        seen.extend([state] if is_there else [])
        return is_there

    with game_at(exam.games[0].run, at_the_last_place) as game:
        state = game.state
    assert seen
    assert truth.money_at(visit.tick) == state.player.money
    team = [(DEX.species(mon.species).name, mon.level) for mon in state.party.mons]
    assert truth.level_at(visit.tick) == max(level for _, level in team)
    assert truth.starter == team[0][0]


def test_the_truth_separates_blackouts_from_free_defeats(truth: GameTruth) -> None:
    lost = [fight for fight in truth.fights if fight.outcome is FightOutcome.LOST]
    assert [(fight.place, fight.blacked_out) for fight in lost] == [
        ("the lab", False),
        ("the lane", True),
    ]
    assert truth.money[-1].value < truth.money_at(lost[-1].first_tick)
    assert lost[0].opponent.startswith("BASIL")


def test_the_truth_covers_a_complete_game(exam: ExamResult) -> None:
    for game in exam.games:
        with closing(read_run(game.run)) as run:
            assert game.truth.ticks == sum(1 for _ in run.store.record.steps())
            assert len(game.truth.fights) == len(list(run.store.record.events("battle")))


def test_events_of_another_run_are_not_counted_as_own(exam: ExamResult, notes: ExamMemory) -> None:
    first, *_, second = (game.truth for game in exam.games)
    only_first = [name for name in first.met if name not in second.met]
    assert only_first
    for name in only_first:
        assert notes.recalled("opponent_met", name)  # it is known, of the other run
        form = ExamQuestion(QuestionTopic.MEETINGS, name)
        assert recall(notes, form) is None
        other_run = ExamQuestion(QuestionTopic.RUN_MEETINGS, name, run=first.run)
        assert recall(notes, other_run) == len(first.against(name))


def test_reading_a_run_does_not_change_it(exam: ExamResult, tmp_path: Path) -> None:
    game = exam.games[0]
    before = (game.run / "run.sqlite").read_bytes(), game.memory.read_bytes()
    with open_exam_memory(game.run, game.memory, tmp_path) as notes:
        assert recall(notes, ExamQuestion(QuestionTopic.HERE)) == game.truth.visits[-1].place
    assert before == ((game.run / "run.sqlite").read_bytes(), game.memory.read_bytes())


def question(expected: Expected) -> ExamQuestion:
    return ExamQuestion(QuestionTopic.MONEY, expected=expected)


@pytest.mark.parametrize(
    ("expected", "answer", "worth"),
    [
        (700, 700, ExamMark.RIGHT),
        (700, 701, ExamMark.WRONG),
        (700, None, ExamMark.ABSTAINED_WRONGLY),
        ("the lane", "the lane", ExamMark.RIGHT),
        ("the lane", "the Lane", ExamMark.WRONG),
        ("7", 7, ExamMark.WRONG),
        (1, True, ExamMark.WRONG),
        (frozenset({"a", "b"}), frozenset({"b", "a"}), ExamMark.RIGHT),
        (frozenset({"a", "b"}), frozenset({"a"}), ExamMark.WRONG),
        (("a", "b"), ("a", "b"), ExamMark.RIGHT),
        (("a", "b"), ("b", "a"), ExamMark.WRONG),
        (range(10, 21), 10, ExamMark.RIGHT),
        (range(10, 21), 21, ExamMark.WRONG),
        (range(10, 21), "10", ExamMark.WRONG),
        (range(10, 21), None, ExamMark.ABSTAINED_WRONGLY),
        (None, None, ExamMark.ABSTAINED_RIGHTLY),
        (None, 0, ExamMark.WRONG),
        (None, "", ExamMark.WRONG),
    ],
)
def test_marks_of_answers(expected: Expected, answer: ExamAnswer | None, worth: ExamMark) -> None:
    assert mark(question(expected), answer) is worth
