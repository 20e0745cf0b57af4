"""What passes with the battle: confusion, flinching, seeds, bad poison, moves that are forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.contract import battles
from tests.contract.arena import (
    HP,
    Dice,
    begin,
    blow,
    counters,
    enter,
    go_on,
    hp,
    lost,
    read_until,
    set_counter,
    set_status,
    status,
    tells,
    use,
)
from tests.contract.battles import FIGHT, POISON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.contract.conftest import Game

CONFUSE, MAY_CONFUSE, MAY_FLINCH, OFTEN_FLINCHES, SEED, DISABLE = 49, 76, 31, 37, 84, 86
FLINCHED, CONFUSED, SEEDED, RECHARGING = 0x08, 0x80, 0x80, 0x20
BADLY_POISONED: Final = 1
SHARE: Final = HP // 16
RAISE, LOWER = 11, 18
BAD_POISON, LAST_RESORT = 92, 165
MOSS: Final = 22


@pytest.fixture
def arena(start: Callable[[str], Game]) -> Game:
    return enter(start)


@pytest.fixture
def dice(arena: Game) -> Iterator[Dice]:
    with Dice(arena) as dice:
        yield dice


def effect(game: Game, number: int) -> int:
    return battles.with_effect(game, number).id


@pytest.mark.parametrize("byte", [0, 1, 2, 3, 255])
def test_confusion_lasts_two_to_five_turns(arena: Game, dice: Dice, byte: int) -> None:
    dice.roll([0, 0, byte], usual=0)
    begin(arena, effect(arena, CONFUSE))
    read_until(arena, "became confused")
    assert status(arena, "enemy") == CONFUSED
    assert counters(arena, "enemy")[1] == 2 + byte % 4


def test_the_confused_act_or_hit_themselves(arena: Game, dice: Dice) -> None:
    rest = effect(arena, RAISE)
    for byte, hurts in ((0x7F, False), (0x80, True)):
        battles.poke(arena, "wEnemyMonStatMods", b"\7" * 6)
        set_status(arena, "enemy", 1, CONFUSED)
        set_counter(arena, "enemy", 1, 5)
        dice.roll([0, byte])
        lines = use(arena, rest)
        assert tells(lines, "is confused")
        assert tells(lines, "hits itself") == hurts
        assert (arena.byte("wEnemyMonStatMods", 3) == 7) == hurts
        assert counters(arena, "enemy")[1] == 4
    assert lost(arena, "enemy") == blow(40, byte=None)


def test_confusion_ends_with_its_last_turn_and_costs_nothing_then(arena: Game, dice: Dice) -> None:
    set_status(arena, "enemy", 1, CONFUSED)
    set_counter(arena, "enemy", 1, 1)
    lines = use(arena, effect(arena, RAISE))
    assert tells(lines, "thinks clearly")
    assert status(arena, "enemy") == 0
    assert arena.byte("wEnemyMonStatMods", 3) == 8
    assert len(dice.drawn) == 1


def test_who_is_confused_is_not_confused_again(arena: Game, dice: Dice) -> None:
    set_status(arena, "enemy", 1, CONFUSED)
    set_counter(arena, "enemy", 1, 4)
    dice.roll([0, 0], usual=0)
    assert tells(use(arena, effect(arena, CONFUSE)), "nothing comes")
    assert counters(arena, "enemy")[1] == 3


@pytest.mark.parametrize(("byte", "confused"), [(24, True), (25, False)])
def test_a_blow_may_confuse(arena: Game, dice: Dice, byte: int, confused: bool) -> None:  # noqa: FBT001
    dice.roll([0, 200, 200, 0, byte, 3, 0])
    use(arena, effect(arena, MAY_CONFUSE))
    assert bool(status(arena, "enemy") & CONFUSED) == confused


@pytest.mark.parametrize(("kind", "odds"), [(MAY_FLINCH, 26), (OFTEN_FLINCHES, 77)])
def test_a_blow_may_cost_the_slower_its_turn(arena: Game, dice: Dice, kind: int, odds: int) -> None:
    for byte in (odds - 1, odds):
        battles.poke(arena, "wEnemyMonStatMods", b"\7" * 6)
        dice.roll([0, 200, 200, 0, byte])
        lines = use(arena, effect(arena, kind))
        assert tells(lines, "flinched") == (byte < odds)
        assert (arena.byte("wEnemyMonStatMods", 3) == 7) == (byte < odds)
        assert status(arena, "enemy") & FLINCHED == 0


def test_who_has_acted_does_not_flinch_in_the_next_turn(arena: Game, dice: Dice) -> None:
    battles.set_field(arena, "own", "speed", 5)
    for _ in range(2):
        dice.roll([0, 200, 200, 0, 0])
        assert not tells(use(arena, effect(arena, MAY_FLINCH)), "flinched")
        assert status(arena, "enemy") & FLINCHED == 0


def test_bad_poison_takes_another_sixteenth_every_turn(arena: Game, dice: Dice) -> None:
    dice.roll([0], usual=0)
    use(arena, BAD_POISON)
    assert battles.field(arena, "enemy", "status") == POISON
    assert status(arena, "enemy", 3) == BADLY_POISONED
    taken = SHARE
    for turn in (2, 3):
        assert counters(arena, "enemy")[2] == turn - 1
        assert lost(arena, "enemy") == taken
        use(arena, effect(arena, RAISE))
        taken += turn * SHARE
    assert lost(arena, "enemy") == taken


def test_seeds_feed_the_other_side(arena: Game, dice: Dice) -> None:
    battles.set_field(arena, "own", "hp", 100)
    dice.roll([0], usual=0)
    use(arena, effect(arena, SEED))
    assert status(arena, "enemy", 2) == SEEDED
    assert (lost(arena, "enemy"), hp(arena, "own")) == (SHARE, 100 + SHARE)
    assert tells(use(arena, effect(arena, SEED)), "nothing comes")
    battles.set_field(arena, "own", "hp", HP - 1)
    use(arena, effect(arena, RAISE))
    assert hp(arena, "own") == HP


def test_seeds_grow_with_bad_poison(arena: Game) -> None:
    set_status(arena, "enemy", 2, SEEDED)
    set_status(arena, "enemy", 3, BADLY_POISONED)
    battles.set_field(arena, "enemy", "status", POISON)
    use(arena, effect(arena, RAISE))
    assert lost(arena, "enemy") == SHARE + 2 * SHARE
    assert counters(arena, "enemy")[2] == 2


def test_moss_cannot_be_seeded(arena: Game, dice: Dice) -> None:
    battles.set_field(arena, "enemy", "type2", MOSS)
    dice.roll([0], usual=0)
    assert tells(use(arena, effect(arena, SEED)), "nothing comes")
    assert status(arena, "enemy", 2) == 0


def test_the_enemy_forgets_a_move_for_some_turns(arena: Game, dice: Dice) -> None:
    harmless = arena.byte("wEnemyMonMoves")
    battles.set_moves(arena, "enemy", [harmless, effect(arena, RAISE)])
    dice.roll([255, 0, 0, 2], usual=0)  # it wants the second, and forgets the first for 3
    lines = use(arena, effect(arena, DISABLE))
    assert tells(lines, "forgot how")
    assert counters(arena, "enemy")[3] == 0x12
    assert arena.byte("wEnemyDisabledMoveNumber") == harmless
    for left in (0x11, 0):
        battles.poke(arena, "wEnemyMonStatMods", b"\7" * 6)
        dice.roll([0])
        lines = use(arena, effect(arena, RAISE))
        assert arena.block("wEnemyMonStatMods", 4)[3] == 7
        assert counters(arena, "enemy")[3] == left
    assert tells(lines, "remembers")
    assert arena.byte("wEnemyDisabledMoveNumber") == 0


def test_who_forgets_what_it_was_about_to_do_loses_the_turn(arena: Game, dice: Dice) -> None:
    dice.roll([0, 0, 0, 7], usual=0)
    lines = use(arena, effect(arena, DISABLE))
    assert tells(lines, "cannot remember")
    assert arena.byte("wEnemyMonStatMods", 3) == 7
    assert tells(use(arena, effect(arena, DISABLE)), "nothing comes")
    assert arena.byte("wEnemySelectedMove") == LAST_RESORT


def test_the_player_cannot_choose_what_is_forgotten(arena: Game) -> None:
    first, second = effect(arena, RAISE), effect(arena, RAISE + 2)
    set_counter(arena, "own", 3, 0x14)
    battles.poke(arena, "wPlayerDisabledMoveNumber", bytes([first]))
    battles.set_moves(arena, "own", [first, second])
    lines = [battles.words(screen) for screen in battles.fight(arena)]
    assert tells(lines, "been forgotten")
    assert battles.is_at_menu(arena)
    assert arena.block("wPlayerMonStatMods", 4) == b"\7" * 4
    battles.fight(arena, 1)
    assert arena.byte("wPlayerMonStatMods", 3) == 8
    assert counters(arena, "own")[3] == 0x13


def test_nothing_but_what_is_forgotten_leaves_the_last_resort(arena: Game) -> None:
    number = effect(arena, RAISE)
    set_counter(arena, "own", 3, 0x14)
    battles.poke(arena, "wPlayerDisabledMoveNumber", bytes([number]))
    battles.set_moves(arena, "own", [number, effect(arena, LOWER)])
    battles.poke(arena, "wBattleMonPP", bytes([20, 0]))
    assert tells(go_on(arena), "out of moves")
    assert arena.byte("wPlayerUsedMove") == LAST_RESORT


def test_going_out_forgets_it_all(arena: Game) -> None:
    for byte in (1, 2, 3):
        set_status(arena, "enemy", byte, 0xFF)
    battles.set_team(arena, battles.Mon(3), battles.Mon(7))
    for index in range(4):
        set_counter(arena, "own", index, 0x11)
    set_status(arena, "own", 1, CONFUSED)
    set_status(arena, "own", 2, SEEDED)
    set_status(arena, "enemy", 1, 0x20)  # holds on
    set_status(arena, "enemy", 2, 0)
    set_status(arena, "enemy", 3, 0)
    battles.choose(arena, battles.TEAM)
    arena.tick(30)
    arena.press("down")
    arena.press("a", settle=20)
    arena.press("a", settle=20)
    battles.read_on(arena)
    assert [status(arena, "own", byte) for byte in (1, 2, 3)] == [0, 0, 0]
    assert counters(arena, "own") == (0, 0, 0, 0)
    assert status(arena, "enemy") == 0
    assert arena.cursor == FIGHT
