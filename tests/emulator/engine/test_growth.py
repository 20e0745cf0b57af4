"""Experience, levels, moves learnt, evolution and prizes."""

import pytest

from emulator.engine.growth import evolve, set_stats
from emulator.ram.party import Dvs, Stats
from emulator.rules.codes import BURNED, DECIDES, GOES_ON, SWITCH, TRAINER, WILD, WON
from emulator.rules.stats import experience_gained, stats_of
from tests.emulator.engine.small_battle import DO_NOTHING, EMBER, HP, TACKLE, SmallBattle

EXP_ALL = 75


def battle_of(kind: int = WILD, members: int = 2) -> SmallBattle:
    battle = SmallBattle([TACKLE], [DO_NOTHING], kind=kind, members=members)
    for place in range(members):
        battle.us.team[place].exp = 50**3
    battle.them.hp = 1
    return battle


@pytest.mark.parametrize(("kind", "traded"), [(WILD, 0), (TRAINER, 0), (TRAINER, 1)])
def test_the_winner_gains_what_the_formula_says(kind: int, traded: int) -> None:
    battle = battle_of(kind)
    battle.us.team[0].traded = traded
    battle.play(0, DECIDES)
    gained = experience_gained(70, 50, trainer=kind == TRAINER, traded=bool(traded))
    assert battle.us.team[0].exp - 50**3 == gained
    assert list(battle.us.team[0].stat_exp) == [100, 100, 100, 0, 100]
    assert battle.us.team[1].exp == 50**3


def test_participants_share_and_fainted_ones_do_not() -> None:
    battle = battle_of()
    battle.play(SWITCH + 1, DECIDES)
    battle.play(0, DECIDES)
    share = experience_gained(70, 50, shared_by=2)
    assert [int(member.exp) - 50**3 for member in battle.us.team[:2]] == [share, share]
    assert battle.us.team[0].stat_exp[0] == 50


def test_exp_all_gives_half_to_all() -> None:
    battle = battle_of()
    battle.position.bag_items[0], battle.position.bag_counts[0] = EXP_ALL, 1
    battle.play(0, DECIDES)
    half, quarter = experience_gained(35, 50), experience_gained(35 // 2, 50)
    assert [int(m.exp) - 50**3 for m in battle.us.team[:2]] == [half + quarter, quarter]


def test_a_new_level_changes_stats_hp_and_moves_in_the_battle_too() -> None:
    battle = battle_of(TRAINER)
    lessons = battle.tables.species[1].lessons
    lessons[0].level, lessons[0].move = 51, EMBER
    member = battle.us.team[0]
    member.exp, member.dvs[:] = 51**3 - 1, (9, 8, 8, 8)
    battle.us.hp, battle.us.stages[0], battle.us.status = 100, 2, BURNED
    battle.position.badges = 1
    assert battle.play(0, DECIDES) == GOES_ON
    grown = Stats(100, 100, 100, 0, 100)
    expected = stats_of(grown, Dvs(9, 8, 8, 8), 51, Stats(*[int(each) for each in member.stat_exp]))
    assert (member.level, member.max_hp) == (51, expected.hp)
    assert list(member.stats) == list(expected[1:])
    assert battle.us.hp == 100 + expected.hp - HP
    assert list(battle.us.moves[:2]) == [TACKLE, EMBER]
    halved = expected.attack * 2 // 2  # at its stage, burned, then boosted by the badge
    assert battle.us.stats[0] == halved + halved // 8


def test_a_member_that_reached_a_level_evolves_after_the_battle() -> None:
    battle = battle_of()
    row = battle.tables.species[1]
    row.evolves_at, row.evolves_to = 51, 2
    battle.tables.species[2].base_stats[:] = (150, 100, 100, 0, 100)
    battle.us.team[0].exp = 51**3 - 1
    assert battle.play(0, DECIDES) == WON
    missing = int(battle.us.team[0].max_hp - battle.us.team[0].hp)
    assert evolve(battle.position, battle.tables) == 1
    assert battle.us.team[0].species == 2
    assert battle.us.team[0].max_hp - battle.us.team[0].hp == missing
    assert battle.us.team[1].species == 1


@pytest.mark.parametrize("level", [1, 50, 100])
def test_stats_are_those_of_the_formula(level: int) -> None:
    battle = battle_of()
    member = battle.us.team[0]
    member.level, member.dvs[:], member.stat_exp[:] = level, (15, 1, 8, 6), (1, 25600, 65535, 9, 0)
    set_stats(battle.position, 0, 0, battle.tables)
    base, trained = Stats(100, 100, 100, 0, 100), Stats(1, 25600, 65535, 9, 0)
    expected = stats_of(base, Dvs(15, 1, 8, 6), level, trained)
    assert (int(member.max_hp), *member.stats.tolist()) == tuple(expected)
