"""When a state is reliable: data that looks like a game, a menu or a text but is not."""

from collections.abc import Callable
from typing import Final

import pytest

from emulator import (
    Button,
    ConsoleError,
    Facing,
    MenuKind,
    PyBoyConsole,
    Ram,
    ScreenType,
    Step,
    read_state,
)
from emulator.ram.control import NoControl
from emulator.ram.tile_map import Waiting
from tests.emulator.moments import (
    MESSAGE_BOX,
    TILE_MAP,
    Change,
    box,
    bytes_from,
    cursor,
    state_with,
    tile,
)

# At (3, 3), on the second warp of the map, which leads to the fourth one of map 41; it was the last one taken.
LEAVING: Final = (
    {0xD3AE: 2, 0xD73B: 1, 0xD42F: 3}  # wNumberOfWarps, wWarpedFromWhichWarp, wDestinationWarpID
    | bytes_from(0xD3AF, bytes([9, 9, 0, 40, 3, 3, 3, 41]))  # wWarpEntries
)


def test_a_quiet_moment_is_trusted_and_in_control() -> None:
    state = state_with({})
    assert state.frame == 7
    assert state.control.trusted
    assert state.in_control
    assert state.screen_type is ScreenType.OVERWORLD


@pytest.mark.parametrize(
    ("changes", "doubt", "screen_type"),
    [
        ({0xC100: 0}, NoControl.NOT_STARTED, ScreenType.TITLE),
        ({0xD368: 0}, NoControl.NOT_STARTED, ScreenType.TITLE),
        ({0xD369: 0}, NoControl.NOT_STARTED, ScreenType.TITLE),
        ({0xD367: 24}, NoControl.NOT_STARTED, ScreenType.TITLE),
        ({0xD362: 8}, NoControl.OFF_MAP, ScreenType.OVERWORLD),
        ({0xD361: 0xFF}, NoControl.OFF_MAP, ScreenType.OVERWORLD),
        ({0xFF40: 0x00}, NoControl.SCREEN_OFF, ScreenType.TRANSITION),
        ({0xFF47: 0x90}, NoControl.FADING, ScreenType.TRANSITION),
        ({0xFF47: 0xFE}, NoControl.FADING, ScreenType.TRANSITION),
        ({0xD730: 0x20, 0xD13A: 9}, NoControl.WARPING, ScreenType.TRANSITION),
        ({0xCD6B: 0xFF}, NoControl.INPUT_IGNORED, ScreenType.TRANSITION),
        ({0xD059: 225}, NoControl.BATTLE_BEGINS, ScreenType.TRANSITION),
        (LEAVING | {0xD35E: 41}, NoControl.WARPING, ScreenType.TRANSITION),
        (LEAVING | {0xD3B6: 0xFF, 0xD365: 2, 0xD35E: 2}, NoControl.WARPING, ScreenType.TRANSITION),
        ({0xD730: 0x80}, NoControl.SCRIPTED, ScreenType.SCRIPTED),
        ({0xCD38: 2}, NoControl.SCRIPTED, ScreenType.SCRIPTED),
        ({0xD736: 0x40}, NoControl.SCRIPTED, ScreenType.SCRIPTED),
        ({0xD730: 0x01}, NoControl.ESCORTED, ScreenType.SCRIPTED),
        ({0xCC57: 1}, NoControl.ESCORTED, ScreenType.SCRIPTED),
        ({0xD057: 0xFF}, NoControl.BLACKOUT, ScreenType.BATTLE),
    ],
)
def test_a_transitional_state_is_not_trusted(
    changes: Change, doubt: NoControl, screen_type: ScreenType
) -> None:
    state = state_with(changes)
    assert state.control.reasons == (doubt,)
    assert not state.control.trusted
    assert not state.in_control
    assert state.screen_type is screen_type
    assert state.game_started == (doubt is not NoControl.NOT_STARTED)


@pytest.mark.parametrize(
    "change",
    [
        {0xD35E: 40},  # the map is still the old one
        {0xD35E: 41, 0xD361: 2},  # the position is that of the new map
        {0xD35E: 41, 0xD3AE: 1},  # so are the warps
        {0xD35E: 41, 0xD42F: 0},
        {0xD35E: 41, 0xD73B: 0},
    ],
)
def test_a_warp_is_over_when_the_new_map_is_loaded(change: Change) -> None:
    assert state_with(LEAVING | change).in_control


def test_no_game_has_started_while_the_main_menu_shows_a_saved_one() -> None:
    menu = box(0, 0, 14, 7) | cursor(1, 2, last=2) | {0xCC29: 0x0B}
    state = state_with(menu)
    assert state.menu is not None
    assert state.menu.kind is MenuKind.MAIN
    assert not state.game_started


def test_a_dark_cave_does_not_count_as_fading() -> None:
    assert state_with({0xFF47: 0xFE, 0xD35D: 6}).control.trusted


def test_leftovers_of_old_counters_do_not_count() -> None:
    assert state_with({0xD13A: 200}).control.trusted  # wIgnoreInputCounter without its flag


def test_leftover_ram_before_the_game_gives_no_battle_and_no_party() -> None:
    state = state_with({0xC100: 0, 0xD057: 1, 0xD163: 6, 0xD31D: 3})
    assert state.screen_type is ScreenType.TITLE
    assert not state.game_started
    assert len(state.party) == 0
    assert len(state.bag) == 0


def test_an_arrow_tile_in_a_picture_does_not_count_as_text() -> None:
    state = state_with(tile(18, 16, 0xEE))
    assert state.dialogue.waiting is Waiting.NONE
    assert state.screen_type is ScreenType.OVERWORLD


def test_a_cursor_tile_in_a_picture_does_not_count_as_a_menu() -> None:
    assert state_with(tile(4, 4, 0xED)).menu is None


