"""`eval`: many games in parallel, counted and plotted; a failing, crashing or hanging game stops no other."""

import csv
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agent.advisor.names import STAND_IN
from agent.cli import cli
from agent.errors import UsageError
from agent.fake_claude.server import FakeClaude
from agent.lab.eval import EvalGame, EvalResults, GameMoment, PairDifference, PairedGames, game_of
from agent.lab.eval_page import write_eval_page
from agent.lab.publish import read_result
from agent.lab.runner import EndedGame, Runner
from agent.lab.stats import few_interval, median_interval, share_interval
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
    command = ("eval", "--seeds", "5..6", "--until", "left_home", "--out", out)
    ended = agent(*command, "--write", written, "--json")
    assert ended.code == 0, ended.err
    table = json.loads((out / "eval.json").read_text(encoding="utf-8"))
    assert ended.json == table
    assert table["summary"]["stops"] == {"goal": 2}
    assert "seed 5: goal" in ended.err
    with (out / "eval.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["seed"], row["stop"], row["errors"]) for row in rows] == [
        ("5", "goal", "0"),
        ("6", "goal", "0"),
    ]
    assert all(int(row["left_home_tick"]) < int(row["left_home_frame"]) for row in rows)
    page = (out / "eval.html").read_text(encoding="utf-8")
    assert "Decided by rules." in page
    assert all(f'href="runs/seed-{seed}/report.html"' in page for seed in (5, 6))
    assert page.count("data:image/png;base64,") == 2
    assert (out / "times.png").exists()
    assert (tmp_path / "games.png").read_bytes() == (out / "milestones.png").read_bytes()
    found = read_result(written)
    assert found.figures["settings"]["seeds"] == "5..6"
    arrived = [row["left_home_tick"] for row in rows]
    assert [str(row["left_home_tick"]) for row in found.rows] == arrived
    again = agent(*command)
    assert (again.code, again.out) == (2, "")
    assert "is not empty" in again.err


