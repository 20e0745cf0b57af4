"""The position of a battle as RAM holds it when the player can choose."""

from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.battle import Battle, BattleType
from emulator.ram.battle_mon import BattleMon
from emulator.ram.party import Party, PartyMon, Status
from emulator.ram.state import State
from emulator.ram.view import Ram
from emulator.rules.arithmetic import full_pp
from emulator.rules.engine.growth import plain_stats
from emulator.rules.engine.position import (
    ASLEEP,
    BURNED,
    FROZEN,
    NO_ONE,
    OURS,
    PARALYZED,
    POISONED,
    SAFARI,
    SLOTS,
    STATS,
    THEIRS,
    TRAINER,
    TRANSFORMED,
    WILD,
    Position,
    Side,
    empty_positions,
)
from emulator.rules.engine.tables import Tables
from emulator.text import bcd, word

NOT_TRAINED: Final = (0,) * (STATS + 1)


class _Addresses(NamedTuple):
    """Where RAM holds what the records of `emulator.ram` leave out of one side."""

    move: int
    selected: int
    used: int
    slot: int
    disabled: int
    disabled_move: int
    bide_damage: int


_SIDES: Final = (
    _Addresses(
        symbol("wPlayerMoveNum"),
        symbol("wPlayerSelectedMove"),
        symbol("wPlayerUsedMove"),
        symbol("wPlayerMoveListIndex"),
        symbol("wPlayerDisabledMove"),
        symbol("wPlayerDisabledMoveNumber"),
        symbol("wEnemyDisabledMove")
        + 2,  # wPlayerBideAccumulatedDamage, which has no grade of its own
    ),
    _Addresses(
        symbol("wEnemyMoveNum"),
        symbol("wEnemySelectedMove"),
        symbol("wEnemyUsedMove"),
        symbol("wEnemyMoveListIndex"),
        symbol("wEnemyDisabledMove"),
        symbol("wEnemyDisabledMoveNumber"),
        symbol("wPlayerMonUnmodifiedLevel") - 10,  # wEnemyBideAccumulatedDamage, the same
    ),
)
_BYTES: Final = {
    "missed": symbol("wMoveMissed"),
    "critical": symbol("wCriticalHitOrOHKO"),
    "badges": symbol("wObtainedBadges"),
    "ai_uses": symbol("wAICount"),
    "ai_turns": symbol("wAILayer2Encouragement"),
    "run_attempts": symbol("wNumRunAttempts"),
    "gainers": symbol("wPartyGainExpFlags"),
    "participants": symbol("wPartyFoughtCurrentEnemyFlags"),
    "catch_rate": symbol("wEnemyMonActualCatchRate"),
    "bait": symbol("wSafariBaitFactor"),
    "rock": symbol("wSafariEscapeFactor"),
    "balls": symbol("wNumSafariBalls"),
}
DAMAGE: Final = symbol("wDamage")
PAY_DAY: Final = symbol("wTotalPayDayMoney")


def read_position(state: State, tables: Tables) -> Position | None:
    """Return the position of the battle, or None while a Pokemon is not out; its seed is 0."""
    battle, ram = state.battle, state.ram
    if battle is None or battle.enemy is None:
        return None
    position: Position = empty_positions(1)[0]
    position.kind = _kind(battle)
    if battle.own is None and position.kind != SAFARI:
        return None
    position.trainer_class = battle.trainer_class
    for name, address in _BYTES.items():
        setattr(position, name, ram.byte(address))
    position.damage = word(ram.span(DAMAGE, 2), 0)
    position.pay_day = bcd(ram.span(PAY_DAY, 3))
    for at, stack in enumerate(state.bag.items[: len(position.bag_items)]):
        position.bag_items[at], position.bag_counts[at] = stack.item, stack.quantity
    ours, theirs = position.sides
    put_team(ours, state.party, tables, state.player.player_id)
    if battle.is_wild:
        _put_wild(theirs, battle.enemy, tables)
    else:
        put_team(theirs, battle.enemy_party, tables)
    for side, mon in ((OURS, battle.own), (THEIRS, battle.enemy)):
        if mon is not None:  # in the Safari Zone none of ours is out
            _put_battler(position.sides[side], mon)
        _put_turn(position.sides[side], ram, _SIDES[side])
    if theirs.volatile & TRANSFORMED:
        plain_stats(position, tables)
    return position


