"""Order, choices, replacements, running, and what the computer's side does."""

import pytest

from emulator.engine.choices import legal_choices
from emulator.engine.foe import choose_move
from emulator.engine.turn import run_instead, send
from emulator.rules import codes, effects
from tests.emulator.engine.small_battle import (
    DO_NOTHING,
    EMBER,
    FIGHTING,
    GRASS,
    HP,
    NORMAL,
    TACKLE,
    SmallBattle,
)

BLAST, SING, CHOP, DANCE = 30, 31, 32, 33
MOVES = (
    (BLAST, effects.EXPLODE, 250, NORMAL),
    (SING, effects.SLEEP, 0, NORMAL),
    (CHOP, 0, 50, FIGHTING),
    (DANCE, effects.ATTACK_UP_2, 0, NORMAL),
)
JUGGLER, COOLTRAINER_F, BROCK, MISTY, GIOVANNI, LORELEI = 21, 32, 34, 35, 29, 44


def battle_of(
    *ours: int, theirs: tuple[int, ...] = (DO_NOTHING,), kind: int = codes.LINK, members: int = 1
) -> SmallBattle:
    return SmallBattle(ours, theirs, moves=MOVES, kind=kind, members=members)


@pytest.mark.parametrize(
    ("ours", "theirs", "speed", "first"),
    [
        (TACKLE, TACKLE, 100, codes.OURS),
        (TACKLE, TACKLE, 80, codes.THEIRS),
        (effects.MOVE_QUICK_ATTACK, TACKLE, 80, codes.OURS),
        (effects.MOVE_COUNTER, TACKLE, 100, codes.THEIRS),
    ],
)
def test_priority_comes_before_speed(ours: int, theirs: int, speed: int, first: int) -> None:
    battle = battle_of(ours, theirs=(theirs,))
    battle.us.stats[2] = speed
    battle.us.hp = battle.them.hp = 1
    winner = codes.WON if first == codes.OURS else 5
    assert battle.play() == winner


def test_equal_speeds_are_decided_by_chance() -> None:
    battle = battle_of(TACKLE, theirs=(TACKLE,))
    battle.us.stats[2] = battle.them.stats[2]
    battle.us.hp = battle.them.hp = 1
    seen = battle.over_seeds(lambda b: int(b.position.outcome), seeds=400)
    assert abs(seen[codes.WON] - 200) < 60


def test_the_menu_offers_what_the_state_allows() -> None:
    battle = battle_of(TACKLE, EMBER, kind=codes.WILD, members=2)
    assert list(legal_choices(battle.position, codes.OURS)) == [0, 1, codes.SWITCH + 1, codes.RUN]
    battle.us.pp[0] = 0
    assert list(legal_choices(battle.position, codes.OURS)) == [1, codes.SWITCH + 1, codes.RUN]
    battle.us.pp[1] = 0
    assert list(legal_choices(battle.position, codes.OURS)) == [
        codes.STRUGGLES,
        codes.SWITCH + 1,
        codes.RUN,
    ]
    battle.us.status = codes.FROZEN
    assert list(legal_choices(battle.position, codes.OURS)) == [
        codes.GO_ON,
        codes.SWITCH + 1,
        codes.RUN,
    ]
    battle.us.volatile |= codes.RECHARGING
    assert list(legal_choices(battle.position, codes.OURS)) == [codes.GO_ON]
    assert list(legal_choices(battle.position, codes.THEIRS)) == [0]


def test_switching_uses_the_turn_and_clears_what_the_other_left_behind() -> None:
    battle = battle_of(TACKLE, theirs=(TACKLE,), members=2)
    battle.us.stages[0], battle.us.hp, battle.us.status = -3, 77, codes.POISONED
    battle.play(codes.SWITCH + 1)
    assert (battle.us.out, battle.us.stages[0]) == (1, 0)
    assert battle.us.hp < HP
    assert (battle.us.team[0].hp, battle.us.team[0].status) == (77, codes.POISONED)
    battle.play(codes.SWITCH)
    assert battle.us.hp < 77


