"""Decisions of the supervisor about scripted children that crash, hang, stall or exceed a limit."""

import os
import signal
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from threading import Thread
from time import monotonic, sleep
from typing import Any
from unittest.mock import ANY

import pytest

from agent.advisor.port import Decider
from agent.app import Interrupt
from agent.errors import RunError, UsageError
from agent.settings import Settings
from agent.tools.overnight.logs import Line, NightJournal
from agent.tools.overnight.night import FRAMES_PER_HOUR, Clock, NightLimits
from agent.tools.report.run_data import NightLog
from memory.errors import NewerStore, RunFolderError
from memory.store.run_folder import own
from tests.agent.tools.overnight.nights import QUICK, Viewer, kinds, lines_of, lives_of, run_night
from tests.agent.tools.overnight.test_overnight import corrupt_file

GOAL: dict[str, Any] = {"beats": [{"tick": 500, "checkpoint": 500}], "stop": "goal"}
STAYS: dict[str, Any] = {"beats": [{"tick": 90}], "stays": True}
CRASH: dict[str, Any] = {"beats": [{"tick": 90}], "signal": signal.SIGSEGV}


def test_a_crash_is_followed_by_a_restart_and_the_goal(run: Path) -> None:
    night = run_night(run, CRASH, GOAL)
    assert (night.verdict, night.restarts, night.ticks) == ("goal", 1, 500)
    assert kinds(run) == ["crash"]
    (fault,) = lines_of(run, "fault")
    assert fault["says"] == "ended by SIGSEGV"
    assert fault["answer"] == "restart in 0.01 s"
    assert [line["code"] for line in lines_of(run, "ended")] == [-signal.SIGSEGV, 0]
    assert [line["tick"] for line in lines_of(run, "started")] == [90, 500]


def test_a_repeated_crash_uses_older_checkpoints_and_then_gives_up(
    run: Path, tmp_path: Path
) -> None:
    error = {"beats": [{"tick": 110, "checkpoint": 102}], "code": 1, "says": "error: no way on\n"}
    night = run_night(run, error)
    assert night.verdict == "gave_up"
    assert night.reason == "no way on (it happened 8 times, also from older checkpoints)"
    back = [life[life.index("--at") + 1] for life in lives_of(tmp_path) if "--at" in life]
    assert back == ["66", "0", "0"]
    assert all(
        ("--recover" in life) is ("--at" in life) and "--resume" in life
        for life in lives_of(tmp_path)
    )
    answers = [line["answer"] for line in lines_of(run, "fault")]
    assert answers[3] == "went back to tick 66, restart in 0.08 s"
    assert answers[6].startswith("restored the copy of ")


def test_a_child_killed_from_outside_is_restarted_at_its_last_checkpoint(
    run: Path, tmp_path: Path
) -> None:
    killed = {"beats": [{"tick": 90}], "signal": signal.SIGKILL}
    asked = {"beats": [{"tick": 90}], "stop": "interrupted", "code": 130}
    night = run_night(run, *[killed] * 2, asked, GOAL)
    assert night.verdict == "goal"
    assert kinds(run) == ["killed"] * 2 + ["terminated"]
    assert not any("--at" in life for life in lives_of(tmp_path))


@pytest.mark.parametrize("ends_cleanly", [True, False])
def test_a_hanging_child_is_ended_and_play_continues(run: Path, *, ends_cleanly: bool) -> None:
    hanging = {"beats": [{"tick": 90}] * 3, "stays": True, "ends_cleanly": ends_cleanly}
    patience = replace(QUICK, hang_s=2, grace_s=2)  # a child on a busy machine is no hanging one
    night = run_night(run, hanging, GOAL, patience=patience)
    assert (night.verdict, kinds(run)) == ("goal", ["hang"])
    (fault,) = lines_of(run, "fault")
    assert fault["says"] == "no tick for 2 s since the lab, test: stand in"
    assert lines_of(run, "ended")[0]["code"] == (130 if ends_cleanly else -signal.SIGKILL)


def livelock(*, gains: int) -> dict[str, Any]:
    hour = round(FRAMES_PER_HOUR)
    beats = [
        {"tick": 70 + n, "frame": n * hour, "gains": min(n, gains), "checkpoint": 0}
        for n in range(9)
    ]
    return {"beats": beats, "stays": True}


