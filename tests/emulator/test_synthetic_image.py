"""The synthetic cartridge itself: sound, and made without what reads it."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from emulator import Cartridge, CartridgeError, Dex, PyBoyConsole, Step, World, load_cartridge
from emulator.cartridge import HEADER_CHECKSUM, IMAGE_CHECKSUM, header_checksum, image_checksum

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


def test_its_header_adds_up_and_says_what_it_is(synthetic_cartridge: Cartridge) -> None:
    rom = synthetic_cartridge.rom
    assert len(rom) == 1 << 20
    assert rom[HEADER_CHECKSUM] == header_checksum(rom)
    assert rom[IMAGE_CHECKSUM] == image_checksum(rom)
    assert rom[0x134:0x13F] == b"POKEMON RED"


def test_nobody_takes_it_for_the_real_game(synthetic_cartridge: Cartridge, tmp_path: Path) -> None:
    path = tmp_path / "synthetic.gb"
    path.write_bytes(synthetic_cartridge.rom)
    with pytest.raises(CartridgeError, match="another revision of Pokemon Red"):
        load_cartridge(path)


def test_who_runs_it_stays_where_it_begins(
    synthetic_cartridge: Cartridge, switch_on: Callable[[Cartridge], PyBoyConsole]
) -> None:
    console = switch_on(synthetic_cartridge)
    console.perform(Step(None, 0, 60))
    before = console.read(0xC000, 0x2000)
    console.perform(Step(None, 0, 60))
    assert console.read(0xC000, 0x2000) == before


def test_what_was_decoded_is_kept_by_hash(synthetic_cartridge: Cartridge) -> None:
    same = replace(synthetic_cartridge, path=Path("elsewhere.gb"))
    assert World.of(same) is World.of(synthetic_cartridge)
    assert Dex.of(same) is Dex.of(synthetic_cartridge)
    assert all(World.of(same).map(each.map_id) is each for each in World.of(same).maps)
