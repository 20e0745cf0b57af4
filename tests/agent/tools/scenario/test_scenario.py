"""Scenario files: what they may say, how their moments are derived, and how they fail."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.tools.scenario import Cache, Report, read_scenario, read_scenarios, run_scenario
from agent.tools.scenario.start import derive
from emulator import Cartridge
from tests.agent.support import Agent

BEDROOM = """
[[start]]
play = { place = "the bedroom", in_control = true }
"""
TITLE = 'pitfall = "test"\nsays = "A test."\n'
WAIT = '[[steps]]\npress = ["wait 1"]\n'

Run = Callable[[str], Report]


@pytest.fixture
def run(tmp_path: Path, demo: Cartridge, cache: Cache) -> Run:
    def of(text: str) -> Report:
        return run_scenario(read_scenario(written(tmp_path, text)), demo, cache)

    return of


def written(folder: Path, text: str) -> Path:
    file = folder / "it.toml"
    file.write_text(TITLE + text, encoding="utf-8")
    return file


def test_presses_happen_at_the_derived_moment(run: Run) -> None:
    report = run(
        BEDROOM
        + '[[steps]]\npress = ["right 12 20"]\nthen = { x = "== start + 1", map = 38 }\n'
        + '[[steps]]\npress = ["wait 1 x3"]\nthen = { facing = "right", "hp:0" = -1 }\n'
    )
    assert report.passed, report.problems
    assert report.frames == 12 + 20 + 3


def test_a_start_sets_ram_bits_and_who_is_there(run: Run) -> None:
    report = run(
        BEDROOM
        + '[[start]]\nset = { wPlayerMoney = [0x01, 0x23, 0x45], "event:got_starter" = true }\n'
        + '[[start]]\nset = { "wRivalName+1" = 0x50 }\n[[start]]\nwalk = { map = 37, to = [5, 3] }\n'
        + WAIT
        + '[then]\nmoney = 12345\n"event:got_starter" = true\nx = 5\ny = 3\nplace = "the house"\n'
    )
    assert report.passed, report.problems


def test_a_start_may_follow_moments_that_files_share(tmp_path: Path, run: Run) -> None:
    moments = tmp_path / "moments"
    moments.mkdir()
    (moments / "bedroom.toml").write_text(BEDROOM, encoding="utf-8")
    (moments / "rich.toml").write_text(
        '[[start]]\nafter = "bedroom"\n[[start]]\nset = { wPlayerMoney = [9, 0, 0] }\n',
        encoding="utf-8",
    )
    spelled_out = read_scenario(
        written(tmp_path, BEDROOM + "[[start]]\nset = { wPlayerMoney = [9, 0, 0] }\n" + WAIT)
    )
    report = run('[[start]]\nafter = "rich"\n' + WAIT + "then = { map = 38, money = 90_000 }\n")
    assert report.passed, report.problems
    assert read_scenario(tmp_path / "it.toml").spelled == spelled_out.spelled


def test_a_press_is_repeated_until_something_is_true_or_the_tries_are_spent(run: Run) -> None:
    steps = '[[steps]]\npress = ["start 4 40"]\nuntil = {{ menu = "{}" }}\nwithin = 3\n'
    assert run(BEDROOM + steps.format("start")).frames == 44
    failed = run(BEDROOM + steps.format("options"))
    assert failed.frames == 3 * 44
    assert failed.problems[0] == "step 1: menu is 'start', which is not == options"


def test_what_is_wrong_at_the_end_is_told_with_the_screen(run: Run) -> None:
    report = run(BEDROOM + WAIT + '[then]\nx = 9\nname = "has ZZZ"\n')
    assert not report.passed
    wrong, name, where = report.problems
    assert wrong == "x is 3, which is not == 9"
    assert "has ZZZ" in name
    assert where.startswith("it ended in the bedroom (3,6)")


def test_play_ends_where_it_should_with_milestones_kept(run: Run) -> None:
    report = run(
        '[[start]]\nplay = { "milestone:left_home" = true }\n'
        + '[play]\nuntil = { "event:got_starter" = true }\nframes = 9_000\n'
        + "never = [{ map = 37 }]\nmeets = [{ map = 40 }]\n[then]\nparty = 1\n"
    )
    assert report.passed, report.problems


def test_spent_frames_are_told_with_what_was_done_last(run: Run) -> None:
    report = run(BEDROOM + "[play]\nuntil = { party = 1 }\nframes = 500\n")
    told = "\n".join(report.problems)
    assert "not reached: party == 1" in told
    assert "party is 0, which is not == 1" in told
    assert "doing " in told
    assert "plan: Goal: " in told
    assert 500 <= report.frames < 1_000


def test_what_must_never_be_and_what_must_be_counted_is_told(run: Run) -> None:
    report = run(
        BEDROOM
        + "[play]\nuntil = { map = 0 }\nframes = 3_000\nnever = [{ map = 37 }]\n"
        + 'meets = [{ party = 1 }]\ncounts = [{ when = { map = 37 }, times = "== 2" }]\n'
    )
    never, twice, met, _ending = report.problems
    assert never.startswith("what must never be was: map == 37; the house (")
    assert twice == "map == 37 happened 1 times, not == 2"
    assert met == "party == 1 happened 0 times, not >= 1"


def test_a_start_that_is_not_reached_is_a_failure_of_its_own(run: Run) -> None:
    report = run("[[start]]\nplay = { party = 1 }\nframes = 300\n" + WAIT)
    assert report.problems[0].startswith("the start was not reached: party == 1; play ended by")
    report = run(BEDROOM + "[[start]]\nwalk = { map = 38, to = [0, 0] }\n" + WAIT)
    assert "the walk to map 38 at (0,0) ended on map 38 at (" in report.problems[0]


def test_a_moment_is_derived_once_and_again_when_it_was_deleted(
    tmp_path: Path, demo: Cartridge
) -> None:
    cache = Cache.of(demo, tmp_path / "cache")
    scenario = read_scenario(written(tmp_path, BEDROOM + WAIT))
    path = derive(scenario, demo, cache)
    assert path is not None
    made = (path / "run.sqlite").stat().st_mtime_ns
    assert run_scenario(scenario, demo, cache).passed
    assert derive(scenario, demo, cache) == path
    assert (path / "run.sqlite").stat().st_mtime_ns == made
    for file in path.iterdir():
        file.unlink()
    path.rmdir()
    assert derive(scenario, demo, cache) == path
    assert run_scenario(scenario, demo, cache).passed


def test_a_scenario_without_a_start_begins_at_power_on(run: Run) -> None:
    assert run(WAIT + "then = { started = false }\n").frames == 1


def test_other_seeds_stages_and_cartridges_are_other_states(cache: Cache) -> None:
    entries = {
        cache.entry(parent, spelled)
        for parent in ("seed 1", "seed 2")
        for spelled in (["a"], ["b"], ["a", "b"])
    }
    assert len(entries) == 6


def test_old_generations_are_dropped(tmp_path: Path, demo: Cartridge) -> None:
    folder = tmp_path / "cache"
    for number in range(5):
        (folder / f"old{number}").mkdir(parents=True)
    kept = Cache.of(demo, folder)
    assert kept.home.is_dir()
    assert len(list(folder.iterdir())) == 3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "either [play] or [[steps]]"),
        (WAIT + "[play]\nuntil = { x = 1 }\n", "either [play] or [[steps]]"),
        (WAIT + "[then]\nnonsense = 1\n", "nothing of a moment is called 'nonsense'"),
        (WAIT + '[then]\n"event:nonsense" = true\n', "names no event that exists"),
        ('[[steps]]\npress = ["jump 4 8"]\n', "'jump' is not a valid Button"),
        ('[[steps]]\npress = ["up"]\n', "'up' is no press"),
        (
            "[[start]]\nfly = 1\n" + WAIT,
            "a start is one of after, state, play, set, team, walk, press and power",
        ),
        ('[[start]]\nafter = "nothing"\n' + WAIT, "nothing.toml"),
        ("[[start]]\nset = { wNowhere = 1 }\n" + WAIT, "wNowhere"),
        ('[play]\nuntil = { x = 1 }\ncounts = [{ when = {}, times = "often" }]\n', "'often'"),
        ("[[steps]", "at line 3"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_by_name(
    tmp_path: Path, text: str, complaint: str
) -> None:
    file = written(tmp_path, text)
    with pytest.raises(UsageError) as refused:
        read_scenario(file)
    assert str(file) in str(refused.value)
    assert complaint in str(refused.value)


def test_folders_give_their_own_files_in_order_and_nothing_deeper(tmp_path: Path) -> None:
    for name in ("b.toml", "a.toml", "moments/c.toml"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(TITLE + WAIT, encoding="utf-8")
    assert [each.name for each in read_scenarios([tmp_path])] == ["a", "b"]


def test_the_command_prints_a_table_and_fails_when_one_fails(tmp_path: Path, agent: Agent) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text(TITLE + WAIT, encoding="utf-8")
    bad.write_text(TITLE + WAIT + "[then]\nparty = 1\n", encoding="utf-8")
    passed = agent("scenario", "run", good)
    assert passed.code == 0, passed.err
    assert "passed" in passed.out
    failed = agent("scenario", "run", good, bad)
    assert failed.code == 1
    assert "failed" in failed.out
    assert "bad: party is 0, which is not == 1" in failed.err
    assert agent("scenario", "run", tmp_path / "none.toml").code == 2


def test_what_is_wanted_comes_before_the_milestones(run: Run) -> None:
    wanted = 'wants = ["event:got_starter"]\n'
    play = '[play]\nuntil = { goal = "event:got_starter" }\nframes = 9_000\n'
    report = run(BEDROOM + play + wanted)
    assert report.passed, report.problems
    report = run(BEDROOM + play)
    assert not report.passed


def test_nobody_can_want_what_the_story_does_not_know(run: Run) -> None:
    with pytest.raises(UsageError, match="the story knows no 'item:moon'; it knows badge:"):
        run(BEDROOM + '[play]\nwants = ["item:moon"]\nframes = 100\n')


def test_a_scenario_is_run_in_several_games_and_its_page_is_written(
    tmp_path: Path, agent: Agent
) -> None:
    file, page = written(tmp_path, BEDROOM + WAIT + "[then]\nmap = 38\n"), tmp_path / "page.md"
    ended = agent("scenario", "run", file, "--seeds", "3..4", "--write", page)
    assert ended.code == 0, ended.err
    assert "2 scenarios: 2 passed" in ended.out
    assert "| it | A test. | 2 of 2 | 1 to 1 |" in page.read_text(encoding="utf-8")
    assert agent("scenario", "run", file, "--seeds", "4..3").code == 2
    assert agent("scenario", "run", file, "--seeds", "3..3", "--write", page).code == 0
    page.write_text("mine", encoding="utf-8")
    refused = agent("scenario", "run", file, "--write", page)
    assert (refused.code, page.read_text(encoding="utf-8")) == (2, "mine")
    assert agent("scenario", "run", file, "--write", page.parent / "no" / "page.md").code == 2
