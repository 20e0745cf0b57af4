"""The memory exam: two short games are recorded, and what is asked of them is known to a memory and to nobody else."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from agent.lab.exam.exam import Paper, RecordedGame, record, scores, sit
from agent.lab.exam.examinee import KNOWING, ExamMemory, notebook, recall
from agent.lab.exam.paper import paper
from agent.lab.exam.question import (
    ExamAnswer,
    ExamMark,
    ExamQuestion,
    ExamScore,
    Expected,
    QuestionKind,
    QuestionTopic,
    mark,
)
from agent.lab.exam.truth import CartridgeNames, FightOutcome, GameTruth
from agent.story.story import Story
from emulator import Dex, State, demo_cartridge_path, load_cartridge
from memory import read_run
from tests.agent.support import game_at

CARTRIDGE = load_cartridge(demo_cartridge_path())
STORY, DEX = Story.of(CARTRIDGE.kind), Dex.of(CARTRIDGE)
SEEDS = (104, 102)  # who loses two fights, and who knows of it
UNTIL = "second_town"
ENOUGH = 0.9


class Sat(NamedTuple):
    """Two games and the exam on them."""

    games: list[RecordedGame]
    papers: list[Paper]
    scores: dict[str, ExamScore]


@pytest.fixture(scope="module")
def sat(tmp_path_factory: pytest.TempPathFactory) -> Sat:
    games = list(record(CARTRIDGE, SEEDS, tmp_path_factory.mktemp("games"), until=UNTIL))
    truths = [game.truth for game in games]
    papers = [sit(CARTRIDGE, game, truths[:at]) for at, game in enumerate(games, 1)]
    return Sat(games, papers, scores(papers))


@pytest.fixture
def truth(sat: Sat) -> GameTruth:
    return sat.games[0].truth


@pytest.fixture
def notes(sat: Sat, tmp_path: Path) -> Iterator[ExamMemory]:
    with notebook(sat.games[-1].run, sat.games[-1].memory, tmp_path) as notes:
        yield notes


def test_with_memory_nine_of_ten_questions_are_answered_rightly(sat: Sat) -> None:
    figures = sat.scores["with"].figures()
    assert all(len(each) >= 60 for each in sat.papers)
    assert figures["answered_rightly"] >= ENOUGH
    assert figures["questions"] - figures["kinds"]["what never was"]["abstained rightly"] > 60


def test_with_memory_it_says_when_it_does_not_know_and_only_then(sat: Sat) -> None:
    figures = sat.scores["with"].figures()
    assert figures["abstained_rightly"] >= ENOUGH
    assert figures["kinds"]["what never was"]["abstained rightly"] > 36
    assert figures["not_abstained_from"] >= ENOUGH


def test_without_memory_hardly_anything_is_known(sat: Sat) -> None:
    score = sat.scores["without"]
    assert score.figures()["answered_rightly"] < 0.2
    assert score.points() < sat.scores["with"].points() / 2


def test_each_kind_of_question_is_asked_and_has_its_answers(sat: Sat) -> None:
    asked = [each.question for paper in sat.papers for each in paper]
    assert {each.kind for each in asked} == set(QuestionKind)


def test_every_question_can_be_recalled() -> None:
    assert set(KNOWING) == set(QuestionTopic)


def test_the_same_games_get_the_same_paper(sat: Sat) -> None:
    there, truths = CartridgeNames.of(STORY, DEX), [game.truth for game in sat.games]
    one, other = (paper(truths, there, Random(7)) for _ in range(2))
    assert one == other
    assert paper(truths, there, Random(8)) != one


def test_the_truth_is_what_ram_shows(sat: Sat, truth: GameTruth) -> None:
    visit = truth.visits[-1]
    seen: list[State] = []

    def at_the_last_place(state: State) -> bool:
        is_there = state.in_control and STORY.place_of(state) == visit.place
        seen.extend([state] if is_there else [])
        return is_there

    with game_at(sat.games[0].run, at_the_last_place) as game:
        state = game.state
    assert seen
    assert truth.money_at(visit.tick) == state.player.money
    team = [(DEX.species(mon.species).name, mon.level) for mon in state.party.mons]
    assert truth.level_at(visit.tick) == max(level for _, level in team)
    assert truth.starter == team[0][0]


def test_the_truth_tells_a_defeat_that_costs_money_from_one_that_does_not(truth: GameTruth) -> None:
    lost = [fight for fight in truth.fights if fight.outcome is FightOutcome.LOST]
    assert [(fight.place, fight.blacked_out) for fight in lost] == [
        ("the lab", False),
        ("the lane", True),
    ]
    assert truth.money[-1].value < truth.money_at(lost[-1].first_tick)
    assert lost[0].opponent.startswith("BASIL")


def test_the_truth_is_a_whole_game_driven_again(sat: Sat) -> None:
    for game in sat.games:
        with closing(read_run(game.run)) as run:
            assert game.truth.ticks == sum(1 for _ in run.store.steps())
            assert len(game.truth.fights) == len(list(run.store.events("battle")))


def test_what_another_run_did_is_not_taken_for_ones_own(sat: Sat, notes: ExamMemory) -> None:
    first, second = (game.truth for game in sat.games)
    only_first = [name for name in first.met if name not in second.met]
    assert only_first
    for name in only_first:
        assert notes.recalled("acquaintance", name)  # it is known, of the other run
        form = ExamQuestion(QuestionTopic.MEETINGS, name)
        assert recall(notes, form) is None
        told = ExamQuestion(QuestionTopic.RUN_MEETINGS, name, run=first.run)
        assert recall(notes, told) == len(first.against(name))


def test_looking_into_a_run_changes_nothing_of_it(sat: Sat, tmp_path: Path) -> None:
    game = sat.games[0]
    before = (game.run / "run.sqlite").read_bytes(), game.memory.read_bytes()
    with notebook(game.run, game.memory, tmp_path) as notes:
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
def test_an_answer_is_right_or_it_is_not(
    expected: Expected, answer: ExamAnswer | None, worth: ExamMark
) -> None:
    assert mark(question(expected), answer) is worth


def test_a_wrong_answer_is_worse_than_none() -> None:
    assert ExamMark.WRONG.points < ExamMark.ABSTAINED_WRONGLY.points < ExamMark.RIGHT.points
    assert ExamMark.RIGHT.points == ExamMark.ABSTAINED_RIGHTLY.points


def test_the_score_keeps_what_was_known_and_what_never_was_apart() -> None:
    score = ExamScore()
    known, never = question(1), question(None)
    for asked, answer in [
        *((known, each) for each in (1, 1, 1, 2, None)),
        (never, None),
        (never, 4),
    ]:
        score[asked.kind, mark(asked, answer)] += 1
    figures = score.figures()
    assert (figures["answered_rightly"], figures["not_abstained_from"]) == (3 / 5, 4 / 5)
    assert (figures["abstained_rightly"], figures["points"]) == (1 / 2, 3 - 1 + 1 - 1)
    assert score.rightly([QuestionKind.NEVER]).estimate == 1 / 2
    assert figures["questions"] == 7
