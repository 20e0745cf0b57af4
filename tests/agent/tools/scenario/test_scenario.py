"""Scenario files: their content, the derivation of their start, and their failures."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.tools.scenario.file import read_scenario
from agent.tools.scenario.run import Report, run_scenario
from agent.tools.scenario.start import Cache, derive
from emulator import EMULATOR, RED, Cartridge, PyBoyConsole, Step
from emulator.savestate import decode_state, encode_state
from tests.agent.demo import free_in
from tests.agent.support import ROOT, Agent, CtrlC, Played, game_at

BEDROOM = """
[[start]]
play = { place = "the bedroom", in_control = true }
"""
TITLE = 'pitfall = "test"\ndescription = "A test."\n'
WAIT = '[[steps]]\npress = ["wait 1"]\n'

FROM_STATE = '[[start]]\nstate = "bedroom"\n'
OTHER = "0" * 40

Run = Callable[[str], Report]


@pytest.fixture
def run(tmp_path: Path, demo: Cartridge, cache: Cache) -> Run:
    return lambda text: run_scenario(read_scenario(written(tmp_path, text)), demo, cache)


@pytest.fixture(scope="module")
def bedroom(played: Played) -> bytes:
    with game_at(played.folder, free_in(38)) as game:
        return game.console.save()


@pytest.fixture
def mine(tmp_path: Path, bedroom: bytes) -> Path:
    """A user's folder with one saved state."""
    (tmp_path / "states").mkdir()
    (tmp_path / "states" / "bedroom.redstate").write_bytes(bedroom)
    return tmp_path


def written(folder: Path, text: str, name: str = "it") -> Path:
    file = folder / f"{name}.toml"
    file.write_text((TITLE if "description =" not in text else "") + text, encoding="utf-8")
    return file


def test_presses_begin_at_the_derived_start(run: Run) -> None:
    report = run(
        BEDROOM
        + '[[steps]]\npress = ["right 12 20"]\nthen = { x = "== start + 1", map = 38 }\n'
        + '[[steps]]\npress = ["wait 1 x3"]\nthen = { facing = "right", "hp:0" = -1 }\n'
    )
    assert report.passed, report.problems
    assert report.frames == 12 + 20 + 3


def test_a_start_sets_ram_bytes_and_events_and_walks(run: Run) -> None:
    report = run(
        BEDROOM
        + '[[start]]\nset = { wPlayerMoney = [0x01, 0x23, 0x45], "event:got_starter" = true }\n'
        + '[[start]]\nset = { "wRivalName+1" = 0x50 }\n[[start]]\nwalk = { map = 37, to = [5, 3] }\n'
        + WAIT
        + '[then]\nmoney = 12345\n"event:got_starter" = true\nx = 5\ny = 3\nplace = "the house"\n'
    )
    assert report.passed, report.problems


def test_a_start_may_continue_a_shared_one(tmp_path: Path, run: Run) -> None:
    (tmp_path / "moments").mkdir()
    money = "[[start]]\nset = { wPlayerMoney = [9, 0, 0] }\n"
    written(tmp_path / "moments", BEDROOM, "bedroom")
    written(tmp_path / "moments", '[[start]]\nafter = "bedroom"\n' + money, "rich")
    expanded = read_scenario(written(tmp_path, BEDROOM + money + WAIT))
    report = run('[[start]]\nafter = "rich"\n' + WAIT + "then = { map = 38, money = 90_000 }\n")
    assert report.passed, report.problems
    assert read_scenario(tmp_path / "it.toml").spelled == expanded.spelled


def test_a_press_is_repeated_until_its_condition_or_its_limit(run: Run) -> None:
    steps = '[[steps]]\npress = ["start 4 40"]\nuntil = {{ menu = "{}" }}\nwithin = 3\n'
    assert run(BEDROOM + steps.format("start")).frames == 44
    failed = run(BEDROOM + steps.format("options"))
    assert failed.frames == 3 * 44
    assert failed.problems[0] == "step 1: menu is 'start', which is not == options"


def test_failures_at_the_end_are_reported_with_the_screen(run: Run) -> None:
    report = run(BEDROOM + WAIT + '[then]\nx = 9\nname = "has ZZZ"\n')
    wrong, name, where = report.problems
    assert wrong == "x is 3, which is not == 9"
    assert "has ZZZ" in name
    assert where.startswith("it ended in the bedroom (3,6)")


