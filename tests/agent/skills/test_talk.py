"""Conversations on the cartridge: with people, across counters, and with answers to questions."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent.skills import Destination, Outcome, SkillRun, Terrain, examine, show_menu, talk, travel
from emulator import Button, Facing, MenuKind
from emulator.profile import symbol
from tests.agent.demo import WORLD, free_in
from tests.agent.support import Game, Played, game_at

LAB, REST_HOUSE = 40, 41
BALL, NURSE = 2, 1
CROSSROADS = 1, frozenset({(9, 12)})  # of the town outside
GOT_STARTER = 0x22
SHELF = (1, 1)  # of the lab
BAG = symbol("wNumBagItems")


@pytest.fixture
def lab(played: Played) -> Iterator[Game]:
    with game_at(played.folder, free_in(LAB)) as game:
        yield game


@pytest.fixture
def rest_house(played: Played) -> Iterator[Game]:
    with game_at(played.folder, free_in(REST_HOUSE)) as game:
        yield game


def test_saying_yes_accepts_the_offer(lab: Game) -> None:
    assert lab.carry_out(talk(BALL, Terrain(WORLD), lab.state, say_yes=True)) is Outcome.DONE
    state = lab.state
    assert state.flags.is_set(GOT_STARTER)
    assert len(state.party) == 1
    assert state.menu is None


def test_the_default_answer_is_no(lab: Game) -> None:
    assert lab.carry_out(talk(BALL, Terrain(WORLD), lab.state)) is Outcome.DONE
    assert not lab.state.flags.is_set(GOT_STARTER)
    assert len(lab.state.party) == 0
    assert lab.state.in_control


def test_the_nurse_is_talked_to_across_the_counter(rest_house: Game) -> None:
    assert not rest_house.state.flags.used_center
    outcome = rest_house.carry_out(talk(NURSE, Terrain(WORLD), rest_house.state, say_yes=True))
    assert outcome is Outcome.DONE
    state = rest_house.state
    assert (state.map.x, state.map.y) == (3, 3)
    assert state.flags.used_center
    assert all(mon.hp == mon.stats.hp for mon in state.party.mons)
    assert state.in_control


def test_talking_to_a_missing_person_is_blocked(lab: Game) -> None:
    assert lab.carry_out(talk(15, Terrain(WORLD), lab.state)) is Outcome.BLOCKED


def test_talk_returns_to_the_map_that_was_left(rest_house: Game) -> None:
    inside = rest_house.state
    far_off = travel(Terrain(WORLD), Destination(*CROSSROADS), inside)
    assert rest_house.carry_out(far_off) is Outcome.DONE
    outcome = rest_house.carry_out(talk(NURSE, Terrain(WORLD), inside, say_yes=True))
    assert outcome is Outcome.DONE
    assert rest_house.state.map.map_id == REST_HOUSE
    assert rest_house.state.flags.used_center


def test_the_party_menu_stays_open_until_it_was_seen(rest_house: Game) -> None:
    looks: list[bool] = []

    def seen() -> bool:
        menu = rest_house.state.menu
        looks.append(menu is not None and menu.kind is MenuKind.PARTY)
        return len(looks) > 3

    outcome = rest_house.carry_out(show_menu(MenuKind.PARTY, seen, rest_house.state, patience=10))
    assert outcome is Outcome.DONE
    assert all(looks[:3])
    assert rest_house.state.in_control


def test_an_unseen_party_menu_is_closed(rest_house: Game) -> None:
    skill = show_menu(MenuKind.PARTY, lambda: False, rest_house.state, patience=3)
    assert rest_house.carry_out(skill) is Outcome.BLOCKED
    assert rest_house.state.in_control


def test_nothing_is_pressed_while_a_menu_opens(rest_house: Game) -> None:
    free = rest_house.state
    # Red is like this for about twenty frames: the font is loaded, the cursor is not shown yet.
    opening = replace(free, menu=None, dialogue=replace(free.dialogue, font_loaded=True))
    skill = show_menu(MenuKind.START, lambda: True, free, patience=3)
    assert next(skill).button is Button.START
    assert [skill.send(opening).button for _ in range(5)] == [None] * 5


def test_a_missed_start_press_is_repeated(rest_house: Game) -> None:
    free = rest_house.state
    skill = show_menu(MenuKind.START, lambda: True, free, patience=3)
    presses = [next(skill).button, *(skill.send(free).button for _ in range(40))]
    assert presses.count(Button.START) == 3


def test_a_shelf_is_read_from_below(lab: Game) -> None:
    said: list[str] = []
    run = SkillRun(examine(SHELF, Terrain(WORLD), lab.state))
    while run.outcome is Outcome.RUNNING:
        lab.console.perform(run.step)
        run.resume(lab.state)
        said.append(lab.state.dialogue.text)
    assert run.outcome is Outcome.DONE
    assert (lab.state.map.x, lab.state.map.y) == (SHELF[0], SHELF[1] + 1)
    assert lab.state.map.facing is Facing.UP
    assert any(said)
    assert lab.state.in_control


def test_the_bag_list_is_scrolled(rest_house: Game) -> None:
    two_things = (2, 1, 9, 2, 8, 0xFF)  # nine of one item and eight of another
    rest_house.poke({BAG + offset: byte for offset, byte in enumerate(two_things)})
    rows: list[int] = []

    def seen() -> bool:
        menu = rest_house.state.menu
        rows.append(menu.index if menu is not None and menu.kind is MenuKind.ITEMS else -1)
        return 1 in rows

    outcome = rest_house.carry_out(show_menu(MenuKind.ITEMS, seen, rest_house.state, patience=10))
    assert outcome is Outcome.DONE
    assert rows[:2] == [0, 1]
    assert rest_house.state.in_control


def test_the_start_menu_is_shown(rest_house: Game) -> None:
    kinds: list[MenuKind] = []

    def seen() -> bool:
        menu = rest_house.state.menu
        kinds.extend([menu.kind] if menu is not None else [])
        return True

    outcome = rest_house.carry_out(show_menu(MenuKind.START, seen, rest_house.state, patience=3))
    assert (outcome, kinds) == (Outcome.DONE, [MenuKind.START])
    assert rest_house.state.in_control
