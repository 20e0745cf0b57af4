"""Saving, power off, and CONTINUE: the questions, the file, and corrupt files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import pytest

from emulator import MenuKind
from tests.contract.game import Game, Start
from tests.contract.story_moments import to_bedroom, to_naming

SAVE: Final = 3  # of the START menu
YES_NO: Final = (1, 8)
GONE, SAVED = 1, 2  # wSaveFileStatus
BANK: Final = 0x2000
START_OF_SUM, CHECKSUM = 0x2598, 0x3523  # in a file of all cartridge RAM
PIECES: Final = {  # offset in the file: its address in RAM, and its size
    0x2598: (0xD158, 0x00B),
    0x25A3: (0xD2F7, 0x789),
    0x2D2C: (0xC100, 0x200),
    0x2F2C: (0xD163, 0x194),
    0x30C0: (0xDA80, 0x462),
    0x3522: (0xFFD7, 0x001),
}
TITLE_WORDS: Final = "BRINDLE VALLEY"
TIMER: Final = 1  # of wStatusFlags6


def cartridge_ram(game: Game) -> bytes:
    memory = game.pyboy.memory
    # PyBoy refuses a slice that includes the last byte of a bank.
    return b"".join(
        bytes([*memory[bank, 0xA000:0xBFFF], memory[bank, 0xBFFF]]) for bank in range(4)
    )


def ask(game: Game) -> Game:
    """Open the START menu and choose SAVE."""
    game.poke("wBattleAndStartSavedMenuItem", 0)
    game.tick(16)  # START is ignored in the frame that ends a step
    game.press("start", settle=12)
    for _ in range(SAVE):
        game.press("down")
    assert game.cursor == (11, 2 + 2 * SAVE), game.text
    game.press("a").to_cursor(YES_NO, 300)
    return game


def save(game: Game) -> bytes:
    """Save, and return the battery RAM."""
    ask(game).press("a")
    game.until_free()
    return cartridge_ram(game)


def to_menu(game: Game) -> Game:
    game.tick(150).press("start").to_cursor((1, 2), 160)
    return game


def go_on(game: Game) -> Game:
    to_menu(game).press("a")
    game.wait(lambda: "OWNED" in game.text, 60).press("a")
    game.wait(lambda: bool(game.byte("wJoyIgnore")), 60).until_free()
    return game


def items(game: Game) -> list[str]:
    rows = game.text.splitlines()
    words = [rows[row][2:13].strip(" #") for row in (2, 4, 6)]
    return [word for word in words if word]


def test_saving_shows_a_summary_and_asks(start: Start) -> None:
    game = ask(start("starter 1"))
    menu = game.state.menu
    assert menu is not None
    assert menu.kind is MenuKind.SAVE_YES_NO
    rows = game.text.splitlines()
    assert "JUNO" in rows[2]
    assert "BADGES" in rows[4]
    assert "  1" in rows[6]
    assert ":" in rows[8]
    game.press("a").wait(lambda: "Scratch" in game.text, 60)
    assert 120 <= game.frames_until(lambda: "all down." in game.text, 400) <= 250
    game.until_free()
    assert (game.byte("wSaveFileStatus"), game.byte("hWY")) == (SAVED, 0x90)


def test_answering_no_writes_no_save(start: Start) -> None:
    game = start("bedroom")
    before = cartridge_ram(game)[BANK:]
    ask(game).press("b")
    game.until_free()
    assert cartridge_ram(game)[BANK:] == before
    assert game.step("down")


def test_the_save_file_follows_the_contract(start: Start) -> None:
    game = start("starter 1")
    file = save(game)
    for offset, (address, size) in PIECES.items():
        live = bytes(game.pyboy.memory[address : address + size])
        saved = file[offset : offset + size]
        differ = [address + i for i in range(size) if live[i] != saved[i]]
        assert all(0xDA41 <= at <= 0xDA45 or 0xC100 <= at < 0xC300 for at in differ), offset
        assert len(differ) < size / 4 or size == 1, offset
    assert file[CHECKSUM] == ~sum(file[START_OF_SUM:CHECKSUM]) & 0xFF
    assert not any(file[0x4000:])


def test_the_game_goes_on_where_it_was_saved(
    start: Start, power_on: Callable[[bytes], Game]
) -> None:
    game = start("starter 1")
    game.press("up", hold=2)
    place, people = game.place, game.people
    party, money = game.block("wPartyCount", 404), game.block("wPlayerMoney")
    options, events = game.byte("wOptions"), game.block("wEventFlags")
    toggles = game.block("wToggleableObjectFlags")
    again = to_menu(power_on(save(game)))
    assert (again.byte("wSaveFileStatus"), again.byte("wMaxMenuItem")) == (SAVED, 2)
    assert items(again) == ["CONTINUE", "NEW GAME", "OPTION"]
    assert (again.tile(14, 0), again.tile(14, 7)) == (0x7B, 0x7E)
    time = again.block("wPlayTimeHours", 5)
    again.press("a").wait(lambda: "OWNED" in again.text, 60)
    assert "JUNO" in again.text
    again.tick(120)
    assert again.block("wPlayTimeHours", 5) == time, "play time stops until CONTINUE"
    again.press("a").wait(lambda: bool(again.byte("wJoyIgnore")), 60).until_free()
    assert again.place == place
    assert again.byte("wSpriteStateData1", 9) == 0, "the player faces down"
    assert (again.block("wPartyCount", 404), again.block("wPlayerMoney")) == (party, money)
    assert (again.byte("wOptions"), again.block("wEventFlags")) == (options, events)
    assert again.block("wToggleableObjectFlags") == toggles
    assert len(again.people) == len(people)
    assert again.byte("wStatusFlags6") & TIMER
    again.wait(lambda: again.block("wPlayTimeHours", 5) != time, 10)
    assert again.step("down") or again.step("left")


@pytest.mark.parametrize("station", ["house", "lane", "rest house"])
def test_the_map_looks_as_it_was_left(
    start: Start, power_on: Callable[[bytes], Game], station: str
) -> None:
    game = start(station)
    tiles, blocks = game.block("wTileMap"), game.block("wOverworldMap")
    graphics = bytes(game.pyboy.memory[0x9000:0x9800])
    warps, signs, wild = game.warps, game.signs, game.block("wGrassRate", 21)
    again = go_on(power_on(save(game)))
    assert (again.place, again.block("wTileMap")) == (game.place, tiles)
    assert again.block("wOverworldMap") == blocks
    assert bytes(again.pyboy.memory[0x9000:0x9800]) == graphics
    assert (again.warps, again.signs, again.block("wGrassRate", 21)) == (warps, signs, wild)


def test_b_returns_from_the_summary_and_the_menu(
    start: Start, power_on: Callable[[bytes], Game]
) -> None:
    game = to_menu(power_on(save(start("bedroom"))))
    game.press("a", "b", settle=20)
    assert "OWNED" not in game.text
    assert game.cursor == (1, 2)
    game.press("down")
    assert game.cursor == (1, 4)
    game.press("b").wait(lambda: TITLE_WORDS in game.text, 120)


def corrupt_files(file: bytes) -> Iterator[bytes]:
    for offset in (0x2598 + 12, 0x3000, CHECKSUM):
        changed = bytearray(file)
        changed[offset] ^= 0x10
        yield bytes(changed)
    yield b"\xff" * len(file)


def test_a_corrupt_save_is_ignored(start: Start, power_on: Callable[[bytes], Game]) -> None:
    for file in corrupt_files(save(start("bedroom"))):
        game = to_menu(power_on(file))
        assert game.byte("wSaveFileStatus") == GONE
        assert items(game) == ["NEW GAME", "OPTION"]
        assert (game.byte("wMaxMenuItem"), game.byte("wPlayerName")) == (1, 0)


def test_a_new_game_asks_nothing_but_saving_over_an_older_one_does(
    start: Start, power_on: Callable[[bytes], Game]
) -> None:
    file = save(start("starter 1"))
    game = to_menu(power_on(file))
    game.press("down")
    to_bedroom(to_naming(game))
    assert game.byte("wPartyCount") == 0
    for answer, writes in (("b", False), ("a", True)):
        ask(game).press("a")
        game.wait(lambda: "wrote" in game.text, 200).wait(lambda: game.has_arrow, 200)
        game.press("a").to_cursor(YES_NO, 200).press(answer).until_free()
        assert (cartridge_ram(game)[BANK:] != file[BANK:]) == writes
    save(game)  # the player's own save asks once


def test_the_newest_save_is_loaded(start: Start, power_on: Callable[[bytes], Game]) -> None:
    game = start("bedroom")
    save(game)
    assert game.step("down")
    place = game.place
    assert go_on(power_on(save(game))).place == place


def test_variables_of_the_cartridge_survive_the_other_bank(start: Start) -> None:
    game = ask(start("bedroom"))
    game.press("a").until_free()
    assert game.step("down")
    game.press("start", settle=12)
    assert game.cursor == (11, 8)
    assert game.byte("wBattleAndStartSavedMenuItem") == SAVE
