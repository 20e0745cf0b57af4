"""Moves that last for turns: Bide, Thrash, trapping, charging, Rage, recharging, several hits."""

from emulator.rules import codes, effects
from tests.emulator.engine.small_battle import DO_NOTHING, GHOST, HP, NORMAL, TACKLE, SmallBattle

WRAP, THRASH, FLY, BEAM, TWICE, OFTEN, NEEDLE, BOW, SHADE = 30, 37, 31, 32, 33, 34, 35, 36, 101
MOVES = (
    (WRAP, effects.TRAP, 15, NORMAL),
    (THRASH, effects.THRASH, 40, NORMAL),
    (FLY, effects.FLY, 40, NORMAL),
    (BEAM, effects.HYPER_BEAM, 40, NORMAL),
    (TWICE, effects.TWICE, 15, NORMAL),
    (OFTEN, effects.SEVERAL_HITS[0], 15, NORMAL),
    (NEEDLE, effects.TWINEEDLE, 15, NORMAL),
    (BOW, effects.CHARGE, 40, NORMAL),
    (SHADE, effects.SPECIAL_DAMAGE, 0, NORMAL),
)


def battle_of(*ours: int, theirs: int = DO_NOTHING, members: int = 1) -> SmallBattle:
    return SmallBattle(ours, [theirs], moves=MOVES, members=members)


def test_bide_gives_back_twice_the_damage_of_two_or_three_turns() -> None:
    battle = battle_of(effects.MOVE_BIDE, theirs=SHADE)
    battle.us.hp = battle.us.max_hp = 999
    for seed in range(10):
        fresh = battle_of(effects.MOVE_BIDE, theirs=SHADE)
        fresh.us.hp = fresh.us.max_hp = fresh.them.hp = fresh.them.max_hp = 999
        fresh.position.seed = seed
        fresh.play()
        turns = int(fresh.us.attacks_left)
        assert turns in (2, 3)
        for _ in range(turns):
            assert fresh.us.volatile & codes.BIDING
            fresh.play(codes.GO_ON)
        assert fresh.them.hp == 999 - 2 * 50 * turns
        assert fresh.us.pp[0] == 9


def test_thrash_goes_on_for_three_or_four_turns_and_ends_in_confusion() -> None:
    turns = set()
    for seed in range(20):
        battle = battle_of(THRASH)
        battle.them.hp = battle.them.max_hp = 999
        battle.position.seed = seed
        battle.play()
        count = 1
        while battle.us.volatile & codes.THRASHING:
            battle.play(codes.GO_ON)
            count += 1
        assert battle.us.volatile & codes.CONFUSED
        assert battle.us.pp[0] == 9
        turns.add(count)
    assert turns == {3, 4}


def test_a_trapped_pokemon_cannot_act_and_takes_the_same_damage_each_turn() -> None:
    battle = battle_of(WRAP, theirs=TACKLE)
    battle.position.seed = 3
    battle.play()
    first = HP - int(battle.them.hp)
    turns = int(battle.us.attacks_left)
    assert 1 <= turns <= 4
    for turn in range(turns):
        assert battle.us.volatile & codes.TRAPPING
        battle.play(codes.GO_ON)
        assert battle.them.hp == HP - first * (turn + 2)
    assert not battle.us.volatile & codes.TRAPPING
    assert (battle.us.hp, battle.them.selected, battle.us.pp[0]) == (HP, codes.CANNOT_MOVE, 9)


def test_switching_out_of_a_trap_lets_it_be_used_again_with_pp_below_zero() -> None:
    battle = battle_of(WRAP, members=2)
    battle.us.pp[0] = battle.us.team[0].pp[0] = 1
    battle.them.team[1].stats[2] = 1
    battle.play()
    battle.us.volatile |= codes.TRAPPING
    battle.us.attacks_left = 3
    battle.play(codes.GO_ON, codes.SWITCH + 1)
    assert battle.us.pp[0] == 63


