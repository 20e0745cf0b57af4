"""Long play: the loop goes on when everything is done, and memory is consolidated on time."""

import gc
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import pytest

from agent.app import Interrupt, Summary
from agent.app.play import session_of_run
from agent.app.session import PlayLimits
from agent.app.settings import RunSettings
from agent.story import Milestone, Place, Story, Witness
from emulator import PyBoyConsole, demo_cartridge_path, load_cartridge
from memory import RunReader, read_run
from tests.agent.support import Watcher

CARTRIDGE = load_cartridge(demo_cartridge_path())
STORY = Story.of(CARTRIDGE.kind)
FROZEN = RunSettings(
    run="session",
    started=datetime(2026, 1, 1, tzinfo=UTC),
    seed=0,
    until="never",
    ticks=None,
    mind="rules",
    cartridge=CARTRIDGE.name,
    sha1=CARTRIDGE.sha1,
    pyboy="",
    memory_hash="",
)


@dataclass(frozen=True)
class Long:
    summary: Summary
    run: RunReader
    watcher: Watcher


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Long:
    """2,300 ticks of the demo, most of them after the last goal of a story to the first badge."""
    path = tmp_path_factory.mktemp("long")
    told = STORY.milestones[: len(STORY.up_to("first_badge"))]
    summary, watcher = play(path, PlayLimits("never", 2_300), replace(STORY, milestones=told))
    return Long(summary, read_run(path / "run").store, watcher)


def play(path: Path, limits: PlayLimits, story: Story = STORY) -> tuple[Summary, Watcher]:
    watcher = Watcher()
    with (
        closing(PyBoyConsole(CARTRIDGE)) as console,
        session_of_run(path, FROZEN, console, story, Interrupt()) as opened,
    ):
        return opened.session.play(limits, watcher), watcher


def test_memory_is_consolidated_every_thousand_ticks_and_at_the_end(long: Long) -> None:
    told = [(e.payload["tick"], e.payload["reason"]) for e in long.run.events("consolidation")]
    assert told == [(1_000, "interval"), (2_000, "interval"), (2_300, "session_end")]
    assert long.summary.consolidations == 3


def test_each_consolidation_ends_in_a_checkpoint(long: Long) -> None:
    last = long.run.latest_checkpoint()
    assert last is not None
    assert last.tick == 2_300


def test_having_nothing_to_do_is_not_being_stuck(long: Long) -> None:
    assert long.summary.stop.value == "ticks"
    assert long.watcher.moments[-1].intent.why == "every goal is reached"


def test_every_step_is_kept_with_its_digests(long: Long) -> None:
    steps = list(long.run.steps())
    assert [step.tick for step in steps] == list(range(1, 2_301))
    assert [step.tick for step in steps if step.full_digest] == list(range(100, 2_301, 100))
    assert all(len(step.digest) == 16 for step in steps)


def test_working_memory_stays_small(long: Long) -> None:
    assert len(list(long.run.live_entries())) < 2_500


def test_nothing_went_wrong_unseen(long: Long) -> None:
    assert long.summary.errors == 0


def test_an_agent_that_gets_nowhere_gives_up_and_says_what_it_tried(tmp_path: Path) -> None:
    island = Milestone("island", "reach the island", Witness.SCENE, "island", map_id=200)
    places = (
        Place("bedroom", 38, "the bedroom"),
        Place("island", 200, "the island"),
    )  # a map without a way in
    closed = Story(places=places, milestones=(island,))
    summary, _ = play(tmp_path, PlayLimits("island", inf), closed)
    assert (summary.stop.value, summary.stop.exit_code) == ("gave_up", 3)
    assert "walk to the island" in summary.reason
    assert summary.milestones == ()


def test_play_leaves_the_collector_as_it_was(long: Long) -> None:
    assert long.summary.ticks == 2_300
    assert gc.get_freeze_count() == 0
    assert gc.isenabled()
