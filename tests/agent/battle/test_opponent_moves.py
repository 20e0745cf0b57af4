"""What is expected of the other side, and of moves that take more than one turn, held against the machine."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent.battle.damage import Duel
from agent.battle.matchups import Attacking, duel, minded
from agent.skills import Attack
from emulator import State
from tests.agent.ring import DEX, Fighter, Ring, Script, number_of
from tests.agent.support import Played, game_at

CAIRN = (34, 1)  # goes by types, and spares who ails
RAMBLER = (1, 1)  # chooses anything
POISONED = 8


@pytest.fixture(scope="module")
def _ring(played: Played) -> Iterator[Ring]:
    with game_at(played.folder, lambda state: state.in_control) as game:
        yield Ring(game, game.console.save())


@pytest.fixture
def ring(_ring: Ring) -> Ring:
    return _ring


def foreseen(ring: Ring, trainer_class: int) -> set[str]:
    found = minded(DEX, ring.enemy, ring.own, trainer_class)
    return {DEX.move(each.move).name for each in found.moves}


class Enough(Exception):
    """As many turns were seen as a test wants."""


def seen(ring: Ring, turns: int) -> set[str]:
    """Return the moves that the enemy uses in so many turns."""

    def watch(state: State) -> Attack:
        if len(script.seen) > turns:
            raise Enough
        return Attack(0)

    script = Script((watch,))
    with pytest.raises(Enough):
        ring.fight(script)
    moves = [state.battle.enemy_move for state in script.seen[1:] if state.battle is not None]
    return {DEX.move(move).name for move in moves if move is not None}


@pytest.mark.parametrize(
    ("name", "status", "trainer", "armed", "chosen"),
    [
        ("WRENKIN", 0, CAIRN, ("NUDGE", "GRAVEL"), {"GRAVEL"}),  # strong against its type
        ("TOASTNUT", 0, CAIRN, ("NUDGE", "LEAF FLICK"), {"NUDGE"}),  # the other is weak
        ("TOASTNUT", POISONED, CAIRN, ("NUDGE", "ITCH DUST"), {"NUDGE"}),
        ("TOASTNUT", 0, RAMBLER, ("NUDGE", "GRAVEL"), {"NUDGE", "GRAVEL"}),
    ],
)
def test_a_trainer_chooses_as_foreseen(
    ring: Ring,
    name: str,
    status: int,
    trainer: tuple[int, int],
    armed: tuple[str, ...],
    chosen: set[str],
) -> None:
    ring.enter(Fighter(name, 40, ("PONDER",), status=status), trainer=trainer)
    ring.arm(*armed)
    expected = foreseen(ring, trainer[0])
    assert expected == chosen
    assert seen(ring, 5) <= expected


def test_who_is_wild_chooses_anything(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12))
    ring.arm("NUDGE", "GRAVEL")
    assert foreseen(ring, 0) == {"NUDGE", "GRAVEL"}


def ends(ring: Ring, move: str) -> Duel:
    return duel(DEX, ring.own, ring.enemy, Attacking(0, DEX.move(number_of(move)), 5))


def test_a_move_that_must_be_charged_wins_a_turn_later_than_one_that_rests_afterwards(
    ring: Ring,
) -> None:
    ring.enter(Fighter("TOASTNUT", 30), wild=("NIBBIT", 3))
    charged, rested = ends(ring, "SLOW BLOOM"), ends(ring, "ALL AT ONCE")
    assert rested.turns < 1.5
    assert 1.9 < charged.turns < 2.5


def test_who_is_held_does_less(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12), wild=("NIBBIT", 10))
    ring.arm("NUDGE")
    tangle = DEX.move(number_of("TANGLE"))
    plain = replace(tangle, effect=0)
    holding, hitting = (
        duel(DEX, ring.own, ring.enemy, Attacking(0, each, 20)) for each in (tangle, plain)
    )
    assert holding.chance > hitting.chance


def test_who_is_out_of_reach_takes_half(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12), wild=("NIBBIT", 12))
    ring.arm("NUDGE")
    burrow = DEX.move(number_of("BURROW"))
    in_sight = replace(burrow, number=number_of("SLOW BLOOM"), power=burrow.power)
    hidden, open_ = (
        duel(DEX, ring.own, ring.enemy, Attacking(0, each, 20)) for each in (burrow, in_sight)
    )
    assert hidden.chance > open_.chance
