"""Texts of signs and people: printing, arrows, pages, and the last wait without an arrow."""

from __future__ import annotations

import pytest

from tests.contract.game import Game, Start

SCRATCH = 0xA600  # unused cartridge RAM: a text can be there as well as in ROM
STRING, DONE, END = 0x00, 0x57, 0x50
BOX_ROW = bytes([0x79, *[0x7A] * 18, 0x7B])
BOX_END = bytes([0x7D, *[0x7A] * 18, 0x7E])
FONT_LOADED = 1


@pytest.fixture
def sign(start: Start) -> Game:
    """The sign of the bedroom."""
    game = start("bedroom")
    return game.go_beside(*game.signs[0])


def at_the_parent(game: Game) -> Game:
    return game.go_beside(*game.sprite(1))


def open_text(game: Game) -> Game:
    game.press("a", hold=3, settle=0)
    return game.wait(lambda: game.byte("wFontLoaded") & FONT_LOADED == FONT_LOADED, 20)


def is_quiet(game: Game) -> bool:
    """Whether the screen stays the same, as during the last wait."""
    before = game.block("wTileMap")
    game.tick(25)
    return game.block("wTileMap") == before and not game.has_arrow


def test_a_sign_opens_the_message_box(sign: Game) -> None:
    tiles = open_text(sign).tick(4).block("wTileMap")
    assert (tiles[240:260], tiles[340:360]) == (BOX_ROW, BOX_END)
    assert all(tiles[20 * row] == tiles[20 * row + 19] == 0x7C for row in range(13, 17))
    assert sign.byte("hWY") == 0


@pytest.mark.parametrize("speed", [1, 3, 5])
def test_letters_come_at_the_chosen_speed(sign: Game, speed: int) -> None:
    game = open_text(sign.poke("wOptions", speed))
    game.wait(lambda: game.tile(1, 14) != 0x7F, 600).tick(8 * speed)
    shown = sum(game.tile(x, 14) != 0x7F for x in range(1, 19))
    assert shown + game.text.splitlines()[14][1 : shown + 1].count(" ") >= 7
    assert shown <= 10


def test_without_a_delay_words_come_at_once(sign: Game) -> None:
    game = open_text(sign.poke("wOptions", 0))
    game.wait(lambda: game.tile(1, 14) != 0x7F, 12).tick(2)
    assert sum(game.tile(x, 14) != 0x7F for x in range(1, 19)) >= 7


def test_a_held_button_prints_a_letter_a_frame(sign: Game) -> None:
    game = open_text(sign.poke("wOptions", 5))
    game.hold_until("b", lambda: game.tile(8, 14) != 0x7F or game.tile(9, 14) != 0x7F, 24)


def test_the_last_wait_has_no_arrow_and_b_ends_it(sign: Game) -> None:
    game = open_text(sign).wait(lambda: is_quiet(sign), 20).tick(200)
    assert game.byte("wFontLoaded") & FONT_LOADED
    assert not game.has_arrow
    game.press("b")
    assert (game.byte("wFontLoaded"), game.byte("hWY")) == (0, 0x90)
    assert max(game.block("wTileMap")) < 0x60


def test_a_box_stays_while_a_is_held_at_the_end(sign: Game) -> None:
    game = open_text(sign).wait(lambda: is_quiet(sign), 20).hold("a").tick(60)
    assert game.byte("wFontLoaded") & FONT_LOADED
    assert game.release("a").tick(8).byte("wFontLoaded") == 0
    assert game.tick(60).byte("wFontLoaded") == 0


def test_walking_is_off_while_a_box_is_open(sign: Game) -> None:
    before = open_text(sign).place
    sign.hold("down").tick(60).release("down")
    assert sign.place == before
    assert sign.byte("wFontLoaded") & FONT_LOADED


