"""Scenarios made of a run: any of its moments, and the times that it got stuck."""

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
    source_of,
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
def impatient() -> Iterator[None]:
    """Let half as many failures, after half as many ticks, be too many: how long a run tries shows nothing here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "LIMITS", {**progress.LIMITS, StuckReason.REPEATED_FAILURE: 3})
        patch.setattr(progress, "QUIET", 75)
        yield


@pytest.fixture(scope="module")
def stranded(played: Played, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that begins in the bedroom, whose stairs lead nowhere, up to its first way back."""
    path = tmp_path_factory.mktemp("stranded")
    with game_at(played.folder, free_in(BEDROOM)) as game:
        game.poke({symbol("wNumberOfWarps"): 0})
        bedroom = game.console.save()
    asked, last = Interrupt(), 0

    def stop_when_back(moment: TickView) -> None:
        nonlocal last
        asked.asked, last = asked.asked or moment.tick < last, moment.tick

    settings = Settings(seed=3, run=path / "run", memory=path / "memory.sqlite")
    play_run(settings, Watcher(stop_when_back), asked, stage=lambda slot: slot.load(bedroom))
    return path / "run"


def ticks_of(run: Path) -> int:
    with source_of(run, None) as source:
        return len(source.live.records)


def test_a_moment_of_a_run_becomes_a_scenario_that_runs_at_once(
    played: Played, tmp_path: Path, agent: Agent, run: Run
) -> None:
    mine = tmp_path / "mine"
    made = agent("scenario", "record", played.folder, "--at", 300, "--name", "it", "--into", mine)
    assert made.code == 0, made.err
    assert (mine / "states" / "it.redstate").is_file()
    text = (mine / "it.toml").read_text(encoding="utf-8")
    assert "# Tick 300 of run " in text
    assert "Cartridge: Red Agent Demo." in text
    assert "reached:rival" in text
    report = run(mine / "it.toml")
    assert report.passed, report.problems
    assert report.frames >= 20_000


def test_what_should_come_of_it_may_be_said(
    played: Played, tmp_path: Path, agent: Agent, run: Run
) -> None:
    more = ("--until", "milestone:second_town=true", "--until", "party=>= 1", "--says", "It goes.")
    made = agent(
        "scenario", "record", played.folder, "--at", 300, "--name", "it", "--into", tmp_path, *more
    )
    assert made.code == 0, made.err
    scenario = read_scenario(tmp_path / "it.toml")
    assert scenario.says == "It goes."
    report = run(tmp_path / "it.toml")
    assert report.passed, report.problems
    assert report.frames < 10_000


def test_a_recorded_moment_is_that_of_the_recording_wherever_the_drive_began(
    played: Played,
) -> None:
    with source_of(played.folder, None) as source:
        for tick in (100, len(source.live.records) // 100 * 100):
            with closing(PyBoyConsole(source.cartridge)) as console:
                console.load(source.take(tick, source.live.records)[1].state)
                assert console.full_digest() == source.live.records[tick - 1].full_digest


def test_the_last_checkpoint_of_the_branch_is_where_the_drive_begins(played: Played) -> None:
    class Counting(PyBoyConsole):
        steps = 0

        def perform(self, step: Step, *, render: bool = False) -> None:
            self.steps += 1
            super().perform(step, render=render)

    with source_of(played.folder, None) as source:
        live, kept = source.live.records, source.run.checkpoint_ticks()
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
    ("more", "code", "complaint"),
    [
        (("--at", 99_999, "--name", "it"), 2, "is behind the end of"),
        (("--at", 5, "--name", "../it"), 2, "names a file without ending"),
        (("--at", 5, "--name", "taken"), 2, "taken.toml is there already"),
        (("--at", 5, "--name", "it", "--until", "moon=1"), 2, "nothing of a moment is called"),
        (("--at", 5, "--name", "it", "--until", "moon"), 2, "write NAME=VALUE"),
    ],
)
def test_what_cannot_be_recorded_is_said_and_nothing_is_written(
    played: Played,
    tmp_path: Path,
    agent: Agent,
    more: tuple[object, ...],
    code: int,
    complaint: str,
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "taken.toml").write_text("mine", encoding="utf-8")
    ended = agent("scenario", "record", played.folder, "--into", mine, *more)
    assert (ended.code, len(ended.err.splitlines())) == (code, 1)
    assert complaint in ended.err
    assert [each.name for each in mine.iterdir()] == ["taken.toml"]
    assert (mine / "taken.toml").read_text(encoding="utf-8") == "mine"


def test_a_moment_after_the_story_is_refused(
    played: Played, tmp_path: Path, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_the_story(monkeypatch, "first_badge")
    end = ticks_of(played.folder)
    ended = agent(
        "scenario", "record", played.folder, "--at", end, "--name", "it", "--into", tmp_path
    )
    assert (ended.code, "the story of" in ended.err) == (2, True)


def test_whatever_is_said_is_spelled_so_that_it_can_be_read(tmp_path: Path) -> None:
    says = 'One "quotes",\nbreaks = lines \\ and \x1b[31m goes on: é.'
    draft = Draft("it", ("a\nb",), "", says, "", 3, (), {"frames": 1})
    assert text_of(draft).startswith("# a b\nsays = ")
    assert read_scenario(write_scenario(draft, tmp_path)).says == says


def test_a_time_that_it_got_stuck_fails_until_the_obstacle_is_gone(
    stranded: Path, tmp_path: Path, agent: Agent, run: Run
) -> None:
    made = agent("scenario", "from-stuck", stranded, "--episode", 1, "--into", tmp_path / "mine")
    assert made.code == 0, made.err
    (file,) = (tmp_path / "mine").glob("*.toml")
    assert f"made {file}" in made.out
    text = file.read_text(encoding="utf-8")
    assert "repeated failure in the bedroom" in text
    assert read_scenario(file).pitfall == "repeated-failure"

    report = run(file)
    told = "\n".join(report.problems)
    assert not report.passed
    assert "what must never be was: episodes >= start + 1" in told
    assert "it got nowhere: repeated failure in the bedroom" in told
    assert "not reached: gains >= start + 1" in told

    gone = "[[start]]\nset = { wNumberOfWarps = 1 }\n[[start]]\nwalk = { map = 38, to = [3, 6] }\n"
    file.write_text(text.replace("[play]", f"{gone}\n[play]"), encoding="utf-8")
    report = run(file)
    assert report.passed, report.problems


def test_each_time_has_a_file_and_nothing_is_written_over(stranded: Path, tmp_path: Path) -> None:
    made = from_stuck(stranded, None, None, tmp_path)
    assert [each.name for each in made] == ["run_stuck_1.toml"]
    before = made[0].read_bytes()
    with pytest.raises(Exception, match="is there already"):
        from_stuck(stranded, None, 1, tmp_path)
    assert made[0].read_bytes() == before


def test_a_run_that_never_got_stuck_says_so(played: Played, tmp_path: Path, agent: Agent) -> None:
    ended = agent("scenario", "from-stuck", played.folder, "--into", tmp_path / "mine")
    assert (ended.code, "never got stuck" in ended.out) == (0, True)
    assert not (tmp_path / "mine").exists()


def test_a_time_that_the_run_does_not_tell_of_is_refused(
    stranded: Path, tmp_path: Path, agent: Agent
) -> None:
    ended = agent("scenario", "from-stuck", stranded, "--episode", 9, "--into", tmp_path / "mine")
    assert (ended.code, "got stuck 1 times" in ended.err) == (1, True)