def test_play_ends_at_its_goal_with_earlier_milestones(run: Run) -> None:
    report = run(
        '[[start]]\nplay = { "milestone:left_home" = true }\n'
        + '[play]\nuntil = { "event:got_starter" = true }\nframes = 9_000\n'
        + "never = [{ map = 37 }]\nmeets = [{ map = 40 }]\n[then]\nparty = 1\n"
    )
    assert report.passed, report.problems


def test_used_up_frames_are_reported_with_the_last_action(run: Run) -> None:
    report = run(BEDROOM + "[play]\nuntil = { party = 1 }\nframes = 500\n")
    problems = "\n".join(report.problems)
    assert "not reached: party == 1" in problems
    assert "party is 0, which is not == 1" in problems
    assert "doing " in problems
    assert "plan: Goal: " in problems
    assert 500 <= report.frames < 1_000


def test_forbidden_conditions_and_wrong_counts_are_reported(run: Run) -> None:
    report = run(
        BEDROOM
        + "[play]\nuntil = { map = 0 }\nframes = 3_000\nnever = [{ map = 37 }]\n"
        + 'meets = [{ party = 1 }]\ncounts = [{ when = { map = 37 }, times = "== 2" }]\n'
    )
    never, twice, met, _ending = report.problems
    assert never.startswith("a forbidden condition was met: map == 37; the house (")
    assert twice == "map == 37 happened once, not == 2"
    assert met == "party == 1 happened 0 times, not >= 1"


def test_a_start_that_is_not_reached_is_a_separate_failure(run: Run) -> None:
    report = run("[[start]]\nplay = { party = 1 }\nframes = 300\n" + WAIT)
    assert report.problems[0].startswith("the start was not reached: party == 1; play ended by")
    report = run(BEDROOM + "[[start]]\nwalk = { map = 38, to = [0, 0] }\n" + WAIT)
    assert "the walk to map 38 at (0,0) ended on map 38 at (" in report.problems[0]


def test_a_start_is_derived_once_and_again_after_deletion(mine: Path, demo: Cartridge) -> None:
    cache = Cache.of(demo, mine / "cache")
    scenario = read_scenario(written(mine, FROM_STATE + WAIT))
    path = derive(scenario, demo, cache)
    assert path is not None
    made = (path / "run.sqlite").stat().st_mtime_ns
    assert run_scenario(scenario, demo, cache).passed
    assert derive(scenario, demo, cache) == path
    assert (path / "run.sqlite").stat().st_mtime_ns == made
    shutil.rmtree(path)
    assert derive(scenario, demo, cache) == path
    assert run_scenario(scenario, demo, cache).passed


def test_other_seeds_and_stages_have_other_entries_and_old_generations_are_removed(
    tmp_path: Path, demo: Cartridge
) -> None:
    folder = tmp_path / "cache"
    for number in range(5):
        (folder / f"old{number}").mkdir(parents=True)
    cache = Cache.of(demo, folder)
    assert cache.home.is_dir()
    assert len(list(folder.iterdir())) == 3
    stages = (["a"], ["b"], ["a", "b"])
    assert len({cache.entry(seed, each) for seed in ("seed 1", "seed 2") for each in stages}) == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "either [play] or [[steps]]"),
        (WAIT + "[play]\nuntil = { x = 1 }\n", "either [play] or [[steps]]"),
        (WAIT + "[then]\nnonsense = 1\n", "unknown value 'nonsense'"),
        (WAIT + '[then]\n"event:nonsense" = true\n', "names an unknown event"),
        ('[[steps]]\npress = ["jump 4 8"]\n', "'jump' is not a valid Button"),
        ('[[steps]]\npress = ["up"]\n', "'up' is not a press"),
        (
            "[[start]]\nfly = 1\n" + WAIT,
            "a start has one of after, state, play, set, team, walk, press and power",
        ),
        ('[[start]]\nafter = "nothing"\n' + WAIT, "nothing.toml"),
        ("[[start]]\nset = { wNowhere = 1 }\n" + WAIT, "wNowhere"),
        ('[play]\nuntil = { x = 1 }\ncounts = [{ when = {}, times = "often" }]\n', "'often'"),
        ("[[steps]", "at line 3"),
        ("[[start]]\nset = { wGrassRate = 0 }\n" + FROM_STATE + WAIT, "put `state` first"),
        ('[[start]]\nstate = "../bedroom"\n' + WAIT, "not a name of a saved state"),
        ('cartridge = "red"\n' + WAIT, "is not a SHA-1"),
    ],
)
def test_an_invalid_file_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(UsageError, match=re.escape(f"{file}: ") + ".*" + re.escape(message)):
        read_scenario(file)


