"""Stat stages, with the penalties and badge boosts that are applied again and again."""

from emulator.rules import effects
from emulator.rules.codes import BURNED, FROZEN, LINK, MIST, PARALYZED, SUBSTITUTE, TRAINER
from tests.emulator.engine.small_battle import DO_NOTHING, NORMAL, TACKLE, SmallBattle

SHARPEN, DANCE, GROWL, SCREECH, ACID, DODGE, HAZE, SMOKE, SPEED_UP = range(30, 39)
MOVES = (
    (SHARPEN, effects.ATTACK_UP_1, 0, NORMAL),
    (DANCE, effects.ATTACK_UP_2, 0, NORMAL),
    (GROWL, effects.ATTACK_DOWN_1, 0, NORMAL),
    (SCREECH, effects.ATTACK_DOWN_2 + 1, 0, NORMAL),
    (ACID, effects.ATTACK_DOWN_SIDE + 1, 40, NORMAL),
    (DODGE, effects.EVASION_UP_1, 0, NORMAL),
    (HAZE, effects.HAZE, 0, NORMAL),
    (SMOKE, effects.EVASION_DOWN_1 - 1, 0, NORMAL),
    (SPEED_UP, effects.ATTACK_UP_2 + 2, 0, NORMAL),
)
BADGES = 0b1010101


def battle_of(*ours: int, theirs: int = DO_NOTHING, kind: int = LINK) -> SmallBattle:
    return SmallBattle(ours, [theirs], moves=MOVES, kind=kind)


def test_stages_change_stats_by_their_ratios_and_end_at_six() -> None:
    battle = battle_of(DANCE, SCREECH)
    attacks = []
    for _ in range(4):
        battle.play()
        attacks.append(int(battle.us.stats[0]))
    assert attacks == [200, 300, 400, 400]
    for _ in range(4):
        battle.play(1)
    assert battle.them.stats[1] == 25
    assert battle.them.stages[1] == -6


def test_a_stat_of_999_takes_back_one_stage_even_of_two() -> None:
    battle = battle_of(DANCE)
    battle.us.stats[0] = 999
    battle.play()
    assert battle.us.stages[0] == 1


def test_raising_a_stat_applies_the_penalties_of_the_other_side_once_more() -> None:
    battle = battle_of(DODGE)
    battle.them.status = BURNED
    battle.them.stats[0] = 50
    battle.play()
    assert battle.them.stats[0] == 25


def test_raising_a_stat_undoes_its_own_penalty() -> None:
    battle = battle_of(SPEED_UP)
    battle.us.status, battle.us.stats[2] = PARALYZED, 25
    seen = battle.over_seeds(lambda b: int(b.us.stats[2]), seeds=20)
    assert set(seen) == {25, 200}  # paralyzed, or raised


def test_badges_boost_all_our_stats_each_time_but_in_link_battles() -> None:
    for kind, attack in ((TRAINER, 126), (LINK, 100)):
        battle = battle_of(DODGE, kind=kind)
        battle.position.badges, battle.us.stats[:] = BADGES, 100
        battle.play()
        battle.play()
        assert battle.us.stats[0] == attack


def test_mist_and_substitutes_stop_lowering() -> None:
    for bit in (MIST, SUBSTITUTE):
        battle = battle_of(GROWL)
        battle.them.volatile |= bit
        battle.play()
        assert battle.them.stages[0] == 0


def test_side_effects_lower_in_85_of_256_uses() -> None:
    battle = battle_of(ACID)
    seen = battle.over_seeds(lambda b: int(b.them.stages[1]), seeds=1000)
    assert set(seen) == {0, -1}
    assert abs(seen[-1] - 1000 * 85 / 256) < 50


def test_the_computers_moves_that_lower_stats_miss_a_quarter_more() -> None:
    for kind, missed in ((TRAINER, 250), (LINK, 0)):
        battle = battle_of(DO_NOTHING, theirs=GROWL, kind=kind)
        seen = battle.over_seeds(lambda b: int(b.us.stages[0]), seeds=1000)
        assert abs(seen[0] - missed) < 50 if missed else not seen[0]


def test_haze_resets_stages_and_cures_the_target_which_loses_the_turn() -> None:
    battle = battle_of(HAZE, theirs=TACKLE)
    battle.us.status, battle.us.stats[0], battle.us.stages[0] = BURNED, 50, -2
    battle.them.status, battle.them.stages[4] = FROZEN, -3
    hp = int(battle.us.hp)
    battle.play()
    assert (battle.us.status, battle.us.stats[0], battle.us.stages[0]) == (BURNED, 100, 0)
    assert (battle.them.status, battle.them.stages[4]) == (0, 0)
    assert battle.us.hp == hp - 12  # burned only


def test_lowered_accuracy_makes_moves_miss() -> None:
    battle = battle_of(TACKLE)
    battle.us.volatile, battle.us.stages[4] = 0, -6
    seen = battle.over_seeds(lambda b: b.them.hp < b.them.max_hp, seeds=1000)
    assert abs(seen[True] - 1000 * 63 / 256) < 50
