"""Accepted cartridge files, and the error lines for all others."""

import ast
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from emulator import (
    Cartridge,
    CartridgeError,
    CartridgeKind,
    Dex,
    PyBoyConsole,
    Step,
    World,
    demo_cartridge_path,
    load_cartridge,
)
from emulator.cartridge import (
    DEMO_TITLE,
    HEADER_CHECKSUM,
    IMAGE_CHECKSUM,
    header_checksum,
    image_checksum,
)

RomOf = Callable[..., bytes]


def test_the_demo_is_recognised() -> None:
    demo = load_cartridge(demo_cartridge_path())
    assert (demo.kind, demo.title, demo.name) == (CartridgeKind.DEMO, DEMO_TITLE, "Red Agent Demo")
    assert demo.sha1 == hashlib.sha1(demo_cartridge_path().read_bytes()).hexdigest()
    assert repr(demo.rom) not in repr(demo)


def test_equal_images_are_the_same_cartridge(tmp_path: Path, rom_of: RomOf) -> None:
    for name in ("one.gb", "two.gb"):
        (tmp_path / name).write_bytes(rom_of())
    one, two = load_cartridge(tmp_path / "one.gb"), load_cartridge(str(tmp_path / "two.gb"))
    assert one == two
    assert hash(one) == hash(two)


def refusal(path: Path) -> str:
    with pytest.raises(CartridgeError) as raised:
        load_cartridge(path)
    message = str(raised.value)
    assert "\n" not in message
    assert repr(str(path)) in message
    return message


def test_a_missing_file_is_refused_with_its_path(tmp_path: Path) -> None:
    message = refusal(tmp_path / "none.gb")
    assert "no cartridge at" in message
    assert "name an image with --rom" in message
    assert "has demo.gb" in message


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path)


def broken(rom: bytes, at: int) -> bytes:
    return rom[:at] + bytes([rom[at] ^ 0xFF]) + rom[at + 1 :]


@pytest.mark.parametrize(
    ("corrupt", "reason"),
    [
        (lambda rom: b"", "is empty"),
        (lambda rom: rom[:0x14F], "is cut short"),
        (lambda rom: rom[:0x4000], "is cut short: 16384 bytes, header says 32768"),
        (lambda rom: rom + bytes(0x4000), "is the wrong size: 49152 bytes, header says 32768"),
        (lambda rom: broken(rom, HEADER_CHECKSUM), "wrong header checksum"),
        (lambda rom: broken(rom, 0x134), "wrong header checksum"),
        (lambda rom: broken(rom, 0x7FFF), "is corrupt: its image checksum is wrong"),
        (lambda rom: broken(rom, 0x14E), "is corrupt: its image checksum is wrong"),
        (lambda rom: b"PK\x03\x04" + rom, "is a zip archive; unpack it"),
        (lambda rom: b"7z\xbc\xaf" + rom, "is a 7z archive; unpack it"),
        (lambda rom: b"\x1f\x8b" + rom, "is a gzip archive; unpack it"),
    ],
)
def test_a_corrupt_image_is_refused_with_what_to_do(
    corrupt: Callable[[bytes], bytes], reason: str, tmp_path: Path, rom_of: RomOf
) -> None:
    path = tmp_path / "spoilt.gb"
    path.write_bytes(corrupt(rom_of()))
    assert reason in refusal(path)


def test_a_save_is_refused_as_one(tmp_path: Path) -> None:
    path = tmp_path / "red.sav"
    path.write_bytes(bytes(0x8000))
    assert "looks like a save; name the cartridge image (.gb) of its game" in refusal(path)


@pytest.mark.parametrize(
    ("title", "reason"),
    [
        ("POKEMON BLUE", "is Pokemon Blue: its wild tables and ROM offsets differ"),
        ("POKEMON RED", "is another revision of Pokemon Red, or a hack"),
        ("TETRIS", "is another game, titled 'TETRIS'"),
        ("\xff", "is another game, titled"),
    ],
)
def test_another_game_is_refused_with_its_name_and_what_is_supported(
    title: str, reason: str, tmp_path: Path, rom_of: RomOf
) -> None:
    rom = bytearray(rom_of())
    rom[0x134:0x143] = title.encode("latin-1").ljust(15, b"\0")
    rom[HEADER_CHECKSUM] = header_checksum(bytes(rom))
    path = tmp_path / "other.gb"
    path.write_bytes(rom)
    message = refusal(path)
    assert reason in message
    assert "supported: Pokemon Red (US, SHA-1 ea9bcae6" in message


ENCODER = Path(__file__).parent / "synthetic"


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_the_encoder_shares_no_code_with_the_decoder() -> None:
    paths = list(ENCODER.glob("*.py"))
    assert paths
    for path in paths:
        assert not [name for name in imported(path) if name.split(".")[0] == "emulator"], path


def test_the_synthetic_header_is_valid(synthetic_cartridge: Cartridge) -> None:
    rom = synthetic_cartridge.rom
    assert len(rom) == 1 << 20
    assert rom[HEADER_CHECKSUM] == header_checksum(rom)
    assert (rom[IMAGE_CHECKSUM], rom[0x134:0x13F]) == (image_checksum(rom), b"POKEMON RED")


def test_the_synthetic_image_is_refused(synthetic_cartridge: Cartridge, tmp_path: Path) -> None:
    path = tmp_path / "synthetic.gb"
    path.write_bytes(synthetic_cartridge.rom)
    with pytest.raises(CartridgeError, match="another revision of Pokemon Red"):
        load_cartridge(path)


def test_a_console_with_the_synthetic_cartridge_stays_at_its_first_instruction(
    synthetic_cartridge: Cartridge, switch_on: Callable[[Cartridge], PyBoyConsole]
) -> None:
    console = switch_on(synthetic_cartridge)
    console.perform(Step(None, 0, 60))
    before = console.read(0xC000, 0x2000)
    console.perform(Step(None, 0, 60))
    assert console.read(0xC000, 0x2000) == before


def test_decoded_data_is_cached_by_hash(synthetic_cartridge: Cartridge) -> None:
    same = replace(synthetic_cartridge, path=Path("elsewhere.gb"))
    assert World.of(same) is World.of(synthetic_cartridge)
    assert Dex.of(same) is Dex.of(synthetic_cartridge)
    assert all(World.of(same).map(each.map_id) is each for each in World.of(same).maps)
