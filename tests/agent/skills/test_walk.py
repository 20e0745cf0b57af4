"""Walking on the cartridge: in strides, round people, over maps, down ledges."""

from collections.abc import Iterator

import pytest

from agent.skills import Destination, Outcome, SkillRun, Terrain, travel
from agent.skills.route import LEDGE_COST, WARP_COST, Hop, Spot, spot_of
from agent.skills.terrain import Crowd
from agent.skills.walk import LONGEST_STRIDE, strides
from emulator import Facing, State, Step, World, demo_cartridge_path, load_cartridge
from emulator.profile import symbol
from tests.agent.support import Game, Played, game_at

WORLD = World.of(load_cartridge(demo_cartridge_path()))
TOWN, LANE, LAB, HOUSE, ALDERBROOK, HEATHER_WAY = 0, 12, 40, 37, 1, 13
BELOW_THE_GAP, ABOVE_THE_GAP = 39, 35
BOY = 1  # of the town, who walks about
HERE = Spot(TOWN, 5, 5, TOWN)


def straight(facing: Facing, steps: int, start: Spot) -> list[Hop]:
    route = []
    for _ in range(steps):
        start = start.next_to(facing)
        route.append(Hop(facing, start))
    return route


def lengths(route: list[Hop], start: Spot = HERE) -> list[int]:
    return [len(stride) for stride in strides(route, start)]


def test_steps_straight_ahead_go_under_one_press() -> None:
    route = straight(Facing.RIGHT, LONGEST_STRIDE + 2, HERE)
    assert lengths(route) == [LONGEST_STRIDE, 2]
    assert [hop for stride in strides(route, HERE) for hop in stride] == route


def test_a_turn_begins_a_new_stride() -> None:
    first = straight(Facing.RIGHT, 2, HERE)
    assert lengths([*first, *straight(Facing.UP, 3, first[-1].to)]) == [2, 3]


def test_warps_ledges_and_edges_are_taken_alone() -> None:
    walk = straight(Facing.DOWN, 2, HERE)
    x, y = walk[-1].to.x, walk[-1].to.y
    ledge = Hop(Facing.DOWN, HERE._replace(x=x, y=y + 2), LEDGE_COST)
    after = straight(Facing.DOWN, 2, ledge.to)
    door = Hop(Facing.DOWN, Spot(HOUSE, 2, 7, TOWN), WARP_COST)
    assert lengths([*walk, ledge, *after, door]) == [2, 1, 2, 1]


def free_in(map_id: int, state: State) -> bool:
    return state.game_started and state.in_control and state.map.map_id == map_id


@pytest.fixture(scope="module")
def town(played: Played) -> Iterator[Game]:
    with game_at(played.folder, lambda state: free_in(TOWN, state)) as game:
        yield game


@pytest.fixture(scope="module")
def lane(played: Played) -> Iterator[Game]:
    with game_at(played.folder, lambda state: free_in(LANE, state)) as game:
        yield game


def people(state: State) -> set[tuple[int, int]]:
    return {(x, y) for _, x, y in Crowd(WORLD).obstacles(state).walls}


def wait(game: Game, frames: int) -> None:
    game.console.perform(Step(None, 0, frames))


@pytest.mark.parametrize("delay", range(1, 240, 20))
def test_the_lab_is_reached_wherever_the_people_of_the_town_have_gone(
    town: Game, delay: int
) -> None:
    start = town.console.save()
    wait(town, delay)
    assert town.carry_out(travel(Terrain(WORLD), Destination(LAB), town.state)) is Outcome.DONE
    assert town.state.map.map_id == LAB
    town.console.load(start)


def test_somebody_who_steps_into_the_way_is_walked_round(town: Game) -> None:
    """The boy is waited for until he stands between the player and where he wants to go."""
    start = town.console.save()

    def beyond() -> tuple[int, int]:
        here, boy = (
            spot_of(town.state),
            next(each for each in town.state.people if each.slot == BOY),
        )
        return boy.x + (boy.x > here.x) - (boy.x < here.x), boy.y

    while not WORLD.map(TOWN).passable(*beyond()) or beyond() in people(town.state):
        wait(town, 16)
    goal = beyond()
    skill = travel(Terrain(WORLD), Destination(TOWN, frozenset({goal})), town.state)
    assert town.carry_out(skill) is Outcome.DONE
    assert (town.state.map.x, town.state.map.y) == goal
    town.console.load(start)


def test_a_detour_is_not_dodged_by_going_back_to_the_map_before(lane: Game) -> None:
    """The trainer stands in the shortest way north, out of sight; on no other map is he in the way."""
    start = lane.console.save()
    course = SkillRun(travel(Terrain(WORLD), Destination(ALDERBROOK), lane.state))
    while lane.state.map.y > 30:
        lane.console.perform(course.step)
        course.resume(lane.state)
        assert lane.state.map.map_id == LANE
    lane.console.load(start)


def test_a_place_without_a_way_is_given_up(town: Game) -> None:
    start = town.console.save()
    skill = travel(Terrain(WORLD), Destination(200), town.state, patience=3)
    assert town.carry_out(skill) is Outcome.BLOCKED
    town.console.load(start)


def test_where_one_is_already_there_is_nothing_to_walk(town: Game) -> None:
    assert town.carry_out(travel(Terrain(WORLD), Destination(TOWN), town.state)) is Outcome.DONE


@pytest.mark.parametrize("later", [8, 70, 190])
def test_who_stands_in_a_gap_is_given_room_to_leave_it(played: Played, later: int) -> None:
    """A gardener walks up and down where one only fits: whoever waits beside him keeps him in."""

    def before_the_gap(state: State) -> bool:
        return free_in(HEATHER_WAY, state) and state.map.y == BELOW_THE_GAP

    with game_at(played.folder, before_the_gap) as game:
        game.poke({symbol("wGrassRate"): 0})
        wait(game, later)
        terrain = Terrain(WORLD)
        north = Destination(HEATHER_WAY, frozenset({(6, ABOVE_THE_GAP)}))
        assert game.carry_out(travel(terrain, north, game.state), within=300) is Outcome.DONE
