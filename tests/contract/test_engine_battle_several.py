"""Moves of the demo that take several turns or hits, team changes, and copied moves."""

from __future__ import annotations

from typing import Final

import pytest

from emulator import MenuKind
from tests.contract import battles, pcs
from tests.contract.arena import (
    HP,
    Dice,
    begin,
    counters,
    go_on,
    hit,
    lost,
    read_until,
    set_counter,
    set_status,
    status,
    use,
    use_effect,
)
from tests.contract.battles import DEX, PARALYSIS, POISON, Mon, shows, with_effect
from tests.contract.game import Game, Start

SEVERAL, TWO, TWIN, TRAP, RECHARGE, CHARGE, FLY = 29, 44, 77, 42, 80, 39, 43
THRASH, RAGE, BIDE, NEVER_MISSES, RAISE, DISABLE = 27, 81, 26, 17, 11, 86
BIDING, CHARGING, TRAPPING, INVULNERABLE, CONFUSED = 1, 0x10, 0x20, 0x40, 0x80
RECHARGING, RAGING = 0x20, 0x40
CANNOT_MOVE: Final = 0xFF
BURROW: Final = 91


def has_acted(game: Game, times: int = 1) -> bool:
    return game.byte("wEnemyMonStatMods", 3) == 7 + times


@pytest.mark.parametrize(
    ("bytes_", "hits"), [([4], 2), ([1], 3), ([2, 0], 2), ([3, 1], 3), ([2, 2], 4), ([3, 7], 5)]
)
def test_two_to_five_hits_do_equal_damage(
    arena: Game, dice: Dice, bytes_: list[int], hits: int
) -> None:
    move = with_effect(SEVERAL)
    dice.roll([0, 200, 200, 0, *bytes_])
    assert shows(use(arena, move.number), "more than one")
    assert lost(arena, "enemy") == hits * hit(move.power)
    assert len(dice.drawn) == 4 + len(bytes_)
    assert status(arena, "own") == 0


def test_a_multi_hit_move_stops_at_a_faint(arena: Game, dice: Dice) -> None:
    move = with_effect(SEVERAL)
    battles.set_field(arena, "enemy", "hp", hit(move.power) + 1)
    dice.roll([0, 200, 200, 0, 3, 3])
    begin(arena, move.number)
    read_until(arena, "fainted")
    assert counters(arena, "own")[0] > 0


def test_the_second_of_two_hits_may_poison(arena: Game, dice: Dice) -> None:
    move = with_effect(TWO)
    use(arena, move.number)
    assert lost(arena, "enemy") == 2 * hit(move.power)
    battles.set_field(arena, "enemy", "hp", HP)
    twin = with_effect(TWIN)
    for byte in (52, 51):
        dice.roll([0, 200, 200, 0, byte])
        use(arena, twin.number)
        assert (battles.field(arena, "enemy", "status") == POISON) == (byte < 52)


@pytest.mark.parametrize(("bytes_", "turns"), [([0], 2), ([1], 3), ([3, 2], 4), ([2, 3], 5)])
def test_a_trapped_enemy_cannot_act(arena: Game, dice: Dice, bytes_: list[int], turns: int) -> None:
    move = with_effect(TRAP)
    dice.roll([0, *bytes_, 200, 200, 0])
    assert shows(use(arena, move.number), "held fast")
    pp = arena.block("wBattleMonPP", 1)
    for turn in range(1, turns):
        assert lost(arena, "enemy") == turn * hit(move.power)
        assert status(arena, "own") == TRAPPING
        assert counters(arena, "own")[0] == turns - turn
        dice.roll([])
        lines = go_on(arena)
        assert shows(lines, "holds on")
        assert not shows(lines, "held fast")  # its turn is skipped without a word
        assert arena.byte("wEnemySelectedMove") == CANNOT_MOVE
        assert not dice.drawn
    assert lost(arena, "enemy") == turns * hit(move.power)
    assert status(arena, "own") == 0
    assert arena.block("wBattleMonPP", 1) == pp
    assert not has_acted(arena)
    use_effect(arena, RAISE)
    assert has_acted(arena)


