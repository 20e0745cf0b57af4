"""People as a layer that fades: walls where they are, dearer squares where they were, nothing for good."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent.skills import Destination, Outcome, Skill, SkillRun, Terrain, travel, wait
from agent.skills.route import NOTHING, Obstacles
from agent.skills.terrain import HALF_LIFE, NEARBY, Crowd
from emulator import (
    FRAMES_PER_SECOND,
    Facing,
    Person,
    State,
    World,
    demo_cartridge_path,
    load_cartridge,
)
from emulator.profile import symbol
from tests.agent.support import Game, Played, game_at
from tests.live_blocks import laid_over

WORLD = World.of(load_cartridge(demo_cartridge_path()))
TOWN, LANE, LAB = 0, 12, 40
BOY, GARDENER = 1, 2  # of the town: the one walks about, the other stands
GIRL = 2  # of the lane: walks about where the way is narrow
LONGEST_DELAY = 0x7F  # of a walker: passes of the overworld between two steps
LONG_AGO = 16.0  # game seconds: nobody knows any more where a walker of that time is


@pytest.fixture(scope="module")
def town(played: Played) -> State:
    """The first moment outdoors, at (3,6)."""
    with game_at(played.folder, lambda state: free_in(TOWN, state)) as game:
        return game.state


def free_in(map_id: int, state: State) -> bool:
    return state.game_started and state.in_control and state.map.map_id == map_id


def with_people(state: State, *people: Person, after: float = 0.0) -> State:
    """The moment with these people alone, so many game seconds later."""
    return replace(state, people=people, frame=state.frame + round(after * FRAMES_PER_SECOND))


def person(slot: int, x: int, y: int, *, on_screen: bool = True) -> Person:
    return Person(
        slot=slot, picture=1, x=x, y=y, facing=Facing.DOWN, moving=False, on_screen=on_screen
    )


def around(x: int, y: int) -> set[tuple[int, int, int]]:
    return {(TOWN, x + dx, y + dy) for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))}


def test_who_is_in_sight_is_a_wall_on_their_square_and_no_more(town: State) -> None:
    seen = with_people(town, person(BOY, 6, 8), person(GARDENER, 5, 7))
    walls, costs = Crowd(WORLD).obstacles(seen)
    assert walls == {(TOWN, 6, 8), (TOWN, 5, 7)}
    assert costs == {}


@pytest.mark.parametrize("now", [(), (person(BOY, 6, 8, on_screen=False),), (person(BOY, 8, 8),)])
def test_where_a_walker_was_gets_cheaper_by_half_and_free_in_the_end(
    now: tuple[Person, ...], town: State
) -> None:
    """Be they out of sight since then, or seen to have walked on."""
    crowd = Crowd(WORLD)
    crowd.see(with_people(town, person(BOY, 6, 8)))
    elsewhere = frozenset({(TOWN, each.x, each.y) for each in now if each.on_screen})
    for halves in range(4):
        later = with_people(town, *now, after=halves * HALF_LIFE)
        walls, costs = crowd.obstacles(later)
        assert walls == elsewhere
        assert costs == dict.fromkeys(around(6, 8), NEARBY // 2**halves)
    assert crowd.obstacles(with_people(town, *now, after=LONG_AGO)) == Obstacles(elsewhere, {})


def test_leaving_the_map_forgets_its_people(town: State) -> None:
    crowd = Crowd(WORLD)
    crowd.see(with_people(town, person(BOY, 6, 8)))
    crowd.see(replace(with_people(town), map=replace(town.map, map_id=LAB)))
    assert crowd.obstacles(with_people(town)) == NOTHING


def test_who_only_stands_there_is_a_wall_out_of_sight_as_well(town: State) -> None:
    crowd = Crowd(WORLD)
    out_of_sight = with_people(town, person(GARDENER, 12, 6, on_screen=False), after=1_000)
    assert crowd.obstacles(out_of_sight) == Obstacles(frozenset({(TOWN, 12, 6)}), {})
    # Where one would see them and does not, there is nobody.
    not_drawn = with_people(town, person(GARDENER, 6, 6, on_screen=False))
    assert crowd.obstacles(not_drawn) == NOTHING


def test_what_the_story_has_taken_away_is_in_nobodys_way(played: Played) -> None:
    def took_it(state: State) -> bool:
        return free_in(LAB, state) and len(state.people_present) < len(state.people)

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


def test_a_walker_on_the_cartridge_fades_once_out_of_sight(played: Played) -> None:
    """The player walks off to the other end of the town, and the boy stays behind."""
    with game_at(played.folder, lambda state: free_in(TOWN, state)) as game:
        crowd, terrain = Crowd(WORLD), Terrain(WORLD)
        boy = next(each for each in game.state.people_present if each.slot == BOY)
        assert boy.on_screen
        crowd.see(game.state)
        costs: list[int] = []
        for state in walk(
            game, travel(terrain, Destination(TOWN, frozenset({(18, 8)})), game.state)
        ):
            costs_now = crowd.obstacles(state).costs
            if not any(each.slot == BOY and each.on_screen for each in state.people_present):
                costs.append(max(costs_now.values(), default=0))
        assert costs == sorted(costs, reverse=True)
        assert 0 < costs[-1] < NEARBY
        game.console.perform(wait(round(LONG_AGO * FRAMES_PER_SECOND)))
        assert not any(each.slot == BOY and each.on_screen for each in game.state.people)
        assert crowd.obstacles(game.state).costs == {}


def walk(game: Game, skill: Skill) -> Iterator[State]:
    """Carry out a skill to its good end, and yield every state on the way."""
    course = SkillRun(skill)
    while course.outcome is Outcome.RUNNING:
        game.console.perform(course.step)
        state = game.state
        yield state
        course.resume(state)
    assert course.outcome is Outcome.DONE


def test_who_blocks_a_corridor_is_waited_for(quiet_lane: Game) -> None:
    """Thickets leave one column of squares; the girl walks in it, and the player has to get through."""
    game, terrain = quiet_lane, Terrain(WORLD)
    corridor = {(10, 10), (10, 11)}
    south = Destination(LANE, frozenset({(9, 12), (10, 12)}))
    north = Destination(LANE, frozenset({(9, 7), (10, 7)}))
    assert game.carry_out(travel(terrain, south, game.state)) is Outcome.DONE
    game.poke(laid_over(WORLD.map(LANE), (9, 11), (0, 0)))

    game.poke(standing(GIRL, (10, 10)))
    game.console.perform(wait(2))  # until she is drawn there
    waited, here = 0, game.state.position
    assert corridor & taken(game.state)
    for state in walk(game, travel(terrain, north, game.state)):
        assert state.position not in taken(state)
        waited += state.position == here and bool(corridor & taken(state))
        here = state.position
    assert waited > 0
    assert here in ((9, 7), (10, 7))


def standing(slot: int, square: tuple[int, int]) -> dict[int, int]:
    """Return the change of RAM that puts a walker on a square, for a while, with its walks around it."""
    one, two = (symbol(name) + 16 * slot for name in ("wSpriteStateData1", "wSpriteStateData2"))
    centre, coordinate_offset, waiting = 8, 4, 2
    x, y = (each + coordinate_offset for each in square)
    around = {two + 2: centre, two + 3: centre}
    return {one + 1: waiting, **around, two + 4: y, two + 5: x, two + 8: LONGEST_DELAY}


def taken(state: State) -> set[tuple[int, int]]:
    return {(each.x, each.y) for each in state.people_present if each.on_screen}
