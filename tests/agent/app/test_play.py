"""Play by rules from power-on to the end of the story, with its summary and report."""

import gc
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agent.app import (
    AskSettings,
    Interrupt,
    Settings,
    Summary,
    TickView,
    play_run,
    record_of,
    row_of,
)
from agent.app.model import MAX_SHARE, scaled_config
from agent.app.play import session_of_run
from agent.app.session import PlayLimits
from agent.app.settings import RunSettings
from agent.app.summary import PlayStart
from agent.settings import NO_MEMORY
from agent.tools.report.words import game_time
from emulator import FRAMES_PER_SECOND, Font, PyBoyConsole, RecordingConsole, demo_cartridge_path
from emulator.screen.glyphs import read_glyphs
from memory import RunReader, StepRow, milestones_of, read_knowledge_store, read_run
from memory.conversation.config import ConversationConfig
from memory.tiers.encounters import ENCOUNTERS
from memory.tiers.knowledge import ConsolidationConfig
from tests.agent.demo import CARTRIDGE, STORY
from tests.agent.support import ROOT, Agent, Played, Watcher, edited, events_of, play_in

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = RunSettings(CARTRIDGE.name, CARTRIDGE.sha1, "session", BEGAN)
MILESTONES = list(STORY.up_to("first_badge"))


def test_play_json_prints_one_summary_object_after_lines_that_name_a_milestone_once(
    process: Agent, tmp_path: Path
) -> None:
    ended = process("play", "--until", "starter", "--json", "--run", tmp_path / "run")
    assert ended.code == 0, ended.err
    assert len(ended.out.splitlines()) == 1  # all other output goes to stderr
    summary = ended.json
    assert summary["stop"] == "goal"
    assert summary["cartridge"] == "Red Agent Demo"
    assert summary["run"] == str(tmp_path / "run")
    assert summary["errors"] == 0
    assert summary["consolidations"] >= 1
    assert {"ticks", "frames", "wall_s", "frames_per_s", "badges", "battles"} <= set(summary)
    assert [each["id"] for each in summary["milestones"]] == ["left_home", "starter"]
    assert all(set(each["witnesses"]) == {"ram", "frame"} for each in summary["milestones"])
    assert summary["milestones"][-1]["tick"] <= summary["ticks"]
    assert "the scene may go on" not in ended.err
    assert "take a preset name" in ended.err
    named = [line.partition("milestone: ")[2] for line in ended.err.splitlines()]
    assert [each for each in named if each] == ["leave home", "get a starter"]


def test_play_without_json_starts_and_ends_with_plain_lines(agent: Agent, tmp_path: Path) -> None:
    run, memory = tmp_path / "a long name of a folder", tmp_path / "memory.sqlite"
    ended = agent("play", "--until", "left_home", "--run", run, "--memory", memory)
    assert ended.code == 0
    assert ended.err.splitlines()[:2] == [
        f"Red Agent Demo, seed 0: new run {run}",
        f"memory: {memory}, empty",
    ]
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    clock, wall = game_time(summary["frames"] / FRAMES_PER_SECOND), game_time(summary["wall_s"])
    table, end = ended.out.split("└")
    assert "leave home" in table
    assert end.splitlines()[1:] == [
        f"result: reached its goal (tick 65, {clock} in the game, {wall} played)",
        f"run: '{run}'",
        f"report: '{run / 'report.html'}'",
        f"check: scripts/red-agent replay '{run}'",
    ]