def test_a_missed_trapping_move_does_not_trap(arena: Game, dice: Dice) -> None:
    dice.roll([0, 3, 3, 200, 200, 255])
    use_effect(arena, TRAP)
    assert status(arena, "own") == 0
    assert has_acted(arena)


def test_a_trapped_player_gets_no_move_list_but_may_run(arena: Game, dice: Dice) -> None:
    move = with_effect(TRAP)
    battles.set_field(arena, "own", "speed", 5)
    battles.set_moves(arena, "enemy", [move.number])
    dice.roll([0, 1, 200, 200, 0])
    assert shows(use_effect(arena, RAISE), "held fast")
    assert status(arena, "enemy") == TRAPPING
    assert arena.byte("wPlayerMonStatMods", 1) == 7
    assert not shows(go_on(arena), "held fast")
    assert arena.byte("wPlayerSelectedMove") == CANNOT_MOVE
    assert lost(arena, "own") == 2 * hit(move.power)
    battles.set_field(arena, "own", "speed", 999)
    battles.choose(arena, battles.RUN)
    arena.wait(lambda: not arena.byte("wIsInBattle") or arena.has_arrow, 60)
    battles.read_on(arena)
    assert arena.byte("wIsInBattle") == battles.NOTHING


def test_a_recharge_move_costs_the_next_turn(arena: Game, dice: Dice) -> None:
    move = with_effect(RECHARGE)
    dice.roll([0])
    begin(arena, move.number)
    read_until(arena, "catching its breath")  # without another menu
    assert not battles.is_at_menu(arena)
    assert lost(arena, "enemy") == hit(move.power)
    battles.read_on(arena)
    assert status(arena, "own", 2) == 0
    assert has_acted(arena, 2)


def test_a_miss_or_a_knockout_needs_no_recharge(arena: Game, dice: Dice) -> None:
    move = with_effect(RECHARGE)
    dice.roll([0, 200, 200, 255])
    use(arena, move.number)
    assert status(arena, "own", 2) == 0
    battles.set_field(arena, "enemy", "hp", 1)
    begin(arena, move.number)
    read_until(arena, "fainted")
    assert status(arena, "own", 2) == 0


def test_flinching_cancels_the_recharge(arena: Game, dice: Dice) -> None:
    set_status(arena, "enemy", 2, RECHARGING)
    dice.roll([200, 200, 0, 0])
    use_effect(arena, 31)
    assert status(arena, "enemy", 2) == 0


def test_a_move_of_two_turns(arena: Game, dice: Dice) -> None:
    move = with_effect(CHARGE)
    begin(arena, move.number)
    read_until(arena, "gathers strength")
    assert status(arena, "own") == CHARGING
    assert battles.party_mon(arena, 0)[29] == 20
    battles.read_on(arena)  # continues without another menu
    assert lost(arena, "enemy") == hit(move.power, defense=60)  # it had a turn to prepare
    assert status(arena, "own") == 0
    assert arena.byte("wBattleMonPP") == 19
    assert has_acted(arena, 2)
    assert len(dice.drawn) == 1 + 3 + 1  # the enemy's choice each turn, and one hit


@pytest.mark.parametrize("sure", [False, True])
@pytest.mark.parametrize("kind", [FLY, CHARGE])
def test_an_invulnerable_target_is_hit_only_by_moves_that_never_miss(
    arena: Game,
    dice: Dice,
    kind: int,
    sure: bool,  # noqa: FBT001
) -> None:
    move = with_effect(NEVER_MISSES) if sure else DEX.move(1)
    battles.set_moves(arena, "enemy", [move.number])
    dice.roll([0])
    begin(arena, with_effect(FLY).number if kind == FLY else BURROW)
    read_until(arena, "out of sight")
    assert status(arena, "own") == CHARGING | INVULNERABLE
    arena.press("b", hold=2, settle=2)
    assert shows(battles.read_on(arena), "missed") != sure
    assert lost(arena, "own") == hit(move.power) * (2 if sure else 1)
    assert status(arena, "own") == 0


