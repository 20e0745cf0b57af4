"""Getting from place to place."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from agent.capabilities.capability import Capability, Deed, Sensor
from agent.capabilities.detours import around, detour, walk
from agent.capabilities.feats import LISTENING
from agent.capabilities.kit import Kit
from agent.capabilities.story import Place, Story
from agent.perception import Percept
from agent.planning import Action, Effect, Extra, Require
from agent.skills import Hazard, Obstacles, Skill, Terrain
from emulator import State
from memory import Recall

TRAVEL_COST: Final = 10  # of any walk, however short
STEPS: Final = (
    5  # that cost as much as a point: what they take is little beside what happens on the way
)
MAP: Final = "map"  # the fact that says on which map the player is


def capability(kit: Kit) -> Capability:
    """Walk to any of the named places of the story, but through no gate that is still closed."""
    places = kit.story.places
    maps = {place.name: place.map_id for place in places}
    nowhere = {at(place): 0 for place in maps}
    facts = {map_id: {**nowhere, at(place): 1, MAP: map_id} for place, map_id in maps.items()}
    before = {**nowhere, MAP: 0}

    def read(percept: Percept, _recall: Recall) -> Mapping[str, int]:
        state = percept.state
        if not state.game_started:
            return before
        here = state.map.map_id
        return facts.get(here) or {**nowhere, MAP: here}

    return Capability(
        name="travel",
        sensors=(Sensor(frozenset(at(place) for place in maps) | {MAP}, read),),
        deeds=tuple(_deed(place, maps, kit) for place in places),
        hazards=(_closed_gates(kit.story), partial(around, kit)),
    )


def at(place: str) -> str:
    """Return the name of the fact that says the player is in `place`."""
    return f"at:{place}"


def arriving(place: Place, names: Iterable[str]) -> tuple[Effect, ...]:
    """Return what is so for whoever has come to a place, of all that have `names`."""
    return (
        *(Effect(at(each), int(each == place.name)) for each in names),
        Effect(MAP, place.map_id),
    )


def _deed(place: Place, maps: Mapping[str, int], kit: Kit) -> Deed:
    def begin(state: State) -> Skill:
        return walk(place, kit, state)

    def note(state: State) -> str:
        return detour(place, kit, state)

    needs = tuple(Require(fact, at_least=1) for fact in place.needs)
    action = Action(
        name=f"travel:{place.name}",
        requires=(Require("in_control", at_least=1), *needs),
        effects=arriving(place, maps),
        cost=TRAVEL_COST,
        extra=_distance_to(place, kit.terrain),
        says=f"walk to {place.called}",
    )
    # A warp fades and blocks input on the way, and what closes it may want a menu: the skill sees to that itself.
    return Deed(action, begin, masters=LISTENING, note=note)


def _distance_to(place: Place, terrain: Terrain) -> Extra:
    """What the way to `place` costs, by how far its map is from where one is then."""

    def price(map_id: int) -> int:
        return terrain.nearness.steps(map_id, place.map_id) // STEPS

    return Extra(MAP, price)


def _closed_gates(story: Story) -> Hazard:
    """Walls where somebody would turn the player back."""

    def closed(state: State) -> Obstacles:
        shut = [
            gate for gate in story.gates if not all(story.shows(state, each) for each in gate.needs)
        ]
        walls = frozenset((gate.map_id, x, y) for gate in shut for x, y in gate.squares)
        return Obstacles(walls, {}) if walls else Obstacles.none()

    return closed
