"""Use a repel in a cave whose wild Pokemon the lead is above, when none of them is wanted."""

from collections.abc import Mapping
from typing import Final

from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction, Capability, watching
from agent.capabilities.context import GameContext
from agent.capabilities.items import REPELS
from agent.capabilities.readiness import readiness
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Skill, no_skill
from agent.story.catches import wanted
from agent.story.opponents import ahead
from emulator import State, symbol
from emulator.world import FIRST_INDOOR_MAP

PAYS: Final = "repel:pays"
PRIORITY: Final = 51  # just before the next story goal
COST: Final = 3
STEPS_LEFT: Final = symbol("wRepelRemainingSteps")


def capability(game: GameContext) -> Capability:
    """Keep weak wild Pokemon away in caves, where every square may bring one."""

    def sources(state: State) -> tuple[object, ...]:
        here = state.map.map_id, state.ram.byte(STEPS_LEFT) == 0
        lessons = game.experience.lessons
        return *here, game.strength_of(state.party), state.bag, state.flags.events, lessons

    def read(state: State) -> Mapping[str, int]:
        return {PAYS: int(_pays(game, state))}

    def begin(state: State) -> Skill:
        item = next((item for item in REPELS if state.bag.quantity(item)), None)
        return game.skills.use_item(item, 0, state) if item is not None else no_skill()

    action = Action(
        name="use:repel",
        requires=(Require(PAYS, at_least=1), FREE),
        effects=(Effect(PAYS, 0),),
        cost=COST,
        label="use a repel",
    )
    return Capability(
        name="repel",
        sensors=(watching({PAYS: 0}, sources, read),),
        actions=(BoundAction(action, begin, suppresses=SCREEN_REFLEXES),),
        goals=(Goal(PAYS, (Require(PAYS, at_most=0),), PRIORITY, "keep wild Pokemon away"),),
    )


def _pays(game: GameContext, state: State) -> bool:
    """Return whether a repel of the bag keeps away every wild Pokemon here, and the team needs none of them."""
    wild = game.dex.wild.get(state.map.map_id)
    if wild is None or wild.grass is None or state.map.map_id < FIRST_INDOOR_MAP:
        return False
    if state.ram.byte(STEPS_LEFT) or not any(map(state.bag.quantity, REPELS)):
        return False
    lead = next((mon for mon in state.party.mons if mon.hp), None)
    if lead is None or any(slot.level >= lead.level for slot in wild.grass.slots):
        return False
    task = next(ahead(game.story, state), None)
    is_training = task is not None and not readiness(game, state, task).ready
    species = {slot.species for slot in wild.grass.slots}
    return not is_training and not species & wanted(game.story, game.dex, state)
