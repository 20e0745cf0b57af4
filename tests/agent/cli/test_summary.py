"""The end of play on the terminal: one figure for one thing, and none where nothing was measured."""

import shutil
from pathlib import Path

from agent.tools.report.words import game_time
from tests.agent.support import Agent, Played
from tests.agent.tools.report.test_report import data_of


def test_play_and_its_report_name_the_same_time(played: Played) -> None:
    summary, data = played.summary, data_of(played.folder)
    assert game_time(summary.wall_s) == game_time(data.process.wall_s)
    assert summary.wall_s == round(data.process.wall_s, 3)


def test_a_finished_run_that_is_resumed_measures_nothing(
    agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = shutil.copytree(played.folder, tmp_path / "run")
    ended = agent("play", "--resume", run, "--until", "first_badge")
    assert ended.code == 0, ended.err
    assert "nothing was played" in ended.out
    for words in ("text read by", "frames a second", "100.0%"):
        assert words not in ended.out
