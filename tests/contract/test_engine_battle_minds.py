"""What trainers choose to do, by the lists of their class, and what a leader does instead of a move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.contract import battles
from tests.contract.arena import HP, Dice, hp, set_status, status, steady, tells, use
from tests.contract.battles import PARALYSIS, POISON, Mon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.contract.conftest import Game

LEADER, SPARING, CARELESS = 34, 25, 1
SLEEP, RAISE, BADLY_POISONED = 32, 11, 1
PLAIN: Final = 1
MOSS, BROOK, HEARTH = 22, 21, 20
USES: Final = 60


@pytest.fixture
def home(start: Callable[[str], Game]) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    own = Mon(3, hp=HP, max_hp=HP, level=20, stats=(40, 40, 60, 40), experience=9000)
    battles.set_team(game, own)
    return game


@pytest.fixture
def dice(home: Game) -> Iterator[Dice]:
    with Dice(home) as dice:
        yield dice


def face(game: Game, trainer_class: int) -> None:
    battles.challenge(game, trainer_class, 1)
    steady(game, "enemy")
    steady(game, "own")


def chosen(game: Game, dice: Dice, byte: int) -> int:
    """Return what the enemy wants to do in the next turn, when chance says `byte`."""
    for side in ("own", "enemy"):
        battles.set_field(game, side, "hp", HP)
    dice.roll([byte])
    use(game, battles.with_effect(game, RAISE).id)
    battles.poke(game, "wPlayerMonStatMods", b"\7" * 6)
    return game.byte("wEnemySelectedMove")


def choices(game: Game, dice: Dice) -> set[int]:
    return {chosen(game, dice, byte) for byte in (0, 100, 150, 255)}


def test_careless_trainers_choose_like_wild_ones(home: Game, dice: Dice) -> None:
    face(home, CARELESS)
    nap = battles.with_effect(home, SLEEP).id
    battles.set_field(home, "own", "status", PARALYSIS)
    battles.set_moves(home, "enemy", [PLAIN, nap])
    assert chosen(home, dice, 0) == PLAIN
    assert chosen(home, dice, 255) == nap


def test_others_spare_whom_something_ails(home: Game, dice: Dice) -> None:
    face(home, SPARING)
    afflicting = [battles.with_effect(home, effect).id for effect in (32, 66, 67)]
    battles.set_moves(home, "enemy", [*afflicting, PLAIN])
    assert chosen(home, dice, 0) == afflicting[0]
    battles.set_field(home, "own", "status", POISON)
    assert choices(home, dice) == {PLAIN}


def typed(game: Game, kind: int) -> int:
    return next(m.id for m in battles.moves(game) if m.type == kind and m.power > 1)


def test_leaders_know_what_is_strong_and_what_is_weak(home: Game, dice: Dice) -> None:
    face(home, LEADER)
    moss, brook, hearth = (typed(home, kind) for kind in (MOSS, BROOK, HEARTH))
    for name in ("type1", "type2"):
        battles.set_field(home, "own", name, MOSS)
    battles.set_moves(home, "enemy", [moss, brook, hearth, PLAIN])
    assert choices(home, dice) == {hearth}
    battles.set_moves(home, "enemy", [moss, PLAIN])
    assert choices(home, dice) == {PLAIN}
    battles.set_moves(home, "enemy", [moss])
    assert choices(home, dice) == {moss}


def test_the_leader_sees_to_what_ails_his_own_once(home: Game, dice: Dice) -> None:
    face(home, LEADER)
    battles.set_moves(home, "enemy", [PLAIN])
    assert home.byte("wAICount") == 1
    battles.set_field(home, "enemy", "status", POISON)
    set_status(home, "enemy", 3, BADLY_POISONED)
    dice.roll([])
    assert tells(use(home, battles.with_effect(home, RAISE).id), "helps")
    assert battles.field(home, "enemy", "status") == 0
    assert status(home, "enemy", 3) == 0
    assert hp(home, "own") == HP  # that was his turn
    battles.set_field(home, "enemy", "status", POISON)
    assert not tells(use(home, battles.with_effect(home, RAISE).id), "helps")
    assert hp(home, "own") < HP


@pytest.mark.parametrize(
    ("left", "byte", "helps"), [(79, 127, True), (79, 128, False), (80, 0, False)]
)
def test_the_leader_heals_who_is_low_every_other_time(
    home: Game,
    dice: Dice,
    left: int,
    byte: int,
    helps: bool,  # noqa: FBT001
) -> None:
    face(home, LEADER)
    battles.set_moves(home, "enemy", [PLAIN])
    battles.set_field(home, "enemy", "hp", left)
    dice.roll([0, byte])
    assert tells(use(home, battles.with_effect(home, RAISE).id), "helps") == helps
    assert hp(home, "enemy") == left + (20 if helps else 0)


def test_no_other_class_has_remedies(home: Game, dice: Dice) -> None:
    face(home, SPARING)
    battles.set_field(home, "enemy", "status", POISON)
    dice.roll([])
    assert not tells(use(home, battles.with_effect(home, RAISE).id), "helps")
    assert home.byte("wAICount") == 0