@pytest.mark.parametrize("byte", [0, 1])
def test_thrash_goes_on_and_ends_in_confusion(arena: Game, dice: Dice, byte: int) -> None:
    move = with_effect(THRASH)
    dice.roll([0, byte])
    begin(arena, move.number)
    battles.read_on(arena)
    turns = 3 + byte
    assert lost(arena, "enemy") == min(HP, turns * hit(move.power))
    assert status(arena, "own") == CONFUSED
    assert counters(arena, "own")[1] == 2 + 200 % 4
    assert arena.byte("wBattleMonPP") == 19
    assert has_acted(arena, turns)


def test_rage_raises_attack_with_every_hit(arena: Game, dice: Dice) -> None:
    move = with_effect(RAGE)
    battles.set_moves(arena, "enemy", [1])
    begin(arena, move.number)
    read_until(arena, "rose")
    assert status(arena, "own", 2) == RAGING
    assert arena.byte("wPlayerMonStatMods") == 8
    arena.press("b", hold=2, settle=2)
    read_until(arena, "rose")  # the next turn came by itself
    assert arena.byte("wPlayerMonStatMods") == 9
    assert arena.byte("wBattleMonPP") == 19
    assert lost(arena, "enemy") == hit(move.power) + hit(move.power, attack=60)
    assert 0 not in dice.drawn


def test_rage_that_misses_does_not_begin(arena: Game, dice: Dice) -> None:
    dice.roll([0, 200, 200, 255])
    assert shows(use_effect(arena, RAGE), "missed")
    assert status(arena, "own", 2) == 0


def test_disable_feeds_rage_even_when_it_misses(arena: Game, dice: Dice) -> None:
    set_status(arena, "enemy", 2, RAGING)
    dice.roll([255])
    assert shows(use_effect(arena, DISABLE), "missed")
    assert arena.byte("wEnemyMonStatMods") == 8


@pytest.mark.parametrize("byte", [0, 1])
def test_bide_returns_twice_the_damage(arena: Game, dice: Dice, byte: int) -> None:
    battles.set_moves(arena, "enemy", [1])
    battles.set_field(arena, "enemy", "speed", 100)
    dice.roll([0, 200, 200, 0, byte])
    use_effect(arena, BIDE)
    assert status(arena, "own") == BIDING
    assert counters(arena, "own")[0] == 2 + byte
    for _ in range(1 + byte):
        assert shows(go_on(arena), "bides its time")
    assert shows(go_on(arena), "pays it all back")
    assert lost(arena, "enemy") == 2 * (2 + byte) * hit(40)
    assert status(arena, "own") == 0


def test_bide_stores_the_last_damage_of_either_side_at_its_turns(arena: Game) -> None:
    set_status(arena, "own", 1, BIDING)
    set_counter(arena, "own", 0, 2)
    arena.poke("wDamage", (30).to_bytes(2))
    assert shows(go_on(arena), "bides its time")  # what the enemy then does has a damage of 0
    assert shows(go_on(arena), "pays it all back")
    assert lost(arena, "enemy") == 2 * 30


def test_bide_fails_without_damage(arena: Game) -> None:
    set_status(arena, "own", 1, BIDING)
    set_counter(arena, "own", 0, 1)
    lines = go_on(arena)
    assert shows(lines, "pays it all back")
    assert shows(lines, "nothing comes")
    assert lost(arena, "enemy") == 0


def test_paralysis_cancels_a_move_in_progress(arena: Game, dice: Dice) -> None:
    battles.set_field(arena, "own", "status", battles.PARALYSIS)
    battles.set_field(arena, "own", "speed", 60)
    dice.roll([0, 63, 0, 62])
    begin(arena, with_effect(CHARGE).number)
    read_until(arena, "cannot move")
    assert status(arena, "own") == 0
    assert dice.drawn == [0, 63, 0, 62]
    battles.read_on(arena)
    assert battles.is_at_menu(arena)


BAR_START, FULL, EMPTY, LEVEL_MARK = 0x62, 0x6B, 0x63, 0x6E


