"""Healing, draining, recoil, substitutes, copies of moves and forms, Disable, and leaving."""

import pytest

from emulator.engine.choices import legal_choices
from emulator.rules import codes, effects
from tests.emulator.engine.small_battle import (
    DO_NOTHING,
    EMBER,
    FIRE,
    HP,
    NORMAL,
    TACKLE,
    SmallBattle,
)

RECOVER, ABSORB, DREAM, EDGE, BOOM, KICK, DOLL, COPY, TYPES = range(30, 39)
DISABLE, ROAR, COINS = range(39, 42)
MOVES = (
    (RECOVER, effects.HEAL, 0, NORMAL),
    (ABSORB, effects.DRAIN, 40, NORMAL),
    (DREAM, effects.DREAM_EATER, 40, NORMAL),
    (EDGE, effects.RECOIL, 40, NORMAL),
    (BOOM, effects.EXPLODE, 40, NORMAL),
    (KICK, effects.JUMP_KICK, 40, NORMAL),
    (DOLL, effects.SUBSTITUTE, 0, NORMAL),
    (COPY, effects.TRANSFORM, 0, NORMAL),
    (TYPES, effects.CONVERSION, 0, NORMAL),
    (DISABLE, effects.DISABLE, 0, NORMAL),
    (ROAR, effects.SWITCH_AND_TELEPORT, 0, NORMAL),
    (COINS, effects.PAY_DAY, 40, NORMAL),
)


def battle_of(*ours: int, theirs: tuple[int, ...] = (DO_NOTHING,), kind: int = 3) -> SmallBattle:
    return SmallBattle(ours, theirs, moves=MOVES, kind=kind)


@pytest.mark.parametrize(
    ("hp", "most", "after"), [(100, 200, 200), (45, 300, 45), (256, 511, 511), (200, 455, 200)]
)
def test_healing_fails_when_255_hp_are_missing_and_the_high_bytes_differ(
    hp: int, most: int, after: int
) -> None:
    battle = battle_of(RECOVER)
    battle.us.hp, battle.us.max_hp = hp, most
    battle.play()
    assert battle.us.hp == after


def test_rest_heals_everything_and_sleeps_for_two_turns() -> None:
    battle = battle_of(effects.MOVE_REST, TACKLE)
    battle.us.hp, battle.us.status = 1, 8
    battle.play()
    assert (battle.us.hp, battle.us.status) == (HP, 2)
    battle.play(1)
    battle.play(1)
    assert battle.them.hp == HP
    battle.play(1)
    assert battle.them.hp < HP


def test_draining_heals_by_half_of_the_damage_that_was_left_to_do_also_of_a_substitute() -> None:
    battle = battle_of(ABSORB)
    battle.us.hp, battle.them.hp = 100, 9
    assert battle.play() == codes.WON
    assert battle.us.hp == 104
    doll = battle_of(ABSORB)
    doll.us.hp, doll.them.substitute = 100, 250
    doll.them.volatile |= codes.SUBSTITUTE
    doll.play()
    assert doll.us.hp > 100


def test_dream_eater_needs_a_sleeper() -> None:
    for status, works in ((0, False), (3, True)):
        battle = battle_of(DREAM)
        battle.them.status = status
        battle.play()
        assert (battle.them.hp < HP) == works


def test_recoil_is_a_quarter_or_half_for_struggle() -> None:
    for move, choice, part in ((EDGE, 0, 4), (EDGE, codes.STRUGGLES, 2)):
        battle = battle_of(move)
        battle.play(choice)
        assert HP - battle.us.hp == (HP - battle.them.hp) // part


def test_exploding_faints_unless_it_breaks_a_substitute() -> None:
    battle = battle_of(BOOM)
    assert battle.play() == codes.LOST
    doll = battle_of(BOOM)
    doll.them.volatile |= codes.SUBSTITUTE
    doll.them.substitute = 1
    assert doll.play() == codes.GOES_ON
    assert doll.us.hp == HP


def test_a_missed_jump_kick_costs_one_hp() -> None:
    battle = battle_of(KICK)
    battle.them.volatile |= codes.INVULNERABLE
    battle.play()
    assert (battle.us.hp, battle.them.hp) == (HP - 1, HP)


def test_a_substitute_may_cost_all_that_is_left() -> None:
    for hp, has in ((HP, True), (51, True), (49, False)):
        battle = battle_of(DOLL)
        battle.us.hp = hp
        battle.play()
        assert bool(battle.us.volatile & codes.SUBSTITUTE) == has
        assert battle.us.hp == hp - 50 * has
    last = battle_of(DOLL)
    last.us.hp = 50
    assert last.play() == codes.LOST


