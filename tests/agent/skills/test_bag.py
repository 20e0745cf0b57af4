"""Menus on the cartridge: the shop, the bag, the party, and Red's START menu."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from agent.app.plan import read_images
from agent.skills import Outcome, Skill, Terrain, buy, show_menu, swap, use_item
from emulator import Button, Menu, MenuKind, Party, State, read_state
from emulator.profile import symbol
from emulator.ram.player import Bag, Stack
from tests.agent.demo import WORLD
from tests.agent.support import Game, game_fixture

STORE, CLERK = 42, 1
BALL, ANTIDOTE, POTION = 4, 11, 20
PRICE = 180  # of a potion
MONEY = symbol("wPlayerMoney")
BAG, NO_MORE = symbol("wNumBagItems"), 0xFF
PARTY_COUNT, PARTY_SPECIES = symbol("wPartyCount"), symbol("wPartySpecies")
FIRST_MON, SECOND_MON = symbol("wPartyMon1"), symbol("wPartyMon2")
MON_LENGTH = 44
STATUS, HP, POISONED = 4, 1, 0x08


def free_in_the_store(state: State) -> bool:
    return state.in_control and state.map.map_id == STORE and state.bag.quantity(BALL) > 0


# Inside the open store, with an empty bag.
store = game_fixture(free_in_the_store, {BAG: 0, BAG + 1: NO_MORE})


def set_money(game: Game, amount: int) -> None:
    digits = f"{amount:06d}"
    game.poke({MONEY + at: int(digits[2 * at : 2 * at + 2], 16) for at in range(3)})


def set_hp(game: Game, hp: int) -> None:
    game.poke({FIRST_MON + HP: 0, FIRST_MON + HP + 1: hp})


def add_second_mon(game: Game) -> None:
    """Copy the first mon of the party as a second one with 3 HP."""
    ram = game.console._memory
    copy = {SECOND_MON + at: ram[FIRST_MON + at] for at in range(MON_LENGTH)}
    species = ram[PARTY_SPECIES]
    game.poke({**copy, PARTY_COUNT: 2, PARTY_SPECIES + 1: species, PARTY_SPECIES + 2: 0xFF})
    game.poke({SECOND_MON + HP: 0, SECOND_MON + HP + 1: 3})


def buy_items(game: Game, wanted: dict[int, int], *, within: int = 120) -> Outcome:
    return game.carry_out(buy(CLERK, wanted, Terrain(WORLD), game.state), within=within)


def test_five_potions_are_bought_at_once(store: Game) -> None:
    set_money(store, 2000)
    assert buy_items(store, {POTION: 5}, within=60) is Outcome.DONE
    state = store.state
    assert (state.bag.quantity(POTION), state.player.money) == (5, 2000 - 5 * PRICE)
    assert state.in_control


def test_only_missing_items_are_bought(store: Game) -> None:
    set_money(store, 3000)
    balls = store.state.bag.quantity(BALL)
    assert buy_items(store, {POTION: 3, BALL: balls, ANTIDOTE: 2}) is Outcome.DONE
    bag = store.state.bag
    assert [bag.quantity(item) for item in (POTION, BALL, ANTIDOTE)] == [3, balls, 2]


@pytest.mark.parametrize(("money", "bought"), [(3 * PRICE, {1, 2, 3}), (0, {0})])
def test_with_little_money_fewer_items_are_bought(
    store: Game, money: int, bought: set[int]
) -> None:
    set_money(store, money)
    assert buy_items(store, {POTION: 5}) is Outcome.DONE
    assert store.state.bag.quantity(POTION) in bought
    assert store.state.in_control


def test_buying_is_blocked_without_a_clerk(store: Game) -> None:
    skill = buy(9, {POTION: 5}, Terrain(WORLD), store.state)
    assert store.carry_out(skill) is Outcome.BLOCKED


def put_in_bag(game: Game, item: int) -> None:
    game.poke({BAG: 1, BAG + 1: item, BAG + 2: 1, BAG + 3: NO_MORE})


def test_a_potion_outside_of_battle_heals(store: Game) -> None:
    put_in_bag(store, POTION)
    set_hp(store, 2)
    assert store.carry_out(use_item(POTION, 0, store.state), within=60) is Outcome.DONE
    state = store.state
    assert (state.party[0].hp, state.bag.quantity(POTION)) == (22, 0)
    assert state.in_control


def test_an_antidote_cures_poison(store: Game) -> None:
    put_in_bag(store, ANTIDOTE)
    store.poke({FIRST_MON + STATUS: POISONED})
    assert store.state.party[0].status.poisoned
    assert store.carry_out(use_item(ANTIDOTE, 0, store.state), within=60) is Outcome.DONE
    assert not store.state.party[0].status.poisoned


def test_a_potion_for_a_healthy_mon_is_refused_and_stays_in_the_bag(store: Game) -> None:
    put_in_bag(store, POTION)
    set_hp(store, store.state.party[0].stats.hp)
    assert store.carry_out(use_item(POTION, 0, store.state), within=200) is Outcome.BLOCKED
    assert store.state.bag.quantity(POTION) == 1
    assert store.state.in_control


def test_an_item_missing_from_the_bag_is_not_used(store: Game) -> None:
    assert store.carry_out(use_item(POTION, 0, store.state), within=300) is Outcome.BLOCKED
    assert store.state.in_control


def test_two_party_mons_are_swapped(store: Game) -> None:
    add_second_mon(store)
    before = [mon.hp for mon in store.state.party.mons]
    assert store.carry_out(swap(0, 1, store.state), within=60) is Outcome.DONE
    assert [mon.hp for mon in store.state.party.mons] == before[::-1]
    assert store.state.in_control


def test_a_swap_with_a_missing_mon_is_blocked(store: Game) -> None:
    assert store.carry_out(swap(0, 1, store.state)) is Outcome.BLOCKED


def test_the_first_and_the_last_of_a_list_are_bought_in_one_visit(store: Game) -> None:
    set_money(store, 5000)
    (shop,) = WORLD.map(STORE).header.shops
    wanted = {shop.items[-1]: 3, shop.items[0]: 2}
    assert buy_items(store, wanted, within=150) is Outcome.DONE
    after = store.state
    assert {item: after.bag.quantity(item) for item in wanted} == wanted
    assert after.in_control


IMAGES: Final = Path(__file__).resolve().parents[4] / "shared" / "red" / "wram"
ENTRIES: Final = {
    6: ("POKéMON", "ITEM", "RED", "SAVE", "OPTION", "EXIT"),
    7: ("POKéDEX", "POKéMON", "ITEM", "RED", "SAVE", "OPTION", "EXIT"),
}  # by wMaxMenuItem, which is one more than the last index

MakeSkill: TypeAlias = Callable[[State], Skill]

needs_menu = pytest.mark.skipif(not IMAGES.is_dir(), reason="the RAM images are missing")


@pytest.fixture(scope="module")
def state() -> State:
    """A state of Red with two mons and a potion."""
    [(_, ram)] = read_images(IMAGES / "pallet_town_walking.wram")
    read = read_state(ram, 0)
    mon = read.party[0]
    return replace(
        read,
        party=Party((mon, replace(mon, nickname="OTHER", exp=mon.exp + 1))),
        bag=Bag((Stack(POTION, 1),)),
    )


@needs_menu
@pytest.mark.parametrize("maximum", ENTRIES)
@pytest.mark.parametrize(
    ("errand", "wanted"),
    [
        (lambda state: show_menu(MenuKind.PARTY, lambda: True, state, patience=1), "POKéMON"),
        (lambda state: show_menu(MenuKind.ITEMS, lambda: True, state, patience=1), "ITEM"),
        (lambda state: swap(0, 1, state), "POKéMON"),
        (lambda state: use_item(POTION, 0, state), "ITEM"),
    ],
    ids=["show the party", "show the bag", "swap two mons", "use a potion"],
)
def test_the_wanted_entry_is_chosen(
    errand: MakeSkill, wanted: str, maximum: int, state: State
) -> None:
    for remembered in range(maximum):  # the last cursor position
        opened = replace(state, menu=_start_menu(remembered, maximum))
        assert ENTRIES[maximum][_chosen_entry(errand(opened), opened)] == wanted


def _start_menu(current: int, maximum: int) -> Menu:
    return Menu(MenuKind.START, 11, 2, current, maximum, (11, 2 + 2 * current), 0, 0)


def _chosen_entry(skill: Skill, state: State) -> int:
    """Simulate the presses in the menu, and return the cursor position when A is pressed."""
    step = next(skill)
    for _ in range(20):
        menu = state.menu
        assert menu is not None
        if step.button is Button.A:
            return menu.current
        move = {Button.DOWN: 1, Button.UP: -1}.get(step.button, 0) if step.button else 0
        state = replace(state, menu=_start_menu(menu.current + move, menu.maximum))
        step = skill.send(state)
    raise AssertionError("no entry was chosen")
