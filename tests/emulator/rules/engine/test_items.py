"""Our items in battle, balls, and the Safari Zone."""

import pytest

from emulator.rules.engine import items
from emulator.rules.engine import position as engine
from emulator.rules.engine.choices import legal_choices
from tests.emulator.rules.engine.small_battle import DO_NOTHING, HP, TACKLE, SmallBattle

POKE, GREAT, ULTRA = 4, 3, 2


def battle_with(*bag: int, kind: int = engine.WILD, members: int = 1) -> SmallBattle:
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
    battle.play(engine.choice_of_item(item), engine.DECIDES)
    assert (battle.us.hp, battle.them.hp, battle.position.bag_counts[0]) == (hp, HP, 1)


def test_only_what_has_a_use_is_offered() -> None:
    bag = (items.POTION, items.REVIVE, items.ANTIDOTE, items.ETHER, POKE, items.POKE_DOLL, 5)
    battle = battle_with(*bag, members=2)
    assert {int(c) for c in legal_choices(battle.position, 0) if c >= engine.ITEM} == {
        engine.choice_of_item(POKE),
        engine.choice_of_item(items.POKE_DOLL),
    }
    battle.us.team[1].hp, battle.us.hp, battle.us.status = 0, 9, engine.POISONED
    battle.us.team[0].pp[0] = 3
    offered = {int(c) for c in legal_choices(battle.position, 0) if c >= engine.ITEM}
    assert offered == {
        engine.choice_of_item(POKE),
        engine.choice_of_item(items.POKE_DOLL),
        engine.choice_of_item(items.POTION, 0),
        engine.choice_of_item(items.REVIVE, 1),
        engine.choice_of_item(items.ANTIDOTE, 0),
        engine.choice_of_item(items.ETHER, 0, 0),
    }


def test_a_cure_gives_back_the_partys_stats_and_full_restore_keeps_penalties() -> None:
    for item, hp, attack, bad in (
        (items.BURN_HEAL, 100, 100, 0),
        (items.FULL_RESTORE, 100, 50, engine.BADLY_POISONED),
        (items.FULL_RESTORE, HP, 100, 0),
    ):
        battle = battle_with(item)
        battle.us.hp, battle.us.status, battle.us.stats[0] = hp, engine.BURNED, 50
        battle.us.volatile |= engine.BADLY_POISONED
        battle.play(engine.choice_of_item(item), engine.DECIDES)
        assert (battle.us.status, battle.us.stats[0]) == (0, attack)
        assert battle.us.volatile & engine.BADLY_POISONED == bad


def test_items_on_members_that_are_not_out() -> None:
    battle = battle_with(items.REVIVE, items.FULL_HEAL, items.MAX_ELIXIR, members=3)
    team = battle.us.team
    team[1].hp, team[2].status, team[2].pp[0] = 0, engine.FROZEN, 1
    battle.play(engine.choice_of_item(items.REVIVE, 1), engine.DECIDES)
    battle.play(engine.choice_of_item(items.FULL_HEAL, 2), engine.DECIDES)
    battle.play(engine.choice_of_item(items.MAX_ELIXIR, 2), engine.DECIDES)
    assert (team[1].hp, team[2].status, team[2].pp[0]) == (HP // 2, 0, 10)


def test_battle_items_work_like_the_moves() -> None:
    for item, bit in (
        (items.X_ACCURACY, engine.ALWAYS_HITS),
        (items.GUARD_SPEC, engine.MIST),
        (items.DIRE_HIT, engine.FOCUSED),
    ):
        battle = battle_with(item, kind=engine.TRAINER)
        battle.us.volatile = 0
        battle.play(engine.choice_of_item(item), engine.DECIDES)
        assert battle.us.volatile == bit
    raised = battle_with(items.X_SPECIAL)
    raised.play(engine.choice_of_item(items.X_SPECIAL), engine.DECIDES)
    assert (raised.us.stages[3], raised.us.stats[3]) == (1, 150)
    flute = battle_with(items.POKE_FLUTE)
    flute.us.status, flute.them.status = 5, 6
    flute.play(engine.choice_of_item(items.POKE_FLUTE), engine.DECIDES)
    assert (flute.us.status, flute.them.status, flute.position.bag_counts[0]) == (0, 0, 2)


def test_a_doll_ends_wild_battles() -> None:
    battle = battle_with(items.POKE_DOLL)
    assert battle.play(engine.choice_of_item(items.POKE_DOLL), engine.DECIDES) == engine.RAN


@pytest.mark.parametrize(
    ("ball", "status", "chance"),
    [
        # Of the first byte at most the catch rate of 100; then a third or half of the second.
        (POKE, 0, 101 / 256 * 86 / 256),
        (GREAT, 0, 101 / 201 * 128 / 256),
        (ULTRA, 0, 101 / 151 * 86 / 256),
        (POKE, engine.FROZEN, (25 + 101 * 86 / 256) / 256),
        (POKE, engine.POISONED, (12 + 101 * 86 / 256) / 256),
        (1, 0, 1.0),
    ],
)
def test_balls_catch_as_often_as_the_game_says(ball: int, status: int, chance: float) -> None:
    battle = battle_with(ball)
    battle.them.status = status
    before, caught, tried = battle.positions.copy(), 0, 1500
    for seed in range(tried):
        battle.positions[:] = before
        caught += (
            battle.play(engine.choice_of_item(ball), engine.DECIDES, seed=seed) == engine.CAUGHT
        )
    assert abs(caught / tried - chance) < 0.05


def test_trainers_pokemon_cannot_be_caught() -> None:
    battle = battle_with(1, kind=engine.TRAINER)
    assert battle.play(engine.choice_of_item(1), engine.DECIDES) == engine.GOES_ON
    assert battle.position.bag_counts[0] == 2


def test_the_safari_zone_offers_balls_bait_rocks_and_leaving() -> None:
    battle = battle_with(kind=engine.SAFARI)
    battle.position.balls = 2
    ball = engine.choice_of_item(items.SAFARI_BALL)
    assert list(legal_choices(battle.position, 0)) == [ball, engine.BAIT, engine.ROCK, engine.RUN]
    battle.them.stats[2] = 0
    battle.play(engine.BAIT)
    assert battle.position.catch_rate == 50
    assert 0 <= battle.position.bait < 5
    battle.play(engine.ROCK)
    assert (battle.position.catch_rate, battle.play(engine.RUN)) == (100, engine.RAN)
    fast = battle_with(kind=engine.SAFARI)
    fast.position.balls, fast.them.stats[2] = 9, 128
    assert fast.play(engine.ROCK) == engine.FOE_LEFT
    last = battle_with(kind=engine.SAFARI)
    last.position.balls, last.position.catch_rate = 1, -1
    assert last.play(ball) == engine.RAN
