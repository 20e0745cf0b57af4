"""What to do each turn of a battle: of all moves the one that wins most often, by the exact odds of both sides."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from agent.skills import Attack, Flee, Order
from emulator import (
    Attacker,
    Battle,
    BattleMon,
    Defender,
    Dex,
    MoveData,
    Odds,
    Spread,
    State,
    after_change,
    first_chance,
    hit_chance,
    run_chance,
    stage_change,
    standing,
    use_spread,
)

AS_GOOD: Final = 0.02  # chances of winning this close are the same; then the quicker move is chosen
LOST: Final = 0.5  # below this chance a wild fight is left
RUN_ODDS: Final = 0.5  # a try to run that is likelier to fail only costs a turn


class Prospect(NamedTuple):
    """A move that could be chosen: the chance that the fight is won with it, and after how many turns."""

    chance: float
    turns: float
    slot: int


def command(dex: Dex, state: State) -> Order:
    """Return the order for this turn: the best move, or away from a wild fight that would be lost."""
    battle = state.battle
    if battle is None or battle.own is None or battle.enemy is None:
        return Attack(0)
    own, enemy = battle.own, battle.enemy
    found = list(prospects(dex, own, enemy))
    highest = max((each.chance for each in found), default=0.0)
    if battle.is_wild and highest < LOST and _can_run(battle, own, enemy):
        return Flee()
    good = [each for each in found if each.chance >= highest - AS_GOOD]
    return Attack(min(good, key=lambda each: each.turns).slot if good else _any_move(own))


def prospects(dex: Dex, own: BattleMon, enemy: BattleMon) -> Iterator[Prospect]:
    """Yield what each move promises that does damage, or changes a stat and is followed by damage."""
    moves = list(_usable(dex, own))
    attacks = [(slot, move) for slot, move in moves if move.power]
    blow = _any_blow(dex, enemy, own)
    ours = standing(blow, own.hp)
    plain = [_race(dex, own, enemy, move, slot, ours) for slot, move in attacks]
    yield from plain
    if not plain:
        return
    for slot, move in moves:
        change = None if move.power else stage_change(move.effect)
        if change is None:
            continue
        stronger = after_change(own, change, dex.rules) if change.own else own
        weaker = enemy if change.own else after_change(enemy, change, dex.rules)
        # The enemy strikes once while this is prepared, and then as the changed stats let it.
        ours = standing(_any_blow(dex, weaker, stronger), own.hp, before=blow)
        then = max(_race(dex, stronger, weaker, each, slot, ours) for _, each in attacks)
        hit = float(hit_chance(_attacker(dex, own), Defender.of(enemy), move, dex.rules))
        chance = hit * then.chance + (1 - hit) * max(plain).chance
        yield Prospect(chance, then.turns + 1, slot)


def _race(
    dex: Dex,
    own: BattleMon,
    enemy: BattleMon,
    move: MoveData,
    slot: int,
    ours: Odds,
) -> Prospect:
    """What comes of using `move` every turn, when `ours` are the odds of standing that long."""
    theirs = standing(_blow(dex, own, enemy, move), enemy.hp)
    wins = theirs[:-1] - theirs[1:]  # in this turn, and not before
    first = float(first_chance(own.stats.speed, move.number, enemy.stats.speed, 0))
    alive = first * ours[:-1] + (1 - first) * ours[1:]
    return Prospect(float(wins @ alive), float(theirs.sum()), slot)


def _usable(dex: Dex, own: BattleMon) -> Iterator[tuple[int, MoveData]]:
    for slot, known in enumerate(own.moves):
        move = dex.all_moves.get(known.move)
        if move is not None and known.pp and slot != own.disabled:
            yield slot, move


def _blow(dex: Dex, mon: BattleMon, target: BattleMon, move: MoveData) -> Spread:
    return use_spread(_attacker(dex, mon), Defender.of(target), move, dex.rules)


def _any_blow(dex: Dex, mon: BattleMon, target: BattleMon) -> Spread:
    """What one of a mon's moves does when any is as likely; wild ones choose so."""
    moves = [dex.all_moves[known.move] for known in mon.moves if known.move in dex.all_moves]
    mixed: dict[int, float] = {}
    for move in moves:
        for amount, chance in _blow(dex, mon, target, move).items():
            mixed[amount] = mixed.get(amount, 0.0) + chance / len(moves)
    return mixed or {0: 1.0}


def _attacker(dex: Dex, mon: BattleMon) -> Attacker:
    species = dex.all_species.get(mon.species)
    # Only critical hits go by the species; a creature that no table has gets its own speed.
    return Attacker.of(mon, species.base.speed if species else mon.unmodified.speed)


def _can_run(battle: Battle, own: BattleMon, enemy: BattleMon) -> bool:
    odds = run_chance(own.stats.speed, enemy.stats.speed, battle.run_attempts + 1)
    return odds >= RUN_ODDS


def _any_move(own: BattleMon) -> int:
    """A move with PP left, if there is one; without PP the game itself knows what to do."""
    return next((slot for slot, known in enumerate(own.moves) if known.pp), 0)
