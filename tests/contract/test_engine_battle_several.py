"""Moves of the demo that take several turns or hits, team changes, and copied moves."""

from __future__ import annotations

from typing import Final

import pytest

from emulator import MenuKind
from tests.contract import battles, menus
from tests.contract.battles import DEX, PARALYSIS, POISON, Mon, shows, with_effect
from tests.contract.even_battle import HP, go_on, hit, read_until, use, use_effect, use_until
from tests.contract.game import Game
from tests.contract.random_bytes import Dice

SEVERAL, TWO, TWIN, TRAP, RECHARGE, CHARGE, FLY = 29, 44, 77, 42, 80, 39, 43
THRASH, RAGE, BIDE, NEVER_MISSES, RAISE, DISABLE, MAY_FLINCH = 27, 81, 26, 17, 11, 86, 31
BIDING, CHARGING, TRAPPING, INVULNERABLE, CONFUSED = 1, 0x10, 0x20, 0x40, 0x80
RECHARGING, RAGING = 0x20, 0x40
CANNOT_MOVE: Final = 0xFF
PLAIN, BURROW = 1, 91
HIT: Final = 0, 200, 200  # the enemy's choice, not critical, the roll; then whether it hits
PREPARED: Final = 60  # the Defense of the harmless enemy after a turn


def has_acted(game: Game, times: int = 1) -> bool:
    return game.enemy.stages[3] == 7 + times


@pytest.mark.parametrize(
    ("bytes_", "hits"), [([4], 2), ([1], 3), ([2, 0], 2), ([3, 1], 3), ([2, 2], 4), ([3, 7], 5)]
)
def test_two_to_five_hits_do_equal_damage(
    battle: Game, dice: Dice, bytes_: list[int], hits: int
) -> None:
    move = with_effect(SEVERAL)
    dice.roll(*HIT, 0, *bytes_)
    assert shows(use(battle, move.number), "more than one")
    assert battle.enemy.lost == hits * hit(move.power)
    assert len(dice.drawn) == 4 + len(bytes_)
    assert battle.own.volatile1 == 0


def test_a_multi_hit_move_stops_at_a_faint(battle: Game, dice: Dice) -> None:
    move = with_effect(SEVERAL)
    battle.enemy.hp = hit(move.power) + 1
    dice.roll(*HIT, 0, 3, 3)
    use_until(battle, move.number, "fainted")
    assert battle.own.attacks_left > 0


def test_the_second_of_two_hits_may_poison(battle: Game, dice: Dice) -> None:
    use_effect(battle, TWO)
    assert battle.enemy.lost == 2 * hit(with_effect(TWO).power)
    battle.enemy.hp = HP
    for byte, status in ((52, 0), (51, POISON)):
        dice.roll(*HIT, 0, byte)
        use_effect(battle, TWIN)
        assert battle.enemy.status == status


@pytest.mark.parametrize(("bytes_", "turns"), [([0], 2), ([1], 3), ([3, 2], 4), ([2, 3], 5)])
def test_a_trapped_enemy_cannot_act(
    battle: Game, dice: Dice, bytes_: list[int], turns: int
) -> None:
    move = with_effect(TRAP)
    dice.roll(0, *bytes_, 200, 200, 0)
    assert shows(use(battle, move.number), "held fast")
    pp = battle.byte("wBattleMonPP")
    for turn in range(1, turns):
        assert battle.enemy.lost == turn * hit(move.power)
        assert (battle.own.volatile1, battle.own.attacks_left) == (TRAPPING, turns - turn)
        dice.roll()
        lines = go_on(battle)
        assert shows(lines, "holds on")
        assert not shows(lines, "held fast")  # its turn is skipped without a word
        assert battle.byte("wEnemySelectedMove") == CANNOT_MOVE
        assert not dice.drawn
    assert (battle.enemy.lost, battle.own.volatile1) == (turns * hit(move.power), 0)
    assert battle.byte("wBattleMonPP") == pp
    assert not has_acted(battle)
    use_effect(battle, RAISE)
    assert has_acted(battle)


def test_a_missed_trapping_move_does_not_trap(battle: Game, dice: Dice) -> None:
    dice.roll(0, 3, 3, 200, 200, 255)
    use_effect(battle, TRAP)
    assert battle.own.volatile1 == 0
    assert has_acted(battle)


