"""The position of a battle as RAM holds it when the player can choose."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from emulator.engine.growth import plain_stats
from emulator.profile import symbol
from emulator.ram.battle import Battle, BattleType
from emulator.ram.battle_mon import BattleMon
from emulator.ram.party import Party, PartyMon, Status
from emulator.ram.state import State
from emulator.ram.view import Ram
from emulator.rules import codes
from emulator.rules.arithmetic import full_pp
from emulator.rules.position import MEMBER, POSITION, SIDE, Position, Side, Tables, empty_positions
from emulator.text import bcd, word

NOT_TRAINED: Final = (0,) * (codes.STATS + 1)
EMPTY: Final = np.zeros(1, MEMBER)[0]
MEMBER_STATS: Final = (MEMBER.names or ()).index("stats")
# A record as it is assigned, in the order of its fields.
Values: TypeAlias = tuple[Any, ...]


class Addresses(NamedTuple):
    """Where RAM holds what the records of `emulator.ram` leave out of one side."""

    move: int
    selected: int
    used: int
    slot: int
    disabled: int
    disabled_move: int
    bide_damage: int


SIDES: Final = (
    Addresses(
        symbol("wPlayerMoveNum"),
        symbol("wPlayerSelectedMove"),
        symbol("wPlayerUsedMove"),
        symbol("wPlayerMoveListIndex"),
        symbol("wPlayerDisabledMove"),
        symbol("wPlayerDisabledMoveNumber"),
        symbol("wEnemyDisabledMove")
        + 2,  # wPlayerBideAccumulatedDamage, which has no grade of its own
    ),
    Addresses(
        symbol("wEnemyMoveNum"),
        symbol("wEnemySelectedMove"),
        symbol("wEnemyUsedMove"),
        symbol("wEnemyMoveListIndex"),
        symbol("wEnemyDisabledMove"),
        symbol("wEnemyDisabledMoveNumber"),
        symbol("wPlayerMonUnmodifiedLevel") - 10,  # wEnemyBideAccumulatedDamage, the same
    ),
)
BYTES: Final = {
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


def read_position(state: State, tables: Tables, kept: Collection[int] = ()) -> Position | None:
    """Return the position of the battle, or None while a Pokemon is not out; items in `kept` are not in its bag.

    Its seed is the frame.
    """
    battle = state.battle
    if battle is None or battle.enemy is None:
        return None
    if battle.own is None and battle.type is not BattleType.SAFARI:
        return None
    positions = empty_positions(1)
    positions[0] = _record(POSITION, _fields(state, battle, battle.enemy, tables, kept))
    position: Position = positions[0]
    if battle.enemy.transformed:
        plain_stats(position, tables)
    return position


def _record(kind: np.dtype, fields: Mapping[str, object]) -> Values:
    """Return a record with these fields, others 0: one assignment costs a tenth of twenty."""
    return tuple([fields.get(name, 0) for name in kind.names or ()])


def _fields(
    state: State, battle: Battle, enemy: BattleMon, tables: Tables, kept: Collection[int]
) -> dict[str, object]:
    ram, bag = state.ram, state.bag.items[: codes.BAG]
    own = _members(state.party, tables, state.player.player_id)
    others = [_member(enemy, enemy.unmodified[1:], tables)]
    if not battle.is_wild:
        others = _members(battle.enemy_party, tables)
    sides = (
        # In the Safari Zone none of ours is out.
        _team(own, battle.own) | _turn(ram, SIDES[codes.OURS]),
        _team(others, enemy) | _turn(ram, SIDES[codes.THEIRS]),
    )
    return {name: ram.byte(address) for name, address in BYTES.items()} | {
        "kind": _kind(battle),
        "seed": state.frame,
        "trainer_class": battle.trainer_class,
        "damage": word(ram.span(DAMAGE, 2), 0),
        "pay_day": bcd(ram.span(PAY_DAY, 3)),
        "bag_items": _padded([stack.item for stack in bag], codes.BAG),
        "bag_counts": _padded(
            [stack.quantity * (stack.item not in kept) for stack in bag], codes.BAG
        ),
        "sides": [_record(SIDE, side) for side in sides],
    }


def _padded(found: Sequence[int], count: int) -> tuple[int, ...]:
    return (*found, *[0] * (count - len(found)))


def _kind(battle: Battle) -> int:
    if battle.type is BattleType.SAFARI:
        return codes.SAFARI
    return codes.WILD if battle.is_wild else codes.TRAINER


def status_byte(status: Status) -> int:
    """Return the byte that stores a major status."""
    bits = (
        (status.poisoned, codes.POISONED),
        (status.burned, codes.BURNED),
        (status.frozen, codes.FROZEN),
        (status.paralyzed, codes.PARALYZED),
    )
    return status.sleep & codes.ASLEEP | sum(bit for has, bit in bits if has)


def put_team(side: Side, party: Party, tables: Tables, player_id: int | None = None) -> None:
    """Write a party into the record of a side; of Pokemon that are not the player's own, all are traded."""
    side.count = len(party)
    side.team[: len(party)] = _members(party, tables, player_id)