def test_penalties_come_back_with_us_but_not_with_the_computers() -> None:
    for kind, speed in ((codes.TRAINER, 90), (codes.LINK, 22)):
        battle = battle_of(TACKLE, kind=kind, members=2)
        for side in (battle.us, battle.them):
            side.team[1].status = codes.PARALYZED
        battle.play(codes.SWITCH + 1, codes.SWITCH + 1 if kind == codes.LINK else codes.DECIDES)
        assert battle.us.stats[2] == 25
        battle.them.hp = 0 if kind == codes.TRAINER else battle.them.hp
        if kind == codes.TRAINER:
            battle.us.status = 0
            battle.them.hp = 1
            battle.play(0, codes.DECIDES)
            assert battle.them.out == 1
        assert battle.them.stats[2] == speed


def test_replacements_are_asked_for_and_the_computers_come_by_themselves() -> None:
    battle = battle_of(BLAST, kind=codes.TRAINER, members=2)
    assert battle.play(0, codes.DECIDES) == codes.WE_SEND
    assert list(legal_choices(battle.position, codes.OURS)) == [codes.SWITCH + 1]
    assert send(battle.position, codes.OURS, 1, battle.tables) == codes.GOES_ON
    assert (battle.us.out, battle.them.out, battle.them.hp) == (1, 1, HP)
    assert battle.play(0, codes.DECIDES) == 5  # none of ours is left: lost, though both fell


def test_in_link_battles_both_choose_replacements() -> None:
    battle = battle_of(BLAST, members=2)
    assert battle.play() == codes.BOTH_SEND
    assert send(battle.position, codes.OURS, 1, battle.tables) == codes.THEY_SEND
    assert send(battle.position, codes.THEIRS, 1, battle.tables) == codes.GOES_ON
    assert battle.play() == codes.DRAWN


def test_faster_pokemon_run_always_and_slower_ones_more_often_with_each_attempt() -> None:
    battle = battle_of(TACKLE, kind=codes.WILD)
    assert battle.play(codes.RUN, codes.DECIDES) == codes.RAN
    slow = battle_of(TACKLE, kind=codes.WILD)
    slow.us.stats[2], slow.them.stats[2] = 10, 200
    shares = []
    for attempts in (0, 3):
        slow.position.run_attempts = attempts
        before = slow.positions.copy()
        ran = 0
        for seed in range(300):
            slow.positions[:] = before
            ran += slow.play(codes.RUN, codes.DECIDES, seed=seed) == codes.RAN
        slow.positions[:] = before
        shares.append(ran / 300)
    assert abs(shares[0] - 7 / 256) < 0.03
    assert abs(shares[1] - 97 / 256) < 0.09


def test_after_a_faint_one_try_to_run_counts_the_speed_of_the_first_member() -> None:
    battle = battle_of(BLAST, theirs=(DO_NOTHING,), kind=codes.WILD, members=2)
    battle.them.hp = battle.them.max_hp = 999
    battle.us.team[0].stats[2] = 999
    assert battle.play(0, codes.DECIDES) == codes.WE_SEND
    assert list(legal_choices(battle.position, codes.OURS)) == [codes.SWITCH + 1, codes.RUN]
    before = battle.positions.copy()
    assert run_instead(battle.position) == codes.RAN
    battle.positions[:] = before
    battle.us.team[0].stats[2], battle.them.stats[2] = 1, 200
    assert run_instead(battle.position) == codes.WE_SEND
    assert list(legal_choices(battle.position, codes.OURS)) == [codes.SWITCH + 1]
    assert send(battle.position, codes.OURS, 1, battle.tables) == codes.GOES_ON


def test_wild_pokemon_choose_among_all_their_moves_but_a_disabled_one() -> None:
    battle = battle_of(TACKLE, theirs=(TACKLE, EMBER, DO_NOTHING), kind=codes.WILD)
    battle.them.disabled, battle.them.disabled_turns = 2, 5
    chosen = set()
    for seed in range(60):
        battle.position.seed = seed
        chosen.add(choose_move(battle.position, battle.tables))
    assert chosen == {0, 2}


