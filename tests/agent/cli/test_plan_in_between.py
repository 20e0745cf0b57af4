"""`plan` in the middle of something, where the next step is not a plan's."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, TickView, outlook, play_run
from tests.agent.support import Agent, Played, Watcher, end_the_story


def test_where_text_waits_it_says_so_and_what_comes_then(agent: Agent, tmp_path: Path) -> None:
    run, asked = tmp_path / "run", Interrupt()

    def stop_at_text(moment: TickView) -> None:
        state = moment.state
        asked.asked = state.game_started and state.dialogue.is_open and state.menu is None

    play_run(Settings(run=run, memory=tmp_path / "memory.sqlite"), Watcher(stop_at_text), asked)
    seen = outlook(None, run)
    assert seen.now == "text is waiting"
    assert seen.goal is not None
    assert seen.goal.says == "say goodbye downstairs"
    assert "Now: text is waiting.\nGoal: say goodbye" in agent("plan", "--run", run).out


def test_where_all_is_reached_no_goal_is_listed(
    agent: Agent, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_the_story(monkeypatch, "first_badge")
    said = agent("plan", "--run", played.folder).out
    assert "\nOpen goals: none\nNow: " in said
    assert said.endswith("\nNo plan.\n")


@pytest.mark.parametrize("mind", ["{}", "[1]", '{"mind": {}, "eyes": {}}'])
@pytest.mark.parametrize("command", [("plan", "--run"), ("play", "--resume")])
def test_a_mind_that_another_version_kept_is_refused_in_one_line(
    command: tuple[str, str], mind: str, agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(played.folder, run)
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        database.execute("UPDATE checkpoints SET mind = ?", (mind,))
    ended = agent(*command, run)
    assert ended.code == 1
    (line,) = ended.err.splitlines()
    assert "keeps no mind that this version understands" in line