def test_flying_is_out_of_reach_until_the_second_turn() -> None:
    battle = battle_of(FLY, theirs=TACKLE)
    battle.them.volatile = 0
    battle.play()
    assert battle.us.volatile & codes.INVULNERABLE
    assert (battle.us.hp, battle.us.pp[0]) == (HP, 10)
    battle.play(codes.GO_ON)
    assert not battle.us.volatile & (codes.INVULNERABLE | codes.CHARGING)
    assert battle.them.hp < HP
    assert battle.us.pp[0] == 9


def test_full_paralysis_leaves_a_flyer_out_of_reach() -> None:
    battle = battle_of(FLY)
    battle.play()
    battle.us.status = codes.PARALYZED
    seen = battle.over_seeds(
        lambda b: int(b.us.volatile) & (codes.INVULNERABLE | codes.CHARGING), seeds=100
    )
    assert set(seen) == {0, codes.INVULNERABLE}


def test_recharging_is_owed_unless_the_target_fainted_or_its_substitute_broke() -> None:
    for hp, bits, owed in ((HP, 0, True), (1, 0, False), (HP, codes.SUBSTITUTE, False)):
        battle = battle_of(BEAM)
        battle.them.hp, battle.them.substitute = hp, 1
        battle.them.volatile |= bits
        battle.play()
        assert bool(battle.us.volatile & codes.RECHARGING) == owed


def test_hits_of_one_use_are_alike_and_two_or_three_are_most_common() -> None:
    battle = battle_of(OFTEN)
    battle.them.hp = battle.them.max_hp = 999
    losses = battle.over_seeds(lambda b: (999 - int(b.them.hp)) / int(b.position.damage), seeds=800)
    assert set(losses) == {2.0, 3.0, 4.0, 5.0}
    for hits, share in ((2.0, 3), (3.0, 3), (4.0, 1), (5.0, 1)):
        assert abs(losses[hits] - 100 * share) < 50
    assert not battle.us.volatile & codes.HITTING_AGAIN


def test_breaking_a_substitute_with_the_first_hit_ends_the_use() -> None:
    battle = battle_of(TWICE)
    battle.them.volatile |= codes.SUBSTITUTE
    battle.them.substitute = 1
    battle.play()
    assert battle.them.hp == HP


def test_twineedle_poisons_once_after_both_hits() -> None:
    battle = battle_of(NEEDLE)
    seen = battle.over_seeds(lambda b: int(b.them.status), seeds=1000)
    assert abs(seen[8] - 1000 * 52 / 256) < 50


def test_rage_goes_on_and_grows_with_each_hit_also_of_disable() -> None:
    battle = SmallBattle(
        [effects.MOVE_RAGE], [TACKLE, 50], moves=((50, effects.DISABLE, 0, NORMAL),)
    )
    battle.play()
    assert battle.us.volatile & codes.RAGING
    assert battle.us.stages[0] == 1
    battle.play(codes.GO_ON, 1)
    assert battle.us.stages[0] == 2
    assert battle.us.pp[0] == 9


def test_raging_scales_its_accuracy_again_each_turn() -> None:
    battle = battle_of(effects.MOVE_RAGE)
    battle.us.volatile, battle.us.stages[4] = 0, -1
    battle.us.move.accuracy = 255
    accuracies = []
    for _ in range(3):
        battle.us.volatile |= codes.RAGING
        battle.us.selected = effects.MOVE_RAGE
        battle.us.move.number, battle.us.move.power = effects.MOVE_RAGE, 20
        battle.play(codes.GO_ON)
        accuracies.append(int(battle.us.move.accuracy))
    assert accuracies == [168, 110, 72]


def test_trapping_holds_even_what_its_type_does_not_reach() -> None:
    battle = battle_of(WRAP, theirs=TACKLE)
    battle.them.type1 = GHOST
    battle.play()
    assert (battle.us.hp, battle.them.hp) == (HP, HP)
    assert battle.us.volatile & codes.TRAPPING
