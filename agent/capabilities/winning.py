"""Sequences of moves that won: the next of them is tried first where it is as good as any other move."""

from agent.capabilities.kit import Kit
from emulator import Battle, BattleMon, Dex, State
from memory import SuccessfulStrategy


def sequence(kit: Kit, state: State) -> tuple[int, ...]:
    """Return the numbers of the moves that won such a battle before, in their order; none where nothing is known."""
    strategy = won_before(kit, state)
    if strategy is None:
        return ()
    numbers = {move.name: number for number, move in kit.dex.all_moves.items()}
    return tuple([numbers[name] for name in strategy.moves_sequence if name in numbers])


def won_before(kit: Kit, state: State) -> SuccessfulStrategy | None:
    """Return how a battle like this one was won: by the same Pokemon, against the same, in the same order."""
    battle = state.battle
    if battle is None or battle.own is None or battle.enemy is None:
        return None
    own = kit.dex.all_species.get(battle.own.species)
    enemies = _enemies(kit.dex, battle, battle.enemy)
    return kit.experience.winning(own.name, enemies) if own is not None else None


def remembered(kit: Kit, state: State) -> str:
    """Return what is remembered of battles like this one, in words."""
    known = won_before(kit, state)
    if known is None:
        return ""
    rate = f"{100 * known.success_rate:.0f}% of {known.total_uses}"
    return f"remembered: {known.strategy_description} won {rate} against {known.enemy_type}"


def _enemies(dex: Dex, battle: Battle, enemy: BattleMon) -> str:
    """Name whom the battle is against, as its record will: a trainer's all, each once, in their order."""
    numbers = [mon.species for mon in battle.enemy_party.mons] or [enemy.species]
    known = [dex.all_species[number].name for number in numbers if number in dex.all_species]
    return ", ".join(dict.fromkeys(known))
