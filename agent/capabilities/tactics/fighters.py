"""Mons as they would stand in a fight: those of the team, and those of a trainer before he sends them."""

from dataclasses import replace
from functools import lru_cache
from typing import Final

from emulator import (
    BattleMon,
    Dex,
    Dvs,
    Member,
    MoveSlot,
    PartyMon,
    Stages,
    State,
    Stats,
    Status,
    Volatile,
    stats_of,
)

TRAINER_DVS: Final = Dvs(9, 8, 8, 8)
HEALTHY: Final = Status(0, poisoned=False, burned=False, frozen=False, paralyzed=False)
SOME_PP: Final = (
    9  # as many as a mon that is not fighting yet is taken to have of what it has any of
)


@lru_cache(maxsize=128)
def fighter_of(mon: PartyMon, position: int) -> BattleMon:
    """Return a mon of a team as it is when it is sent."""
    moves = tuple([MoveSlot(each.move, SOME_PP if each.pp else 0, 0) for each in mon.moves])
    made = _fresh(mon.species, mon.level, mon.stats, moves, mon.types)
    stats = mon.stats
    if mon.status.burned:
        stats = stats._replace(attack=max(stats.attack // 2, 1))
    if mon.status.paralyzed:
        stats = stats._replace(speed=max(stats.speed // 4, 1))
    return replace(made, position=position, hp=mon.hp, status=mon.status, stats=stats)


@lru_cache(maxsize=256)
def fighter_from(dex: Dex, member: Member, position: int) -> BattleMon | None:
    """Return a mon of a trainer as the game makes it; None when no table has its species."""
    species = dex.all_species.get(member.species)
    if species is None:
        return None
    stats = stats_of(species.base, TRAINER_DVS, member.level)
    moves = tuple([MoveSlot(move, SOME_PP, 0) for move in species.moves_at(member.level)])
    made = _fresh(member.species, member.level, stats, moves, species.types)
    return replace(made, position=position)


def bench_of(state: State) -> tuple[BattleMon, ...]:
    """Return those of the team who can stand and are not fighting."""
    active = state.battle.own.position if state.battle and state.battle.own else None
    mons = enumerate(state.party.mons)
    return tuple([fighter_of(mon, at) for at, mon in mons if mon.hp and at != active])


def foes_to_come(state: State) -> tuple[BattleMon, ...]:
    """Return the mons that a trainer has yet to send."""
    battle = state.battle
    if battle is None or not battle.is_trainer:
        return ()
    here = battle.enemy.position if battle.enemy is not None else None
    mons = enumerate(battle.enemy_party.mons)
    return tuple([fighter_of(mon, at) for at, mon in mons if mon.hp and at != here])


def with_hp(mon: BattleMon, hp: int) -> BattleMon:
    """Return `mon` with so much HP, as far as it can have that."""
    return replace(mon, hp=min(max(hp, 1), mon.max_hp))


def _fresh(
    species: int, level: int, stats: Stats, moves: tuple[MoveSlot, ...], types: tuple[int, int]
) -> BattleMon:
    return BattleMon(
        species=species,
        nickname="",
        position=0,
        level=level,
        hp=stats.hp,
        status=HEALTHY,
        types=types,
        catch_rate=0,
        moves=moves,
        dvs=TRAINER_DVS,
        stats=stats,
        unmodified=stats,
        stages=Stages(),
        volatile=Volatile.NONE,
        attacks_left=0,
        confused_turns=0,
        toxic_turns=0,
        disabled=None,
        substitute_hp=0,
    )
