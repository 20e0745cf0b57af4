"""Setup moves: moves without damage, their effects on both sides, and the duel odds after them."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final

from agent.battle import effects
from agent.battle.damage import CONFUSION_TURNS, Duel, add_damage, damage_taken, subtract_damage
from agent.battle.matchups import AttackChoice, StartDamage, duel, next_damage, next_turn
from emulator import BattleMon, Dex, Volatile
from emulator.rules.chances import first_chance, hit_chance
from emulator.rules.damage import Odds
from emulator.rules.moves import Attacker, Defender, MoveData
from emulator.rules.stats import after_change, stage_change, with_badges

SLEEP_TURNS: Final = tuple(range(1, 8))  # turns that a sleeping mon may lose


@dataclass(frozen=True, slots=True)
class SetupEffect:
    """Both sides after a setup move, and its success chance; `before` holds both sides now."""

    slot: int
    move: MoveData
    before: tuple[BattleMon, BattleMon]
    own: BattleMon
    enemy: BattleMon
    chance: float
    idle: tuple[int, ...] | None = None
    gained: int = 0

    def then(self, dex: Dex, attacking: AttackChoice) -> Duel:
        """Return the duel odds when the move succeeds and is followed by `attacking`."""
        own, enemy = self.before
        first = float(first_chance(own.stats.speed, self.move.number, enemy.stats.speed, 0))
        # The faster side sets up before the enemy attacks; the slower one is hit in its current state.
        late = _after_hit(damage_taken(own), next_damage(dex, own, enemy))
        early = damage_taken(own)
        if self.idle is None:
            early = _after_hit(early, next_damage(dex, self.own, self.enemy))
        start = first * early + (1 - first) * late
        fallen = 1 - float(start.sum())
        if self.gained:
            start = subtract_damage(start, self.gained)
        idle = self.idle
        if idle is not None and first > 0.5:  # this turn is the first that the enemy loses
            idle = tuple([each - 1 for each in idle])
        end = duel(
            dex,
            self.own,
            next_turn(self.enemy),
            attacking,
            starting=StartDamage(own=start),
            idle=idle,
        )
        return Duel(end.won, end.lost + fallen * damage_taken(enemy), end.turns + 1)


def setup_effects(
    dex: Dex, own: BattleMon, enemy: BattleMon, badges: Collection[int] = ()
) -> Iterator[SetupEffect]:
    """Yield the effect of each usable move without power, if it has one now.

    `badges` are the bit numbers of the player's: each boosts its stat again after a stat of the own mon rose.
    """
    for slot, known in enumerate(own.moves):
        move = dex.all_moves.get(known.move)
        if move is None or move.power or not known.pp or slot == own.disabled:
            continue
        effect = _of_stats(dex, own, enemy, slot, move) or _of_status(dex, own, enemy, slot, move)
        if effect is None:
            continue
        if effect.own.stages != own.stages:
            boosted = with_badges(effect.own.stats, badges)
            effect = replace(effect, own=replace(effect.own, stats=boosted))
        yield effect


def _of_stats(
    dex: Dex, own: BattleMon, enemy: BattleMon, slot: int, move: MoveData
) -> SetupEffect | None:
    change = stage_change(move.effect)
    if change is None:
        return None
    if change.own:
        stronger = after_change(own, change, dex.rules)
        return SetupEffect(slot, move, (own, enemy), stronger, enemy, 1.0)
    if Volatile.MIST in enemy.volatile or enemy.substitute_hp:
        return None
    weaker = after_change(enemy, change, dex.rules)
    return SetupEffect(slot, move, (own, enemy), own, weaker, _hit(dex, own, enemy, move))


def _of_status(
    dex: Dex, own: BattleMon, enemy: BattleMon, slot: int, move: MoveData
) -> SetupEffect | None:
    both = (own, enemy)
    match move.effect:
        case effects.HEAL if own.hp < own.max_hp and move.number != effects.REST_MOVE:
            return SetupEffect(slot, move, both, own, enemy, 1.0, gained=own.max_hp // 2)
        case effects.LIGHT_SCREEN | effects.REFLECT:
            is_light = move.effect == effects.LIGHT_SCREEN
            screen = Volatile.LIGHT_SCREEN if is_light else Volatile.REFLECT
            if screen in own.volatile:
                return None
            screened = replace(own, volatile=own.volatile | screen)
            return SetupEffect(slot, move, both, screened, enemy, 1.0)
        case _:
            weaker = _with_status(enemy, move)
            if weaker is None:
                return None
            idle = SLEEP_TURNS if move.effect == effects.SLEEP else None
            return SetupEffect(slot, move, both, own, weaker, _hit(dex, own, enemy, move), idle)


def _with_status(enemy: BattleMon, move: MoveData) -> BattleMon | None:
    """Return the enemy after the status move, or None when the move would fail."""
    if move.effect == effects.CONFUSE and Volatile.CONFUSED not in enemy.volatile:
        confused = enemy.volatile | Volatile.CONFUSED
        return replace(enemy, volatile=confused, confused_turns=CONFUSION_TURNS)
    if move.effect == effects.LEECH_SEED:
        immune = effects.GRASS_TYPE in enemy.types or Volatile.SEEDED in enemy.volatile
        return None if immune else replace(enemy, volatile=enemy.volatile | Volatile.SEEDED)
    if any(enemy.status):
        return None
    return _with_major_status(enemy, move)


def _with_major_status(enemy: BattleMon, move: MoveData) -> BattleMon | None:
    status = enemy.status
    match move.effect:
        case effects.SLEEP:
            return replace(enemy)
        case effects.POISON if effects.POISON_TYPE not in enemy.types and not enemy.substitute_hp:
            toxic = Volatile.BADLY_POISONED if move.number == effects.TOXIC_MOVE else Volatile.NONE
            poisoned = status._replace(poisoned=True)
            return replace(enemy, status=poisoned, volatile=enemy.volatile | toxic)
        # Only this pair of types: GLARE paralyzes a ghost.
        case effects.PARALYZE if (
            move.type != effects.ELECTRIC_TYPE or effects.GROUND_TYPE not in enemy.types
        ):
            slow = enemy.stats._replace(speed=max(enemy.stats.speed // 4, 1))
            return replace(enemy, status=status._replace(paralyzed=True), stats=slow)
        case _:
            return None


def _hit(dex: Dex, own: BattleMon, enemy: BattleMon, move: MoveData) -> float:
    attacker = Attacker.of(own, own.unmodified.speed)
    return float(hit_chance(attacker, Defender.of(enemy), move, dex.rules))


def _after_hit(start: Odds, hit: Odds | None) -> Odds:
    return start if hit is None else add_damage(start, hit)
