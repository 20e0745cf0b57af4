"""The main job: play from power-on to the end of the story, by rules, and tell how it went."""

import gc
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from agent.app import Interrupt, Summary, TickView
from agent.app.model import SHARE, fitting
from agent.app.play import session_of_run
from agent.app.session import PlayLimits
from agent.app.settings import RunSettings
from agent.story.story import Story
from agent.tools.replay.operations import replay_run
from emulator import CartridgeKind, PyBoyConsole, demo_cartridge_path, load_cartridge
from memory import RunReader, milestones_of, read_knowledge_store, read_run
from memory.conversation.config import ConversationConfig
from memory.tiers.encounters import ENCOUNTERS
from tests.agent.support import ROOT, Agent, Played, Watcher, play_in

MILESTONES = list(Story.of(CartridgeKind.DEMO).up_to("first_badge"))


def test_play_leaves_home_and_says_so_in_one_object(process: Agent, tmp_path: Path) -> None:
    ended = process("play", "--until", "left_home", "--json", "--run", tmp_path / "run")
    assert ended.code == 0, ended.err
    assert len(ended.out.splitlines()) == 1  # everything else goes to stderr
    summary = ended.json
    assert summary["stop"] == "goal"
    assert summary["cartridge"] == "Red Agent Demo"
    assert summary["run"] == str(tmp_path / "run")
    assert summary["errors"] == 0
    assert summary["consolidations"] >= 1
    assert {"ticks", "frames", "wall_s", "frames_per_s", "badges", "battles"} <= set(summary)
    (reached,) = summary["milestones"]
    assert reached["id"] == "left_home"
    assert set(reached["witnesses"]) == {"ram", "frame"}
    assert reached["tick"] <= summary["ticks"]


def test_play_without_json_ends_with_a_table(agent: Agent, tmp_path: Path) -> None:
    ended = agent("play", "--until", "left_home", "--run", tmp_path / "run")
    assert ended.code == 0
    assert "reached left_home" in ended.out
    assert "demo" in ended.err  # without a ROM it plays the demo, and says so


def test_a_game_reaches_every_milestone_to_the_first_badge_and_replays(played: Played) -> None:
    reached = played.summary.milestones
    assert [each.id for each in reached] == MILESTONES
    assert all(set(each.witnesses) == {"ram", "frame"} for each in reached)
    assert replay_run(played.folder, None).divergence is None


def test_ticks_bound_a_run(tmp_path: Path) -> None:
    summary = play_in(tmp_path, ticks=40)
    assert (summary.stop.value, summary.ticks, summary.stop.exit_code) == ("ticks", 40, 0)