def results(frames: Mapping[int, int | None], **more: object) -> EvalResults:
    """Return games by seed that reached `away` at this frame, or never."""
    games = []
    for seed, frame in frames.items():
        reached = {} if frame is None else {"away": GameMoment(frame // 10, frame)}
        usual = dict.fromkeys(("battles_won", "battles_lost", "battles_fled", "blackouts"), 0)
        usual |= dict.fromkeys(("badges", "episodes", "restores", "errors", "ticks", "frames"), 0)
        game = EvalGame(seed=seed, stop="goal", reason="", wall_s=1.0, milestones=reached, **usual)  # type: ignore[arg-type]
        games.append(replace(game, **more))  # type: ignore[arg-type]
    return EvalResults(tuple(games), ("away",), "away", {}, {}, {"name": "a & b"})


def changed(*frames: int) -> dict[int, int | None]:
    """Return what games with a model reach where those by rules take a thousand times their seed."""
    return {seed: 1_000 * seed + each for seed, each in enumerate(frames, start=1)}


@pytest.mark.parametrize(
    ("advised", "words"),
    [
        (changed(-100, -300, -400, -100, -200, -300), "-233 frames (95%: -360 to -106: faster)"),
        (changed(100, 300, 400, 100, 200, 300), "+233 frames (95%: +106 to +360: slower), +23"),
        (changed(-100, 100, 0, -100, 200, 0), ": no difference shown)"),
        ({1: 900, 2: 1_700, 3: 2_600}, "-267 frames (too few pairs), -27 ticks"),
        ({1: 900, 2: 1_900, 3: None}, "reached by 2 of 3 with the model, 3 of 3 by rules; on"),
        ({1: 900, 2: None, 9: 70}, "on 2 seeds, to away: -100 frames (too few pairs), -10 ticks"),
        ({1: None}, "on 1 seed: no pair reached away; reached by 0 of 1 with the model, 1 of 1"),
    ],
)
def test_what_a_model_changed_is_one_line_over_pairs(
    advised: Mapping[int, int | None], words: str
) -> None:
    pairs = beside_rules(advised)
    assert words in str(pairs)
    assert str(pairs).startswith(WHO)
    assert "frames" not in str(pairs) or str(pairs).endswith("on average 0.2500 USD a game")
    found = pairs.as_json()["differences"]["away"]["frames"]
    assert json.loads(json.dumps(found)) == found


WHO = "by rules, advised by <b>m</b>"


def beside_rules(advised: Mapping[int, int | None]) -> PairedGames:
    model = results(advised, decided_by=WHO, answers=3, followed=2, reached=1, usd=0.25)
    return PairedGames(model, results({seed: 1_000 * seed for seed in range(1, 7)}))


def test_the_page_has_the_pairs_the_plots_and_the_tables_of_both(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    pairs = beside_rules({1: 900, 2: None, 9: 70})
    page = write_eval_page(pairs.advised, tmp_path, pairs).read_text(encoding="utf-8")
    assert "<b>m" not in page
    assert page.count("data:image/png;base64,") == 5
    assert 'href="rules/runs/seed-1/report.html"' in page
    assert "2 of 3" in page
    assert (tmp_path / "rules" / "eval.csv").is_file()


def test_the_interval_over_pairs_is_that_of_their_differences() -> None:
    frames = {seed: 1_000 + 37 * seed % 501 for seed in range(12)}
    model = {seed: frame - 100 - 11 * seed for seed, frame in frames.items()}
    pairs = PairedGames(results(model), results(frames))
    interval = pairs.difference("away", "frame").interval
    assert interval == few_interval([-100.0 - 11 * seed for seed in range(12)])


@pytest.mark.parametrize("pairs", [6, 10, 20])
def test_a_model_that_changes_nothing_is_said_to_in_one_case_of_twenty(pairs: int) -> None:
    chance, cases = np.random.default_rng(pairs), 4_000
    drawn = chance.normal(0.0, 500.0, (cases, pairs)).round().tolist()
    found = [PairDifference("away", "frame", pairs, few_interval(each)).finding for each in drawn]
    assert 0.04 < sum(each != "no difference shown" for each in found) / cases < 0.06


def test_eval_against_rules_plays_the_same_seed_with_and_without_the_stand_in(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, words = tmp_path / "out", ("--mind", "claude", "--against", "rules")
    with FakeClaude(is_good=True) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "any")
        ended = agent("eval", "--seeds", "5", "--until", "starter", "--out", out, *words)
    assert ended.code == 0, ended.err
    _, line, page = ended.out.splitlines()
    assert line.startswith(f"by rules, advised by {STAND_IN}, against rules alone on 1 seed, to ")
    assert "; on average made-up answers would have cost " in line
    assert line.endswith("at list prices a game")
    assert page == f"page: {out / 'eval.html'}"
    table = json.loads((out / "eval.json").read_text(encoding="utf-8"))
    assert table["against"]["pairs"] == 1
    assert table["against"]["rules"]["decided_by"] == "by rules"
    assert table["summary"]["advice"]["questions"] == 1
    assert (out / "rules" / "runs" / "seed-5" / "report.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seeds", "1", "--against", "rules"], "give --mind claude --against rules"),
        (["--seeds", "1", "--mind", "claude", "--against", "claude"], "a model with rules"),
        (["--seeds", "1", "--mind", "claude"], "there is no key for Claude"),
        (["--seeds", "1", "--max-usd", "1"], "--max-usd is about a model; give --mind claude"),
        (["--seeds", "1", "--mind", "rules", "--ask-every", "9"], "--ask-every is about a model"),
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
    arguments = ["--seeds", "0..30", "--ticks", "10", "--out", str(out)]
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
    assert "1 game, 0% reached" in done.stdout


def test_ctrl_c_before_the_first_end_says_that_no_game_was_finished(tmp_path: Path) -> None:
    done = interrupted_eval(CTRL_C_AT_ONCE, tmp_path / "out")
    assert done.returncode == 130
    assert done.stdout == f"no game was finished; see {tmp_path / 'out'}\n"