def test_play_without_gains_goes_back_twice_and_then_gives_up(run: Path, tmp_path: Path) -> None:
    night = run_night(run, livelock(gains=2))
    assert night.verdict == "gave_up"
    assert "no gain in 3 hours of game time: the lab, test: stand in" in night.reason
    assert night.reason.endswith("; going back 2 times did not help")
    assert kinds(run) == ["livelock"] * 2
    back = [life[life.index("--at") + 1] for life in lives_of(tmp_path) if "--at" in life]
    assert back == ["66", "0"]


@pytest.mark.parametrize(
    ("limits", "which", "why"),
    [
        (NightLimits(free_bytes=1 << 60), "disk", "must stay free"),
        (NightLimits(free_bytes=0, game_hours=0.001), "game_hours", "of game time"),
        (NightLimits(free_bytes=0, log_bytes=100), "log", "see night.log"),
    ],
)
def test_an_exceeded_limit_ends_the_night_cleanly(
    run: Path, limits: NightLimits, which: str, why: str
) -> None:
    life = {"beats": [{"tick": 90}, {"tick": 900}], "stays": True, "says": "words\n" * 100}
    night = run_night(run, life, limits=limits)
    assert (night.verdict, night.which) == ("limit", which)
    assert why in night.reason
    assert lines_of(run, "ended")[0]["code"] == 130
    assert lines_of(run, "verdict")[0]["which"] == which


def test_short_memory_after_a_restart_is_a_limit(run: Path) -> None:
    limits = NightLimits(free_bytes=0, resident=1)
    night = run_night(run, STAYS, limits=limits)
    assert (night.verdict, night.which, night.restarts) == ("limit", "memory", 1)
    assert kinds(run) == ["memory"]


def test_played_ticks_are_a_limit_and_a_milestone_is_reported_once_with_its_moment(
    run: Path, tmp_path: Path
) -> None:
    reached = {"milestones": ["starter", "rival"], "reached": [[1_030, 9_000]]}
    beats = [{"tick": 90, "milestones": ["starter"]}, *[{"tick": 1_031 + n, **reached} for n in range(3)]]  # fmt: skip
    night = run_night(run, {"beats": beats, "stop": "ticks"}, play=Settings(ticks=1_033))
    assert (night.verdict, night.which) == ("limit", "ticks")
    assert lives_of(tmp_path)[0][:2] == ["play", "--json"]
    (line,) = lines_of(run, "milestone")  # the other milestone is in the run already
    assert (line["id"], line["tick"], line["frame"]) == ("rival", 1_030, 9_000)


def test_to_go_on_with_a_night_is_no_restart(run: Path) -> None:
    interrupt = Interrupt()

    def react(line: Line) -> None:
        interrupt.asked = line["what"] == "started" and line["n"] == 2

    crash, stays = {"beats": [{"tick": 90}], "code": 1}, {"beats": [{"tick": 95}], "stays": True}
    first = run_night(run, crash, stays, viewer=Viewer(react), interrupt=interrupt)
    night = run_night(run, crash, stays, GOAL)
    assert (first.verdict, first.restarts) == ("interrupted", 1)
    assert (night.verdict, night.restarts) == ("goal", 1)
    assert NightLog.read(run).restarts == 1
    assert [line["restarts"] for line in lines_of(run, "child")] == [0, 1, 1]
    assert lines_of(run, "ended")[1]["code"] == 130  # it was ended cleanly


def test_wall_time_counts_over_all_sessions_without_jumps_of_the_date(run: Path) -> None:
    interrupt = Interrupt()
    dates = iter(range(10**9, 0, -(10**6)))
    clock = Clock(date=lambda: float(next(dates)))

    def react(line: Line) -> None:
        interrupt.asked |= line["what"] == "sample"

    first = run_night(run, STAYS, interrupt=interrupt, viewer=Viewer(react), clock=clock)
    limits = NightLimits(free_bytes=0, hours=(first.night_s + 0.4) / 3_600)
    second = run_night(run, STAYS, limits=limits, clock=clock)
    assert second.which == "hours"
    assert second.night_s >= first.night_s + 0.4


def test_a_night_after_a_verdict_has_all_its_hours(run: Path) -> None:
    limits = NightLimits(free_bytes=0, hours=2.0 / 3_600)
    assert run_night(run, STAYS, limits=limits).which == "hours"
    assert run_night(run, STAYS, limits=limits).night_s >= 2.0
    assert len(lines_of(run, "started")) == 2


