"""The picture at rest shows wTileMap, tile by tile."""

from __future__ import annotations

import numpy as np
import pytest

from tests.contract import battles, menus
from tests.contract.game import Game, Start
from tests.contract.story_moments import GOT_STARTER

FONT, FONT_BANK, BOX, BOX_BANK = 0x5A80, 4, 0x6288, 4
FIRST_LETTER, FIRST_BOX_TILE = 0x80, 0x60
BOX_ROW = 12
ASSISTANT = 6  # of the lab: the one who walks
VISITOR = 2  # of the rest house
WAITING = 2


def glyph(game: Game, tile: int, *, title: bool) -> np.ndarray:
    """Return 8 x 8 colours of a tile, from the cartridge at the address in the contract."""
    if tile >= FIRST_LETTER:
        rows = game.rom(FONT_BANK, FONT + 8 * (tile - FIRST_LETTER), 8)
        planes = bytes(byte for row in rows for byte in (row, row))
    elif tile >= FIRST_BOX_TILE:
        planes = game.rom(BOX_BANK, BOX + 16 * (tile - FIRST_BOX_TILE), 16)
    elif title:
        planes = bytes(game.pyboy.memory[0x9000 + 16 * tile : 0x9010 + 16 * tile])
    else:
        address = game.word("wTilesetGfxPtr") + 16 * tile
        planes = game.rom(game.byte("wTilesetBank"), address, 16)
    bits = np.unpackbits(np.frombuffer(planes, np.uint8)).reshape(8, 2, 8)
    return np.asarray(bits[:, 0] + 2 * bits[:, 1])


def shades(game: Game) -> np.ndarray:
    """Return the rendered frame in shades, 0 the lightest."""
    game.pyboy.tick(1, True)
    grey = game.pyboy.screen.ndarray[:, :, 0].astype(int)
    return np.asarray(np.searchsorted([-255, -200, -120, -40], -grey, side="right") - 1)


