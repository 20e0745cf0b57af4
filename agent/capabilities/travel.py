"""Travel between places, and the squares that routes avoid.

These are closed gates, locked doors, squares where earlier walks failed, and the sight of trainers
who might win.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from agent.battle.odds import beats
from agent.capabilities.capability import (
    FREE,
    HP,
    PP,
    RESTED,
    SCREEN_REFLEXES,
    BoundAction,
    Capability,
    Sensor,
    watching,
)
from agent.capabilities.context import GameContext, SquareTried
from agent.experience.memory_use import MemoryUse
from agent.planning.domain import Action, Effect, Extra, Require
from agent.skills import (
    FLASH,
    Destination,
    Hazard,
    Obstacles,
    Skill,
    is_connected,
    observed,
    shortest_route,
    spot_of,
    stopped_when,
    watching_trainers,
)
from agent.skills.distances import MapDistances
from agent.story.facts import outcome, required
from agent.story.opponents import team_of, teams_of
from agent.story.places import Land, Place, PlaceAccess, Square
from agent.story.story import Story
from emulator import Obstacle, State

BARRED_DETOUR: Final = 40  # steps of detour accepted to avoid a square that blocked earlier walks
CARD_KEY: Final = 48
# Chance to win at which trainers are not avoided: they bring money and experience.
SAFE: Final = 0.9
SIGHT_DETOUR: Final = 12  # steps of detour accepted for each square in a trainer's sight
TRAVEL_COST: Final = 10  # of any walk, however short
# Steps for one point of cost: steps cost little compared with events on the way.
STEPS: Final = 5
MAP: Final = "map"  # the fact with the id of the current map


def around(game: GameContext, _state: State) -> Obstacles:
    """Return the squares that memory gives a higher cost; a route may still cross them if there is no other."""
    return Obstacles(frozenset(), dict.fromkeys(game.experience.blocked_squares(), BARRED_DETOUR))


def detour(place: Place, game: GameContext, state: State) -> str:
    """Return why the route to `place` is not the shortest; '' if memory does not change it."""
    blocked_squares = game.experience.blocked_squares()
    if not blocked_squares or not state.in_control:
        return ""
    usual = shortest_route(game.terrain, _end(place), state) or ()
    found = next(
        (blocked_squares[hop.to[:3]] for hop in usual if hop.to[:3] in blocked_squares), None
    )
    if found is None:
        return ""
    where = game.story.called(found.map_id)
    why = f"a walk to {found.towards} got no further at ({found.x},{found.y}) of {where}"
    game.experience.record_influence(MemoryUse.ROUTES, f"the way to {place.called}", why)
    return f"remembered: {why}"


def walk(place: Place, game: GameContext, state: State) -> Skill:
    """Walk to `place`, and report a square that blocks the walk, or one that no longer does.

    The walk ends where it gets dark if a member of the team can use FLASH, so that FLASH comes first.
    """
    report, blocked_squares = game.hooks.emit, game.experience.blocked_squares()
    began = state

    def pass_over(state: State) -> None:
        here = state.map
        if (here.map_id, here.x, here.y) in blocked_squares:
            report(SquareTried(state, (here.map_id, here.x, here.y), passed=True))

    way = game.skills.travel(
        game.terrain,
        _end(place),
        state,
        on_blocked=lambda spot: report(SquareTried(began, spot[:3], place.called)),
    )

    def turned_dark(state: State) -> bool:
        return state.is_dark and state.in_control and game.story.can_use(state, FLASH)

    if blocked_squares:
        way = observed(way, pass_over)
    return way if state.is_dark else stopped_when(way, turned_dark)


def _end(place: Place) -> Destination:
    return Destination(place.map_id, frozenset({place.spot}) if place.spot is not None else None)


def locked_doors(_game: GameContext) -> Capability:
    """Open locked doors to routes once the Card Key is in the bag."""
    opened = frozenset({Obstacle.LOCKED_DOOR})
    return Capability(
        name="card_key",
        passages=(lambda state: opened if state.bag.quantity(CARD_KEY) else frozenset(),),
    )


def trainer_sight(game: GameContext) -> Capability:
    """Avoid the sight of trainers who might beat the team in its present state."""

    def in_sight(state: State) -> Obstacles:
        if not state.in_control or not state.party.mons:
            return Obstacles()
        seen = watching_trainers(game.terrain.world(state), state)
        costs = {
            square: SIGHT_DETOUR
            for each in seen
            if not beats(game.dex, state.party, team_of(game.dex, each.opponent), SAFE)
            for square in each.squares
        }
        return Obstacles(frozenset(), costs)

    return Capability(name="caution", hazards=(in_sight,))


def capability(game: GameContext) -> Capability:
    """Walk to any named place of the story, but through no closed gate."""
    story = game.story
    return Capability(
        name="travel",
        sensors=(_sensor(game),),
        actions=tuple(
            _bound_action(place, way, game) for place in story.places for way in place.approaches()
        ),
        hazards=(_closed_gates(story), partial(around, game)),
    )


def at(place: str) -> str:
    """Return the name of the fact that the player is in `place`."""
    return f"at:{place}"


def only_places(story: Story) -> Callable[[Action], str]:
    """Return a function that gives the display name of the only place where an action can be done; '' for several."""
    called = {at(place.name): place.called for place in story.places}
    known: dict[str, str] = {}  # by the name of the action

    def find(action: Action) -> str:
        if action.name not in known:
            needed = (called[each.fact] for each in action.requires if each.fact in called)
            known[action.name] = next(needed, "")
        return known[action.name]

    return find


def _sensor(game: GameContext) -> Sensor:
    """Return the sensor of the player's place; only parts of a map, and lands, depend on more than the map id."""
    story = game.story
    nowhere = {at(place.name): 0 for place in story.places}
    before = {**nowhere, **{each.fact: 0 for each in story.lands}, MAP: 0}
    by_map = {place.map_id: {**nowhere, MAP: place.map_id} for place in story.places}
    spots: dict[int, list[tuple[str, Square]]] = defaultdict(list)
    for place in story.places:
        if place.spot is None:
            by_map[place.map_id][at(place.name)] = 1
        else:
            spots[place.map_id].append((at(place.name), place.spot))

    def sources(state: State) -> tuple[object, ...]:
        return spot_of(state), game.terrain.world(state) if state.map.map_id in spots else None

    def read(state: State) -> Mapping[str, int]:
        here = state.map.map_id
        facts: Mapping[str, int] = by_map.get(here) or {**nowhere, MAP: here}
        if story.lands:
            lands = {
                each.fact: int(each.hinders(inside=each.contains(state))) for each in story.lands
            }
            facts = {**facts, **lands}
        if here in spots:
            world, start = game.terrain.world(state), spot_of(state)
            joined = {fact: int(is_connected(world, start, spot)) for fact, spot in spots[here]}
            facts = {**facts, **joined}
        return facts

    return watching(before, sources, read)