def test_play_continues_by_rules_after_the_model_limit(run: Path, tmp_path: Path) -> None:
    limits = NightLimits(free_bytes=0, usd=0.0)  # reached before the first call
    night = run_night(
        run, STAYS, GOAL, limits=limits, asks=True, play=Settings(mind=Decider.CLAUDE)
    )
    assert night.verdict == "goal"
    assert lives_of(tmp_path)[1][-4:-2] == ["--mind", "rules"]
    (line,) = lines_of(run, "rules")
    assert line["says"] == "$0.00 spent on a model, of $0.00"


def test_usage_and_first_run_errors_are_raised_without_a_restart(tmp_path: Path) -> None:
    failing = {"code": 2, "says": "error: --until nowhere is no milestone\n"}
    with pytest.raises(UsageError, match="nowhere is no milestone"):
        run_night(tmp_path / "run", failing)
    failing = {"code": 1, "says": "error: roms/x.gb is no cartridge\n"}
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(RunError, match="is no cartridge"):
        run_night(other / "run", failing)
    assert len(lives_of(other)) == 1


@pytest.mark.parametrize("name", ["run.lock", "night.lock"])
def test_a_run_in_use_and_a_lock_that_is_a_link_are_refused_at_once(
    run: Path, tmp_path: Path, name: str
) -> None:
    with own(run, name):
        before = sorted(run.iterdir())
        with pytest.raises(RunFolderError, match="in use by another process"):
            run_night(run, GOAL)
        # No journal; with a run that is played, no lock of a night either.
        assert {*run.iterdir()} - {*before} <= {run / "run.lock"}
    assert not (run.parent / "lives.jsonl").exists()
    target = tmp_path / "precious"
    target.write_text("kept", encoding="utf-8")
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(target)
    with pytest.raises(RunFolderError, match="is a link"):
        run_night(run, GOAL)
    assert target.read_text(encoding="utf-8") == "kept"


def test_the_child_of_a_dead_supervisor_is_waited_for(run: Path) -> None:
    NightJournal(run, lambda: 0.0).append("child", n=1, pid=os.getpid())
    with own(run) as lock:
        pass

    def react(line: Line) -> None:
        if line["what"] == "waiting":
            lock.release()

    viewer = Viewer(react)
    assert run_night(run, GOAL, viewer=viewer).verdict == "goal"
    assert viewer.lines[0] == {"at": ANY, "what": "waiting", "pid": os.getpid()}


@pytest.mark.parametrize(
    "more", [{"patience": replace(QUICK, folder_s=0.1)}, {"limits": NightLimits(hours=1e-5)}]
)
def test_the_wait_for_a_child_ends_in_time_and_with_the_hours(
    run: Path, more: dict[str, Any]
) -> None:
    NightJournal(run, lambda: 0.0).append("child", n=1, pid=os.getpid())
    with own(run), pytest.raises(RunFolderError, match="in use by another process"):
        run_night(run, GOAL, **more)
    assert not (run.parent / "lives.jsonl").exists()


def test_a_night_in_which_no_child_plays_says_where_the_run_is(run: Path) -> None:
    interrupt = Interrupt(asked=True)
    night = run_night(run, GOAL, interrupt=interrupt)
    assert (night.verdict, night.ticks, night.frames > 0) == ("interrupted", 104, True)


def test_waits_between_children_count_against_the_hours(run: Path) -> None:
    limits = NightLimits(free_bytes=0, hours=0.4 / 3_600)
    night = run_night(run, CRASH, limits=limits, patience=replace(QUICK, backoff_s=0.4))
    assert (night.verdict, night.which, night.restarts) == ("limit", "hours", 0)


@pytest.mark.parametrize("has_played", [False, True])
def test_a_run_without_its_file_begins_with_its_settings_unless_it_was_played(
    run: Path, tmp_path: Path, *, has_played: bool
) -> None:
    (run / "run.sqlite").unlink()
    for name in ("report.html", "summary.json"):
        (run / name).unlink(missing_ok=True)
    if has_played:
        (run / "summary.json").touch()
    night = run_night(run, GOAL)
    assert (night.verdict, kinds(run)) == ("goal", ["not_resumable"] * has_played)
    assert ("--run" if has_played else "--resume") in lives_of(tmp_path)[0]
    assert (run / "run.toml.unbegun-1").exists() is has_played


