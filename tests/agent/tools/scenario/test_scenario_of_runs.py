"""Scenarios made from a run: at any tick, and for its stuck episodes."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, TickView, play_run
from agent.errors import StuckReason
from agent.mind import progress
from agent.tools.scenario.capture import (
    Draft,
    drive_to,
    from_stuck,
    open_source,
    text_of,
    write_scenario,
)
from agent.tools.scenario.file import read_scenario
from agent.tools.scenario.run import Report, run_scenario
from agent.tools.scenario.start import Cache
from emulator import Cartridge, PyBoyConsole, Step
from emulator.profile import symbol
from tests.agent.demo import free_in
from tests.agent.support import Agent, Played, Watcher, end_the_story, game_at

BEDROOM = 38

Run = Callable[[Path], Report]


@pytest.fixture
def run(demo: Cartridge, cache: Cache) -> Run:
    return lambda file: run_scenario(read_scenario(file), demo, cache)


@pytest.fixture(scope="module", autouse=True)
def short_limits() -> Iterator[None]:
    """Lower the limits of failures and ticks: how long a run tries does not matter here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "LIMITS", {**progress.LIMITS, StuckReason.REPEATED_FAILURE: 2})
        patch.setattr(progress, "QUIET", 40)
        yield


@pytest.fixture(scope="module")
def stuck_run(played: Played, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that begins in the bedroom without working stairs, up to its first restore."""
    path = tmp_path_factory.mktemp("stranded")
    with game_at(played.folder, free_in(BEDROOM)) as game:
        game.poke({symbol("wNumberOfWarps"): 0})
        bedroom = game.console.save()
    interrupt, last = Interrupt(), 0

    def stop_at_restore(moment: TickView) -> None:
        nonlocal last
        interrupt.asked, last = interrupt.asked or moment.tick < last, moment.tick

    settings = Settings(seed=3, run=path / "run", memory=path / "memory.sqlite")
    play_run(settings, Watcher(stop_at_restore), interrupt, stage=lambda slot: slot.load(bedroom))
    return path / "run"


def sooner(file: Path, frames: int) -> str:
    """Let the play of a scenario last for these frames, and return its new text."""
    text = re.sub(r"frames = \d{5,}", f"frames = {frames}", file.read_text(encoding="utf-8"))
    assert f"frames = {frames}" in text
    file.write_text(text, encoding="utf-8")
    return text


def ticks_of(run: Path) -> int:
    with open_source(run, None) as source:
        return len(source.live.records)


def test_a_tick_of_a_run_becomes_a_scenario_that_passes(
    played: Played, tmp_path: Path, agent: Agent, run: Run
) -> None:
    mine = tmp_path / "mine"
    made = agent("scenario", "record", played.folder, "--at", 300, "--name", "it", "--into", mine)
    assert made.code == 0, made.err
    assert (mine / "states" / "it.redstate").is_file()
    text = sooner(mine / "it.toml", 2_000)
    assert "# Tick 300 of run " in text
    assert "Cartridge: Red Agent Demo." in text
    assert "reached:rival" in text
    report = run(mine / "it.toml")
    assert report.passed, report.problems
    assert report.frames >= 2_000


def test_record_takes_a_goal_and_a_description(
    played: Played, tmp_path: Path, agent: Agent, run: Run
) -> None:
    more = ("--until", "milestone:second_town=true", "--until", "party=>= 1", "--description", "It goes.")  # fmt: skip
    made = agent(
        "scenario", "record", played.folder, "--at", 300, "--name", "it", "--into", tmp_path, *more
    )
    assert made.code == 0, made.err
    scenario = read_scenario(tmp_path / "it.toml")
    assert scenario.description == "It goes."
    report = run(tmp_path / "it.toml")
    assert report.passed, report.problems
    assert report.frames < 10_000


def test_a_recorded_state_equals_the_recording(played: Played) -> None:
    with open_source(played.folder, None) as source:
        for tick in (100, len(source.live.records) // 100 * 100):
            with closing(PyBoyConsole(source.cartridge)) as console:
                console.load(source.draft_at(tick, source.live.records)[1].state)
                assert console.full_digest() == source.live.records[tick - 1].full_digest


def test_the_replay_starts_at_the_last_checkpoint_of_the_branch(played: Played) -> None:
    class Counting(PyBoyConsole):
        steps = 0

        def perform(self, step: Step, *, render: bool = False) -> None:
            self.steps += 1
            super().perform(step, render=render)

    with open_source(played.folder, None) as source:
        live, kept = source.live.records, source.run.checkpoints.ticks()
        tick = len(live) - 1
        nearest = max(each for each in kept if each <= tick)
        with closing(Counting(source.cartridge)) as console:
            drive_to(tick, live, source.live, console)
            assert console.steps == tick - nearest
        other, tick = [replace(each, chain=b"another branch..") for each in live], min(kept)
        with closing(Counting(source.cartridge)) as console:
            drive_to(tick, other, source.live, console)
            assert console.steps == tick


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (("--at", 99_999, "--name", "it"), 2, "is after the end of"),
        (("--at", 5, "--name", "../it"), 2, "must be a file name without ending"),
        (("--at", 5, "--name", "taken"), 2, "taken.toml exists already"),
        (("--at", 5, "--name", "it", "--until", "moon=1"), 2, "unknown value"),
        (("--at", 5, "--name", "it", "--until", "moon"), 2, "is not NAME=VALUE"),
    ],
)
def test_an_invalid_record_request_prints_one_error_line_and_writes_nothing(
    played: Played, tmp_path: Path, agent: Agent, more: tuple[object, ...], code: int, message: str
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "taken.toml").write_text("mine", encoding="utf-8")
    ended = agent("scenario", "record", played.folder, "--into", mine, *more)
    assert (ended.code, len(ended.err.splitlines())) == (code, 1)
    assert message in ended.err
    assert [each.name for each in mine.iterdir()] == ["taken.toml"]
    assert (mine / "taken.toml").read_text(encoding="utf-8") == "mine"


def test_a_tick_after_the_story_is_refused(
    played: Played, tmp_path: Path, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_the_story(monkeypatch, "first_badge")
    end = ticks_of(played.folder)
    ended = agent(
        "scenario", "record", played.folder, "--at", end, "--name", "it", "--into", tmp_path
    )
    assert (ended.code, "the story of" in ended.err) == (2, True)


def test_a_description_with_special_characters_is_read_back(tmp_path: Path) -> None:
    description = 'One "quotes",\nbreaks = lines \\ and \x1b[31m goes on: é.'
    draft = Draft("it", ("a\nb",), "", description, "", 3, (), {"frames": 1})
    assert text_of(draft).startswith("# a b\ndescription = ")
    assert read_scenario(write_scenario(draft, tmp_path)).description == description


def test_a_scenario_of_a_stuck_episode_fails_until_the_obstacle_is_gone(
    stuck_run: Path, tmp_path: Path, agent: Agent, run: Run
) -> None:
    made = agent("scenario", "from-stuck", stuck_run, "--episode", 1, "--into", tmp_path / "mine")
    assert made.code == 0, made.err
    (file,) = (tmp_path / "mine").glob("*.toml")
    assert f"made {file}" in made.out
    text = sooner(file, 4_000)
    assert "repeated failure in the bedroom" in text
    assert read_scenario(file).pitfall == "repeated-failure"

    report = run(file)
    text_of_problems = "\n".join(report.problems)
    assert not report.passed
    assert "a forbidden condition was met: episodes >= start + 1" in text_of_problems
    assert "play got stuck: repeated failure in map 38 (7,1)" in text_of_problems
    assert "not reached: gains >= start + 1" in text_of_problems

    gone = "[[start]]\nset = { wNumberOfWarps = 1 }\n[[start]]\nwalk = { map = 38, to = [3, 6] }\n"
    file.write_text(text.replace("[play]", f"{gone}\n[play]"), encoding="utf-8")
    report = run(file)
    assert report.passed, report.problems


def test_each_episode_has_a_file_and_nothing_is_overwritten(
    stuck_run: Path, tmp_path: Path, agent: Agent
) -> None:
    made = from_stuck(stuck_run, None, None, tmp_path)
    assert [each.name for each in made] == ["run_stuck_1.toml"]
    before = made[0].read_bytes()
    with pytest.raises(Exception, match="exists already"):
        from_stuck(stuck_run, None, 1, tmp_path)
    assert made[0].read_bytes() == before
    ended = agent("scenario", "from-stuck", stuck_run, "--episode", 9, "--into", tmp_path)
    assert (ended.code, "got stuck once; --episode" in ended.err) == (1, True)


def test_a_run_without_stuck_episodes_gives_a_message(
    played: Played, tmp_path: Path, agent: Agent
) -> None:
    ended = agent("scenario", "from-stuck", played.folder, "--into", tmp_path / "mine")
    assert (ended.code, "never got stuck" in ended.out) == (0, True)
    assert not (tmp_path / "mine").exists()