def test_pages_wait_at_the_arrow_and_clear(start: Start) -> None:
    game = open_text(at_the_parent(start("house")))
    game.wait(lambda: game.has_arrow, 200)
    first = game.text.splitlines()[14]
    game.tick(100)
    assert game.text.splitlines()[14] == first
    game.press("b", settle=2)
    game.wait(lambda: not game.text.splitlines()[14].strip("# "), 10)
    game.wait(lambda: game.has_arrow, 200)
    assert game.text.splitlines()[14] != first
    second_line = game.text.splitlines()[16][1:18]
    game.press("a", settle=2).wait(lambda: game.text.splitlines()[14][1:18] == second_line, 30)
    assert game.read_to_the_end()
    assert game.is_free


def test_a_person_turns_to_the_player_who_talks(start: Start) -> None:
    game = at_the_parent(start("house"))
    facing, before = (game.byte("wSpriteStateData1", at) for at in (9, 16 + 9))
    assert open_text(game).byte("wSpriteStateData1", 16 + 9) == facing ^ 4
    game.read_to_the_end()
    assert game.byte("wSpriteStateData1", 16 + 9) == before


def test_every_sign_and_person_of_the_town_can_be_read(start: Start) -> None:
    game = start("town")
    standing = [
        game.sprite(slot)
        for slot in range(1, game.byte("wNumSprites") + 1)
        if game.byte("wSpriteStateData2", 16 * slot + 6) == 0xFF
    ]
    for square in (*game.signs, *standing):
        assert open_text(game.go_beside(*square)).read_to_the_end()


def test_pressing_a_at_an_empty_square_opens_no_text(bedroom: Game) -> None:
    assert bedroom.press("a", settle=30).is_free


def put(game: Game, address: int, data: bytes) -> None:
    for at, byte in enumerate(data, address):
        game.pyboy.memory[at] = byte


def say(game: Game, *commands: bytes) -> str:
    """Let the sign in front show a text of our own; return the two lines."""
    script = b"".join([*commands, bytes([STRING, DONE, END])])
    put(game, SCRATCH, (SCRATCH + 2).to_bytes(2, "little") + script)
    game.poke("wCurMapTextPtr", SCRATCH.to_bytes(2, "little")).poke("wSignTextIDs", 1)
    lines = open_text(game).tick(160).text.splitlines()
    return f"{lines[14][1:19].strip()}/{lines[16][1:19].strip()}"


def words(text: str) -> bytes:
    """Return capitals as a string command."""
    return bytes([STRING, *(0x80 + ord(letter) - ord("A") for letter in text), END])


@pytest.mark.parametrize(
    ("address", "data", "command", "shown"),
    [
        (0xCF4B, b"\x80\x81\x50", "01 4BCF", "XABY/"),
        (0xCF96, b"\x2a", "09 96CF 13", "X42Y/"),
        (0xCF4B, b"\x04\xd2", "09 4BCF 25", "X1234Y/"),
        (0xCF4B, b"\0\0", "09 4BCF 25", "X0Y/"),
        (0xD079, b"\x00\x31\x07", "02 79D0 03", "X3107Y/"),
        (0xD079, b"\0\0\0", "02 79D0 03", "X0Y/"),
        (0xCF4B, b"", "05", "X/Y"),
        (0xCF4B, b"", "0B", "XY/"),  # a sound
    ],
)
def test_texts_print_what_ram_holds(
    sign: Game, address: int, data: bytes, command: str, shown: str
) -> None:
    put(sign, address, data)
    assert say(sign, words("X"), bytes.fromhex(command), words("Y")) == shown


@pytest.mark.parametrize(("turn", "user"), [(0, "AB/Enemy C"), (1, "Enemy C/AB")])
def test_user_and_target_are_named_by_turn(sign: Game, turn: int, user: str) -> None:
    sign.poke("wBattleMonNick", b"\x80\x81\x50").poke("wEnemyMonNick", b"\x82\x50")
    assert say(sign.poke("hWhoseTurn", turn), bytes([STRING, 0x5A, 0x4F, 0x59, END])) == user
