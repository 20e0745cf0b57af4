"""`plan` in the middle of something, where the next step is not a plan's."""

from pathlib import Path

from agent.app import Interrupt, Moment, Settings, outlook, play_run
from tests.agent.support import Agent, Played, Watcher


def test_where_text_waits_it_says_so_instead_of_knowing_no_way(
    agent: Agent, tmp_path: Path
) -> None:
    run, asked = tmp_path / "run", Interrupt()

    def stop_at_text(moment: Moment) -> None:
        state = moment.state
        asked.asked = state.game_started and state.dialogue.is_open and state.menu is None

    play_run(Settings(run=run, memory=tmp_path / "memory.sqlite"), Watcher(stop_at_text), asked)
    seen = outlook(None, run)
    assert (seen.goal, seen.plan, seen.now) == (None, None, "text is waiting")
    assert agent("plan", "--run", run).out.endswith("No plan now: text is waiting.\n")


def test_where_all_is_reached_no_goal_is_listed(agent: Agent, played: Played) -> None:
    said = agent("plan", "--run", played.folder).out
    assert "Open goals: none\nNo plan now: " in said