@pytest.mark.parametrize(
    ("modification", "status", "turns", "chosen"),
    [
        (0, codes.ASLEEP, 0, {0, 1, 2, 3}),
        (1, codes.ASLEEP, 0, {0, 2, 3}),  # no sleep for a sleeper
        (2, 0, 1, {3}),  # set up in the second turn
        (2, 0, 0, {0, 1, 2, 3}),
        (3, 0, 0, {2}),  # what is very effective
    ],
)
def test_trainers_choose_by_the_modifications_of_their_class(
    modification: int, status: int, turns: int, chosen: set[int]
) -> None:
    battle = battle_of(TACKLE, theirs=(EMBER, SING, CHOP, DANCE), kind=codes.TRAINER)
    battle.position.trainer_class, battle.position.ai_turns = 1, turns
    battle.tables.classes[1].choices[0] = modification
    battle.us.status = status
    seen = set()
    for seed in range(80):
        battle.position.seed = seed
        seen.add(choose_move(battle.position, battle.tables))
    assert seen == chosen


def test_what_is_not_very_effective_is_avoided_if_another_type_would_hurt() -> None:
    battle = battle_of(TACKLE, theirs=(TACKLE, 34), kind=codes.TRAINER)
    battle.tables.moves[34].power, battle.tables.moves[34].type = 40, GRASS
    battle.position.trainer_class = 1
    battle.tables.classes[1].choices[0] = 3
    battle.us.type1 = battle.us.type2 = 20
    seen = set()
    for seed in range(40):
        battle.position.seed = seed
        seen.add(choose_move(battle.position, battle.tables))
    assert seen == {0}


@pytest.mark.parametrize(
    ("trainer", "hp", "status", "share"),
    [
        (MISTY, HP, 0, 64),
        (GIOVANNI, HP, 0, 64),
        (BROCK, HP, 0, 0),
        (BROCK, HP, codes.POISONED, 256),
    ],
)
def test_trainers_use_their_items_as_often_as_their_class_does(
    trainer: int, hp: int, status: int, share: int
) -> None:
    battle = battle_of(DO_NOTHING, theirs=(TACKLE,), kind=codes.TRAINER)
    battle.position.trainer_class = trainer
    battle.them.hp, battle.them.status = hp, status
    used = battle.over_seeds(lambda b: b.us.hp == HP)
    assert abs(used[True] / 300 - share / 256) < 0.09
    effect = battle.over_seeds(lambda b: bool(b.them.stages[1] or b.them.volatile & codes.MIST))
    assert bool(effect[True]) == (trainer != BROCK)


def test_trainers_heal_below_a_part_of_the_hp_and_each_pokemon_has_its_uses() -> None:
    battle = battle_of(DO_NOTHING, theirs=(TACKLE,), kind=codes.TRAINER)
    battle.position.trainer_class = LORELEI
    for hp, heals in ((HP // 5, False), (HP // 5 - 1, True)):
        battle.them.hp = hp
        seen = battle.over_seeds(lambda b: int(b.them.hp))
        assert (300 - seen[hp] > 100) == heals
    battle.them.hp, battle.position.ai_uses = 1, 0
    assert not battle.over_seeds(lambda b: b.them.hp > 1)[True]


def test_jugglers_switch_to_the_next_that_can_fight_and_free_a_trapped_one() -> None:
    battle = battle_of(DO_NOTHING, theirs=(TACKLE,), kind=codes.TRAINER, members=3)
    battle.position.trainer_class = JUGGLER
    battle.them.team[1].hp = 0
    battle.us.volatile |= codes.TRAPPING
    battle.us.attacks_left = 9
    seen = battle.over_seeds(lambda b: (int(b.them.out), bool(b.us.volatile & codes.TRAPPING)))
    assert set(seen) == {(0, True), (2, False)}


def test_the_cooltrainer_who_forgets_the_chance_switches_below_a_fifth() -> None:
    battle = battle_of(DO_NOTHING, theirs=(TACKLE,), kind=codes.TRAINER, members=2)
    battle.position.trainer_class = COOLTRAINER_F
    battle.them.hp = HP // 5 - 1
    assert set(battle.over_seeds(lambda b: int(b.them.out), seeds=30)) == {1}
