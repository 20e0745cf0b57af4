"""A position of the turn engine as RAM holds it when the player can choose: the inverse of `emulator.engine.from_ram`."""

from dataclasses import replace
from typing import Final

import numpy as np

from emulator.engine.from_ram import BYTES, DAMAGE, PAY_DAY, SIDES, Addresses
from emulator.model.ram import GameRam, encode_dvs, encode_name, encode_stats
from emulator.ram.battle import (
    ENEMY_POSITION,
    ENEMY_SPECIES,
    IS_IN_BATTLE,
    NOT_OUT_YET,
    OPPONENT,
    OWN_POSITION,
    RESULT,
    TRAINER_CLASS,
    TRAINER_NUMBER,
    TYPE,
    Battle,
    BattleKind,
    BattleType,
)
from emulator.ram.battle_mon import ENEMY, NEUTRAL, OWN
from emulator.ram.battle_mon import Side as Places
from emulator.ram.menu import CURRENT, CURSOR, CURSOR_ADDRESS, MAXIMUM, TOP_X, TOP_Y
from emulator.ram.party import ENEMY_COUNT, MoveSlot, Party, PartyMon, Stats, decode_status
from emulator.ram.player import Stack
from emulator.ram.tile_map import COLUMNS, ROWS, TILE_MAP
from emulator.rules import codes
from emulator.rules.position import POSITION, Position, Side

KINDS: Final = {
    codes.WILD: (BattleKind.WILD, BattleType.NORMAL),
    codes.TRAINER: (BattleKind.TRAINER, BattleType.NORMAL),
    codes.SAFARI: (BattleKind.WILD, BattleType.SAFARI),
}
FIRST_TRAINER: Final = 200
BLANK: Final = 0x7F
UNTRAINED: Final = Stats(0, 0, 0, 0, 0)
# What the records of a Pokemon in battle and of a member of a team share.
SHARED: Final = (
    *("species", "nickname", "level", "hp", "status", "types", "catch_rate", "moves", "dvs"),
)
BATTLE_MENU: Final = (9, 14)  # column and row of its first item
SAFARI_MENU: Final = (1, 14)


def put_position(
    ram: GameRam, position: Position, party: Party, enemies: Party, opponent: tuple[int, int]
) -> Party:
    """Write a battle in which the player has to choose, and return the party as it is in it.

    `party` and `enemies` are the teams with which it began, and `opponent` is the trainer's class and number, or 0 and 0.
    """
    ours, theirs = position.sides[codes.OURS], position.sides[codes.THEIRS]
    now = Party(tuple(with_member(mon, ours, at) for at, mon in enumerate(party.mons)))
    foes = Party(tuple(with_member(mon, theirs, at) for at, mon in enumerate(enemies.mons)))
    ram.put_party(now.mons)
    kind, type_ = KINDS[int(position.kind)]
    if kind is BattleKind.TRAINER:
        ram.put_team(ENEMY_COUNT, foes.mons)
    for at, value in {
        IS_IN_BATTLE: kind.value,
        TYPE: type_.value,
        OPPONENT: FIRST_TRAINER + opponent[0] if opponent[0] else int(theirs.species),
        TRAINER_CLASS: opponent[0],
        TRAINER_NUMBER: opponent[1],
        NOT_OUT_YET: 0,
        ENEMY_SPECIES: int(theirs.species),
    }.items():
        ram.put_byte(at, value)
    for name, at in BYTES.items():
        ram.put_byte(at, int(position[name]) & 0xFF)
    ram.put(DAMAGE, int(position.damage).to_bytes(2, "big"))
    ram.put(PAY_DAY, bytes.fromhex(f"{int(position.pay_day):06d}"))
    bag = zip(position.bag_items, position.bag_counts, strict=True)
    ram.put_bag(Stack(int(item), int(count)) for item, count in bag if item)
    if type_ is not BattleType.SAFARI:
        _put_side(ram, OWN, SIDES[codes.OURS], ours, now[int(ours.out)])
        ram.put_byte(OWN_POSITION, int(ours.out))
    _put_side(ram, ENEMY, SIDES[codes.THEIRS], theirs, foes[int(theirs.out)])
    ram.put_byte(ENEMY_POSITION, int(theirs.out))
    _show_menu(ram, SAFARI_MENU if type_ is BattleType.SAFARI else BATTLE_MENU)
    return now