@pytest.mark.parametrize("command", ["run", "list"])
def test_nothing_to_run_or_list_exits_2_with_advice(
    tmp_path: Path, agent: Agent, command: str
) -> None:
    empty, letter = tmp_path / "empty", tmp_path / "letter.txt"
    empty.mkdir()
    letter.write_text("a letter", encoding="utf-8")
    (tmp_path / "more" / "inner").mkdir(parents=True)
    inner = written(tmp_path / "more" / "inner", WAIT).parent
    for path, message in {
        empty: f"no scenario (*.toml) in {empty}; name a folder that holds some",
        tmp_path / "more": f"no scenario (*.toml) in {tmp_path / 'more'}; did you mean {inner}?",
        tmp_path / "no": f"{tmp_path / 'no'} does not exist; name scenario files (*.toml), or",
        letter: f"{letter} is not a scenario (*.toml); name scenarios",
    }.items():
        ended = agent("scenario", command, path)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"error: {message}")
        assert len(ended.err.splitlines()) == 1


def test_wanted_facts_come_before_the_milestones(run: Run) -> None:
    wanted = 'wants = ["event:got_starter"]\n'
    play = '[play]\nuntil = { goal = "event:got_starter" }\nframes = 1_500\n'
    report = run(BEDROOM + play + wanted)
    assert report.passed, report.problems
    assert not run(BEDROOM + play).passed
    with pytest.raises(UsageError, match="the story has no fact 'item:moon'; it has badge:"):
        run(BEDROOM + '[play]\nwants = ["item:moon"]\nframes = 100\n')


def test_a_scenario_is_run_in_several_games(tmp_path: Path, agent: Agent) -> None:
    file = written(tmp_path, BEDROOM + WAIT + "[then]\nmap = 38\n")
    ended = agent("scenario", "run", file, "--seeds", "3..4")
    assert ended.code == 0, ended.err
    assert "2 scenarios: 2 passed" in ended.out
    assert re.search(r"it +. 2 of 2 . 1 to 1", ended.out)
    assert agent("scenario", "run", file, "--seeds", "4..3").code == 2


def changed(demo: Cartridge, data: bytes, **changes: str) -> bytes:
    state = decode_state(data, emulator=EMULATOR, cartridge_sha1=demo.sha1)
    return encode_state(replace(state, **changes))  # type: ignore[arg-type]


@pytest.mark.usefixtures("mine")
def test_a_start_continues_from_a_saved_state(run: Run) -> None:
    report = run(
        FROM_STATE
        + "[[start]]\nset = { wPlayerMoney = [9, 0, 0] }\n"
        + "[[start]]\nwalk = { map = 37, to = [5, 3] }\n"
        + '[[start]]\npress = ["wait 10"]\n[[start]]\nplay = { map = 0 }\n'
        + WAIT
        + "[then]\nmoney = 90_000\nmap = 0\n"
    )
    assert report.passed, report.problems


@pytest.mark.usefixtures("mine")
def test_play_and_known_facts_apply_at_a_saved_state(run: Run) -> None:
    known = FROM_STATE + 'known = ["reached:left_home", "errand:goodbye"]\n'
    play = '[play]\nuntil = { map = 0 }\nframes = 3_000\nnever = [{ doing = "errand:goodbye" }]\n'
    then = '[then]\n"milestone:left_home" = true\n'
    assert run(known + play + then).passed
    problems = run(FROM_STATE + play).problems
    assert problems[0].startswith("a forbidden condition was met: doing == errand:goodbye")
    report = run(FROM_STATE + "[play]\nframes = 600\n")  # without a goal, for its frames
    assert report.passed
    assert 600 <= report.frames < 1_000
    wrong = run(FROM_STATE + 'known = ["reached:moon"]\n' + play)
    assert "the story of the cartridge has no 'reached:moon'" in wrong.problems[0]


