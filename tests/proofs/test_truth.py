"""What memory has recorded of games, what it says of them and what it answers is what their recordings show.

Games are played three at a time with one memory, their steps are driven again, and RAM is read at every tick.
"""

from pathlib import Path

import pytest

from agent.story.story import Story
from emulator import Dex, demo_cartridge_path, load_cartridge
from tests.proofs.conftest import Sized
from tests.proofs.game_truth import CartridgeNames, FightOutcome, GameTruth
from tests.proofs.memory_answers import READERS, Answer, Question, open_game_memory, questions
from tests.proofs.recorded_truth import (
    ENOUGH,
    RecordedGame,
    answers_about,
    different_records,
    games_job,
    recorded_game,
    sentences_after,
)
from tests.proofs.sentences import SENTENCES
from tests.proofs.workers import summed

CARTRIDGE = load_cartridge(demo_cartridge_path())
STORY, DEX = Story.of(CARTRIDGE.kind), Dex.of(CARTRIDGE)
SEEDS = (119, 102)  # the first game loses two battles; the second has the memory of it


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("games")


@pytest.fixture(scope="module")
def games(home: Path) -> list[RecordedGame]:
    return [recorded_game(CARTRIDGE, seed, home, "second_town") for seed in SEEDS]


@pytest.fixture(scope="module")
def truth(games: list[RecordedGame]) -> GameTruth:
    return games[0].truth


def test_records_sentences_and_answers_are_what_the_recordings_show(
    games: list[RecordedGame], home: Path
) -> None:
    before = (games[0].run / "run.sqlite").read_bytes(), (home / "memory.sqlite").read_bytes()
    assert [each for game in games for each in different_records(game)] == []
    kinds, false = sentences_after(games, home)
    assert not false
    assert set(kinds) == set(SENTENCES) - {"item_owned"}  # nothing is owned so early
    happened, never = answers_about(games, home)
    assert happened.asked > 120
    assert happened.right >= ENOUGH, happened.wrong
    assert never.asked > 120
    assert never.right >= ENOUGH, never.wrong
    after = (games[0].run / "run.sqlite").read_bytes(), (home / "memory.sqlite").read_bytes()
    assert before == after


def test_each_topic_is_asked_about(games: list[RecordedGame]) -> None:
    names, truths = CartridgeNames.of(STORY, DEX), [game.truth for game in games]
    asked = [*questions(truths[:1], names), *questions(truths, names)]
    assert {each.topic for each in asked} <= set(READERS)
    things = {"number", "highest number", "first owned in"}  # nothing is owned so early
    assert {each.topic for each in asked if each.right is not None} >= set(READERS) - things


def test_battles_of_another_run_are_not_counted_as_own(
    games: list[RecordedGame], home: Path, tmp_path: Path
) -> None:
    first, second = (game.truth for game in games)
    only_first = [name for name in first.met if name not in second.met]
    assert only_first
    with open_game_memory(games[1].run, home / "memory.sqlite", tmp_path) as notes:
        for name in only_first:
            assert notes.recalled("opponent_met", name)  # it is known, of the other run
            assert notes.answer(Question("met", name)) is None
            there = Question("met in run", name, run=first.run)
            assert notes.answer(there) == len(first.against(name))


def test_blackouts_are_separated_from_free_defeats(truth: GameTruth) -> None:
    lost = truth.ended(FightOutcome.LOST)
    places = [(fight.place, fight.blacked_out) for fight in lost]
    assert places == [("the lab", False), ("the lane", True)]
    assert truth.money[-1].value < truth.money_at(lost[-1].first_tick)
    assert lost[0].opponent.startswith("BASIL")


@pytest.mark.parametrize(
    ("right", "answer", "is_right"),
    [
        (700, 700, True),
        (700, 701, False),
        (700, None, False),
        ("the lane", "the Lane", False),
        ("7", 7, False),
        (1, True, False),
        (frozenset({"a", "b"}), frozenset({"b", "a"}), True),
        (("a", "b"), ("b", "a"), False),
        (range(10, 21), 10, True),
        (range(10, 21), 21, False),
        (range(10, 21), "10", False),
        (range(10, 21), None, False),
        (None, None, True),
        (None, 0, False),
        (None, "", False),
    ],
)
def test_an_answer_is_right_as_a_whole_or_not_at_all(
    right: Answer | range,
    answer: Answer,
    is_right: bool,  # noqa: FBT001  # a row of the table
) -> None:
    assert Question("money", right=right).is_answered_by(answer) is is_right


@pytest.mark.proof
def test_no_record_no_sentence_and_no_answer_differs_from_the_recordings(proof: Sized) -> None:
    truth = proof("truth", 7)
    rows = truth.rows(games_job)
    counted = ("battles", "with several", "items", "questions", "questions about what never was")
    wrong = sum(len(row["answered wrongly"]) + len(row["answered all the same"]) for row in rows)
    kinds = summed(rows, "sentences")
    sums = {name: sum(row[name] for row in rows) for name in counted}
    truth.judge(rows, {**sums, "wrong answers": wrong, "sentences": kinds})
    assert set(kinds) == set(SENTENCES)  # each kind of sentence was met