def test_a_trapped_player_gets_no_move_list_but_may_run(battle: Game, dice: Dice) -> None:
    move = with_effect(TRAP)
    battle.own.speed = 5
    battle.enemy.knows(move.number)
    dice.roll(0, 1, 200, 200, 0)
    assert shows(use_effect(battle, RAISE), "held fast")
    assert (battle.enemy.volatile1, battle.own.stages[1]) == (TRAPPING, 7)
    assert not shows(go_on(battle), "held fast")
    assert battle.byte("wPlayerSelectedMove") == CANNOT_MOVE
    assert battle.own.lost == 2 * hit(move.power)
    battle.own.speed = 999
    battles.choose(battle, battles.RUN)
    battles.read_on(battle.wait(lambda: not battle.byte("wIsInBattle") or battle.has_arrow, 60))
    assert battle.byte("wIsInBattle") == battles.NOTHING


def test_a_recharge_move_costs_the_next_turn(battle: Game, dice: Dice) -> None:
    move = with_effect(RECHARGE)
    dice.roll(0)
    use_until(battle, move.number, "catching its breath")  # without another menu
    assert not battles.is_at_menu(battle)
    assert battle.enemy.lost == hit(move.power)
    battles.read_on(battle)
    assert battle.own.volatile2 == 0
    assert has_acted(battle, 2)


def test_a_miss_or_a_knockout_needs_no_recharge(battle: Game, dice: Dice) -> None:
    dice.roll(*HIT, 255)
    use_effect(battle, RECHARGE)
    assert battle.own.volatile2 == 0
    battle.enemy.hp = 1
    use_until(battle, with_effect(RECHARGE).number, "fainted")
    assert battle.own.volatile2 == 0


def test_flinching_cancels_the_recharge(battle: Game, dice: Dice) -> None:
    battle.enemy.volatile2 = RECHARGING
    dice.roll(200, 200, 0, 0)
    use_effect(battle, MAY_FLINCH)
    assert battle.enemy.volatile2 == 0


def test_a_move_of_two_turns(battle: Game, dice: Dice) -> None:
    move = with_effect(CHARGE)
    use_until(battle, move.number, "gathers strength")
    assert battle.own.volatile1 == CHARGING
    assert battles.party_mon(battle, 0)[29] == 20
    battles.read_on(battle)  # continues without another menu
    assert battle.enemy.lost == hit(move.power, defense=PREPARED)
    assert (battle.own.volatile1, battle.byte("wBattleMonPP")) == (0, 19)
    assert has_acted(battle, 2)
    assert len(dice.drawn) == 1 + 3 + 1  # the enemy's choice each turn, and one hit


@pytest.mark.parametrize("never_misses", [False, True])
@pytest.mark.parametrize("kind", [FLY, CHARGE])
def test_an_invulnerable_target_is_hit_only_by_moves_that_never_miss(
    battle: Game, dice: Dice, kind: int, *, never_misses: bool
) -> None:
    move = with_effect(NEVER_MISSES) if never_misses else DEX.move(PLAIN)
    battle.enemy.knows(move.number)
    dice.roll(0)
    use_until(battle, with_effect(FLY).number if kind == FLY else BURROW, "out of sight")
    assert battle.own.volatile1 == CHARGING | INVULNERABLE
    missed = shows(battles.read_on(battle.press("b", hold=2, settle=2)), "missed")
    assert (missed, battle.own.volatile1) == (not never_misses, 0)
    assert battle.own.lost == hit(move.power) * (2 if never_misses else 1)


@pytest.mark.parametrize("byte", [0, 1])
def test_thrash_goes_on_and_ends_in_confusion(battle: Game, dice: Dice, byte: int) -> None:
    dice.roll(0, byte)
    use_effect(battle, THRASH)
    turns = 3 + byte
    assert battle.enemy.lost == min(HP, turns * hit(with_effect(THRASH).power))
    assert (battle.own.volatile1, battle.own.confused) == (CONFUSED, 2 + 200 % 4)
    assert battle.byte("wBattleMonPP") == 19
    assert has_acted(battle, turns)


def test_rage_raises_attack_with_every_hit(battle: Game, dice: Dice) -> None:
    move = with_effect(RAGE)
    battle.enemy.knows(PLAIN)
    use_until(battle, move.number, "rose")
    assert (battle.own.volatile2, battle.own.stages[0]) == (RAGING, 8)
    read_until(battle.press("b", hold=2, settle=2), "rose")  # the next turn came by itself
    assert (battle.own.stages[0], battle.byte("wBattleMonPP")) == (9, 19)
    assert battle.enemy.lost == hit(move.power) + hit(move.power, attack=60)
    assert 0 not in dice.drawn


def test_rage_that_misses_does_not_begin(battle: Game, dice: Dice) -> None:
    dice.roll(*HIT, 255)
    assert shows(use_effect(battle, RAGE), "missed")
    assert battle.own.volatile2 == 0


def test_disable_feeds_rage_even_when_it_misses(battle: Game, dice: Dice) -> None:
    battle.enemy.volatile2 = RAGING
    dice.roll(255)
    assert shows(use_effect(battle, DISABLE), "missed")
    assert battle.enemy.stages[0] == 8


