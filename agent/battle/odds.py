"""Battles as positions of the turn engine, the one in RAM and those to come, and the chance to win them.

A chance is the share of playouts that are won, always with the same chances: equal battles have equal odds.
"""

import logging
from collections.abc import Collection
from functools import lru_cache
from math import ceil
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agent.battle import search
from agent.battle.search import PLAYOUTS
from emulator import Dex, Party, PartyMon, State, Status
from emulator.dex.dex import engine_tables
from emulator.ram.party import Dvs, MoveSlot, Stats
from emulator.rules.engine import position as engine
from emulator.rules.engine.choices import legal_choices
from emulator.rules.engine.compiled import COMPLETE
from emulator.rules.engine.from_ram import put_team, read_position
from emulator.rules.engine.playout import AS_THE_GAME, ATTACKS, best_move
from emulator.rules.engine.position import OURS, THEIRS, Position, empty_positions
from emulator.rules.engine.sending import start_battle
from emulator.rules.engine.tables import Tables
from emulator.rules.stats import stats_of

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
        put_team(position.sides[OURS], party, tables)
        put_team(position.sides[THEIRS], party, tables)
    search.battles_won(positions, engine.NO_ONE, 1, 0, tables)
    start_battle(positions[0], tables)
    choices = legal_choices(positions[0], OURS)
    options = np.array([(choice, ATTACKS, AS_THE_GAME) for choice in choices])
    search.hp_shares(positions[0], OURS)
    best_move(positions[0], OURS, ATTACKS, tables)
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


@lru_cache(maxsize=2048)
def _won(
    dex: Dex,
    party: Party,
    teams: tuple[Foes, ...],
    heals: int,
    badges: tuple[int, ...],
    wanted: int | None,
) -> int:
    """Return the playouts won of `PLAYOUTS`; where it is clear that fewer than `wanted` are won, any lower number."""
    teams = tuple([each for each in teams if each])
    if not teams or not any(mon.hp for mon in party.mons):
        return 0 if teams else PLAYOUTS
    positions, tables = _battles(dex, party, teams, heals, badges), tables_of(dex)
    needed, few = (PLAYOUTS, PLAYOUTS) if wanted is None else (wanted, UNCLEAR[0])
    won = int(search.battles_won(positions, engine.NO_ONE, needed, few, tables))
    if won == needed or not UNCLEAR[0] <= won <= UNCLEAR[1]:
        return won
    opening = _opening(dex, party, teams[0], heals, badges)
    if opening == engine.NO_ONE:
        return won
    few = PLAYOUTS if wanted is None else 0
    return max(won, int(search.battles_won(positions, opening, needed, few, tables)))


@lru_cache(maxsize=2048)
def _opening(dex: Dex, party: Party, team: Foes, heals: int, badges: tuple[int, ...]) -> int:
    """Return the choice to begin a battle with, NO_ONE for the usual one."""
    (_, battle) = _battles(dex, party, (team,), heals, badges)
    return search.best_opening(battle, tables_of(dex))


def _battles(
    dex: Dex, party: Party, teams: tuple[Foes, ...], heals: int, badges: tuple[int, ...]
) -> NDArray[np.void]:
    """Return a position for each battle to come, after one that is room for a copy."""
    positions, tables = empty_positions(len(teams) + 1), tables_of(dex)
    for made, team in zip(positions[1:], teams, strict=True):
        foes = [mon_from(dex, foe) for foe in team]
        made.kind, made.trainer_class = engine.TRAINER, team[0].trainer_class
        made.badges = sum(1 << bit for bit in badges)
        put_team(made.sides[OURS], party, tables)
        put_team(made.sides[THEIRS], Party(tuple(mon for mon in foes if mon is not None)), tables)
        made.bag_items[0], made.bag_counts[0] = MAX_POTION, heals
    return positions


def damage_share(dex: Dex, own: PartyMon, foe: PartyMon) -> float:
    """Return the share of a Pokemon's HP that the best attack of another one takes in a turn, on average."""
    made = empty_positions(1)[0]
    made.kind = engine.TRAINER
    tables = tables_of(dex)
    put_team(made.sides[OURS], Party((own,)), tables)
    put_team(made.sides[THEIRS], Party((foe,)), tables)
    return float(search.damage_share(made, tables))


def position_in(dex: Dex, state: State, kept: Collection[int] = ()) -> Position | None:
    """Return the battle in RAM as a position, or None while a Pokemon is not out; items in `kept` are not in its bag."""
    return read_position(state, tables_of(dex), kept)
