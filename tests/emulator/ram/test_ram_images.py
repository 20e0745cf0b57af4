"""RAM readers: images of the real game, menus by position, the box, and slices."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from emulator import ConsoleError, Menu, MenuKind, PartyMon, Ram, ScreenType, State, read_state
from emulator.profile import symbol
from emulator.ram.menu import read_menu
from emulator.ram.party import Box, BoxedMon, read_box
from emulator.ram.tile_map import Waiting
from emulator.ram.view import RamSlices, cached_on
from emulator.text import decode_name
from tests.emulator.moments import Change, bytes_from, cursor, ram_with, tile

IMAGES: Final = Path(__file__).resolve().parents[4] / "shared" / "red" / "wram"
EXPECTED: Final[dict[str, dict[str, Any]]] = (
    json.loads((IMAGES / "expected.json").read_text())
    if (IMAGES / "expected.json").exists()
    else {}
)
RamImage: TypeAlias = Callable[[str], Ram]

every_image = pytest.mark.parametrize("name", EXPECTED)


@pytest.fixture
def state(name: str, ram_image: RamImage) -> State:
    return read_state(ram_image(name), 0)


@pytest.fixture
def expected(name: str) -> dict[str, Any]:
    return EXPECTED[name]


@every_image
def test_position_money_badges_and_bag(state: State, expected: dict[str, Any]) -> None:
    assert state.map.map_id == expected["map"]
    assert state.position == (expected["x"], expected["y"])
    assert state.player.money == expected["money"]
    assert list(state.player.badges) == expected["badges"]
    assert state.player.badge_count == len(expected["badges"])
    stacks = [{"item": stack.item, "quantity": stack.quantity} for stack in state.bag.items]
    assert stacks == expected["inventory"]
    assert (state.battle.kind.value if state.battle else 0) == expected["is_in_battle"]


def as_expected(mon: PartyMon) -> dict[str, Any]:
    """Return a Pokemon in the names of the independent reader, which has no PP Ups."""
    status = mon.status
    exps = mon.stat_exp
    return {
        "species_internal_index": mon.species,
        "hp": mon.hp,
        "max_hp": mon.stats.hp,
        "level": mon.level,
        "status": status.sleep
        | status.poisoned << 3
        | status.burned << 4
        | status.frozen << 5
        | status.paralyzed << 6,
        "type1": mon.types[0],
        "type2": mon.types[1],
        "catch_rate": mon.catch_rate,
        "moves": [slot.move for slot in mon.moves],
        "pp": [slot.pp for slot in mon.moves],
        "ot_id": mon.ot_id,
        "exp": mon.exp,
        "hp_exp": exps.hp,
        "attack_exp": exps.attack,
        "defense_exp": exps.defense,
        "speed_exp": exps.speed,
        "special_exp": exps.special,
        "dvs": mon.dvs.attack << 12 | mon.dvs.defense << 8 | mon.dvs.speed << 4 | mon.dvs.special,
        "attack": mon.stats.attack,
        "defense": mon.stats.defense,
        "speed": mon.stats.speed,
        "special": mon.stats.special,
    }


@every_image
def test_every_number_of_the_party(state: State, expected: dict[str, Any]) -> None:
    names = ("ot_name", "nickname")
    numbers = [{k: v for k, v in mon.items() if k not in names} for mon in expected["party"]]
    for mon in numbers:
        known = [
            (move, pp & 0x3F) for move, pp in zip(mon["moves"], mon["pp"], strict=True) if move
        ]
        mon["moves"], mon["pp"] = [move for move, _ in known], [pp for _, pp in known]
    assert [as_expected(mon) for mon in state.party.mons] == numbers


@every_image
def test_names_of_the_party(state: State, expected: dict[str, Any]) -> None:
    names = [decode_name(bytes(each["nickname"])) for each in expected["party"]]
    assert [mon.nickname for mon in state.party.mons] == names
    assert all(name.isprintable() and name for name in names)


@every_image
def test_text_in_the_message_box(state: State, expected: dict[str, Any]) -> None:
    shown = expected.get("dialog")
    assert state.dialogue.is_open == (shown is not None)
    for line, start in zip(state.dialogue.lines, shown or (), strict=False):
        assert line.startswith(start)
    arrow = expected.get("waiting_arrow", "waiting_arrow" in expected)
    assert (state.dialogue.waiting is Waiting.ARROW) == bool(arrow)


@every_image
def test_the_screen_type(state: State, expected: dict[str, Any]) -> None:
    kind = ScreenType.OVERWORLD
    if expected["is_in_battle"]:
        kind = ScreenType.BATTLE
    elif expected.get("dialog") is not None:
        kind = ScreenType.DIALOGUE
    assert state.screen_type is kind
    assert state.game_started
    assert state.menu is None


@every_image
def test_people_stand_on_the_map(state: State, ram_image: RamImage, name: str) -> None:
    assert len(state.people) <= 15
    for person in state.people:
        assert 0 <= person.x < 2 * state.map.width
        assert 0 <= person.y < 2 * state.map.height
    count = ram_image(name).byte(symbol("wNumSprites"))
    assert {person.slot for person in state.people} == set(range(1, count + 1))


def test_play_time_names_and_id_of_a_long_game(ram_image: RamImage) -> None:
    player = read_state(ram_image("victory_road_2"), 0).player
    assert (player.name, player.rival_name, player.badges) == ("RED", "BLUE", tuple(range(8)))
    assert player.play_time.hours > 0
    assert player.play_time.minutes < 60 > player.play_time.seconds


def test_events_of_a_finished_game_outnumber_those_of_a_new_one(ram_image: RamImage) -> None:
    champion = read_state(ram_image("beat_champion"), 0).flags
    beginner = read_state(ram_image("bedroom_new_game"), 0).flags
    assert champion.count > 100 > beginner.count
    got_starter = 34  # EVENT_GOT_STARTER
    assert champion.is_set(got_starter)
    assert not beginner.is_set(got_starter)


A, B, START = 1, 2, 8
GENERIC_PC: Final = tile(2, 2, 0x8F) | tile(3, 2, 0x82)  # PC
OPTION_BOXES: Final = tile(0, 5, 0x79) | tile(0, 10, 0x79) | tile(19, 4, 0x7E)


def menu_of(changes: Change) -> Menu:
    menu = read_menu(ram_with(changes))
    assert menu is not None
    return menu


LIST_ID, IN_BATTLE, TWO_OPTIONS, KEYS = 0xCF94, 0xD057, 0xD12C, 0xCC29


def right_edge(column: int) -> Change:
    return tile(column, 0, 0x7B)


@pytest.mark.parametrize(
    ("place", "changes", "tiles", "kind"),
    [
        ((1, 2, 1), {KEYS: A | B | START}, right_edge(14), MenuKind.MAIN),
        ((1, 2, 2), {KEYS: A | B | START}, right_edge(14), MenuKind.MAIN),
        ((1, 2, 3), {KEYS: A}, right_edge(10), MenuKind.NAMES),
        ((1, 2, 2), {KEYS: A}, right_edge(10), MenuKind.OTHER),
        ((17, 3, 7), {}, {}, MenuKind.KEYBOARD),
        ((1, 3, 0), {}, OPTION_BOXES, MenuKind.OPTIONS),
        ((14, 3, 7), {}, OPTION_BOXES, MenuKind.OPTIONS),
        ((1, 8, 1), {}, OPTION_BOXES, MenuKind.OPTIONS),
        ((1, 16, 1), {}, OPTION_BOXES, MenuKind.OPTIONS),
        ((11, 2, 6), {}, {}, MenuKind.START),
        ((11, 2, 7), {}, {}, MenuKind.START),
        ((0, 3, 6), {}, {}, MenuKind.POKEDEX),
        ((15, 8, 3), {}, {}, MenuKind.POKEDEX_ENTRY),
        ((5, 4, 2), {LIST_ID: 0}, {}, MenuKind.BOXED_MONS),
        ((5, 4, 2), {LIST_ID: 1}, {}, MenuKind.MOVE_NAMES),
        ((5, 4, 1), {LIST_ID: 2}, {}, MenuKind.PRICED_ITEMS),
        ((5, 4, 0), {LIST_ID: 3}, {}, MenuKind.ITEMS),
        ((5, 4, 2), {LIST_ID: 4}, {}, MenuKind.FLOORS),
        ((5, 4, 2), {LIST_ID: 5}, {}, MenuKind.OTHER),
        ((14, 11, 1), {}, {}, MenuKind.USE_TOSS),
        ((15, 8, 1), {}, {}, MenuKind.YES_NO),
        ((15, 8, 1), {TWO_OPTIONS: 0x80}, {}, MenuKind.YES_NO),
        ((15, 8, 1), {TWO_OPTIONS: 7}, {}, MenuKind.NO_YES),
        ((1, 8, 1), {}, {}, MenuKind.SAVE_YES_NO),
        ((1, 8, 1), {IN_BATTLE: 2}, {}, MenuKind.CHANGE_MON),
        ((14, 10, 1), {IN_BATTLE: 1}, {}, MenuKind.NEXT_MON),
        ((12, 8, 1), {}, {}, MenuKind.NURSE),
        ((1, 1, 2), {}, {}, MenuKind.MART),
        ((0, 1, 0), {}, {}, MenuKind.PARTY),
        ((0, 1, 5), {}, {}, MenuKind.PARTY),
        ((12, 12, 2), {}, {}, MenuKind.PARTY_FIELD),
        ((12, 10, 3), {}, {}, MenuKind.PARTY_FIELD),
        ((8, 4, 6), {}, {}, MenuKind.PARTY_FIELD),
        ((12, 12, 2), {IN_BATTLE: 1}, {}, MenuKind.PARTY_BATTLE),
        ((9, 14, 1), {IN_BATTLE: 1}, {}, MenuKind.BATTLE_LEFT),
        ((15, 14, 1), {IN_BATTLE: 1}, {}, MenuKind.BATTLE_RIGHT),
        ((1, 14, 1), {IN_BATTLE: 1}, {}, MenuKind.SAFARI_LEFT),
        ((13, 14, 1), {IN_BATTLE: 1}, {}, MenuKind.SAFARI_RIGHT),
        ((5, 12, 2), {IN_BATTLE: 1}, {}, MenuKind.MOVES),
        ((5, 12, 5), {IN_BATTLE: 1}, {}, MenuKind.MOVES),
        ((1, 7, 5), {IN_BATTLE: 1}, {}, MenuKind.MOVES_OF_ENEMY),
        ((5, 7, 5), {}, {}, MenuKind.MOVES_TO_RESTORE),
        ((5, 8, 3), {}, {}, MenuKind.MOVES_TO_FORGET),
        ((1, 2, 3), {}, right_edge(15), MenuKind.PLAYER_PC),
        ((1, 2, 2), {}, right_edge(15) | GENERIC_PC, MenuKind.PC),
        ((1, 2, 3), {}, right_edge(15) | GENERIC_PC, MenuKind.PC),
        ((1, 2, 4), {}, right_edge(15) | GENERIC_PC, MenuKind.PC),
        ((1, 2, 4), {}, right_edge(13), MenuKind.BILLS_PC),
        ((10, 12, 2), {}, {}, MenuKind.BILLS_PC_MON),
        ((12, 1, 11), {}, {}, MenuKind.BOXES),
        ((1, 5, 3), {}, {}, MenuKind.VENDING),
        ((1, 4, 3), {}, {}, MenuKind.PRIZES),
        ((1, 2, 1), {}, right_edge(14), MenuKind.FOSSILS),
        ((1, 2, 2), {}, {}, MenuKind.OTHER),
        ((7, 7, 7), {}, {}, MenuKind.OTHER),
    ],
)
def test_a_menu_is_identified_by_its_position(
    place: tuple[int, int, int], changes: dict[int, int], tiles: Change, kind: MenuKind
) -> None:
    assert menu_of(cursor(*place) | changes | tiles).kind is kind


@pytest.mark.parametrize(
    ("place", "current", "changes", "index"),
    [
        ((11, 2, 6), 4, {}, 4),
        ((5, 4, 2), 2, {LIST_ID: 3, 0xCC36: 7}, 9),
        ((5, 4, 2), 1, {LIST_ID: 2, 0xCC36: 0}, 1),
        ((9, 14, 1), 1, {}, 1),
        ((15, 14, 1), 0, {}, 2),
        ((15, 14, 1), 1, {}, 3),
        ((15, 14, 1), 3, {}, 3),  # the moment after the choice
        ((13, 14, 1), 1, {}, 3),
        ((5, 12, 3), 1, {}, 0),
        ((5, 12, 3), 2, {}, 1),
        ((5, 12, 3), 0, {}, 0),  # the moment after the choice
        ((5, 7, 3), 4, {}, 3),
        ((5, 8, 3), 3, {}, 3),
    ],
)
def test_the_index_counts_entries_from_zero(
    place: tuple[int, int, int], current: int, changes: dict[int, int], index: int
) -> None:
    menu = menu_of(cursor(*place, current) | changes)
    assert menu.index == index
    assert menu.is_list == (menu.kind in (MenuKind.ITEMS, MenuKind.PRICED_ITEMS))


QUANTITY_BOX: Final = tile(19, 9, 0x7B) | tile(19, 11, 0x7E)
ASKED: Final = {0xCF96: 12, 0xCF97: 99}


@pytest.mark.parametrize("column", [16, 8])
def test_a_quantity_is_a_menu_without_a_cursor(column: int) -> None:
    menu = menu_of(ASKED | QUANTITY_BOX | tile(column, 10, 0xF1))
    assert menu.kind is MenuKind.QUANTITY
    assert (menu.index, menu.maximum, menu.cursor) == (12, 99, (column, 10))


def test_a_box_without_the_sign_is_not_a_quantity_menu() -> None:
    assert read_menu(ram_with(ASKED | QUANTITY_BOX)) is None
    assert read_menu(ram_with(ASKED | tile(19, 9, 0x7B) | tile(16, 10, 0xF1))) is None


COUNT, MONS, NUMBER, MON_SIZE = 0xDA80, 0xDA96, 0xD5A0, 33


def box_of(count: int, species: bytes, number: int = 0) -> Box:
    """Return the box read from RAM in which each Pokemon's level is 10 more than its place."""
    changes = {NUMBER: number} | bytes_from(COUNT, bytes([count]) + species)
    for place, kind in enumerate(species[:-1]):
        changes |= {MONS + MON_SIZE * place: kind, MONS + MON_SIZE * place + 3: 10 + place}
    return read_box(ram_with(changes))


