"""`bench experience`: the same games with and without taught memory, in arms of the same seeds (E38)."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.cli.measurements import ExperienceOptions
from agent.errors import UsageError
from agent.experience.memory_use import MemoryUse
from agent.lab.bench.experience import MEASURES, TICKS, difference, experience_findings
from agent.lab.bench.trials import (
    EMPTY,
    TAUGHT,
    Arm,
    TaughtMemory,
    TrialGame,
    TrialOrder,
    arms,
    lessons_of,
    play_game,
    play_trials,
)
from agent.lab.bench.trials import teach as teach_games
from agent.lab.stats import mean_interval
from agent.tools.progress import never
from emulator import demo_cartridge_path, load_cartridge
from tests.agent.lessons import teach, ticks_lesson
from tests.agent.support import ROOT, Agent

CARTRIDGE = load_cartridge(demo_cartridge_path())
CHOICE = "take_starter"
UNLUCKY = 7004  # the random choice is one of the slowest
ENOUGH = 4_000


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory taught by games of other seeds: ticks to the first milestone after a battle."""
    took = ((2, 180), (3, 180), (4, 150))
    lessons = [
        ticks_lesson(CHOICE, way, ticks + luck) for way, ticks in took for luck in (-2, 0, 2)
    ]
    return teach(tmp_path_factory.mktemp("taught") / "memory.sqlite", lessons)