def test_unreadable_settings_of_a_run_without_a_file_are_no_loss(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.toml").write_text("seed = 1\n", encoding="utf-8")
    night = run_night(run, GOAL)
    assert (night.verdict, kinds(run)) == ("goal", ["damaged_run"])
    assert "--run" in lives_of(tmp_path)[0]
    assert (run / "run.toml.unbegun-1").exists()


@pytest.mark.parametrize("name", ["run/run.sqlite", "memory.sqlite"])
def test_a_file_of_a_newer_version_ends_the_night_at_once(
    run: Path, tmp_path: Path, name: str
) -> None:
    with closing(sqlite3.connect(tmp_path / name)) as database:
        database.execute("PRAGMA user_version = 99")
    before = (tmp_path / name).read_bytes()
    with pytest.raises(NewerStore, match=r"has version 99, this program knows \d; update"):
        run_night(run, GOAL)
    assert (tmp_path / name).read_bytes() == before
    assert not (tmp_path / "lives.jsonl").exists()
    assert not (run / "night.jsonl").exists()


def test_settings_without_a_key_and_without_a_copy_end_the_night_at_once(
    run: Path, tmp_path: Path
) -> None:
    settings, record = run / "run.toml", (run / "run.sqlite").read_bytes()
    lines = settings.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("hash = "))
    settings.write_text(text, encoding="utf-8")
    night = run_night(run, GOAL)
    reason = (
        f"{settings} is damaged (run.toml lacks 'hash'; restore the file that play wrote); "
        "there is no good copy of it, and the run stays as it is"
    )
    assert (night.verdict, night.reason, kinds(run)) == ("gave_up", reason, ["damaged_run"])
    assert not (tmp_path / "lives.jsonl").exists()
    assert (settings.read_text(encoding="utf-8"), (run / "run.sqlite").read_bytes()) == (
        text,
        record,
    )


def test_a_damage_that_the_end_of_play_overwrote_is_no_repair(run: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.sqlite"
    good = memory.read_bytes()

    def damage_while_playing(line: Line) -> None:
        if line["what"] == "started" and line["n"] == 1:
            corrupt_file(memory)
        elif line["what"] == "ended":
            memory.write_bytes(good)

    night = run_night(run, STAYS, GOAL, viewer=Viewer(damage_while_playing))
    assert (night.verdict, kinds(run)) == ("goal", ["damaged_memory"])
    (fault,) = lines_of(run, "fault")
    assert fault["answer"].startswith("the file is intact now that play has ended, restart")
    assert not [*tmp_path.glob("*.damaged-*")]


def test_a_night_begins_with_copies(run: Path) -> None:
    run_night(run, GOAL)
    names = {each.name for each in (run / "copies").iterdir()}
    assert names >= {"memory.sqlite", "run.sqlite", "run.toml"}


def test_an_unwritable_folder_is_waited_for_without_playing(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shelf"

    def react(line: Line) -> None:
        if line["what"] == "ended" and line["code"] == 1:
            folder.rename(tmp_path / "elsewhere")
            folder.touch()  # a file instead of the folder
        if len(kinds(run)) == 3 and folder.is_file():
            folder.unlink()
            (tmp_path / "elsewhere").rename(folder)

    folder.mkdir()
    failing = {"beats": [{"tick": 90}], "code": 1, "says": "error: it cannot be written\n"}
    memory = folder / "memory.sqlite"
    copyfile(run.parent / "memory.sqlite", memory)
    night = run_night(run, failing, GOAL, viewer=Viewer(react), memory=memory)
    assert (night.verdict, night.restarts) == ("goal", 1)
    assert kinds(run) == ["unwritable"] * 3


def test_waiting_journal_lines_are_written_while_a_child_is_silent(
    run: Path, tmp_path: Path
) -> None:
    journal, moved, interrupt = run / "night.jsonl", tmp_path / "moved.jsonl", Interrupt()
    seen = []

    def block_journal(line: Line) -> None:
        if line["what"] == "ended" and not moved.exists():
            journal.rename(moved)
            journal.mkdir()  # a folder cannot be opened for writing

    def unblock_journal() -> None:
        while len(lives_of(tmp_path)) < 2:
            sleep(0.01)
        seen.append(kinds(run))
        journal.rmdir()
        moved.rename(journal)
        until = monotonic() + 120  # patience only: nothing waits for it if all is well
        while not kinds(run) and monotonic() < until:
            sleep(0.01)
        seen.append(kinds(run))
        interrupt.asked = True

    silent = {"beats": [], "stays": True, "ends_cleanly": True}
    (tmp_path / "lives.jsonl").touch()
    other = Thread(target=unblock_journal)
    other.start()
    night = run_night(run, CRASH, silent, viewer=Viewer(block_journal), interrupt=interrupt)
    other.join()
    assert night.verdict == "interrupted"
    assert seen == [[], ["crash"]]
