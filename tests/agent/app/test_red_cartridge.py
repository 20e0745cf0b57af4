"""Cartridges that are not the demo: one with Red's identity, and ones with damaged tables."""

import random
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha1
from pathlib import Path

import pytest

from agent.app import Stop
from agent.skills import Terrain
from agent.skills.route import Spot, find_route, hops
from agent.skills.talk import talk
from agent.story.story import Story
from emulator import RED, Cartridge, CartridgeKind, EmulatorError, World
from emulator.cartridge import BANK_SIZE, IMAGE_CHECKSUM, Rom, image_checksum
from emulator.dex import moves, species, trainers, wild
from emulator.dex import moves as types
from emulator.world.header import CONNECTION_SIZE, HEADER_SIZE, WARP_SIZE, read_header
from tests.agent.demo import CARTRIDGE
from tests.agent.support import Played, game_at, play_in
from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER

CAVEAT = "this story has not run on the real cartridge yet"

needs_cartridge = pytest.mark.skipif(
    not FOLDER.exists(), reason="the facts of the game are not here"
)


@pytest.fixture
def red(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An image with Red's tables that is recognised as the real one during a test."""
    rom = build()
    profile = replace(RED, sha1=sha1(rom, usedforsecurity=False).hexdigest())
    monkeypatch.setattr("emulator.cartridge.RED", profile)
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / "red.gb").write_bytes(rom)
    return folder / "red.gb"


@needs_cartridge
def test_red_is_recognised_and_its_caveat_logged_once(
    red: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = red.read_bytes()
    summary = play_in(tmp_path, rom=red, ticks=3)
    assert summary.cartridge == "Pokemon Red (US)"
    assert (summary.stop.value, summary.ticks, summary.errors) == ("ticks", 3, 0)
    assert sum(CAVEAT in record.message for record in caplog.records) == 1
    last = Story.of(CartridgeKind.RED).milestones[-1].id
    assert f'until = "{last}"' in (tmp_path / "run" / "run.toml").read_text(encoding="utf-8")
    assert [path.name for path in red.parent.iterdir()] == ["red.gb"]
    assert red.read_bytes() == before


@needs_cartridge
def test_the_demo_has_no_caveat(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    play_in(tmp_path, ticks=1)
    assert CAVEAT not in caplog.text


BEDROOM, HOUSE, TOWN, PARENT = 38, 37, 0, 1
STAIRS = Spot(BEDROOM, 6, 1)  # beside them
NO_MAP = 0xF9
INDEX, MAP = 2, 3  # of the bytes of a warp
TABLES = (
    (species.BASE, 400),
    (species.LEARNSETS, 380),
    (moves.MOVES, 300),
    (trainers.PARTIES, 94),
    (trainers.MONEY, 200),
    (types.TYPE_EFFECTS, 200),
    (wild.POINTERS, 60),
)


def offset(bank: int, address: int) -> int:
    return bank * BANK_SIZE + address % BANK_SIZE


def warps_of(map_id: int) -> int:
    """Return the offset of the warps of a map."""
    rom = Rom(CARTRIDGE.rom)
    header = read_header(rom, map_id)
    pointer = header.address + HEADER_SIZE + CONNECTION_SIZE * len(header.connections)
    border, count = 1, 1
    return offset(header.bank, rom.pointer(header.bank, pointer)) + border + count


def demo_with(changes: Mapping[int, int]) -> Cartridge:
    """Return the demo with some bytes changed."""
    rom = bytearray(CARTRIDGE.rom)
    for at, byte in changes.items():
        rom[at] = byte
    rom[IMAGE_CHECKSUM] = image_checksum(bytes(rom))
    return replace(CARTRIDGE, rom=bytes(rom), sha1=f"changed {sorted(changes.items())}")


@pytest.mark.parametrize("damage", [{MAP: NO_MAP}, {INDEX: 3}])
def test_a_warp_to_an_invalid_map_or_index_leads_nowhere(damage: Mapping[int, int]) -> None:
    cartridge = demo_with({warps_of(BEDROOM) + at: byte for at, byte in damage.items()})
    world = World.of(cartridge)
    assert all(hop.to.map_id == BEDROOM for hop in hops(world, STAIRS))
    assert find_route(world, STAIRS, lambda spot: spot.map_id == TOWN) is None


def test_a_warp_to_a_square_outside_its_map_is_a_dead_end() -> None:
    lands_at = warps_of(HOUSE) + 2 * WARP_SIZE
    world = World.of(demo_with({lands_at: 200, lands_at + 1: 200}))
    outside = Spot(HOUSE, 200, 200)
    assert outside in [hop.to for hop in hops(world, STAIRS)]
    assert hops(world, outside) == ()
    assert find_route(world, STAIRS, lambda spot: spot.map_id == TOWN) is None


def test_talk_waits_for_a_person_outside_the_map(played: Played) -> None:
    with game_at(played.folder, lambda state: bool(state.people)) as game:
        state = game.state
        far = replace(state.people[0], slot=PARENT, x=99, y=99)
        skill = talk(
            PARENT, Terrain(World.of(CARTRIDGE)), replace(state, people=(far,)), patience=1
        )
        assert next(skill).button is None  # waits for the person to come back


def damaged(seed: int) -> Cartridge:
    chance = random.Random(seed)
    places = [chance.choice(TABLES) for _ in range(20)]
    return demo_with(
        {offset(*at) + chance.randrange(size): chance.randrange(256) for at, size in places}
    )


@pytest.mark.parametrize("seed", range(2))
def test_damaged_tables_cause_no_program_error(
    seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cartridge, path = damaged(seed), tmp_path / "damaged.gb"
    path.write_bytes(cartridge.rom)
    with suppress(EmulatorError):  # the command line prints it as one line
        summary = play_in(tmp_path, rom=path, seed=seed, ticks=160)
        assert summary.stop is not Stop.ERROR, summary.reason
    assert "Traceback" not in caplog.text