@pytest.fixture(scope="module")
def played_on(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that a game of seed 7002 has filled."""
    memory = tmp_path_factory.mktemp("played on") / "memory.sqlite"
    teach_games([order(7002, "left_home")], memory, asked=never, done=ignored)
    return memory


def order(seed: int, until: str, memory: Path | None = None, limit: int = ENOUGH) -> TrialOrder:
    return TrialOrder(CARTRIDGE.path, until, seed, limit, memory=memory)


def after(times: int) -> Callable[[], bool]:
    """Return a stop check that is true after a number of calls."""
    asked = count(1)
    return lambda: next(asked) > times


def ignored(_more: int) -> None:
    pass


def without(use: MemoryUse) -> Arm:
    return next(each for each in arms(each_use=True) if each.off == (use,))


def test_every_use_of_memory_has_an_arm_without_it() -> None:
    every = arms(each_use=True)
    assert [each.off for each in every[2:]] == [(use,) for use in MemoryUse]
    assert arms(each_use=False) == every[:2] == (TAUGHT, EMPTY)


def test_e38_taught_games_take_fewer_turns_and_lose_no_more(memory: Path) -> None:
    choosing, unused = without(MemoryUse.CHOICES), without(MemoryUse.ROUTES)
    the_order, every = order(UNLUCKY, "rival", memory), (TAUGHT, EMPTY, choosing, unused)
    before = memory.read_bytes()
    trials = play_trials([the_order], every, processes=1, asked=never, done=ignored)
    (taught,), (empty,) = trials[TAUGHT], trials[EMPTY]
    assert (taught.choices[CHOICE], empty.choices[CHOICE]) == (4, 3)
    assert taught.turns < empty.turns
    assert taught.lost <= empty.lost
    assert all(each.reached and each.stop == "goal" for each in (taught, empty))
    assert replace(trials[choosing][0], moved=None) == replace(empty, moved=None)
    # Without a use that changed nothing the game is the taught one.
    assert trials[unused] == [taught]
    assert play_game(replace(the_order, without=unused.off), never) == taught
    assert memory.read_bytes() == before


def test_a_game_that_misses_its_milestone_counts_at_the_limit() -> None:
    far = play_game(order(7000, "rival", limit=30), never)
    assert (far.reached, far.stop, far.ticks) == (False, "ticks", 30)
    assert far.frames > 30


def test_a_broken_game_is_reported_as_an_error(tmp_path: Path) -> None:
    broken = play_game(TrialOrder(tmp_path / "no.gb", "rival", 1, ENOUGH), never)
    assert (broken.reached, broken.stop, broken.ticks) == (False, "error", ENOUGH)


def test_parallel_games_are_the_same() -> None:
    one = [order(7000, "left_home", limit=20)]
    alone, together = (
        play_trials(orders, (EMPTY,), processes=len(orders), asked=never, done=ignored)[EMPTY]
        for orders in (one, one * 2)
    )
    assert tuple(together) == tuple(alone) * 2


def test_lessons_name_the_seeds_that_taught_them(played_on: Path) -> None:
    lessons = lessons_of(played_on)
    assert lessons.seeds == {7002}
    assert lessons.rows["milestone_time entries"] == 1
    assert lessons.rows["sessions told of"] == 1


@pytest.mark.parametrize("processes", [1, 2])
def test_a_stop_request_ends_trials_at_once(processes: int) -> None:
    orders = [order(seed, "first_badge") for seed in range(7000, 7100)]
    asked = after(40 if processes == 1 else 1)
    with pytest.raises(KeyboardInterrupt):
        play_trials(orders, (EMPTY,), processes=processes, asked=asked, done=ignored)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"teach": "0..9", "seeds": "9..20"}, "overlap with the games that fill memory"),
        ({"taught": Path("nowhere.sqlite")}, "--taught nowhere.sqlite does not exist"),
        ({"keep": Path("pyproject.toml")}, "--keep-memory pyproject.toml must be a new file"),
        ({"keep": Path("no/where.sqlite")}, "must be a new file in an existing folder"),
        ({"keep": Path("new"), "taught": Path("pyproject.toml")}, "leave out --keep-memory"),
    ],
)
def test_experience_options_reject_invalid_combinations(
    flags: dict[str, str | Path], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(UsageError, match=words):
        ExperienceOptions(**{"teach": "0..1", "seeds": "9..20", **flags})  # type: ignore[arg-type]


def test_the_command_leaves_a_page_a_picture_and_its_figures(
    agent: Agent, memory: Path, tmp_path: Path
) -> None:
    page = tmp_path / "pays.json"
    flags = ("--teach", "1..2", "--seeds", "3..3", "--ticks", 20, "--no-each-use")
    command = ("bench", "experience", *flags, "--processes", "1", "--taught", memory)
    ended = agent(*command, "--write", page, "--json")
    assert ended.code == 0, ended.err
    assert ended.json["pays"]["ticks"]["difference"]["estimate"] == 0
    assert set(ended.json["played"]) == {"taught", "empty"}
    assert (tmp_path / "pays.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads(page.read_text(encoding="utf-8"))["figures"] == ended.json


def test_the_seeds_of_a_given_memory_are_not_tested(agent: Agent, played_on: Path) -> None:
    flags = ("--teach", "1..2", "--seeds", "7002..7003", "--taught", played_on)
    ended = agent("bench", "experience", *flags)
    assert ended.code == 2
    assert "error: --seeds 7002..7003 overlap with the games" in ended.err


SHARE = next(each for each in MEASURES if each.what == "lost any battle")


def game(seed: int, ticks: int) -> TrialGame:
    return TrialGame(seed=seed, stop="goal", reached=True, ticks=ticks, frames=40 * ticks)


def test_the_verdict_is_helps_for_less_and_harms_for_more() -> None:
    empty = [game(seed, 1_000 + seed) for seed in range(30)]
    for more, verdict in ((-50, "helps"), (0, "no difference shown"), (50, "harms")):
        taught = [replace(each, ticks=each.ticks + more) for each in empty]
        found = difference(TICKS, taught, empty)
        assert found["verdict"] == verdict
        assert found["difference"].estimate == found["with"] - found["without"] == more
        signs = (found["better"], found["same"], found["worse"])
        assert signs == (30 * (more < 0), 30 * (more == 0), 30 * (more > 0))
        assert found["p"] == pytest.approx(2 / 2**30 if more else 1)
    few = [replace(each, ticks=900) for each in empty[:3]]
    assert difference(TICKS, few, empty[:3])["verdict"] == "too few games to say"


def test_what_is_left_beside_the_choices_is_measured_apart() -> None:
    choosing = without(MemoryUse.CHOICES)
    drawn = [replace(game(seed, 1_000), choices={CHOICE: 3 + seed % 2}) for seed in range(30)]
    taught = [replace(each, ticks=700, choices={CHOICE: 4}) for each in drawn]
    lucky = [replace(each, ticks=700 if each.choices[CHOICE] == 4 else 1_000) for each in drawn]
    trials = {TAUGHT: taught, EMPTY: lucky, choosing: lucky}
    found = experience_findings({"until": "rival"}, "", trials, TaughtMemory({}, frozenset()))
    assert found.figures["pays"]["ticks"]["verdict"] == "helps"  # against the lot
    assert found.figures["pays, all choices drawn"]["ticks"]["difference"].estimate == 0
    (way,) = found.figures["ticks, same way"]
    assert list(way.values()) == ["take starter 4", 15, 700, 30, 700]


def test_a_share_of_zero_has_an_interval() -> None:
    none = [game(seed, 1_000) for seed in range(50)]
    low, high = difference(SHARE, none, none)["difference"][1:]
    assert low < 0 < high


@given(st.lists(st.integers(-500, 500), min_size=1, max_size=60))
def test_the_interval_of_a_mean_contains_it_and_is_deterministic(values: list[int]) -> None:
    found = mean_interval(values)
    assert found == mean_interval(values)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found.low - 1e-9 <= found.estimate <= found.high + 1e-9 or len(values) < 10