def test_an_interrupted_or_limited_run_says_how_to_continue(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "run"
    ended = agent("play", "--ticks", 20, "--run", run)
    assert f"continue: scripts/red-agent play --resume {run}" in ended.out.splitlines()
    again = agent("play", "--ticks", 10, "--resume", run)
    assert f"Red Agent Demo, seed 0: continuing {run} at tick 20" in again.err
    assert "result: stopped at --ticks, already at tick 20, so nothing was played" in again.out


def test_the_first_lines_name_the_memory_and_how_to_play_without(
    agent: Agent, played: Played, tmp_path: Path
) -> None:
    memory = shutil.copy(played.memory, tmp_path / "memory.sqlite")
    with_memory = agent("play", "--ticks", 3, "--run", tmp_path / "a", "--memory", memory)
    assert re.search(
        r"memory: .*, \d+ entries from 1 earlier run; --memory none plays without", with_memory.err
    )
    before = Path(memory).read_bytes()
    without = agent("play", "--ticks", 3, "--run", tmp_path / "b", "--memory", "none")
    assert "memory: none; what this run learns is not kept" in without.err
    assert Path(memory).read_bytes() == before
    assert not Path("none").exists()


def test_a_resumed_run_keeps_every_choice(tmp_path: Path) -> None:
    chosen: dict[str, Any] = {
        "memory": NO_MEMORY,
        "pace": 1e6,
        "until": "left_home",
        "asking": AskSettings(0.5, 9, timeout_s=7.0, distils=True, model="claude-haiku-5-5"),
    }
    run, starts, viewer = tmp_path / "run", list[PlayStart](), Watcher()
    viewer.show_start = starts.append  # type: ignore[assignment, method-assign]

    def played(**flags: Any) -> RunSettings:  # noqa: ANN401  # those of Settings
        play_run(Settings(**flags), viewer, Interrupt())
        with closing(read_run(run)) as folder:
            return RunSettings.of(folder.settings)

    began = played(run=run, ticks=20, **chosen)
    resumed = played(resume=run, ticks=30)
    assert resumed == replace(began, ticks=30)
    assert (starts[1].memory, starts[1].pace, starts[1].tick) == (None, 1e6, 0)
    assert resumed.asking == chosen["asking"]
    toml = (run / "run.toml").read_text(encoding="utf-8")
    lines = [each for each in toml.splitlines() if each.split(" ")[0] not in ("distil", "model")]
    (run / "run.toml").write_text("\n".join(lines), encoding="utf-8")  # as a page says
    taken_back = played(resume=run, pace=0.0)  # to its goal: the limit is behind it
    assert (taken_back.pace, taken_back.distils, taken_back.model) == (0.0, False, "")
    assert viewer.moments[-1].milestones == ("left_home",)


def test_a_game_reaches_every_milestone_to_the_first_badge(played: Played) -> None:
    reached = played.summary.milestones
    assert [each.id for each in reached] == MILESTONES
    assert all(set(each.witnesses) == {"ram", "frame"} for each in reached)


def test_the_errand_with_the_parent_is_done_on_the_way(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        events = list(run.store.record.events("action"))
        actions = [(e.payload["action_value"], e.payload["outcome_summary"]) for e in events]
    names = [name for name, _ in actions]
    assert names.index("travel:house") < names.index("errand:goodbye") < names.index("travel:town")
    assert ("errand:goodbye", "done") in actions


def test_a_run_is_stored_in_memory(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        places = [event.payload["location_name"] for event in run.store.record.events("location")]
        goals = [
            (event.payload["objective_id"], event.payload["status"])
            for event in run.store.record.events("objective")
        ]
        entries = {entry.kind for entry in run.store.live_entries()}
        # A whole story fills short-term memory, which drops the least important entries; events stay.
        consolidations = len(list(run.store.record.events("consolidation")))
    assert places[:5] == ["the bedroom", "the house", "the town", "the lab", "the town"]
    assert places[-2:] == ["the third town", "the gym"]
    closed = [goal for goal, status in goals if status == "completed" and ":" in goal]
    of_the_story = [goal for goal in closed if goal.startswith(("errand:", "reached:"))]
    assert of_the_story == ["errand:goodbye", *(f"reached:{each}" for each in MILESTONES)]
    # In between it bought items and picked up items on the ground.
    assert {goal for goal in closed if goal not in of_the_story} <= {
        "supplied:store",
        "lying:about",
    }
    assert set(closed) <= {goal for goal, status in goals if status == "active"}
    assert {"tick_state", "sensory_input", "action"} <= entries
    assert consolidations == played.summary.consolidations > 0
    with closing(read_knowledge_store(played.memory)) as knowledge:
        assert knowledge.load_knowledge().total_sessions == 1
        episodes = [entry for entry in knowledge.entries() if entry.scope.endswith("ltm:episodic")]
        (milestone_time,) = (each for each in episodes if each.kind == "milestone_time")
        assert milestones_of(milestone_time.data).keys() == set(MILESTONES)
        kinds = [each.kind for each in episodes]
        assert kinds.count("session") == 1
        # At the errand and in the shop.
        assert {kind for kind in kinds if kind in ENCOUNTERS} == {"talk", "shop_stock"}
        met = {each.kind for each in knowledge.entries() if each.scope.endswith("ltm:semantic")}
        assert met == {"opponent_met", "item_owned", "place_known"}


def test_run_toml_holds_the_settings(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        settings = run.settings
    assert (settings["seed"], settings["limits"]) == (3, {"until": MILESTONES[-1]})
    assert settings["cartridge"]["name"] == "Red Agent Demo"
    assert len(settings["memory"]["hash"]) == 32
    assert RunSettings.of(settings).table() == settings


def test_the_report_shows_milestones_and_loads_nothing(played: Played) -> None:
    page = (played.folder / "report.html").read_text(encoding="utf-8")
    assert "data:image/png;base64," in page
    assert all(each in page for each in MILESTONES)
    assert "http" not in page  # the page loads nothing


def test_a_game_replays_and_no_text_is_claimed_that_is_not_on_the_screen_of_its_tick(
    played: Played,
) -> None:
    with closing(sqlite3.connect(played.folder / "run.sqlite")) as database:
        rows = database.execute("SELECT tick, data FROM entries WHERE kind = 'sensory_input'")
        seen: dict[int, dict[str, Any]] = {tick: json.loads(data) for tick, data in rows}
    claimed = {tick: data for tick, data in seen.items() if data["ocr_confidence"]}
    assert len(claimed) > len(seen) / 3
    assert not any(data["ocr_text"] for tick, data in seen.items() if tick not in claimed)
    again: list[StepRow] = []
    with closing(read_run(played.folder)) as run, closing(PyBoyConsole(CARTRIDGE)) as machine:
        font = Font.of(CARTRIDGE)
        console = RecordingConsole(machine, lambda record: again.append(row_of(record)))
        for row in run.store.record.steps():
            console.perform(record_of(row).step, render=row.tick in claimed)
            assert again[-1] == row
            if (data := claimed.get(row.tick)) is not None:
                read = map(str.strip, read_glyphs(console.screen(), font).split("\n"))
                assert data["ocr_text"] == "\n".join(filter(None, read)), row.tick
        # Only HP that were still rising on the frame, no frames of a transition or of a text being printed.
        assert len(list(run.store.record.events("disagreement"))) <= 2


def test_the_senses_hold_what_was_read_from_pixels_beside_the_tile_map(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        seen = [e.data for e in run.store.live_entries() if e.kind == "sensory_input"]
    last: Mapping[str, Any] = next(each for each in reversed(seen) if each["tile_text"])
    assert last["ocr_confidence"] == 1.0
    assert set(last["ocr_text"].split()) & set(last["tile_text"].split())
    assert 0 < last["ocr_tick"] <= played.summary.ticks
    glyphs = played.summary.readers["glyphs"]
    assert glyphs.frames > 100
    assert glyphs.share > 0.99


def test_nothing_is_written_beside_the_cartridge(tmp_path: Path) -> None:
    rom = tmp_path / "slot" / "own.gb"
    rom.parent.mkdir()
    rom.write_bytes(demo_cartridge_path().read_bytes())
    play_in(tmp_path, rom=rom, ticks=3)
    assert list(rom.parent.iterdir()) == [rom]
    assert rom.read_bytes() == demo_cartridge_path().read_bytes()


def test_tick_views_show_place_action_and_plan(tmp_path: Path) -> None:
    moments: list[TickView] = []
    play_in(tmp_path, moments.append, until="left_home")
    walking = [moment for moment in moments if moment.intent.name == "travel:town"]
    assert walking[0].where.startswith("the house")
    assert walking[0].goal == "reached:left_home"
    assert "1. walk to the town" in walking[0].intent.plan
    assert [moment.tick for moment in moments] == list(range(1, len(moments) + 1))


def test_a_closed_pipe_does_not_stop_play(tmp_path: Path) -> None:
    run = tmp_path / "run"
    where = ["--run", str(run), "--memory", str(tmp_path / "memory.sqlite")]
    process = subprocess.Popen(
        [sys.executable, "-m", "agent", "play", "--until", "left_home", "--json", *where],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    reached = [each.payload["id"] for each in events_of(run, "milestone")]
    assert reached == ["left_home"]
    assert (run / "report.html").exists()


def test_markup_in_a_path_is_printed_literally(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "[b]run" / "[" / "b]"
    ended = agent("play", "--ticks", "3", "--run", run)
    assert ended.code == 0, ended.err
    assert "[b]run" in "".join(ended.out.split())


def test_an_unwritable_report_does_not_stop_play(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert agent("play", "--run", run, "--ticks", "3").code == 0
    (run / "report.html").unlink()
    (run / "report.html").mkdir()
    ended = agent("play", "--resume", run, "--ticks", "5", "--json")
    assert (ended.code, ended.json["stop"]) == (0, "ticks")
    assert "no report was written" in ended.err


def test_a_run_that_was_ended_before_its_first_tick_begins_with_its_settings(
    agent: Agent, tmp_path: Path
) -> None:
    run, flags = tmp_path / "run", ("--ticks", "3", "--memory", "none")
    assert agent("play", "--run", run, "--seed", "5", *flags).code == 0
    with closing(read_run(run)) as folder:
        played = list(folder.store.record.steps())
    for name in ("run.sqlite", "summary.json", "report.html"):
        (run / name).unlink()
    back = agent("play", "--resume", run, "--at", "3", *flags)
    assert (back.code, back.out) == (2, "")
    assert "nothing of the run was played" in back.err
    ended = agent("play", "--resume", run, *flags, "--json")
    assert (ended.code, ended.json["seed"], ended.json["ticks"]) == (0, 5, 3), ended.err
    with closing(read_run(run)) as folder:
        assert list(folder.store.record.steps()) == played


def test_a_damaged_run_is_not_called_complete_when_no_report_can_be_written(
    agent: Agent, tmp_path: Path
) -> None:
    run, memory = tmp_path / "run", tmp_path / "m.sqlite"
    assert agent("play", "--run", run, "--ticks", "80", "--memory", memory).code == 0
    damaged = edited(
        run, tmp_path / "damaged", "UPDATE outbox SET payload = 'x' WHERE sequence = 1"
    )
    ended = agent("play", "--resume", damaged, "--ticks", "80", "--memory", memory)
    (line,) = (each for each in ended.err.splitlines() if each.startswith("no report was written"))
    assert line.endswith(f"`scripts/red-agent memory check {damaged} --repair` may help")


class ShortTimeoutConnection(sqlite3.Connection):
    """A connection that waits 50 ms for a lock instead of 5 s."""

    def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
        quick = sql.replace("busy_timeout = 5000", "busy_timeout = 50")
        return super().execute(quick, parameters)  # type: ignore[arg-type]


def test_a_locked_memory_file_does_not_stop_play(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sqlite3, "connect", partial(sqlite3.connect, factory=ShortTimeoutConnection)
    )

    def occupy(moment: TickView) -> None:
        if moment.tick == 40:
            blocker.execute("BEGIN EXCLUSIVE")

    memory = shutil.copy(played.memory, tmp_path / "memory.sqlite")
    with closing(sqlite3.connect(memory, isolation_level=None)) as blocker:
        summary = play_in(tmp_path, occupy, until="left_home")
    assert summary.stop.value == "goal"
    assert summary.errors > 0
    with closing(read_run(tmp_path / "run")) as run:
        assert run.store.outbox.rows()  # the lessons wait there


@dataclass(frozen=True)
class LongGame:
    summary: Summary
    run: RunReader
    watcher: Watcher


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> LongGame:
    """150 ticks of a story that ends at its first milestone, most of them after its end; consolidated every 70."""
    path = tmp_path_factory.mktemp("long")
    watcher, story = Watcher(), replace(STORY, milestones=STORY.milestones[:1])
    config = partial(ConsolidationConfig, tick_interval=70)
    with (
        pytest.MonkeyPatch.context() as patch,
        closing(PyBoyConsole(CARTRIDGE)) as console,
        session_of_run(path, SETTINGS, console, story, Interrupt()) as opened,
    ):
        patch.setattr("memory.agent_memory.ConsolidationConfig", config)
        summary = opened.session.play(PlayLimits("never", 150), watcher)
    return LongGame(summary, read_run(path / "run").store, watcher)


def test_memory_is_consolidated_at_each_interval_and_ends_in_a_checkpoint(long: LongGame) -> None:
    times = [
        (e.payload["tick"], e.payload["reason"]) for e in long.run.record.events("consolidation")
    ]
    assert times == [(70, "interval"), (140, "interval"), (150, "session_end")]
    assert long.summary.consolidations == 3
    assert long.run.checkpoints.ticks()[0] == 150


def test_play_without_goals_is_not_stuck_and_has_no_errors(long: LongGame) -> None:
    assert (long.summary.stop.value, long.summary.errors) == ("ticks", 0)
    assert long.watcher.moments[-1].intent.why == "every goal is reached"


def test_every_step_is_stored_with_its_digests(long: LongGame) -> None:
    steps = list(long.run.record.steps())
    assert [step.tick for step in steps] == list(range(1, 151))
    assert [step.tick for step in steps if step.full_digest] == [100]
    assert all(len(step.digest) == 16 for step in steps)


def test_working_memory_stays_small(long: LongGame) -> None:
    assert len(list(long.run.live_entries())) < 200


def test_play_restores_the_settings_of_the_garbage_collector(long: LongGame) -> None:
    assert long.summary.ticks == 150
    assert gc.get_threshold()[0] == 100_000  # as tests/conftest.py sets it


@pytest.mark.parametrize("room", [1_000, 8_000, 32_000, 100_000])
def test_thresholds_are_scaled_to_a_small_model(room: int) -> None:
    for enough in (None, 1_000_000, 200_000):
        assert scaled_config(ConversationConfig(), enough) == ConversationConfig()
    config = scaled_config(ConversationConfig(), room)
    assert config.hard_limit <= room * MAX_SHARE + 2
    assert config.hard_limit > room * MAX_SHARE * 0.95
    assert config.observation.message_tokens < config.reflection.observation_tokens