def with_member(mon: PartyMon, side: Side, at: int) -> PartyMon:
    """Return a Pokemon as it is in a battle: what the battle has changed comes from its place in the team."""
    member = side.team[at]
    ups = {slot.move: slot.pp_ups for slot in mon.moves}
    moves = zip(member.moves, member.pp, strict=True)
    return replace(
        mon,
        species=int(member.species),
        level=int(member.level),
        hp=int(member.hp),
        status=decode_status(int(member.status)),
        exp=int(member.exp),
        stat_exp=Stats(*map(int, member.stat_exp)),
        stats=Stats(int(member.max_hp), *map(int, member.stats)),
        moves=tuple(MoveSlot(int(m), int(pp), ups.get(int(m), 0)) for m, pp in moves if m),
    )


def _put_side(ram: GameRam, places: Places, at: Addresses, side: Side, mon: PartyMon) -> None:
    moves = bytes(int(each) for each in side.moves)
    ram.put(places.nickname, encode_name(mon.nickname))
    ram.put(
        places.mon,
        b"".join(
            (
                bytes([int(side.species)]),
                int(side.hp).to_bytes(2, "big"),
                bytes([int(side.level), int(side.status), int(side.type1), int(side.type2)]),
                bytes([mon.catch_rate]),
                moves,
                encode_dvs(mon.dvs),
                bytes([int(side.level)]),
                encode_stats([int(side.max_hp), *map(int, side.stats)]),
                bytes(int(each) for each in side.pp),
            )
        ),
    )
    stages = bytes(int(each) + NEUTRAL for each in side.stages)
    unmodified = encode_stats([int(side.max_hp), *map(int, side.unmodified)])
    ram.put(places.unmodified, bytes([int(side.level)]) + unmodified + stages)
    ram.put(places.statuses, int(side.volatile).to_bytes(3, "little"))
    disabled = int(side.disabled) << 4 | int(side.disabled_turns)
    counters = (int(side.attacks_left), int(side.confused), int(side.toxic), disabled)
    ram.put(places.counters, bytes(each & 0xFF for each in counters))
    ram.put_byte(places.substitute, int(side.substitute))
    move = side.move
    loaded = (move.number, move.effect, move.power, move.type, move.accuracy)
    ram.put(at.move, bytes(int(each) & 0xFF for each in loaded))
    ram.put_byte(at.selected, int(side.selected) & 0xFF)
    ram.put_byte(at.used, int(side.used) & 0xFF)
    ram.put_byte(at.slot, int(side.slot) & 0xFF)
    ram.put_byte(at.disabled, disabled)
    ram.put_byte(at.disabled_move, int(side.disabled_move))
    ram.put(at.bide_damage, int(side.bide_damage).to_bytes(2, "big"))


def _show_menu(ram: GameRam, place: tuple[int, int]) -> None:
    column, row = place
    cursor = row * COLUMNS + column
    tiles = bytearray([BLANK]) * (COLUMNS * ROWS)
    tiles[cursor] = CURSOR
    ram.put(TILE_MAP, bytes(tiles))
    ram.put(CURSOR_ADDRESS, (TILE_MAP + cursor).to_bytes(2, "little"))
    for at, value in {TOP_X: column, TOP_Y: row, MAXIMUM: 1, CURRENT: 0}.items():
        ram.put_byte(at, value)


def end_battle(ram: GameRam, result: int) -> None:
    """Write that a battle has ended, with `result`, a BattleResult's value."""
    for at in (IS_IN_BATTLE, OPPONENT, TYPE):
        ram.put_byte(at, 0)
    ram.put_byte(RESULT, result)
    ram.put(TILE_MAP, bytes([BLANK]) * (COLUMNS * ROWS))


def position_of(data: bytes) -> Position:
    """Return the position whose bytes were saved."""
    position: Position = np.frombuffer(data, POSITION).copy().view(np.recarray)[0]
    return position


def wild_mon(battle: Battle) -> PartyMon:
    """Return the wild Pokemon of a battle as a member of a team."""
    foe = battle.enemy
    assert foe is not None
    shared = {name: getattr(foe, name) for name in SHARED}
    return PartyMon(ot_id=0, exp=0, stat_exp=UNTRAINED, stats=foe.unmodified, **shared)
