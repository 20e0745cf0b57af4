"""From power-on of the demo to a new game: build, frames, names."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from emulator import MenuKind
from tests.contract import places
from tests.contract.game import STORED, Game, Start
from tests.contract.places import HEATHER_WAY, STONECROSS, WOOD, through_the_door
from tests.proofs.cartridge_build import build_job, builder_of, require_compiler

TITLE_WORDS = "BRINDLE VALLEY"
HIDDEN_WINDOW = 0x90


def test_the_header_describes_the_cartridge(start: Start) -> None:
    header = start("title").rom(0, 0x100, 0x50)
    assert (header[0x34:0x43], header[0x43]) == (b"RED AGENT DEMO\0", 0)
    assert header[0x47:0x4A] == bytes([0x13, 5, 3])
    assert header[0x4D] == -(sum(header[0x34:0x4D]) + 0x19) & 0xFF


def test_the_title_is_shown_within_150_frames_of_power_on(power_on: Callable[[], Game]) -> None:
    game = power_on()
    assert game.frames_until(lambda: TITLE_WORDS in game.text, 150) < 150


def test_the_title_waits_without_limit(start: Start) -> None:
    game = start("title")
    screen, chance = game.block("wTileMap"), game.block("hRandomAdd")
    game.tick(3000)
    assert (game.block("wTileMap"), game.byte("hWY")) == (screen, HIDDEN_WINDOW)
    assert game.block("hRandomAdd") != chance


def test_the_title_reacts_only_to_a_and_start(start: Start) -> None:
    for button, answers in (("b", False), ("select", False), ("a", True), ("start", True)):
        game = start("title")
        game.press(button, settle=90)
        assert (TITLE_WORDS not in game.text) == answers


def test_the_main_menu_without_a_save_offers_two_things(start: Start) -> None:
    game = start("main menu")
    assert game.byte("wSaveFileStatus") == 1
    assert (game.byte("wTopMenuItemX"), game.byte("wTopMenuItemY")) == (1, 2)
    assert (game.byte("wMaxMenuItem"), game.text.splitlines()[2][1:10]) == (1, ">NEW GAME")
    assert game.text.splitlines()[4][2:8] == "OPTION"
    game.press("down")
    assert (game.cursor, game.byte("wCurrentMenuItem")) == ((1, 4), 1)


def test_b_goes_back_to_the_title_from_the_main_menu(start: Start) -> None:
    game = start("main menu")
    game.press("b").wait(lambda: TITLE_WORDS in game.text, 120)


def test_options_return_to_the_main_menu(start: Start) -> None:
    game = start("main menu")
    game.press("down").press("a", settle=20)
    assert game.cursor == (7, 3)
    game.press("left").press("b", settle=20)
    assert game.byte("wOptions") & 0xF == 1
    assert game.cursor == (1, 4)


END, LIST_END = 0x50, 0xFF
JUNO = bytes([0x89, 0x94, 0x8D, 0x8E, END])


def test_pages_of_the_speech_wait_at_the_arrow(start: Start) -> None:
    game = start("main menu")
    game.press("a").wait(lambda: game.has_arrow, 400)
    page = game.block("wTileMap")
    blinks = set()
    for _ in range(60):
        game.tick()
        blinks.add(game.tile(18, 16))
        assert game.block("wTileMap")[:338] == page[:338]
    assert blinks == {0xEE, 0x7F}
    assert game.byte("wFontLoaded") == 0  # no overworld below
    game.press("b").tick(30)
    assert game.block("wTileMap") != page


def test_the_naming_menu_is_where_the_contract_has_it(start: Start) -> None:
    game = start("naming")
    assert (game.byte("wTopMenuItemX"), game.byte("wTopMenuItemY")) == (1, 2)
    assert (game.byte("wMaxMenuItem"), game.byte("wMenuWatchedKeys")) == (3, 1)
    for item, row in enumerate([2, 4, 6, 8]):
        assert game.cursor == (1, row)
        assert game.byte("wCurrentMenuItem") == item
        assert game.word("wMenuCursorLocation") == 0xC3A0 + 20 * row + 1
        game.press("down")
    assert game.cursor == (1, 8)
    assert game.press("b", settle=20).cursor == (1, 8)


def test_a_new_player_owns_the_items_and_money_of_the_contract(start: Start) -> None:
    game = start("bedroom")
    assert game.block("wPlayerName")[:5] == JUNO
    assert END in game.block("wRivalName")[1:8]
    assert (game.money, game.bag, game.items(STORED)) == (3000, [], [(0x14, 1)])
    assert (game.byte("wPartyCount"), game.byte("wPartySpecies")) == (0, LIST_END)
    assert game.byte("wObtainedBadges") == 0
    assert game.byte("wOptions") & 0xF == 3
    assert game.byte("wIsInBattle") == 0
    assert not any(game.block("wEventFlags"))
    assert game.byte("wLastMap") == 0


def test_control_begins_in_the_bedroom(start: Start) -> None:
    game = start("bedroom")
    assert game.place == (38, 3, 6)
    assert game.block("wSpriteStateData1", 16)[4:7:2] == bytes([0x3C, 0x40])
    assert game.step("down")


def test_the_clock_runs_sixty_frames_a_second(start: Start) -> None:
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
    game.tick(wait).press("start", "a", settle=60)
    for _ in range(40):
        game.press("a", settle=24).press("down", settle=8)
    game.tick(200)
    assert game.byte("wCurMap") == 38
    return game


A, J, SMALL_A = 0x80, 0x89, 0xA0
END_KEY = (17, 13)


@pytest.fixture
def keys(start: Start) -> Game:
    """The keyboard of NEW NAME."""
    game = start("naming")
    game.press("a", settle=30)
    assert game.cursor == (1, 5)
    return game


def place(game: Game) -> tuple[int, int]:
    """Return row and column as the contract counts them; the cursor must be there."""
    row, column = game.byte("wCurrentMenuItem"), game.byte("wTopMenuItemX")
    assert game.cursor == (column, 3 + 2 * row)
    return row, column


def typed(game: Game) -> bytes:
    return game.block("wStringBuffer", 11).split(bytes([END]))[0]


def press(game: Game, *buttons: str) -> Game:
    return game.press(*buttons, hold=3, settle=4)


def test_the_keys_are_where_the_contract_has_them(keys: Game) -> None:
    assert keys.menu_kind() is MenuKind.KEYBOARD
    letters = [[keys.tile(x, y) for x in range(2, 19, 2)] for y in range(5, 15, 2)]
    assert bytes(letters[0] + letters[1] + letters[2][:8]) == bytes(range(A, A + 26))
    assert letters[2][8] == 0x7F
    assert letters[3] == [0xF1, 0x9A, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F, 0xE1, 0xE2]
    assert letters[4] == [0xE3, 0xE6, 0xE7, 0xEF, 0xF5, 0xF3, 0xE8, 0xF4, 0xF0]
    assert "lower case" in keys.text
    assert keys.byte("wNamingScreenType") == 0


def test_the_cursor_wraps_in_rows_and_columns(keys: Game) -> None:
    assert place(keys) == (1, 1)
    for buttons, reached in (
        ("left right right down", [(1, 17), (1, 1), (1, 3), (2, 3)]),
        ("up up left right", [(1, 3), (6, 1), (6, 1), (6, 1)]),
        ("up right down down", [(5, 1), (5, 3), (6, 1), (1, 1)]),
    ):
        assert [place(press(keys, button)) for button in buttons.split()] == reached
    assert keys.block("wTileMap").count(0xED) == 1


def test_a_held_key_counts_once(keys: Game) -> None:
    assert place(keys.press("right", hold=60)) == (1, 3)
    assert typed(keys.press("a", hold=60)) == bytes([A + 1])


def test_letters_are_typed_and_deleted(keys: Game) -> None:
    press(keys, "a", "down", "a")
    assert typed(keys) == bytes([A, J])
    assert (keys.byte("wNamingScreenNameLength"), keys.text.splitlines()[2][10:12]) == (2, "AJ")
    assert typed(press(keys, "b")) == bytes([A])
    assert typed(press(keys, "b", "b")) == b""


def test_the_case_changes_by_select_and_by_its_row(keys: Game) -> None:
    press(keys, "select", "a")
    assert keys.byte("wAlphabetCase") == 1
    assert "UPPER CASE" in keys.text
    press(keys, "up", "a", "down", "a")
    assert keys.byte("wAlphabetCase") == 0
    assert typed(keys) == bytes([SMALL_A, A])


def test_a_full_name_can_only_be_ended(keys: Game) -> None:
    press(keys, *["a"] * 7)
    assert keys.cursor == END_KEY
    assert typed(keys) == bytes([A] * 7)
    press(keys, "left", "a")
    assert len(typed(keys)) == 7
    press(keys, "right", "a")
    keys.wait(lambda: keys.has_arrow, 200)
    assert keys.block("wPlayerName", 8) == bytes([A] * 7 + [END])


def test_start_ends_a_name(keys: Game) -> None:
    press(keys, "a", "start")
    keys.wait(lambda: keys.has_arrow, 200)
    assert keys.block("wPlayerName", 2) == bytes([A, END])


def test_an_empty_name_returns_to_the_list(keys: Game) -> None:
    press(keys, "start")
    keys.to_cursor((1, 2), 60)
    assert keys.menu_kind() is MenuKind.NAMES
    press(keys, "down", "a")
    keys.wait(lambda: keys.has_arrow, 200)
    assert keys.block("wPlayerName", 5) == bytes([0x89, 0x94, 0x8D, 0x8E, END])


def test_the_tile_used_by_the_keyboard_is_restored(keys: Game) -> None:
    glyph = bytes(keys.pyboy.memory[0x8F00:0x8F10])
    press(keys, "start")
    keys.to_cursor((1, 2), 60)
    font = keys.rom(4, 0x5A80 + 8 * 0x70, 8)
    coin = bytes(keys.pyboy.memory[0x8F00:0x8F10])
    assert coin[::2] == coin[1::2] == font
    assert glyph != coin


MOST = 1.1
LINES, FIRST_OF_BLANK, LINE = 154, 144, 0xFF44
DELAY = bytes.fromhex("3E01E0D67600F0D6")  # of home code: waits for a V-blank, and halts
RETURN = b"\xc9"
V_BLANK = 0x40
HOLDS = 60


class Stopwatch:
    """The scanlines that pass from each V-blank to the next wait, hooked into a game."""

    def __init__(self, game: Game) -> None:
        self.lines: list[int] = []
        self._game, self._blanks = game, 0
        home = game.rom(0, 0, 0x3FFF)
        waits = home.index(DELAY)
        self._hooks = (waits, home.index(RETURN, waits), V_BLANK)
        for place, note in zip(
            self._hooks, (self._waits, self._goes_on, self._blanked), strict=True
        ):
            game.pyboy.hook_register(0, place, note, None)

    def stop(self) -> None:
        for place in self._hooks:
            self._game.pyboy.hook_deregister(0, place)

    def _waits(self, _: object) -> None:
        since_blank = (self._game.pyboy.memory[LINE] - FIRST_OF_BLANK) % LINES
        self.lines.append(since_blank + LINES * self._blanks)

    def _goes_on(self, _: object) -> None:
        self._blanks = 0

    def _blanked(self, _: object) -> None:
        self._blanks += 1


def wander(game: Game, watch: Stopwatch, dice: random.Random) -> list[int]:
    """Walk about at random; walks that leave the map or open a text restart and do not count."""
    beginning, here, lines = game.save(), game.place.map, list[int]()
    for _ in range(HOLDS):
        direction = dice.choice(("up", "down", "left", "right"))
        game.hold(direction).tick(dice.randint(4, 90))
        game.release(direction).wait(lambda: not game.byte("wWalkCounter"), 40)
        if game.is_free and game.place.map == here:
            lines += watch.lines
        else:
            game.load(beginning).tick(dice.randint(4, 90))
        watch.lines.clear()
    return lines


@pytest.mark.parametrize(
    ("target", "entrance"),
    [(HEATHER_WAY, 0), (HEATHER_WAY, 1), (WOOD, 0), (WOOD, 2), (STONECROSS, 0)],
)
def test_a_main_loop_pass_takes_about_a_frame(start: Start, target: int, entrance: int) -> None:
    game = through_the_door(start, target, entrance)
    game.set_event(*places.ROUTE_TRAINERS, *places.WOOD_TRAINERS)
    game.poke("wStatusFlags4", game.byte("wStatusFlags4") | 0x10)  # no wild encounters
    game.tick(60)
    watch = Stopwatch(game)
    lines = wander(game, watch, random.Random(target + entrance))
    watch.stop()
    assert len(lines) > 500
    assert max(lines) <= MOST * LINES


ROOT = Path(__file__).parents[2]
IMAGE = ROOT / "roms" / "demo.gb"


def test_the_committed_image_was_built_from_its_sources() -> None:
    builder = builder_of(IMAGE.parent)
    # The proof builds it always, this test only when anything has changed.
    if builder.digests() != builder.BUILT_FROM.read_text("ascii"):
        require_compiler()
        assert build_job(0)["problems"] == []


def test_the_first_differing_byte_of_a_changed_image_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = builder_of(tmp_path)
    image = bytearray(IMAGE.read_bytes())
    builder.check(bytes(image), tmp_path / "built.gb")
    changed = tmp_path / "demo.gb"
    image[0x12345] ^= 1
    changed.write_bytes(image)
    monkeypatch.setattr(builder, "IMAGE", changed)
    with pytest.raises(builder.BuildError, match="differs from its sources at 0x12345"):
        builder.check(IMAGE.read_bytes(), tmp_path / "built.gb")
