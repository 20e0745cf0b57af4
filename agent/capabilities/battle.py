"""Fight every battle to its end, with goals beyond victory.

These are a catch, experience, or a move sequence that won before. `agent.battle` decides each turn.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from agent.battle.policy import BattleGoals, BattlePolicy, ChosenOrder, GoalsOfBattle
from agent.capabilities.capability import PEACE, BoundAction, Capability, flag
from agent.capabilities.context import GameContext
from agent.capabilities.readiness import readiness
from agent.experience.memory_use import MemoryUse
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Skill
from agent.story.catches import wanted
from agent.story.opponents import ahead
from emulator import Battle, BattleMon, Dex, State
from memory import SuccessfulStrategy

PRIORITY: Final = 100  # nothing else is possible during a battle
IN_BATTLE: Final = Require("in_battle", at_least=1)
_FIGHT: Final = Action(
    name="fight",
    requires=(IN_BATTLE,),
    effects=(Effect("in_battle", 0),),
    cost=10,
    label="fight to the end",
)
_OVER: Final = Goal("battle", (PEACE,), PRIORITY, "end the battle")


class OrderGiven(NamedTuple):
    """An order was given in a battle, for a reason in words."""

    why: str


def sequence(game: GameContext, state: State) -> tuple[int, ...]:
    """Return the numbers of the moves that won a battle like this before, in order, or else of the preferred opening."""
    strategy, battle = won_before(game, state), state.battle
    names = strategy.moves_sequence if strategy is not None else ()
    if not names and battle is not None and battle.own is not None and battle.enemy is not None:
        own, enemy = (game.dex.all_species.get(each.species) for each in (battle.own, battle.enemy))
        if own is not None and enemy is not None:
            names = game.experience.opening(own.name, enemy.name)
    if not names:
        return ()
    numbers = {move.name: number for number, move in game.dex.all_moves.items()}
    return tuple([numbers[name] for name in names if name in numbers])


def won_before(game: GameContext, state: State) -> SuccessfulStrategy | None:
    """Return the strategy that won a battle of the same Pokemon against the same enemies in the same order, or None."""
    battle = state.battle
    if battle is None or battle.own is None or battle.enemy is None:
        return None
    own = game.dex.all_species.get(battle.own.species)
    enemies = _enemies(game.dex, battle, battle.enemy)
    return game.experience.winning(own.name, enemies) if own is not None else None


def remembered(game: GameContext, state: State) -> str:
    """Return what memory knows of battles like this one, in words."""
    known = won_before(game, state)
    if known is None:
        return ""
    rate = f"{100 * known.success_rate:.0f}% of {known.total_uses}"
    return f"remembered: {known.strategy_description} won {rate} against {known.enemy_type}"


def _enemies(dex: Dex, battle: Battle, enemy: BattleMon) -> str:
    """Return the names of the enemies as battle records list them: all of a trainer, each once, in order."""
    numbers = [mon.species for mon in battle.enemy_party.mons] or [enemy.species]
    known = [dex.all_species[number].name for number in numbers if number in dex.all_species]
    return ", ".join(dict.fromkeys(known))


def must_win(game: GameContext, state: State) -> bool:
    """Return whether the wild battle in a state is that of a task that counts a win only."""
    story = game.story
    return any(
        each.must_win
        and story.place(each.place).map_id == state.map.map_id
        and each.interaction.starts_at(state.map.x, state.map.y)
        and not story.shows(state, each.sets)
        for each in story.tasks
    )


def battle_goals(game: GameContext) -> GoalsOfBattle:
    """Return the function that gives the goals of a battle in a state."""
    kept = tuple(sorted(game.story.kept))
    wild = BattleGoals()
    sources: tuple[object, ...] = ()

    def goals(state: State) -> BattleGoals:
        nonlocal wild, sources
        move_order = sequence(game, state)
        if state.battle is None or not state.battle.is_wild:
            return BattleGoals(spare=kept, sequence=move_order)
        before, sources = sources, (*game.strength_of(state.party), *_sources(game, state))
        if sources != before:
            is_due = must_win(game, state)
            task = next(ahead(game.story, state), None)
            wild = BattleGoals(
                catch=frozenset() if is_due else wanted(game.story, game.dex, state),
                # The trainer that the team trains for need not be the next one of the story.
                train=game.training.is_on
                or (task is not None and not readiness(game, state, task).ready),
                spare=kept,
                must_win=is_due,
            )
        return replace(wild, sequence=move_order)

    return goals


def _sources(game: GameContext, state: State) -> tuple[object, ...]:
    """Return what the goals of a wild battle depend on beside the strength of the team."""
    here, player = state.map, state.player
    known = game.training.is_on, game.experience.lessons, game.choices.changes
    owned = player.money, player.badges, player.rival_starter, state.flags, state.bag
    return *known, here.map_id, here.x, here.y, *owned


def capability(game: GameContext) -> Capability:
    """Fight whenever there is a battle, with the goals that the story needs."""

    def on_order(chosen: ChosenOrder) -> None:
        game.experience.moved[MemoryUse.MOVES] += chosen.influenced
        if chosen.why:
            game.hooks.emit(OrderGiven(chosen.why))

    policy = BattlePolicy(game.dex, battle_goals(game), on_order)
    return battling(policy, game, partial(remembered, game))


def battling(
    policy: BattlePolicy, game: GameContext, note: Callable[[State], str] | None = None
) -> Capability:
    """Fight every battle by `policy`, which ends training; `note` returns what memory knows of a battle."""

    def begin(state: State) -> Skill:
        outcome = yield from game.skills.fight(policy, state)
        game.training.is_on = False
        return outcome

    return Capability(
        name="battle",
        sensors=(flag("in_battle", lambda state: state.in_battle),),
        actions=(BoundAction(_FIGHT, begin, while_true=IN_BATTLE, note=note),),
        goals=(_OVER,),
    )
