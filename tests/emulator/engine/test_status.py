"""Major status, confusion, flinching and seeds: how moves inflict them, and what they cost."""

import pytest

from emulator.engine.status import burn_freeze_or_paralyze
from emulator.rules import codes, effects
from tests.emulator.engine.small_battle import (
    DO_NOTHING,
    ELECTRIC,
    FIRE,
    GRASS,
    GROUND,
    HP,
    NORMAL,
    TACKLE,
    SmallBattle,
)

SING, SPORE, JOLT, POWDER, SEEDS, RAY = 30, 31, 32, 33, 34, 35
SEAR, CHILL, SHOCK, BITE, DAZE, STING = 36, 37, 38, 39, 40, 41
MOVES = (
    (SING, effects.SLEEP, 0, NORMAL),
    (SPORE, effects.PARALYZE, 0, GRASS),
    (JOLT, effects.PARALYZE, 0, ELECTRIC),
    (POWDER, effects.POISON, 0, NORMAL),
    (SEEDS, effects.LEECH_SEED, 0, GRASS),
    (RAY, effects.CONFUSE, 0, NORMAL),
    (SEAR, effects.BURN_SIDE_2, 40, FIRE),
    (CHILL, effects.FREEZE_SIDE_1, 40, ELECTRIC),
    (SHOCK, effects.PARALYZE_SIDE_2, 40, ELECTRIC),
    (BITE, effects.FLINCH_SIDE_2, 40, NORMAL),
    (DAZE, effects.CONFUSION_SIDE, 40, NORMAL),
    (STING, effects.POISON_SIDE_2, 40, NORMAL),
)
SEEDS_TRIED = 1000


def battle_with(move: int, *theirs: int) -> SmallBattle:
    return SmallBattle([move], theirs or (DO_NOTHING,), moves=MOVES)


def test_sleep_lasts_one_to_seven_turns_and_the_turn_of_waking_is_lost() -> None:
    battle = battle_with(SING)
    turns = battle.over_seeds(lambda b: int(b.them.status) + 1)  # one of them is counted at once
    assert set(turns) == set(range(1, 8))
    sleeper = battle_with(DO_NOTHING, TACKLE)
    sleeper.them.status = 1
    sleeper.play()
    assert (sleeper.us.hp, sleeper.them.status) == (HP, 0)


def test_sleep_needs_a_target_without_status_unless_it_must_recharge() -> None:
    battle = battle_with(SING)
    battle.them.status = codes.PARALYZED
    assert set(battle.over_seeds(lambda b: bool(b.them.status & codes.ASLEEP), seeds=20)) == {False}
    battle.them.volatile |= codes.RECHARGING | codes.SUBSTITUTE
    assert not battle.over_seeds(lambda b: int(b.them.status) & codes.PARALYZED, seeds=50)[
        codes.PARALYZED
    ]


@pytest.mark.parametrize(
    ("move", "status", "of_256"),
    [
        (SEAR, codes.BURNED, 77),
        (CHILL, codes.FROZEN, 26),
        (SHOCK, codes.PARALYZED, 77),
        (STING, codes.POISONED, 103),
    ],
)
def test_side_effects_have_the_games_chances(move: int, status: int, of_256: int) -> None:
    battle = battle_with(move)
    seen = battle.over_seeds(lambda b: int(b.them.status), seeds=SEEDS_TRIED)
    assert set(seen) == {0, status}
    assert abs(seen[status] - SEEDS_TRIED * of_256 / 256) < 60
    battle.them.type1 = battle.tables.moves[move].type if move != STING else 3
    assert set(battle.over_seeds(lambda b: int(b.them.status), seeds=50)) == {0}
    battle.them.type1, battle.them.volatile, battle.them.substitute = 0, codes.SUBSTITUTE, 250
    assert set(battle.over_seeds(lambda b: int(b.them.status), seeds=50)) == {0}


def test_a_substitute_stops_poison_and_confusion_but_neither_paralysis_nor_sleep_nor_seeds() -> (
    None
):
    for move, lands in ((POWDER, False), (RAY, False), (SPORE, True), (SING, True), (SEEDS, True)):
        battle = battle_with(move)
        battle.us.stats[2] = 1  # a turn of sleep would be over
        battle.them.volatile |= codes.SUBSTITUTE
        battle.play()
        assert lands == bool(
            battle.them.status or battle.them.volatile & (codes.SEEDED | codes.CONFUSED)
        )