def test_a_message_box_with_an_arrow_waits_for_a_button() -> None:
    text = tile(1, 14, 0x87) | tile(2, 14, 0xA8)  # Hi
    state = state_with(MESSAGE_BOX | text | tile(18, 16, 0xEE))
    assert state.dialogue.waiting is Waiting.ARROW
    assert state.dialogue.lines[0].startswith("Hi")
    assert state.dialogue.lines[1].strip() == ""
    assert state.screen_type is ScreenType.DIALOGUE


def test_a_message_box_partly_covered_is_still_read() -> None:
    state = state_with(MESSAGE_BOX | box(10, 2, 19, 12))
    assert state.dialogue.is_open
    assert state.dialogue.waiting is Waiting.QUIET


def test_a_menu_is_at_the_cursor_position_the_game_stores() -> None:
    noted = TILE_MAP + 20 * 5 + 1
    menu = state_with(
        box(0, 0, 9, 9)
        | tile(1, 3, 0xED)
        | tile(1, 5, 0xED)
        | {0xCC30: noted & 0xFF, 0xCC31: noted >> 8}
        | {0xCC24: 3, 0xCC25: 1, 0xCC26: 1, 0xCC28: 2, 0xCC29: 3}
        | {0xCC36: 4, 0xD12A: 9, 0xCF94: 3}
    ).menu
    assert menu is not None
    assert (menu.cursor, menu.top_x, menu.top_y) == ((1, 5), 1, 3)
    assert (menu.current, menu.maximum) == (1, 2)
    assert (menu.list_offset, menu.list_count) == (4, 9)


def test_a_menu_over_a_question_is_a_menu() -> None:
    state = state_with(MESSAGE_BOX | box(14, 7, 19, 11) | tile(15, 8, 0xED))
    assert state.screen_type is ScreenType.MENU
    assert state.menu is not None
    assert state.menu.cursor == (15, 8)


@pytest.mark.parametrize(
    ("square", "column", "row"),
    [((3, 3), 8, 9), ((3, 4), 8, 11), ((3, 2), 8, 7), ((2, 3), 6, 9), ((-1, -1), 0, 1)],
)
def test_the_bottom_left_tile_of_a_square_is_its_collision_tile(
    square: tuple[int, int], column: int, row: int
) -> None:
    shown = state_with(tile(column, row, 0x22)).tiles_in_sight
    assert shown is not None
    assert [each for each, decides in shown.items() if decides == 0x22] == [square]


def test_badges_money_and_invalid_digits() -> None:
    player = state_with({0xD347: 0x12, 0xD348: 0x34, 0xD349: 0x56, 0xD356: 0b1000_0101}).player
    assert player.money == 123456
    assert player.badges == (0, 2, 7)
    assert state_with({0xD347: 0xAB}).player.money == 0


def test_the_bag_counts_stacks_of_one_item_together() -> None:
    bag = state_with({0xD31D: 2, 0xD31E: 4, 0xD31F: 99, 0xD320: 4, 0xD321: 3, 0xD322: 0xFF}).bag
    assert bag.quantity(4) == 102
    assert bag.quantity(5) == 0
    assert not bag.full


def test_pp_ups_are_not_pp() -> None:
    mon = {0xD163: 1, 0xD164: 1, 0xD165: 0xFF, 0xD16B + 8: 33, 0xD16B + 29: 0xC0 | 35}
    (slot,) = state_with(mon).party[0].moves
    assert slot == (33, 35, 3)


def test_windows_that_overlap_are_refused() -> None:
    with pytest.raises(ConsoleError, match="0xc001"):
        Ram(((0xC000, b"ab"), (0xC001, b"c")))


def test_no_game_is_started_between_power_on_and_new_game(
    bedroom_steps: tuple[Step, ...], bedroom: PyBoyConsole, switch_on: Callable[..., PyBoyConsole]
) -> None:
    console = switch_on(bedroom.cartridge)
    for step in bedroom_steps[:-1]:
        console.perform(step)
        assert not read_state(console.ram(), console.frame).in_control
    state = read_state(bedroom.ram(), bedroom.frame)
    assert state.game_started
    assert state.screen_type is ScreenType.OVERWORLD


def test_in_control_a_direction_key_walks(bedroom: PyBoyConsole) -> None:
    before = read_state(bedroom.ram(), bedroom.frame)
    bedroom.perform(Step(Button.UP, 12, 12))
    after = read_state(bedroom.ram(), bedroom.frame)
    assert after.position == before.position._replace(y=before.position.y - 1)
    assert after.map.facing is Facing.UP


def test_the_player_is_not_in_control_during_a_step(bedroom: PyBoyConsole) -> None:
    bedroom.perform(Step(Button.UP, 9, 0))
    state = read_state(bedroom.ram(), bedroom.frame)
    assert state.control.walking
    assert not state.in_control


def test_no_state_is_trusted_in_the_middle_of_a_warp(
    bedroom: PyBoyConsole, way_downstairs: list[Button]
) -> None:
    *way, last = way_downstairs
    for button in way:
        bedroom.perform(Step(button, 12, 12))
    upstairs = read_state(bedroom.ram(), 0).map.map_id
    seen = []
    for step in [Step(last, 2, 0)] * 8 + [Step(None, 0, 2)] * 80:
        bedroom.perform(step)
        seen.append(read_state(bedroom.ram(), bedroom.frame))
    maps = [state.map.map_id for state in seen]
    downstairs = maps[-1]
    assert set(maps) == {upstairs, downstairs}
    assert not seen[maps.index(downstairs)].control.trusted
    assert any(state.screen_type is ScreenType.TRANSITION for state in seen)
    assert all(state.map.on_map for state in seen if state.control.trusted)
    assert seen[-1].control.trusted