@pytest.fixture
def team(start: Start) -> Game:
    """The list of three Pokemon in the START menu."""
    game = start("bedroom")
    battles.set_team(
        game,
        Mon(3, 12, 40, 40, (31, 32, 33, 34), (1, 2)),
        Mon(7, 9, 10, 80, status=PARALYSIS),
        Mon(11, 100, 0, 300),
    )
    game.press("start", settle=20)
    for _ in range(8):
        rows = game.text.splitlines()
        if game.cursor is not None and "TEAM" in rows[game.cursor[1]]:
            break
        game.press("down")
    game.press("a", settle=30)
    assert game.cursor == (0, 1)
    return game


def test_the_party_list_shows_hp_and_status(team: Game) -> None:
    assert team.byte("wMaxMenuItem") == 2
    assert pcs.kind(team) is MenuKind.PARTY
    rows = team.text.splitlines()
    names = [rows[y][3:7] for y in (0, 2, 4)]
    assert names == ["AAAA", "BBBB", "CCCC"]
    assert [rows[y][13:16] for y in (1, 3, 5)] == [" 40", " 10", "  0"]
    assert [rows[y][17:20] for y in (0, 2, 4)] == ["   ", "PAR", "FNT"]
    assert (team.tile(13, 0), team.tile(13, 4)) == (LEVEL_MARK, 0xF7)
    bars = [[team.tile(x, y) for x in range(5, 12)] for y in (1, 3, 5)]
    assert bars[0] == [BAR_START, *[FULL] * 6]
    assert bars[1] == [BAR_START, EMPTY + 6, *[EMPTY] * 5]
    assert bars[2] == [BAR_START, *[EMPTY] * 6]


def test_the_stats_page_shows_every_field(team: Game) -> None:
    team.press("a", settle=20)
    assert (team.byte("wTopMenuItemX"), team.byte("wTopMenuItemY")) == (12, 12)
    words = [team.text.splitlines()[row][13:19].strip() for row in (12, 14, 16)]
    assert words == ["STATS", "SWITCH", "CANCEL"]
    team.press("a", settle=30)
    rows = team.text.splitlines()
    assert [rows[y][7:10].strip() for y in (6, 8, 10, 12)] == ["31", "32", "33", "34"]
    assert rows[14][14:16] == "20"
    team.press("b", settle=30)
    assert team.cursor == (0, 1)


def test_the_party_order_can_be_changed(team: Game) -> None:
    before = [battles.party_mon(team, place) for place in range(3)]
    team.press("a", settle=20)
    team.press("down")
    team.press("a", settle=20)
    assert (team.byte("wMenuItemToSwap"), team.byte("wPartyMenuTypeOrMessageID")) == (1, 4)
    team.press("down")
    team.press("down")
    assert (team.tile(0, 1), team.cursor) == (0xEC, (0, 5))
    team.press("a", settle=20)
    assert (team.byte("wMenuItemToSwap"), team.byte("wPartyMenuTypeOrMessageID")) == (0, 0)
    assert [battles.party_mon(team, place) for place in range(3)] == before[::-1]
    assert team.block("wPartySpecies", 4) == bytes([11, 7, 3, 0xFF])
    assert [team.text.splitlines()[y][3:7] for y in (0, 4)] == ["CCCC", "AAAA"]


def test_b_cancels_a_change_of_order(team: Game) -> None:
    before = [battles.party_mon(team, place) for place in range(3)]
    team.press("a", settle=20)
    team.press("down")
    team.press("a", settle=20)
    team.press("down")
    team.press("b", settle=20)
    assert team.byte("wMenuItemToSwap") == 0
    assert [battles.party_mon(team, place) for place in range(3)] == before
    team.press("a", settle=20)
    assert team.cursor == (12, 12)


def test_b_returns_to_the_start_menu_with_its_own_tiles(team: Game) -> None:
    team.press("b", settle=40)
    assert "TEAM" in team.text
    shown = bytes(team.pyboy.memory[0x9620:0x9800])
    assert shown == battles.table(team, "TextBoxGraphics", 0x20, 0x1E0)
    team.press("b", settle=20)
    assert team.step("down") or team.step("left")


