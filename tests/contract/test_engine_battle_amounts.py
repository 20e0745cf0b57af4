"""Damage and healing by moves and items in battles of the demo, and how trainers choose moves."""

from __future__ import annotations

from typing import Final

import pytest

from tests.contract import battles, things
from tests.contract.arena import (
    HP,
    LEVEL,
    NAMES,
    STAT,
    Dice,
    begin,
    counters,
    enter,
    hit,
    hp,
    lost,
    read_until,
    set_counter,
    set_status,
    status,
    steady,
    use,
    use_effect,
)
from tests.contract.battles import (
    BAG,
    BURN,
    DEX,
    FREEZE,
    PARALYSIS,
    POISON,
    Mon,
    shows,
    with_effect,
)
from tests.contract.game import Game, Start
from tests.contract.things import LIST, PARTY

ONE_HIT, HALF, CRASH, EXPLODE, DREAM, DRAIN = 38, 40, 45, 7, 8, 3
HAZE, MIST, FOCUS, HEAL, LIGHT_SCREEN, REFLECT, SUBSTITUTE = 25, 46, 47, 56, 64, 65, 79
RAISE, LOWER, MAY_LOWER, SLEEP, POISONS, CONFUSE = 11, 19, 70, 32, 66, 49
BY_LEVEL, TAKES_20, TAKES_40, BY_CHANCE, SLEEPER, COUNTER = 69, 49, 82, 149, 156, 68
MISTY, FOCUSED, HAS_SUBSTITUTE, SEEDED = 0x02, 0x04, 0x10, 0x80
PLAIN = 1
QUARTER: Final = HP // 4


@pytest.mark.parametrize(("number", "damage"), [(TAKES_20, 20), (TAKES_40, 40), (BY_LEVEL, LEVEL)])
def test_fixed_amounts(arena: Game, dice: Dice, number: int, damage: int) -> None:
    battles.set_field(arena, "enemy", "type1", 5)  # types do not count
    use(arena, number)
    assert lost(arena, "enemy") == damage
    assert len(dice.drawn) == 2  # the enemy's choice, and whether it hits


@pytest.mark.parametrize(("byte", "damage"), [(0, 1), (128, 15), (255, 29)])
def test_a_random_amount(arena: Game, dice: Dice, byte: int, damage: int) -> None:
    dice.roll([0, 0, byte])
    use(arena, BY_CHANCE)
    assert lost(arena, "enemy") == damage


