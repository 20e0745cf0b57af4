"""Win chances: one Pokemon against another, and a team against a team.

A trainer's Pokemon chooses its moves by the AI rules of its trainer class.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from agent.battle.damage import (
    PP_COUNTED,
    DamageSchedule,
    Duel,
    TurnDamage,
    acting_share,
    add_damage,
    attacks,
    damage_odds,
    damage_taken,
    duel_of,
    expected_damage,
    scale_odds,
    self_damage,
    turn_damage,
    two_turn_odds,
)
from agent.battle.effects import CHARGES_HIDDEN, PARALYZE, POISON, SLEEP, STRUGGLE_MOVE
from agent.battle.hindrance import enemy_odds, hindrance, with_seeds
from emulator import BattleMon, Dex, Party, PartyMon, State, Status, Volatile
from emulator.dex.trainers import TeamMember
from emulator.ram.battle_mon import Stages
from emulator.ram.party import Dvs, MoveSlot, Stats
from emulator.rules.chances import first_chance
from emulator.rules.damage import Odds
from emulator.rules.moves import FIXED, HALF, MoveData
from emulator.rules.stats import stats_of, with_badges

ONE_STATUS, STRONG_TYPES = 1, 3  # numbers of AI rules; rule 2 only concerns the second turn
MUCH_WORSE: Final = 5
EVEN: Final = 10  # tenths
TRAINER_DVS: Final = Dvs(9, 8, 8, 8)
HEALTHY: Final = Status(0, poisoned=False, burned=False, frozen=False, paralyzed=False)
# PP assumed for each move that has any left, for a mon that is not in battle yet.
ASSUMED_PP: Final = 9
UNLIKELY: Final = 3e-3  # less likely branches are not searched


class Foe(NamedTuple):
    """A member of a trainer's team as it is fought; `third_move` replaces its third move if not 0."""

    level: int
    species: int
    third_move: int = 0


Foes: TypeAlias = tuple[Foe, ...]


def with_ai_moves(dex: Dex, enemy: BattleMon, target: BattleMon, trainer_class: int) -> BattleMon:
    """Return the enemy with only the moves that its AI may choose against `target`; a wild one keeps all."""
    trainer = dex.all_trainers.get(trainer_class)
    slots = [
        slot
        for slot, known in enumerate(enemy.moves)
        if slot != enemy.disabled and known.move in dex.all_moves
    ]
    if trainer is None or not trainer.choices or len(slots) < 2:
        return enemy
    moves = [dex.all_moves[enemy.moves[slot].move] for slot in slots]
    scores = [_discouragement(dex, move, moves, target, trainer.choices) for move in moves]
    chosen = [slot for slot, each in zip(slots, scores, strict=True) if each == min(scores)]
    if len(chosen) == len(enemy.moves):
        return enemy
    return replace(enemy, moves=tuple([enemy.moves[slot] for slot in chosen]), disabled=None)


def _discouragement(
    dex: Dex, move: MoveData, moves: Sequence[MoveData], target: BattleMon, rules: Sequence[int]
) -> int:
    found = 0
    if ONE_STATUS in rules and any(target.status) and not move.power:
        found += MUCH_WORSE * (move.effect in (SLEEP, POISON, PARALYZE))
    if STRONG_TYPES in rules:
        tenths = _first_matchup(dex, move.type, target.types)
        found -= tenths > EVEN
        found += tenths < EVEN and any(_is_better(each, move.type) for each in moves)
    return found


def _is_better(move: MoveData, type_: int) -> bool:
    special = move.effect in (HALF, FIXED, CHARGES_HIDDEN)
    return special or bool(move.power and move.type != type_)


@lru_cache(maxsize=1024)
def _first_matchup(dex: Dex, type_: int, types: tuple[int, int]) -> int:
    """Return the effectiveness, in tenths, of the first matching chart row; the game's AI reads no further."""
    rows = dex.rules.chart.matchups
    fitting = (row.tenths for row in rows if row.attacking == type_ and row.defending in types)
    return next(fitting, EVEN)


