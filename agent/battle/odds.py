"""Battles as positions of the turn engine, the one in RAM and those to come, and the chance to win them.

A chance is the share of playouts that are won, always with the same chances: equal battles have equal odds.
"""

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cached_property, lru_cache
from math import ceil
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agent.battle import search
from agent.battle.search import PLAYOUTS
from emulator import Dex, Party, PartyMon, State, Status
from emulator.compiled import COMPLETE
from emulator.dex import engine_tables
from emulator.engine import (
    AS_THE_GAME,
    ATTACKS,
    best_move,
    legal_choices,
    put_team,
    read_position,
    start_battle,
)
from emulator.ram import Dvs, MoveSlot, Stats
from emulator.rules import Position, Tables, codes, empty_positions, full_pp, stats_of

TRAINER_DVS: Final = Dvs(9, 8, 8, 8)
HEALTHY: Final = Status(0, poisoned=False, burned=False, frozen=False, paralyzed=False)
UNTRAINED: Final = Stats(0, 0, 0, 0, 0)
UNCLEAR: Final = (5, 189)  # playouts won, of a chance for which the best opening is looked for
MAX_POTION: Final = 17
log = logging.getLogger(__name__)


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


@lru_cache(maxsize=1)
def prepare(dex: Dex) -> None:
    """Load what decides battles; where that was not done before it is compiled, which takes about a minute."""
    if not COMPLETE.exists():
        log.warning("compiling the rules of battle, once: this takes about a minute")
    mons = [mon_from(dex, Foe(5, species)) for species in list(dex.all_species)[:1]]
    party = Party(tuple([mon for mon in mons if mon is not None]))
    if not party.mons:
        return
    damage_share(dex, party[0], party[0])
    positions, tables = empty_positions(2), tables_of(dex)
    for position in positions:
        put_team(position.sides[codes.OURS], party, tables)
        put_team(position.sides[codes.THEIRS], party, tables)
    search.is_clear(0, 0, 1, 0)
    search.play_battles(positions, codes.NO_ONE, 0, 0, 1, 0, tables)
    start_battle(positions[0], tables)
    choices = legal_choices(positions[0], codes.OURS)
    options = np.array([(choice, ATTACKS, AS_THE_GAME) for choice in choices])
    search.hp_shares(positions[0], codes.OURS)
    best_move(positions[0], codes.OURS, ATTACKS, tables)
    search.race(positions, options, np.zeros(len(choices)), np.zeros(search.WEIGHTS), 1, tables)
    COMPLETE.parent.mkdir(parents=True, exist_ok=True)
    COMPLETE.touch()


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
    return _won(dex, party, (team, *then), heals, badges, None) / PLAYOUTS


def beats(  # noqa: PLR0913  # as `chance_to_beat`
    dex: Dex,
    party: Party,
    team: Foes,
    chance: float,
    then: tuple[Foes, ...] = (),
    heals: int = 0,
    badges: tuple[int, ...] = (),
) -> bool:
    """Return whether `chance_to_beat` is at least `chance`, of at most 0.95: playouts end when that is clear."""
    wanted = ceil(round(chance * PLAYOUTS, 6))
    return _won(dex, party, (team, *then), heals, badges, wanted) >= wanted


def _won(
    dex: Dex,
    party: Party,
    teams: tuple[Foes, ...],
    heals: int,
    badges: tuple[int, ...],
    wanted: int | None,
) -> int:
    """Return the playouts won of `PLAYOUTS`; with `wanted`, as many as show whether those are won."""
    teams = tuple([each for each in teams if each])
    if not teams or not any(mon.hp for mon in party.mons):
        return 0 if teams else PLAYOUTS
    playouts = _playouts(dex, party, teams, heals, badges)
    needed, few, least = (wanted, UNCLEAR[0], 0) if wanted is not None else (PLAYOUTS,) * 3
    won = playouts.won(codes.NO_ONE, needed, few)
    if won >= needed or not UNCLEAR[0] <= won <= UNCLEAR[1]:
        return won
    if playouts.best_opening == codes.NO_ONE:
        return won
    return max(won, playouts.won(playouts.best_opening, needed, least))