def _members(party: Party, tables: Tables, player_id: int | None = None) -> list[Values]:
    return [
        _member(
            mon,
            mon.stats[1:],
            tables,
            (mon.exp, player_id is not None and mon.ot_id != player_id),
            mon.stat_exp,
        )
        for mon in party.mons
    ]


def _member(
    mon: PartyMon | BattleMon,
    stats: tuple[int, ...],
    tables: Tables,
    exp_and_traded: tuple[int, bool] = (0, False),
    stat_exp: tuple[int, ...] = NOT_TRAINED,
) -> Values:
    """Return a member of a team in the order of MEMBER."""
    slots = mon.moves[: codes.SLOTS]
    pp = tables.moves["pp"]
    return (
        mon.species,
        mon.level,
        mon.hp,
        mon.stats.hp,
        status_byte(mon.status),
        *exp_and_traded,
        0,
        _padded([slot.move for slot in slots], codes.SLOTS),
        _padded([slot.pp for slot in slots], codes.SLOTS),
        _padded([full_pp(int(pp[slot.move]), slot.pp_ups) for slot in slots], codes.SLOTS),
        stats,
        tuple(mon.dvs),
        stat_exp,
    )


def _team(members: list[Values], mon: BattleMon | None) -> dict[str, object]:
    """Return the fields of a side that describe its team and its Pokemon that is out, if any."""
    # One that is out may have no place in a team that RAM does not hold yet.
    places = [*members, *[EMPTY] * (codes.TEAM - len(members))]
    team = {"count": len(members), "team": places}
    if mon is None:
        return team
    return team | {
        "out": mon.position,
        "species": mon.species,
        "level": mon.level,
        "hp": mon.hp,
        "max_hp": mon.max_hp,
        "status": status_byte(mon.status),
        "type1": mon.types[0],
        "type2": mon.types[1],
        "volatile": mon.volatile.value,
        "stats": mon.stats[1:],
        "unmodified": mon.unmodified[1:],
        "plain": places[mon.position][MEMBER_STATS],
        "stages": tuple(mon.stages),
        "moves": _padded([slot.move for slot in mon.moves], codes.SLOTS),
        "pp": _padded([slot.pp for slot in mon.moves], codes.SLOTS),
        "attacks_left": mon.attacks_left,
        "confused": mon.confused_turns,
        "toxic": mon.toxic_turns,
        "substitute": mon.substitute_hp,
        "mimic_slot": codes.NO_ONE,
        "disabled": 0 if mon.disabled is None else mon.disabled + 1,
    }


def _turn(ram: Ram, at: Addresses) -> dict[str, object]:
    number, effect, power, kind, accuracy, _ = ram.span(at.move, 6)
    disabled = ram.byte(at.disabled)
    return {
        "move": (number, effect, power, kind, accuracy),
        "selected": ram.byte(at.selected),
        "used": ram.byte(at.used),
        "slot": ram.byte(at.slot) % codes.SLOTS,
        "disabled_turns": disabled & 0xF,
        "disabled_move": ram.byte(at.disabled_move),
        "bide_damage": word(ram.span(at.bide_damage, 2), 0),
    }
