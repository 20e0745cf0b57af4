"""A replay as one file: it holds nothing of the cartridge, drives elsewhere, and is never believed blindly."""

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, play_run, record_of
from agent.errors import RunError
from agent.tools.replay import read_portable
from agent.tools.replay.portable import CHECKSUM, HEAD, MAGIC, MOST_HEAD, MOST_TICKS, _checksum
from emulator import demo_cartridge_path, load_cartridge
from memory import open_run, read_run
from tests.agent.support import Agent, Watcher

CARTRIDGE = load_cartridge(demo_cartridge_path())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    settings = Settings(
        seed=3, until="starter", run=folder / "run", memory=folder / "memory.sqlite"
    )
    play_run(settings, Watcher(), Interrupt())
    return folder / "run"


@pytest.fixture
def file(run: Path, agent: Agent, tmp_path: Path) -> Path:
    path = tmp_path / "a.redreplay"
    ended = agent("replay", run, "--export", path)
    assert (ended.code, ended.out) == (0, "")
    return path


def test_an_exported_replay_drives_like_its_run(file: Path, agent: Agent) -> None:
    ended = agent("replay", file)
    assert (ended.code, ended.out) == (0, "divergence: none\n")
    found = agent("replay", file, "--bisect")
    assert (found.code, found.out) == (0, "divergence: none\n")
    assert "1 restores of 1 moments" in found.err


def test_it_holds_what_was_recorded(run: Path, file: Path) -> None:
    exported = read_portable(file)
    with closing(read_run(run)) as folder:
        assert exported.recording.records == [record_of(row) for row in folder.store.steps()]
        assert exported.origin.run == folder.store.run_id
        told = list(folder.store.events("milestone"))
    assert [(each.id, each.tick) for each in exported.milestones] == [
        (event.payload["id"], event.tick) for event in told
    ]
    assert {each.witnesses for each in exported.milestones} == {("frame", "ram")}
    assert (exported.origin.seed, exported.origin.sha1) == (3, CARTRIDGE.sha1)


def test_nothing_of_the_cartridge_is_in_it(run: Path, file: Path) -> None:
    data = file.read_bytes()
    _, size = HEAD.unpack_from(data)
    head = data[HEAD.size :][:size]
    whole = data[: HEAD.size] + head + zlib.decompress(data[HEAD.size + size : -CHECKSUM])
    stretches = {CARTRIDGE.rom[at : at + 16] for at in range(len(CARTRIDGE.rom) - 16)}
    stretches = {each for each in stretches if len(set(each)) > 3}
    assert not any(whole[at : at + 16] in stretches for at in range(len(whole) - 16))
    with closing(read_run(run)) as folder:
        for event in folder.store.events("milestone"):
            for words in event.payload["witnesses"].values():
                assert words.encode() not in whole


def test_the_same_run_gives_the_same_bytes(run: Path, file: Path, agent: Agent) -> None:
    again = file.with_name("again.redreplay")
    agent("replay", "--export", again, run)
    assert again.read_bytes() == file.read_bytes()


def test_what_is_there_is_not_overwritten(run: Path, file: Path, agent: Agent) -> None:
    before = file.read_bytes()
    ended = agent("replay", run, "--export", file)
    assert ended.code == 2
    assert "exists already, and nothing is overwritten" in ended.err
    assert file.read_bytes() == before


def test_a_run_that_is_being_played_gives_what_was_committed(
    run: Path, agent: Agent, tmp_path: Path
) -> None:
    copy, file = tmp_path / "copy", tmp_path / "b.redreplay"
    shutil.copytree(run, copy)
    with closing(open_run(copy)) as playing:
        rows = list(playing.store.steps())
        playing.store.append_step(rows[-1]._replace(tick=len(rows) + 1))
        assert agent("replay", copy, "--export", file).code == 0
    assert len(read_portable(file).recording.records) == len(rows)