def test_confusion_as_a_side_effect_passes_a_substitute() -> None:
    battle = battle_with(DAZE)
    battle.them.volatile |= codes.SUBSTITUTE
    battle.them.substitute = 250
    seen = battle.over_seeds(lambda b: bool(b.them.volatile & codes.CONFUSED), seeds=SEEDS_TRIED)
    assert abs(seen[True] - SEEDS_TRIED * 25 / 256) < 40


def test_electric_paralysis_spares_ground_and_seeds_spare_grass() -> None:
    for move, kind in ((JOLT, GROUND), (SEEDS, GRASS)):
        battle = battle_with(move)
        battle.them.type2 = kind
        battle.play()
        assert not battle.them.status
        assert not battle.them.volatile & codes.SEEDED


def test_paralysis_quarters_speed_and_takes_63_of_256_turns() -> None:
    battle = battle_with(SPORE, TACKLE)
    idle = battle.over_seeds(lambda b: (int(b.them.stats[2]), b.us.hp == HP), seeds=SEEDS_TRIED)
    assert {speed for speed, _ in idle} == {22}
    assert abs(idle[22, True] - SEEDS_TRIED * 63 / 256) < 50


def test_fire_thaws_and_frozen_pokemon_never_thaw_by_themselves() -> None:
    battle = battle_with(DO_NOTHING, TACKLE)
    battle.them.status = codes.FROZEN
    battle.over_seeds(lambda b: b.us.hp, turns=20, seeds=5)
    assert set(battle.over_seeds(lambda b: int(b.us.hp), turns=20, seeds=5)) == {HP}
    thawing = battle_with(SEAR)
    thawing.them.status = codes.FROZEN
    thawing.play()
    assert thawing.them.status == 0


def test_poison_and_burn_take_a_sixteenth_and_bad_poison_ever_more_also_by_seeds() -> None:
    battle = battle_with(DO_NOTHING)
    battle.them.status = codes.BURNED
    battle.play()
    assert battle.them.hp == HP - 12
    toxic = SmallBattle([effects.MOVE_TOXIC, DO_NOTHING])
    toxic.us.hp = 100
    toxic.play()
    toxic.them.volatile |= codes.SEEDED
    toxic.play(1)
    # One part for the first turn; two for the poison and three for the seeds of the second.
    assert toxic.them.hp == HP - 6 * 12
    assert toxic.us.hp == 100 + 3 * 12
    assert toxic.them.volatile & codes.BADLY_POISONED


def test_the_user_of_the_last_blow_loses_nothing_to_poison() -> None:
    battle = battle_with(TACKLE)
    battle.us.status, battle.them.hp = codes.POISONED, 1
    battle.play()
    assert battle.us.hp == HP


def test_flinching_takes_the_turn_of_a_slower_target_and_its_recharging() -> None:
    battle = battle_with(BITE, TACKLE)
    seen = battle.over_seeds(lambda b: b.us.hp == HP, seeds=SEEDS_TRIED)
    assert abs(seen[True] - SEEDS_TRIED * 77 / 256) < 50
    slow = battle_with(BITE)
    slow.us.stats[2] = 1
    slow.them.volatile |= codes.RECHARGING
    left = slow.over_seeds(
        lambda b: int(b.them.volatile) & (codes.FLINCHED | codes.RECHARGING), seeds=50
    )
    assert set(left) == {0, codes.FLINCHED}


def test_only_our_freezing_ends_recharging() -> None:
    for we_freeze in (True, False):
        battle = SmallBattle([DO_NOTHING], moves=MOVES, kind=codes.WILD)
        target = battle.them if we_freeze else battle.us
        user, owed = battle.us if we_freeze else battle.them, set()
        user.move.effect, user.move.type = effects.FREEZE_SIDE_1, ELECTRIC
        for seed in range(200):
            target.status, target.volatile, battle.position.seed = 0, codes.RECHARGING, seed
            burn_freeze_or_paralyze(battle.position, 0 if we_freeze else 1)
            if target.status == codes.FROZEN:
                owed.add(bool(target.volatile & codes.RECHARGING))
        assert owed == {not we_freeze}
