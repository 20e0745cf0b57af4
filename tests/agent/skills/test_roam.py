"""Walking about where wild mons live."""

from collections.abc import Iterator

import pytest

from agent.skills import Outcome, SkillRun, Terrain, roam
from agent.skills.roam import haunts_of
from emulator import State, World, demo_cartridge_path, load_cartridge
from emulator.profile import symbol
from tests.agent.support import Game, Played, game_at

WORLD = World.of(load_cartridge(demo_cartridge_path()))
LANE, TOWN = 12, 0
ALWAYS = 255
STRIDES = 30


def free_in(map_id: int, state: State) -> bool:
    return state.game_started and state.in_control and state.map.map_id == map_id


@pytest.fixture
def lane(played: Played) -> Iterator[Game]:
    """On the lane with somebody to lead, where nobody wild comes."""
    with game_at(played.folder, lambda state: free_in(LANE, state)) as game:
        game.poke({symbol("wGrassRate"): 0})
        yield game


def test_one_walks_about_in_the_grass_and_nowhere_else(lane: Game) -> None:
    grass = set(haunts_of(WORLD.map(LANE)))
    course, been = SkillRun(roam(Terrain(WORLD), lane.state, strides=STRIDES)), []
    while course.outcome is Outcome.RUNNING:
        lane.console.perform(course.step)
        course.resume(lane.state)
        been.append((lane.state.map.x, lane.state.map.y))
    assert course.outcome is Outcome.DONE
    arrived = next(number for number, square in enumerate(been) if square in grass)
    assert set(been[arrived:]) <= grass
    assert len(set(been[arrived:])) > 1


def test_who_roams_meets_somebody(lane: Game) -> None:
    lane.poke({symbol("wGrassRate"): ALWAYS})
    course = SkillRun(roam(Terrain(WORLD), lane.state))
    for _ in range(200):
        lane.console.perform(course.step)
        if lane.state.in_battle:
            break
        course.resume(lane.state)
    assert lane.state.in_battle


def test_where_nobody_lives_there_is_nothing_to_roam(played: Played) -> None:
    assert not list(haunts_of(WORLD.map(TOWN)))
    with game_at(played.folder, lambda state: free_in(TOWN, state)) as game:
        assert game.carry_out(roam(Terrain(WORLD), game.state)) is Outcome.BLOCKED
