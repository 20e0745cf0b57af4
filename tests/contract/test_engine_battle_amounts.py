"""Damage and healing by moves and items in battles of the demo, and how trainers choose moves."""

from __future__ import annotations

from typing import Final

import pytest

from tests.contract import battles, menus
from tests.contract import even_battle as even
from tests.contract.game import Game, Start
from tests.contract.menus import LIST, PARTY
from tests.contract.random_bytes import Dice, rolled_dice

ONE_HIT, HALF, CRASH, EXPLODE, DREAM, DRAIN = 38, 40, 45, 7, 8, 3
HAZE, MIST, FOCUS, HEAL, LIGHT_SCREEN, REFLECT, SUBSTITUTE = 25, 46, 47, 56, 64, 65, 79
RAISE, LOWER, MAY_LOWER, SLEEP, POISONS, CONFUSE = 11, 19, 70, 32, 66, 49
BY_LEVEL, TAKES_20, TAKES_40, BY_CHANCE, SLEEPER, COUNTER = 69, 49, 82, 149, 156, 68
MISTY, FOCUSED, HAS_SUBSTITUTE, SEEDED = 0x02, 0x04, 0x10, 0x80
PLAIN = 1
QUARTER: Final = even.HP // 4
BADGES: Final = {0x01: "attack", 0x04: "defense", 0x10: "speed", 0x40: "special"}


@pytest.mark.parametrize(
    ("number", "damage"), [(TAKES_20, 20), (TAKES_40, 40), (BY_LEVEL, even.LEVEL)]
)
def test_fixed_amounts(battle: Game, dice: Dice, number: int, damage: int) -> None:
    battle.enemy.type1 = 5  # types do not count
    even.use(battle, number)
    assert battle.enemy.lost == damage
    assert len(dice.drawn) == 2  # the enemy's choice, and whether it hits


@pytest.mark.parametrize(("byte", "damage"), [(0, 1), (128, 15), (255, 29)])
def test_a_random_amount(battle: Game, dice: Dice, byte: int, damage: int) -> None:
    dice.roll(0, 0, byte)
    even.use(battle, BY_CHANCE)
    assert battle.enemy.lost == damage


