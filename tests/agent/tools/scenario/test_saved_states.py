"""Saved moments of a user's own: played from, checked before, and of no use to another cartridge or emulator."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.tools.scenario import Cache, Report, ScenarioVerdict, read_scenario, run_scenario
from agent.tools.scenario.start import derive
from emulator import EMULATOR, RED, Cartridge, PyBoyConsole, Step
from emulator.savestate import decode_state, encode_state
from tests.agent.support import ROOT, Agent, Played, game_at

FROM_BEDROOM = 'says = "A test."\n[[start]]\nstate = "bedroom"\n'
WAIT = '[[steps]]\npress = ["wait 1"]\n'
OTHER = "0" * 40

Run = Callable[[Path], Report]


@pytest.fixture(scope="module")
def bedroom(played: Played) -> bytes:
    with game_at(played.folder, lambda state: state.in_control and state.map.map_id == 38) as game:
        return game.console.save()


@pytest.fixture
def mine(tmp_path: Path, bedroom: bytes) -> Path:
    """A user's folder with one saved moment."""
    (tmp_path / "mine" / "states").mkdir(parents=True)
    (tmp_path / "mine" / "states" / "bedroom.redstate").write_bytes(bedroom)
    return tmp_path / "mine"


@pytest.fixture
def run(demo: Cartridge, cache: Cache) -> Run:
    return lambda file: run_scenario(read_scenario(file), demo, cache)


def written(folder: Path, text: str, name: str = "it") -> Path:
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return file


def changed(demo: Cartridge, data: bytes, **changes: str) -> bytes:
    state = decode_state(data, emulator=EMULATOR, cartridge_sha1=demo.sha1)
    return encode_state(replace(state, **changes))  # type: ignore[arg-type]


def test_a_start_goes_on_from_a_saved_moment_like_from_any_other(mine: Path, run: Run) -> None:
    report = run(
        written(
            mine,
            FROM_BEDROOM
            + "[[start]]\nset = { wPlayerMoney = [9, 0, 0] }\n"
            + "[[start]]\nwalk = { map = 37, to = [5, 3] }\n"
            + '[[start]]\npress = ["wait 10"]\n[[start]]\nplay = { map = 0 }\n'
            + WAIT
            + "[then]\nmoney = 90_000\nmap = 0\n",
        )
    )
    assert report.passed, report.problems


def test_what_play_had_behind_it_is_known_at_a_saved_moment(mine: Path, run: Run) -> None:
    known = '[[start]]\nstate = "bedroom"\nknown = ["reached:left_home", "errand:goodbye"]\n'
    play = '[play]\nuntil = { map = 0 }\nframes = 3_000\nnever = [{ doing = "errand:goodbye" }]\n'
    then = '[then]\n"milestone:left_home" = true\n'
    assert run(written(mine, 'says = "A test."\n' + known + play + then)).passed
    told = run(written(mine, FROM_BEDROOM + play)).problems
    assert told[0].startswith("what must never be was: doing == errand:goodbye")
    wrong = run(written(mine, FROM_BEDROOM + 'known = ["reached:moon"]\n' + play))
    assert "the cartridge's story has no 'reached:moon'" in wrong.problems[0]


def test_a_derived_moment_depends_on_what_is_in_the_file_and_not_on_its_name(
    mine: Path, demo: Cartridge, cache: Cache
) -> None:
    scenario = read_scenario(written(mine, FROM_BEDROOM + WAIT))
    other = read_scenario(written(mine, FROM_BEDROOM.replace("bedroom", "copy") + WAIT))
    file = mine / "states" / "bedroom.redstate"
    (mine / "states" / "copy.redstate").write_bytes(file.read_bytes())
    before = derive(scenario, demo, cache)
    assert derive(other, demo, cache) == before
    with closing(PyBoyConsole(demo)) as console:
        console.load(file.read_bytes())
        console.perform(Step(None, 0, 1))
        file.write_bytes(console.save())
    assert derive(scenario, demo, cache) != before


def test_moments_may_lie_in_a_folder_of_their_own(mine: Path, tmp_path: Path, agent: Agent) -> None:
    elsewhere = tmp_path / "elsewhere"
    (mine / "states").rename(elsewhere)
    file = written(mine, FROM_BEDROOM + WAIT + "[then]\nmap = 38\n")
    lacking = agent("scenario", "run", file)
    assert lacking.code == 1
    assert f"{mine}/states/bedroom.redstate cannot be read" in lacking.err
    assert agent("scenario", "run", mine, "--states", elsewhere).code == 0
    refused = agent("scenario", "run", mine, "--states", tmp_path / "none")
    assert (refused.code, "is no folder" in refused.err) == (2, True)


