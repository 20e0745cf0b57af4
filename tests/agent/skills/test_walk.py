"""Walking on the cartridge: strides, people, ledges, and roaming in the grass."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, takewhile

import pytest

from agent.skills import Destination, Outcome, Skill, SkillRun, Terrain, examine, roam, travel
from agent.skills.roam import wild_squares
from agent.skills.route import LEDGE_COST, NOTHING, WARP_COST, Hop, Obstacles, Spot
from agent.skills.terrain import HALF_LIFE, NEARBY, Crowd
from agent.skills.walk import LONGEST_STRIDE, STEP_FRAMES, strides
from emulator import FRAMES_PER_SECOND, Facing, GameMap, Person, State, Step
from emulator.profile import symbol
from tests.agent.demo import WORLD, free_in
from tests.agent.support import Game, Played, game_at, game_fixture, state_fixture
from tests.live_blocks import laid_over

TOWN, LANE, LAB, HOUSE, ALDERBROOK, HEATHER_WAY = 0, 12, 40, 37, 1, 13
NOWHERE = 99
BELOW_THE_GAP, ABOVE_THE_GAP = 39, 35
STAIRS, OTHER_MAT = 2, 1  # warps of the house, and of the lab
BOY = 1  # of the town: walks around
HERE = Spot(TOWN, 5, 5)


def straight(facing: Facing, steps: int, start: Spot) -> list[Hop]:
    route = []
    for _ in range(steps):
        start = start.next_to(facing)
        route.append(Hop(facing, start))
    return route


def lengths(route: list[Hop], start: Spot = HERE) -> list[int]:
    return [len(stride) for stride in strides(route, start)]


def test_straight_steps_form_one_stride() -> None:
    route = straight(Facing.RIGHT, LONGEST_STRIDE + 2, HERE)
    assert lengths(route) == [LONGEST_STRIDE, 2]
    assert [hop for stride in strides(route, HERE) for hop in stride] == route


def test_a_turn_begins_a_new_stride() -> None:
    first = straight(Facing.RIGHT, 2, HERE)
    assert lengths([*first, *straight(Facing.UP, 3, first[-1].to)]) == [2, 3]


def test_warps_and_ledges_are_strides_of_their_own() -> None:
    walk = straight(Facing.DOWN, 2, HERE)
    x, y = walk[-1].to.x, walk[-1].to.y
    ledge = Hop(Facing.DOWN, HERE._replace(x=x, y=y + 2), LEDGE_COST)
    after = straight(Facing.DOWN, 2, ledge.to)
    door = Hop(Facing.DOWN, Spot(HOUSE, 2, 7), WARP_COST)
    assert lengths([*walk, ledge, *after, door]) == [2, 1, 2, 1]


town = game_fixture(free_in(TOWN))
lane = game_fixture(free_in(LANE))
people_town = state_fixture(free_in(TOWN))  # the first state outdoors, at (3,6)
ON_THE_LANE = {symbol("wGrassRate"): 0}  # without wild encounters
roam_lane = game_fixture(free_in(LANE), ON_THE_LANE)


def with_end(game_map: GameMap, index: int, map_id: int) -> GameMap:
    """Return a map whose warp `index` leads to `OTHER_MAT` of another map than on the cartridge."""
    warps = [
        replace(each, map_id=map_id, warp_index=OTHER_MAT) if each.index == index else each
        for each in game_map.warps
    ]
    on = {(warp.x, warp.y): warp for warp in warps}
    return replace(game_map, warps=tuple(warps), _warp_on=on)


def people(state: State) -> set[tuple[int, int]]:
    return {(x, y) for _, x, y in Crowd(WORLD).obstacles(state).walls}


def wait(game: Game, frames: int) -> None:
    game.console.perform(Step(None, 0, frames))


@pytest.mark.parametrize("delay", range(1, 240, 40))
def test_the_lab_is_reached_wherever_the_people_of_the_town_stand(town: Game, delay: int) -> None:
    wait(town, delay)
    assert town.carry_out(travel(Terrain(WORLD), Destination(LAB), town.state)) is Outcome.DONE
    assert town.state.map.map_id == LAB


def test_a_person_who_steps_into_the_way_is_walked_round(town: Game) -> None:
    """The test waits until the boy stands between the player and the goal."""

    def beyond() -> tuple[int, int]:
        here, boy = town.state.map, next(each for each in town.state.people if each.slot == BOY)
        return boy.x + (boy.x > here.x) - (boy.x < here.x), boy.y

    while not WORLD.map(TOWN).passable(*beyond()) or beyond() in people(town.state):
        wait(town, 16)
    goal = beyond()
    skill = travel(Terrain(WORLD), Destination(TOWN, frozenset({goal})), town.state)
    assert town.carry_out(skill) is Outcome.DONE
    assert (town.state.map.x, town.state.map.y) == goal


def test_a_detour_does_not_lead_over_the_previous_map(lane: Game) -> None:
    """The trainer blocks the shortest route north, out of sight; on other maps he blocks nothing."""
    skill = travel(Terrain(WORLD), Destination(ALDERBROOK), lane.state)
    for state in takewhile(lambda state: state.map.y > 30, states_of(lane, skill)):
        assert state.map.map_id == LANE


def test_travel_and_roaming_end_at_once_where_they_are_done_or_lead_nowhere(town: Game) -> None:
    assert town.carry_out(travel(Terrain(WORLD), Destination(TOWN), town.state)) is Outcome.DONE
    skill = travel(Terrain(WORLD), Destination(NOWHERE), town.state, patience=3)
    assert town.carry_out(skill) is Outcome.BLOCKED
    assert not list(wild_squares(WORLD.map(TOWN)))
    assert town.carry_out(roam(Terrain(WORLD), town.state)) is Outcome.BLOCKED


def test_a_warp_that_leads_elsewhere_twice_is_no_longer_used(played: Played) -> None:
    """A script changes the warps of some rooms; here the map data lies about the nearest stairs."""
    false = replace(WORLD, _maps={**WORLD._maps, HOUSE: with_end(WORLD.map(HOUSE), STAIRS, LAB)})
    blocked: list[Spot] = []
    with game_at(played.folder, free_in(HOUSE)) as game:
        skill = travel(Terrain(false), Destination(LAB), game.state, on_blocked=blocked.append)
        assert game.carry_out(skill, within=150) is Outcome.DONE
        assert game.state.map.map_id == LAB
    assert blocked == [Spot(LAB, *WORLD.arrival(LAB, OTHER_MAT))]


def test_a_mat_is_left_in_the_time_that_routes_expect(played: Played) -> None:
    """The first press ends on the mat, the second one triggers it."""
    with game_at(played.folder, free_in(HOUSE)) as game:
        states = states_of(game, travel(Terrain(WORLD), Destination(TOWN), game.state))
        inside = list(takewhile(lambda state: state.map.map_id == HOUSE, states))
        arrived = next(state for state in inside if before_a_mat(state))
        assert game.state.frame - arrived.frame <= WARP_COST * STEP_FRAMES


def before_a_mat(state: State) -> bool:
    return WORLD.map(HOUSE).warp_at(state.map.x, state.map.y + 1) is not None


def before_the_gap(state: State) -> bool:
    return free_in(HEATHER_WAY)(state) and state.map.y == BELOW_THE_GAP


by_the_gap = game_fixture(before_the_gap, ON_THE_LANE)


@pytest.mark.parametrize("later", [8, 70, 190])
@pytest.mark.parametrize("talks", [False, True])
def test_a_person_in_a_gap_gets_room_to_leave(by_the_gap: Game, later: int, *, talks: bool) -> None:
    """A gardener walks in a gap of one square; a player who waits beside him blocks him.

    As does a visitor on the only square before a nurse, who cannot leave past the player.
    """
    game, beyond = by_the_gap, (6, ABOVE_THE_GAP)
    wait(game, later)
    north = Destination(HEATHER_WAY, frozenset({beyond}))
    above = (6, ABOVE_THE_GAP - 1)
    terrain = Terrain(WORLD)
    skill = examine(above, terrain, game.state) if talks else travel(terrain, north, game.state)
    assert any(each.position == beyond for each in islice(states_of(game, skill), 300))


ALWAYS = 255
STRIDES = 30


def test_roaming_stays_in_the_grass(roam_lane: Game) -> None:
    grass = set(wild_squares(WORLD.map(LANE)))
    skill = roam(Terrain(WORLD), roam_lane.state, strides=STRIDES)
    been = [tuple(state.position) for state in states_of(roam_lane, skill)]
    arrived = next(number for number, square in enumerate(been) if square in grass)
    assert set(been[arrived:]) <= grass
    assert len(set(been[arrived:])) > 1


def test_roaming_meets_a_wild_mon(roam_lane: Game) -> None:
    roam_lane.poke({symbol("wGrassRate"): ALWAYS})
    skill = roam(Terrain(WORLD), roam_lane.state)
    assert any(state.in_battle for state in islice(states_of(roam_lane, skill), 200))


GARDENER = 2  # of the town: never walks
GIRL = 2  # of the lane: walks around at the narrow place
LONGEST_DELAY = 0x7F  # of a walker: overworld passes between two steps
LONG_AGO = 16.0  # game seconds after which the position of a walker has no cost


def with_people(state: State, *people: Person, after: float = 0.0) -> State:
    """Return the state with only these people, `after` game seconds later."""
    return replace(state, people=people, frame=state.frame + round(after * FRAMES_PER_SECOND))


def person(slot: int, x: int, y: int, *, on_screen: bool = True) -> Person:
    return Person(
        slot=slot, picture=1, x=x, y=y, facing=Facing.DOWN, moving=False, on_screen=on_screen
    )


def around(x: int, y: int) -> set[tuple[int, int, int]]:
    return {(TOWN, x + dx, y + dy) for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))}


def test_a_person_in_sight_blocks_only_their_square(people_town: State) -> None:
    seen = with_people(people_town, person(BOY, 6, 8), person(GARDENER, 5, 7))
    walls, costs = Crowd(WORLD).obstacles(seen)
    assert walls == {(TOWN, 6, 8), (TOWN, 5, 7)}
    assert costs == {}


@pytest.mark.parametrize("now", [(), (person(BOY, 6, 8, on_screen=False),), (person(BOY, 8, 8),)])
def test_the_cost_of_a_walkers_last_square_halves_and_ends(
    now: tuple[Person, ...], people_town: State
) -> None:
    """It does not matter whether the walker is out of sight or was seen elsewhere."""
    crowd = Crowd(WORLD)
    crowd.see(with_people(people_town, person(BOY, 6, 8)))
    elsewhere = frozenset({(TOWN, each.x, each.y) for each in now if each.on_screen})
    for halves in range(4):
        later = with_people(people_town, *now, after=halves * HALF_LIFE)
        walls, costs = crowd.obstacles(later)
        assert walls == elsewhere
        assert costs == dict.fromkeys(around(6, 8), NEARBY // 2**halves)
    assert crowd.obstacles(with_people(people_town, *now, after=LONG_AGO)) == Obstacles(
        elsewhere, {}
    )


def test_leaving_the_map_forgets_its_people(people_town: State) -> None:
    crowd = Crowd(WORLD)
    crowd.see(with_people(people_town, person(BOY, 6, 8)))
    crowd.see(replace(with_people(people_town), map=replace(people_town.map, map_id=LAB)))
    assert crowd.obstacles(with_people(people_town)) == NOTHING


def test_a_standing_person_blocks_out_of_sight_as_well(people_town: State) -> None:
    crowd = Crowd(WORLD)
    out_of_sight = with_people(people_town, person(GARDENER, 12, 6, on_screen=False), after=1_000)
    assert crowd.obstacles(out_of_sight) == Obstacles(frozenset({(TOWN, 12, 6)}), {})
    # On a visible square the game would draw a present person.
    not_drawn = with_people(people_town, person(GARDENER, 6, 6, on_screen=False))
    assert crowd.obstacles(not_drawn) == NOTHING


def test_a_removed_object_blocks_no_square(played: Played) -> None:
    def took_it(state: State) -> bool:
        return free_in(LAB)(state) and len(state.people_present) < len(state.people)

    with game_at(played.folder, took_it) as game:
        state = game.state
    gone = {each.position for each in state.people} - {
        each.position for each in state.people_present
    }
    walls = Crowd(WORLD).obstacles(state).walls
    assert gone
    assert {(LAB, *square) for square in gone}.isdisjoint(walls)
    elsewhere = replace(state, map=replace(state.map, x=4, y=11), people=state.people)
    assert {(LAB, *square) for square in gone}.isdisjoint(Crowd(WORLD).obstacles(elsewhere).walls)


def test_the_cost_of_a_walker_decays_out_of_sight(played: Played) -> None:
    """The player walks to the other end of the town, and the boy stays behind."""
    with game_at(played.folder, free_in(TOWN)) as game:
        crowd, terrain = Crowd(WORLD), Terrain(WORLD)
        boy = next(each for each in game.state.people_present if each.slot == BOY)
        assert boy.on_screen
        crowd.see(game.state)
        costs: list[int] = []
        away = Destination(TOWN, frozenset({(18, 8)}))
        for state in states_of(game, travel(terrain, away, game.state)):
            costs_now = crowd.obstacles(state).costs
            if not any(each.slot == BOY and each.on_screen for each in state.people_present):
                costs.append(max(costs_now.values(), default=0))
        assert costs == sorted(costs, reverse=True)
        assert 0 < costs[-1] < NEARBY
        wait(game, round(LONG_AGO * FRAMES_PER_SECOND))
        assert not any(each.slot == BOY and each.on_screen for each in game.state.people)
        assert crowd.obstacles(game.state).costs == {}


def states_of(game: Game, skill: Skill) -> Iterator[State]:
    """Run a skill to its end, and yield every state."""
    run = SkillRun(skill)
    while run.outcome is Outcome.RUNNING:
        game.console.perform(run.step)
        yield game.state
        run.resume(game.state)


def test_a_person_in_a_corridor_is_waited_for(quiet_lane: Game) -> None:
    """Trees leave a corridor of one column; the girl walks in it, and the player has to pass it."""
    game, terrain = quiet_lane, Terrain(WORLD)
    corridor = {(10, 10), (10, 11)}
    south = Destination(LANE, frozenset({(9, 12), (10, 12)}))
    north = Destination(LANE, frozenset({(9, 7), (10, 7)}))
    assert game.carry_out(travel(terrain, south, game.state)) is Outcome.DONE
    game.poke(laid_over(WORLD.map(LANE), (9, 11), (0, 0)))

    game.poke(standing(GIRL, (10, 10)))
    wait(game, 2)  # until she is drawn there
    waited, here = 0, game.state.position
    assert corridor & occupied(game.state)
    for state in states_of(game, travel(terrain, north, game.state)):
        assert state.position not in occupied(state)
        waited += state.position == here and bool(corridor & occupied(state))
        here = state.position
    assert waited > 0
    assert here in ((9, 7), (10, 7))


def standing(slot: int, square: tuple[int, int]) -> dict[int, int]:
    """Return the RAM bytes that put a walker on a square, where it waits for a while."""
    one, two = (symbol(name) + 16 * slot for name in ("wSpriteStateData1", "wSpriteStateData2"))
    centre, coordinate_offset, waiting = 8, 4, 2
    x, y = (each + coordinate_offset for each in square)
    around = {two + 2: centre, two + 3: centre}
    return {one + 1: waiting, **around, two + 4: y, two + 5: x, two + 8: LONGEST_DELAY}


def occupied(state: State) -> set[tuple[int, int]]:
    return {(each.x, each.y) for each in state.people_present if each.on_screen}
