"""Decoding of battles: kind, participants and phase; and battle RAM that must be ignored."""

from collections.abc import Callable, Mapping
from typing import Final

import pytest

from emulator import (
    Battle,
    BattleKind,
    BattleMon,
    BattleResult,
    Phase,
    Ram,
    ScreenType,
    Volatile,
    read_state,
)
from emulator.ram.battle import BattleType
from emulator.ram.battle_mon import ENEMY, OWN, Side, Stages
from emulator.ram.party import Stats
from tests.emulator.moments import (
    MESSAGE_BOX,
    TILE_MAP,
    Change,
    box,
    bytes_from,
    cursor,
    state_with,
    tile,
)

SPECIES, OTHER = 7, 9
PARTY: Final = 0xD163
ENEMY_PARTY: Final = 0xD89C
ANNOUNCED: Final = 0xCFD8  # wEnemyMonSpecies2


def mon(side: Side, species: int, *, hp: int = 17, level: int = 6) -> Change:
    """Return the bytes of a Pokemon in battle, with 21 HP when healthy."""
    head = bytes([species, 0, hp, 0, 0x08, 20, 2, 45, 33, 45, 0, 0, 0x98, 0x76, level])
    stats = bytes([0, 21, 0, 11, 0, 12, 1, 13, 0, 14])
    unmodified = bytes([level]) + stats + bytes([7, 6, 13, 1, 8, 7])
    name = bytes([0x80, 0x81, 0x50, 0x99])
    pp = bytes([0x40 | 35, 40, 0, 0])
    return (
        bytes_from(side.mon, head + stats + pp)
        | bytes_from(side.unmodified, unmodified)
        | bytes_from(side.nickname, name)
        | bytes_from(side.statuses, bytes([0x80, 0x80, 0x01]))
        | bytes_from(side.counters, bytes([2, 3, 4, 0x25]))
        | {side.substitute: 6}
    )


def party(count_at: int, *species: int, hp: int = 17, level: int = 6) -> Change:
    """Return the bytes of a team of identical Pokemon."""
    changes = bytes_from(count_at, bytes([len(species), *species, 0xFF]))
    for slot, each in enumerate(species):
        start = count_at + 8 + 44 * slot
        changes |= {start: each, start + 2: hp, start + 33: level, start + 35: 21}
    return changes


WILD: Final = (
    {0xD057: 1, 0xCFD8: OTHER, 0xD05A: 0, 0xCCDC: 33, 0xCCDD: 0xFF, 0xD120: 2}
    | mon(OWN, SPECIES)
    | mon(ENEMY, OTHER, hp=21, level=3)
    | party(PARTY, 1, SPECIES)
    | {0xCC2F: 1}
)
TRAINER: Final = (
    WILD
    | {0xD057: 2, 0xD059: 225, 0xD031: 25, 0xD05D: 3, 0xCFE8: 1}
    | party(ENEMY_PARTY, OTHER, OTHER)
)


def battle_of(changes: Mapping[int, int]) -> Battle:
    battle = state_with(changes).battle
    assert battle is not None
    return battle


def own_of(changes: Mapping[int, int]) -> BattleMon:
    own = battle_of(changes).own
    assert own is not None
    return own


def test_without_a_battle_its_leftovers_are_not_read() -> None:
    state = state_with(WILD | {0xD057: 0})
    assert state.battle is None
    assert not state.in_battle


def test_before_the_game_there_is_no_battle() -> None:
    assert state_with(WILD | {0xC100: 0}).battle is None


def test_a_wild_battle() -> None:
    state = state_with(WILD)
    battle = state.battle
    assert battle is not None
    assert state.in_battle
    assert state.screen_type is ScreenType.BATTLE
    assert (battle.kind, battle.type) == (BattleKind.WILD, BattleType.NORMAL)
    assert battle.is_wild
    assert not battle.is_trainer
    assert (battle.trainer_class, battle.trainer_number, len(battle.enemy_party)) == (0, 0, 0)
    assert (battle.own_move, battle.enemy_move, battle.run_attempts) == (33, None, 2)
    assert battle.phase is Phase.BUSY


def test_every_field_of_a_pokemon_in_battle() -> None:
    own = own_of(WILD)
    assert (own.species, own.nickname, own.position, own.level) == (SPECIES, "AB", 1, 6)
    assert (own.hp, own.max_hp, own.fainted) == (17, 21, False)
    assert own.status == (0, True, False, False, False)
    assert (own.types, own.catch_rate) == ((20, 2), 45)
    assert own.moves == ((33, 35, 1), (45, 40, 0))
    assert own.dvs == (9, 8, 7, 6)
    assert own.stats == own.unmodified == Stats(21, 11, 12, 256 + 13, 14)
    assert own.stages == Stages(0, -1, 6, -6, 1, 0)
    assert own.volatile == Volatile.CONFUSED | Volatile.SEEDED | Volatile.BADLY_POISONED
    assert (own.attacks_left, own.confused_turns, own.toxic_turns) == (2, 3, 4)
    assert (own.disabled, own.substitute_hp) == (1, 6)