@lru_cache(maxsize=128)
def fighter_of(mon: PartyMon, position: int, badges: tuple[int, ...] = ()) -> BattleMon:
    """Return a team member as it enters the battle; `badges` are the bit numbers of its trainer's."""
    stats = mon.stats
    made = fresh_mon(mon.species, mon.level, stats, with_assumed_pp(mon.moves), mon.types)
    if mon.status.burned:
        stats = stats._replace(attack=max(stats.attack // 2, 1))
    if mon.status.paralyzed:
        stats = stats._replace(speed=max(stats.speed // 4, 1))
    stats = with_badges(stats, badges)
    return replace(made, position=position, hp=mon.hp, status=mon.status, stats=stats)


@lru_cache(maxsize=256)
def fighter_from(dex: Dex, member: TeamMember | Foe, position: int) -> BattleMon | None:
    """Return a trainer's mon as the game creates it, or None for an unknown species."""
    species = dex.all_species.get(member.species)
    if species is None:
        return None
    stats = stats_of(species.base, TRAINER_DVS, member.level)
    numbers = species.moves_at(member.level)
    if isinstance(member, Foe) and member.third_move:
        numbers = (*numbers[:2], member.third_move, *numbers[3:])
    moves = tuple([MoveSlot(move, ASSUMED_PP, 0) for move in numbers])
    made = fresh_mon(member.species, member.level, stats, moves, species.types)
    return replace(made, position=position)


def bench_of(state: State, *, with_active: bool = False) -> tuple[BattleMon, ...]:
    """Return the team members that have HP and are not in battle, or all that have HP."""
    out = state.battle.own if state.battle and not with_active else None
    active = out.position if out is not None else None
    mons, badges = enumerate(state.party.mons), state.player.badges
    return tuple([fighter_of(mon, at, badges) for at, mon in mons if mon.hp and at != active])


def reserve_of(state: State) -> tuple[BattleMon, ...]:
    """Return the mons that the trainer has not sent yet."""
    battle = state.battle
    if battle is None or not battle.is_trainer:
        return ()
    here = battle.enemy.position if battle.enemy is not None else None
    mons = enumerate(battle.enemy_party.mons)
    return tuple([fighter_of(mon, at) for at, mon in mons if mon.hp and at != here])


def with_assumed_pp(moves: Sequence[MoveSlot]) -> tuple[MoveSlot, ...]:
    """Return moves with the PP assumed for a mon that is not in battle."""
    return tuple([MoveSlot(each.move, ASSUMED_PP if each.pp else 0, 0) for each in moves])


def with_hp(mon: BattleMon, hp: int) -> BattleMon:
    """Return `mon` with `hp`, limited to 1 and its maximum."""
    return replace(mon, hp=min(max(hp, 1), mon.max_hp))


def fresh_mon(
    species: int, level: int, stats: Stats, moves: tuple[MoveSlot, ...], types: tuple[int, int]
) -> BattleMon:
    """Return a mon that has just entered the battle, healthy and first of its team."""
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


class AttackChoice(NamedTuple):
    """A damaging move, with its slot and PP."""

    slot: int
    move: MoveData | None  # None when the cartridge has no STRUGGLE
    pp: int


class StartDamage(NamedTuple):
    """The odds of the damage that each side has taken; None means that its HP give it."""

    own: Odds | None = None
    enemy: Odds | None = None


FROM_HP: Final = StartDamage()


def duel(
    dex: Dex,
    own: BattleMon,
    enemy: BattleMon,
    attacking: AttackChoice,
    *,
    starting: StartDamage = FROM_HP,
    idle: tuple[int, ...] | None = None,
) -> Duel:
    """Return the odds of the duel when `own` repeats one attack, then its next best when the PP run out.

    `starting` are the odds of the damage that both have taken, where that is uncertain;
    `idle` are the numbers of turns that the enemy will sleep, all equally likely.
    """
    main = _odds(dex, own, enemy, attacking)
    rest = _next_best(dex, own, enemy, attacking) if attacking.pp < PP_COUNTED else None
    opening = two_turn_odds(attacking.move, main)
    uses = 2 * attacking.pp if opening else attacking.pp
    more, share = 0, 1.0
    if attacking.move is not None:
        more = self_damage(own, attacking.move, main, enemy)
        share = acting_share(dex, attacking.move, own, enemy)
    theirs = enemy_damage(dex, own, enemy, more=more, share=share)
    if idle is not None:
        theirs = theirs._replace(idle=idle)
    hindered = hindrance(dex, own, enemy, attacking.move, acts=share, idle=min(theirs.idle))
    ours = turn_damage(own, enemy, DamageSchedule(main, opening, uses, rest, hindered.shares))
    ours, theirs = with_seeds(own, ours, theirs, hindered.seeded)
    number = attacking.move.number if attacking.move is not None else 0
    first = float(first_chance(own.stats.speed, number, enemy.stats.speed, 0))
    start = damage_taken(own) if starting.own is None else starting.own
    enemy_start = damage_taken(enemy) if starting.enemy is None else starting.enemy
    return duel_of(start, enemy_start, theirs, ours, first)


def duel_later(
    dex: Dex, own: BattleMon, enemy: BattleMon, attacking: AttackChoice, hit: Odds | None
) -> Duel:
    """Return the odds of the duel when this turn is used otherwise and the own mon takes `hit` in it."""
    start = damage_taken(own)
    if hit is not None:
        start = add_damage(start, hit)
    then = duel(dex, own, next_turn(enemy), attacking, starting=StartDamage(own=start))
    fallen = 1 - float(start.sum())
    return Duel(then.won, then.lost + fallen * damage_taken(enemy), then.turns + 1)


def enemy_damage(
    dex: Dex, own: BattleMon, enemy: BattleMon, *, more: int = 0, share: float = 1.0
) -> TurnDamage:
    """Return the damage from an enemy that uses any of its moves and acts in this share of turns."""
    odds = scale_odds(enemy_odds(dex, enemy, own), share)
    return turn_damage(enemy, own, DamageSchedule(odds), more=more)


def next_damage(dex: Dex, own: BattleMon, enemy: BattleMon) -> Odds | None:
    """Return the odds of the damage that the own mon takes this turn, or None when the enemy cannot act."""
    taken = enemy_damage(dex, own, enemy)
    return taken.turns[0] if 0 in taken.idle else None


def best_attack(dex: Dex, own: BattleMon, enemy: BattleMon) -> AttackChoice:
    """Return the attack with the highest expected damage in one turn."""
    found = [AttackChoice(*each) for each in attacks(dex, own)]
    if not found:
        return struggle(dex)
    return max(found, key=lambda each: expected_damage(_odds(dex, own, enemy, each), enemy.hp))


def struggle(dex: Dex) -> AttackChoice:
    """Return STRUGGLE, which the game uses when no attack has PP."""
    return AttackChoice(0, dex.all_moves.get(STRUGGLE_MOVE), PP_COUNTED)


def next_turn(mon: BattleMon) -> BattleMon:
    """Return a mon with its sleep counter one turn later."""
    if not mon.status.sleep:
        return mon
    return replace(mon, status=mon.status._replace(sleep=mon.status.sleep - 1))


def _odds(dex: Dex, own: BattleMon, enemy: BattleMon, attacking: AttackChoice) -> Odds:
    moves = () if attacking.move is None else (attacking.move.number,)
    return damage_odds(dex, own, enemy, moves)


def _next_best(dex: Dex, own: BattleMon, enemy: BattleMon, attacking: AttackChoice) -> Odds:
    others = [AttackChoice(*each) for each in attacks(dex, own) if each[0] != attacking.slot]
    odds = [_odds(dex, own, enemy, each) for each in others]
    if not odds:
        return _odds(dex, own, enemy, struggle(dex))
    return max(odds, key=lambda each: expected_damage(each, enemy.max_hp))


def chance_to_beat(
    dex: Dex, party: Party, enemies: Sequence[TeamMember | Foe], heals: int = 0
) -> float:
    """Return the chance that the team in its current state and order beats a trainer's team.

    Each mon uses its strongest attack, without switches, so the estimate is a lower bound. `heals` is how often the
    first one can be healed: each time it goes on with full HP, less a hit in the turn of the item.
    """
    own = tuple([fighter_of(mon, at) for at, mon in enumerate(party.mons) if mon.hp])
    if heals and own:
        own = (own[0], *[with_hp(own[0], own[0].max_hp)] * heals, *own[1:])
    made = [fighter_from(dex, member, at) for at, member in enumerate(enemies)]
    return win_chance(dex, own, tuple([each for each in made if each is not None]), heals)


@lru_cache(maxsize=512)
def win_chance(
    dex: Dex, own: tuple[BattleMon, ...], foes: tuple[BattleMon, ...], heals: int = 0
) -> float:
    """Return the chance that `own` beat `foes`, one by one; a winner keeps its damage for the next duel.

    As many as `heals` after the first are the first again, healed.
    """
    if not foes or not own:
        return float(not foes)
    # By duelling pair: the damage that one side brings from its last duel; the other side enters unhurt.
    ours: dict[tuple[int, int], Odds] = {(0, 0): damage_taken(own[0])}
    theirs: dict[tuple[int, int], Odds] = {}
    won = 0.0
    for at in sorted(np.ndindex(len(own), len(foes)), key=sum):
        here = (at[0], at[1])
        mon, foe = own[here[0]], foes[here[1]]
        hit = next_damage(dex, mon, foe) if 0 < here[0] <= heals and here in theirs else None
        taken = add_damage(damage_taken(mon), hit) if hit is not None else None
        for starting in (StartDamage(own=ours.get(here)), StartDamage(taken, theirs.get(here))):
            known = starting.own if starting.enemy is None else starting.enemy
            if known is None or known.sum() < UNLIKELY:
                continue
            end = duel(dex, mon, foe, best_attack(dex, mon, foe), starting=starting)
            if here[1] + 1 == len(foes):
                won += end.chance
            else:
                _add(ours, (here[0], here[1] + 1), end.won)
            if here[0] + 1 < len(own):
                _add(theirs, (here[0] + 1, here[1]), end.lost)
    return min(won, 1.0)


def _add(odds: dict[tuple[int, int], Odds], place: tuple[int, int], more: Odds) -> None:
    odds[place] = odds[place] + more if place in odds else more
