"""Getting from place to place."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from agent.capabilities.capability import Capability, Deed, Sensor
from agent.perception import Percept
from agent.planning import Action, Effect, Require
from agent.skills import Destination, Skill, Terrain, travel
from emulator import State
from memory import Recall

TRAVEL_COST: Final = 10


@dataclass(frozen=True, slots=True)
class Place:
    """A map of the story, and what people call it.

    `needs` are the facts without which something on the way turns one back.
    """

    name: str
    map_id: int
    called: str
    needs: tuple[str, ...] = ()


def travelling(places: Iterable[Place], terrain: Terrain) -> Capability:
    """Walk to any of the named places of the story."""
    maps = {place.name: place.map_id for place in places}
    nowhere = {at(place): 0 for place in maps}
    facts = {map_id: {**nowhere, at(place): 1} for place, map_id in maps.items()}

    def read(percept: Percept, _recall: Recall) -> Mapping[str, int]:
        state = percept.state
        return facts.get(state.map.map_id, nowhere) if state.game_started else nowhere

    return Capability(
        name="travel",
        sensors=(Sensor(frozenset(at(place) for place in maps), read),),
        deeds=tuple(_deed(place, maps, terrain) for place in places),
    )


def at(place: str) -> str:
    """Return the name of the fact that says the player is in `place`."""
    return f"at:{place}"


def _deed(place: Place, maps: Mapping[str, int], terrain: Terrain) -> Deed:
    def begin(state: State) -> Skill:
        return travel(terrain, Destination(place.map_id), state)

    needs = tuple(Require(fact, at_least=1) for fact in place.needs)
    action = Action(
        name=f"travel:{place.name}",
        requires=(Require("in_control", at_least=1), *needs),
        effects=tuple(Effect(at(each), int(each == place.name)) for each in maps),
        cost=TRAVEL_COST,
        says=f"walk to {place.called}",
    )
    # A warp fades and blocks input on the way: the skill waits that out itself.
    return Deed(action, begin, masters=frozenset({"busy"}))
