"""All topics of play in their order, which decides between plans of equal cost."""

from collections.abc import Callable
from typing import Final, TypeAlias

from agent.capabilities import (
    battle,
    catch,
    dialogue,
    field_moves,
    forage,
    heal,
    machines,
    medicine,
    memory_actions,
    party_order,
    repel,
    shop,
    story_tasks,
    train,
    travel,
)
from agent.capabilities.capability import Capability
from agent.capabilities.context import GameContext

Topic: TypeAlias = Callable[[GameContext], Capability]

# The order decides between plans of equal cost: changing it changes play.
TOPICS: Final[tuple[Topic, ...]] = (
    battle.capability,
    travel.locked_doors,
    catch.capability,
    travel.trainer_sight,
    dialogue.capability,
    field_moves.capability,
    forage.capability,
    party_order.capability,
    dialogue.opening,
    memory_actions.capability,
    heal.capability,
    medicine.capability,
    shop.bag_space,
    shop.capability,
    memory_actions.stock_of_memory,
    story_tasks.capability,
    train.capability,
    travel.capability,
    machines.capability,
    repel.capability,
)


def capabilities_for(game: GameContext, *more: Topic) -> tuple[Capability, ...]:
    """Return the capabilities for `game` in the order of `TOPICS`, then `more`; one of the same name replaces the first."""
    found: dict[str, Capability] = {}
    for topic in (*TOPICS, *more):
        capability = topic(game)
        found[capability.name] = capability
    capabilities = tuple(found.values())
    game.terrain.set_hazards([hazard for each in capabilities for hazard in each.hazards])
    game.terrain.set_passages([passage for each in capabilities for passage in each.passages])
    game.terrain.set_forced_moves(game.story.carries, game.story.usable_lifts)
    return capabilities
