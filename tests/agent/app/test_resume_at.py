"""Going back by hand to an older moment of a run: what dies stays in the file, and the run says so for ever."""

import os
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, interrupts, play_run
from agent.errors import UsageError
from agent.tools.replay import replay_run
from memory import CheckpointMark, read_run
from tests.agent.support import Agent, Played, Watcher


@pytest.fixture
def run(played: Played, tmp_path: Path) -> Path:
    shutil.copytree(played.folder, tmp_path / "run")
    return tmp_path / "run"


def marks(run: Path) -> list[CheckpointMark]:
    with closing(read_run(run)) as folder:
        return folder.store.marks()


def test_every_milestone_can_be_gone_back_to(played: Played) -> None:
    with closing(read_run(played.folder)) as folder:
        reached = [event.tick for event in folder.store.events("milestone")]
    held = {mark.tick: mark.why for mark in marks(played.folder)}
    assert held[0] == "start"
    # What was recorded is committed first, and the moment a tick after it.
    assert all(any(tick <= held_at <= tick + 2 for held_at in held) for tick in reached)


def test_a_battle_that_bars_the_way_has_a_moment_before_it(played: Played) -> None:
    assert any(mark.why == "battle" for mark in marks(played.folder))


def test_a_run_taken_back_by_hand_is_labelled_and_replays(agent: Agent, run: Path) -> None:
    third = [mark for mark in marks(run) if mark.why == "milestone"][2]
    last = marks(run)[-1].tick
    ended = agent("play", "--json", "--resume", run, "--at", third.tick + 3, "--ticks", last - 1)
    assert ended.code == 0, ended.err
    assert ended.json["clean"] is False
    (back,) = ended.json["returns"]
    assert (back["tick"], back["left"], back["why"]) == (third.tick, last, "asked")
    assert replay_run(run, None).divergence is None
    with closing(read_run(run)) as folder:
        dead = [row.tick for row in folder.store.steps(live=False)]
        assert dead == list(range(third.tick + 1, last + 1))  # nothing that was played is gone
        assert folder.store.trail(live=False)
    again = agent("play", "--resume", run, "--ticks", last)
    assert "not a clean run" in again.out
    assert f"taken back by hand from tick {last} to tick {third.tick}" in again.out


def test_who_watches_over_crashes_leaves_the_run_clean(run: Path) -> None:
    third = [mark for mark in marks(run) if mark.why == "milestone"][2]
    settings = Settings(
        resume=run,
        at=third.tick,
        recovers=True,
        ticks=third.tick + 20,
        memory=run.parent / "memory.sqlite",
    )
    summary = play_run(settings, Watcher(), Interrupt())
    assert [each.why for each in summary.returns] == ["recovered"]
    assert summary.clean


def test_a_tick_before_all_there_are_is_refused_in_a_line(agent: Agent, run: Path) -> None:
    with closing(sqlite3.connect(run / "run.sqlite")) as file, file:
        file.execute("DELETE FROM checkpoints WHERE tick < 300")
    first = marks(run)[0].tick
    ended = agent("play", "--resume", run, "--at", 7)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert f"--at 7 is before the first checkpoint; there are those of ticks {first}, " in ended.err
    assert "--at -1 is negative" in agent("play", "--resume", run, "--at", -1).err


def test_a_tick_needs_a_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name the run by --resume"):
        Settings(run=tmp_path / "new", at=5)


@pytest.mark.parametrize("before_it", [signal.SIG_DFL, signal.SIG_IGN])
def test_a_closed_terminal_asks_for_an_end_unless_that_is_ignored(
    before_it: signal.Handlers,
) -> None:
    before = signal.signal(signal.SIGHUP, before_it)
    try:
        with interrupts() as interrupt:
            os.kill(os.getpid(), signal.SIGHUP)
            assert interrupt.asked is (before_it is signal.SIG_DFL)  # the other is nohup
    finally:
        signal.signal(signal.SIGHUP, before)


def test_ctrl_c_asks_for_an_end_also_of_a_job_in_the_background() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell starts one
    try:
        with interrupts() as interrupt:
            os.kill(os.getpid(), signal.SIGINT)
            assert interrupt.asked
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_goal_that_was_reached_is_to_be_reached_again_after_going_back(
    agent: Agent, run: Path
) -> None:
    lasting = [mark for mark in marks(run) if mark.why == "milestone"]
    ended = agent("play", "--json", "--resume", run, "--at", lasting[-2].tick)
    assert (ended.code, ended.json["stop"]) == (0, "goal")
    reached = [each["tick"] for each in ended.json["milestones"]]
    assert reached == sorted(set(reached))
    assert replay_run(run, None).divergence is None
