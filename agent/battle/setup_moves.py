"""Setup moves: moves without damage, their effects on both sides, and the duel odds after them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from agent.battle import effects
from agent.battle.damage import CONFUSION_TURNS, Duel, after, healed, standing_at
from agent.battle.matchups import Attacking, Starts, duel, rested, their_next
from emulator import BattleMon, Dex, Volatile
from emulator.rules.chances import first_chance, hit_chance
from emulator.rules.damage import Odds
from emulator.rules.moves import Attacker, Defender, MoveData
from emulator.rules.stats import after_change, stage_change

NAPS: Final = tuple(range(1, 8))  # turns that a sleeping mon may lose


@dataclass(frozen=True, slots=True)
class Preparation:
    """Both sides after a setup move, and its success chance; `before` holds both sides now."""

    slot: int
    move: MoveData
    before: tuple[BattleMon, BattleMon]
    own: BattleMon
    enemy: BattleMon
    chance: float
    naps: tuple[int, ...] | None = None
    gained: int = 0

    def then(self, dex: Dex, attacking: Attacking) -> Duel:
        """Return the duel odds when the move succeeds and is followed by `attacking`."""
        own, enemy = self.before
        first = float(first_chance(own.stats.speed, self.move.number, enemy.stats.speed, 0))
        # The faster side sets up before the enemy attacks; the slower one is hit in its current state.
        late = _struck(standing_at(own), their_next(dex, own, enemy))
        early = standing_at(own)
        if self.naps is None:
            early = _struck(early, their_next(dex, self.own, self.enemy))
        start = first * early + (1 - first) * late
        fallen = 1 - float(start.sum())
        if self.gained:
            start = healed(start, self.gained)
        naps = self.naps
        if naps is not None and first > 0.5:  # this turn is the first that the enemy loses
            naps = tuple([nap - 1 for nap in naps])
        end = duel(
            dex, self.own, rested(self.enemy), attacking, starts=Starts(own=start), naps=naps
        )
        return Duel(end.won, end.lost + fallen * standing_at(enemy), end.turns + 1)


def preparations(dex: Dex, own: BattleMon, enemy: BattleMon) -> Iterator[Preparation]:
    """Yield the effect of each usable move without power, if it has one now."""
    for slot, known in enumerate(own.moves):
        move = dex.all_moves.get(known.move)
        if move is None or move.power or not known.pp or slot == own.disabled:
            continue
        prepared = _of_stats(dex, own, enemy, slot, move) or _of_status(dex, own, enemy, slot, move)
        if prepared is not None:
            yield prepared


def _of_stats(
    dex: Dex, own: BattleMon, enemy: BattleMon, slot: int, move: MoveData
) -> Preparation | None:
    change = stage_change(move.effect)
    if change is None:
        return None
    if change.own:
        stronger = after_change(own, change, dex.rules)
        return Preparation(slot, move, (own, enemy), stronger, enemy, 1.0)
    if Volatile.MIST in enemy.volatile or enemy.substitute_hp:
        return None
    weaker = after_change(enemy, change, dex.rules)
    return Preparation(slot, move, (own, enemy), own, weaker, _hit(dex, own, enemy, move))


def _of_status(
    dex: Dex, own: BattleMon, enemy: BattleMon, slot: int, move: MoveData
) -> Preparation | None:
    both = (own, enemy)
    match move.effect:
        case effects.HEAL if own.hp < own.max_hp:
            return Preparation(slot, move, both, own, enemy, 1.0, gained=own.max_hp // 2)
        case effects.LIGHT_SCREEN | effects.REFLECT:
            is_light = move.effect == effects.LIGHT_SCREEN
            screen = Volatile.LIGHT_SCREEN if is_light else Volatile.REFLECT
            if screen in own.volatile:
                return None
            behind = replace(own, volatile=own.volatile | screen)
            return Preparation(slot, move, both, behind, enemy, 1.0)
        case _:
            ailing = _ailing(dex, enemy, move)
            if ailing is None:
                return None
            naps = NAPS if move.effect == effects.SLEEP else None
            return Preparation(slot, move, both, own, ailing, _hit(dex, own, enemy, move), naps)


def _ailing(dex: Dex, enemy: BattleMon, move: MoveData) -> BattleMon | None:
    """Return the enemy after the status move, or None when the move would fail."""
    if move.effect == effects.CONFUSE and Volatile.CONFUSED not in enemy.volatile:
        dizzy = enemy.volatile | Volatile.CONFUSED
        return replace(enemy, volatile=dizzy, confused_turns=CONFUSION_TURNS)
    if move.effect == effects.LEECH_SEED:
        immune = effects.GRASS_TYPE in enemy.types or Volatile.SEEDED in enemy.volatile
        return None if immune else replace(enemy, volatile=enemy.volatile | Volatile.SEEDED)
    if any(enemy.status):
        return None
    return _stricken(dex, enemy, move)


def _stricken(dex: Dex, enemy: BattleMon, move: MoveData) -> BattleMon | None:
    status = enemy.status
    match move.effect:
        case effects.SLEEP:
            return replace(enemy)
        case effects.POISON if effects.POISON_TYPE not in enemy.types and not enemy.substitute_hp:
            toxic = Volatile.BADLY_POISONED if move.number == effects.TOXIC_MOVE else Volatile.NONE
            poisoned = status._replace(poisoned=True)
            return replace(enemy, status=poisoned, volatile=enemy.volatile | toxic)
        case effects.PARALYZE if dex.rules.chart.multiplier(move.type, enemy.types):
            slow = enemy.stats._replace(speed=max(enemy.stats.speed // 4, 1))
            return replace(enemy, status=status._replace(paralyzed=True), stats=slow)
        case _:
            return None


def _hit(dex: Dex, own: BattleMon, enemy: BattleMon, move: MoveData) -> float:
    attacker = Attacker.of(own, own.unmodified.speed)
    return float(hit_chance(attacker, Defender.of(enemy), move, dex.rules))


def _struck(start: Odds, blow: Odds | None) -> Odds:
    return start if blow is None else after(start, blow)