class Playouts:
    """The playouts of battles to come with one party, as far as they were needed."""

    def __init__(
        self, dex: Dex, party: Party, teams: tuple[Foes, ...], heals: int, badges: tuple[int, ...]
    ) -> None:
        self._dex, self._party, self._teams = dex, party, teams
        self._heals, self._badges = heals, badges
        self._known: dict[int, tuple[int, int]] = {}  # played and won, by the first choice

    def won(self, first: int, wanted: int, least: int) -> int:
        """Return how many are won that begin with the choice `first`, played as far as `play_battles` says."""
        known = self._known.get(first, (0, 0))
        if not search.is_clear(*known, wanted, least):
            tables = tables_of(self._dex)
            known = search.play_battles(_positions(self), first, *known, wanted, least, tables)
            self._known[first] = known
        return known[1]

    @cached_property
    def best_opening(self) -> int:
        """The choice to begin the first battle with, NO_ONE if it is the usual one."""
        return search.best_opening(_positions(self)[1], tables_of(self._dex))

    def positions(self) -> NDArray[np.void]:
        """Return a position for each battle, after one that is room for a copy."""
        dex, tables = self._dex, tables_of(self._dex)
        positions = empty_positions(len(self._teams) + 1)
        for made, team in zip(positions[1:], self._teams, strict=True):
            foes = [mon_from(dex, foe) for foe in team]
            made.kind, made.trainer_class = codes.TRAINER, team[0].trainer_class
            made.badges = sum(1 << bit for bit in self._badges)
            put_team(made.sides[codes.OURS], self._party, tables)
            against = Party(tuple(mon for mon in foes if mon is not None))
            put_team(made.sides[codes.THEIRS], against, tables)
            made.bag_items[0], made.bag_counts[0] = MAX_POTION, self._heals
        return positions


_playouts = lru_cache(maxsize=2048)(Playouts)
_positions = lru_cache(maxsize=1)(Playouts.positions)  # they take much memory


def damage_share(dex: Dex, own: PartyMon, foe: PartyMon) -> float:
    """Return the share of a Pokemon's HP that the best attack of another one takes in a turn, on average."""
    made = empty_positions(1)[0]
    made.kind = codes.TRAINER
    tables = tables_of(dex)
    put_team(made.sides[codes.OURS], Party((own,)), tables)
    put_team(made.sides[codes.THEIRS], Party((foe,)), tables)
    return float(search.damage_share(made, tables))


def position_in(dex: Dex, state: State, kept: Collection[int] = ()) -> Position | None:
    """Return the battle in RAM as a position, or None while a Pokemon is not out; items in `kept` are not in its bag."""
    return read_position(state, tables_of(dex), kept)


def led_by(party: Party, position: int) -> Party:
    """Return a team with its first member and another one swapped."""
    mons = list(party.mons)
    mons[0], mons[position] = mons[position], mons[0]
    return Party(tuple(mons))


def rested(dex: Dex, party: Party) -> Party:
    """Return a team with full HP and PP and no status."""
    return Party(tuple(_rested(dex, mon) for mon in party.mons))


def grown(dex: Dex, party: Party, position: int, level: int) -> Party:
    """Return a team whose member at a position has come to a level, with the moves that it knows now."""
    mons, species = list(party.mons), dex.species(party[position].species)
    mon = mons[position]
    stats = stats_of(species.base, mon.dvs, level, mon.stat_exp)
    exp = species.growth.experience_at(level)
    mons[position] = replace(mon, level=level, exp=exp, stats=stats, hp=stats.hp)
    return Party(tuple(mons))


def strength(party: Party) -> tuple[object, ...]:
    """Return the values that the odds of a rested team depend on; HP and PP are not among them."""
    return tuple(
        [
            (mon.species, mon.level, mon.stats, [slot.move for slot in mon.moves])
            for mon in party.mons
        ]
    )


def remembered_strength() -> Callable[[Party], tuple[object, ...]]:
    """Return a cached `strength` for calls every tick: computed only when the team changes."""
    last, known = Party(()), strength(Party(()))

    def cached(party: Party) -> tuple[object, ...]:
        nonlocal last, known
        if party is not last:
            last, known = party, strength(party)
        return known

    return cached


def _rested(dex: Dex, mon: PartyMon) -> PartyMon:
    moves = tuple(_refreshed(dex, slot) for slot in mon.moves)
    return replace(mon, hp=mon.stats.hp, status=HEALTHY, moves=moves)


def _refreshed(dex: Dex, slot: MoveSlot) -> MoveSlot:
    move = dex.all_moves.get(slot.move)
    return slot if move is None else slot._replace(pp=full_pp(move.pp, slot.pp_ups))
