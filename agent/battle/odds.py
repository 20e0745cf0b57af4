"""Battles as positions of the turn engine, the one in RAM and those to come, and the chance to win them.

A chance is the share of playouts that are won, always with the same chances: equal battles have equal odds.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from agent.battle import search
from emulator import Battle, BattleMon, Dex, Party, PartyMon, State, Status
from emulator.dex.engine_tables import engine_tables
from emulator.ram.battle import BattleType
from emulator.ram.party import Dvs, MoveSlot, Stats
from emulator.rules.engine import position as engine
from emulator.rules.engine.move_use import load_move
from emulator.rules.engine.position import OURS, THEIRS, Position, empty_positions
from emulator.rules.engine.sending import start_battle
from emulator.rules.engine.tables import Tables
from emulator.rules.stats import stats_of

TRAINER_DVS: Final = Dvs(9, 8, 8, 8)
HEALTHY: Final = Status(0, poisoned=False, burned=False, frozen=False, paralyzed=False)
UNTRAINED: Final = Stats(0, 0, 0, 0, 0)
PLAYOUTS: Final = 192  # of a battle to come: a standard error of 0.02 where nine of ten are won
MAX_POTION: Final = 17
DISABLED_TURNS: Final = 3  # assumed where RAM is not asked
Row: TypeAlias = tuple[object, ...]


class Foe(NamedTuple):
    """A member of a trainer's team as it is fought; `third_move` replaces its third move if not 0.

    The class of its trainer decides how it fights; 0 fights like a wild Pokemon.
    """

    level: int
    species: int
    third_move: int = 0
    trainer_class: int = 0


Foes: TypeAlias = tuple[Foe, ...]


@lru_cache(maxsize=4)
def tables_of(dex: Dex) -> Tables:
    """Return the tables of a cartridge for the turn engine."""
    return engine_tables(dex)


@lru_cache(maxsize=512)
def mon_from(dex: Dex, foe: Foe) -> PartyMon | None:
    """Return a trainer's Pokemon as the game creates it, or None for an unknown species."""
    species = dex.all_species.get(foe.species)
    if species is None:
        return None
    numbers = species.moves_at(foe.level)
    if foe.third_move:
        numbers = (*numbers[:2], foe.third_move, *numbers[3:])
    stats = stats_of(species.base, TRAINER_DVS, foe.level)
    return PartyMon(
        species=foe.species,
        nickname=species.name,
        ot_id=0,
        level=foe.level,
        hp=stats.hp,
        status=HEALTHY,
        types=species.types,
        catch_rate=species.catch_rate,
        moves=tuple([MoveSlot(n, dex.all_moves[n].pp, 0) for n in numbers if n in dex.all_moves]),
        exp=0,
        stat_exp=UNTRAINED,
        dvs=TRAINER_DVS,
        stats=stats,
    )


def chance_to_beat(
    dex: Dex,
    party: Party,
    team: Foes,
    then: tuple[Foes, ...] = (),
    heals: int = 0,
    badges: tuple[int, ...] = (),
) -> float:
    """Return the chance that the team, in its current state and order, beats a trainer's, and `then` others.

    `heals` is how often a member can be healed in full on the way, which takes a turn. `badges` are bit numbers.
    """
    teams = tuple([each for each in (team, *then) if each])
    if not teams or not any(mon.hp for mon in party.mons):
        return float(not teams)
    return _chance(dex, party, teams, heals, badges)


@lru_cache(maxsize=2048)
def _chance(
    dex: Dex, party: Party, teams: tuple[Foes, ...], heals: int, badges: tuple[int, ...]
) -> float:
    positions = empty_positions(len(teams) + 1)
    for made, team in zip(positions[1:], teams, strict=True):
        foes = [mon_from(dex, foe) for foe in team]
        made.kind, made.trainer_class = engine.TRAINER, team[0].trainer_class
        made.badges = sum(1 << bit for bit in badges)
        _put_team(made, OURS, dex, party.mons)
        _put_team(made, THEIRS, dex, [mon for mon in foes if mon is not None])
        made.bag_items[0], made.bag_counts[0] = MAX_POTION, heals
    return float(search.share_won(positions, PLAYOUTS, tables_of(dex)))


def damage_share(dex: Dex, own: PartyMon, foe: PartyMon) -> float:
    """Return the share of a Pokemon's HP that the best attack of another one takes in a turn, on average."""
    made = empty_positions(1)[0]
    made.kind = engine.TRAINER
    _put_team(made, OURS, dex, [own])
    _put_team(made, THEIRS, dex, [foe])
    return float(search.damage_share(made, tables_of(dex)))


