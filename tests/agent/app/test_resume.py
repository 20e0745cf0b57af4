"""A run that was stopped, killed or finished goes on from its last whole moment."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, Stop, TickView, play_run
from agent.errors import UsageError
from agent.tools.replay import replay_run
from emulator.pyboy_console import EMULATOR
from emulator.savestate import decode_state, encode_state
from memory import open_knowledge_store, open_run, read_run
from memory.errors import RunFolderError
from tests.agent.support import ROOT, Agent, Played, Watcher


def start(*args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "agent", "play", *args],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def wait_for(line: str, process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    assert any(line in said for said in process.stderr), f"it never said {line!r}"


CTRL_C_AT_TICK_50 = """
import signal
from agent.cli import main
from agent.cli.play import PlainLines

show = PlainLines.show

def show_and_interrupt(self, moment):
    show(self, moment)
    if moment.tick == 50:
        signal.raise_signal(signal.SIGINT)

PlainLines.show = show_and_interrupt
main()
"""


def test_ctrl_c_ends_cleanly_and_the_run_goes_on(agent: Agent, tmp_path: Path) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"
    arguments = ["play", "--json", "--until", "healed", "--run", str(run), "--memory", str(memory)]
    done = python(CTRL_C_AT_TICK_50, *arguments)
    assert done.returncode == 130, done.stderr
    assert '"stop": "interrupted"' in done.stdout
    out = done.stdout
    with closing(read_run(run)) as stopped:
        ticks = len(list(stopped.store.steps()))
    assert f'"ticks": {ticks},' in out  # all is committed

    ended = agent("play", "--json", "--resume", run)
    assert (ended.code, ended.json["stop"]) == (0, "goal")
    assert ended.json["ticks"] > ticks
    assert replay_run(run, None).divergence is None

    again = agent("play", "--json", "--resume", run)
    assert (again.code, again.json["stop"]) == (0, "goal")
    assert again.json["ticks"] == ended.json["ticks"]
    assert again.json["milestones"] == ended.json["milestones"]


LOADING_FAILS = """
import sys

class Obstacle:
    def find_spec(self, name, path=None, target=None):
        if name == "agent.cli":
            raise {failure}

