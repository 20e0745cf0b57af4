"""What the supervisor makes of children that crash, hang, get nowhere or take too much. They stand in for play."""

import signal
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest

from agent.app import Interrupt
from agent.errors import RunError, UsageError
from agent.tools.overnight.logs import Line
from agent.tools.overnight.outcomes import FRAMES_PER_HOUR, NightLimits
from agent.tools.overnight.settings import Clock
from memory.errors import RunFolderError
from memory.store.run_folder import own
from tests.agent.tools.overnight.nights import QUICK, Viewer, kinds, lives_of, night_over, told

GOAL: dict[str, Any] = {"beats": [{"tick": 500, "checkpoint": 500}], "stop": "goal"}
STAYS: dict[str, Any] = {"beats": [{"tick": 90}], "stays": True}
CRASH: dict[str, Any] = {"beats": [{"tick": 90}], "signal": signal.SIGSEGV}


def test_a_crash_is_followed_by_a_restart_and_the_goal(run: Path) -> None:
    night = night_over(run, CRASH, GOAL)
    assert (night.verdict, night.restarts, night.ticks) == ("goal", 1, 500)
    assert kinds(run) == ["crash"]
    (fault,) = told(run, "fault")
    assert fault["says"] == "ended by SIGSEGV"
    assert fault["answer"] == "restart in 0.01 s"
    assert [line["code"] for line in told(run, "ended")] == [-signal.SIGSEGV, 0]
    assert [line["tick"] for line in told(run, "started")] == [90, 500]


def test_the_same_crash_again_is_answered_from_further_back_and_then_given_up(
    run: Path, tmp_path: Path
) -> None:
    error = {"beats": [{"tick": 110, "checkpoint": 102}], "code": 1, "says": "error: no way on\n"}
    night = night_over(run, error)
    assert night.verdict == "gave_up"
    assert night.why == "no way on (it came 8 times, also from older checkpoints)"
    back = [life[life.index("--at") + 1] for life in lives_of(tmp_path) if "--at" in life]
    assert back == ["65", "0", "0"]
    assert all(
        ("--recover" in life) is ("--at" in life) and "--resume" in life
        for life in lives_of(tmp_path)
    )
    answers = [line["answer"] for line in told(run, "fault")]
    assert answers[3] == "went back to tick 65, restart in 0.08 s"
    assert answers[6].startswith("put back the copy of ")


def test_getting_further_forgets_the_crashes_of_before(run: Path) -> None:
    lives = [{**CRASH, "beats": [{"tick": n, "checkpoint": n}]} for n in range(200, 209)]
    night = night_over(run, *lives, GOAL)
    assert (night.verdict, night.restarts) == ("goal", 9)
    assert {line["answer"] for line in told(run, "fault")} == {"restart in 0.01 s"}


def test_whoever_is_killed_from_outside_is_started_again_from_where_it_was(
    run: Path, tmp_path: Path
) -> None:
    killed = {"beats": [{"tick": 90}], "signal": signal.SIGKILL}
    asked = {"beats": [{"tick": 90}], "stop": "interrupted", "code": 130}
    night = night_over(run, *[killed] * 4, asked, GOAL)
    assert night.verdict == "goal"
    assert kinds(run) == ["killed"] * 4 + ["terminated"]
    assert not any("--at" in life for life in lives_of(tmp_path))


@pytest.mark.parametrize("ends_cleanly", [True, False])
def test_a_hanging_child_is_ended_and_play_goes_on(run: Path, *, ends_cleanly: bool) -> None:
    hanging = {"beats": [{"tick": 90}] * 3, "stays": True, "ends_cleanly": ends_cleanly}
    patience = replace(QUICK, hang_s=0.3, grace_s=0.3)
    night = night_over(run, hanging, GOAL, patience=patience)
    assert (night.verdict, kinds(run)) == ("goal", ["hang"])
    (fault,) = told(run, "fault")
    assert fault["says"] == "no tick for 0.3 s since the lab, test: stand in"
    assert told(run, "ended")[0]["code"] == (130 if ends_cleanly else -signal.SIGKILL)


def livelock(*, gains: int) -> dict[str, Any]:
    hour = round(FRAMES_PER_HOUR)
    beats = [
        {"tick": 70 + n, "frame": n * hour, "gains": min(n, gains), "checkpoint": 0}
        for n in range(9)
    ]
    return {"beats": beats, "stays": True}