def covered(game: Game) -> set[tuple[int, int]]:
    """Return the cells that hardware sprites touch."""
    cells = set()
    objects = game.block("wShadowOAM")
    for i in range(0, 160, 4):
        y, x = objects[i] - 16, objects[i + 1] - 8
        if -8 < y < 144 and -8 < x < 160:
            cells |= {(cx // 8, cy // 8) for cx in (x, x + 7) for cy in (y, y + 7)}
    return cells


def assert_shown(game: Game, *, title: bool = False) -> None:
    game.tick(8)
    game.pyboy.tick(1, True)  # PyBoy's first picture ever has its window a line too high
    hidden = covered(game)
    frame = shades(game)
    hidden |= covered(game)  # people go on walking
    for y in range(18):
        for x in range(20):
            if (x, y) not in hidden:
                cell = frame[8 * y : 8 * y + 8, 8 * x : 8 * x + 8]
                expected = glyph(game, game.tile(x, y), title=title)
                assert (cell == expected).all(), f"tile {game.tile(x, y):#x} at {(x, y)}"


def test_title_and_main_menu(start: Start) -> None:
    assert_shown(start("title"), title=True)
    assert_shown(start("main menu"), title=True)
    assert_shown(start("naming"), title=True)


@pytest.mark.parametrize("station", ["bedroom", "house", "town"])
def test_maps_after_any_walk(start: Start, station: str) -> None:
    game = start(station)
    here = game.place.map
    for direction in (
        *("down", "down", "left", "left", "up", "up"),
        *("right", "right", "right", "up", "left", "down"),
    ):
        assert_shown(game)
        game.step(direction)
        if game.place.map != here:
            break
    assert_shown(game)


def view_of_the_blocks(game: Game) -> bytes:
    """Return the 20 x 18 tiles around the player, who is on column 8 and row 9."""
    blocks, at = game.block("wOverworldMap"), game.word("wTilesetBlocksPtr")
    tiles = game.rom(game.byte("wTilesetBank"), at, 16 * (max(blocks) + 1))
    stride = game.byte("wCurMapWidth") + 6
    left, top = 2 * game.place.x - 8 + 12, 2 * game.place.y - 8 + 12  # three blocks of border
    return bytes(
        tiles[16 * blocks[y // 4 * stride + x // 4] + 4 * (y % 4) + x % 4]
        for y in range(top, top + 18)
        for x in range(left, left + 20)
    )


@pytest.mark.parametrize("station", ["house", "lane"])
def test_the_screen_is_cut_from_the_live_blocks(start: Start, station: str) -> None:
    game = start(station)
    game.poke("wGrassRate", 0)
    halves = set()
    for direction in ("up", "left", "down", "right", "right", "up", "up", "left"):
        game.step(direction)
        assert game.block("wTileMap") == view_of_the_blocks(game)
        halves.add(half := (game.place.x % 2, game.place.y % 2))
        assert (game.byte("wXBlockCoord"), game.byte("wYBlockCoord")) == half
    assert len(halves) == 4


def test_both_sides_of_an_edge(start: Start) -> None:
    game = start("town")
    game.set_event(GOT_STARTER)  # without one the lane is closed
    game.go(next(x for x in range(40) if game.is_open(x, 0) and game.route(x, 0)), 0)
    for direction in ["up", "up", "up", "down", "down", "down", "down"]:
        game.step(direction)
        assert_shown(game)


def test_boxes_over_the_map(start: Start) -> None:
    game = start("town")
    game.press("start", settle=20)
    assert_shown(game)
    game.press("down").press("a", settle=20)
    assert_shown(game)
    game.press("b", "b", settle=20)
    assert_shown(game)
    game.go_beside(*game.signs[0]).press("a", settle=200)
    assert game.byte("wFontLoaded") & 1
    assert_shown(game)


def put_below(game: Game, slot: int, steps: int) -> None:
    """Place a person `steps` squares below the player."""
    at = 16 * slot
    game.wait(lambda: not game.byte("wSpriteStateData2", at), 40)
    game.poke("wSpriteStateData2", game.place.y + steps + 4, at + 4)
    game.poke("wSpriteStateData2", game.place.x + 4, at + 5)
    game.poke("wSpriteStateData1", WAITING, at + 1).poke("wSpriteStateData2", 100, at + 8).tick(8)


def test_no_person_shows_over_the_text_box_from_below(start: Start) -> None:
    """Without a text box, the head of a person one step below the picture shows in it."""
    game = start("lab")
    game.go(6, 4).face("up")
    put_below(game, ASSISTANT, 5)
    assert any(row == 17 for _, row in covered(game))
    game.press("a", settle=40)
    assert game.byte("wFontLoaded") & 1
    assert not any(row == 17 for _, row in covered(game))


def test_no_person_shows_in_the_text_of_a_pc(start: Start) -> None:
    game = start("rest house")
    battles.set_team(game, battles.Mon(3))
    put_below(game.go(3, 3), VISITOR, 3)
    menus.use_pc(game, menus.BOXES_PC)
    assert any(row >= BOX_ROW for _, row in covered(game)), "a person is below the box"
    menus.choose_entry(game, 1)  # to deposit the only Pokemon, which is refused
    game.tick(20)
    assert game.text.splitlines()[BOX_ROW + 2].strip("#_ ")
    assert not any(row >= BOX_ROW for _, row in covered(game))


def test_a_moving_map_never_tears(start: Start) -> None:
    """At every frame of a walk the picture is one map at one scroll offset."""
    game = start("town")
    game.step("down")
    for direction in ("down", "right"):
        game.hold(direction)
        before = shades(game)
        for _ in range(40):
            after = shades(game)
            assert scrolled(before, after), f"torn picture while walking {direction}"
            before = after
        game.release(direction).until_free()


def scrolled(before: np.ndarray, after: np.ndarray) -> bool:
    """Return whether most of a picture equals the previous one, moved by at most four pixels in one direction."""
    for dy, dx in ((dy, dx) for d in (0, 2, 4) for dy, dx in ((d, 0), (0, d))):
        old, new = before[dy:, dx:], after[: 144 - dy, : 160 - dx]
        if (old == new).mean() > 0.97:
            return True
    return False
