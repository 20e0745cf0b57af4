"""Bad input gets one clear line and the right exit code, and damages nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.app.play import HOME
from emulator import demo_cartridge_path, load_cartridge
from emulator.cartridge import header_checksum, image_checksum
from tests.agent.support import Agent, Played

DEMO = demo_cartridge_path().read_bytes()


def titled(title: bytes) -> bytes:
    """The demo under another name, with a right checksum."""
    rom = bytearray(DEMO)
    rom[0x134:0x143] = title.ljust(15, b"\0")
    rom[0x14D] = header_checksum(bytes(rom))
    return bytes(rom)


IMAGES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "no_header": (DEMO[:100], "cut short"),
    "truncated": (DEMO[:0x8000], "cut short"),
    "wrong_checksum": (DEMO[:0x14D] + bytes([DEMO[0x14D] ^ 1]) + DEMO[0x14E:], "checksum"),
    "other_game": (titled(b"TETRIS"), "another game, titled 'TETRIS'"),
    "blue": (titled(b"POKEMON BLUE"), "is Pokemon Blue"),
    "hack": (titled(b"POKEMON RED"), "another revision"),
    "zip": (b"PK\3\4" + DEMO[4:], "zip archive"),
}


def one_line(err: str, words: str) -> bool:
    lines = [line for line in err.splitlines() if line.startswith("error: ")]
    return len(lines) == 1 and words in lines[0] and "Traceback" not in err


@pytest.mark.parametrize("name", IMAGES)
def test_a_bad_image_is_refused_and_left_as_it_was(name: str, agent: Agent, tmp_path: Path) -> None:
    image, words = IMAGES[name]
    rom = tmp_path / "roms" / f"{name}.gb"
    rom.parent.mkdir()
    rom.write_bytes(image)
    ended = agent("play", "--rom", rom, "--run", tmp_path / "run")
    assert ended.code == 1
    assert one_line(ended.err, words), ended.err
    assert rom.read_bytes() == image
    assert [path.name for path in rom.parent.iterdir()] == [rom.name]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--rom", "/nowhere/red.gb"), 1, "no cartridge at '/nowhere/red.gb'"),
        (("--rom", str(HOME)), 1, "is a folder"),
        (("--ticks", "-1"), 2, "--ticks -1 is negative"),
        (("--seed", "-3"), 2, "--seed -3 is negative"),
        (("--until", "hall_of_shame"), 2, "it has left_home"),
        (("--run", "/dev/null/run"), 1, "cannot be written"),
        (("--memory", "/dev/null/memory.sqlite"), 1, "/dev/null/memory.sqlite"),
        (("--resume", "/nowhere/run"), 1, "is no run"),
    ],
)
def test_a_bad_argument_gets_one_line(
    arguments: tuple[str, ...], code: int, words: str, agent: Agent, tmp_path: Path
) -> None:
    where = () if {"--run", "--resume"} & set(arguments) else ("--run", tmp_path / "run")
    ended = agent("play", *where, *arguments)
    assert ended.code == code
    assert one_line(ended.err, words), ended.err
    assert not (tmp_path / "run").exists()


def test_a_process_says_it_in_one_line_too(process: Agent) -> None:
    ended = process("play", "--resume", "/nowhere/run")
    assert (ended.code, ended.out) == (1, "")
    assert one_line(ended.err, "is no run"), ended.err


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_that_holds_a_run_is_not_overwritten(agent: Agent, played: Played) -> None:
    before = snapshot(played.folder)
    ended = agent("play", "--run", played.folder)
    assert ended.code == 1
    assert one_line(ended.err, "already holds")
    assert snapshot(played.folder) == before


def test_somebodys_file_given_as_memory_stays_as_it_is(agent: Agent, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_bytes(b"not a database, but somebody's bytes" * 100)
    ended = agent("play", "--run", tmp_path / "run", "--memory", letter)
    assert ended.code == 1
    assert one_line(ended.err, "is not a SQLite file")
    assert letter.read_bytes() == b"not a database, but somebody's bytes" * 100


def test_a_damaged_memory_is_set_aside_with_its_name_told(
    agent: Agent, played: Played, tmp_path: Path
) -> None:
    content = played.memory.read_bytes()
    content = content[: len(content) // 2]
    (tmp_path / "memory.sqlite").write_bytes(content)
    ended = agent("play", "--run", tmp_path / "run")
    assert ended.code == 1
    assert one_line(ended.err, "memory.sqlite.damaged-1")
    assert (tmp_path / "memory.sqlite.damaged-1").read_bytes() == content


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


Spoil = Callable[[Path], object]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda run: (run / "run.toml").unlink(), "is no run"),
        (lambda run: (run / "run.toml").write_text("seed = ["), "cannot be read"),
        (lambda run: (run / "run.toml").write_text("seed = 1"), "run.toml lacks"),
        (lambda run: replace(run / "run.toml", "seed = 3", "seed = 'x'"), "'x' as seed"),
        (lambda run: (run / "run.sqlite").unlink(), "does not exist"),
        (lambda run: (run / "run.sqlite").write_bytes(b"x" * 5000), "run.sqlite"),
    ],
)
def test_a_spoilt_run_is_not_replayed(
    spoil: Spoil, words: str, agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for name, content in snapshot(played.folder).items():
        (run / name).write_bytes(content)
    spoil(run)
    ended = agent("replay", run)
    assert ended.code == 1
    assert one_line(ended.err, words), ended.err


def test_a_run_of_another_cartridge_is_not_replayed(
    agent: Agent, played: Played, tmp_path: Path
) -> None:
    other = tmp_path / "other.gb"
    changed = DEMO[:-1] + bytes([DEMO[-1] ^ 1])
    whole = changed[:0x14E] + image_checksum(changed) + changed[0x150:]
    other.write_bytes(whole)
    assert load_cartridge(other).title == "RED AGENT DEMO"
    ended = agent("replay", played.folder, "--rom", other)
    assert ended.code == 1
    assert one_line(ended.err, "pass the --rom it was played on")