@pytest.mark.parametrize("byte", [0, 1])
def test_bide_returns_twice_the_damage(battle: Game, dice: Dice, byte: int) -> None:
    battle.enemy.knows(PLAIN)
    battle.enemy.speed = 100
    dice.roll(*HIT, 0, byte)
    use_effect(battle, BIDE)
    assert (battle.own.volatile1, battle.own.attacks_left) == (BIDING, 2 + byte)
    for _ in range(1 + byte):
        assert shows(go_on(battle), "bides its time")
    assert shows(go_on(battle), "pays it all back")
    assert (battle.enemy.lost, battle.own.volatile1) == (2 * (2 + byte) * hit(40), 0)


def test_bide_stores_the_last_damage_of_either_side_at_its_turns(battle: Game) -> None:
    battle.own.volatile1, battle.own.attacks_left = BIDING, 2
    battle.poke_number("wDamage", 30)
    assert shows(go_on(battle), "bides its time")  # what the enemy then does has a damage of 0
    assert shows(go_on(battle), "pays it all back")
    assert battle.enemy.lost == 2 * 30


def test_bide_fails_without_damage(battle: Game) -> None:
    battle.own.volatile1, battle.own.attacks_left = BIDING, 1
    lines = go_on(battle)
    assert shows(lines, "pays it all back")
    assert shows(lines, "nothing comes")
    assert battle.enemy.lost == 0


def test_paralysis_cancels_a_move_in_progress(battle: Game, dice: Dice) -> None:
    battle.own.status, battle.own.speed = PARALYSIS, 60
    dice.roll(0, 63, 0, 62)
    use_until(battle, with_effect(CHARGE).number, "cannot move")
    assert battle.own.volatile1 == 0
    assert dice.drawn == [0, 63, 0, 62]
    battles.read_on(battle)
    assert battles.is_at_menu(battle)


MIRROR, CONVERT, LEAVE, ANYTHING, NOTHING = 9, 24, 28, 83, 85


def test_metronome_can_choose_any_move(battle: Game, dice: Dice) -> None:
    dice.roll(0, PLAIN)
    use_effect(battle, ANYTHING)
    assert battle.enemy.lost == hit(DEX.move(PLAIN).power)
    assert (battle.byte("wPlayerUsedMove"), battle.byte("wBattleMonPP")) == (PLAIN, 19)


@pytest.mark.parametrize("byte", [0, 118, 164, 165, 255])
def test_metronome_chooses_existing_moves_only(battle: Game, dice: Dice, byte: int) -> None:
    number = with_effect(ANYTHING).number
    dice.roll(0, byte)
    battle.own.knows(number)
    battles.begin_move(battle).wait(lambda: battle.byte("wPlayerUsedMove") not in {0, number}, 120)
    used = battle.byte("wPlayerUsedMove")
    assert DEX.move(used).pp
    assert used < 165


def test_metronome_can_choose_a_two_turn_move(battle: Game, dice: Dice) -> None:
    charge = with_effect(CHARGE)
    dice.roll(0, charge.number)
    use_until(battle, with_effect(ANYTHING).number, "gathers strength")
    assert battle.own.volatile1 == CHARGING
    battles.read_on(battle)
    assert (battle.enemy.lost, battle.own.volatile1) == (hit(charge.power, defense=PREPARED), 0)
    assert battle.byte("wBattleMonPP") == 19  # paid once, in the second turn


def test_mirror_move_needs_an_enemy_move(battle: Game, dice: Dice) -> None:
    assert shows(use_effect(battle, MIRROR), "nothing comes")
    assert battle.byte("wEnemyUsedMove") == battle.byte("wEnemyMonMoves")
    use_effect(battle, MIRROR)
    assert battle.own.stages[3] == 8
    assert battle.byte("wPlayerUsedMove") == battle.byte("wEnemyUsedMove")
    assert len(dice.drawn) == 2


def test_conversion_copies_the_enemy_types(battle: Game) -> None:
    battle.enemy.type1, battle.enemy.type2 = 5, 7
    use_effect(battle, CONVERT)
    assert (battle.own.type1, battle.own.type2) == (5, 7)


def test_splash_does_nothing(battle: Game) -> None:
    assert shows(use_effect(battle, NOTHING), "nothing comes")
    assert battle.enemy.lost == battle.own.lost == 0


@pytest.mark.parametrize(("byte", "leaves"), [(0, False), (30, False), (31, True)])
def test_roar_can_end_a_wild_battle(battle: Game, dice: Dice, byte: int, *, leaves: bool) -> None:
    battle.enemy.level = 21  # a quarter is 5; of the two levels 42
    dice.roll(0, byte)
    assert shows(use_effect(battle, LEAVE), "blown apart") == leaves
    assert (battle.byte("wIsInBattle") == battles.NOTHING) == leaves
    assert not leaves or battle.byte("wBattleResult") == battles.WON  # not noted by the game


