"""Battle arithmetic: examples computed by hand, and properties for all values."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator import Ram, read_state
from emulator.ram.party import Dvs, Stats
from emulator.rules.arithmetic import rolled
from emulator.rules.damage import (
    ROLLS,
    Spread,
    critical_chance,
    damage_spread,
    full_damage,
    hit_chance,
    run_chance,
    use_spread,
)
from emulator.rules.moves import Attacker, Defender, MoveData
from emulator.rules.rule_book import RuleBook, StageRatio, TypeChart
from emulator.rules.stats import Growth, experience_gained, staged, stats_of

SHARED: Final = Path(__file__).resolve().parents[4] / "shared" / "red"
PLAIN, HARD, SOFT, NOTHING, HOT = 0, 5, 2, 8, 20
CHART: Final = TypeChart.of(
    [(PLAIN, HARD, 5), (PLAIN, NOTHING, 0), (HARD, SOFT, 20), (HOT, SOFT, 20), (HOT, HARD, 5)]
)
BOOK: Final = RuleBook(
    CHART,
    tuple(
        [
            StageRatio(*pair)
            for pair in (
                *((25, 100), (28, 100), (33, 100), (40, 100), (50, 100), (66, 100), (1, 1)),
                *((15, 10), (2, 1), (25, 10), (3, 1), (35, 10), (4, 1)),
            )
        ]
    ),
)
STEADY, FAST_START, QUICK = (
    Growth(1, 1, 0, 0, 0),
    Growth(6, 5, -15, 100, 140),
    Growth(4, 5, 0, 0, 0),
)
ATTACKER: Final = Attacker(
    level=20,
    types=(SOFT, SOFT),
    attack=60,
    special=50,
    plain_attack=40,
    plain_special=50,
    speed=30,
    base_speed=90,
)
DEFENDER: Final = Defender(
    hp=40,
    types=(PLAIN, PLAIN),
    defense=50,
    special=25,
    plain_defense=50,
    plain_special=25,
    speed=40,
)
MOVE: Final = MoveData(number=1, effect=0, power=40, type=PLAIN, accuracy=255, high_critical=False)


def test_the_formula_by_hand() -> None:
    # 2*20/5+2 = 10; 10*40*60/50 = 480; 480/50 = 9; 9+2 = 11
    assert full_damage(ATTACKER, DEFENDER, MOVE, BOOK) == 11
    assert rolled(full_damage(ATTACKER, DEFENDER, MOVE, BOOK), 217) == 11 * 217 // 255 == 9


def test_a_critical_hit_doubles_the_level_and_ignores_stages() -> None:
    # 2*40/5+2 = 18; 18*40*40/50 = 576; 576/50 = 11; 11+2 = 13
    assert full_damage(ATTACKER, DEFENDER, MOVE, BOOK, critical=True) == 13
    hot = replace(MOVE, type=HOT)
    # 18*40*50/25/50 = 28; 28+2 = 30
    assert full_damage(ATTACKER, DEFENDER, hot, BOOK, critical=True) == 30


def test_same_type_bonus_adds_half_and_matchups_apply_one_by_one() -> None:
    at_home = replace(ATTACKER, types=(HOT, PLAIN))
    assert full_damage(at_home, DEFENDER, MOVE, BOOK) == 11 + 5
    hot = replace(MOVE, type=HOT)  # 10*40*50/25/50 = 16; 16+2 = 18
    assert full_damage(ATTACKER, DEFENDER, hot, BOOK) == 18
    assert full_damage(at_home, replace(DEFENDER, types=(SOFT, HARD)), hot, BOOK) == 27 * 2 // 2
    assert full_damage(at_home, replace(DEFENDER, types=(SOFT, SOFT)), hot, BOOK) == 27 * 2
    assert full_damage(at_home, replace(DEFENDER, types=(HARD, HARD)), hot, BOOK) == 27 // 2
    assert full_damage(ATTACKER, replace(DEFENDER, types=(SOFT, NOTHING)), MOVE, BOOK) == 0


def test_large_stats_are_reduced_to_one_byte() -> None:
    strong = replace(ATTACKER, attack=300)
    # 300/4 = 75, 50/4 = 12; 10*40*75/12 = 2500; 2500/50+2 = 52
    assert full_damage(strong, DEFENDER, MOVE, BOOK) == 52
    tough = replace(DEFENDER, defense=999, reflect=True)  # 1998/4 = 499, of which 243 is left
    # 10*40*15/243/50 = 0; 0+2
    assert full_damage(ATTACKER, tough, MOVE, BOOK) == 2
    wrapping = replace(DEFENDER, defense=512, reflect=True)  # 1024/4 = 256, which is 0
    assert full_damage(ATTACKER, wrapping, MOVE, BOOK) == 10 * 40 * 15 // 1 // 50 + 2


def test_screens_double_and_critical_hits_ignore_them() -> None:
    shielded = replace(DEFENDER, reflect=True, light_screen=True)
    assert full_damage(ATTACKER, shielded, MOVE, BOOK) == 10 * 40 * 60 // 100 // 50 + 2
    assert full_damage(ATTACKER, shielded, replace(MOVE, type=HOT), BOOK) == 8 + 2
    plain = full_damage(ATTACKER, DEFENDER, MOVE, BOOK, critical=True)
    assert full_damage(ATTACKER, shielded, MOVE, BOOK, critical=True) == plain


def test_an_explosion_halves_the_defense() -> None:
    assert full_damage(ATTACKER, DEFENDER, replace(MOVE, effect=7), BOOK) == 960 // 50 + 2
    weak = replace(DEFENDER, defense=1)
    assert full_damage(ATTACKER, weak, replace(MOVE, effect=7), BOOK) == 24000 // 50 + 2


def test_damage_before_types_is_capped() -> None:
    strongest = replace(ATTACKER, level=100, attack=255, types=(PLAIN, PLAIN))
    weak = replace(DEFENDER, defense=1)
    assert full_damage(strongest, weak, replace(MOVE, power=255), BOOK) == 999 + 499


def test_moves_without_power_and_counter_have_no_computed_damage() -> None:
    assert full_damage(ATTACKER, DEFENDER, replace(MOVE, power=0), BOOK) == 0
    assert full_damage(ATTACKER, DEFENDER, replace(MOVE, number=68, power=1), BOOK) == 0


def test_one_point_of_damage_has_no_random_roll() -> None:
    hard = replace(DEFENDER, types=(HARD, HARD), defense=255)
    assert rolled(full_damage(ATTACKER, hard, replace(MOVE, power=1), BOOK), 217) == 1


def test_chances_to_hit() -> None:
    assert hit_chance(ATTACKER, DEFENDER, MOVE, BOOK) == Fraction(255, 256)
    assert hit_chance(ATTACKER, DEFENDER, replace(MOVE, accuracy=178), BOOK) == Fraction(178, 256)
    blind = replace(ATTACKER, accuracy=-1)  # 255*66/100 = 168
    assert hit_chance(blind, DEFENDER, MOVE, BOOK) == Fraction(168, 256)
    nimble = replace(DEFENDER, evasion=1)  # 168*66/100 = 110
    assert hit_chance(blind, nimble, MOVE, BOOK) == Fraction(110, 256)
    assert hit_chance(blind, replace(nimble, evasion=-1), MOVE, BOOK) == Fraction(252, 256)
    assert hit_chance(replace(ATTACKER, accuracy=6), DEFENDER, MOVE, BOOK) == Fraction(255, 256)
    assert hit_chance(replace(ATTACKER, always_hits=True), nimble, MOVE, BOOK) == 1
    assert hit_chance(blind, nimble, replace(MOVE, accuracy=0), BOOK) == Fraction(1, 256)


def test_an_invulnerable_target_is_hit_only_by_swift() -> None:
    away = replace(DEFENDER, invulnerable=True)
    assert hit_chance(replace(ATTACKER, always_hits=True), away, MOVE, BOOK) == 0
    assert hit_chance(ATTACKER, away, replace(MOVE, effect=17), BOOK) == 1


def test_dream_eater_needs_a_sleeping_target() -> None:
    dream = replace(MOVE, effect=8)
    assert hit_chance(ATTACKER, DEFENDER, dream, BOOK) == 0
    assert hit_chance(ATTACKER, replace(DEFENDER, asleep=True), dream, BOOK) == Fraction(255, 256)


def test_chances_of_a_critical_hit() -> None:
    assert critical_chance(ATTACKER, MOVE) == Fraction(45, 256)
    assert critical_chance(replace(ATTACKER, focused=True), MOVE) == Fraction(11, 256)
    sharp = replace(MOVE, high_critical=True)
    assert critical_chance(ATTACKER, sharp) == Fraction(255, 256)
    assert critical_chance(replace(ATTACKER, base_speed=20), sharp) == Fraction(80, 256)
    assert critical_chance(replace(ATTACKER, base_speed=20, focused=True), sharp) == Fraction(
        20, 256
    )
    assert critical_chance(ATTACKER, replace(MOVE, power=0)) == 0


def test_chances_to_run() -> None:
    assert run_chance(40, 40, 1) == 1
    assert run_chance(10, 3, 1) == 1
    assert run_chance(2, 3, 1) == 1  # a quarter of 3 is nothing
    assert run_chance(10, 44, 1) == Fraction(30, 256)  # 320/11 = 29
    assert run_chance(10, 44, 2) == Fraction(60, 256)
    assert run_chance(10, 44, 9) == 1
    assert run_chance(90, 100, 1) == Fraction(116, 256)  # 2880/25 = 115
    assert run_chance(900, 999, 1) == Fraction(116, 256)  # 28800/249 = 115
    assert run_chance(999, 1100, 1) == 1  # a quarter of 1100 leaves 19
    assert run_chance(999, 1025, 1) == 1  # a quarter of 1025 is 256, which wraps to 0


def test_stats_by_hand() -> None:
    base, dvs = Stats(35, 55, 30, 90, 50), Dvs(9, 8, 8, 8)
    # HP has 43 * 2 * 20 / 100, Attack 64 * 2 * 20 / 100, each rounded down
    assert stats_of(base, dvs, 20) == Stats(17 + 30, 25 + 5, 15 + 5, 39 + 5, 23 + 5)
    # the root of 401 rounds up to 21, a quarter of it is 5: ((35+8)*2+5)*20/100 = 18
    assert stats_of(base, dvs, 20, Stats(401, 0, 0, 0, 0)).hp == 18 + 30
    full = Stats(*[0xFFFF] * 5)
    assert stats_of(base, Dvs(15, 15, 15, 15), 100, full).attack == (55 + 15) * 2 + 63 + 5
    assert stats_of(Stats(255, 1, 1, 1, 1), Dvs(15, 15, 15, 15), 255).hp == 999


def test_stages() -> None:
    assert [staged(100, stage, BOOK) for stage in range(-6, 7)] == [
        *(25, 28, 33, 40, 50, 66, 100, 150, 200, 250, 300, 350, 400)
    ]
    assert (staged(1, -6, BOOK), staged(999, 6, BOOK)) == (1, 999)


def test_experience_by_hand() -> None:
    growths = (STEADY, FAST_START, QUICK)
    assert [growth.experience_at(10) for growth in growths] == [1000, 560, 800]
    assert FAST_START.experience_at(1) == (1 << 24) - 54  # as it wraps
    assert FAST_START.level_at(560) == 10
    assert FAST_START.level_at(559) == 9
    assert FAST_START.level_at(0) == 1
    assert QUICK.level_at(1 << 23) == 100


def test_experience_gained_from_a_fainted_enemy() -> None:
    assert experience_gained(64, 5) == 45
    assert experience_gained(65, 5, shared_by=2) == 32 * 5 // 7
    assert experience_gained(64, 5, trainer=True) == 45 + 22
    assert experience_gained(64, 5, trainer=True, traded=True) == 67 + 33


def test_a_damage_spread_has_every_roll_normal_and_critical() -> None:
    spread = damage_spread(ATTACKER, DEFENDER, MOVE, BOOK)
    assert set(spread) == {9, 10, 11, 12, 13}
    # only the highest roll gives the full damage 11, unless a critical hit gives it, too
    low = sum(1 for roll in ROLLS if 13 * roll // 255 == 11) / len(ROLLS)
    assert spread[11] == pytest.approx((211 / len(ROLLS) + 45 * low) / 256)


def test_fixed_damage() -> None:
    def spread(effect: int, number: int = 1) -> Spread:
        move = replace(MOVE, power=1, effect=effect, number=number)
        return damage_spread(ATTACKER, DEFENDER, move, BOOK)

    assert spread(41, 69) == {20: 1.0}
    assert spread(41, 49) == {20: 1.0}
    assert spread(41, 82) == {40: 1.0}
    assert spread(41, 3) == {0: 1.0}
    assert spread(41, 149) == dict.fromkeys(range(1, 30), 1 / 29)
    assert spread(40) == {20: 1.0}


def test_a_one_hit_knockout_fails_on_faster_or_immune_targets() -> None:
    fatal = replace(MOVE, effect=38, power=1)
    fast = replace(ATTACKER, speed=40)
    immune = replace(DEFENDER, types=(NOTHING, NOTHING))
    assert use_spread(ATTACKER, DEFENDER, fatal, BOOK) == {0: 1.0}
    assert use_spread(fast, DEFENDER, fatal, BOOK)[0] == pytest.approx(1 / 256)
    assert use_spread(fast, immune, fatal, BOOK) == {0: 1.0}


def test_all_hits_of_one_use_do_equal_damage() -> None:
    once = damage_spread(ATTACKER, DEFENDER, MOVE, BOOK)
    twice = damage_spread(ATTACKER, DEFENDER, replace(MOVE, effect=44), BOOK)
    assert twice == {2 * amount: chance for amount, chance in once.items()}
    several = damage_spread(ATTACKER, DEFENDER, replace(MOVE, effect=29), BOOK)
    assert several[45] == pytest.approx(once[9] / 8)
    assert sum(several.values()) == pytest.approx(1)


def test_a_miss_does_no_damage() -> None:
    fixed = replace(MOVE, effect=41, number=82, accuracy=128)
    assert use_spread(ATTACKER, DEFENDER, fixed, BOOK) == {40: 0.5, 0: 0.5}
    assert use_spread(ATTACKER, DEFENDER, replace(MOVE, power=0), BOOK) == {0: 1.0}


attackers = st.builds(
    Attacker,
    level=st.integers(1, 100),
    types=st.tuples(st.sampled_from((PLAIN, HARD, HOT)), st.sampled_from((PLAIN, SOFT))),
    attack=st.integers(1, 999),
    special=st.integers(1, 999),
    plain_attack=st.integers(1, 999),
    plain_special=st.integers(1, 999),
    speed=st.integers(1, 999),
    base_speed=st.integers(0, 255),
    accuracy=st.integers(-6, 6),
    focused=st.booleans(),
    always_hits=st.booleans(),
)
defenders = st.builds(
    Defender,
    hp=st.integers(1, 999),
    types=st.tuples(st.sampled_from((PLAIN, HARD, NOTHING)), st.sampled_from((PLAIN, SOFT))),
    defense=st.integers(1, 999),
    special=st.integers(1, 999),
    plain_defense=st.integers(1, 999),
    plain_special=st.integers(1, 999),
    speed=st.integers(1, 999),
    evasion=st.integers(-6, 6),
    reflect=st.booleans(),
    light_screen=st.booleans(),
    invulnerable=st.booleans(),
    asleep=st.booleans(),
)
moves = st.builds(
    MoveData,
    number=st.integers(1, 165),
    effect=st.integers(0, 86),
    power=st.integers(0, 255),
    type=st.sampled_from((PLAIN, HARD, SOFT, HOT)),
    accuracy=st.integers(0, 255),
    high_critical=st.booleans(),
)


@given(attackers, defenders, moves)
def test_all_probabilities_are_between_zero_and_one(a: Attacker, d: Defender, m: MoveData) -> None:
    spread = damage_spread(a, d, m, BOOK)
    assert sum(spread.values()) == pytest.approx(1)
    assert all(amount >= 0 for amount in spread)
    for chance in (hit_chance(a, d, m, BOOK), critical_chance(a, m)):
        assert 0 <= chance <= 1
        assert (chance * 256).denominator == 1
    assert sum(use_spread(a, d, m, BOOK).values()) == pytest.approx(1)


@given(attackers, defenders, moves, st.integers(217, 254))
def test_a_higher_roll_never_does_less(a: Attacker, d: Defender, m: MoveData, roll: int) -> None:
    low, high = (rolled(full_damage(a, d, m, BOOK), each) for each in (roll, roll + 1))
    assert low <= high <= full_damage(a, d, m, BOOK)


@given(st.integers(1, 999), st.integers(1, 999), st.integers(1, 5))
def test_the_chance_to_run_grows_with_each_attempt(speed: int, enemy: int, attempt: int) -> None:
    assert 0 < run_chance(speed, enemy, attempt) <= run_chance(speed, enemy, attempt + 1) <= 1


@given(st.integers(2, 100), st.sampled_from((STEADY, FAST_START, QUICK)))
def test_level_and_experience_formulas_are_inverse(level: int, growth: Growth) -> None:
    assert growth.level_at(growth.experience_at(level)) == level


@given(st.integers(1, 999), st.integers(-6, 5))
def test_a_higher_stage_never_lowers_a_stat(stat: int, stage: int) -> None:
    assert 1 <= staged(stat, stage, BOOK) <= staged(stat, stage + 1, BOOK) <= 999


@given(st.integers(0, 1998), st.sampled_from((PLAIN, HARD, HOT)), st.sampled_from((SOFT, HARD)))
def test_the_type_chart_applies_its_rows_in_order(amount: int, attacking: int, one: int) -> None:
    types = (one, SOFT)
    exact = CHART.multiplier(attacking, types) * amount
    assert exact - 2 <= CHART.apply(amount, attacking, types) <= exact


def species_by_index() -> dict[int, dict[str, Any]]:
    file = SHARED / "data" / "species.json"
    return {each["index"]: each for each in json.loads(file.read_text())["species"]}


@pytest.mark.skipif(not SHARED.exists(), reason=f"no facts of the real game in {SHARED}")
def test_pokemon_of_the_real_game_follow_the_formulas(ram_image: Callable[[str], Ram]) -> None:
    known = species_by_index()
    for file in sorted((SHARED / "wram").glob("*.wram")):
        for mon in read_state(ram_image(file.stem), 0).party.mons:
            if mon.dvs == Dvs(15, 15, 15, 15):
                continue  # edited by hand, without computing its stats
            each = known[mon.species]
            base = Stats(*each["base"].values())
            newest = stats_of(base, mon.dvs, mon.level, mon.stat_exp)
            pairs = zip(stats_of(base, mon.dvs, mon.level), mon.stats, newest, strict=True)
            assert all(low <= stored <= high for low, stored, high in pairs), file.stem
            growths = {0: STEADY, 3: FAST_START, 4: QUICK, 5: Growth(5, 4, 0, 0, 0)}
            assert growths[each["growth"]].level_at(mon.exp) == mon.level