def _kind(battle: Battle) -> int:
    if battle.type is BattleType.SAFARI:
        return SAFARI
    return WILD if battle.is_wild else TRAINER


def status_byte(status: Status) -> int:
    """Return the byte that stores a major status."""
    bits = (
        (status.poisoned, POISONED),
        (status.burned, BURNED),
        (status.frozen, FROZEN),
        (status.paralyzed, PARALYZED),
    )
    return status.sleep & ASLEEP | sum(bit for has, bit in bits if has)


def put_team(side: Side, party: Party, tables: Tables, player_id: int | None = None) -> None:
    """Write a party into the record of a side; of Pokemon that are not the player's own, all are traded."""
    side.count = len(party)
    for at, mon in enumerate(party.mons):
        traded = player_id is not None and mon.ot_id != player_id
        side.team[at] = _member(mon, mon.stats[1:], tables, (mon.exp, traded), mon.stat_exp)


def _put_wild(side: Side, mon: BattleMon, tables: Tables) -> None:
    side.count = 1
    side.team[0] = _member(mon, mon.unmodified[1:], tables)


def _member(
    mon: PartyMon | BattleMon,
    stats: tuple[int, ...],
    tables: Tables,
    exp_and_traded: tuple[int, bool] = (0, False),
    stat_exp: tuple[int, ...] = NOT_TRAINED,
) -> tuple[object, ...]:
    """Return a member of a team in the order of MEMBER: one assignment costs a tenth of twenty."""
    slots = mon.moves[:SLOTS]
    none = (0,) * (SLOTS - len(slots))
    pp = tables.moves["pp"]
    return (
        mon.species,
        mon.level,
        mon.hp,
        mon.stats.hp,
        status_byte(mon.status),
        *exp_and_traded,
        0,
        tuple([slot.move for slot in slots]) + none,
        tuple([slot.pp for slot in slots]) + none,
        tuple([full_pp(int(pp[slot.move]), slot.pp_ups) for slot in slots]) + none,
        stats,
        tuple(mon.dvs),
        stat_exp,
    )


def _put_battler(side: Side, mon: BattleMon) -> None:
    side.out, side.species, side.level = mon.position, mon.species, mon.level
    side.hp, side.max_hp, side.status = mon.hp, mon.max_hp, status_byte(mon.status)
    (side.type1, side.type2), side.volatile = mon.types, mon.volatile.value
    side.stats[:], side.unmodified[:] = mon.stats[1:], mon.unmodified[1:]
    side.stages[:], side.plain[:] = mon.stages, side.team[mon.position].stats
    for at, slot in enumerate(mon.moves):
        side.moves[at], side.pp[at] = slot.move, slot.pp
    side.attacks_left, side.confused = mon.attacks_left, mon.confused_turns
    side.toxic, side.substitute = mon.toxic_turns, mon.substitute_hp
    side.mimic_slot = NO_ONE
    side.disabled = 0 if mon.disabled is None else mon.disabled + 1


def _put_turn(side: Side, ram: Ram, at: _Addresses) -> None:
    number, effect, power, kind, accuracy, _ = ram.span(at.move, 6)
    move = side.move
    move.number, move.effect, move.power = number, effect, power
    move.type, move.accuracy = kind, accuracy
    side.selected, side.used = ram.byte(at.selected), ram.byte(at.used)
    side.slot = ram.byte(at.slot) % len(side.moves)
    disabled = ram.byte(at.disabled)
    side.disabled_turns = disabled & 0xF
    side.disabled_move = ram.byte(at.disabled_move)
    side.bide_damage = word(ram.span(at.bide_damage, 2), 0)
