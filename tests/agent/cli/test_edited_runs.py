"""Runs whose file was edited by somebody: every command that reads them says so in a line."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent.tools.report.chart import local
from agent.tools.scenario.capture import _value
from tests.agent.support import Agent, Played


@pytest.fixture
def run(played: Played, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played.folder, tmp_path / "run"))


def _edit(run: Path, sql: str) -> None:
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        database.execute(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE steps SET button = 'nonsense' WHERE tick = 40",
        "UPDATE steps SET settle = 1000000000 WHERE tick = 40",
        "DELETE FROM steps WHERE tick = 40",
        "UPDATE events SET payload = '{}' WHERE kind = 'milestone'",
    ],
)
def test_an_edited_run_is_neither_drawn_nor_recorded_nor_exported(
    sql: str, run: Path, agent: Agent, tmp_path: Path
) -> None:
    _edit(run, sql)
    for command in (
        ("replay", run, "--to", 50, "--png", tmp_path / "made"),
        ("replay", run, "--export", tmp_path / "made"),
        ("scenario", "record", run, "--at", 200, "--name", "it", "--into", tmp_path / "made"),
    ):
        ended = agent(*command)
        assert (ended.code, ended.out, len(ended.err.splitlines())) == (1, "", 1), ended.err
        assert not (tmp_path / "made").exists()


def test_a_team_that_is_none_is_damage(run: Path, agent: Agent) -> None:
    _edit(run, "UPDATE trail SET team = '[[1]]'")
    ended = agent("report", run)
    assert (ended.code, "is damaged (trail: " in ended.err) == (1, True)


def test_a_clock_beyond_all_calendars_is_told_all_the_same(run: Path, agent: Agent) -> None:
    _edit(run, "UPDATE vitals SET at_ms = 99999999999999999, wall_s = 1e300")
    assert agent("report", run).code == 0
    assert local(-1e300).year in {1969, 1970}


def test_words_beyond_the_basic_plane_can_be_read_again(
    run: Path, agent: Agent, tmp_path: Path
) -> None:
    into = tmp_path / "a folder"
    says = 'A "quote", \\ and \U0001f600\x7f\nü'
    made = agent(
        "scenario", "record", run, "--at", 40, "--name", "it", "--into", into, "--says", says
    )
    assert made.code == 0, made.err
    assert f"scenario run '{into}/it.toml'" in made.out
    assert agent("scenario", "list", into).code == 0
    assert _value("a\ud800").encode()