def test_a_derived_start_depends_on_the_content_of_the_state_file(
    mine: Path, demo: Cartridge, cache: Cache
) -> None:
    scenario = read_scenario(written(mine, FROM_STATE + WAIT))
    other = read_scenario(written(mine, FROM_STATE.replace("bedroom", "copy") + WAIT))
    file = mine / "states" / "bedroom.redstate"
    (mine / "states" / "copy.redstate").write_bytes(file.read_bytes())
    before = derive(scenario, demo, cache)
    assert derive(other, demo, cache) == before
    with closing(PyBoyConsole(demo)) as console:
        console.load(file.read_bytes())
        console.perform(Step(None, 0, 1))
        file.write_bytes(console.save())
    assert derive(scenario, demo, cache) != before


def test_states_may_be_in_another_folder(mine: Path, tmp_path: Path, agent: Agent) -> None:
    elsewhere = tmp_path / "elsewhere"
    (mine / "states").rename(elsewhere)
    file = written(mine, FROM_STATE + WAIT + "[then]\nmap = 38\n")
    missing = agent("scenario", "run", file)
    assert missing.code == 1
    assert f"{mine}/states/bedroom.redstate cannot be read" in missing.err
    assert agent("scenario", "run", mine, "--states", elsewhere).code == 0
    refused = agent("scenario", "run", mine, "--states", tmp_path / "none")
    assert (refused.code, "is not a folder" in refused.err) == (2, True)


def test_unusable_states_fail_by_name_and_other_scenarios_run(
    mine: Path, demo: Cartridge, bedroom: bytes, agent: Agent
) -> None:
    states = {
        "cartridge": changed(demo, bedroom, cartridge_sha1=RED.sha1),
        "emulator": changed(demo, bedroom, emulator="PyBoy 1.0.0"),
        "cut": bedroom[:-9],
        "flipped": bedroom[:-1] + bytes([bedroom[-1] ^ 1]),
        "foreign": b"not of ours",
        "bedroom": bedroom,
    }
    for name, data in states.items():
        (mine / "states" / f"{name}.redstate").write_bytes(data)
        written(mine, FROM_STATE.replace("bedroom", name) + WAIT, name)
    ended = agent("scenario", "run", mine, "--json")
    assert ended.code == 1
    problems = {each["name"]: each for each in ended.json["scenarios"]}
    assert problems["bedroom"]["verdict"] == "passed"
    assert (ended.json["passed"], ended.json["failed"]) == (1, 5)
    for name, complaints in {
        "cartridge": (
            f"is for Pokemon Red (US), SHA-1 {RED.sha1}",
            "pass the --rom that it was recorded on",
        ),
        "emulator": (f"was made by PyBoy 1.0.0, and this is {EMULATOR}",),
        **dict.fromkeys(("cut", "flipped", "foreign"), ("restore a backup",)),
    }.items():
        (problem,) = problems[name]["problems"]
        assert "\n" not in problem
        assert all(words in problem for words in (f"{name}.redstate", *complaints))


def test_scenarios_run_on_the_given_cartridge_and_those_for_another_are_skipped(
    mine: Path, tmp_path: Path, demo: Cartridge, agent: Agent
) -> None:
    written(mine, f'cartridge = "{OTHER}"\n' + FROM_STATE + WAIT, "not_this")
    written(mine, f'cartridge = "{demo.sha1}"\n' + FROM_STATE + WAIT, "this")
    image = tmp_path / "copy.gb"
    image.write_bytes(demo.rom)
    ended = agent("scenario", "run", mine, "--rom", image)
    assert ended.code == 0
    assert "2 scenarios: 1 passed, 1 skipped" in ended.out
    assert f"not_this: skipped: it is for another cartridge, SHA-1 {OTHER}" in ended.err
    assert agent("scenario", "run", mine, "--rom", tmp_path / "none.gb").code == 1


def test_parallel_scenarios_give_the_same_results(mine: Path, agent: Agent) -> None:
    for number in range(3):
        written(mine, FROM_STATE + WAIT + f"[then]\nbag = {number}\n", f"it{number}")
    one, two = (agent("scenario", "run", mine, "--json", "--jobs", jobs) for jobs in (1, 2))
    assert (one.code, two.code) == (1, 1)
    assert one.json == two.json
    assert [each["verdict"] for each in two.json["scenarios"]] == ["passed", "failed", "failed"]


