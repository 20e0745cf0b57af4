"""The lists of runs and of milestones, and the name `last`."""

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from agent.cli import flags, lists
from agent.story.story import Story
from emulator import CartridgeKind
from memory import Json, open_run
from tests.agent.support import Agent, Played, refused


@pytest.fixture
def home(played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose runs/ holds two runs and a broken one; `newer` was played last."""
    monkeypatch.setattr(flags, "HOME", tmp_path)
    monkeypatch.setattr(lists, "HOME", tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for age, name in enumerate(("newer", "older")):
        run = shutil.copytree(played.folder, tmp_path / "runs" / name)
        for file in run.iterdir():
            os.utime(file, (1_000_000 - age, 1_000_000 - age))
    broken = tmp_path / "runs" / "broken"
    broken.mkdir()
    (broken / "run.toml").write_text("seed = [")
    (tmp_path / "runs" / "no run").mkdir()
    return tmp_path


def test_runs_are_listed_newest_first_and_a_broken_one_does_not_hide_the_others(
    home: Path, agent: Agent, played: Played
) -> None:
    ended = agent("runs", "--json")
    assert (ended.code, ended.err) == (0, "")
    broken, newer, older = ended.json["runs"]
    assert [Path(each["run"]).name for each in (broken, newer, older)] == [
        "broken",
        "newer",
        "older",
    ]
    assert "run.toml cannot be read" in broken["trouble"]
    assert newer["played"] == "1970-01-12T13:46:40+00:00"
    assert newer["milestones"] == [each.id for each in played.summary.milestones]
    assert (newer["stop"], newer["seed"], newer["of"]) == ("goal", 3, 15)
    assert newer["bytes"] == sum(each.stat().st_size for each in played.folder.iterdir())

    assert newer["decided_by"] == "by rules"
    with closing(open_run(home / "runs" / "newer")) as folder:
        advice: Json = {"goals": [], "candidates": [], "by": "fake-claude:x", "confidence": 1.0}
        folder.store.record.add_event(1, "advice", {"purpose": "stuck", "advice": advice})
        folder.store.commit()

    shown = agent("runs").out
    assert "9 of 15 milestones, reached its goal" in shown
    assert shown.count("by rules, advised by fake-claude (made-up answers)") == 1
    assert "unreadable: " in shown
    assert all(len(line) <= 80 for line in shown.splitlines() if "│" in line)
    assert "…" not in shown


def test_a_run_without_a_summary_of_its_last_checkpoint_is_not_called_ended(
    home: Path, agent: Agent
) -> None:
    summary = home / "runs" / "newer" / "summary.json"
    summary.write_text(summary.read_text().replace('"ticks": ', '"ticks": 0.'))
    (home / "runs" / "older" / "summary.json").unlink()
    assert [each["stop"] for each in agent("runs", "--json").json["runs"]] == [None, None, None]


def test_last_names_the_run_played_last(home: Path, agent: Agent) -> None:
    for command in (("report", "last"), ("memory", "show", "last")):
        ended = agent(*command)
        assert ended.code == 0, ended.err
        assert "newer" in "".join(ended.out.split())  # a long path wraps
    assert agent("plan", "--run", "last").out.startswith("Moment: tick ")
    (home / "runs" / "newer" / "run.sqlite").unlink()
    assert agent("report", "last").out.strip() == str(home / "runs" / "older" / "report.html")


def test_last_without_a_run_is_one_error_line(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flags, "HOME", tmp_path)
    monkeypatch.setattr(lists, "HOME", tmp_path)
    for command in (
        ("play", "--resume", "last"),
        ("overnight", "--run", "last"),
        ("replay", "last"),
        ("plan", "--run", "last"),
    ):
        refused(agent(*command), 2, f"error: there is no run in {tmp_path / 'runs'}")
    assert agent("runs").out.startswith(f"no runs in {tmp_path / 'runs'} yet")
    assert agent("runs", "--json").json == {"runs": []}
    assert agent("runs", tmp_path / "nowhere").code == 2


def test_milestones_are_listed_by_the_names_of_until(agent: Agent) -> None:
    story = Story.of(CartridgeKind.DEMO)
    listed = agent("milestones", "--json").json
    assert listed["cartridge"] == "Red Agent Demo"
    assert [each["id"] for each in listed["milestones"]] == list(story.up_to(None))
    shown = agent("milestones").out
    assert all(each.label in shown for each in story.milestones)