@lru_cache(maxsize=1024)
def arriving(place: Place, story: Story) -> tuple[Effect, ...]:
    """Return the effects of arriving in a place by any route; that is arriving in its whole map, too."""
    whole = {each.name for each in story.places if each.map_id == place.map_id and not each.spot}
    return (
        *(Effect(at(each.name), int(each.name in whole or each is place)) for each in story.places),
        *(Effect(each.fact, int(each.hinders(inside=each is place.land))) for each in story.lands),
        Effect(MAP, place.map_id),
    )


@dataclass(frozen=True, slots=True)
class WalkPrice:
    """What a walk to a map costs from another one; equal for all branches of a game, so that searches are kept."""

    distances: MapDistances
    map_id: int

    def __call__(self, map_id: int, /) -> int:
        """Return the price of a walk that begins in a map."""
        return self.distances.steps(map_id, self.map_id) // STEPS


def _bound_action(place: Place, way: PlaceAccess, game: GameContext) -> BoundAction:
    def make() -> Action:
        return Action(
            name=f"travel:{place.name}{way.suffix}",
            requires=(
                FREE,
                *_free_to_go(way, game.story.lands),
                *(required(fact) for fact in way.needs),
                *_prepared(place, game),
            ),
            effects=(*arriving(place, game.story), *outcome((*place.gives, *way.gives))),
            cost=TRAVEL_COST,
            extra=Extra(MAP, WalkPrice(game.terrain.map_distances, place.map_id)),
            label=f"walk to {place.called}",
        )

    action = game.action(f"travel:{place.name}{way.suffix}", make)
    # On a walk a warp blocks input, and an obstacle may need a menu: the skill handles both itself.
    note = partial(detour, place, game)
    return BoundAction(action, partial(walk, place, game), suppresses=SCREEN_REFLEXES, note=note)


def _free_to_go(way: PlaceAccess, lands: Iterable[Land]) -> Iterator[Require]:
    """Yield the conditions on where the player must be, and must not be."""
    if way.start:
        yield Require(at(way.start), at_least=1)
        return
    for each in lands:
        if each.shuts_in or each is way.within:
            yield Require(each.fact, at_most=0)


def _prepared(place: Place, game: GameContext) -> Iterator[Require]:
    """Yield the conditions to enter a place that has trials and no healer or exit between them."""
    tasks = [each for each in game.story.tasks if each.id in place.trials]
    for task in tasks:
        if teams_of(game.story, game.dex, task):
            yield Require(task.ready, at_least=1)
    if tasks:
        yield Require(HP, at_least=RESTED)
        yield Require(PP, at_least=RESTED)
        starts = {way.start for way in place.ways}
        for clerk in game.story.clerks:
            if clerk.place in starts:
                yield Require(clerk.supplied, at_least=1)


def _closed_gates(story: Story) -> Hazard:
    """Return the hazard that closed gates are walls, where the player would be turned back."""

    def closed(state: State) -> Obstacles:
        shut = [gate for gate in story.gates if not story.is_open(state, gate)]
        walls = frozenset((gate.map_id, x, y) for gate in shut for x, y in gate.squares)
        return Obstacles(walls, {}) if walls else Obstacles()

    return closed