def test_scenario_list_shows_the_start_and_unusable_states(
    mine: Path, demo: Cartridge, bedroom: bytes, agent: Agent
) -> None:
    (mine / "moments").mkdir()
    written(mine / "moments", "[[start]]\nplay = { map = 37 }\n", "house")
    (mine / "states" / "old.redstate").write_bytes(changed(demo, bedroom, emulator="PyBoy 1.0.0"))
    written(mine, 'pitfall = "rest"\ndescription = "One rests."\n' + WAIT, "a")
    written(mine, 'description = "x"\n[[start]]\nafter = "house"\n' + WAIT, "b")
    written(mine, FROM_STATE + WAIT, "c")
    written(mine, FROM_STATE.replace("bedroom", "old") + WAIT, "d")
    written(mine, FROM_STATE.replace("bedroom", "gone") + WAIT, "e")
    ended = agent("scenario", "list", mine, "--json")  # in order, without subfolders
    assert ended.code == 0
    a, b, c, d, e = ended.json["scenarios"]
    rest = {"pitfall": "rest", "description": "One rests.", "start": "power-on", "trouble": ""}
    assert a == {"name": "a", **rest}
    assert b["start"] == "after moment house"
    assert c["start"].startswith("state bedroom: Red Agent Demo, frame ")
    assert (c["start"].endswith(EMULATOR), c["trouble"]) == (True, "")
    assert (d["start"].endswith("PyBoy 1.0.0"), "record it again" in d["trouble"]) == (True, True)
    assert "cannot be read" in e["trouble"]
    table = agent("scenario", "list", mine)
    assert table.code == 0
    assert "unusable" in table.out


def test_names_in_tables_are_never_cut(
    tmp_path: Path, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "a_blackout_halves_the_money_and_changes_the_plan"
    file = written(tmp_path, 'pitfall = "a-maze"\ndescription = "It is long."\n' + WAIT, name)
    for columns in (80, 60):
        monkeypatch.setenv("COLUMNS", str(columns))
        for command in ("list", "run"):
            shown = agent("scenario", command, file).out
            assert name[:30] in shown
            assert name in shown or (columns, command) == (60, "run")  # there it is folded
            assert max(map(len, shown.splitlines())) <= columns
            assert "…" not in shown


def test_each_scenario_has_a_line_and_a_row_and_ctrl_c_keeps_those_of_the_finished_ones(
    tmp_path: Path, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    power_on = "then = { started = false }\n"  # without a start
    files = [written(tmp_path, WAIT + power_on, name) for name in ("a", "b", "c")]
    passed = agent("scenario", "run", *files)
    assert (passed.code, "3 passed" in passed.out) == (0, True)
    assert passed.err.splitlines() == [f"{name}: passed, 1 frame" for name in ("a", "b", "c")]
    bad = written(tmp_path, WAIT + "[then]\nparty = 1\n", "bad")
    failed = agent("scenario", "run", files[0], bad)
    assert (failed.code, "failed" in failed.out) == (1, True)
    assert "bad: party is 0, which is not == 1" in failed.err
    asked = iter([False, False, True])
    monkeypatch.setattr("agent.app.interrupts", lambda: nullcontext(CtrlC(asked)))
    ended = agent("scenario", "run", *files)
    assert ended.code == 130
    assert ended.out.splitlines()[-1] == "2 of 3 scenarios: 2 passed"


@pytest.mark.parametrize(
    "body", ["[play]\nframes = 60_000\n", WAIT + "until = { map = 1 }\nwithin = 10_000\n"]
)
def test_ctrl_c_ends_the_running_scenario_and_keeps_the_finished_ones(
    tmp_path: Path, agent: Agent, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    files = [written(tmp_path, WAIT, "a"), written(tmp_path, body, "b")]
    asked = chain(
        repeat(False, 12), repeat(True, 2)
    )  # at the 13th tick or press, and not much later
    monkeypatch.setattr("agent.app.interrupts", lambda: nullcontext(CtrlC(asked)))
    ended = agent("scenario", "run", *files)
    assert (ended.code, ended.err) == (130, "a: passed, 1 frame\n")
    assert ended.out.splitlines()[-1] == "1 of 2 scenarios: 1 passed"


def test_ctrl_c_ends_scenarios_that_run_at_the_same_time(tmp_path: Path) -> None:
    files = [written(tmp_path, WAIT, "a"), written(tmp_path, "[play]\nframes = 60_000\n", "b")]
    command = [sys.executable, "-m", "agent", "scenario", "run", "--jobs", "2", *map(str, files)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "a: passed, 1 frame\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert out.splitlines()[-1] == "1 of 2 scenarios: 1 passed"


def test_git_ignores_saved_states() -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "*.redstate" in ignored
