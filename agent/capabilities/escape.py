"""Getting out of a map, for when nothing else helps: no plan asks for it, only the ladder does."""

from agent.capabilities.capability import Deed
from agent.planning import Action, Require
from agent.skills import Skill, Terrain, leave_map
from emulator import State


def escape(terrain: Terrain) -> Deed:
    """Return the deed of leaving the map by the nearest way."""

    def begin(state: State) -> Skill:
        return leave_map(terrain, state)

    action = Action(
        name="leave_map",
        requires=(Require("in_control", at_least=1),),
        effects=(),
        cost=1,
        says="leave the map and think again elsewhere",
    )
    return Deed(action, begin, masters=frozenset({"busy"}))
