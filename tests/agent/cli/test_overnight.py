"""What `overnight` prints: its events, its panel, its last lines, and a run with nothing to do."""

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agent.cli.night import NightGoal, NightScreen, last_lines, night_table
from agent.cli.output import Output
from agent.tools.overnight.child import Heartbeat
from agent.tools.overnight.logs import read_journal
from agent.tools.overnight.night import Night
from memory.store.run_folder import own
from tests.agent.demo import STORY
from tests.agent.support import ROOT, Agent, Played, refused

GOAL = NightGoal.of(STORY, "first_badge")
BEAT = Heartbeat(102, 3_240, "the lab", "talk", ("left_home", "starter"), 3, 99)
WORDS = ["overnight", "--run", "--until x", "--hours", "8", "--until", "first_badge"]


def night_of(run: Path, verdict: str, why: str = "") -> Night:
    return Night(str(run), verdict, "", why, 1_536, 58_227, ("left_home",), 1, {"killed": 1}, 61.0)


def screen() -> tuple[NightScreen, io.StringIO]:
    text = io.StringIO()
    return NightScreen(Output(file=text, width=40), GOAL), text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"what": "began", "resumed": False}, "night started"),
        ({"what": "began", "resumed": True}, "night resumed"),
        ({"what": "waiting", "pid": 7}, "waiting for process 7, which a killed supervisor left"),
        ({"what": "started", "n": 2}, "playing from 0:00:54 of game time (tick 102)"),
        (
            {"what": "milestone", "id": "starter", "reached": 2},
            "reached 2 of 9: get a starter, at 0:00:54 of game time (tick 102)",
        ),
        (
            {"what": "fault", "kind": "damaged_run", "says": "it broke", "answer": "restart"},
            "damaged run at 0:00:54 of game time (tick 102): it broke; restart",
        ),
    ],
)
def test_an_event_of_a_night_is_one_unwrapped_line(line: Mapping[str, Any], words: str) -> None:
    shown, text = screen()
    shown.show_event({"at": 0.0, "tick": 102, "frame": 3_240, **line})
    (printed,) = text.getvalue().splitlines()
    assert words in printed


def test_a_terminal_shows_an_event_without_a_break_inside_a_word() -> None:
    text = io.StringIO()
    terminal = Output(file=text, width=30, force_terminal=True, _environ={"TERM": "xterm"})
    line = {"what": "milestone", "id": "starter", "reached": 2, "at": 0.0, "tick": 102, "frame": 9}
    NightScreen(terminal, GOAL).show_event(line)
    words = text.getvalue().split()[1:]  # without the time
    assert " ".join(words) == "reached 2 of 9: get a starter, at 0:00:00 of game time (tick 102)"


def test_the_panel_shows_milestones_in_words_and_game_time() -> None:
    shown, _ = screen()
    assert shown.draw() == ""
    shown.show_event({"what": "child", "at": 0.0, "n": 3, "pid": 9, "restarts": 1})
    shown.show_heartbeat(BEAT, 5.0)
    console = Console(width=60, record=True, file=io.StringIO())
    console.print(shown.draw())
    drawn = console.export_text()
    assert "2 of 9; the last: get a starter" in drawn
    assert "0:00:54 of game time (tick 102)" in drawn
    assert "1 restart, 0 faults" in drawn


def test_without_its_cartridge_a_night_names_milestones_by_their_ids() -> None:
    assert NightGoal.of(None, None).progress(("left_home",)) == "1; the last: left home"


def test_the_last_lines_name_result_run_report_and_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = tmp_path / "runs" / "to night"
    run.mkdir(parents=True)
    (run / "report.html").touch()
    reached = [*last_lines(night_of(run, "goal"), GOAL, WORDS)]
    launcher = ROOT / "scripts" / "red-agent"
    again = f"{launcher} overnight --run '--until x' --hours 8 --until"
    assert reached == [
        "result: goal reached: beat Cairn (Pebble Badge)",
        "run: runs/to night",
        "report: runs/to night/report.html",
        f"continue: {again} {GOAL.last}",
        f"watch: {launcher} replay 'runs/to night' --from 1 --to 1536 --mp4 night.mp4",
    ]
    interrupted = [*last_lines(night_of(run, "interrupted"), GOAL, WORDS)]
    assert interrupted == [
        "result: interrupted",
        *reached[1:3],
        f"continue: {again} first_badge",
        reached[4],
    ]
    (limit, *_) = last_lines(night_of(run, "limit", "8.00 hours of 8"), GOAL, WORDS)
    assert limit == "result: ended at a limit: 8.00 hours of 8"


