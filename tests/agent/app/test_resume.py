"""Resuming stopped, killed and finished runs from their last valid checkpoint."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agent.app import (
    AskSettings,
    Interrupt,
    Settings,
    Stop,
    TickView,
    checkpoints,
    interrupts,
    play_run,
)
from agent.app.checkpoints import LONGEST_WAIT
from agent.app.summary import PlayStart
from agent.errors import RunError, UsageError
from agent.experience.memory_use import MemoryUse
from agent.tools.replay.operations import redecide_run, replay_run
from emulator import BattleKind, MenuKind, Phase, State
from emulator.pyboy_console import EMULATOR
from emulator.savestate import decode_state, encode_state
from memory import (
    BusyStore,
    CheckpointInfo,
    KnowledgeStore,
    open_knowledge_store,
    open_run,
    read_knowledge_store,
    read_run,
)
from memory.errors import RunFolderError
from memory.inspect import forget_items, item_key, view_file
from memory.store.run_folder import MEMORY_AT_START
from tests.agent.support import ROOT, Agent, Played, Watcher, events_of, play_in
from tests.memory.samples import NOON
from tests.proofs.kills import Ended
from tests.proofs.kills import ended as ended_in


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


CTRL_C = """
import signal, sys
from agent.cli import main
from agent.cli.panel import PlainLines

tick, times = int(sys.argv.pop()), int(sys.argv.pop())

def interrupt(self, moment):
    for _ in range(times if moment.tick == tick else 0):
        signal.raise_signal(signal.SIGINT)

PlainLines.show = interrupt
main()
"""


def test_ctrl_c_ends_cleanly_and_the_run_can_be_resumed(tmp_path: Path) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"
    arguments = ["play", "--json", "--until", "left_home", "--run", str(run)]
    done = python(CTRL_C, *arguments, "--memory", str(memory), "1", "50")
    assert done.returncode == 130, done.stderr
    assert '"stop": "interrupted"' in done.stdout
    with closing(read_run(run)) as stopped:
        ticks = len(list(stopped.store.record.steps()))
    assert f'"ticks": {ticks},' in done.stdout  # all is committed

    ended = play_in(tmp_path, resume=run)
    assert (ended.stop, ended.ticks > ticks) == (Stop.GOAL, True)
    assert replay_run(run, None) == (ended.ticks, None, ended.digest)
    assert redecide_run(run, None) == (ended.ticks, 0, "", ended.digest)

    again = play_in(tmp_path, resume=run)
    assert (again.stop, again.ticks) == (Stop.GOAL, ended.ticks)
    assert again.milestones == ended.milestones


def test_a_second_ctrl_c_ends_at_once_with_a_line(tmp_path: Path) -> None:
    done = python(CTRL_C, "play", "--run", str(tmp_path / "run"), "--memory", "none", "2", "1")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.splitlines()[-1] == (
        "error: stopped at once by Ctrl-C; a run that had begun goes on with --resume"
    )


LOADING_FAILS = """
import sys

class ImportBlocker:
    def find_spec(self, name, path=None, target=None):
        if name == "agent.cli":
            raise {failure}

sys.meta_path.insert(0, ImportBlocker())
from agent.__main__ import run
run()
"""


@pytest.mark.usefixtures("new_interpreters")
@pytest.mark.parametrize(
    ("failure", "code", "line"),
    [
        ("KeyboardInterrupt", 130, "error: interrupted before play began"),
        (
            "ModuleNotFoundError(name='rich')",
            2,
            f"error: package rich is gone from {ROOT}/.venv; remove that folder, then run: scripts/red-agent",
        ),
    ],
)
def test_a_failure_while_loading_prints_one_line(failure: str, code: int, line: str) -> None:
    done = python(LOADING_FAILS.format(failure=failure))
    assert (done.returncode, done.stderr) == (code, f"{line}\n")


def test_a_missing_key_is_reported_before_the_sdk_is_loaded(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in os.environ if each.startswith("ANTHROPIC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "agent.app.model", None)  # it cannot be loaded
    ended = agent("play", "--mind", "claude")
    line = "error: there is no key for Claude: set ANTHROPIC_API_KEY, or play without a model\n"
    assert (ended.code, ended.err) == (2, line)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run and the memory of a session of 80 ticks."""
    home = tmp_path_factory.mktemp("short")
    play_in(home, ticks=80)
    return home