def position_in(dex: Dex, state: State, kept: Collection[int] = ()) -> Position | None:
    """Return the battle in RAM as a position, or None unless both sides have a Pokemon in battle.

    Items in `kept` are left out of the bag.
    """
    battle = state.battle
    if battle is None or battle.own is None or battle.enemy is None or not state.party.mons:
        return None
    made: Position = empty_positions(1)[0]
    made.kind = _kind(battle)
    made.trainer_class = battle.trainer_class
    made.badges = sum(1 << bit for bit in state.player.badges)
    made.run_attempts = battle.run_attempts
    stacks = [each for each in state.bag.items if each.item not in kept]
    for at, each in enumerate(stacks[: engine.BAG]):
        made.bag_items[at], made.bag_counts[at] = each.item, each.quantity
    _put_team(made, OURS, dex, state.party.mons)
    foes = battle.enemy_party.mons if battle.is_trainer else (_party_mon(battle.enemy),)
    _put_team(made, THEIRS, dex, foes)
    start_battle(made, tables_of(dex))
    _put_active(made, OURS, battle.own, battle.own_move, tables_of(dex))
    _put_active(made, THEIRS, battle.enemy, battle.enemy_move, tables_of(dex))
    made.catch_rate = battle.enemy.catch_rate
    made.participants = made.gainers = 1 << battle.own.position
    made.seed = state.frame
    return made


def _kind(battle: Battle) -> int:
    if battle.type is BattleType.SAFARI:
        return engine.SAFARI
    return engine.TRAINER if battle.is_trainer else engine.WILD


def _put_team(made: Position, side: int, dex: Dex, mons: Iterable[PartyMon]) -> None:
    team, count = made.sides[side].team, 0
    for at, mon in enumerate(mons):
        team[at] = _member(dex, mon)
        count += 1
    made.sides[side].count = count


@lru_cache(maxsize=512)
def _member(dex: Dex, mon: PartyMon) -> Row:
    """Return a member of a team in the order of the engine's record."""
    empty = (0,) * (engine.SLOTS - len(mon.moves))
    moves = (*(slot.move for slot in mon.moves), *empty)
    known = [dex.all_moves.get(slot.move) for slot in mon.moves]
    most = [
        move.pp + slot.pp_ups * (move.pp // 5) if move is not None else slot.pp
        for move, slot in zip(known, mon.moves, strict=True)
    ]
    return (
        mon.species,
        mon.level,
        mon.hp,
        mon.stats.hp,
        _status_byte(mon.status),
        mon.exp,
        0,
        0,
        moves,
        (*(slot.pp for slot in mon.moves), *empty),
        (*most, *empty),
        mon.stats[1:],
        mon.dvs,
        mon.stat_exp,
    )


def _status_byte(status: Status) -> int:
    flags = (
        (status.poisoned, engine.POISONED),
        (status.burned, engine.BURNED),
        (status.frozen, engine.FROZEN),
        (status.paralyzed, engine.PARALYZED),
    )
    return status.sleep | sum(bit for holds, bit in flags if holds)


def _party_mon(mon: BattleMon) -> PartyMon:
    """Return a wild Pokemon as if it were in a team."""
    return PartyMon(
        species=mon.species,
        nickname=mon.nickname,
        ot_id=0,
        level=mon.level,
        hp=mon.hp,
        status=mon.status,
        types=mon.types,
        catch_rate=mon.catch_rate,
        moves=mon.moves,
        exp=0,
        stat_exp=UNTRAINED,
        dvs=mon.dvs,
        stats=mon.unmodified,
    )


def _put_active(
    made: Position, side: int, mon: BattleMon, selected: int | None, tables: Tables
) -> None:
    """Write what the battle has changed on the Pokemon that is out."""
    out = made.sides[side]
    if mon.position < out.count:
        out.out = mon.position
    out.species, out.level, out.hp, out.max_hp = mon.species, mon.level, mon.hp, mon.max_hp
    out.status, (out.type1, out.type2) = _status_byte(mon.status), mon.types
    out.volatile = mon.volatile.value
    out.stats[:], out.unmodified[:], out.plain[:] = (
        mon.stats[1:],
        mon.unmodified[1:],
        mon.unmodified[1:],
    )
    out.stages[:] = mon.stages
    empty = (0,) * (engine.SLOTS - len(mon.moves))
    out.moves[:] = (*(slot.move for slot in mon.moves), *empty)
    out.pp[:] = (*(slot.pp for slot in mon.moves), *empty)
    out.confused, out.toxic = mon.confused_turns, mon.toxic_turns
    out.attacks_left, out.substitute = mon.attacks_left, mon.substitute_hp
    if mon.disabled is not None:
        out.disabled, out.disabled_turns = mon.disabled + 1, DISABLED_TURNS
        out.disabled_move = out.moves[mon.disabled]
    if selected is not None:
        out.selected = selected
        load_move(made, side, selected, tables)
    out.team[out.out].hp, out.team[out.out].status = out.hp, out.status