def test_play_without_gains_goes_back_before_the_last_one_twice_and_is_given_up(
    run: Path, tmp_path: Path
) -> None:
    night = night_over(run, livelock(gains=2))
    assert night.verdict == "gave_up"
    assert "nothing gained in 3 hours of game time: the lab, test: stand in" in night.why
    assert kinds(run) == ["livelock"] * 2
    back = [life[life.index("--at") + 1] for life in lives_of(tmp_path) if "--at" in life]
    assert back == ["65", "0"]


def test_a_child_that_gives_up_gets_two_more_tries_and_its_reason_is_the_verdict(run: Path) -> None:
    stuck = {"beats": [{"tick": 110, "gains": 5}], "stop": "gave_up", "code": 3}
    night = night_over(run, {**stuck, "reason": "no way is known"})
    assert (night.verdict, night.restarts) == ("gave_up", 2)
    assert night.why == "no way is known; going back 2 times did not help"


def test_a_gain_after_going_back_gives_all_tries_again(run: Path) -> None:
    lives = [
        {"beats": [{"tick": 110, "gains": n}], "stop": "gave_up", "code": 3}
        for n in (5, 5, 6, 6, 7)
    ]
    assert night_over(run, *lives, GOAL).verdict == "goal"


@pytest.mark.parametrize(
    ("limits", "which", "why"),
    [
        (NightLimits(free_bytes=1 << 60), "disk", "must stay free"),
        (NightLimits(free_bytes=0, hours=0.2 / 3_600), "hours", "of wall time"),
        (NightLimits(free_bytes=0, game_hours=0.001), "game_hours", "of game time"),
        (NightLimits(free_bytes=0, log_bytes=100), "log", "look into night.log"),
    ],
)
def test_a_limit_ends_the_night_cleanly_and_by_name(
    run: Path, limits: NightLimits, which: str, why: str
) -> None:
    life = {"beats": [{"tick": 90}, {"tick": 900}], "stays": True, "says": "words\n" * 100}
    night = night_over(run, life, limits=limits)
    assert (night.verdict, night.which) == ("limit", which)
    assert why in night.why
    assert told(run, "ended")[0]["code"] == 130
    assert told(run, "verdict")[0]["which"] == which


def test_memory_that_is_short_again_after_a_restart_is_a_limit(run: Path) -> None:
    limits = NightLimits(free_bytes=0, resident=1)
    night = night_over(run, STAYS, limits=limits)
    assert (night.verdict, night.which, night.restarts) == ("limit", "memory", 1)
    assert kinds(run) == ["memory"]


def test_ticks_that_are_played_are_a_limit(run: Path, tmp_path: Path) -> None:
    life = {"beats": [{"tick": 90}], "stop": "ticks"}
    night = night_over(run, life, flags=("--ticks", "90"))
    assert (night.verdict, night.which) == ("limit", "ticks")
    assert lives_of(tmp_path)[0][:2] == ["play", "--json"]


def test_a_request_for_an_end_reaches_the_child_and_is_waited_for(run: Path) -> None:
    interrupt = Interrupt()

    def react(line: Line) -> None:
        interrupt.asked |= line["what"] == "started"

    night = night_over(run, STAYS, GOAL, interrupt=interrupt, viewer=Viewer(react))
    assert (night.verdict, told(run, "ended")[0]["code"]) == ("interrupted", 130)
    again = night_over(run, STAYS, GOAL)
    assert (again.verdict, again.restarts) == ("goal", 1)  # the same night


def test_wall_time_counts_over_all_sessions_of_a_night_and_no_jump_of_the_calendar(
    run: Path,
) -> None:
    interrupt = Interrupt()
    dates = iter(range(10**9, 0, -(10**6)))
    clock = Clock(date=lambda: float(next(dates)))

    def react(line: Line) -> None:
        interrupt.asked |= line["what"] == "sample"

    first = night_over(run, STAYS, interrupt=interrupt, viewer=Viewer(react), clock=clock)
    limits = NightLimits(free_bytes=0, hours=(first.night_s + 0.4) / 3_600)
    second = night_over(run, STAYS, limits=limits, clock=clock)
    assert second.which == "hours"
    assert second.night_s >= first.night_s + 0.4


def test_a_night_with_a_verdict_is_over_and_the_next_has_all_its_hours(run: Path) -> None:
    limits = NightLimits(free_bytes=0, hours=0.3 / 3_600)
    assert night_over(run, STAYS, limits=limits).which == "hours"
    assert night_over(run, STAYS, limits=limits).night_s >= 0.3
    assert len(told(run, "started")) == 2


