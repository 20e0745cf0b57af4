"""One use of an attack: damage, critical hits and accuracy as the exact odds say, and what the damage leaves behind."""

import random
from fractions import Fraction

import numpy as np
import pytest

from emulator.engine import hit
from emulator.engine.turn import copies, play_turns
from emulator.rules import effects
from emulator.rules.arithmetic import BYTE
from emulator.rules.codes import ALWAYS_HITS, CONFUSED, FOCUSED, REFLECT, SUBSTITUTE
from emulator.rules.damage import critical_chance, full_damage, hit_chance, use_spread
from emulator.rules.moves import Attacker, Defender, MoveData
from emulator.rules.rule_book import RuleBook, StageRatio, TypeChart
from tests.emulator.engine import small_battle as small

BOOK = RuleBook(TypeChart.of(small.CHART), tuple([StageRatio(*ratio) for ratio in small.RATIOS]))
FANG, KNOCKOUT, SHADE, WAVE, BOOM = 22, 23, 101, 149, 49
SPECIAL_MOVES = (
    (FANG, effects.SUPER_FANG, 1, small.NORMAL),
    (KNOCKOUT, effects.ONE_HIT, 1, small.NORMAL),
    (SHADE, effects.SPECIAL_DAMAGE, 0, small.NORMAL),
    (WAVE, effects.SPECIAL_DAMAGE, 1, small.NORMAL),
    (BOOM, effects.SPECIAL_DAMAGE, 1, small.NORMAL),
)


def as_records(battle: small.SmallBattle, move: int) -> tuple[Attacker, Defender, MoveData]:
    """Return our side's use of a move in the form of the exact odds."""
    us, them, row = battle.us, battle.them, battle.tables.moves[move]
    attacker = Attacker(
        level=int(us.level),
        types=(int(us.type1), int(us.type2)),
        attack=int(us.stats[0]),
        special=int(us.stats[3]),
        plain_attack=int(us.plain[0]),
        plain_special=int(us.plain[3]),
        speed=int(us.stats[2]),
        base_speed=int(battle.tables.species[1].base_stats[3]),
        accuracy=int(us.stages[4]),
        focused=bool(us.volatile & FOCUSED),
        always_hits=bool(us.volatile & ALWAYS_HITS),
    )
    defender = Defender(
        hp=int(them.hp),
        types=(int(them.type1), int(them.type2)),
        defense=int(them.stats[1]),
        special=int(them.stats[3]),
        plain_defense=int(them.plain[1]),
        plain_special=int(them.plain[3]),
        speed=int(them.stats[2]),
        evasion=int(them.stages[5]),
        reflect=bool(them.volatile & REFLECT),
    )
    kind = int(row.type)
    data = MoveData(move, int(row.effect), int(row.power), kind, int(row.accuracy), False)
    return attacker, defender, data


def drawn_battle(seed: int) -> tuple[small.SmallBattle, int]:
    """Return a battle with stats, stages and types of all sizes, and the move that we use."""
    draw = random.Random(seed)
    battle = small.SmallBattle([small.TACKLE, small.EMBER], moves=SPECIAL_MOVES)
    for mon in (battle.us, battle.them):
        mon.level = draw.randint(2, 100)
        mon.stats[:] = [draw.choice([3, 90, 256, 700, 999]) for _ in range(4)]
        mon.plain[:] = [draw.randint(3, 999) for _ in range(4)]
        mon.stages[4:] = [draw.randint(-6, 6) for _ in range(2)]
        mon.type1, mon.type2 = (
            draw.choice([small.NORMAL, small.FIRE, small.GRASS]),
            draw.choice([small.NORMAL, small.FIGHTING]),
        )
        mon.volatile = draw.choice([0, FOCUSED, REFLECT])
    battle.tables.species[1].base_stats[3] = draw.randint(1, 255)
    return battle, draw.choice([small.TACKLE, small.EMBER])


@pytest.mark.parametrize("seed", range(40))
def test_damage_accuracy_and_critical_chance_are_those_of_the_exact_odds(seed: int) -> None:
    battle, move = drawn_battle(seed)
    attacker, defender, data = as_records(battle, move)
    loaded, row = battle.us.move, battle.tables.moves[move]
    loaded.number, loaded.power, loaded.type = move, row.power, row.type
    loaded.accuracy = row.accuracy
    for critical in (0, 1):
        battle.position.critical = critical
        damage = hit.damage_before_types(battle.position, 0)
        full = hit.after_types(battle.position, 0, battle.tables, damage)
        assert full == full_damage(attacker, defender, data, BOOK, critical=bool(critical))
    accuracy = hit.scaled_accuracy(battle.position, 0, battle.tables)
    assert Fraction(accuracy, BYTE) == hit_chance(attacker, defender, data, BOOK)
    threshold = hit.critical_threshold(attacker.base_speed, int(attacker.focused), 0)
    assert Fraction(threshold, BYTE) == critical_chance(attacker, data)


