"""What playouts do besides attacking: status, stages and healing where they spare damage, and nothing where they do not."""

from collections.abc import Callable
from typing import Any

import pytest

from emulator.engine.choices import ATTACKS, CAREFUL, best_move, choose
from emulator.rules import effects
from emulator.rules.codes import OURS, PARALYZED, choice_of_item
from emulator.rules.position import put_chart
from tests.emulator.engine.small_battle import EMBER, GROUND, NORMAL, TACKLE, SmallBattle

SPORE, STUN, SPARK, DANCE, CALM, RECOVER, BOOM, WRAP = range(40, 48)
MOVES = (
    (SPORE, effects.SLEEP, 0, NORMAL),
    (STUN, effects.PARALYZE, 0, NORMAL),
    (SPARK, effects.PARALYZE, 0, 23),
    (DANCE, effects.ATTACK_UP_2, 0, NORMAL),
    (CALM, effects.ATTACK_UP_2 + 3, 0, NORMAL),
    (RECOVER, effects.HEAL, 0, NORMAL),
    (BOOM, effects.SPECIAL_DAMAGE, 1, NORMAL),
    (WRAP, effects.TRAP, 25, NORMAL),
)
MAX_POTION = 17
Change = Callable[[SmallBattle], Any]


def battle_with(ours: int, attack: int = TACKLE, theirs: int = TACKLE) -> SmallBattle:
    """Return a battle in which we know an attack and one other move."""
    return SmallBattle((attack, ours), (theirs,), moves=MOVES)


def chosen(battle: SmallBattle) -> int:
    return int(best_move(battle.position, OURS, ATTACKS, battle.tables))


def nothing(_battle: SmallBattle) -> None:
    pass


def is_slow(battle: SmallBattle) -> None:
    battle.us.stats[2] = 50


def has_a_status(battle: SmallBattle) -> None:
    battle.them.status = PARALYZED


def is_nearly_down(battle: SmallBattle) -> None:
    battle.them.hp = 5


def is_low(battle: SmallBattle) -> None:
    battle.us.hp = 60


def is_of_ground(battle: SmallBattle) -> None:
    battle.them.type1 = battle.them.type2 = GROUND
    put_chart(battle.tables, [(23, GROUND, 0)])


def used_it(battle: SmallBattle) -> None:
    battle.us.stages[0] = 6


@pytest.mark.parametrize(
    ("move", "change"),
    [
        (SPORE, nothing),
        (STUN, is_slow),
        (DANCE, nothing),
        (RECOVER, is_low),
        (WRAP, nothing),
        (WRAP, is_slow),
    ],
)
def test_a_move_that_spares_damage_is_used(move: int, change: Change) -> None:
    battle = battle_with(move)
    change(battle)
    assert chosen(battle) == 1


@pytest.mark.parametrize(
    ("move", "change"),
    [
        (SPORE, has_a_status),
        (SPORE, is_nearly_down),
        (SPARK, is_of_ground),
        (DANCE, used_it),
        (DANCE, is_nearly_down),
        (RECOVER, nothing),
        (WRAP, is_nearly_down),
    ],
)
def test_a_move_that_spares_nothing_is_not_used(move: int, change: Change) -> None:
    battle = battle_with(move)
    is_slow(battle)
    change(battle)
    assert chosen(battle) == 0


def test_a_stage_counts_for_the_attacks_that_it_changes() -> None:
    assert chosen(battle_with(DANCE, attack=EMBER)) == 0
    assert chosen(battle_with(CALM, attack=EMBER)) == 1
    assert chosen(battle_with(DANCE, attack=BOOM)) == 0


def test_a_raised_stat_counts_for_the_foes_to_come() -> None:
    for others, choice in ((0, 0), (2, 1)):
        battle = battle_with(DANCE)
        battle.them.hp = 45
        battle.them.count = 1 + others
        battle.them.team["hp"][1 : 1 + others] = 100
        assert chosen(battle) == choice


def test_a_member_that_does_damage_is_healed_and_another_one_is_not() -> None:
    for attack, heals in ((TACKLE, True), (SPARK, False)):
        battle = battle_with(SPARK, attack=attack)
        battle.position.bag_items[0], battle.position.bag_counts[0] = MAX_POTION, 1
        is_low(battle)
        found = choose(battle.position, OURS, CAREFUL, battle.tables)
        assert (found == choice_of_item(MAX_POTION)) == heals
        battle.us.hp = 150
        assert choose(battle.position, OURS, CAREFUL, battle.tables) != choice_of_item(MAX_POTION)


def test_looking_at_moves_changes_nothing_in_the_battle() -> None:
    battle = battle_with(SPORE)
    battle.play()
    before = battle.positions.tobytes()
    chosen(battle)
    assert battle.positions.tobytes() == before
