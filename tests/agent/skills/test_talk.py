"""Conversations on the cartridge: with people, across counters, and with answers to questions."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from agent.skills import Destination, Outcome, SkillRun, Terrain, examine, show_menu, talk, travel
from agent.skills.skill import HOLD, LOOKS, TextPager
from agent.skills.talk import read_text
from agent.story.interactions import Interaction, InteractionContext
from emulator import Button, Facing, MenuKind
from emulator.profile import symbol
from tests.agent.demo import DEX, WORLD, free_in
from tests.agent.support import Game, game_fixture
from tests.emulator.moments import MESSAGE_BOX, box, cursor, state_with

TOWN, LAB, REST_HOUSE = 0, 40, 41
SIGN_OF_TOWN, NO_SIGN = (7, 12), (8, 2)
BALL, NURSE = 2, 1
CROSSROADS = 1, frozenset({(9, 12)})  # of the town outside
GOT_STARTER = 0x22
SHELF = (1, 1)  # of the lab
BAG = symbol("wNumBagItems")


lab = game_fixture(free_in(LAB))
rest_house = game_fixture(free_in(REST_HOUSE))


@pytest.mark.parametrize(("square", "at_once"), [(SIGN_OF_TOWN, True), (NO_SIGN, False)])
def test_only_a_sign_is_examined_from_its_side(
    lab: Game, square: tuple[int, int], *, at_once: bool
) -> None:
    """Hidden objects, such as a machine on a wall, react from below only."""
    x, y = square
    beside = replace(lab.state.map, map_id=TOWN, x=x - 1, y=y, facing=Facing.RIGHT)
    state = replace(lab.state, map=beside, people=())
    context = InteractionContext(Terrain(WORLD), DEX, lambda _state: 0)
    run = SkillRun(Interaction.of("examine", square).begin(context, state))
    assert (run.step.button is Button.A) is at_once


@pytest.mark.parametrize("says_yes", [True, False])  # no is the default
def test_only_saying_yes_accepts_the_offer(lab: Game, *, says_yes: bool) -> None:
    assert lab.carry_out(talk(BALL, Terrain(WORLD), lab.state, say_yes=says_yes)) is Outcome.DONE
    state = lab.state
    assert state.flags.is_set(GOT_STARTER) is says_yes
    assert len(state.party) == says_yes
    assert state.menu is None
    assert state.in_control or says_yes


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


def shown(game: Game, kind: MenuKind, until: Callable[[list[int]], bool]) -> list[int]:
    """Show a menu until its rows that were seen suffice, and return them; -1 is for any other menu."""
    rows: list[int] = []

    def seen() -> bool:
        menu = game.state.menu
        rows.append(menu.index if menu is not None and menu.kind is kind else -1)
        return until(rows)

    assert game.carry_out(show_menu(kind, seen, game.state, patience=10)) is Outcome.DONE
    assert game.state.in_control
    return rows


def test_a_menu_stays_open_until_it_was_seen_and_the_bag_is_scrolled(rest_house: Game) -> None:
    two_things = (2, 1, 9, 2, 8, 0xFF)  # nine of one item and eight of another
    rest_house.poke({BAG + offset: byte for offset, byte in enumerate(two_things)})
    assert -1 not in shown(rest_house, MenuKind.PARTY, lambda rows: len(rows) > 3)[:3]
    assert shown(rest_house, MenuKind.ITEMS, lambda rows: 1 in rows)[:2] == [0, 1]
    assert shown(rest_house, MenuKind.START, lambda rows: len(rows) > 0)[0] != -1


def test_an_unseen_party_menu_is_closed(rest_house: Game) -> None:
    skill = show_menu(MenuKind.PARTY, lambda: False, rest_house.state, patience=3)
    assert rest_house.carry_out(skill) is Outcome.BLOCKED
    assert rest_house.state.in_control


def test_nothing_is_pressed_while_a_menu_opens_and_a_missed_press_is_repeated(
    rest_house: Game,
) -> None:
    free = rest_house.state
    # Red is like this for about twenty frames: the font is loaded, the cursor is not shown yet.
    opening = replace(free, menu=None, dialogue=replace(free.dialogue, font_loaded=True))
    skill = show_menu(MenuKind.START, lambda: True, free, patience=3)
    assert next(skill).button is Button.START
    assert [skill.send(opening).button for _ in range(5)] == [None] * 5
    presses = [skill.send(free).button for _ in range(36)]
    assert presses.count(Button.START) == 2


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


# Pages and questions, as states of RAM without a game


def test_a_scripted_step_before_the_question_does_not_end_the_talk() -> None:
    text, scripted = state_with(MESSAGE_BOX), state_with({0xD730: 0x80})
    question = state_with(MESSAGE_BOX | box(14, 7, 19, 11) | cursor(15, 8, last=1))
    reading = read_text(text, say_yes=True)
    next(reading)
    assert {reading.send(scripted).button for _ in range(30)} == {None}
    assert reading.send(question).button is Button.A


def test_a_page_without_an_arrow_is_left_by_a_press_too_short_to_answer_the_next_question() -> None:
    page, pager = state_with(MESSAGE_BOX), TextPager()
    steps = [pager.step(page) for _ in range(LOOKS + 1)]
    assert {step.button for step in steps[:-1]} == {None}
    assert (steps[-1].button, steps[-1].hold) == (Button.B, HOLD)
