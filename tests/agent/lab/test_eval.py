"""`eval`: many games in parallel, counted and plotted; a failing, crashing or hanging game stops no other."""

import csv
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.cli import cli
from agent.errors import UsageError
from agent.lab.eval import game_of
from agent.lab.publish import read_result
from agent.lab.runner import EndedGame, Runner
from agent.lab.stats import median_interval, share_interval
from tests.agent.support import ROOT, Agent

PROGRAMS = {
    1: "print('{}')",
    2: "import os; os.abort()",
    3: "import signal; signal.pause()",
    4: "import sys; sys.exit('no')",
}
FOR_EVER = "import signal; signal.pause()"


def runner(folder: Path, *, cap: float, programs: dict[int, str] = PROGRAMS) -> Runner:
    def command(seed: int) -> Sequence[str]:
        return [sys.executable, "-c", programs[seed]]

    return Runner(command, home=folder, logs=folder / "logs", jobs=2, cap=cap)


def test_a_failing_game_does_not_stop_the_others(tmp_path: Path) -> None:
    ended = {each.seed: each for each in runner(tmp_path, cap=2.0).play([1, 2, 3, 4], bool)}
    assert ended.keys() == {1, 2, 3, 4}
    assert (ended[1].code, ended[1].last_line) == (0, "{}")
    assert ended[2].code is not None
    assert ended[2].code < 0  # by a signal
    assert ended[3].code is None  # it took too long
    assert ended[4].code == 1
    assert (tmp_path / "logs" / "seed-4.err").read_text(encoding="utf-8") == "no\n"


def test_a_stop_request_keeps_completed_games(tmp_path: Path) -> None:
    programs = {1: "print('{}')", **dict.fromkeys(range(2, 9), FOR_EVER)}
    asked: list[bool] = []
    ended = runner(tmp_path, cap=60.0, programs=programs).play(list(programs), lambda: bool(asked))
    assert next(ended).seed == 1
    asked.append(True)
    assert list(ended) == []


def test_a_game_without_output_is_a_timeout_or_a_crash(tmp_path: Path) -> None:
    hung = game_of(EndedGame(7, None, "", 600.0), tmp_path / "none")
    crashed = game_of(EndedGame(8, -6, "Fatal", 1.0), tmp_path / "none")
    assert (hung.stop, hung.was_played) == ("timeout", False)
    assert (crashed.stop, crashed.reason) == ("crash", "it ended with code -6")


def test_a_share_has_wilsons_interval() -> None:
    # Newcombe (1998), table I: 81 of 263, and 0 of 20.
    assert share_interval(81, 263) == pytest.approx((0.3080, 0.2553, 0.3662), abs=1e-4)
    assert share_interval(0, 20) == pytest.approx((0.0, 0.0, 0.1611), abs=1e-4)
    assert share_interval(0, 0) == (0.0, 0.0, 1.0)


def test_the_interval_of_a_median_is_deterministic() -> None:
    values = [float(value) for value in range(1, 52)]
    interval = median_interval(values)
    assert interval == median_interval(values)
    assert interval is not None
    assert interval.estimate == 26.0
    assert 15.0 < interval.low < 26.0 < interval.high < 37.0
    assert median_interval([]) is None


def test_eval_plays_seeds_and_leaves_tables_plots_and_a_result(
    agent: Agent, tmp_path: Path
) -> None:
    out, written = tmp_path / "out", tmp_path / "games.json"
    ended = agent(
        "eval",
        "--seeds",
        "5..6",
        "--until",
        "left_home",
        "--out",
        out,
        "--write",
        written,
        "--json",
    )
    assert ended.code == 0, ended.err
    assert ended.json == json.loads((out / "eval.json").read_text(encoding="utf-8"))
    assert "seed 5: goal" in ended.err
    with (out / "eval.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["seed"], row["stop"], row["errors"]) for row in rows] == [
        ("5", "goal", "0"),
        ("6", "goal", "0"),
    ]
    assert all(int(row["left_home_tick"]) < int(row["left_home_frame"]) for row in rows)
    table = json.loads((out / "eval.json").read_text(encoding="utf-8"))
    assert table["summary"]["stops"] == {"goal": 2}
    assert (out / "milestones.png").exists()
    assert (out / "times.png").exists()
    assert (tmp_path / "games.png").read_bytes() == (out / "milestones.png").read_bytes()
    found = read_result(written)
    assert found.figures["settings"]["seeds"] == "5..6"
    assert [str(row["left_home_tick"]) for row in found.rows] == [
        row["left_home_tick"] for row in rows
    ]

    again = agent("eval", "--seeds", "5", "--until", "left_home", "--out", out)
    assert (again.code, again.out) == (2, "")
    assert "is not empty" in again.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seeds", "9..3"], "is no range"),
        (["--seeds", "x"], "is no range"),
        (["--seeds", "1.."], "is no range"),
        (["--seeds", "1", "--until", "mars"], "is no milestone"),
        (["--seeds", "1", "--memory", "nowhere.sqlite"], "does not exist"),
    ],
)
def test_eval_rejects_invalid_arguments(arguments: list[str], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        cli.main(["eval", *arguments, "--out", str(tmp_path)], standalone_mode=False)


CTRL_C_AFTER_ONE = """
import signal
from agent.cli import main
from agent.cli.output import Output

say = Output.say

def say_and_interrupt(self, words):
    say(self, words)
    if words.startswith("seed "):
        signal.raise_signal(signal.SIGINT)

Output.say = say_and_interrupt
main()
"""


CTRL_C_AT_ONCE = """
import signal
from agent.cli import main
from agent.lab.runner import Runner

play = Runner.play

def interrupted_play(self, seeds, stop):
    signal.raise_signal(signal.SIGINT)
    return play(self, seeds, stop)

Runner.play = interrupted_play
main()
"""


def interrupted_eval(program: str, out: Path) -> subprocess.CompletedProcess[str]:
    arguments = ["--seeds", "0..30", "--until", "left_home", "--out", str(out)]
    return subprocess.run(
        [sys.executable, "-c", program, "eval", "--jobs", "1", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_ctrl_c_leaves_the_tables_of_completed_games(tmp_path: Path) -> None:
    done = interrupted_eval(CTRL_C_AFTER_ONE, tmp_path / "out")
    assert done.returncode == 130, done.stderr
    rows = (tmp_path / "out" / "eval.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 2  # the header, and one game
    assert "1 game, 100% reached left_home" in done.stdout


def test_ctrl_c_before_the_first_end_says_that_no_game_was_finished(tmp_path: Path) -> None:
    done = interrupted_eval(CTRL_C_AT_ONCE, tmp_path / "out")
    assert (done.returncode, done.stdout) == (
        130,
        f"no game was finished; see {tmp_path / 'out'}\n",
    )
