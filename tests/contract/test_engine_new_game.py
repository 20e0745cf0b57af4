"""From NEW GAME to the bedroom: the speech, the names, and what a new player owns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

END, LIST_END = 0x50, 0xFF
JUNO = bytes([0x89, 0x94, 0x8D, 0x8E, END])


def test_pages_of_the_speech_wait_at_the_arrow(start: Callable[[str], Game]) -> None:
    game = start("main menu")
    game.press("a")
    game.wait(lambda: game.has_arrow, 400)
    page = game.block("wTileMap")
    blinks = set()
    for _ in range(60):
        game.tick()
        blinks.add(game.tile(18, 16))
        assert game.block("wTileMap")[:338] == page[:338]
    assert blinks == {0xEE, 0x7F}
    assert game.byte("wFontLoaded") == 0  # no overworld below
    game.press("b")
    game.tick(30)
    assert game.block("wTileMap") != page


def test_the_naming_menu_is_where_the_contract_has_it(start: Callable[[str], Game]) -> None:
    game = start("naming")
    assert (game.byte("wTopMenuItemX"), game.byte("wTopMenuItemY")) == (1, 2)
    assert game.byte("wMaxMenuItem") == 3
    assert game.byte("wMenuWatchedKeys") == 1
    rows = [2, 4, 6, 8]
    for item, row in enumerate(rows):
        assert game.cursor == (1, row)
        assert game.byte("wCurrentMenuItem") == item
        assert game.word("wMenuCursorLocation") == 0xC3A0 + 20 * row + 1
        game.press("down")
    assert game.cursor == (1, 8)
    game.press("b", settle=20)
    assert game.cursor == (1, 8)


def test_a_new_player_owns_what_the_contract_says(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    assert game.block("wPlayerName")[:5] == JUNO
    assert END in game.block("wRivalName")[1:8]
    assert game.block("wPlayerMoney") == bytes([0x00, 0x30, 0x00])
    assert (game.byte("wPartyCount"), game.byte("wPartySpecies")) == (0, LIST_END)
    assert (game.byte("wNumBagItems"), game.byte("wBagItems")) == (0, LIST_END)
    assert game.byte("wNumBoxItems") == 1
    assert game.block("wBoxItems", 3) == bytes([0x14, 1, LIST_END])
    assert game.byte("wObtainedBadges") == 0
    assert game.byte("wOptions") & 0xF == 3
    assert game.byte("wIsInBattle") == 0
    assert not any(game.block("wEventFlags"))
    assert game.byte("wLastMap") == 0


def test_control_begins_in_the_bedroom(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    assert game.place == (38, 3, 6)
    assert game.block("wSpriteStateData1", 16)[4:7:2] == bytes([0x3C, 0x40])
    assert game.step("down")


def test_the_clock_runs_sixty_frames_a_second(start: Callable[[str], Game]) -> None:
    game = start("bedroom")

    def frames() -> int:
        minutes, seconds = game.byte("wPlayTimeMinutes"), game.byte("wPlayTimeSeconds")
        return 60 * (60 * minutes + seconds) + game.byte("wPlayTimeFrames")

    before = frames()
    game.tick(200)
    assert frames() - before == 200


def test_the_same_inputs_give_the_same_machine(power_on: Callable[[], Game]) -> None:
    first, second = (new_game(power_on(), 150) for _ in range(2))
    for region in (slice(0xA000, 0xA598), slice(0xC000, 0xE000), slice(0xFF80, 0xFFFF)):
        assert first.pyboy.memory[region] == second.pyboy.memory[region]


def test_what_the_save_ram_held_does_not_matter(power_on: Callable[[], Game]) -> None:
    clean, dirty = power_on(), power_on()
    for address in range(0xA000, 0xA598):
        dirty.pyboy.memory[0, address] = address * 7 & 0xFF
    for game in (clean, dirty):
        new_game(game, 150)
    assert clean.pyboy.memory[0xC000:0xE000] == dirty.pyboy.memory[0xC000:0xE000]


def test_a_different_wait_at_the_title_is_a_different_game(power_on: Callable[[], Game]) -> None:
    games = [new_game(power_on(), wait) for wait in (150, 187, 224)]
    assert len({game.block("wPlayerID") for game in games}) == 3
    assert len({game.block("hRandomAdd", 2) for game in games}) == 3


def new_game(game: Game, wait: int) -> Game:
    """Play to the bedroom blindly: the same presses at the same frames."""
    game.tick(wait)
    game.press("start", settle=60)
    game.press("a", settle=60)
    for _ in range(40):
        game.press("a", settle=24)
        game.press("down", settle=8)
    game.tick(200)
    assert game.byte("wCurMap") == 38
    return game