def test_damage_comes_as_often_as_the_exact_odds_say() -> None:
    battle, uses = small.SmallBattle([small.TACKLE]), 20_000
    battle.us.volatile = battle.them.volatile = 0
    battle.tables.species[1].base_stats[3] = 120
    attacker, defender, data = as_records(battle, small.TACKLE)
    battle.them.stats[2] = 1
    many, choices = copies(battle.position, uses, seed=1), np.zeros(uses, np.int64)
    play_turns(many, choices, choices, battle.tables)
    lost, counts = np.unique(small.HP - many["sides"][:, 1]["hp"], return_counts=True)
    spread = use_spread(attacker, defender, data, BOOK)
    assert set(lost.tolist()) == {amount for amount, chance in spread.items() if chance}
    for amount, count in zip(lost.tolist(), counts.tolist(), strict=True):
        mean = spread[amount] * uses
        assert abs(count - mean) < 5 * mean**0.5


@pytest.mark.parametrize(
    ("move", "left"),
    [(FANG, {small.HP // 2}), (SHADE, {small.HP - 50}), (BOOM, {small.HP - 20}), (KNOCKOUT, {0})],
)
def test_moves_with_an_amount_of_their_own(move: int, left: set[int]) -> None:
    battle = small.SmallBattle([move], moves=SPECIAL_MOVES)
    assert set(battle.over_seeds(lambda b: int(b.them.hp), seeds=20)) == left


def test_a_one_hit_knockout_fails_against_a_faster_target() -> None:
    battle = small.SmallBattle([KNOCKOUT], moves=SPECIAL_MOVES)
    battle.them.stats[2] = battle.us.stats[2] + 1
    battle.play()
    assert battle.them.hp == small.HP


def test_psywave_does_at_least_one_for_us_and_perhaps_nothing_for_them() -> None:
    for ours, theirs, lowest in (([WAVE], [small.DO_NOTHING], 1), ([small.DO_NOTHING], [WAVE], 0)):
        battle = small.SmallBattle(ours, theirs, moves=SPECIAL_MOVES)
        seen = battle.over_seeds(lambda b: 2 * small.HP - int(b.us.hp) - int(b.them.hp), seeds=2000)
        assert (min(seen), max(seen)) == (lowest, 74)


def test_counter_doubles_the_last_damage_of_normal_and_fighting_moves_only() -> None:
    for move, back in ((small.TACKLE, True), (small.EMBER, False)):
        battle = small.SmallBattle([effects.MOVE_COUNTER], [move])
        battle.play()
        taken = small.HP - battle.us.hp
        assert small.HP - battle.them.hp == (2 * taken if back else 0)


def test_a_confused_pokemon_hits_itself_harder_without_the_others_reflect() -> None:
    battle = small.SmallBattle([small.TACKLE])
    for reflect, defense in ((0, 100), (REFLECT, 200)):
        battle.us.volatile = CONFUSED | ALWAYS_HITS
        battle.us.confused = 5
        battle.them.volatile = reflect
        hurt = battle.over_seeds(lambda b: small.HP - int(b.us.hp))
        attack = int(battle.us.stats[0])
        assert set(hurt) == {0, hit.base_damage(50, 40, attack, defense)}
        assert 100 < hurt[0] < 200


def test_ones_own_hit_lands_on_the_others_substitute() -> None:
    battle = small.SmallBattle([small.TACKLE])
    battle.us.volatile = CONFUSED | SUBSTITUTE
    battle.us.confused, battle.them.volatile, battle.them.substitute = 9, SUBSTITUTE, 50
    seen = battle.over_seeds(lambda b: (int(b.us.hp), int(b.them.substitute) < 50), seeds=50)
    assert set(seen) == {(small.HP, True)}


def test_a_substitute_of_no_hp_stays_and_one_that_breaks_takes_the_effect_away() -> None:
    drains = (30, effects.DRAIN, 40, small.NORMAL)
    battle = small.SmallBattle([SHADE, 30], moves=(*SPECIAL_MOVES, drains))
    battle.us.hp, battle.them.volatile, battle.them.substitute = 100, SUBSTITUTE, 50
    battle.play()
    assert battle.them.volatile & SUBSTITUTE
    assert battle.them.substitute == 0
    battle.play(1)
    assert not battle.them.volatile & SUBSTITUTE
    assert (battle.us.hp, battle.them.hp) == (100, small.HP)
