"""Getting from place to place."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from agent.capabilities.capability import Capability, Deed, Read, Sensor
from agent.capabilities.detours import around, detour, walk
from agent.capabilities.feats import LISTENING
from agent.capabilities.kit import Kit
from agent.capabilities.marks import outcome, required
from agent.capabilities.places import Approach, Land, Place, Square
from agent.capabilities.readiness import RESTED, team_of
from agent.capabilities.story import Story
from agent.perception import Percept
from agent.planning import Action, Effect, Extra, Require
from agent.skills import Hazard, Obstacles, Skill, Terrain, joins, spot_of
from emulator import State
from memory import Recall

TRAVEL_COST: Final = 10  # of any walk, however short
STEPS: Final = (
    5  # that cost as much as a point: what they take is little beside what happens on the way
)
MAP: Final = "map"  # the fact that says on which map the player is


def capability(kit: Kit) -> Capability:
    """Walk to any of the named places of the story, but through no gate that is still closed."""
    story = kit.story
    tells = frozenset(
        [at(place.name) for place in story.places] + [each.fact for each in story.lands]
    )
    return Capability(
        name="travel",
        sensors=(Sensor(tells | {MAP}, _reader(kit)),),
        deeds=tuple(_deed(place, way, kit) for place in story.places for way in place.approaches()),
        hazards=(_closed_gates(story), partial(around, kit)),
    )


def at(place: str) -> str:
    """Return the name of the fact that says the player is in `place`."""
    return f"at:{place}"


def _reader(kit: Kit) -> Read:
    """Return what tells where the player is; only a place that is part of a map, and a land, ask for more than the map."""
    story = kit.story
    nowhere = {at(place.name): 0 for place in story.places}
    before = {**nowhere, **{each.fact: 0 for each in story.lands}, MAP: 0}
    whole = {place.map_id: {**nowhere, MAP: place.map_id} for place in story.places}
    for place in story.places:
        if place.spot is None:
            whole[place.map_id][at(place.name)] = 1
    spots: dict[int, list[tuple[str, Square]]] = defaultdict(list)
    for place in story.places:
        if place.spot is not None:
            spots[place.map_id].append((at(place.name), place.spot))

    def read(percept: Percept, _recall: Recall) -> Mapping[str, int]:
        state = percept.state
        if not state.game_started:
            return before
        here = state.map.map_id
        facts: Mapping[str, int] = whole.get(here) or {**nowhere, MAP: here}
        if story.lands:
            facts = {
                **facts,
                **{
                    each.fact: int(each.hinders(inside=each.contains(state)))
                    for each in story.lands
                },
            }
        if here in spots:
            world, start = kit.terrain.world(state), spot_of(state)
            joined = {fact: int(joins(world, start, spot)) for fact, spot in spots[here]}
            facts = {**facts, **joined}
        return facts

    return read


def arriving(place: Place, story: Story) -> tuple[Effect, ...]:
    """Return what is so for whoever has come to a place, whichever way."""
    return (
        *(Effect(at(each.name), int(_is_part(each, place))) for each in story.places),
        *(Effect(each.fact, int(each.hinders(inside=each is place.land))) for each in story.lands),
        Effect(MAP, place.map_id),
    )


def _deed(place: Place, way: Approach, kit: Kit) -> Deed:
    def begin(state: State) -> Skill:
        return walk(place, kit, state)

    def note(state: State) -> str:
        return detour(place, kit, state)

    action = Action(
        name=f"travel:{place.name}{way.suffix}",
        requires=(
            Require("in_control", at_least=1),
            *_free_to_go(way, kit.story.lands),
            *(required(fact) for fact in way.needs),
            *_prepared(place, kit),
        ),
        effects=(
            *arriving(place, kit.story),
            *outcome((*place.gives, *way.gives), place.takes),
        ),
        cost=TRAVEL_COST,
        extra=_distance_to(place, kit.terrain),
        says=f"walk to {place.called}",
    )
    # A warp fades and blocks input on the way, and what closes it may want a menu: the skill sees to that itself.
    return Deed(action, begin, masters=LISTENING, note=note)


def _free_to_go(way: Approach, lands: Iterable[Land]) -> Iterator[Require]:
    """Yield where one must be, and where one must not."""
    if way.start:
        yield Require(at(way.start), at_least=1)
        return
    for each in lands:
        if each.shuts_in or each is way.within:
            yield Require(each.fact, at_most=0)


def _prepared(place: Place, kit: Kit) -> Iterator[Require]:
    """Yield what the team must be before it goes where nobody heals and nothing leads back."""
    tasks = [each for each in kit.story.tasks if each.id in place.trials]
    for task in tasks:
        if task.against is not None and team_of(kit.dex, task.against):
            yield Require(task.ready, at_least=1)
    if tasks:
        yield Require("party:hp", at_least=RESTED)
        yield Require("party:pp", at_least=RESTED)
        starts = {way.start for way in place.ways}
        for clerk in kit.story.clerks:
            if clerk.place in starts:
                yield Require(clerk.supplied, at_least=1)


def _is_part(each: Place, there: Place) -> bool:
    """Say whether who comes to `there` is sure to be in `each`."""
    return each is there or (each.map_id == there.map_id and each.spot is None)


def _distance_to(place: Place, terrain: Terrain) -> Extra:
    """What the way to `place` costs, by how far its map is from where one is then."""

    def price(map_id: int) -> int:
        return terrain.nearness.steps(map_id, place.map_id) // STEPS

    return Extra(MAP, price)


def _closed_gates(story: Story) -> Hazard:
    """Walls where somebody would turn the player back."""

    def closed(state: State) -> Obstacles:
        shut = [gate for gate in story.gates if not story.is_open(state, gate)]
        walls = frozenset((gate.map_id, x, y) for gate in shut for x, y in gate.squares)
        return Obstacles(walls, {}) if walls else Obstacles.none()

    return closed
