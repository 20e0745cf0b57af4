"""Real nights on the demo: children that are killed, files that are damaged, a supervisor that dies."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agent.tools.overnight.logs import Line
from agent.tools.overnight.supervisor import PROGRAM
from agent.tools.replay.operations import replay_run
from memory import flaw_in, read_run
from memory.store.run_folder import own
from tests.agent.support import ROOT, Agent, play_in
from tests.agent.tools.overnight.nights import Viewer, kinds, night_over, told

PAGE = 4096


def spoil(path: Path) -> None:
    """Write over the pages behind the first one, as a broken disk would."""
    path.with_name(path.name + "-wal").unlink(missing_ok=True)
    with path.open("r+b") as file:
        file.seek(PAGE)
        file.write(os.urandom(8 * PAGE))


class Doing:
    """Does something to the child, once, when a milestone is reached."""

    def __init__(self, milestone: str, deed: Callable[[int], None]) -> None:
        self.pid = 0
        self.milestone = milestone
        self.deed = deed

    def __call__(self, line: Line) -> None:
        if line["what"] == "started":
            self.pid = line["pid"]
        if line["what"] == "milestone" and line["id"] == self.milestone:
            self.deed(self.pid)


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_a_killed_child_is_started_again_and_all_that_it_played_replays(tmp_path: Path) -> None:
    run = tmp_path / "run"
    viewer = Viewer(Doing("starter", lambda pid: os.kill(pid, signal.SIGKILL)))
    night = night_over(run, program=PROGRAM, viewer=viewer, flags=("--until", "rival"))
    assert (night.verdict, night.restarts, kinds(run)) == ("goal", 1, ["killed"])
    assert night.milestones == ("left_home", "starter", "rival")
    assert replay_run(run, None).divergence is None
    with closing(read_run(run)) as folder:
        reached = [each.payload["id"] for each in folder.store.events("milestone")]
    assert reached == list(night.milestones)
    assert (run / "report.html").exists()


def test_damaged_files_are_set_aside_and_their_copies_put_back(run: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.sqlite"
    night_over(run, {"stop": "goal"})
    settings = (run / "run.toml").read_bytes()
    spoil(run / "run.sqlite")
    spoil(memory)
    (run / "run.toml").write_bytes(settings[:40])
    night = night_over(run, program=PROGRAM, flags=("--until", "rival"))
    assert (night.verdict, night.restarts) == ("goal", 0)
    assert kinds(run) == ["damaged_run", "damaged_run", "damaged_memory"]
    assert all("put back the copy of" in line["answer"] for line in told(run, "fault"))
    assert (run / "run.toml").read_bytes() == settings
    for path in (run / "run.sqlite", memory):
        assert flaw_in(path) is None
        assert flaw_in(path.with_name(f"{path.name}.damaged-1")) is not None
    assert replay_run(run, None).divergence is None


def test_a_memory_that_was_damaged_unseen_is_put_right_before_the_goal_counts(
    run: Path, tmp_path: Path
) -> None:
    memory = tmp_path / "memory.sqlite"
    viewer = Viewer(lambda line: spoil(memory) if line["what"] == "started" else None)
    lives = {"beats": [{"tick": 90}], "stop": "goal"}, {"stop": "goal"}
    night = night_over(run, *lives, viewer=viewer)
    assert (night.verdict, kinds(run)) == ("goal", ["damaged_memory"])
    assert flaw_in(memory) is None


def test_who_is_killed_beside_a_damaged_memory_is_told_of_as_well(
    run: Path, tmp_path: Path
) -> None:
    memory = tmp_path / "memory.sqlite"

    def strike(line: Line) -> None:
        if line["what"] == "started" and line["n"] == 1:
            # First the kill: a living child may see the damage and say so.
            os.kill(line["pid"], signal.SIGKILL)
            spoil(memory)

    night = night_over(run, program=PROGRAM, viewer=Viewer(strike), flags=("--until", "rival"))
    assert (night.verdict, kinds(run)) == ("goal", ["killed", "damaged_memory"])
    assert night.faults == {"killed": 1, "damaged_memory": 1}


def test_a_night_goes_on_when_its_supervisor_was_killed(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "run"
    args = ["--run", str(run), "--memory", str(tmp_path / "memory.sqlite"), "--min-free", "0"]
    first = subprocess.Popen(
        [sys.executable, "-m", "agent", "overnight", *args], cwd=ROOT, stderr=subprocess.PIPE
    )
    assert first.stderr is not None
    assert any(b"reached left_home" in line for line in first.stderr)
    first.kill()
    first.communicate()
    ended = agent("overnight", *args, "--until", "rival", "--json")
    assert ended.code == 0, ended.err
    assert ended.json["verdict"] == "goal"
    assert "the night begins, or goes on" in ended.err
    with closing(read_run(run)) as folder:
        assert folder.store.branchings() == []  # its child had ended cleanly
    assert replay_run(run, None).divergence is None
    assert not list(_children(run))


def _children(run: Path) -> list[str]:
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if str(run) in line and "--pulse" in line]


def test_a_night_ends_with_one_object_and_a_second_call_has_nothing_left_to_do(
    agent: Agent, tmp_path: Path
) -> None:
    args = ["--run", tmp_path / "run", "--memory", tmp_path / "memory.sqlite", "--min-free", "0"]
    ended = agent("overnight", *args, "--until", "left_home", "--seed", "5", "--json")
    assert (ended.code, ended.json["verdict"], ended.json["restarts"]) == (0, "goal", 0)
    other = agent("overnight", *args, "--until", "left_home", "--seed", "6")
    assert other.code == 2
    assert "has seed 5" in other.err
    with own(tmp_path / "run", "night.lock") as lock:
        pass
    second = agent("overnight", *args)
    lock.release()
    assert second.code == 1
    assert second.err.splitlines()[-1].startswith("error: ")
    assert "in use by another process" in second.err


@pytest.mark.parametrize(
    ("flag", "value", "says"),
    [
        ("--hours", "0", "--hours must be more than 0"),
        ("--patience", "-1", "--patience must be more than 0"),
        ("--min-free", "-1", "--min-free is negative"),
        ("--max-usd", "-1", "--max-usd -1.0 is negative"),
        ("--max-calls", "0", "--max-calls must be more than 0"),
    ],
)
def test_flags_that_cannot_be_are_refused_in_one_line(
    agent: Agent, tmp_path: Path, flag: str, value: str, says: str
) -> None:
    ended = agent("overnight", "--run", tmp_path / "run", flag, value)
    assert ended.code == 2
    assert says in ended.err
    assert not (tmp_path / "run").exists()


def test_a_hang_is_not_taken_for_the_answer_of_a_model(agent: Agent, tmp_path: Path) -> None:
    ended = agent("overnight", "--run", tmp_path / "run", "--mind", "claude", "--hang", "20")
    assert ended.code == 2
    assert "--hang 20 is shorter than one answer of a model may take, 150 s" in ended.err


def test_a_child_ends_cleanly_when_nobody_reads_its_pulse(tmp_path: Path) -> None:
    run = tmp_path / "run"
    reader, writer = os.pipe()
    command = [*PROGRAM, "play", "--json", "--run", str(run), "--pulse", str(writer)]
    with subprocess.Popen(
        [*command, "--memory", str(tmp_path / "memory.sqlite")],
        cwd=ROOT,
        pass_fds=(writer,),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        os.close(writer)
        beat = json.loads(os.read(reader, PAGE).splitlines()[0])
        os.close(reader)
        out = child.communicate(timeout=30)[0]
    assert {"tick", "frame", "place", "doing", "milestones", "gains", "checkpoint"} == set(beat)
    assert (child.returncode, json.loads(out.splitlines()[-1])["stop"]) == (130, "interrupted")


def test_going_back_for_the_supervisor_makes_another_game_of_it(tmp_path: Path) -> None:
    run = tmp_path / "run"
    play_in(tmp_path, until="second_town")
    play_in(tmp_path, resume=run, at=174, recovers=True, until="second_town")
    with closing(read_run(run)) as folder:
        dead = list(folder.store.steps(live=False))
        live = [step for step in folder.store.steps() if step.tick > 174]
        (branching,) = folder.store.branchings()
    assert branching.why == "recovered"
    assert live[: len(dead)] != dead
    assert replay_run(run, None).divergence is None
