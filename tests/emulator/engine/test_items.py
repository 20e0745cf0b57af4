"""Our items in battle, balls, and the Safari Zone."""

import pytest

from emulator.engine import items
from emulator.engine.choices import legal_choices
from emulator.rules import codes
from tests.emulator.engine.small_battle import DO_NOTHING, HP, TACKLE, SmallBattle

POKE, GREAT, ULTRA = 4, 3, 2


def battle_with(*bag: int, kind: int = codes.WILD, members: int = 1) -> SmallBattle:
    battle = SmallBattle([TACKLE], [DO_NOTHING], kind=kind, members=members)
    for at, item in enumerate(bag):
        battle.position.bag_items[at], battle.position.bag_counts[at] = item, 2
    return battle


@pytest.mark.parametrize(
    ("item", "hp"),
    [
        (items.POTION, 30),
        (items.SUPER_POTION, 60),
        (items.HYPER_POTION, HP),
        (items.MAX_POTION, HP),
        (items.SODA_POP, 70),
        (items.LEMONADE, 90),
    ],
)
def test_potions_restore_hp_and_use_the_turn(item: int, hp: int) -> None:
    battle = battle_with(item)
    battle.us.hp = 10
    battle.play(codes.choice_of_item(item), codes.DECIDES)
    assert (battle.us.hp, battle.them.hp) == (hp, HP)
    assert battle.position.bag_counts[0] == 1


def test_only_what_has_a_use_is_offered() -> None:
    bag = (items.POTION, items.REVIVE, items.ANTIDOTE, items.ETHER, POKE, items.POKE_DOLL, 5)
    battle = battle_with(*bag, members=2)
    assert {int(c) for c in legal_choices(battle.position, 0) if c >= codes.ITEM} == {
        codes.choice_of_item(POKE),
        codes.choice_of_item(items.POKE_DOLL),
    }
    battle.us.team[1].hp, battle.us.hp, battle.us.status = 0, 9, codes.POISONED
    battle.us.team[0].pp[0] = 3
    offered = {int(c) for c in legal_choices(battle.position, 0) if c >= codes.ITEM}
    assert offered == {
        codes.choice_of_item(POKE),
        codes.choice_of_item(items.POKE_DOLL),
        codes.choice_of_item(items.POTION, 0),
        codes.choice_of_item(items.REVIVE, 1),
        codes.choice_of_item(items.ANTIDOTE, 0),
        codes.choice_of_item(items.ETHER, 0, 0),
    }


def test_a_cure_gives_back_the_partys_stats_and_full_restore_keeps_penalties() -> None:
    for item, hp, attack, bad in (
        (items.BURN_HEAL, 100, 100, 0),
        (items.FULL_RESTORE, 100, 50, codes.BADLY_POISONED),
        (items.FULL_RESTORE, HP, 100, 0),
    ):
        battle = battle_with(item)
        battle.us.hp, battle.us.status, battle.us.stats[0] = hp, codes.BURNED, 50
        battle.us.volatile |= codes.BADLY_POISONED
        battle.play(codes.choice_of_item(item), codes.DECIDES)
        assert (battle.us.status, battle.us.stats[0]) == (0, attack)
        assert battle.us.volatile & codes.BADLY_POISONED == bad


def test_items_on_members_that_are_not_out() -> None:
    battle = battle_with(items.REVIVE, items.FULL_HEAL, items.MAX_ELIXIR, members=3)
    team = battle.us.team
    team[1].hp, team[2].status, team[2].pp[0] = 0, codes.FROZEN, 1
    battle.play(codes.choice_of_item(items.REVIVE, 1), codes.DECIDES)
    battle.play(codes.choice_of_item(items.FULL_HEAL, 2), codes.DECIDES)
    battle.play(codes.choice_of_item(items.MAX_ELIXIR, 2), codes.DECIDES)
    assert (team[1].hp, team[2].status, team[2].pp[0]) == (HP // 2, 0, 10)


def test_battle_items_work_like_the_moves() -> None:
    for item, bit in (
        (items.X_ACCURACY, codes.ALWAYS_HITS),
        (items.GUARD_SPEC, codes.MIST),
        (items.DIRE_HIT, codes.FOCUSED),
    ):
        battle = battle_with(item, kind=codes.TRAINER)
        battle.us.volatile = 0
        battle.play(codes.choice_of_item(item), codes.DECIDES)
        assert battle.us.volatile == bit
    raised = battle_with(items.X_SPECIAL)
    raised.play(codes.choice_of_item(items.X_SPECIAL), codes.DECIDES)
    assert (raised.us.stages[3], raised.us.stats[3]) == (1, 150)
    flute = battle_with(items.POKE_FLUTE)
    flute.us.status, flute.them.status = 5, 6
    flute.play(codes.choice_of_item(items.POKE_FLUTE), codes.DECIDES)
    assert (flute.us.status, flute.them.status, flute.position.bag_counts[0]) == (0, 0, 2)


def test_a_doll_ends_wild_battles() -> None:
    battle = battle_with(items.POKE_DOLL)
    assert battle.play(codes.choice_of_item(items.POKE_DOLL), codes.DECIDES) == codes.RAN


@pytest.mark.parametrize(
    ("ball", "status", "chance"),
    [
        # Of the first byte at most the catch rate of 100; then a third or half of the second.
        (POKE, 0, 101 / 256 * 86 / 256),
        (GREAT, 0, 101 / 201 * 128 / 256),
        (ULTRA, 0, 101 / 151 * 86 / 256),
        (POKE, codes.FROZEN, (25 + 101 * 86 / 256) / 256),
        (POKE, codes.POISONED, (12 + 101 * 86 / 256) / 256),
        (1, 0, 1.0),
    ],
)
def test_balls_catch_as_often_as_the_game_says(ball: int, status: int, chance: float) -> None:
    battle = battle_with(ball)
    battle.them.status = status
    before, caught, tried = battle.positions.copy(), 0, 1500
    for seed in range(tried):
        battle.positions[:] = before
        caught += battle.play(codes.choice_of_item(ball), codes.DECIDES, seed=seed) == codes.CAUGHT
    assert abs(caught / tried - chance) < 0.05


def test_trainers_pokemon_cannot_be_caught() -> None:
    battle = battle_with(1, kind=codes.TRAINER)
    assert battle.play(codes.choice_of_item(1), codes.DECIDES) == codes.GOES_ON
    assert battle.position.bag_counts[0] == 2


def test_the_safari_zone_offers_balls_bait_rocks_and_leaving() -> None:
    battle = battle_with(kind=codes.SAFARI)
    battle.position.balls = 2
    ball = codes.choice_of_item(items.SAFARI_BALL)
    assert list(legal_choices(battle.position, 0)) == [ball, codes.BAIT, codes.ROCK, codes.RUN]
    battle.them.stats[2] = 0
    battle.play(codes.BAIT)
    assert battle.position.catch_rate == 50
    assert 0 <= battle.position.bait < 5
    battle.play(codes.ROCK)
    assert battle.position.catch_rate == 100
    assert battle.play(codes.RUN) == codes.RAN
    fast = battle_with(kind=codes.SAFARI)
    fast.position.balls, fast.them.stats[2] = 9, 128
    assert fast.play(codes.ROCK) == codes.FOE_LEFT
    last = battle_with(kind=codes.SAFARI)
    last.position.balls, last.position.catch_rate = 1, -1
    assert last.play(ball) == codes.RAN
