"""Two readers of rendered frames: what they read is counted and observed, and changes no game."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from agent.app import Interrupt, Settings, Summary, play_run
from agent.app.session import Session
from agent.perception import screen_readers
from agent.perception.percept import Percept, ScreenReading
from agent.perception.screen_readers import ScreenReaders
from agent.skills import wait
from emulator import Font, ReadingError, Screen, read_state
from emulator.screen.glyphs import GlyphReader, Unavailable
from emulator.screen.tesseract import find_tesseract
from memory import Entry, read_run
from tests.agent.demo import CARTRIDGE
from tests.agent.support import Played, Watcher, game_at


@dataclass
class FakeReader:
    """A reader that waits until it may read, and then reads every letter E as F."""

    glyphs: GlyphReader
    may_read: Event = field(default_factory=Event)
    fault: Exception | None = None
    name: str = "fake"

    def read(self, screen: Screen) -> tuple[str, ...]:
        assert self.may_read.wait(10)
        if self.fault is not None:
            raise self.fault
        return tuple(row.replace("E", "F") for row in self.glyphs.read(screen))


@pytest.fixture(scope="module")
def glyphs() -> GlyphReader:
    return GlyphReader(Font.of(CARTRIDGE))


@pytest.fixture
def reader(glyphs: GlyphReader) -> Iterator[FakeReader]:
    fake = FakeReader(glyphs)
    yield fake
    fake.may_read.set()  # a worker that still waits ends


@pytest.fixture(scope="module")
def battle_menu(played: Played, glyphs: GlyphReader) -> Percept:
    """Return a percept with a rendered frame: the menu of the first battle."""
    with game_at(played.folder, lambda state: "FIGHT" in state.screen_text) as game:
        for _ in range(2):  # the first picture that the emulator draws is shifted by one line
            game.console.perform(wait(8), render=True)
        screen = game.console.screen()
        state = read_state(game.console.ram(), game.console.frame)
    reading = ScreenReading(7, screen, "\n".join(glyphs.read(screen)), None)
    return Percept(7, state, "", reading=reading)


def test_each_reader_has_its_share_of_right_characters(
    battle_menu: Percept, reader: FakeReader
) -> None:
    reader.may_read.set()
    readers = ScreenReaders(lambda: reader)
    readers.see(battle_menu)
    readers.see(replace(battle_menu, reading=None))  # not rendered
    readers.close()
    first, second = readers.scores["glyphs"], readers.scores["tesseract"]
    assert (first.frames, first.share) == (1, 1.0)
    assert (second.frames, second.missing) == (1, "")
    assert 0.5 < second.share < 1
    (reading,) = readers.readings
    assert reading.tile_map == reading.glyphs == battle_menu.state.screen_rows
    assert len(second.differences) == len(reading.differences)
    assert all(each.startswith("tick 7: ") for each in second.differences)
    assert all("E" in row and "E" not in read for row, _, read in reading.differences)


def test_a_text_that_is_being_printed_is_not_counted(battle_menu: Percept) -> None:
    readers = ScreenReaders()
    for text in ("The", "The end", "The end"):
        readers.see(replace(battle_menu, text=text))
    assert readers.scores["glyphs"].frames == 1


def test_play_never_waits_for_a_slow_reader(
    battle_menu: Percept, reader: FakeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen_readers, "LEAVE", 0.01)
    readers = ScreenReaders(lambda: reader)
    for _ in range(100):
        readers.see(battle_menu)
    readers.close()  # while the worker still reads the first
    assert {name: each.frames for name, each in readers.scores.items()} == {
        "glyphs": 100,
        "tesseract": 0,
    }


@pytest.mark.parametrize(
    "fault",
    [ReadingError("tesseract failed (process timeout)"), MemoryError("no more"), KeyError()],
)
def test_a_reader_that_fails_reads_no_more(
    battle_menu: Percept, reader: FakeReader, fault: Exception
) -> None:
    reader.fault = fault
    reader.may_read.set()
    readers = ScreenReaders(lambda: reader)
    readers.see(battle_menu)
    readers.close()
    readers.see(battle_menu)
    assert readers.scores["tesseract"].missing == f"{type(fault).__name__}: {fault}"
    assert len(readers.readings) == 0


def test_a_missing_reader_is_named_with_its_reason(battle_menu: Percept) -> None:
    readers = ScreenReaders(lambda: Unavailable("tesseract", "not installed"))
    readers.see(battle_menu)
    readers.close()
    assert readers.scores["tesseract"].missing == "not installed"


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_tesseract_reads_most_of_a_battle_menu(battle_menu: Percept) -> None:
    readers = ScreenReaders(find_tesseract)
    readers.see(battle_menu)
    readers.close()
    readers._worker.join()
    assert readers.scores["tesseract"].share > 0.7


def test_play_is_the_same_with_and_without_a_second_reader(
    tmp_path: Path, reader: FakeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.may_read.set()
    sessions: list[Session] = []

    def noted(*args: Any, **more: Any) -> Session:  # noqa: ANN401  # the arguments of a session
        sessions.append(Session(*args, **more))
        return sessions[-1]

    monkeypatch.setattr("agent.app.play.Session", noted)

    def played(name: str) -> tuple[Summary, list[Entry]]:
        home, now = tmp_path / name, datetime(2026, 1, 1, tzinfo=UTC)
        home.mkdir()
        settings = Settings(run=home / "run", memory=home / "memory.sqlite", ticks=120)
        summary = play_run(settings, Watcher(), Interrupt(), now=now, run_id="read twice")
        with closing(read_run(home / "run")) as run:
            return summary, list(run.store.live_entries())

    alone, known_alone = played("alone")
    monkeypatch.setattr("agent.app.play.find_tesseract", lambda: reader)
    beside, known_beside = played("beside")
    assert beside.readers["tesseract"].frames > 0
    assert alone.digest == beside.digest
    assert known_alone == known_beside
    one, other = (each._branch.memory.observer for each in sessions)
    assert one.decision_context == other.decision_context
    assert len(one.text_readings) == 0
    assert len(other.text_readings) > 0