def test_an_edited_run_is_not_exported(run: Path, agent: Agent, tmp_path: Path) -> None:
    copy, file = tmp_path / "copy", tmp_path / "b.redreplay"
    shutil.copytree(run, copy)
    with closing(sqlite3.connect(copy / "run.sqlite")) as database, database:
        database.execute("UPDATE steps SET button = 'up' WHERE tick = 20")
    ended = agent("replay", copy, "--export", file)
    assert ended.code == 1
    assert "was changed since it was recorded: tick 20: edited record" in ended.err
    assert not file.exists()


Spoil = Callable[[bytes], bytes]


def sealed(data: bytes) -> bytes:
    """The bytes with a checksum that fits, as a careful forger would."""
    return data + _checksum(data)


def rewritten(data: bytes, **changes: object) -> bytes:
    """The file with another word in its head."""
    _, size = HEAD.unpack_from(data)
    head = json.loads(data[HEAD.size :][:size]) | changes
    words = json.dumps(head).encode()
    return sealed(HEAD.pack(MAGIC, len(words)) + words + data[HEAD.size + size : -CHECKSUM])


def packed(data: bytes, records: bytes) -> bytes:
    """The file with other records."""
    _, size = HEAD.unpack_from(data)
    return sealed(data[: HEAD.size + size] + zlib.compress(records, 9))


SPOILT: dict[str, tuple[Spoil, str]] = {
    "cut": (lambda data: data[:-1], "cut short or damaged"),
    "only begun": (lambda data: data[:9], "cut short or damaged"),
    "a byte": (lambda data: data[:99] + bytes([data[99] ^ 1]) + data[100:], "damaged"),
    "another file": (lambda _: b"PK\3\4 and more", "is no exported replay"),
    "too large": (lambda data: data + bytes(1 << 26), "is larger than"),
    "a head without end": (
        lambda data: sealed(HEAD.pack(MAGIC, MOST_HEAD + 1) + data[HEAD.size :]),
        "its head is too large",
    ),
    "no words": (lambda _: sealed(HEAD.pack(MAGIC, 2) + b"[["), "does not hold what it says"),
    "deep words": (
        lambda _: sealed(HEAD.pack(MAGIC, 60_000) + b"[" * 60_000),
        "does not hold what it says",
    ),
    "fewer ticks": (lambda data: rewritten(data, ticks=5), "more than its ticks can be"),
    "more ticks": (lambda data: rewritten(data, ticks=9_999), "ticks, not 9999"),
    "ticks beyond": (lambda data: rewritten(data, ticks=MOST_TICKS + 1), "a number up to"),
    "ticks no number": (lambda data: rewritten(data, ticks="many"), "a number up to"),
    "no ticks": (lambda data: rewritten(data, ticks=0), "does not hold what it says"),
    "another chain": (lambda data: rewritten(data, chain="00" * 16), "comes out otherwise"),
    "another cartridge": (lambda data: rewritten(data, sha1="00" * 20), "comes out otherwise"),
    "no cartridge": (lambda data: rewritten(data, sha1="00"), "its SHA-1 is none"),
    "milestones of nothing": (lambda data: rewritten(data, milestones=[[1]]), "does not hold"),
    "a bomb": (lambda data: packed(data, bytes(300 << 20)), "more than its ticks can be"),
    "nothing recorded": (lambda data: packed(data, b""), "ticks, not"),
    "nonsense": (lambda data: packed(data, b"x" * 100), "does not hold what it says"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_file_that_lies_ends_in_one_line(name: str, file: Path, agent: Agent) -> None:
    spoil, words = SPOILT[name]
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(RunError, match=words):
        read_portable(file)
    ended = agent("replay", file)
    assert (ended.code, ended.out) == (1, "")
    assert len(ended.err.splitlines()) == 1
    assert words in ended.err


@pytest.mark.parametrize("flags", [("--episode", 1), ("--decide",)])
def test_what_takes_a_run_says_so_of_a_file(
    flags: tuple[object, ...], file: Path, agent: Agent
) -> None:
    ended = agent("replay", file, *flags)
    assert (ended.code, ended.out) == (1, "")
    assert len(ended.err.splitlines()) == 1
    assert "is an exported replay" in ended.err