sys.meta_path.insert(0, Obstacle())
from agent.__main__ import run
run()
"""


@pytest.mark.parametrize(
    ("failure", "code", "line"),
    [
        ("KeyboardInterrupt", 130, "error: interrupted before play began"),
        (
            "ModuleNotFoundError(name='rich')",
            1,
            "error: package rich is missing; run scripts/play once, it installs all",
        ),
    ],
)
def test_what_fails_while_loading_gets_one_line(failure: str, code: int, line: str) -> None:
    done = python(LOADING_FAILS.format(failure=failure))
    assert (done.returncode, done.stderr) == (code, f"{line}\n")


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"
    where = ["--run", str(run), "--memory", str(memory)]
    process = start(*where, "--until", "healed", "--seed", "108")
    wait_for("boot", process)
    process.kill()
    process.communicate()
    summary = play_run(Settings(resume=run, memory=memory), Watcher(), Interrupt())
    assert summary.stop.value == "goal"
    assert replay_run(run, None).divergence is None


def test_a_branch_that_died_is_kept_apart(tmp_path: Path) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"

    asked = Interrupt()

    def interrupt(moment: TickView) -> None:
        asked.asked = moment.tick == 100

    settings = Settings(until="healed", run=run, memory=memory)
    play_run(settings, Watcher(interrupt), asked)
    with closing(open_run(run)) as folder:
        *_, at_power_on = folder.store.checkpoints()
        folder.store.rewind(at_power_on)
    summary = play_run(Settings(resume=run, memory=memory), Watcher(), Interrupt())
    assert summary.stop.value == "goal"
    with closing(read_run(run)) as ended:
        assert len(list(ended.store.steps(live=False))) == 100
    assert replay_run(run, None).divergence is None


def spoil_states(run: Path, spoil: Callable[[bytes], bytes], *, last: int) -> None:
    """Replace the states of the last so many checkpoints."""
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        sql = "SELECT id, state FROM checkpoints ORDER BY id DESC LIMIT ?"
        for number, state in database.execute(sql, (last,)).fetchall():
            database.execute(
                "UPDATE checkpoints SET state = ? WHERE id = ?", (spoil(state), number)
            )


def test_states_of_another_emulator_are_refused_in_one_line(agent: Agent, tmp_path: Path) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"
    play_run(Settings(ticks=20, run=run, memory=memory), Watcher(), Interrupt())
    with closing(read_run(run)) as folder:
        sha1 = folder.settings["cartridge"]["sha1"]

    def of_another(state: bytes) -> bytes:
        saved = decode_state(state, emulator=EMULATOR, cartridge_sha1=sha1)
        return encode_state(replace(saved, emulator="PyBoy 1.0"))

    spoil_states(run, of_another, last=8)
    ended = agent("play", "--resume", run, "--ticks", "50")
    assert ended.code == 1
    errors = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert "saved by PyBoy 1.0" in errors[0]


def test_a_damaged_checkpoint_costs_no_more_than_the_ticks_since_the_one_before(
    tmp_path: Path,
) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"
    play_run(Settings(ticks=20, run=run, memory=memory), Watcher(), Interrupt())
    spoil_states(run, lambda state: state[: len(state) // 2], last=1)
    settings = Settings(until="left_home", ticks=500, resume=run, memory=memory)
    summary = play_run(settings, Watcher(), Interrupt())
    assert summary.stop.value == "goal"
    assert replay_run(run, None).divergence is None


def test_a_run_that_was_killed_as_it_began_needs_no_state_of_power_on(tmp_path: Path) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"
    play_run(Settings(ticks=0, run=run, memory=memory), Watcher(), Interrupt())
    spoil_states(run, lambda state: state[: len(state) // 2], last=8)
    settings = Settings(until="left_home", ticks=500, resume=run, memory=memory)
    summary = play_run(settings, Watcher(), Interrupt())
    assert summary.stop.value == "goal"
    assert replay_run(run, None).divergence is None


def test_a_run_in_use_is_left_alone(tmp_path: Path) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"
    play_run(Settings(ticks=20, run=run, memory=memory), Watcher(), Interrupt())
    with closing(open_run(run)), pytest.raises(RunFolderError, match="in use"):
        play_run(Settings(resume=run, memory=memory), Watcher(), Interrupt())


def test_run_and_resume_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only one"):
        Settings(run=tmp_path, resume=tmp_path)


def test_what_a_run_taught_is_handed_on_when_it_is_gone_on_with_at_its_end(
    played: Played, tmp_path: Path
) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"
    shutil.copytree(
        played.folder, run
    )  # and not its memory, as if killed before it was told anything
    with closing(read_run(run)) as folder:
        last = folder.store.outbox()[-1].sequence
        run_id = folder.store.run_id
    summary = play_run(Settings(resume=run, memory=memory), Watcher(), Interrupt())
    assert summary.stop is Stop.GOAL
    with closing(open_knowledge_store(memory, now=0.0)) as known:
        assert known.delivered(run_id) == last


def test_a_process_without_memory_keeps_nothing_that_lacks_something(tmp_path: Path) -> None:
    run = tmp_path / "run"

    class Starved(Watcher):
        def show(self, moment: TickView) -> None:
            if moment.tick == 150:
                raise MemoryError

    settings = Settings(seed=3, run=run, memory=tmp_path / "memory.sqlite", until="healed")
    with pytest.raises(MemoryError):
        play_run(settings, Starved(), Interrupt())
    with closing(read_run(run)) as folder:
        assert all(mark.why != "end" and mark.tick < 150 for mark in folder.store.marks())
    summary = play_run(
        Settings(resume=run, memory=tmp_path / "memory.sqlite"), Watcher(), Interrupt()
    )
    assert summary.stop is Stop.GOAL
    assert replay_run(run, None).divergence is None