@pytest.fixture
def home(short: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return shutil.copytree(short, tmp_path, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def through(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """What a game of 120 ticks comes to that is played in one session."""
    home = tmp_path_factory.mktemp("through")
    play_in(home, ticks=120)
    return ended_in(home)


def test_a_killed_run_resumes_at_its_last_checkpoint(tmp_path: Path) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"
    command = [sys.executable, "-m", "agent", "play", "--until", "left_home", "--seed", "108"]
    where = ["--run", str(run), "--memory", str(memory)]
    process = subprocess.Popen([*command, *where], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert any("press START" in line for line in process.stderr)
    process.kill()
    process.communicate()
    assert play_in(tmp_path, resume=run).stop is Stop.GOAL
    assert replay_run(run, None).divergence is None


def damage_states(run: Path, damage: Callable[[bytes], bytes], *, last: int) -> None:
    """Apply `damage` to the states of the `last` newest checkpoints."""
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        sql = "SELECT id, state FROM checkpoints ORDER BY id DESC LIMIT ?"
        for number, state in database.execute(sql, (last,)).fetchall():
            database.execute(
                "UPDATE checkpoints SET state = ? WHERE id = ?", (damage(state), number)
            )


def test_states_of_another_emulator_are_refused_in_one_line(agent: Agent, home: Path) -> None:
    run = home / "run"
    with closing(read_run(run)) as folder:
        sha1 = folder.settings["cartridge"]["sha1"]

    def of_another(state: bytes) -> bytes:
        saved = decode_state(state, emulator=EMULATOR, cartridge_sha1=sha1)
        return encode_state(replace(saved, emulator="PyBoy 1.0"))

    damage_states(run, of_another, last=8)
    ended = agent("play", "--resume", run, "--ticks", "100")
    assert ended.code == 1
    (error,) = (line for line in ended.err.splitlines() if line.startswith("error: "))
    assert "saved by PyBoy 1.0" in error


def test_damaged_checkpoints_are_replaced_by_the_one_before(home: Path) -> None:
    damage_states(home / "run", lambda state: state[: len(state) // 2], last=2)
    assert play_from(home, 0, resume=home / "run", ticks=100).tick == 0
    assert replay_run(home / "run", None).divergence is None


def test_a_run_in_use_is_refused(home: Path) -> None:
    run = home / "run"
    with closing(open_run(run)), pytest.raises(RunFolderError, match="in use"):
        play_in(home, resume=run)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"run": Path(), "resume": Path()}, "only one"),
        ({"run": Path(), "at": 5}, "name it with --resume"),
        ({"resume": Path(), "at": -1}, "--at -1 is negative"),
        ({"resume": Path(), "without": (MemoryUse.COSTS,)}, "keeps its uses of memory"),
    ],
)
def test_settings_refuse_conflicting_flags(flags: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Settings(**flags)


def test_resuming_a_finished_run_delivers_its_lessons(played: Played, tmp_path: Path) -> None:
    # Without its memory, as if killed before it delivered any lesson.
    run = shutil.copytree(played.folder, tmp_path / "run")
    with closing(read_run(run)) as folder:
        last = folder.store.outbox.rows()[-1].sequence
        run_id = folder.store.run_id
    assert play_in(tmp_path, resume=run).stop is Stop.GOAL
    with closing(open_knowledge_store(tmp_path / "memory.sqlite", now=0.0)) as known:
        assert known.delivered(run_id) == last


def test_out_of_memory_commits_no_incomplete_end(tmp_path: Path) -> None:
    run = tmp_path / "run"

    def starve(moment: TickView) -> None:
        if moment.tick == 50:
            raise MemoryError

    with pytest.raises(MemoryError):
        play_in(tmp_path, starve, seed=3, until="left_home")
    assert [(mark.tick, mark.why) for mark in marks(run)] == [(0, "start")]
    assert play_in(tmp_path, resume=run).stop is Stop.GOAL
    assert replay_run(run, None).divergence is None


@pytest.fixture
def run(played: Played, tmp_path: Path) -> Path:
    shutil.copytree(played.folder, tmp_path / "run")
    return tmp_path / "run"


def marks(run: Path) -> list[CheckpointInfo]:
    with closing(read_run(run)) as folder:
        return folder.store.checkpoints.marks()


def test_every_milestone_has_a_checkpoint(played: Played) -> None:
    reached = [event.tick for event in events_of(played.folder, "milestone")]
    first, *later = marks(played.folder)
    assert (first.tick, first.why) == (0, "start")
    saved = [mark.tick for mark in later if mark.why in {"milestone", "end"}]
    # As soon as the player is in control; the record is committed a tick before.
    assert all(any(tick <= each <= tick + LONGEST_WAIT + 2 for each in saved) for tick in reached)


def test_a_required_battle_has_a_checkpoint_before_it(played: Played) -> None:
    assert any(mark.why == "battle" for mark in marks(played.folder))


def test_a_run_resumed_at_an_older_tick_is_labelled_and_replays(agent: Agent, run: Path) -> None:
    third = [mark for mark in marks(run) if mark.why == "milestone"][2]
    last, soon = marks(run)[-1].tick, third.tick + 20
    ended = agent("play", "--resume", run, "--at", third.tick + 3, "--ticks", soon)
    assert ended.code == 0, ended.err
    assert "not a clean run" in ended.out
    assert f"went back by hand from tick {last} to tick {third.tick}" in ended.out
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    assert summary["clean"] is False
    (back,) = summary["returns"]
    assert (back["tick"], back["left"], back["why"]) == (third.tick, last, "asked")
    assert replay_run(run, None).divergence is None
    with closing(read_run(run)) as folder:
        dead = [row.tick for row in folder.store.record.steps(live=False)]
        assert dead == list(range(third.tick + 1, last + 1))  # no step is lost
        assert folder.store.record.trail(live=False)


def test_a_recovery_by_the_supervisor_leaves_the_run_clean(run: Path) -> None:
    third = [mark for mark in marks(run) if mark.why == "milestone"][2]
    tick = third.tick
    summary = play_in(run.parent, resume=run, at=tick, recovers=True, ticks=tick + 20)
    assert [each.why for each in summary.returns] == ["recovered"]
    assert summary.clean


def test_a_tick_without_a_checkpoint_is_refused(agent: Agent, run: Path) -> None:
    with closing(sqlite3.connect(run / "run.sqlite")) as file, file:
        file.execute("DELETE FROM checkpoints WHERE tick < 300")
    first, *_, last = [mark.tick for mark in marks(run)]
    for at, line in (
        (7, f"is before the first checkpoint; there are checkpoints at ticks {first}, "),
        (9_999, f"is after the end of the run; its newest checkpoint is at tick {last}\n"),
    ):
        ended = agent("play", "--resume", run, "--at", at)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert ended.err.startswith(f"error: --at {at} {line}")


@pytest.mark.parametrize(
    ("number", "before_it", "asks"),
    [
        (signal.SIGHUP, signal.SIG_DFL, True),
        (signal.SIGHUP, signal.SIG_IGN, False),  # under nohup
        (signal.SIGINT, signal.SIG_IGN, True),  # a background job of a shell
    ],
)
def test_a_signal_requests_an_end_unless_nohup_ignores_it(
    number: signal.Signals, before_it: signal.Handlers, *, asks: bool
) -> None:
    before = signal.signal(number, before_it)
    try:
        with interrupts() as interrupt:
            os.kill(os.getpid(), number)
            assert interrupt.asked is asks
    finally:
        signal.signal(number, before)


def test_a_goal_is_reached_again_after_going_back(agent: Agent, tmp_path: Path) -> None:
    play_in(tmp_path, until="starter")
    run = tmp_path / "run"
    back = next(mark for mark in reversed(marks(run)) if mark.why == "milestone")
    ended = agent("play", "--json", "--resume", run, "--at", back.tick)
    assert (ended.code, ended.json["stop"]) == (0, "goal")
    reached = [each["tick"] for each in ended.json["milestones"]]
    assert reached == sorted(set(reached))
    assert replay_run(run, None).divergence is None
    assert redecide_run(run, None).divergence == ""  # it was decided alike


SEEDS = range(22, 53)  # the first seed blacks out; others do after changes to battles


def in_phase(phase: Phase) -> Callable[[State], bool]:
    return lambda state: state.battle is not None and state.battle.phase is phase


def in_menu(kind: MenuKind) -> Callable[[State], bool]:
    return lambda state: state.menu is not None and state.menu.kind is kind


def is_blacking_out(state: State) -> bool:
    return state.battle is not None and state.battle.kind is BattleKind.LOST


def is_between_maps(state: State) -> bool:
    return state.game_started and not state.in_control and not state.dialogue.is_open


MOMENTS = (  # in the order in which a game comes to them
    is_between_maps,
    in_menu(MenuKind.YES_NO),
    in_phase(Phase.MOVE_MENU),
    is_blacking_out,
    in_menu(MenuKind.NURSE),
)


def is_stopped_at_each(home: Path, seed: int) -> bool:
    """Play until the nurse has healed, stopped and resumed at each moment; return whether all came."""
    home.mkdir()
    flags: dict[str, Any] = {"seed": seed, "until": "healed"}
    for moment in MOMENTS:
        asked = Interrupt()

        def react(
            seen: TickView, asked: Interrupt = asked, moment: Callable[[State], bool] = moment
        ) -> None:
            asked.asked = moment(seen.state)

        if play_in(home, react, asked, **flags).stop is not Stop.INTERRUPTED:
            return False
        flags = {"resume": home / "run"}
    return True


def test_a_run_stopped_in_interactions_reaches_its_goal(tmp_path: Path) -> None:
    """At a map change, a question, a list of moves, a blackout and the nurse's question."""
    homes = ((tmp_path / str(seed), seed) for seed in SEEDS)
    home = next(home for home, seed in homes if is_stopped_at_each(home, seed))
    run = home / "run"
    ended = play_in(home, resume=run, ticks=3_000)
    assert (ended.stop, ended.errors) == (Stop.GOAL, 0)
    assert [each.id for each in ended.milestones][-1] == "healed"
    assert replay_run(run, None).divergence is None
    battles = [event.payload for event in events_of(run, "battle")]
    assert len(battles) == ended.battles
    for battle, after in pairwise(battles):  # none is recorded twice or in two parts
        assert battle["end_tick"] <= after["start_tick"]
    assert all(battle["turns_taken"] > 0 for battle in battles)
    for battle in battles:
        assert (battle["outcome"] == "defeat") is (battle["player_hp_remaining"] == 0)


def test_a_run_played_on_after_its_end_is_the_game_played_through(
    home: Path, through: Ended
) -> None:
    play_in(home, resume=home / "run", ticks=120)
    assert ended_in(home) == through
    assert redecide_run(home / "run", None) == (120, 0, "", through.digest)


class Killed(BaseException):
    """Ends play as SIGKILL does: nothing more is committed."""


def play_from(home: Path, tick: int, **flags: Any) -> PlayStart:  # noqa: ANN401  # those of Settings
    """Play until a kill at a tick, and return where play began."""
    starts: list[PlayStart] = []

    def react(moment: TickView) -> None:
        if moment.tick == tick:
            raise Killed

    viewer = Watcher(react)
    viewer.show_start = starts.append  # type: ignore[assignment, method-assign]
    where: dict[str, Any] = {} if "resume" in flags else {"run": home / "run"}
    settings = Settings(memory=home / "memory.sqlite", **where, **flags)
    with suppress(Killed):
        play_run(settings, viewer, Interrupt())
    return starts[0]


def test_a_killed_run_resumed_with_other_choices_repeats_nothing_and_is_not_decided_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "COMMIT_EVERY", 20)
    run = tmp_path / "run"
    play_from(tmp_path, 95)  # after a checkpoint, and a commit without one
    alike = play_from(tmp_path, 80, resume=run)
    other = play_from(tmp_path, 80, resume=run, asking=AskSettings(every=9))
    after = play_from(tmp_path, 0, resume=run, ticks=100)
    assert alike.repeats_to > alike.tick > 0
    assert other.repeats_to == other.tick > 0
    assert after.repeats_to == after.tick
    assert replay_run(run, None).divergence is None
    with pytest.raises(RunError, match="with other settings than it began with"):
        redecide_run(run, None)


def test_a_run_that_began_with_an_emptied_memory_is_decided_again(home: Path) -> None:
    memory, run = home / "memory.sqlite", home / "second"
    with view_file(memory, now=NOON) as view:
        every = {item_key(each) for each in view.items()}
    forget_items(memory, every, now=NOON)
    ended = play_in(home, run=run, ticks=20)
    assert redecide_run(run, None) == (20, 0, "", ended.digest)
    (run / MEMORY_AT_START).unlink()
    with pytest.raises(RunError, match=f"{MEMORY_AT_START} is missing"):
        redecide_run(run, None)


def test_a_kill_after_a_resume_takes_no_lesson_from_the_memory(home: Path, through: Ended) -> None:
    run, memory = home / "run", home / "memory.sqlite"

    def taught() -> tuple[int, int]:
        with closing(read_knowledge_store(memory)) as known:
            return known.load_knowledge().total_sessions, len(known.entries())

    before = taught()
    for tick in (20, 83, 100):
        play_from(home, tick, resume=run, ticks=120)
        if tick == 20:
            assert taught() == before
        assert taught() >= before
    play_in(home, resume=run, ticks=120)
    assert ended_in(home) == through


def test_a_run_whose_end_cannot_note_what_it_contributed_goes_on_from_that_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise BusyStore

    with monkeypatch.context() as busy:
        busy.setattr(KnowledgeStore, "contributed_by", refuse)
        play_in(tmp_path, ticks=20)
    assert play_from(tmp_path, 21, resume=tmp_path / "run", ticks=40).tick == 20


def test_a_memory_that_is_locked_at_a_resume_counts_nothing_twice(
    home: Path, through: Ended, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_back, times = KnowledgeStore.take_back, [1]

    def refuse_once(store: KnowledgeStore, *args: Any) -> None:  # noqa: ANN401
        if times:
            times.clear()
            raise BusyStore
        take_back(store, *args)

    monkeypatch.setattr(KnowledgeStore, "take_back", refuse_once)
    for _ in range(2):  # the first time it is locked at the only delivery
        play_in(home, resume=home / "run", ticks=120)
    assert not times
    assert ended_in(home) == through