def test_the_enemy_pokemon_is_read_like_the_players() -> None:
    enemy = battle_of(WILD).enemy
    assert enemy is not None
    assert (enemy.species, enemy.level, enemy.hp, enemy.position) == (OTHER, 3, 21, 0)
    assert [slot.move for slot in enemy.moves] == [33, 45]


def test_a_healthy_pokemon_has_no_status() -> None:
    own = own_of(WILD | bytes_from(OWN.statuses, bytes(3)) | bytes_from(OWN.counters, bytes(4)))
    assert own.volatile == Volatile.NONE
    assert own.disabled is None


def test_uninitialised_stages_are_neutral() -> None:
    stages = bytes_from(OWN.unmodified + 11, bytes([0, 14, 255, 7, 7, 7]))
    assert own_of(WILD | stages).stages == Stages()


def test_a_trainer_battle() -> None:
    battle = battle_of(TRAINER)
    assert battle.is_trainer
    assert (battle.opponent, battle.trainer_class, battle.trainer_number) == (225, 25, 3)
    assert len(battle.enemy_party) == 2
    assert [each.species for each in battle.enemy_party.mons] == [OTHER, OTHER]
    assert battle.enemy is not None
    assert battle.enemy.position == 1


def test_the_trainer_class_is_read_from_either_address() -> None:
    assert battle_of(TRAINER | {0xD059: 0}).trainer_class == 25


def test_safari_and_old_man() -> None:
    assert battle_of(WILD | {0xD05A: 1}).type is BattleType.OLD_MAN
    assert battle_of(WILD | {0xD05A: 2}).type is BattleType.SAFARI
    assert battle_of(WILD | {0xD05A: 9}).type is BattleType.NORMAL


def test_a_lost_battle_has_no_active_pokemon() -> None:
    state = state_with(WILD | mon(OWN, SPECIES, hp=0) | {0xD057: 0xFF, 0xCF0B: 1})
    assert state.battle is not None
    assert (state.battle.kind, state.battle.own, state.battle.enemy) == (
        BattleKind.LOST,
        None,
        None,
    )
    assert not state.in_battle
    assert state.battle_result is BattleResult.LOST


def test_the_result_is_known_after_the_battle() -> None:
    assert state_with({0xCF0B: 2}).battle_result is BattleResult.LEFT
    assert state_with({0xCF0B: 7}).battle_result is None


@pytest.mark.parametrize(
    ("noted", "own_hp", "enemy_hp", "result"),
    [
        (0, 17, 0, BattleResult.WON),
        (0, 17, 9, BattleResult.LEFT),  # it left by itself
        (1, 17, 9, BattleResult.LEFT),  # it left after one of the team had fainted
        (1, 0, 9, BattleResult.LOST),  # the team is healed at once, and the battle's values stay
        (1, 0, 0, BattleResult.LOST),
        (2, 17, 9, BattleResult.LEFT),
    ],
)
def test_a_wild_pokemon_that_leaves_is_not_defeated(
    noted: int, own_hp: int, enemy_hp: int, result: BattleResult
) -> None:
    team = party(PARTY, SPECIES)
    own, enemy = mon(OWN, SPECIES, hp=own_hp), mon(ENEMY, OTHER, hp=enemy_hp)
    assert state_with(team | own | enemy | {0xCF0B: noted}).battle_result is result


def test_a_transformed_enemy_that_has_fainted_is_still_read() -> None:
    copied = mon(ENEMY, SPECIES, hp=0) | bytes_from(ENEMY.statuses, bytes(3)) | {ANNOUNCED: OTHER}
    battle = battle_of(WILD | copied)
    assert battle.enemy is not None
    assert battle.enemy.fainted
    assert battle_of(WILD | copied | mon(ENEMY, SPECIES, hp=1)).enemy is None


def test_a_dex_page_waits_for_a_button_with_and_without_its_arrow() -> None:
    edge = tile(0, 17, 0x6C) | tile(19, 17, 0x6E)
    for column in range(1, 19):
        edge |= tile(column, 17, 0x6F)
    for arrow in ({}, tile(18, 16, 0xEE)):
        assert battle_of(WILD | edge | arrow).phase is Phase.DEX_PAGE


def test_a_move_of_the_enemy_is_chosen_from_a_list_of_its_own() -> None:
    assert battle_of(WILD | cursor(1, 7, last=3)).phase is Phase.COPY_MOVE


@pytest.mark.parametrize(
    "old",
    [
        mon(OWN, 0),
        mon(OWN, OTHER),  # of an older battle
        mon(OWN, SPECIES, level=0),
        mon(OWN, SPECIES, hp=22),
        {0xD11D: 1} | mon(OWN, SPECIES, hp=3),  # older values of the Pokemon that is coming out
        {0xD11D: 1} | mon(OWN, SPECIES, level=5),
        {0xCC2F: 2},  # no such position in the team
    ],
)
def test_leftovers_of_an_older_battle_are_not_the_players_pokemon(old: Change) -> None:
    battle = battle_of(WILD | old)
    assert battle.own is None
    assert battle.phase is Phase.INTRO
    assert battle.enemy is not None