def test_roar_fails_in_a_trainer_battle(battle: Game) -> None:
    battle.poke("wIsInBattle", battles.TRAINER)
    assert shows(use_effect(battle, LEAVE), "nothing comes")


BAR_START, FULL, EMPTY, LEVEL_MARK = 0x62, 0x6B, 0x63, 0x6E
SUBMENU = (12, 12)


@pytest.fixture
def team(bedroom: Game) -> Game:
    """The list of three Pokemon in the START menu."""
    known = Mon(3, 12, 40, 40, (31, 32, 33, 34), (1, 2))
    hurt, fainted = Mon(7, 9, 10, 80, status=PARALYSIS), Mon(11, 100, 0, 300)
    return menus.open_team(battles.set_team(bedroom, known, hurt, fainted))


def mons(game: Game) -> list[bytes]:
    return [battles.party_mon(game, place) for place in range(3)]


def lift_first(game: Game) -> None:
    """Choose SWITCH for the first Pokemon, so that another place is asked for."""
    game.press("a", settle=20).press("down").press("a", settle=20)


def test_the_party_list_shows_hp_and_status(team: Game) -> None:
    assert team.byte("wMaxMenuItem") == 2
    assert team.menu_kind() is MenuKind.PARTY
    assert menus.rows(team, 3, 7, (0, 2, 4)) == ["AAAA", "BBBB", "CCCC"]
    assert menus.rows(team, 13, 16, (1, 3, 5)) == ["40", "10", "0"]
    assert menus.rows(team, 17, 20, (0, 2, 4)) == ["", "PAR", "FNT"]
    assert (team.tile(13, 0), team.tile(13, 4)) == (LEVEL_MARK, 0xF7)
    bars = [[team.tile(x, y) for x in range(6, 12)] for y in (1, 3, 5)]
    assert bars == [[FULL] * 6, [EMPTY + 6, *[EMPTY] * 5], [EMPTY] * 6]
    assert {team.tile(5, y) for y in (1, 3, 5)} == {BAR_START}


def test_the_stats_page_shows_every_field(team: Game) -> None:
    team.press("a", settle=20)
    assert (team.byte("wTopMenuItemX"), team.byte("wTopMenuItemY")) == SUBMENU
    assert menus.rows(team, 13, 19, (12, 14, 16)) == ["STATS", "SWITCH", "CANCEL"]
    team.press("a", settle=30)
    assert menus.rows(team, 7, 10, (6, 8, 10, 12)) == ["31", "32", "33", "34"]
    assert menus.rows(team, 14, 16, (14,)) == ["20"]
    assert team.press("b", settle=30).cursor == menus.PARTY


def test_the_party_order_can_be_changed(team: Game) -> None:
    before = mons(team)
    lift_first(team)
    assert (team.byte("wMenuItemToSwap"), team.byte("wPartyMenuTypeOrMessageID")) == (1, 4)
    team.press("down", "down")
    assert (team.tile(0, 1), team.cursor) == (0xEC, (0, 5))
    team.press("a", settle=20)
    assert (team.byte("wMenuItemToSwap"), team.byte("wPartyMenuTypeOrMessageID")) == (0, 0)
    assert mons(team) == before[::-1]
    assert team.block("wPartySpecies", 4) == bytes([11, 7, 3, 0xFF])
    assert menus.rows(team, 3, 7, (0, 4)) == ["CCCC", "AAAA"]


def test_b_cancels_a_change_of_order(team: Game) -> None:
    before = mons(team)
    lift_first(team)
    team.press("down").press("b", settle=20)
    assert team.byte("wMenuItemToSwap") == 0
    assert mons(team) == before
    assert team.press("a", settle=20).cursor == SUBMENU


def test_b_returns_to_the_start_menu_with_its_own_tiles(team: Game) -> None:
    assert "TEAM" in team.press("b", settle=40).text
    shown = bytes(team.pyboy.memory[0x9620:0x9800])
    assert shown == battles.table(team, "TextBoxGraphics", 0x20, 0x1E0)
    team.press("b", settle=20)
    assert team.step("down") or team.step("left")


def test_the_submenu_without_field_moves_clears_their_list(team: Game) -> None:
    team.poke("wFieldMoves", b"\7\1\1\1").press("a", settle=20)
    assert team.cursor == (team.byte("hFieldMoveMonMenuTopMenuItemX"), 12)
    assert (team.byte("wMaxMenuItem"), team.block("wFieldMoves", 4)) == (2, bytes(4))
    assert team.menu_kind() is MenuKind.PARTY_FIELD
