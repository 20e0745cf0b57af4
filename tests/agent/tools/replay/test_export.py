"""Export of a replay as one file, and as pictures."""

import json
import shutil
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from agent.app import record_of
from agent.errors import RunError
from agent.tools.replay.images import enlarged
from agent.tools.replay.operations import PictureForm, export_run
from agent.tools.replay.portable import (
    CHECKSUM,
    HEAD,
    MAGIC,
    MOST_HEAD,
    MOST_TICKS,
    _checksum,
    read_portable,
)
from agent.tools.replay.recording import Recording, TickRange, film, recording_of
from emulator import FRAMES_PER_SECOND, PyBoyConsole, demo_cartridge_path, load_cartridge
from memory import open_run, read_run
from tests.agent.support import Agent, Ended, edited

CARTRIDGE = load_cartridge(demo_cartridge_path())


@pytest.fixture(scope="module")
def exported(short_run: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("exported") / "a.redreplay"
    export_run(short_run / "run", path)
    return path.read_bytes()


@pytest.fixture
def file(exported: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "a.redreplay"
    path.write_bytes(exported)
    return path


def test_an_exported_replay_drives_like_its_run(file: Path, agent: Agent) -> None:
    ended = agent("replay", file)
    assert (ended.code, ended.out) == (0, "divergence: none\n")
    found = agent("replay", file, "--bisect")
    assert (found.code, found.out) == (0, "divergence: none\n")
    assert "power-on or a checkpoint was loaded once" in found.err


def test_an_exported_replay_has_steps_milestones_and_origin(run: Path, file: Path) -> None:
    found = read_portable(file)
    with closing(read_run(run)) as folder:
        assert found.recording.records == [record_of(row) for row in folder.store.record.steps()]
        assert found.origin.run == folder.store.run_id
        reached = list(folder.store.record.events("milestone"))
    assert [(each.id, each.tick) for each in found.milestones] == [
        (event.payload["id"], event.tick) for event in reached
    ]
    assert {each.witnesses for each in found.milestones} == {("frame", "ram")}
    assert (found.origin.seed, found.origin.sha1) == (0, CARTRIDGE.sha1)


def test_an_exported_replay_contains_no_cartridge_data(run: Path, file: Path) -> None:
    data = file.read_bytes()
    _, size = HEAD.unpack_from(data)
    head = data[HEAD.size :][:size]
    contents = data[: HEAD.size] + head + zlib.decompress(data[HEAD.size + size : -CHECKSUM])
    chunks = {CARTRIDGE.rom[at : at + 16] for at in range(len(CARTRIDGE.rom) - 16)}
    chunks = {each for each in chunks if len(set(each)) > 3}
    assert not any(contents[at : at + 16] in chunks for at in range(len(contents) - 16))
    with closing(read_run(run)) as folder:
        for event in folder.store.record.events("milestone"):
            for words in event.payload["witnesses"].values():
                assert words.encode() not in contents


def test_the_same_run_gives_the_same_bytes(run: Path, file: Path, agent: Agent) -> None:
    again = file.with_name("again.redreplay")
    ended = agent("replay", "--export", again, run)
    assert (ended.code, ended.out) == (0, "")
    assert again.read_bytes() == file.read_bytes()


def test_a_run_in_progress_exports_its_committed_steps(
    run: Path, agent: Agent, tmp_path: Path
) -> None:
    copy, file = tmp_path / "copy", tmp_path / "b.redreplay"
    shutil.copytree(run, copy)
    with closing(open_run(copy)) as playing:
        rows = list(playing.store.record.steps())
        playing.store.record.append(rows[-1]._replace(tick=len(rows) + 1))
        assert agent("replay", copy, "--export", file).code == 0
    assert len(read_portable(file).recording.records) == len(rows)


@pytest.mark.parametrize("flags", [("--export",), ("--to", 85, "--png")])
def test_an_edited_run_is_neither_exported_nor_drawn_and_no_file_is_overwritten(
    flags: tuple[object, ...], run: Path, agent: Agent, tmp_path: Path
) -> None:
    file = tmp_path / "out.png"
    other = edited(run, tmp_path / "copy", "UPDATE steps SET button = 'up' WHERE tick = 20")
    ended = agent("replay", other, *flags, file)
    assert ended.code == 1
    assert "was changed since it was recorded: tick 20: edited record" in ended.err
    assert not file.exists()
    file.write_bytes(b"mine")
    ended = agent("replay", run, *flags, file)
    assert (ended.code, file.read_bytes()) == (2, b"mine")
    assert "exists already, and nothing is overwritten" in ended.err


Corrupt = Callable[[bytes], bytes]


def with_checksum(data: bytes) -> bytes:
    """Return the bytes with a valid checksum, like a careful forger."""
    return data + _checksum(data)


def rewritten(data: bytes, **changes: object) -> bytes:
    """Return the file with another value in its head."""
    _, size = HEAD.unpack_from(data)
    head = json.loads(data[HEAD.size :][:size]) | changes
    words = json.dumps(head).encode()
    return with_checksum(HEAD.pack(MAGIC, len(words)) + words + data[HEAD.size + size : -CHECKSUM])


def packed(data: bytes, records: bytes) -> bytes:
    """Return the file with other records."""
    _, size = HEAD.unpack_from(data)
    return with_checksum(data[: HEAD.size + size] + zlib.compress(records, 9))


CORRUPTIONS: dict[str, tuple[Corrupt, str]] = {
    "cut": (lambda data: data[:-1], "cut short or damaged"),
    "only begun": (lambda data: data[:9], "cut short or damaged"),
    "a changed byte": (lambda data: data[:99] + bytes([data[99] ^ 1]) + data[100:], "damaged"),
    "another file": (lambda _: b"PK\3\4 and more", "is not an exported replay"),
    "too large": (lambda data: data + bytes(1 << 26), "larger than"),
    "a head that is too large": (
        lambda data: with_checksum(HEAD.pack(MAGIC, MOST_HEAD + 1) + data[HEAD.size :]),
        "its head is too large",
    ),
    "invalid JSON": (lambda _: with_checksum(HEAD.pack(MAGIC, 2) + b"[["), "is inconsistent"),
    "deeply nested JSON": (
        lambda _: with_checksum(HEAD.pack(MAGIC, 60_000) + b"[" * 60_000),
        "is inconsistent",
    ),
    "fewer ticks": (lambda data: rewritten(data, ticks=5), "longer than its ticks allow"),
    "more ticks": (lambda data: rewritten(data, ticks=9_999), "ticks, not 9,999"),
    "too many ticks": (lambda data: rewritten(data, ticks=MOST_TICKS + 1), "a number up to"),
    "ticks as text": (lambda data: rewritten(data, ticks="many"), "a number up to"),
    "no ticks": (lambda data: rewritten(data, ticks=0), "is inconsistent"),
    "another chain": (lambda data: rewritten(data, chain="00" * 16), "its records differs"),
    "another cartridge": (lambda data: rewritten(data, sha1="00" * 20), "its records differs"),
    "an invalid SHA-1": (lambda data: rewritten(data, sha1="00"), "its SHA-1 is invalid"),
    "incomplete milestones": (lambda data: rewritten(data, milestones=[[1]]), "is inconsistent"),
    "a zip bomb": (lambda data: packed(data, bytes(30 << 20)), "longer than its ticks allow"),
    "no records": (lambda data: packed(data, b""), "ticks, not"),
    "invalid records": (lambda data: packed(data, b"x" * 100), "is inconsistent"),
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_corrupt_file_prints_one_error_line(name: str, file: Path, agent: Agent) -> None:
    corrupt, words = CORRUPTIONS[name]
    file.write_bytes(corrupt(file.read_bytes()))
    with pytest.raises(RunError, match=words) as refused:
        read_portable(file)
    assert "\n" not in str(refused.value)
    if name == "cut":
        assert agent("replay", file) == Ended(1, "", f"error: {refused.value}\n")


@pytest.mark.parametrize("flags", [("--episode", 1), ("--decide",)])
def test_actions_that_need_a_run_refuse_an_exported_file(
    flags: tuple[object, ...], file: Path, agent: Agent
) -> None:
    ended = agent("replay", file, *flags)
    assert (ended.code, ended.out) == (1, "")
    assert len(ended.err.splitlines()) == 1
    assert "is an exported replay" in ended.err


FIRST, LAST = 70, 78


@pytest.fixture
def recording(run: Path) -> Iterator[Recording]:
    with closing(read_run(run)) as folder:
        yield recording_of(folder.store)


def length(recording: Recording) -> float:
    records = recording.records
    return (records[LAST - 1].frame - records[FIRST - 2].frame) / FRAMES_PER_SECOND


@pytest.mark.parametrize("flag", ["--to", "--from"])
def test_a_picture_equals_the_screen_seen_in_play(
    flag: str, run: Path, agent: Agent, tmp_path: Path
) -> None:
    with closing(read_run(run)) as folder:
        *_, event = folder.store.record.events("milestone")
    witness = Image.open(BytesIO(b64decode(event.payload["picture"]))).convert("L")
    for scale, size in ((None, (480, 432)), (1, (160, 144))):
        file = tmp_path / f"{scale}.png"
        scaled = () if scale is None else ("--scale", scale)
        assert agent("replay", run, flag, event.tick, "--png", file, *scaled).code == 0
        picture = Image.open(file).convert("L")
        assert picture.size == size
        large = witness.resize(size, Image.Resampling.NEAREST)
        assert np.array_equal(np.asarray(picture), np.asarray(large))


def test_a_gif_has_the_duration_of_the_game_and_four_shades(
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
    assert shown / 1000 == pytest.approx(length(recording), abs=0.01)
    assert shades <= {255, 170, 85, 0}
    assert all(one != other for one, other in pairwise(seen))
    assert len(seen) > 5


def test_a_video_has_the_duration_of_the_game(
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
        assert len(images) / float(stream.average_rate) == pytest.approx(
            length(recording), abs=0.05
        )
    with closing(PyBoyConsole(load_cartridge(demo_cartridge_path()))) as console:
        ticks = TickRange(FIRST, LAST)
        pictures = film(console, recording, ticks, at=0, every=2)
        drawn = [each.screen for each in pictures for _ in range(each.frames)]
    for number in range(0, len(images), 7):
        grey = 255 - 85 * enlarged(drawn[2 * number], 2).astype(int)
        assert np.abs(grey - images[number]).mean() < 12


def test_pictures_start_at_a_usable_checkpoint(run: Path, agent: Agent, tmp_path: Path) -> None:
    cut = "UPDATE checkpoints SET state = substr(state, 1, 900) WHERE tick > 0"
    corrupt = edited(run, tmp_path / "torn", cut)
    intact, again = tmp_path / "whole.png", tmp_path / "again.png"
    agent("replay", run, "--to", 90, "--png", intact)
    ended = agent("replay", corrupt, "--to", 90, "--png", again)
    assert "is skipped: the saved state is cut short" in ended.err
    assert again.read_bytes() == intact.read_bytes()


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
        (
            ("--to", 9, "--png", "FILE", "--gif", "FILE"),
            "--png and --gif are two different actions",
        ),
        (("--bisect", "--export", "FILE"), "--bisect and --export are two different actions"),
        (("--episode", 1, "--decide"), "--episode and --decide are two different actions"),
        (("--to", 9), "--to only goes with --png or --gif or --mp4"),
        (("--bisect", "--scale", 2), "--scale only goes with"),
        (("--to", 9, "--png", "/nowhere/at/all.png"), "/nowhere/at is not a folder"),
        (("--to", 9, "--png", "a.txt"), "--png a.txt must end in .png; give it that ending"),
        (("--to", 9, "--gif", "a.png"), "--gif a.png must end in .gif"),
        (("--to", 9, "--mp4", "a"), "--mp4 a must end in .mp4"),
    ],
)
def test_invalid_picture_options_print_one_error_line(
    flags: tuple[object, ...], words: str, run: Path, agent: Agent, tmp_path: Path
) -> None:
    ending = next((form.value[2:] for form in PictureForm if form.value in flags), "replay")
    file = tmp_path / f"out.{ending}"
    ended = agent("replay", run, *[file if each == "FILE" else each for each in flags])
    assert (ended.code, ended.out) == (2, ""), ended.err
    (line,) = ended.err.splitlines()
    assert words in line
    assert not file.exists()