@pytest.mark.parametrize("old", [mon(ENEMY, 0), {0xCFD8: 3}])
def test_leftovers_of_an_older_battle_are_not_the_enemy_pokemon(old: Change) -> None:
    assert battle_of(WILD | old).enemy is None


def test_a_trainer_has_no_active_pokemon_before_sending_the_first() -> None:
    assert battle_of(TRAINER | {0xCFE8: 0xFF}).enemy is None


def test_battle_damage_does_not_hide_the_players_pokemon() -> None:
    assert own_of(WILD | mon(OWN, SPECIES, hp=1)).hp == 1


def test_a_transformed_pokemon_is_still_read() -> None:
    shape = {OWN.statuses + 2: 8, ENEMY.statuses + 2: 8, 0xCFD8: 3}
    battle = battle_of(WILD | mon(OWN, OTHER) | shape)
    assert battle.own is not None
    assert battle.own.transformed
    assert battle.enemy is not None


STATS_BOX: Final = box(9, 2, 19, 11)


def evolving(first: int) -> Change:
    """Return the left column of a mirrored picture in the middle, whose tiles begin with `first`."""
    return at_rows(7, 2, bytes(range(first + 42, first + 49)))


def at_rows(column: int, row: int, tiles: bytes) -> Change:
    return {TILE_MAP + 20 * (row + n) + column: tile for n, tile in enumerate(tiles)}


@pytest.mark.parametrize(
    ("screen", "phase"),
    [
        (MESSAGE_BOX, Phase.BUSY),
        (MESSAGE_BOX | evolving(0), Phase.EVOLVING),
        (MESSAGE_BOX | evolving(0x31), Phase.EVOLVING),
        (MESSAGE_BOX | evolving(0) | tile(18, 16, 0xEE), Phase.TEXT),
        (MESSAGE_BOX | at_rows(7, 2, bytes([0x7F] * 7)), Phase.BUSY),
        (MESSAGE_BOX | tile(18, 16, 0xEE), Phase.TEXT),
        (MESSAGE_BOX | STATS_BOX, Phase.LEVEL_UP),
        (MESSAGE_BOX | STATS_BOX | tile(18, 16, 0xEE), Phase.LEVEL_UP),
        (cursor(9, 14, 1), Phase.MAIN_MENU),
        (cursor(15, 14, 1), Phase.MAIN_MENU),
        (cursor(1, 14, 1), Phase.MAIN_MENU),
        (cursor(5, 12, 3), Phase.MOVE_MENU),
        (cursor(5, 4, 2) | {0xCF94: 3}, Phase.BAG),
        (cursor(0, 1, 1), Phase.PARTY),
        (cursor(12, 12, 2), Phase.PARTY_SUBMENU),
        (MESSAGE_BOX | cursor(15, 8, 1), Phase.YES_NO),
        (MESSAGE_BOX | cursor(1, 8, 1), Phase.CHANGE_MON),
        (MESSAGE_BOX | cursor(14, 10, 1), Phase.NEXT_MON),
        (MESSAGE_BOX | cursor(5, 8, 3), Phase.FORGET_MOVE),
        (cursor(3, 3, 7), Phase.NAMING),
        (MESSAGE_BOX | STATS_BOX | cursor(7, 7, 7), Phase.OTHER_MENU),
    ],
)
def test_the_phase_of_a_battle(screen: Change, phase: Phase) -> None:
    assert battle_of(WILD | screen).phase is phase


def test_the_real_game_while_the_rival_sends_out_his_first(ram_image: Callable[[str], Ram]) -> None:
    state = read_state(ram_image("rival_battle_sendout"), 0)
    assert "AAAAAAA sent" in state.screen_text
    assert not state.in_control
    battle = state.battle
    assert battle is not None
    assert (battle.kind, battle.type) == (BattleKind.TRAINER, BattleType.NORMAL)
    assert (battle.opponent, battle.trainer_class, battle.trainer_number) == (225, 25, 1)
    assert (battle.phase, battle.own) == (Phase.INTRO, None)
    enemy = battle.enemy
    assert enemy is not None
    assert (enemy.species, enemy.level, enemy.hp, enemy.max_hp) == (0xB1, 5, 20, 20)
    assert enemy.nickname.isalpha()
    assert enemy.types == (21, 21)
    assert enemy.moves == ((33, 35, 0), (39, 30, 0))
    assert enemy.stats == enemy.unmodified == Stats(20, 10, 12, 10, 10)
    assert enemy.dvs == (9, 8, 8, 8)  # the DVs of every trainer's Pokemon
    assert (enemy.stages, enemy.volatile) == (Stages(), Volatile.NONE)
    assert len(battle.enemy_party) == 1
    assert battle.enemy_party[0].species == enemy.species


@pytest.mark.parametrize("name", ["oaks_lab_bulbasaur", "seafoam_1f_right", "beat_champion"])
def test_the_real_game_after_battles(name: str, ram_image: Callable[[str], Ram]) -> None:
    state = read_state(ram_image(name), 0)
    assert state.battle is None
    assert state.battle_result is not None
