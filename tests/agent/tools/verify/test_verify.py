"""`verify`: it does not change the game, the facts hold on the demo, and contradictions are reported."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from inspect import getsource
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent.app import Interrupt
from agent.app.play import session_in
from agent.app.summary import NoViewer
from agent.story.story import Story
from agent.tools.verify import (
    addresses,
    battles,
    encounters,
    game,
    growth,
    movement,
    scripts,
    text_menus,
    waits,
    warps,
)
from agent.tools.verify.fact import Fact, FactLog, FactStatus, written_facts
from agent.tools.verify.game import CartridgeVerdict, VerifyRequest, expectation, page, verify
from emulator import Button, Cartridge, CartridgeKind, Dex, PyBoyConsole, Step
from emulator.profile import symbol
from memory import read_run
from tests.agent.support import Agent, Played

FRAMES = 60 * 60 * 60


class Verified(NamedTuple):
    """A verdict on the demo, and the chain of the game from which it came."""

    verdict: CartridgeVerdict
    chain: Sequence[bytes]


@pytest.fixture(scope="module")
def verified(demo: Cartridge) -> Verified:
    """Verify until the team was healed, by when play has come to every topic."""
    chain: list[bytes] = []

    @contextmanager
    def recorded(*args: Any, **more: Any) -> Iterator[object]:  # noqa: ANN401
        with session_in(*args, **more) as (session, store):
            yield session, store
            chain.extend(row.chain for row in store.record.steps())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game, "session_in", recorded)
        found = verify(demo, VerifyRequest("healed", FRAMES, seed=3), NoViewer(), Interrupt())
    return Verified(found, chain)


@pytest.fixture
def verdict(verified: Verified) -> CartridgeVerdict:
    return verified.verdict


def test_every_fact_holds_on_the_demo(verdict: CartridgeVerdict) -> None:
    assert [row.words for row in verdict.wrong] == []
    assert verdict.exit_code == 0
    assert verdict.count(FactStatus.HELD) >= 60


def test_every_topic_is_checked_by_the_first_healing(verdict: CartridgeVerdict) -> None:
    seen = {row.fact.topic for row in verdict.rows if row.standing is FactStatus.HELD}
    every = {row.fact.topic for row in verdict.rows}
    assert every - seen <= {"trainers"}


@pytest.mark.parametrize("kind", CartridgeKind)
def test_how_far_minutes_are_likely_to_come_is_said_by_the_last_milestone_of_each_chapter(
    kind: CartridgeKind,
) -> None:
    story = Story.of(kind)
    order = [each.id for each in story.milestones]
    assert sorted(story.minutes, key=order.index) == list(story.minutes)
    assert sorted(story.minutes.values()) == list(story.minutes.values())
    assert list(story.minutes)[-1] == order[-1]
    first, *_, last = story.minutes.values()
    assert f"games come to {order[-1]}." in expectation(story, last)
    assert "games come to first_badge; the minutes to later" in expectation(story, first)


def test_facts_not_seen_are_listed(verdict: CartridgeVerdict) -> None:
    assert verdict.reached[-1] == "healed"
    row = next(row for row in verdict.rows if row.fact.id == "story.first_badge")
    assert row.standing is FactStatus.NOT_SEEN


def test_every_written_fact_has_a_check() -> None:
    modules = (addresses, battles, encounters, growth, movement, scripts, text_menus, waits, warps)
    sources = "".join(getsource(module) for module in modules)
    assert set(re.findall(r'"([a-z]+\.[a-z_]+)"', sources)) == set(written_facts())


def test_watchers_and_trials_do_not_change_the_game(verified: Verified, played: Played) -> None:
    with closing(read_run(played.folder)) as folder:
        plain = [row.chain for row in folder.store.record.steps()]
    assert len(verified.chain) > 300
    assert plain[: len(verified.chain)] == verified.chain


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


def test_the_command_plays_for_its_minutes_and_writes_its_report_into_a_new_folder(
    agent: Agent, tmp_path: Path
) -> None:
    new = tmp_path / "new" / "folder"
    ended = agent("verify", "--minutes", "0.2", "--write", str(new), "--json")
    assert ended.code == 0, ended.err
    assert ended.json["stop"] == "limit"
    assert 700 <= ended.json["frames"] < 1_500
    assert ended.json["wrong"] == []
    assert ended.json == json.loads((new / "verify-report.json").read_text(encoding="utf-8"))
    assert "written" in (new / "verify-report.html").read_text(encoding="utf-8")
    assert ended.err.startswith(
        "In 0.2 minutes of game time half of the rehearsed games end in the first chapter; "
        "the minutes to later chapters: first_badge 16, second_badge 25, third_badge 35.\n"
    )


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


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--write taken/folder", "is no folder (Not a directory); name another"),
        ("--write /proc/self", "nothing can be written in /proc/self"),
        ("--write page", "page/verify-report.html exists already; name another folder"),
        ("--write data", "data/verify-report.json exists already; name another folder"),
        ("--until nowhere --write new", "left_home"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line_before_playing(
    flags: str, message: str, agent: Agent, tmp_path: Path
) -> None:
    (tmp_path / "taken").touch()
    for folder, name in (("page", "verify-report.html"), ("data", "verify-report.json")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text("mine", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    words = [each if each.startswith(("--", "/", "nowhere")) else tmp_path / each for each in flags.split()]  # fmt: skip
    ended = agent("verify", *words)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert message in ended.err
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "page" / "verify-report.html").read_text(encoding="utf-8") == "mine"