def test_half_of_the_remaining_hp(battle: Game, dice: Dice) -> None:
    for before, after in ((even.HP, even.HP // 2), (7, 4)):
        battle.enemy.hp = before
        even.use_effect(battle, HALF)
        assert battle.enemy.hp == after
    assert not set(dice.drawn) - {200}
    battle.enemy.hp = 1
    even.use_until(battle, battles.with_effect(HALF).number, "fainted")


def test_a_one_hit_knockout_needs_a_target_that_is_not_faster(battle: Game, dice: Dice) -> None:
    # The bytes: who moves first if both are as fast, critical, roll, hit.
    for speed, script in ((even.OWN_SPEED + 1, (0,)), (even.OWN_SPEED, (0, 0, 0, 0, 76))):
        battle.enemy.speed = speed
        dice.roll(*script, usual=0 if speed > even.OWN_SPEED else 200)
        assert battles.shows(even.use_effect(battle, ONE_HIT), "missed")
        assert battle.enemy.lost == 0
    dice.roll(0, 0, 0, 0, 75)
    even.use_until(battle, battles.with_effect(ONE_HIT).number, "One blow settles")
    assert (battle.enemy.hp, battle.byte("wCriticalHitOrOHKO")) == (0, 2)


def test_a_missed_jump_attack_hurts_its_user(battle: Game, dice: Dice) -> None:
    dice.roll(0, 200, 200, 255)
    assert battles.shows(even.use_effect(battle, CRASH), "fell on its nose")
    assert battle.own.lost == 1


@pytest.mark.parametrize("byte", [0, 255])
def test_an_exploding_pokemon_faints_even_on_a_miss(battle: Game, dice: Dice, byte: int) -> None:
    move = battles.with_effect(EXPLODE)
    dice.roll(0, 200, 200, byte)
    even.use_until(battle, move.number, "able to fight")
    assert battle.own.hp == 0
    assert battle.enemy.lost == (0 if byte else even.hit(move.power, defense=even.STAT // 2))


def test_dream_eater_needs_a_sleeping_target(battle: Game, dice: Dice) -> None:
    move = battles.with_effect(DREAM)
    battle.own.hp = 100
    assert battles.shows(even.use(battle, move.number), "missed")
    battle.enemy.status, battle.enemy.special = 3, even.STAT
    dice.roll(200, 200, 0)
    even.use(battle, move.number)
    assert battle.enemy.lost == even.hit(move.power)
    assert battle.own.hp == 100 + even.hit(move.power) // 2


def test_screens_double_the_defense_except_for_critical_hits(battle: Game, dice: Dice) -> None:
    power = battles.DEX.move(PLAIN).power
    for screen, defense in (
        (4, 2 * even.STAT),
        (2, even.STAT),
    ):  # the second is for the other kind of attack
        battle.enemy.hp, battle.enemy.volatile3 = even.HP, screen
        even.use(battle, PLAIN)
        assert battle.enemy.lost == even.hit(power, defense=defense)
    battle.enemy.hp, battle.enemy.volatile3 = even.HP, 4
    dice.roll(0, 0)
    even.use(battle, PLAIN)
    assert battle.enemy.lost > even.hit(power)


@pytest.mark.parametrize(
    ("kind", "bits"),
    [
        (MIST, (0, MISTY, 0)),
        (FOCUS, (0, FOCUSED, 0)),
        (LIGHT_SCREEN, (0, 0, 2)),
        (REFLECT, (0, 0, 4)),
    ],
)
def test_an_active_effect_cannot_be_used_again(
    battle: Game, kind: int, bits: tuple[int, int, int]
) -> None:
    even.use_effect(battle, kind)
    assert battle.own.volatile == bits
    assert battles.shows(even.use_effect(battle, kind), "nothing comes")


def test_mist_keeps_stats_from_falling(battle: Game, dice: Dice) -> None:
    battle.enemy.volatile2 = MISTY
    dice.roll(0, usual=0)
    assert battles.shows(even.use_effect(battle, LOWER), "lost in mist")
    dice.roll(0, 200, usual=0)
    even.use_effect(battle, MAY_LOWER)
    assert battle.enemy.stages[:3] == even.NO_STAGES[:3]


def test_focus_energy_quarters_the_critical_hit_rate(battle: Game, dice: Dice) -> None:
    half = battles.DEX.species(3).base.speed // 2
    battle.own.volatile2 = FOCUSED
    for byte in (half // 4 - 1, half // 4):
        dice.roll(0, byte)
        assert battles.shows(even.use(battle, PLAIN), "critical") == (byte < half // 4)


def test_haze_removes_all_changes(battle: Game, dice: Dice) -> None:
    for side in (battle.own, battle.enemy):
        side.stages, side.attack = bytes(range(4, 10)), 77
        side.volatile1, side.confused, side.disabled = 0x80, 5, 0x23
    battle.poke("wPlayerDisabledMoveNumber", b"\2")
    battle.own.volatile2, battle.own.volatile3 = MISTY | FOCUSED | SEEDED, 7
    battle.own.status, battle.enemy.status = battles.PARALYSIS, battles.FREEZE
    dice.roll(usual=100)  # neither confused nor paralyzed just now
    even.use_until(battle, battles.with_effect(HAZE).number, "as it was before")
    for side in (battle.own, battle.enemy):
        assert (side.stages, side.attack, side.defense) == (even.NO_STAGES, even.STAT, even.STAT)
        assert (side.volatile, side.confused, side.disabled) == ((0, 0, 0), 0, 0)
    assert (battle.enemy.status, battle.own.status) == (0, battles.PARALYSIS)
    battles.read_on(battle)
    assert battle.enemy.stages == even.NO_STAGES  # it was frozen when the turn began


def test_recovery_moves_restore_half_or_all_hp(battle: Game) -> None:
    assert battles.shows(even.use_effect(battle, HEAL), "nothing comes")
    battle.own.hp = 10
    even.use_effect(battle, HEAL)
    assert battle.own.hp == 10 + even.HP // 2
    battle.own.status = battles.POISON
    even.use_until(battle, SLEEPER, "sleeps it all off")
    assert (battle.own.hp, battle.own.status) == (even.HP, 2)


def test_a_substitute_takes_the_hits(battle: Game, dice: Dice) -> None:
    battle.enemy.knows(PLAIN)
    power = battles.DEX.move(PLAIN).power
    even.use_effect(battle, SUBSTITUTE)
    assert (battle.own.lost, battle.own.volatile2) == (QUARTER, HAS_SUBSTITUTE)
    assert battle.byte("wPlayerSubstituteHP") == QUARTER - even.hit(power)
    assert battles.shows(even.use_effect(battle, SUBSTITUTE), "nothing comes")
    battle.poke("wPlayerSubstituteHP", even.hit(power) - 1)
    assert battles.shows(even.use_effect(battle, even.HARMLESS), "blown away")
    assert (battle.own.lost, battle.own.volatile2) == (QUARTER, 0)
    assert battle.byte("wPlayerSubstituteHP") == 0
    assert dice.drawn


def test_what_hurts_itself_behind_a_substitute_hits_that_of_the_other(
    battle: Game, dice: Dice
) -> None:
    battle.own.volatile2 = battle.enemy.volatile2 = HAS_SUBSTITUTE
    battle.poke("wEnemySubstituteHP", QUARTER)
    dice.roll(0, 200, 200, 255)
    assert battles.shows(even.use_effect(battle, CRASH), "fell on its nose")
    assert (battle.own.lost, battle.byte("wEnemySubstituteHP")) == (0, QUARTER - 1)


def test_a_substitute_needs_a_quarter_of_the_hp(battle: Game) -> None:
    battle.own.hp = QUARTER - 1
    assert battles.shows(even.use_effect(battle, SUBSTITUTE), "nothing comes")
    assert battle.own.hp == QUARTER - 1


@pytest.mark.parametrize("kind", [POISONS, CONFUSE, LOWER])
def test_a_substitute_blocks_most_effects(battle: Game, dice: Dice, kind: int) -> None:
    battle.enemy.volatile2 = HAS_SUBSTITUTE
    dice.roll(0, usual=0)
    assert battles.shows(even.use_effect(battle, kind), "nothing comes")
    assert (battle.enemy.status, battle.enemy.volatile1) == (0, 0)


def test_sleep_passes_through_a_substitute(battle: Game, dice: Dice) -> None:
    battle.enemy.volatile2, battle.enemy.speed = HAS_SUBSTITUTE, 100
    dice.roll(0, 0, 255)
    even.use_effect(battle, SLEEP)
    assert battle.enemy.status == 7


def test_counter_returns_twice_the_damage(battle: Game, dice: Dice) -> None:
    power = battles.DEX.move(PLAIN).power
    battle.enemy.knows(PLAIN)
    even.use(battle, COUNTER)  # last, though it is faster
    assert (battle.own.lost, battle.enemy.lost) == (even.hit(power), 2 * even.hit(power))
    battle.enemy.knows(battles.with_effect(DRAIN).number)  # of another type
    assert battles.shows(even.use(battle, COUNTER), "missed")
    assert battle.enemy.lost <= 2 * even.hit(power)
    assert len(dice.drawn) > 1


def with_badge(start: Start, badge: int) -> Game:
    return even.enter(lambda name: start(name).poke("wObtainedBadges", badge))


@pytest.mark.parametrize("badge", BADGES)
def test_a_badge_boost_is_an_eighth_and_applies_again(start: Start, badge: int) -> None:
    game, boosted = with_badge(start, badge), BADGES[badge]
    plain = dict(zip(even.NAMES, (even.STAT, even.STAT, even.OWN_SPEED, even.STAT), strict=True))
    stats = plain | {boosted: plain[boosted] + plain[boosted] // 8}
    assert {name: getattr(game.own, name) for name in even.NAMES} == stats
    assert game.own.plain == list(plain.values())
    even.use_effect(game, 10 if badge != 1 else 13)  # another stat
    assert getattr(game.own, boosted) == stats[boosted] + stats[boosted] // 8
    assert game.enemy.attack == even.STAT


def test_badge_boosts_apply_again_when_the_enemy_lowers_a_stat(start: Start) -> None:
    game = with_badge(start, 1)
    game.enemy.knows(battles.with_effect(LOWER).number)
    with rolled_dice(game) as dice:
        dice.roll(0)
        even.use(game, PLAIN)
    assert (game.own.stages[1], game.own.attack) == (6, 45 + 45 // 8)


STATS: Final = (50, 50, 80, 50)


@pytest.fixture
def team(bedroom: Game) -> Game:
    hurt, fainted = battles.Mon(3, hp=60, max_hp=200, stats=STATS), battles.Mon(7, hp=0, max_hp=90)
    return battles.set_team(bedroom, hurt, fainted)


@pytest.fixture
def wild(team: Game) -> Game:
    """A wild battle at its first menu."""
    return battles.meet(team, 33, 5)


def open_bag(game: Game, item: int) -> Game:
    """Open the bag in battle with two of one item in it."""
    game.bag = [(item, 2)]
    return battles.choose(game, battles.BAG).to_cursor(LIST)


def use_item(game: Game, item: int) -> Game:
    """Press A on the only item in the bag."""
    return open_bag(game, item).press("a")


def turn_is_over(game: Game) -> None:
    battles.read_on(game)
    assert battles.is_at_menu(game), game.text
    assert game.byte("wEnemySelectedMove")


def test_the_list_opens_at_once_and_b_costs_no_turn(wild: Game) -> None:
    assert open_bag(wild, menus.POTION).byte("wListMenuID") == 3
    wild.press("b").to_cursor(battles.BAG)
    assert wild.byte("wEnemySelectedMove") == wild.byte("wActionResultOrTookBattleTurn") == 0


def test_a_potion_heals_the_active_pokemon_and_the_enemy_acts(wild: Game) -> None:
    use_item(wild, menus.POTION).to_cursor(PARTY).press("a").wait(lambda: wild.has_arrow, 300)
    assert wild.said == "AAAA has 20 HP more!"
    assert wild.own.hp == 80  # before the enemy acts
    turn_is_over(wild.press("b"))
    assert wild.byte("wPlayerSelectedMove") == wild.byte("wActionResultOrTookBattleTurn") == 0
    assert wild.bag == [(menus.POTION, 1)]
    assert battles.party_hp(wild) == wild.own.hp


def test_a_potion_heals_an_inactive_pokemon(wild: Game) -> None:
    use_item(wild, menus.REVIVE).to_cursor(PARTY).press("down", "a")
    assert "BBBB" in menus.read(wild)
    turn_is_over(wild)
    assert battles.party_hp(wild, 1) == 45


def test_an_item_without_effect_costs_no_turn(wild: Game) -> None:
    use_item(wild, menus.ANTIDOTE).to_cursor(PARTY).press("a")
    assert "nothing" in menus.read(wild)
    wild.to_cursor(LIST).press("a").to_cursor(PARTY).press("b").to_cursor(LIST).press("b")
    wild.to_cursor(battles.BAG)
    assert (wild.bag, wild.byte("wEnemySelectedMove")) == ([(menus.ANTIDOTE, 2)], 0)


@pytest.mark.parametrize(
    ("item", "state", "stat"),
    [
        (menus.BURN_HEAL, battles.BURN, "attack"),
        (menus.PARALYZE_HEAL, battles.PARALYSIS, "speed"),
        (menus.ANTIDOTE, battles.POISON, "defense"),
        (menus.AWAKENING, 3, "special"),
    ],
)
def test_curing_a_status_restores_the_stats(team: Game, item: int, state: int, stat: str) -> None:
    battles.set_team(team, battles.Mon(3, hp=60, max_hp=200, status=state, stats=STATS))
    wild = use_item(battles.meet(team, 33, 5), item).to_cursor(PARTY).press("a")
    assert menus.read(wild).startswith("AAAA")
    assert wild.own.status == 0
    assert getattr(wild.own, stat) == dict(zip(even.NAMES, STATS, strict=True))[stat]


@pytest.mark.parametrize(("item", "stat"), [(65, 0), (66, 1), (67, 2), (68, 3)])
def test_a_tonic_raises_a_stage(wild: Game, item: int, stat: int) -> None:
    use_item(wild, item)
    assert "used the" in menus.read(wild)
    assert "rose" in menus.read(wild)
    assert wild.own.stages[stat] == 8
    turn_is_over(wild)
    assert wild.bag == [(item, 1)]


LEADER, SPARING, CARELESS = 34, 25, 1
BRAM, WISP, GANNET, HOLLIS, TANSY, MAUD, ROOK = 33, 35, 36, 37, 44, 46, 47
BADLY_POISONED, NOT_COUNTED = 1, 0xFF
MOSS, BROOK, HEARTH = 22, 21, 20


def face(game: Game, trainer_class: int, *moves: int) -> Game:
    """Begin a battle of equals with a trainer, whose first Pokemon knows some moves."""
    own = battles.Mon(
        3, 20, even.HP, even.HP, (even.STAT, even.STAT, even.OWN_SPEED, even.STAT), experience=9000
    )
    battles.challenge(battles.set_team(game, own), trainer_class, 1)
    even.steady(game.enemy, even.ENEMY_SPEED)
    even.steady(game.own, even.OWN_SPEED)
    if moves:
        game.enemy.knows(*moves)
    return game


def chosen(game: Game, dice: Dice, byte: int) -> int:
    """Return the enemy's choice for the next turn when the random byte is `byte`."""
    game.own.hp = game.enemy.hp = even.HP
    dice.roll(byte)
    even.use_effect(game, RAISE)
    game.own.stages = even.NO_STAGES
    return game.byte("wEnemySelectedMove")


def choices(game: Game, dice: Dice) -> set[int]:
    return {chosen(game, dice, byte) for byte in (0, 100, 150, 255)}


def test_trainers_without_modifications_choose_like_wild_pokemon(bedroom: Game, dice: Dice) -> None:
    nap = battles.with_effect(SLEEP).number
    game = face(bedroom, CARELESS, PLAIN, nap)
    game.own.status = battles.PARALYSIS
    assert [chosen(game, dice, byte) for byte in (0, 255)] == [PLAIN, nap]


def test_other_trainers_avoid_status_moves_on_a_target_with_status(
    bedroom: Game, dice: Dice
) -> None:
    afflicting = [battles.with_effect(effect).number for effect in (32, 66, 67)]
    game = face(bedroom, SPARING, *afflicting, PLAIN)
    assert chosen(game, dice, 0) == afflicting[0]
    game.own.status = battles.POISON
    assert choices(game, dice) == {PLAIN}


def test_leaders_prefer_effective_moves_and_avoid_weak_ones(bedroom: Game, dice: Dice) -> None:
    moss, brook, hearth = (
        next(each.number for each in battles.moves() if each.type == kind and each.power > 1)
        for kind in (MOSS, BROOK, HEARTH)
    )
    game = face(bedroom, LEADER)
    game.own.type1 = game.own.type2 = MOSS
    for known, best in (
        ((moss, brook, hearth, PLAIN), hearth),
        ((moss, PLAIN), PLAIN),
        ((moss,), moss),
    ):
        game.enemy.knows(*known)
        assert choices(game, dice) == {best}


def test_a_leader_cures_status_five_times_for_each_pokemon(bedroom: Game, dice: Dice) -> None:
    game = face(bedroom, LEADER, PLAIN)
    assert game.byte("wAICount") == NOT_COUNTED
    for left in (4, 3, 2, 1, 0):
        game.enemy.status, game.enemy.volatile3 = battles.POISON, BADLY_POISONED
        dice.roll()
        assert battles.shows(even.use_effect(game, RAISE), "helps")
        assert (game.enemy.status, game.enemy.volatile3) == (0, 0)
        assert game.own.lost == 0  # the leader used up his turn
        assert game.byte("wAICount") == left
    game.enemy.status = battles.POISON
    assert not battles.shows(even.use_effect(game, RAISE), "helps")
    assert game.own.lost > 0


@pytest.mark.parametrize(
    ("trainer", "part", "byte", "heals"),
    [(HOLLIS, 10, 127, 50), (TANSY, 5, 127, 50), (MAUD, 4, 127, 50), (ROOK, 5, 127, 200)],
)
def test_a_trainer_heals_below_a_part_of_the_hp_every_other_time(
    bedroom: Game, dice: Dice, trainer: int, part: int, byte: int, heals: int
) -> None:
    game, low = face(bedroom, trainer, PLAIN), even.HP // part
    for left, drawn, helps in (
        (low, byte, False),
        (low - 1, byte + 1, False),
        (low - 1, byte, True),
    ):
        game.enemy.hp = left
        dice.roll(0, drawn)
        assert battles.shows(even.use_effect(game, RAISE), "helps") == helps
        assert game.enemy.hp == (min(left + heals, even.HP) if helps else left)


@pytest.mark.parametrize(("trainer", "stat", "uses"), [(BRAM, 1, 2), (WISP, 1, 1), (GANNET, 2, 1)])
def test_a_trainer_raises_a_stat_once_in_four(
    bedroom: Game, dice: Dice, trainer: int, stat: int, uses: int
) -> None:
    game = face(bedroom, trainer, PLAIN)
    for drawn, stage in ((64, 7), (63, 8), (0, 7 + uses)):
        dice.roll(0, drawn)
        even.use_effect(game, RAISE)
        assert game.enemy.stages[stat] == stage


def test_a_trainer_of_one_class_sends_another_instead_of_a_move(bedroom: Game, dice: Dice) -> None:
    game = face(bedroom, MAUD)
    for drawn, out in ((20, 0), (19, 1)):
        dice.roll(0, drawn)
        even.use_effect(game, RAISE)
        assert game.byte("wEnemyMonPartyPos") == out


def test_no_other_trainer_class_uses_items(bedroom: Game, dice: Dice) -> None:
    game = face(bedroom, SPARING)
    game.enemy.status = battles.POISON
    dice.roll()
    assert not battles.shows(even.use_effect(game, RAISE), "helps")
    assert game.byte("wAICount") == 0
