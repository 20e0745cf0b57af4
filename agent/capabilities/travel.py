"""Getting from place to place."""

from collections.abc import Mapping
from typing import Final

from agent.capabilities.capability import Capability, Deed, Sensor
from agent.perception import Percept
from agent.planning import Action, Effect, Require
from agent.skills import Skill, travel
from emulator import State, World
from memory import Recall

TRAVEL_COST: Final = 10


def travelling(places: Mapping[str, int], world: World) -> Capability:
    """Walk to any of the named places (map ids) of the story."""

    def read(percept: Percept, _recall: Recall) -> dict[str, int]:
        state = percept.state
        return {
            at(place): int(state.game_started and state.map.map_id == map_id)
            for place, map_id in places.items()
        }

    return Capability(
        name="travel",
        sensors=(Sensor(frozenset(at(place) for place in places), read),),
        deeds=tuple(_deed(place, places, world) for place in places),
    )


def at(place: str) -> str:
    """Return the name of the fact that says the player is in `place`."""
    return f"at:{place}"


def _deed(place: str, places: Mapping[str, int], world: World) -> Deed:
    def begin(state: State) -> Skill:
        return travel(world, lambda spot: spot.map_id == places[place], state)

    action = Action(
        name=f"travel:{place}",
        requires=(Require("in_control", at_least=1),),
        effects=tuple(Effect(at(each), int(each == place)) for each in places),
        cost=TRAVEL_COST,
        says=f"walk to the {place}",
    )
    # A warp fades and blocks input on the way: the skill waits that out itself.
    return Deed(action, begin, masters=frozenset({"busy"}))
