"""Real nights on the demo: killed children, damaged files, and a killed supervisor."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import anthropic  # noqa: F401  # loaded here, and not in each child
import pytest

from agent.advisor.port import Decider
from agent.app.settings import RunSettings
from agent.settings import AskSettings, Settings
from agent.tools.overnight.child import Heartbeat
from agent.tools.overnight.logs import Line
from agent.tools.overnight.supervisor import PROGRAM
from agent.tools.replay.operations import replay_run
from memory import file_fault, read_run
from memory.file_access import read_toml
from memory.store.run_folder import own
from tests.agent.support import ROOT, Agent, play_in
from tests.agent.tools.overnight.nights import Viewer, kinds, lines_of, run_night
from tests.fake_service import FakeClaude

PAGE = 4096


def corrupt_file(path: Path) -> None:
    """Overwrite the pages after the first one, as a broken disk would."""
    path.with_name(path.name + "-wal").unlink(missing_ok=True)
    with path.open("r+b") as file:
        file.seek(PAGE)
        file.write(os.urandom(8 * PAGE))


class AtMilestone:
    """Calls `action` with the id of the child when one of some milestones is reached."""

    def __init__(self, action: Callable[[int], None], *milestones: str) -> None:
        self.pid = 0
        self.milestones = milestones
        self.action = action

    def __call__(self, line: Line) -> None:
        if line["what"] == "started":
            self.pid = line["pid"]
        if line["what"] == "milestone" and line["id"] in self.milestones:
            self.action(self.pid)


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_a_killed_child_is_restarted_and_the_game_is_the_undisturbed_one(
    tmp_path: Path, short_run: Path
) -> None:
    run = tmp_path / "run"
    viewer = Viewer(AtMilestone(lambda pid: os.kill(pid, signal.SIGKILL), "left_home"))
    night = run_night(run, program=PROGRAM, viewer=viewer, play=Settings(until="starter"))
    assert (night.verdict, night.restarts, kinds(run)) == ("goal", 1, ["killed"])
    assert night.milestones == ("left_home", "starter")
    with closing(read_run(run)) as folder, closing(read_run(short_run / "run")) as undisturbed:
        reached = [each.payload["id"] for each in folder.store.record.events("milestone")]
        steps, others = (each.store.record.steps() for each in (folder, undisturbed))
        assert [each.chain for each in steps] == [each.chain for each in others]
    assert reached == list(night.milestones)
    assert (run / "report.html").exists()


def test_damaged_files_are_renamed_and_their_copies_restored(run: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.sqlite"
    run_night(run, {"stop": "goal"})
    settings = RunSettings.of(read_toml(run / "run.toml"))
    corrupt_file(run / "run.sqlite")
    corrupt_file(memory)
    (run / "run.toml").write_bytes((run / "run.toml").read_bytes()[:40])
    night = run_night(run, program=PROGRAM, play=Settings(until="rival", ticks=110))
    assert (night.verdict, night.ticks, night.restarts) == ("limit", 110, 0)
    assert kinds(run) == ["damaged_run", "damaged_run", "damaged_memory"]
    assert all("restored the copy of" in line["answer"] for line in lines_of(run, "fault"))
    now = RunSettings.of(read_toml(run / "run.toml"))
    assert now == replace(settings, until="rival", ticks=110, memory=str(memory))
    for path in (run / "run.sqlite", memory):
        assert file_fault(path) is None
        assert file_fault(path.with_name(f"{path.name}.damaged-1")) is not None
    assert replay_run(run, None).divergence is None


def test_a_night_of_one_child_leaves_a_copy_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.tools.overnight.copies.WAIT_FACTOR", 0)  # the night is short
    run = tmp_path / "run"
    run_night(run, program=PROGRAM, play=Settings(ticks=10))
    settings = (run / "run.toml").read_bytes()
    assert (run / "copies" / "run.toml").read_bytes() == settings
    (run / "run.toml").unlink()
    night = run_night(run, program=PROGRAM, play=Settings(ticks=20))
    assert (night.verdict, night.ticks, kinds(run)) == ("limit", 20, ["damaged_run"])
    kept = settings.replace(b"ticks = 10", b"ticks = 20")
    assert (run / "run.toml").read_bytes() == kept
    assert (run / "copies" / "run.toml").read_bytes() == kept


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_memory_damaged_meanwhile_is_repaired_and_a_kill_is_reported_beside_it(
    run: Path, tmp_path: Path, *, is_killed: bool
) -> None:
    memory = tmp_path / "memory.sqlite"

    def kill_and_corrupt(line: Line) -> None:
        if line["what"] == "started" and line["n"] == 1:
            # Kill first: a living child may report the damage.
            if is_killed:
                os.kill(line["pid"], signal.SIGKILL)
            corrupt_file(memory)

    first = {"beats": [{"tick": 90}], **({"stays": True} if is_killed else {"stop": "goal"})}
    night = run_night(run, first, {"stop": "goal"}, viewer=Viewer(kill_and_corrupt))
    faults = ["killed"] * is_killed + ["damaged_memory"]
    assert (night.verdict, kinds(run), list(night.faults)) == ("goal", faults, faults)
    assert file_fault(memory) is None


def test_a_night_is_resumed_after_its_supervisor_was_killed(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "run"
    args = ["--run", str(run), "--memory", str(tmp_path / "memory.sqlite"), "--min-free", "0"]
    args += ["--until", "starter"]
    first = subprocess.Popen(
        [sys.executable, "-m", "agent", "overnight", *args], cwd=ROOT, stderr=subprocess.PIPE
    )
    assert first.stderr is not None
    assert any(b"reached 1 of 2: leave home" in line for line in first.stderr)
    first.kill()
    first.communicate()
    ended = agent("overnight", *args, "--json")
    assert ended.code == 0, ended.err
    assert ended.json["verdict"] == "goal"
    assert "night resumed" in ended.err
    with closing(read_run(run)) as folder:
        # Its child ended by itself, at the milestone or before; only what no checkpoint covered is played again.
        assert {each.why for each in folder.store.record.branchings()} <= {"resumed"}
    assert kinds(run) == []  # no faults
    assert replay_run(run, None).divergence is None
    assert not list(_children(run))


def _children(run: Path) -> list[str]:
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if str(run) in line and "--pulse" in line]


def test_overnight_json_prints_one_object_and_refuses_another_seed_or_a_locked_run(
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
    second = agent("overnight", *args, "--until", "starter")
    lock.release()
    assert second.code == 1
    assert second.err.splitlines()[-1].startswith("error: ")
    assert "in use by another process" in second.err


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--hours 0", "--hours must be more than 0"),
        ("--patience -1", "--patience must be more than 0"),
        ("--min-free -1", "--min-free is negative"),
        ("--max-usd -1", "--max-usd -1.0 is negative"),
        ("--max-calls 0", "--max-calls must be more than 0"),
        (
            "--mind claude --hang 20",
            "--hang 20 is shorter than one answer of a model may take, 150 s",
        ),
    ],
)
def test_overnight_refuses_invalid_flags(
    agent: Agent, tmp_path: Path, flags: str, message: str
) -> None:
    ended = agent("overnight", "--run", tmp_path / "run", *flags.split())
    assert ended.code == 2
    assert message in ended.err
    assert not (tmp_path / "run").exists()


def test_a_child_ends_cleanly_when_its_heartbeat_pipe_is_closed(tmp_path: Path) -> None:
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
    assert set(beat) == set(Heartbeat._fields)
    assert (child.returncode, json.loads(out.splitlines()[-1])["stop"]) == (130, "interrupted")


def test_a_recovery_plays_differently_from_the_dead_branch(run: Path, tmp_path: Path) -> None:
    play_in(tmp_path, resume=run, at=66, recovers=True, until="starter")
    with closing(read_run(run)) as folder:
        dead = list(folder.store.record.steps(live=False))
        live = [step for step in folder.store.record.steps() if step.tick > 66]
        (branching,) = folder.store.record.branchings()
    assert branching.why == "recovered"
    assert live[: len(dead)] != dead
    assert replay_run(run, None).divergence is None


TERMS = """
[models]
usual = "claude-sonnet-5-5"
small = "claude-haiku-5-5"

[ceilings.run]
calls = 1

[[steps]]
from_percent = 100
gives_up = ["routine"]
"""


def test_a_ceiling_holds_when_an_older_copy_of_the_run_is_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, terms, early = tmp_path / "run", tmp_path / "terms.toml", tmp_path / "early.sqlite"
    terms.write_text(TERMS, encoding="utf-8")

    def back_up_early(line: Line) -> None:
        if line["what"] == "started" and not early.exists():
            with closing(read_run(run)) as folder:
                folder.store.backup(early)

    with FakeClaude() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        for ticks in (40, 60):
            asking = AskSettings(every=20, terms=terms)
            viewer = Viewer(back_up_early)
            given = Settings(mind=Decider.CLAUDE, asking=asking, ticks=ticks)
            run_night(run, program=PROGRAM, viewer=viewer, play=given, asks=True)
            assert server.counts.calls["POST /v1/messages"] == 1
            corrupt_file(run / "run.sqlite")
            corrupt_file(run / "copies" / "run.sqlite")
            shutil.copyfile(early, run / "copies" / "older-run.sqlite")
    assert kinds(run) == ["damaged_run"]