def test_what_cannot_be_used_fails_by_name_and_the_others_still_run(
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
        written(mine, FROM_BEDROOM.replace("bedroom", name) + WAIT, name)
    ended = agent("scenario", "run", mine, "--json")
    assert ended.code == 1
    told = {each["name"]: each for each in ended.json["scenarios"]}
    assert told["bedroom"]["verdict"] == "passed"
    assert (ended.json["passed"], ended.json["failed"]) == (1, 5)
    problems = {name: each["problems"] for name, each in told.items()}
    assert all(len(problems[name]) == 1 for name in states.keys() - {"bedroom"})
    for name in states.keys() - {"bedroom"}:
        assert f"{name}.redstate" in problems[name][0]
        assert "\n" not in problems[name][0]
    assert f"is of Pokemon Red (US), SHA-1 {RED.sha1}" in problems["cartridge"][0]
    assert "pass the --rom that it was recorded on" in problems["cartridge"][0]
    assert f"was made by PyBoy 1.0.0, and this is {EMULATOR}" in problems["emulator"][0]
    assert all("put back a copy" in problems[name][0] for name in ("cut", "flipped", "foreign"))


def test_a_scenario_for_another_cartridge_is_skipped_and_that_is_no_failure(
    mine: Path, agent: Agent, demo: Cartridge
) -> None:
    written(mine, f'cartridge = "{OTHER}"\n' + FROM_BEDROOM + WAIT, "not_this")
    written(mine, f'cartridge = "{demo.sha1}"\n' + FROM_BEDROOM + WAIT, "this")
    ended = agent("scenario", "run", mine)
    assert ended.code == 0
    assert "2 scenarios: 1 passed, 1 skipped" in ended.out
    assert f"not_this: skipped: it is for another cartridge, SHA-1 {OTHER}" in ended.err


def test_scenarios_are_run_on_the_cartridge_that_is_named(
    mine: Path, tmp_path: Path, demo: Cartridge, agent: Agent
) -> None:
    image = tmp_path / "copy.gb"
    image.write_bytes(demo.rom)
    written(mine, FROM_BEDROOM + WAIT)
    assert agent("scenario", "run", mine, "--rom", image).code == 0
    assert agent("scenario", "run", mine, "--rom", tmp_path / "none.gb").code == 1


def test_scenarios_side_by_side_come_out_as_one_after_the_other(mine: Path, agent: Agent) -> None:
    for number in range(3):
        written(mine, FROM_BEDROOM + WAIT + f"[then]\nbag = {number}\n", f"it{number}")
    one, two = (agent("scenario", "run", mine, "--json", "--jobs", jobs) for jobs in (1, 2))
    assert (one.code, two.code) == (1, 1)
    assert one.json == two.json
    assert [each["verdict"] for each in two.json["scenarios"]] == ["passed", "failed", "failed"]


def test_a_list_says_where_each_begins_and_what_is_of_no_use(
    mine: Path, demo: Cartridge, bedroom: bytes, agent: Agent
) -> None:
    (mine / "moments").mkdir()
    (mine / "moments" / "house.toml").write_text("[[start]]\nplay = { map = 37 }\n")
    (mine / "states" / "old.redstate").write_bytes(changed(demo, bedroom, emulator="PyBoy 1.0.0"))
    written(mine, 'pitfall = "rest"\nsays = "One rests."\n' + WAIT, "a")
    written(mine, 'says = "x"\n[[start]]\nafter = "house"\n' + WAIT, "b")
    written(mine, FROM_BEDROOM + WAIT, "c")
    written(mine, FROM_BEDROOM.replace("bedroom", "old") + WAIT, "d")
    written(mine, FROM_BEDROOM.replace("bedroom", "gone") + WAIT, "e")
    ended = agent("scenario", "list", mine, "--json")
    assert ended.code == 0
    a, b, c, d, e = ended.json["scenarios"]
    assert (a["pitfall"], a["says"], a["start"], a["trouble"]) == (
        "rest",
        "One rests.",
        "power-on",
        "",
    )
    assert b["start"] == "after moment house"
    assert c["start"].startswith("state bedroom: Red Agent Demo, frame ")
    assert (c["start"].endswith(EMULATOR), c["trouble"]) == (True, "")
    assert (d["start"].endswith("PyBoy 1.0.0"), "record it again" in d["trouble"]) == (True, True)
    assert "cannot be read" in e["trouble"]
    table = agent("scenario", "list", mine)
    assert table.code == 0
    assert "of no use" in table.out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[[start]]\nset = { wGrassRate = 0 }\n[[start]]\nstate = "bedroom"\n', "come first"),
        ('[[start]]\nstate = "../bedroom"\n', "no name of a saved moment"),
        ("", "no SHA-1"),
    ],
)
def test_a_start_that_makes_no_sense_is_refused(mine: Path, text: str, complaint: str) -> None:
    cartridge = "" if text else 'cartridge = "red"\n'
    with pytest.raises(UsageError, match=complaint):
        read_scenario(written(mine, 'says = "A test."\n' + cartridge + text + WAIT))


def test_a_folder_without_scenarios_is_nothing_to_do(tmp_path: Path, agent: Agent) -> None:
    ended = agent("scenario", "run", tmp_path)
    assert (ended.code, "no scenario" in ended.out) == (0, True)


def test_play_without_an_aim_lasts_for_its_frames(mine: Path, run: Run) -> None:
    report = run(written(mine, FROM_BEDROOM + "[play]\nframes = 600\n"))
    assert report.verdict is ScenarioVerdict.PASSED
    assert 600 <= report.frames < 1_000


def test_git_takes_no_saved_moment() -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "*.redstate" in ignored