def test_a_box_has_its_number_species_and_levels() -> None:
    box = box_of(2, b"\x21\x07\xff", 0x80 | 5)
    assert box == Box(5, (BoxedMon(0x21, 10), BoxedMon(7, 11)))
    assert len(box) == 2
    assert not box.full


def test_a_box_is_full_with_twenty_pokemon() -> None:
    assert box_of(20, bytes([7] * 20 + [0xFF])).full


def test_a_count_that_the_species_list_contradicts_gives_an_empty_box() -> None:
    assert (len(box_of(3, b"\x21\x07\xff")), len(box_of(0, b"\xff"))) == (0, 0)
    assert (len(box_of(0, b"\0")), len(box_of(200, bytes([7] * 30)))) == (0, 0)


HERE, THERE, ELSEWHERE = (0xC000, 2), (0xC010, 1), (0xC020, 1)


def test_ram_slices_join_their_ranges() -> None:
    assert RamSlices((HERE, THERE)).of(ram_with({0xC001: 2, 0xC010: 3, 0xC020: 4})) == bytes(
        [0, 2, 3]
    )


def test_ram_slices_are_none_when_a_range_is_missing() -> None:
    assert RamSlices((HERE, (0xDFFF, 2))).of(ram_with({})) is None


def test_a_cached_reader_runs_again_only_when_its_bytes_change() -> None:
    asked = []

    @cached_on(HERE, THERE)
    def read(ram: Ram) -> list[int]:
        asked.append(ram)
        return [*ram.span(*HERE), ram.byte(THERE[0])]

    first = read(ram_with({0xC001: 1}))
    assert read(ram_with({0xC001: 1, 0xC020: 9})) is first
    assert read(ram_with({0xC001: 1, 0xC010: 7})) == [0, 1, 7]
    assert len(asked) == 2


def test_a_cached_reader_cannot_read_other_ranges() -> None:
    @cached_on(HERE, THERE)
    def read(ram: Ram) -> int:
        return ram.byte(ELSEWHERE[0])

    with pytest.raises(ConsoleError, match="0xc020"):
        read(ram_with({}))


def test_a_ram_view_with_missing_ranges_is_read_without_the_cache() -> None:
    @cached_on(HERE, (0xE000, 1))
    def read(ram: Ram) -> bool:
        return ram.covers(0xE000)

    assert read(ram_with({})) is False
