"""Pictures of any moment are those that play saw, and last as long as the game did."""

import shutil
import sqlite3
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from agent.app import Interrupt, Settings, play_run
from agent.tools.replay import Recording, TickRange, film, recording_of
from agent.tools.replay.images import enlarged
from emulator import FRAMES_PER_SECOND, PyBoyConsole, demo_cartridge_path, load_cartridge
from memory import read_run
from tests.agent.support import Agent, Watcher

FIRST, LAST = 70, 78


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filmed")
    settings = Settings(
        seed=3, until="starter", run=folder / "run", memory=folder / "memory.sqlite"
    )
    play_run(settings, Watcher(), Interrupt())
    return folder / "run"


@pytest.fixture
def recording(run: Path) -> Iterator[Recording]:
    with closing(read_run(run)) as folder:
        yield recording_of(folder.store)


def lasts(recording: Recording) -> float:
    records = recording.records
    return (records[LAST - 1].frame - records[FIRST - 2].frame) / FRAMES_PER_SECOND


@pytest.mark.parametrize("flag", ["--to", "--from"])
def test_a_picture_is_the_one_that_play_saw(
    flag: str, run: Path, agent: Agent, tmp_path: Path
) -> None:
    with closing(read_run(run)) as folder:
        *_, event = folder.store.events("milestone")
    witness = Image.open(BytesIO(b64decode(event.payload["picture"]))).convert("L")
    for scale, size in ((None, (480, 432)), (1, (160, 144))):
        file = tmp_path / f"{scale}.png"
        scaled = () if scale is None else ("--scale", scale)
        assert agent("replay", run, flag, event.tick, "--png", file, *scaled).code == 0
        picture = Image.open(file).convert("L")
        assert picture.size == size
        large = witness.resize(size, Image.Resampling.NEAREST)
        assert np.array_equal(np.asarray(picture), np.asarray(large))


def test_a_gif_lasts_as_long_as_the_game_in_four_shades(
    run: Path, recording: Recording, agent: Agent, tmp_path: Path
) -> None:
    file = tmp_path / "a.gif"
    ended = agent("replay", run, "--from", FIRST, "--to", LAST, "--gif", file, "--scale", 1)
    assert ended.code == 0, ended.err
    with Image.open(file) as gif:
        shown, seen, shades = 0, [], set()
        for number in range(gif.n_frames):  # type: ignore[attr-defined]
            gif.seek(number)
            shown += int(gif.info["duration"])
            grey = np.asarray(gif.convert("L"))
            seen.append(grey.tobytes())
            shades |= set(np.unique(grey).tolist())
        assert gif.info["loop"] == 0
    assert shown / 1000 == pytest.approx(lasts(recording), abs=0.01)
    assert shades <= {255, 170, 85, 0}
    assert all(one != other for one, other in pairwise(seen))
    assert len(seen) > 5


def test_a_film_lasts_as_long_as_the_game(
    run: Path, recording: Recording, agent: Agent, tmp_path: Path
) -> None:
    file = tmp_path / "a.mp4"
    assert (
        agent("replay", run, "--from", FIRST, "--to", LAST, "--mp4", file, "--scale", 2).code == 0
    )
    with av.open(str(file)) as movie:
        (stream,) = movie.streams.video
        images = [frame.to_ndarray(format="gray") for frame in movie.decode(stream)]
        assert (stream.width, stream.height) == (320, 288)
        assert stream.average_rate is not None
        assert len(images) / float(stream.average_rate) == pytest.approx(lasts(recording), abs=0.05)
    with closing(PyBoyConsole(load_cartridge(demo_cartridge_path()))) as console:
        stretch = TickRange(FIRST, LAST)
        pictures = film(console, recording, stretch, at=0, every=2)
        drawn = [each.screen for each in pictures for _ in range(each.frames)]
    for number in range(0, len(images), 7):
        grey = 255 - 85 * enlarged(drawn[2 * number], 2).astype(int)
        assert np.abs(grey - images[number]).mean() < 12


def test_drawing_starts_from_the_checkpoint_before(run: Path, agent: Agent, tmp_path: Path) -> None:
    torn = tmp_path / "torn"
    shutil.copytree(run, torn)
    with closing(sqlite3.connect(torn / "run.sqlite")) as database, database:
        database.execute("UPDATE checkpoints SET state = substr(state, 1, 900) WHERE tick > 0")
    whole, again = tmp_path / "whole.png", tmp_path / "again.png"
    agent("replay", run, "--to", 90, "--png", whole)
    ended = agent("replay", torn, "--to", 90, "--png", again)
    assert "is passed over: the saved state is cut short" in ended.err
    assert again.read_bytes() == whole.read_bytes()


def test_an_edited_game_is_not_drawn(run: Path, agent: Agent, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(run, other)
    with closing(sqlite3.connect(other / "run.sqlite")) as database, database:
        database.execute("UPDATE steps SET digest = zeroblob(16) WHERE tick = 80")
    ended = agent("replay", other, "--to", 85, "--png", tmp_path / "a.png")
    assert ended.code == 1
    assert "was changed since it was recorded: tick 80: edited record" in ended.err
    assert not (tmp_path / "a.png").exists()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--gif", "FILE"), "give --from, --to or both"),
        (("--from", 9, "--to", 8, "--gif", "FILE"), "ticks 9 to 8 are not in the recording"),
        (("--to", 0, "--png", "FILE"), "tick 0 is not in the recording, which has 1 to"),
        (("--to", 4_000, "--mp4", "FILE"), "tick 4000 is not in the recording"),
        (("--from", 0, "--to", 9, "--gif", "FILE"), "ticks 0 to 9 are not in the recording"),
        (("--from", 9, "--to", 0, "--gif", "FILE"), "ticks 9 to 0 are not in the recording"),
        (("--to", 9, "--scale", 11, "--png", "FILE"), "--scale 11 is not from 1 to 10"),
        (("--to", 9, "--png", "FILE", "--gif", "FILE"), "--png and --gif are two different things"),
        (("--bisect", "--export", "FILE"), "--bisect and --export are two different things"),
        (("--episode", 1, "--decide"), "--episode and --decide are two different things"),
        (("--to", 9), "--to goes with --png or --gif or --mp4 alone"),
        (("--bisect", "--scale", 2), "--scale goes with"),
        (("--memory", "FILE"), "--memory goes with --decide alone"),
        (("--to", 9, "--png", "/nowhere/at/all.png"), "/nowhere/at is no folder"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    flags: tuple[object, ...], words: str, run: Path, agent: Agent, tmp_path: Path
) -> None:
    file = tmp_path / "out"
    ended = agent("replay", run, *[file if each == "FILE" else each for each in flags])
    assert (ended.code, ended.out) == (2, ""), ended.err
    (line,) = ended.err.splitlines()
    assert words in line
    assert not file.exists()


def test_what_is_there_is_not_overwritten(run: Path, agent: Agent, tmp_path: Path) -> None:
    file = tmp_path / "mine.png"
    file.write_bytes(b"mine")
    ended = agent("replay", run, "--to", 9, "--png", file)
    assert (ended.code, file.read_bytes()) == (2, b"mine")
    assert "nothing is overwritten" in ended.err