def test_the_parent_is_spoken_to_on_the_way(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        events = list(run.store.events("action"))
        deeds = [(e.payload["action_value"], e.payload["outcome_summary"]) for e in events]
    names = [name for name, _ in deeds]
    assert names.index("travel:house") < names.index("errand:goodbye") < names.index("travel:town")
    assert ("errand:goodbye", "done") in deeds


def test_a_run_is_remembered(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        places = [event.payload["location_name"] for event in run.store.events("location")]
        goals = [
            (event.payload["objective_id"], event.payload["status"])
            for event in run.store.events("objective")
        ]
        entries = {entry.kind for entry in run.store.live_entries()}
        # A whole story fills short-term memory, which lets go of the least important; events stay.
        consolidations = len(list(run.store.events("consolidation")))
    assert places[:5] == ["the bedroom", "the house", "the town", "the lab", "the town"]
    assert places[-2:] == ["the third town", "the gym"]
    closed = [goal for goal, status in goals if status == "completed" and ":" in goal]
    of_the_story = [goal for goal in closed if goal.startswith(("errand:", "reached:"))]
    assert of_the_story == ["errand:goodbye", *(f"reached:{each}" for each in MILESTONES)]
    # Between them it saw to itself: it bought, and picked up what lies about.
    assert {goal for goal in closed if goal not in of_the_story} <= {
        "supplied:store",
        "lying:about",
    }
    assert set(closed) <= {goal for goal, status in goals if status == "active"}
    assert {"tick_state", "sensory_input", "action"} <= entries
    assert consolidations == played.summary.consolidations > 0
    with closing(read_knowledge_store(played.memory)) as knowledge:
        assert knowledge.load_knowledge().total_sessions == 1
        told = [entry for entry in knowledge.entries() if entry.scope.endswith("ltm:episodic")]
        (journey,) = (each for each in told if each.kind == "waypoint")
        assert milestones_of(journey.data).keys() == set(MILESTONES)
        kinds = [each.kind for each in told]
        assert kinds.count("session") == 1
        # At the errand, and where it bought.
        assert {kind for kind in kinds if kind in ENCOUNTERS} == {"heard", "shelf"}
        met = {each.kind for each in knowledge.entries() if each.scope.endswith("ltm:semantic")}
        assert met == {"acquaintance", "belonging"}


def test_the_settings_of_a_run_are_kept(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        settings = run.settings
    assert (settings["seed"], settings["limits"]) == (3, {"until": MILESTONES[-1]})
    assert settings["cartridge"]["name"] == "Red Agent Demo"
    assert len(settings["memory"]["hash"]) == 32
    assert RunSettings.of(settings).table() == settings


def test_the_report_stands_alone_and_shows_the_milestone(played: Played) -> None:
    page = (played.folder / "report.html").read_text(encoding="utf-8")
    assert "data:image/png;base64," in page
    assert all(each in page for each in MILESTONES)
    assert "http" not in page  # nothing is fetched


def test_confidence_is_the_agreement_of_pixels_and_tile_map(played: Played) -> None:
    with closing(read_run(played.folder)) as run:
        seen = [e.data for e in run.store.live_entries() if e.kind == "sensory_input"]
    assert seen[-1]["ocr_confidence"] == 1.0


def test_nothing_is_written_beside_the_cartridge(tmp_path: Path) -> None:
    rom = tmp_path / "slot" / "own.gb"
    rom.parent.mkdir()
    rom.write_bytes(demo_cartridge_path().read_bytes())
    play_in(tmp_path, rom=rom, until="starter")
    assert list(rom.parent.iterdir()) == [rom]
    assert rom.read_bytes() == demo_cartridge_path().read_bytes()


def test_moments_say_where_what_and_why(tmp_path: Path) -> None:
    moments: list[TickView] = []
    play_in(tmp_path, moments.append, until="left_home")
    walking = [moment for moment in moments if moment.intent.name == "travel:town"]
    assert walking[0].where.startswith("the house")
    assert walking[0].goal == "reached:left_home"
    assert "1. walk to the town" in walking[0].intent.plan
    assert [moment.tick for moment in moments] == list(range(1, len(moments) + 1))


def test_a_reader_who_leaves_does_not_stop_play(tmp_path: Path) -> None:
    run = tmp_path / "run"
    where = ["--run", str(run), "--memory", str(tmp_path / "memory.sqlite")]
    process = subprocess.Popen(
        [sys.executable, "-m", "agent", "play", "--until", "rival", "--json", *where],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    with closing(read_run(run)) as folder:
        reached = [each.payload["id"] for each in folder.store.events("milestone")]
    assert reached == MILESTONES[: MILESTONES.index("rival") + 1]
    assert (run / "report.html").exists()


def test_what_looks_like_markup_is_printed_as_it_is(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "[b]run" / "[" / "b]"
    ended = agent("play", "--ticks", "3", "--run", run)
    assert ended.code == 0, ended.err
    assert "[b]run" in "".join(ended.out.split())


def test_a_report_that_cannot_be_written_costs_nothing_else(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert agent("play", "--run", run, "--ticks", "20").code == 0
    (run / "report.html").unlink()
    (run / "report.html").mkdir()
    ended = agent("play", "--resume", run, "--until", "left_home", "--ticks", "500", "--json")
    assert (ended.code, ended.json["stop"]) == (0, "goal")
    assert "no report was written" in ended.err


class Impatient(sqlite3.Connection):
    """Waits for a lock a twentieth of a second instead of five."""

    def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
        quick = sql.replace("busy_timeout = 5000", "busy_timeout = 50")
        return super().execute(quick, parameters)  # type: ignore[arg-type]


def test_knowledge_that_cannot_be_reached_does_not_stop_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Impatient))

    def occupy(moment: TickView) -> None:
        if moment.tick == 40:
            blocker.execute("BEGIN EXCLUSIVE")

    play_in(tmp_path, run=tmp_path / "first", until="left_home")
    memory = tmp_path / "memory.sqlite"
    with closing(sqlite3.connect(memory, isolation_level=None)) as blocker:
        summary = play_in(tmp_path, occupy, run=tmp_path / "second", until="left_home")
    assert summary.stop.value == "goal"
    assert summary.errors > 0
    with closing(read_run(tmp_path / "second")) as run:
        assert run.store.outbox()  # the lessons wait


def test_a_milestone_is_named_in_one_line_and_a_tick_between_two_scenes_in_none(
    agent: Agent, tmp_path: Path
) -> None:
    ended = agent("play", "--until", "starter", "--run", tmp_path / "run")
    assert ended.code == 0, ended.err
    assert "the scene may go on" not in ended.err
    assert "take a preset name" in ended.err
    lines = [line for line in ended.err.splitlines() if line.startswith("tick ")]
    named = [line.partition("[reached ")[2] for line in lines if "[reached " in line]
    assert named == ["left_home]", "starter]"]


CARTRIDGE = load_cartridge(demo_cartridge_path())
STORY = Story.of(CARTRIDGE.kind)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
FROZEN = RunSettings(CARTRIDGE.name, CARTRIDGE.sha1, "session", BEGAN)


@dataclass(frozen=True)
class Long:
    summary: Summary
    run: RunReader
    watcher: Watcher


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Long:
    """2,050 ticks of the demo, most of them after the last goal of a story to the second town."""
    path = tmp_path_factory.mktemp("long")
    told = STORY.milestones[: len(STORY.up_to("second_town"))]
    watcher, story = Watcher(), replace(STORY, milestones=told)
    with (
        closing(PyBoyConsole(CARTRIDGE)) as console,
        session_of_run(path, FROZEN, console, story, Interrupt()) as opened,
    ):
        summary = opened.session.play(PlayLimits("never", 2_050), watcher)
    return Long(summary, read_run(path / "run").store, watcher)


def test_memory_is_consolidated_every_thousand_ticks_and_ends_in_a_checkpoint(long: Long) -> None:
    told = [(e.payload["tick"], e.payload["reason"]) for e in long.run.events("consolidation")]
    assert told == [(1_000, "interval"), (2_000, "interval"), (2_050, "session_end")]
    assert long.summary.consolidations == 3
    assert long.run.checkpoint_ticks()[0] == 2_050


def test_having_nothing_to_do_is_not_being_stuck_and_nothing_went_wrong_unseen(long: Long) -> None:
    assert (long.summary.stop.value, long.summary.errors) == ("ticks", 0)
    assert long.watcher.moments[-1].intent.why == "every goal is reached"


def test_every_step_is_kept_with_its_digests(long: Long) -> None:
    steps = list(long.run.steps())
    assert [step.tick for step in steps] == list(range(1, 2_051))
    assert [step.tick for step in steps if step.full_digest] == list(range(100, 2_051, 100))
    assert all(len(step.digest) == 16 for step in steps)


def test_working_memory_stays_small(long: Long) -> None:
    assert len(list(long.run.live_entries())) < 2_500


def test_play_leaves_the_collector_as_it_was(long: Long) -> None:
    assert long.summary.ticks == 2_050
    assert gc.get_freeze_count() == 0
    assert gc.isenabled()


@pytest.mark.parametrize("room", [1_000, 8_000, 32_000, 100_000])
def test_a_small_model_gets_thresholds_that_it_can_take(room: int) -> None:
    for enough in (None, 1_000_000, 200_000):
        assert fitting(ConversationConfig(), enough) == ConversationConfig()
    config = fitting(ConversationConfig(), room)
    assert config.hard_limit <= room * SHARE + 2
    assert config.hard_limit > room * SHARE * 0.95
    assert config.observation.message_tokens < config.reflection.observation_tokens
