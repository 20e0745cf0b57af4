"""`verify`: it does not change the game, the facts hold on the demo, and contradictions are reported."""

import json
import re
from contextlib import closing
from inspect import getsource
from pathlib import Path

import pytest

from agent.app import Interrupt
from agent.app.play import session_in
from agent.app.session import PlayLimits
from agent.app.summary import NoViewer
from agent.story.story import Story
from agent.tools.verify import (
    addresses,
    battles,
    encounters,
    growth,
    movement,
    scripts,
    text_menus,
    waits,
    warps,
)
from agent.tools.verify.fact import Fact, FactLog, FactStatus, written_facts
from agent.tools.verify.game import CartridgeVerdict, FactChecks, VerifyRequest, page, verify
from emulator import Button, Cartridge, Dex, PyBoyConsole, Step
from emulator.profile import symbol
from tests.agent.support import Agent

UNTIL = "delivered"
FRAMES = 60 * 60 * 60


@pytest.fixture(scope="module")
def verdict(demo: Cartridge) -> CartridgeVerdict:
    return verify(demo, VerifyRequest(UNTIL, FRAMES, seed=3), NoViewer(), Interrupt())


def test_every_fact_holds_on_the_demo(verdict: CartridgeVerdict) -> None:
    assert [row.words for row in verdict.wrong] == []
    assert verdict.exit_code == 0
    assert verdict.count(FactStatus.HELD) >= 60


def test_every_topic_is_checked_by_the_first_errand(verdict: CartridgeVerdict) -> None:
    seen = {row.fact.topic for row in verdict.rows if row.standing is FactStatus.HELD}
    every = {row.fact.topic for row in verdict.rows}
    assert every - seen <= {"trainers"}


def test_facts_not_seen_are_listed(verdict: CartridgeVerdict) -> None:
    row = next(row for row in verdict.rows if row.fact.id == "story.first_badge")
    assert row.standing is FactStatus.NOT_SEEN


def test_every_written_fact_has_a_check() -> None:
    modules = (addresses, battles, encounters, growth, movement, scripts, text_menus, waits, warps)
    sources = "".join(getsource(module) for module in modules)
    assert set(re.findall(r'"([a-z]+\.[a-z_]+)"', sources)) == set(written_facts())


def test_watchers_do_not_change_the_game(demo: Cartridge, tmp_path: Path) -> None:
    checks = FactChecks(demo)
    chains = []
    for name, between in (("plain", None), ("watched", checks.around)):
        home = tmp_path / name
        home.mkdir()
        story = Story.of(demo.kind)
        with session_in(home, demo, story, 5, Interrupt(), around=between) as (session, store):
            session.play(PlayLimits("starter", 1_000), NoViewer())
            chains.append([row.chain for row in store.record.steps()])
    assert chains[0] == chains[1]
    assert any(row.held for row in checks.log.rows.values())


def test_a_contradiction_is_recorded_with_its_place(demo: Cartridge) -> None:
    fact = Fact("walking.turn", "It turns.", "engine.md 3.2: turn then step")
    log = FactLog([fact])
    log.tick = 7
    with closing(PyBoyConsole(demo)) as console:
        console.perform(Step(Button.A, 1, 0))
        console.poke(symbol("wCurMap"), b"\x0c")
        for _ in range(5):
            log.fails(fact.id, "it walked", console.ram(), console.frame)
    (row,) = log.wrong
    assert (row.broken, len(row.findings)) == (5, 3)
    assert row.findings[0].where.startswith("map 12 at (")
    assert "tick 7, frame 1" in row.findings[0].where


def test_the_report_holds_no_names_and_no_game_content(
    verdict: CartridgeVerdict, demo: Cartridge
) -> None:
    text, data = page(verdict), json.dumps(verdict.as_json())
    dex = Dex.of(demo)
    names = {species.name for species in dex.all_species.values()}
    for each in (text, data):
        assert not [name for name in names if name in each]
        assert "data:image" not in each
        assert str(demo.path.parent) not in each
    assert "http" not in text.replace("http-equiv", "")


def test_the_command_writes_its_report_into_a_folder_that_it_makes(
    agent: Agent, tmp_path: Path
) -> None:
    new = tmp_path / "new" / "folder"
    ended = agent("verify", "--until", "left_home", "--write", str(new), "--json")
    assert ended.code == 0, ended.err
    assert ended.json["wrong"] == []
    assert ended.json == json.loads((new / "verify-report.json").read_text(encoding="utf-8"))
    assert "written" in (new / "verify-report.html").read_text(encoding="utf-8")


def test_a_file_in_the_place_of_the_folder_is_refused_in_one_line(
    agent: Agent, tmp_path: Path
) -> None:
    (tmp_path / "taken").touch()
    ended = agent("verify", "--write", str(tmp_path / "taken" / "folder"))
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "is no folder (Not a directory); name another" in ended.err


def test_the_minutes_option_ends_play(agent: Agent, tmp_path: Path) -> None:
    ended = agent("verify", "--minutes", "0.2", "--write", str(tmp_path), "--json")
    assert ended.code == 0, ended.err
    assert ended.json["stop"] == "limit"
    assert 700 <= ended.json["frames"] < 1_500


def test_an_unknown_milestone_is_refused(agent: Agent, tmp_path: Path) -> None:
    ended = agent("verify", "--until", "nowhere", "--write", str(tmp_path / "new"))
    assert (ended.code, (tmp_path / "new").exists()) == (2, False)
    assert "left_home" in ended.err


@pytest.mark.parametrize("name", ["verify-report.html", "verify-report.json"])
def test_no_file_is_replaced(name: str, agent: Agent, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")
    ended = agent("verify", "--until", "left_home", "--write", str(tmp_path))
    assert ended.code == 2
    assert f"{tmp_path / name} exists already; name another folder" in ended.err
    assert [each.read_text(encoding="utf-8") for each in tmp_path.iterdir()] == ["mine"]


def test_without_a_folder_a_report_lies_beside_the_runs(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.cli.verify.HOME", tmp_path)
    ended = agent("verify", "--minutes", "0.1")
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("verify-")
    assert sorted(each.name for each in folder.iterdir()) == [
        "verify-report.html",
        "verify-report.json",
    ]
    assert f"The report is in {folder / 'verify-report'}.html and .json." in ended.err
    assert [each.name for each in tmp_path.iterdir()] == ["runs"]


def test_verify_refuses_an_unwritable_folder_before_playing(agent: Agent) -> None:
    ended = agent("verify", "--until", "left_home", "--write", "/proc/self")
    assert (ended.code, ended.out) == (2, "")
    assert "nothing can be written in /proc/self" in ended.err
    assert len(ended.err.splitlines()) == 1
