"""What to do each turn of a battle, from the exact odds of every attack on both sides."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from agent.skills import Attack, Flee, Order
from emulator import (
    Attacker,
    Battle,
    BattleMon,
    Defender,
    Dex,
    MoveData,
    Spread,
    State,
    damage_spread,
    hit_chance,
    run_chance,
)

NEVER: Final = 1_000.0  # turns: what does no damage knocks nobody out
RUN_ODDS: Final = 0.5  # a try to run that is likelier to fail only costs a turn


class Prospect(NamedTuple):
    """An attack that could be chosen: how many uses of it a knock-out takes on average."""

    uses: float
    slot: int


def command(dex: Dex, state: State) -> Order:
    """Return the order for this turn: the quickest way to win, or away from a fight that would be lost."""
    battle = state.battle
    if battle is None or battle.own is None or battle.enemy is None:
        return Attack(0)
    own, enemy = battle.own, battle.enemy
    best = min(prospects(dex, own, enemy), default=Prospect(NEVER, _any_move(own)))
    if battle.is_wild and best.uses > turns_left(dex, own, enemy) and _can_run(battle, own, enemy):
        return Flee()
    return Attack(best.slot)


def prospects(dex: Dex, own: BattleMon, enemy: BattleMon) -> Iterator[Prospect]:
    """Yield what each attack that has PP left promises."""
    for slot, known in enumerate(own.moves):
        if known.pp and slot != own.disabled and known.move:
            blow = _blow(dex, own, enemy, dex.move(known.move))
            uses = expected_uses(blow, enemy.hp)
            if uses < NEVER:
                yield Prospect(uses, slot)


def turns_left(dex: Dex, own: BattleMon, enemy: BattleMon) -> float:
    """Return after how many turns the enemy, who picks any of its moves, knocks `own` out on average."""
    blows = [_blow(dex, enemy, own, dex.move(known.move)) for known in enemy.moves if known.move]
    return expected_uses(_mixed(blows), own.hp) if blows else NEVER


def expected_uses(blow: Spread, hp: int) -> float:
    """Return how many uses of `blow` it takes on average until nothing of `hp` is left."""
    misses = blow.get(0, 0.0)
    if misses >= 1:
        return NEVER
    hits = [(amount, chance) for amount, chance in blow.items() if amount]
    uses = [0.0] * (hp + 1)
    for left in range(1, hp + 1):
        later = sum(chance * uses[left - amount] for amount, chance in hits if amount < left)
        uses[left] = (1 + later) / (1 - misses)
    return min(uses[hp], NEVER)


def _blow(dex: Dex, mon: BattleMon, target: BattleMon, move: MoveData) -> Spread:
    """What one use of a move does, misses included as no damage."""
    if not move.power:
        return {0: 1.0}
    attacker, defender = Attacker.of(mon, dex.species(mon.species).base.speed), Defender.of(target)
    hit = float(hit_chance(attacker, defender, move, dex.rules))
    spread = damage_spread(attacker, defender, move, dex.rules)
    blow = {amount: hit * chance for amount, chance in spread.items()}
    return {**blow, 0: blow.get(0, 0.0) + 1 - hit}


def _mixed(blows: Sequence[Spread]) -> Spread:
    """One of several, each as likely."""
    mixed: dict[int, float] = {}
    for blow in blows:
        for amount, chance in blow.items():
            mixed[amount] = mixed.get(amount, 0.0) + chance / len(blows)
    return mixed


def _can_run(battle: Battle, own: BattleMon, enemy: BattleMon) -> bool:
    odds = run_chance(own.stats.speed, enemy.stats.speed, battle.run_attempts + 1)
    return odds >= RUN_ODDS


def _any_move(own: BattleMon) -> int:
    """A move with PP left, if there is one; without PP the game itself knows what to do."""
    return next((slot for slot, known in enumerate(own.moves) if known.pp), 0)