def test_the_submenu_without_field_moves_clears_their_list(team: Game) -> None:
    team.poke("wFieldMoves", b"\7\1\1\1")
    team.press("a", settle=20)
    assert team.cursor == (team.byte("hFieldMoveMonMenuTopMenuItemX"), 12)
    assert team.byte("wMaxMenuItem") == 2
    assert team.block("wFieldMoves", 4) == bytes(4)
    assert pcs.kind(team) is MenuKind.PARTY_FIELD


MIRROR, CONVERT, LEAVE, ANYTHING, NOTHING = 9, 24, 28, 83, 85
PLAIN = 1


def test_metronome_can_choose_any_move(arena: Game, dice: Dice) -> None:
    dice.roll([0, PLAIN])
    use_effect(arena, ANYTHING)
    assert lost(arena, "enemy") == hit(DEX.move(PLAIN).power)
    assert arena.byte("wPlayerUsedMove") == PLAIN
    assert arena.byte("wBattleMonPP") == 19


@pytest.mark.parametrize("byte", [0, 118, 164, 165, 255])
def test_metronome_chooses_existing_moves_only(arena: Game, dice: Dice, byte: int) -> None:
    number = with_effect(ANYTHING).number
    dice.roll([0, byte])
    begin(arena, number)
    arena.wait(lambda: arena.byte("wPlayerUsedMove") not in {0, number}, 120)
    assert DEX.move(arena.byte("wPlayerUsedMove")).pp
    assert arena.byte("wPlayerUsedMove") < 165


def test_metronome_can_choose_a_two_turn_move(arena: Game, dice: Dice) -> None:
    charge = with_effect(CHARGE)
    dice.roll([0, charge.number])
    begin(arena, with_effect(ANYTHING).number)
    read_until(arena, "gathers strength")
    assert status(arena, "own") == CHARGING
    battles.read_on(arena)
    assert lost(arena, "enemy") == hit(charge.power, defense=60)
    assert status(arena, "own") == 0
    assert arena.byte("wBattleMonPP") == 19  # paid once, in the second turn


def test_mirror_move_needs_an_enemy_move(arena: Game, dice: Dice) -> None:
    number = with_effect(MIRROR).number
    assert shows(use(arena, number), "nothing comes")
    assert arena.byte("wEnemyUsedMove") == arena.byte("wEnemyMonMoves")
    use(arena, number)
    assert arena.byte("wPlayerMonStatMods", 3) == 8
    assert arena.byte("wPlayerUsedMove") == arena.byte("wEnemyUsedMove")
    assert len(dice.drawn) == 2


def test_conversion_copies_the_enemy_types(arena: Game) -> None:
    battles.set_field(arena, "enemy", "type1", 5)
    battles.set_field(arena, "enemy", "type2", 7)
    use_effect(arena, CONVERT)
    assert battles.field(arena, "own", "type1") == 5
    assert battles.field(arena, "own", "type2") == 7


def test_splash_does_nothing(arena: Game) -> None:
    assert shows(use_effect(arena, NOTHING), "nothing comes")
    assert lost(arena, "enemy") == lost(arena, "own") == 0


@pytest.mark.parametrize(("byte", "leaves"), [(0, False), (30, False), (31, True)])
def test_roar_can_end_a_wild_battle(
    arena: Game,
    dice: Dice,
    byte: int,
    leaves: bool,  # noqa: FBT001
) -> None:
    battles.set_field(arena, "enemy", "level", 21)  # a quarter is 5; of the two levels 42
    dice.roll([0, byte])
    lines = use_effect(arena, LEAVE)
    assert shows(lines, "blown apart") == leaves
    assert (arena.byte("wIsInBattle") == battles.NOTHING) == leaves
    if leaves:
        assert arena.byte("wBattleResult") == battles.WON  # not noted by the game


def test_roar_fails_in_a_trainer_battle(arena: Game) -> None:
    arena.poke("wIsInBattle", battles.TRAINER)
    assert shows(use_effect(arena, LEAVE), "nothing comes")
