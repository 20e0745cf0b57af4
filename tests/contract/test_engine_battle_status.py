"""Major and volatile status in battles of the demo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from tests.contract import battles
from tests.contract import even_battle as even
from tests.contract.battles import BURN, FIGHT, FREEZE, PARALYSIS, POISON, Mon, shows, with_effect
from tests.contract.game import Game
from tests.contract.random_bytes import Dice, watch_chance

UP_1, DOWN_1, UP_2, DOWN_2 = 10, 18, 50, 58
RAISE = UP_1 + 1
SLEEP, POISON_MOVE, PARALYZE, DRAIN, RECOIL = 32, 66, 67, 3, 48
SIDE_EFFECTS = {2: POISON, 4: BURN, 5: FREEZE, 6: PARALYSIS}
CONFUSE, MAY_CONFUSE, MAY_FLINCH, OFTEN_FLINCHES, SEED, DISABLE = 49, 76, 31, 37, 84, 86
FLINCHED, RECHARGING, CONFUSED, SEEDED, TRAPPING = 0x08, 0x20, 0x80, 0x80, 0x20
BADLY_POISONED: Final = 1
SHARE: Final = even.HP // 16
BAD_POISON, QUICK, LAST_RESORT = 92, 98, 165
POISONOUS, MOSS = 3, 22
RATIOS = {5: (50, 100), 6: (66, 100), 8: (15, 10), 9: (2, 1)}  # by stage


def until(game: Game, done: Callable[[], bool], *effects: int) -> list[str]:
    """Use a move until its effect happens."""
    for _ in range(120):
        said = even.use_effect(game, *effects)
        if done():
            return said
        game.enemy.hp = even.HP
    raise AssertionError(game.text)


def test_a_sleeping_pokemon_loses_its_turns_including_the_waking_turn(battle: Game) -> None:
    lengths = set()
    for _ in range(12):
        until(battle, lambda: battle.enemy.status != 0, SLEEP)
        turns = 1 + battle.enemy.status  # one sleeping turn has already passed
        lengths.add(turns)
        assert 1 <= turns <= 7
        battle.enemy.status = 2
        for left, words in ((1, "asleep"), (0, "woke")):
            assert shows(even.use_effect(battle, RAISE), words)
            assert battle.enemy.status == left
        battle.own.stages = battle.enemy.stages = even.NO_STAGES
    assert len(lengths) > 2


def test_one_that_must_recharge_falls_asleep_whatever_its_status(battle: Game, dice: Dice) -> None:
    battle.enemy.volatile2, battle.enemy.status = RECHARGING, PARALYSIS
    dice.roll(usual=255)
    even.use_effect(battle, SLEEP)
    assert (battle.enemy.volatile2, battle.enemy.status) == (0, 6)  # of 7 turns, one has passed


def test_a_sleeping_player_pokemon_gets_no_move_list(battle: Game) -> None:
    battle.own.status = 3
    assert shows(even.go_on(battle), "asleep")
    assert (battles.is_at_menu(battle), battle.own.status) == (True, 2)


@pytest.mark.parametrize("status", [POISON, BURN])
def test_poison_and_burn_take_a_sixteenth(battle: Game, status: int) -> None:
    battle.own.status = battle.enemy.status = status
    even.use_effect(battle, RAISE)
    assert battle.own.hp == battle.enemy.hp == even.HP - SHARE
    battle.own.hp = battle.own.max_hp = 15
    even.use_effect(battle, RAISE)
    assert battle.own.hp == 14


def test_poison_can_make_a_pokemon_faint(battle: Game) -> None:
    battle.own.status, battle.own.hp = POISON, 5
    assert shows(even.use_effect(battle, RAISE), "able to fight")
    assert battle.byte("wBattleResult") == battles.BEATEN


def test_a_frozen_pokemon_never_acts(battle: Game) -> None:
    battle.enemy.status = FREEZE
    for _ in range(8):
        assert shows(even.use_effect(battle, RAISE), "frozen")
    assert (battle.enemy.stages, battle.enemy.status) == (even.NO_STAGES, FREEZE)


def test_a_paralyzed_pokemon_fails_a_quarter_of_its_turns(battle: Game) -> None:
    outcomes = set()
    with watch_chance(battle) as chances:
        for _ in range(30):
            battle.enemy.status = PARALYSIS
            battle.enemy.stages = battle.own.stages = even.NO_STAGES
            chances.clear()
            fails = shows(even.use_effect(battle, RAISE), "cannot move")
            (byte,) = (each.byte for each in chances if each.whose == 1)
            assert fails == (byte < 63)
            outcomes.add(fails)
    assert outcomes == {False, True}


def test_paralysis_quarters_speed_and_a_burn_halves_attack(battle: Game) -> None:
    until(battle, lambda: battle.enemy.status == PARALYSIS, PARALYZE)
    assert battle.enemy.speed == 50 // 4
    battle.enemy.status = 0
    until(battle, lambda: battle.enemy.status == BURN, 4)
    assert battle.enemy.attack == 40 // 2


@pytest.mark.parametrize("effect", SIDE_EFFECTS)
def test_side_effects_of_attacks_happen_by_their_chance(battle: Game, effect: int) -> None:
    until(battle, lambda: battle.enemy.status == SIDE_EFFECTS[effect], effect)
    battle.enemy.status = PARALYSIS
    for _ in range(3):
        even.use_effect(battle, effect)
        assert battle.enemy.status == PARALYSIS


def test_a_poisonous_type_is_not_poisoned(battle: Game) -> None:
    until(battle, lambda: battle.enemy.status == POISON, POISON_MOVE)
    battle.enemy.status, battle.enemy.type1 = 0, POISONOUS
    for _ in range(4):
        assert shows(even.use_effect(battle, POISON_MOVE), "nothing comes")
    assert battle.enemy.status == 0


@pytest.mark.parametrize(
    ("whose", "first", "by"),
    [("own", UP_1, 1), ("own", UP_2, 2), ("enemy", DOWN_1, -1), ("enemy", DOWN_2, -2)],
)
def test_stages_go_up_and_down(battle: Game, whose: str, first: int, by: int) -> None:
    side = battle.own if whose == "own" else battle.enemy
    known = {each.effect for each in battles.moves()}
    for stat, effect in enumerate(range(first, first + 6)):
        if effect not in known:
            continue
        side.stages = even.NO_STAGES
        before = getattr(side, even.NAMES[stat]) if stat < 4 else 0
        said = [""]
        while side.stages[stat] == 7:
            battle.enemy.stages = even.NO_STAGES
            said = even.use_effect(battle, effect)
        assert side.stages[stat] == 7 + by
        if stat < 4:
            numerator, denominator = RATIOS[7 + by]
            assert getattr(side, even.NAMES[stat]) == before * numerator // denominator
            setattr(side, even.NAMES[stat], before)
        assert any(word in said[0] for word in ("rose", "soared", "fell", "sank"))


def test_stages_end_at_thirteen_and_one(battle: Game) -> None:
    battle.own.stages, battle.enemy.stages = bytes([13]), bytes([1])
    assert "nothing comes" in even.use_effect(battle, UP_1)[0]
    until(battle, lambda: True, DOWN_1)
    assert (battle.own.stages[0], battle.enemy.stages[0]) == (13, 1)


def hit_with(game: Game, attack: Callable[[], object]) -> int:
    """Repeat an attack until it hits, and return the HP it took."""
    game.own.hp = game.own.max_hp = game.enemy.hp = game.enemy.max_hp = even.HP
    while not game.enemy.lost:
        attack()
    return game.enemy.lost


def test_draining_heals_half_of_the_damage(battle: Game) -> None:
    battle.own.hp = 100
    while not battle.enemy.lost:
        even.use_effect(battle, DRAIN)
    assert battle.own.hp == 100 + max(1, battle.enemy.lost // 2)


def test_recoil_is_a_quarter_and_half_for_struggle(battle: Game) -> None:
    assert hit_with(battle, lambda: even.use_effect(battle, RECOIL)) // 4 == battle.own.lost
    battle.own.knows(1, pp=0)
    assert hit_with(battle, lambda: even.go_on(battle)) // 2 == battle.own.lost


def test_quick_attack_goes_first(battle: Game) -> None:
    battle.own.speed = 5
    with watch_chance(battle) as chances:
        even.use(battle, QUICK)
    order = [each.whose for each in chances[1:]]
    assert order == sorted(order)


def test_poison_damage_applies_in_a_turn_spent_on_running(battle: Game) -> None:
    battle.own.status = POISON
    for speed in (1, 2):
        battle.own.hp, battle.own.speed, battle.enemy.speed = even.HP, speed, 999
        battles.run(battle)
        assert battle.own.hp == even.HP - SHARE


def test_poison_damage_applies_to_a_switched_in_pokemon(bedroom: Game) -> None:
    team = (Mon(species, hp=even.HP, max_hp=even.HP, experience=9000) for species in (7, 3))
    battles.set_team(bedroom, *team).poke("wPartyMons", BURN, battles.PARTY_MON + 4)
    battles.meet(bedroom, 33, 5)
    bedroom.enemy.knows(with_effect(even.HARMLESS).number)
    battles.send_second(bedroom)
    assert (bedroom.own.status, bedroom.own.hp) == (BURN, even.HP - SHARE)


def test_a_pokemon_thawed_before_its_turn_repeats_its_last_move(battle: Game) -> None:
    battle.enemy.knows(with_effect(4).number)
    battle.enemy.speed = 999
    battle.own.knows(with_effect(UP_1).number, pp=1)
    names = battle.block("wEnemyMonNick", 11), battle.block("wBattleMonNick", 11)
    for stage in (7, 9, 10):  # the first time there is nothing to repeat
        battle.own.hp = even.HP
        while True:
            battle.own.status = FREEZE
            even.go_on(battle)
            if battle.own.status != FREEZE:
                break
        assert battles.is_at_menu(battle)
        assert battle.own.stages[0] == stage
        battle.own.status = 0
        if stage == 7:
            battles.fight(battle)
        assert battles.party_mon(battle, 0)[29] & 0xC0 == 0
    assert (battle.block("wEnemyMonNick", 11), battle.block("wBattleMonNick", 11)) == names


@pytest.mark.parametrize("byte", [0, 1, 2, 3, 255])
def test_confusion_lasts_two_to_five_turns(battle: Game, dice: Dice, byte: int) -> None:
    dice.roll(0, 0, byte, usual=0)
    even.use_until(battle, with_effect(CONFUSE).number, "became confused")
    assert (battle.enemy.volatile1, battle.enemy.confused) == (CONFUSED, 2 + byte % 4)


def confused(game: Game, turns: int) -> Game:
    game.enemy.volatile1, game.enemy.confused = CONFUSED, turns
    return game


def test_a_confused_pokemon_acts_or_hits_itself(battle: Game, dice: Dice) -> None:
    for byte, hurts in ((0x7F, False), (0x80, True)):
        confused(battle, 5).enemy.stages = even.NO_STAGES
        dice.roll(0, byte)
        lines = even.use_effect(battle, RAISE)
        assert shows(lines, "is confused")
        assert shows(lines, "hits itself") == hurts
        assert (battle.enemy.stages[3] == 7, battle.enemy.confused) == (hurts, 4)
    assert battle.enemy.lost == even.hit(40, byte=None)


def test_confusion_ends_with_its_last_turn_without_a_self_hit(battle: Game, dice: Dice) -> None:
    assert shows(even.use_effect(confused(battle, 1), RAISE), "thinks clearly")
    assert (battle.enemy.volatile1, battle.enemy.stages[3], len(dice.drawn)) == (0, 8, 1)


def test_an_attack_may_confuse_one_that_is_not(battle: Game, dice: Dice) -> None:
    for byte, happens in ((25, 0), (24, CONFUSED)):
        dice.roll(0, 200, 200, 0, byte, 3, 0)
        even.use_effect(battle, MAY_CONFUSE)
        assert battle.enemy.volatile1 & CONFUSED == happens
    dice.roll(0, 0, usual=0)
    assert shows(even.use_effect(confused(battle, 4), CONFUSE), "nothing comes")
    assert battle.enemy.confused == 3


@pytest.mark.parametrize(("kind", "odds"), [(MAY_FLINCH, 26), (OFTEN_FLINCHES, 77)])
def test_an_attack_may_cause_flinching(battle: Game, dice: Dice, kind: int, odds: int) -> None:
    for byte in (odds - 1, odds):
        battle.enemy.stages = even.NO_STAGES
        dice.roll(0, 200, 200, 0, byte)
        assert shows(even.use_effect(battle, kind), "flinched") == (byte < odds)
        assert (battle.enemy.stages[3] == 7) == (byte < odds)
        assert battle.enemy.volatile1 & FLINCHED == 0


def test_a_pokemon_that_has_acted_does_not_flinch_in_the_next_turn(
    battle: Game, dice: Dice
) -> None:
    battle.own.speed = 5
    for _ in range(2):
        dice.roll(0, 200, 200, 0, 0)
        assert not shows(even.use_effect(battle, MAY_FLINCH), "flinched")
        assert battle.enemy.volatile1 & FLINCHED == 0


def test_bad_poison_takes_another_sixteenth_every_turn(battle: Game, dice: Dice) -> None:
    dice.roll(0, usual=0)
    even.use(battle, BAD_POISON)
    assert (battle.enemy.status, battle.enemy.volatile3) == (POISON, BADLY_POISONED)
    taken = SHARE
    for turn in (2, 3):
        assert (battle.enemy.toxic, battle.enemy.lost) == (turn - 1, taken)
        even.use_effect(battle, RAISE)
        taken += turn * SHARE
    assert battle.enemy.lost == taken


def test_leech_seed_heals_the_other_side_of_all_but_grass_types(battle: Game, dice: Dice) -> None:
    second = battle.enemy.type2
    battle.enemy.type2 = MOSS
    dice.roll(0, usual=0)
    assert shows(even.use_effect(battle, SEED), "nothing comes")
    assert battle.enemy.volatile2 == 0
    battle.own.hp, battle.enemy.type2 = 100, second
    dice.roll(0, usual=0)
    even.use_effect(battle, SEED)
    assert battle.enemy.volatile2 == SEEDED
    assert (battle.enemy.lost, battle.own.hp) == (SHARE, 100 + SHARE)
    assert shows(even.use_effect(battle, SEED), "nothing comes")
    battle.own.hp = even.HP - 1
    even.use_effect(battle, RAISE)
    assert battle.own.hp == even.HP


def test_leech_seed_grows_with_bad_poison(battle: Game) -> None:
    battle.enemy.volatile2, battle.enemy.volatile3 = SEEDED, BADLY_POISONED
    battle.enemy.status = POISON
    even.use_effect(battle, RAISE)
    assert (battle.enemy.lost, battle.enemy.toxic) == (SHARE + 2 * SHARE, 2)


def test_an_enemy_move_is_disabled_for_some_turns(battle: Game, dice: Dice) -> None:
    harmless = with_effect(even.HARMLESS).number
    battle.enemy.knows(harmless, with_effect(RAISE).number)
    dice.roll(255, 0, 0, 2, usual=0)  # it chooses the second move, and forgets the first for 3
    assert shows(even.use_effect(battle, DISABLE), "forgot how")
    assert (battle.enemy.disabled, battle.byte("wEnemyDisabledMoveNumber")) == (0x12, harmless)
    lines: list[str] = []
    for left in (0x11, 0):
        battle.enemy.stages = even.NO_STAGES
        dice.roll(0)
        lines = even.use_effect(battle, RAISE)
        assert (battle.enemy.stages[3], battle.enemy.disabled) == (7, left)
    assert shows(lines, "remembers")
    assert battle.byte("wEnemyDisabledMoveNumber") == 0


def test_disabling_the_selected_move_costs_the_turn(battle: Game, dice: Dice) -> None:
    dice.roll(0, 0, 0, 7, usual=0)
    assert shows(even.use_effect(battle, DISABLE), "cannot remember")
    assert battle.enemy.stages[3] == 7
    assert shows(even.use_effect(battle, DISABLE), "nothing comes")
    assert battle.byte("wEnemySelectedMove") == LAST_RESORT


def with_disabled(game: Game, other: int) -> Game:
    """Let the player know a disabled move and another."""
    first = with_effect(RAISE).number
    game.own.disabled = 0x14
    game.own.knows(first, with_effect(other).number)
    return game.poke("wPlayerDisabledMoveNumber", first)


def test_the_player_cannot_choose_a_disabled_move(battle: Game) -> None:
    assert shows(battles.fight(with_disabled(battle, RAISE + 2)), "been forgotten")
    assert (battles.is_at_menu(battle), battle.own.stages) == (True, even.NO_STAGES)
    battles.fight(battle, 1)
    assert (battle.own.stages[3], battle.own.disabled) == (8, 0x13)


def test_with_only_a_disabled_move_struggle_is_used(battle: Game) -> None:
    with_disabled(battle, DOWN_1).poke("wBattleMonPP", bytes([20, 0]))
    assert shows(even.go_on(battle), "out of moves")
    assert battle.byte("wPlayerUsedMove") == LAST_RESORT


def test_switching_resets_all_volatile_status(battle: Game) -> None:
    battles.set_team(battle, Mon(3), Mon(7))
    battle.own.attacks_left = battle.own.toxic = battle.own.confused = battle.own.disabled = 0x11
    battle.own.volatile1, battle.own.volatile2 = CONFUSED, SEEDED
    battle.enemy.volatile1 = TRAPPING
    battles.send_second(battle)
    own = battle.own
    assert (*own.volatile, own.attacks_left, own.confused, own.toxic, own.disabled) == (0,) * 7
    assert (battle.enemy.volatile1, battle.cursor) == (0, FIGHT)