def test_half_of_the_remaining_hp(arena: Game, dice: Dice) -> None:
    for before, after in ((HP, HP // 2), (7, 4)):
        battles.set_field(arena, "enemy", "hp", before)
        use_effect(arena, HALF)
        assert hp(arena, "enemy") == after
    assert not set(dice.drawn) - {200}
    battles.set_field(arena, "enemy", "hp", 1)
    begin(arena, with_effect(HALF).number)
    read_until(arena, "fainted")


def test_a_one_hit_knockout_needs_a_target_that_is_not_faster(arena: Game, dice: Dice) -> None:
    number = with_effect(ONE_HIT).number
    battles.set_field(arena, "enemy", "speed", 61)
    dice.roll([0], usual=0)
    assert shows(use(arena, number), "missed")
    battles.set_field(arena, "enemy", "speed", 60)
    dice.roll([0, 0, 0, 0, 76])  # who moves first, critical, roll, hit
    assert shows(use(arena, number), "missed")
    assert lost(arena, "enemy") == 0
    dice.roll([0, 0, 0, 0, 75])
    begin(arena, number)
    read_until(arena, "One blow settles")
    assert hp(arena, "enemy") == 0
    assert arena.byte("wCriticalHitOrOHKO") == 2


def test_a_missed_jump_attack_hurts_its_user(arena: Game, dice: Dice) -> None:
    dice.roll([0, 200, 200, 255])
    assert shows(use_effect(arena, CRASH), "fell on its nose")
    assert lost(arena, "own") == 1


@pytest.mark.parametrize("byte", [0, 255])
def test_an_exploding_pokemon_faints_even_on_a_miss(arena: Game, dice: Dice, byte: int) -> None:
    move = with_effect(EXPLODE)
    dice.roll([0, 200, 200, byte])
    begin(arena, move.number)
    read_until(arena, "able to fight")
    assert hp(arena, "own") == 0
    assert lost(arena, "enemy") == (0 if byte else hit(move.power, defense=STAT // 2))


def test_dream_eater_needs_a_sleeping_target(arena: Game, dice: Dice) -> None:
    move = with_effect(DREAM)
    battles.set_field(arena, "own", "hp", 100)
    assert shows(use(arena, move.number), "missed")
    battles.set_field(arena, "enemy", "status", 3)
    battles.set_field(arena, "enemy", "special", STAT)
    dice.roll([200, 200, 0])
    use(arena, move.number)
    assert lost(arena, "enemy") == hit(move.power)
    assert hp(arena, "own") == 100 + hit(move.power) // 2


def test_screens_double_the_defense_except_for_critical_hits(arena: Game, dice: Dice) -> None:
    power = DEX.move(PLAIN).power
    set_status(arena, "enemy", 3, 4)
    use(arena, PLAIN)
    assert lost(arena, "enemy") == hit(power, defense=2 * STAT)
    battles.set_field(arena, "enemy", "hp", HP)
    set_status(arena, "enemy", 3, 2)  # for the other kind of attack
    use(arena, PLAIN)
    assert lost(arena, "enemy") == hit(power)
    battles.set_field(arena, "enemy", "hp", HP)
    set_status(arena, "enemy", 3, 4)
    dice.roll([0, 0])
    use(arena, PLAIN)
    assert lost(arena, "enemy") > hit(power)


@pytest.mark.parametrize(
    ("kind", "byte", "bit"),
    [(MIST, 2, MISTY), (FOCUS, 2, FOCUSED), (LIGHT_SCREEN, 3, 2), (REFLECT, 3, 4)],
)
def test_an_active_effect_cannot_be_used_again(arena: Game, kind: int, byte: int, bit: int) -> None:
    use_effect(arena, kind)
    assert status(arena, "own", byte) == bit
    assert shows(use_effect(arena, kind), "nothing comes")


def test_mist_keeps_stats_from_falling(arena: Game, dice: Dice) -> None:
    set_status(arena, "enemy", 2, MISTY)
    dice.roll([0], usual=0)
    assert shows(use_effect(arena, LOWER), "lost in mist")
    dice.roll([0, 200], usual=0)
    use_effect(arena, MAY_LOWER)
    assert arena.block("wEnemyMonStatMods", 3) == b"\7" * 3


def test_focus_energy_quarters_the_critical_hit_rate(arena: Game, dice: Dice) -> None:
    half = DEX.species(3).base.speed // 2
    set_status(arena, "own", 2, FOCUSED)
    for byte in (half // 4 - 1, half // 4):
        dice.roll([0, byte])
        assert shows(use(arena, PLAIN), "critical") == (byte < half // 4)


def test_haze_removes_all_changes(arena: Game, dice: Dice) -> None:
    for side, label in (("own", "wPlayerMonStatMods"), ("enemy", "wEnemyMonStatMods")):
        arena.poke(label, bytes(range(4, 10)))
        set_status(arena, side, 1, 0x80)
        set_counter(arena, side, 1, 5)
        set_counter(arena, side, 3, 0x23)
        battles.set_field(arena, side, "attack", 77)
    arena.poke("wPlayerDisabledMoveNumber", b"\2")
    set_status(arena, "own", 2, MISTY | FOCUSED | SEEDED)
    set_status(arena, "own", 3, 7)
    battles.set_field(arena, "own", "status", PARALYSIS)
    battles.set_field(arena, "enemy", "status", FREEZE)
    dice.roll([], usual=100)  # neither confused nor paralyzed just now
    begin(arena, with_effect(HAZE).number)
    read_until(arena, "as it was before")
    for side, label in (("own", "wPlayerMonStatMods"), ("enemy", "wEnemyMonStatMods")):
        assert arena.block(label, 6) == b"\7" * 6
        assert [battles.field(arena, side, name) for name in NAMES[:2]] == [STAT, STAT]
        assert [status(arena, side, byte) for byte in (1, 2, 3)] == [0, 0, 0]
        assert counters(arena, side)[1::2] == (0, 0)
    assert battles.field(arena, "enemy", "status") == 0
    assert battles.field(arena, "own", "status") == PARALYSIS
    battles.read_on(arena)
    assert arena.block("wEnemyMonStatMods", 6) == b"\7" * 6  # it was frozen when the turn began


def test_recovery_moves_restore_half_or_all_hp(arena: Game) -> None:
    assert shows(use_effect(arena, HEAL), "nothing comes")
    battles.set_field(arena, "own", "hp", 10)
    use_effect(arena, HEAL)
    assert hp(arena, "own") == 10 + HP // 2
    battles.set_field(arena, "own", "status", POISON)
    begin(arena, SLEEPER)
    read_until(arena, "sleeps it all off")
    assert (hp(arena, "own"), battles.field(arena, "own", "status")) == (HP, 2)


def test_a_substitute_takes_the_hits(arena: Game, dice: Dice) -> None:
    battles.set_moves(arena, "enemy", [PLAIN])
    power = DEX.move(PLAIN).power
    use_effect(arena, SUBSTITUTE)
    assert lost(arena, "own") == QUARTER
    assert status(arena, "own", 2) == HAS_SUBSTITUTE
    assert arena.byte("wPlayerSubstituteHP") == QUARTER - hit(power)
    assert shows(use_effect(arena, SUBSTITUTE), "nothing comes")
    arena.poke("wPlayerSubstituteHP", hit(power) - 1)
    assert shows(use_effect(arena, 13), "blown away")
    assert lost(arena, "own") == QUARTER
    assert (status(arena, "own", 2), arena.byte("wPlayerSubstituteHP")) == (0, 0)
    assert dice.drawn


def test_what_hurts_itself_behind_a_substitute_hits_that_of_the_other(
    arena: Game, dice: Dice
) -> None:
    for side in ("own", "enemy"):
        set_status(arena, side, 2, HAS_SUBSTITUTE)
    arena.poke("wEnemySubstituteHP", QUARTER)
    dice.roll([0, 200, 200, 255])
    assert shows(use_effect(arena, CRASH), "fell on its nose")
    assert lost(arena, "own") == 0
    assert arena.byte("wEnemySubstituteHP") == QUARTER - 1


def test_a_substitute_needs_a_quarter_of_the_hp(arena: Game) -> None:
    battles.set_field(arena, "own", "hp", QUARTER - 1)
    assert shows(use_effect(arena, SUBSTITUTE), "nothing comes")
    assert hp(arena, "own") == QUARTER - 1


@pytest.mark.parametrize("kind", [POISONS, CONFUSE, LOWER])
def test_a_substitute_blocks_most_effects(arena: Game, dice: Dice, kind: int) -> None:
    set_status(arena, "enemy", 2, HAS_SUBSTITUTE)
    dice.roll([0], usual=0)
    assert shows(use_effect(arena, kind), "nothing comes")
    assert battles.field(arena, "enemy", "status") == 0
    assert status(arena, "enemy") == 0


def test_sleep_passes_through_a_substitute(arena: Game, dice: Dice) -> None:
    set_status(arena, "enemy", 2, HAS_SUBSTITUTE)
    battles.set_field(arena, "enemy", "speed", 100)
    dice.roll([0, 0, 255])
    use_effect(arena, SLEEP)
    assert battles.field(arena, "enemy", "status") == 7


def test_counter_returns_twice_the_damage(arena: Game, dice: Dice) -> None:
    battles.set_moves(arena, "enemy", [PLAIN])
    use(arena, COUNTER)  # last, though it is faster
    power = DEX.move(PLAIN).power
    assert lost(arena, "own") == hit(power)
    assert lost(arena, "enemy") == 2 * hit(power)
    battles.set_moves(arena, "enemy", [with_effect(DRAIN).number])  # of another type
    assert shows(use(arena, COUNTER), "missed")
    assert lost(arena, "enemy") <= 2 * hit(power)
    assert len(dice.drawn) > 1


BADGES: Final = {0x01: "attack", 0x04: "defense", 0x10: "speed", 0x40: "special"}


@pytest.mark.parametrize("badge", BADGES)
def test_a_badge_boost_is_an_eighth_and_applies_again(start: Start, badge: int) -> None:
    game = start("bedroom")
    game.poke("wObtainedBadges", badge)
    game = enter(lambda _: game)
    stats = dict(zip(NAMES, (STAT, STAT, 60, STAT), strict=True))
    stats[BADGES[badge]] += stats[BADGES[badge]] // 8
    assert {name: battles.field(game, "own", name) for name in NAMES} == stats
    plain = game.block("wPlayerMonUnmodifiedLevel", 11)
    assert [int.from_bytes(plain[i : i + 2]) for i in (3, 5, 7, 9)] == [STAT, STAT, 60, STAT]
    use_effect(game, 10 if badge != 1 else 13)  # another stat
    again = stats[BADGES[badge]]
    assert battles.field(game, "own", BADGES[badge]) == again + again // 8
    assert battles.field(game, "enemy", "attack") == STAT


def test_badge_boosts_apply_again_when_the_enemy_lowers_a_stat(start: Start) -> None:
    game = start("bedroom")
    game.poke("wObtainedBadges", b"\1")
    game = enter(lambda _: game)
    battles.set_moves(game, "enemy", [with_effect(LOWER).number])
    with Dice(game) as dice:
        dice.roll([0])
        use(game, PLAIN)
    assert game.byte("wPlayerMonStatMods", 1) == 6
    assert battles.field(game, "own", "attack") == 45 + 45 // 8


BASE = 7  # a stage of no change


@pytest.fixture
def team(start: Start) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    battles.set_team(
        game, Mon(3, hp=60, max_hp=200, stats=(50, 50, 80, 50)), Mon(7, hp=0, max_hp=90)
    )
    return game


@pytest.fixture
def wild(team: Game) -> Game:
    """A wild battle at its first menu."""
    return battles.meet(team, 33, 5)


def use_item(game: Game, item: int, count: int = 2) -> Game:
    """Open the bag in battle with one item in it, and press A on it."""
    things.fill_bag(game, (item, count))
    battles.choose(game, BAG)
    things.to_cursor(game, LIST).press("a")
    return game


def turn_is_over(game: Game) -> None:
    battles.read_on(game)
    assert battles.is_at_menu(game), game.text
    assert game.byte("wEnemySelectedMove")


def test_the_list_opens_at_once_and_b_costs_no_turn(wild: Game) -> None:
    things.fill_bag(wild, (things.POTION, 2))
    battles.choose(wild, BAG)
    things.to_cursor(wild, LIST)
    assert wild.byte("wListMenuID") == 3
    wild.press("b")
    things.to_cursor(wild, BAG)
    assert wild.byte("wEnemySelectedMove") == 0
    assert wild.byte("wActionResultOrTookBattleTurn") == 0


def test_a_potion_heals_the_active_pokemon_and_the_enemy_acts(wild: Game) -> None:
    use_item(wild, things.POTION)
    things.to_cursor(wild, PARTY).press("a")
    wild.wait(lambda: wild.has_arrow, 300)
    assert wild.said == "AAAA has 20 HP more!"
    assert battles.field(wild, "own", "hp") == 80  # before the enemy acts
    wild.press("b")
    turn_is_over(wild)
    assert wild.byte("wPlayerSelectedMove") == 0
    assert wild.byte("wActionResultOrTookBattleTurn") == 0
    assert things.bag(wild) == [(things.POTION, 1)]
    assert int.from_bytes(battles.party_mon(wild, 0)[1:3]) == battles.field(wild, "own", "hp")


def test_a_potion_heals_an_inactive_pokemon(wild: Game) -> None:
    use_item(wild, things.REVIVE)
    things.to_cursor(wild, PARTY).press("down")
    wild.press("a")
    assert "BBBB" in things.read(wild)
    turn_is_over(wild)
    assert int.from_bytes(battles.party_mon(wild, 1)[1:3]) == 45


def test_an_item_without_effect_costs_no_turn(wild: Game) -> None:
    use_item(wild, things.ANTIDOTE)
    things.to_cursor(wild, PARTY).press("a")
    assert "nothing" in things.read(wild)
    things.to_cursor(wild, LIST).press("a")
    things.to_cursor(wild, PARTY).press("b")
    things.to_cursor(wild, LIST).press("b")
    things.to_cursor(wild, BAG)
    assert things.bag(wild) == [(things.ANTIDOTE, 2)]
    assert wild.byte("wEnemySelectedMove") == 0


@pytest.mark.parametrize(
    ("item", "state", "stat"),
    [
        (things.BURN_HEAL, BURN, "attack"),
        (things.PARALYZE_HEAL, PARALYSIS, "speed"),
        (things.ANTIDOTE, POISON, "defense"),
        (things.AWAKENING, 3, "special"),
    ],
)
def test_curing_a_status_restores_the_stats(team: Game, item: int, state: int, stat: str) -> None:
    stats = (50, 50, 80, 50)
    battles.set_team(team, Mon(3, hp=60, max_hp=200, status=state, stats=stats))
    wild = battles.meet(team, 33, 5)
    use_item(wild, item)
    things.to_cursor(wild, PARTY).press("a")
    assert things.read(wild).startswith("AAAA")
    assert battles.field(wild, "own", "status") == 0
    own = dict(zip(("attack", "defense", "speed", "special"), stats, strict=True))
    assert battles.field(wild, "own", stat) == own[stat]


@pytest.mark.parametrize(("item", "stat"), [(65, 0), (66, 1), (67, 2), (68, 3)])
def test_a_tonic_raises_a_stage(wild: Game, item: int, stat: int) -> None:
    use_item(wild, item)
    assert "used the" in things.read(wild)
    assert "rose" in things.read(wild)
    assert wild.byte("wPlayerMonStatMods", stat) == BASE + 1
    turn_is_over(wild)
    assert things.bag(wild) == [(item, 1)]


LEADER, SPARING, CARELESS = 34, 25, 1
BADLY_POISONED = 1
MOSS, BROOK, HEARTH = 22, 21, 20


@pytest.fixture
def home(start: Start) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    own = Mon(3, hp=HP, max_hp=HP, level=20, stats=(40, 40, 60, 40), experience=9000)
    battles.set_team(game, own)
    return game


def face(game: Game, trainer_class: int) -> None:
    battles.challenge(game, trainer_class, 1)
    steady(game, "enemy")
    steady(game, "own")


def chosen(game: Game, dice: Dice, byte: int) -> int:
    """Return the enemy's choice for the next turn when the random byte is `byte`."""
    for side in ("own", "enemy"):
        battles.set_field(game, side, "hp", HP)
    dice.roll([byte])
    use_effect(game, RAISE)
    game.poke("wPlayerMonStatMods", b"\7" * 6)
    return game.byte("wEnemySelectedMove")


def choices(game: Game, dice: Dice) -> set[int]:
    return {chosen(game, dice, byte) for byte in (0, 100, 150, 255)}


def test_trainers_without_modifications_choose_like_wild_pokemon(home: Game, dice: Dice) -> None:
    face(home, CARELESS)
    nap = with_effect(SLEEP).number
    battles.set_field(home, "own", "status", PARALYSIS)
    battles.set_moves(home, "enemy", [PLAIN, nap])
    assert chosen(home, dice, 0) == PLAIN
    assert chosen(home, dice, 255) == nap


def test_other_trainers_avoid_status_moves_on_a_target_with_status(home: Game, dice: Dice) -> None:
    face(home, SPARING)
    afflicting = [with_effect(effect).number for effect in (32, 66, 67)]
    battles.set_moves(home, "enemy", [*afflicting, PLAIN])
    assert chosen(home, dice, 0) == afflicting[0]
    battles.set_field(home, "own", "status", POISON)
    assert choices(home, dice) == {PLAIN}


def typed(game: Game, kind: int) -> int:
    return next(m.number for m in battles.moves() if m.type == kind and m.power > 1)


def test_leaders_prefer_effective_moves_and_avoid_weak_ones(home: Game, dice: Dice) -> None:
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


NOT_COUNTED = 0xFF
BRAM, WISP, GANNET, HOLLIS, TANSY, MAUD, ROOK = 33, 35, 36, 37, 44, 46, 47


def test_a_leader_cures_status_five_times_for_each_pokemon(home: Game, dice: Dice) -> None:
    face(home, LEADER)
    battles.set_moves(home, "enemy", [PLAIN])
    assert home.byte("wAICount") == NOT_COUNTED
    for left in (4, 3, 2, 1, 0):
        battles.set_field(home, "enemy", "status", POISON)
        set_status(home, "enemy", 3, BADLY_POISONED)
        dice.roll([])
        assert shows(use_effect(home, RAISE), "helps")
        assert battles.field(home, "enemy", "status") == 0
        assert status(home, "enemy", 3) == 0
        assert hp(home, "own") == HP  # the leader used up his turn
        assert home.byte("wAICount") == left
    battles.set_field(home, "enemy", "status", POISON)
    assert not shows(use_effect(home, RAISE), "helps")
    assert hp(home, "own") < HP


@pytest.mark.parametrize(
    ("trainer", "part", "byte", "heals"),
    [(HOLLIS, 10, 127, 50), (TANSY, 5, 127, 50), (MAUD, 4, 127, 50), (ROOK, 5, 127, 200)],
)
def test_a_trainer_heals_below_a_part_of_the_hp_every_other_time(
    home: Game, dice: Dice, trainer: int, part: int, byte: int, heals: int
) -> None:
    face(home, trainer)
    battles.set_moves(home, "enemy", [PLAIN])
    for left, drawn, helps in (
        (HP // part, byte, False),
        (HP // part - 1, byte + 1, False),
        (HP // part - 1, byte, True),
    ):
        battles.set_field(home, "enemy", "hp", left)
        dice.roll([0, drawn])
        assert shows(use_effect(home, RAISE), "helps") == helps
        assert hp(home, "enemy") == (min(left + heals, HP) if helps else left)


@pytest.mark.parametrize(("trainer", "stat", "uses"), [(BRAM, 1, 2), (WISP, 1, 1), (GANNET, 2, 1)])
def test_a_trainer_raises_a_stat_once_in_four(
    home: Game, dice: Dice, trainer: int, stat: int, uses: int
) -> None:
    face(home, trainer)
    battles.set_moves(home, "enemy", [PLAIN])
    for drawn, stage in ((64, 7), (63, 8), (0, 7 + uses)):
        dice.roll([0, drawn])
        use_effect(home, RAISE)
        assert home.block("wEnemyMonStatMods", 6)[stat] == stage


def test_a_trainer_of_one_class_sends_another_instead_of_a_move(home: Game, dice: Dice) -> None:
    face(home, MAUD)
    dice.roll([0, 20])
    use_effect(home, RAISE)
    assert home.byte("wEnemyMonPartyPos") == 0
    dice.roll([0, 19])
    use_effect(home, RAISE)
    assert home.byte("wEnemyMonPartyPos") == 1


def test_no_other_trainer_class_uses_items(home: Game, dice: Dice) -> None:
    face(home, SPARING)
    battles.set_field(home, "enemy", "status", POISON)
    dice.roll([])
    assert not shows(use_effect(home, RAISE), "helps")
    assert home.byte("wAICount") == 0