def test_the_table_of_a_night_has_no_path_that_could_be_cut(tmp_path: Path) -> None:
    console = Console(width=60, record=True, file=io.StringIO())
    console.print(night_table(night_of(tmp_path, "goal"), GOAL))
    text = console.export_text()
    assert str(tmp_path)[:10] not in text
    assert "1 of 9; the last: leave home" in text


def test_a_night_ends_with_its_last_lines(agent: Agent, tmp_path: Path) -> None:
    run, memory = tmp_path / ("long" * 30), tmp_path / "memory.sqlite"
    ended = agent("overnight", "--run", run, "--memory", memory, "--until", "left_home")
    assert ended.code == 0, ended.err
    *_, result, where, report, onwards, watch = ended.out.splitlines()
    assert result == "result: goal reached: leave home"
    assert where == f"run: {run}"
    assert report == f"report: {run}/report.html"
    assert onwards.endswith(f"--memory {memory} --until {GOAL.last}")
    assert watch.startswith(f"watch: scripts/red-agent replay {run} --from 1 --to ")


def test_a_run_that_reached_its_goal_has_nothing_to_do(
    agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = shutil.copytree(played.folder, tmp_path / "run")
    before = sorted(run.iterdir())
    args = ["overnight", "--run", run, "--memory", tmp_path / "m.sqlite"]
    ended = agent(*args)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"{run} already reached its goal on ")
    assert ended.out.endswith("; nothing to do\n")
    assert sorted(run.iterdir()) == before
    as_json = agent(*args, "--json").json
    assert (as_json["verdict"], as_json["ticks"]) == ("goal", played.summary.ticks)
    assert as_json["reason"].endswith("nothing to do")


def unshown(*args: object, closed_pipe: bool = False) -> int:
    """Return the exit code of a command whose output cannot be written."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "agent", *map(str, args)]
        out = subprocess.PIPE if closed_pipe else full
        with subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=full) as process:
            if process.stdout is not None:
                process.stdout.close()
            return process.wait()


@pytest.mark.parametrize("closed_pipe", [True, False])
def test_output_that_cannot_be_shown_changes_no_night(tmp_path: Path, *, closed_pipe: bool) -> None:
    run = tmp_path / "run"
    args = ["--run", run, "--memory", tmp_path / "m.sqlite", "--ticks", 10, "--min-free", 0]
    assert unshown("overnight", *args, closed_pipe=closed_pipe) == 3
    (verdict,) = (line for line in read_journal(run) if line["what"] == "verdict")
    assert (verdict["which"], verdict["ticks"]) == ("ticks", 10)


def test_output_that_cannot_be_shown_changes_no_exit_code_of_play(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert unshown("play", "--ticks", 10, "--run", run, "--memory", "none") == 0
    assert json.loads((run / "summary.json").read_text(encoding="utf-8"))["ticks"] == 10
    assert unshown("play", "--resume", run, "--seed", 1) == 2


def test_a_result_that_was_asked_for_and_cannot_be_written_is_an_error() -> None:
    assert unshown("milestones") == 1


def test_a_night_without_a_memory_is_refused(agent: Agent, tmp_path: Path) -> None:
    ended = agent("overnight", "--memory", "none", "--run", tmp_path / "run")
    refused(ended, 2, "error: a night keeps its memory, which each restart of play")
    assert not (tmp_path / "run").exists()


def test_a_run_in_use_is_refused_in_the_line_of_play(
    agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = shutil.copytree(played.folder, tmp_path / "run")
    goal = ["--until", GOAL.last, "--memory", tmp_path / "m.sqlite"]
    with own(run):
        night = agent("overnight", "--run", run, "--hours", "0.001", *goal)
        play = agent("play", "--resume", run, *goal)
    refused(night, 1, "is in use by another process")
    assert night == play
    assert not (run / "night.jsonl").exists()


def test_a_hang_is_longer_than_the_answers_that_the_run_waits_for(
    agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = shutil.copytree(played.folder, tmp_path / "run")
    toml = (run / "run.toml").read_text(encoding="utf-8").replace('"rules"', '"claude"')
    (run / "run.toml").write_text(f"{toml}\n[advice]\ntimeout = 500.0\n", encoding="utf-8")
    ended = agent("overnight", "--run", run, "--hang", "400", "--until", "left_home")
    refused(ended, 2, "--hang 400 is shorter than one answer of a model may take")
