"""A cartridge with Red's identity: recognised, decoded, played by its own story, and never written to."""

from dataclasses import replace
from hashlib import sha1
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, play_run
from agent.story import Story
from emulator import RED, CartridgeKind
from tests.agent.support import Watcher
from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER

CAVEAT = "nobody has run this on the real cartridge yet"

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the facts of the game are not here")


@pytest.fixture
def red(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An image with Red's tables that passes for the real one, for as long as a test lasts."""
    rom = build()
    profile = replace(RED, sha1=sha1(rom, usedforsecurity=False).hexdigest())
    monkeypatch.setattr("emulator.cartridge.RED", profile)
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / "red.gb").write_bytes(rom)
    return folder / "red.gb"


def test_red_is_recognised_and_it_is_said_once_that_it_never_was_run(
    red: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(rom=red, ticks=3, run=tmp_path / "run", memory=tmp_path / "memory.sqlite")
    summary = play_run(settings, Watcher(), Interrupt())
    assert summary.cartridge == "Pokemon Red (US)"
    assert (summary.stop.value, summary.ticks, summary.errors) == ("ticks", 3, 0)
    assert sum(CAVEAT in record.message for record in caplog.records) == 1
    last = Story.of(CartridgeKind.RED).milestones[-1].id
    assert f'until = "{last}"' in (tmp_path / "run" / "run.toml").read_text(encoding="utf-8")


def test_nothing_is_written_beside_the_image(red: Path, tmp_path: Path) -> None:
    before = red.read_bytes()
    settings = Settings(rom=red, ticks=2, run=tmp_path / "run", memory=tmp_path / "memory.sqlite")
    play_run(settings, Watcher(), Interrupt())
    assert [path.name for path in red.parent.iterdir()] == ["red.gb"]
    assert red.read_bytes() == before


def test_the_demo_says_nothing_of_the_kind(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    play_run(
        Settings(ticks=1, run=tmp_path / "run", memory=tmp_path / "memory.sqlite"),
        Watcher(),
        Interrupt(),
    )
    assert CAVEAT not in caplog.text