def test_transform_copies_all_but_hp_and_level_and_works_on_what_is_out_of_reach() -> None:
    battle = battle_of(COPY, theirs=(TACKLE, EMBER))
    battle.them.volatile |= codes.INVULNERABLE
    battle.them.species, battle.them.type1, battle.them.stages[0] = 2, FIRE, 3
    battle.play(0, 0)
    assert battle.us.volatile & codes.TRANSFORMED
    assert (battle.us.species, battle.us.type1, battle.us.stages[0]) == (2, FIRE, 3)
    assert list(battle.us.moves[:2]) == [TACKLE, EMBER]
    assert list(battle.us.pp) == [5, 5, 0, 0]
    battle.play(1)
    assert battle.us.pp[1] == 4
    assert battle.us.team[0].pp[1] == 0


def test_conversion_takes_the_types_of_the_target() -> None:
    battle = battle_of(TYPES)
    battle.them.type1 = FIRE
    battle.play()
    assert battle.us.type1 == FIRE


def test_mirror_move_repeats_the_last_move_and_spends_one_pp() -> None:
    battle = battle_of(effects.MOVE_MIRROR_MOVE, theirs=(TACKLE,))
    battle.play()
    assert battle.them.hp == HP
    battle.play()
    assert battle.them.hp < HP
    assert battle.us.pp[0] == 8


def test_metronome_uses_any_move_but_itself_and_struggle() -> None:
    battle = battle_of(effects.MOVE_METRONOME)
    used = battle.over_seeds(lambda b: int(b.us.selected), seeds=3000)
    # Mirror Move, when it is drawn, finds nothing to repeat or selects what it found.
    expected = set(range(1, 165)) - {effects.MOVE_METRONOME, effects.MOVE_MIRROR_MOVE}
    assert set(used) - {0} == expected
    assert battle.us.pp[0] == 10


def test_the_player_chooses_what_mimic_copies() -> None:
    battle = battle_of(effects.MOVE_MIMIC, theirs=(DO_NOTHING, TACKLE, EMBER), kind=codes.TRAINER)
    offered = [codes.MIMIC_ONE, codes.MIMIC_ONE + 1, codes.MIMIC_ONE + 2]
    assert list(legal_choices(battle.position, 0)) == offered
    battle.play(codes.MIMIC_ONE + 2)
    assert battle.us.moves[0] == EMBER
    assert battle.us.team[0].moves[0] == effects.MOVE_MIMIC
    drawn = battle_of(effects.MOVE_MIMIC, theirs=(DO_NOTHING, TACKLE))
    assert set(drawn.over_seeds(lambda b: int(b.us.moves[0]))) == {DO_NOTHING, TACKLE}


def test_disable_stops_one_move_for_one_to_eight_turns() -> None:
    battle = battle_of(DISABLE, theirs=(TACKLE, EMBER))
    seen = battle.over_seeds(
        lambda b: (int(b.them.disabled), int(b.them.disabled_turns)), seeds=400
    )
    # The first turn is counted at once.
    assert {slot for slot, _ in seen} == {0, 1, 2}
    assert {turns for _, turns in seen} == set(range(8))
    battle.them.disabled, battle.them.disabled_turns, battle.them.disabled_move = 1, 5, TACKLE
    assert list(legal_choices(battle.position, 1)) == [1]
    battle.play(0, 0)
    assert battle.us.hp == HP


@pytest.mark.parametrize(
    ("level", "other", "lowest", "highest"), [(50, 50, 1.0, 1.0), (10, 90, 0.7, 0.85)]
)
def test_roar_ends_wild_battles_mostly(
    level: int, other: int, lowest: float, highest: float
) -> None:
    for ours, theirs, end in (
        ((ROAR,), (DO_NOTHING,), codes.RAN),
        ((DO_NOTHING,), (ROAR,), codes.FOE_LEFT),
    ):
        battle = battle_of(*ours, theirs=theirs, kind=codes.WILD)
        levels = (level, other) if ours == (ROAR,) else (other, level)
        battle.us.level, battle.them.level = levels
        seen = battle.over_seeds(lambda b: int(b.position.outcome))
        assert lowest <= seen[end] / 300 <= highest
    trainer = battle_of(ROAR, kind=codes.TRAINER)
    assert trainer.play(0, codes.DECIDES) == codes.GOES_ON


def test_pay_day_scatters_twice_the_level() -> None:
    battle = battle_of(COINS)
    battle.play()
    assert battle.position.pay_day == 100


def test_leech_seed_heals_even_by_what_was_not_left() -> None:
    battle = battle_of(DO_NOTHING)
    battle.us.hp, battle.them.hp = 100, 1
    battle.them.volatile |= codes.SEEDED
    assert battle.play() == codes.WON
    assert battle.us.hp == 112