def test_calls_that_are_made_let_play_go_on_by_rules(run: Path, tmp_path: Path) -> None:
    limits = NightLimits(free_bytes=0, usd=0.0)  # reached before the first call
    night = night_over(run, STAYS, GOAL, limits=limits, asks=True, flags=("--mind", "claude"))
    assert night.verdict == "goal"
    assert lives_of(tmp_path)[1][-4:-2] == ["--mind", "rules"]
    (line,) = told(run, "rules")
    assert line["says"] == "$0.00 spent on asking, of $0.00"


def test_what_cannot_be_is_said_once_and_not_tried_again(tmp_path: Path) -> None:
    cannot = {"code": 2, "says": "error: --until nowhere is no milestone\n"}
    with pytest.raises(UsageError, match="nowhere is no milestone"):
        night_over(tmp_path / "run", cannot)
    cannot = {"code": 1, "says": "error: roms/x.gb is no cartridge\n"}
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(RunError, match="is no cartridge"):
        night_over(other / "run", cannot)
    assert len(lives_of(other)) == 1


def test_a_folder_that_is_watched_over_is_refused_to_a_second(run: Path) -> None:
    with own(run, "night.lock") as lock:
        pass
    try:
        with pytest.raises(RunFolderError, match="in use by another process"):
            night_over(run, GOAL)
    finally:
        lock.release()


def test_the_child_of_a_supervisor_that_died_is_waited_for(run: Path) -> None:
    with own(run) as lock:
        pass

    def react(line: Line) -> None:
        if line["what"] == "began":
            lock.release()

    assert night_over(run, GOAL, viewer=Viewer(react)).verdict == "goal"
    with own(run) as lock, pytest.raises(RunFolderError):
        night_over(run, GOAL, patience=replace(QUICK, folder_s=0.1))
    lock.release()


def test_a_run_that_was_killed_before_its_first_checkpoint_is_begun_anew(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.toml").write_text("seed = 1\n", encoding="utf-8")
    night = night_over(run, GOAL)
    assert (night.verdict, kinds(run)) == ("goal", ["not_resumable"])
    assert "--run" in lives_of(tmp_path)[0]
    assert (run / "run.toml.unbegun-1").exists()


def test_a_milestone_is_told_once_and_a_night_begins_with_copies(run: Path) -> None:
    beats = [{"tick": 100 + n, "milestones": ["starter", "rival"][: n + 1]} for n in range(5)]
    night_over(run, {"beats": beats, "stop": "goal"})
    assert {each.name for each in (run / "copies").iterdir()} >= {
        "memory.sqlite",
        "run.sqlite",
        "run.toml",
    }
    assert [line["id"] for line in told(run, "milestone")] == [
        "rival"
    ]  # the other was there before


def test_a_folder_that_cannot_be_written_is_waited_for_without_playing(
    run: Path, tmp_path: Path
) -> None:
    shelf = tmp_path / "shelf"

    def react(line: Line) -> None:
        if line["what"] == "ended" and line["code"] == 1:
            shelf.rename(tmp_path / "elsewhere")
            shelf.touch()  # a file in the folder's place
        if len(kinds(run)) == 3 and shelf.is_file():
            shelf.unlink()
            (tmp_path / "elsewhere").rename(shelf)

    shelf.mkdir()
    cannot = {"beats": [{"tick": 90}], "code": 1, "says": "error: it cannot be written\n"}
    memory = shelf / "memory.sqlite"
    night = night_over(run, cannot, GOAL, viewer=Viewer(react), memory=memory)
    assert (night.verdict, night.restarts) == ("goal", 1)
    assert kinds(run) == ["unwritable"] * 3


def test_what_waits_is_written_while_a_child_says_nothing(run: Path, tmp_path: Path) -> None:
    journal, aside, interrupt = run / "night.jsonl", tmp_path / "aside.jsonl", Interrupt()
    seen = []

    def shut(line: Line) -> None:
        if line["what"] == "ended" and not aside.exists():
            journal.rename(aside)
            journal.mkdir()  # which cannot be opened for writing

    def open_again() -> None:
        while len(lives_of(tmp_path)) < 2:
            sleep(0.01)
        seen.append(kinds(run))
        journal.rmdir()
        aside.rename(journal)
        until = monotonic() + 10
        while not kinds(run) and monotonic() < until:
            sleep(0.01)
        seen.append(kinds(run))
        interrupt.asked = True

    silent = {"beats": [], "stays": True, "ends_cleanly": True}
    (tmp_path / "lives.jsonl").touch()
    other = Thread(target=open_again)
    other.start()
    night = night_over(run, CRASH, silent, viewer=Viewer(shut), interrupt=interrupt)
    other.join()
    assert night.verdict == "interrupted"
    assert seen == [[], ["crash"]]
