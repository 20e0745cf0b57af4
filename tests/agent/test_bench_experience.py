"""bench experience: the same games with and without what was taught, counted in pairs (E38)."""

from pathlib import Path

import pytest

from agent.bench.experience import Reached, Twice, _play, play_twice
from agent.bench.experience_page import experience_page, experience_rows
from agent.cli.bench_experience import bench_experience
from agent.errors import UsageError
from emulator import demo_cartridge_path, load_cartridge
from tests.agent.lessons import teach, told

CARTRIDGE = load_cartridge(demo_cartridge_path())
CHOICE = "take_starter"
UNLUCKY = (7000, 7005)  # lots fall on the way that takes longest
LUCKY = 7001  # and on the one that is known to be the best


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """What the games of other seeds taught: ticks to the first milestone behind a battle."""
    took = ((2, 180), (3, 180), (4, 150))
    lessons = [told(CHOICE, way, ticks + luck) for way, ticks in took for luck in (-2, 0, 2)]
    return teach(tmp_path / "memory.sqlite", lessons)


def test_e38_with_what_was_taught_the_same_games_take_fewer_turns_and_lose_no_more(
    memory: Path,
) -> None:
    games = play_twice(CARTRIDGE, (*UNLUCKY, LUCKY), memory, processes=1, done=lambda _more: None)
    taught = [each.taught["rival"] for each in games]
    empty = [each.empty["rival"] for each in games]
    assert {each.choices[CHOICE] for each in taught} == {4}
    assert [each.choices[CHOICE] for each in empty] == [2, 2, 4]
    assert sum(each.turns for each in taught) < sum(each.turns for each in empty)
    assert sum(each.lost for each in taught) <= sum(each.lost for each in empty)
    assert taught[-1] == empty[-1]  # where memory agrees with the lot, the game is the same


def test_e38_a_game_teaches_the_one_that_comes_after_it(tmp_path: Path) -> None:
    first, second = (
        _play(CARTRIDGE.path, "rival", seed, tmp_path / "memory.sqlite") for seed in (7001, 7007)
    )
    assert first["rival"].choices == {CHOICE: 4}
    assert second["rival"].choices != {CHOICE: 4}  # what nobody has tried comes first


def reached(turns: int, *, lost: int = 0) -> dict[str, Reached]:
    return {"rival": Reached(1, lost, turns, 150, {CHOICE: 2})}


def test_the_page_counts_wins_and_turns_in_pairs() -> None:
    games = [Twice(seed, reached(6), reached(8, lost=seed % 2)) for seed in range(20)]
    rows = {row.what: row for row in experience_rows(games, ("rival", "first_badge"))}
    assert set(rows) == {
        "no battle lost to rival",
        "turns of battle to rival",
        "battles to rival",
        "ticks to rival",
    }
    assert rows["no battle lost to rival"][1:6] == ("20", "100.0%", "50.0%", "10", "0")
    assert rows["turns of battle to rival"][1:6] == ("20", "6.0", "8.0", "20", "0")
    assert rows["turns of battle to rival"].difference == "-2.0 (-25.0%)"
    assert rows["ticks to rival"].p_value == "1"
    page = experience_page("a cartridge", "1..2", "3..22", "page.md", games, "first_badge")
    assert "--teach 1..2 --seeds 3..22 --write page.md" in page
    assert "Ways taken, empty: take_starter 2: 20." in page


def test_what_is_taught_is_not_tested() -> None:
    with pytest.raises(UsageError):
        bench_experience(CARTRIDGE, "0..9", "9..20", None, as_json=False)
