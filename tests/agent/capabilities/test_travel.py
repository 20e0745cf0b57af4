"""Route costs and hazards: near maps first, closed gates, trainers who might win."""

from dataclasses import replace

import pytest

from agent.capabilities import travel as travelling
from agent.capabilities.registry import capabilities_for
from agent.capabilities.travel import MAP
from agent.planning.domain import Action, Effect, Goal, Require
from agent.planning.search import plan
from agent.skills import Destination, Obstacles, Outcome, travel, watching_trainers
from agent.skills.distances import UNKNOWN, MapDistances
from emulator import State
from tests.agent.demo import STORY, WORLD, free_in, game_context
from tests.agent.support import Game, game_fixture, state_fixture

HOUSE, TOWN, LANE, SECOND_TOWN, HEATHER_WAY, THIRD_TOWN = 37, 0, 12, 1, 13, 2
NOWHERE = 0xF0


def steps(start: int, end: int) -> int:
    return MapDistances.of(WORLD).steps(start, end)


def test_each_map_on_the_way_adds_distance() -> None:
    ways = [
        steps(HOUSE, each) for each in (HOUSE, TOWN, LANE, SECOND_TOWN, HEATHER_WAY, THIRD_TOWN)
    ]
    assert ways == sorted(set(ways))
    assert ways[0] == 0
    assert steps(TOWN, NOWHERE) == UNKNOWN


@pytest.mark.parametrize(("one", "other"), [(HOUSE, LANE), (SECOND_TOWN, THIRD_TOWN)])
def test_distances_are_about_equal_in_both_directions(one: int, other: int) -> None:
    assert steps(one, other) == pytest.approx(steps(other, one), rel=0.5)


def test_the_nearer_of_two_healers_is_chosen() -> None:
    walks = travelling.capability(game_context()).actions
    heals = tuple(
        Action(
            f"heal:{each.place}",
            (Require(f"at:{each.place}", at_least=1),),
            (Effect("well", 1),),
            5,
            "be healed",
        )
        for each in STORY.healers
    )
    well = Goal("well", (Require("well", at_least=1),), 1, "be well")
    opened = {need: 1 for place in STORY.places for need in place.needs}

    def healer_from(map_id: int) -> str:
        facts = {"in_control": 1, MAP: map_id, **opened}
        found = plan(well, facts, (*(walk.action for walk in walks), *heals))
        assert found is not None
        return found.actions[-1].name

    assert healer_from(LANE) == "heal:rest_house"
    assert healer_from(THIRD_TOWN) == "heal:stone_rest_house"


FORAGER = 1
NORTH_ROAD = {(SECOND_TOWN, 9, 0), (SECOND_TOWN, 10, 0)}


before_the_gate = game_fixture(free_in(SECOND_TOWN))  # for the first time: the way north is closed
on_the_way = state_fixture(free_in(HEATHER_WAY))  # before the battle with the trainer there


def closed(state: State) -> Obstacles:
    gates, _ = travelling.capability(game_context()).hazards
    return gates(state)


def in_sight(state: State) -> Obstacles:
    (hazard,) = travelling.trainer_sight(game_context()).hazards
    return hazard(state)


def with_level(state: State, level: int) -> State:
    """Return the state with the first member as strong as one of this level."""
    first = state.party[0]
    stats = first.stats._replace(**dict.fromkeys(first.stats._fields, 4 * level))
    strong = replace(first, level=level, hp=stats.hp, stats=stats)
    return replace(state, party=replace(state.party, mons=(strong, *state.party.mons[1:])))


def test_a_closed_gate_is_a_wall_and_an_open_one_is_none(
    before_the_gate: Game, on_the_way: State
) -> None:
    assert closed(before_the_gate.state).walls >= NORTH_ROAD
    assert not closed(on_the_way).walls & NORTH_ROAD


def test_a_walk_to_a_map_behind_a_closed_gate_is_blocked(before_the_gate: Game) -> None:
    known = game_context()
    capabilities_for(known)
    north = Destination(HEATHER_WAY)
    skill = travel(known.terrain, north, before_the_gate.state, patience=3)
    assert before_the_gate.carry_out(skill) is Outcome.BLOCKED
    assert before_the_gate.state.map.map_id == SECOND_TOWN


def test_a_trainer_sees_the_squares_in_front(on_the_way: State) -> None:
    (forager,) = [each for each in watching_trainers(WORLD, on_the_way) if each.slot == FORAGER]
    assert forager.squares == {(HEATHER_WAY, x, 45) for x in (15, 16, 17)}


def test_a_beaten_trainer_is_no_watcher(on_the_way: State) -> None:
    event = WORLD.sight_lines(on_the_way)[FORAGER].event
    beaten = replace(on_the_way, flags=replace(on_the_way.flags, events=_with(on_the_way, event)))
    assert FORAGER not in {each.slot for each in watching_trainers(WORLD, beaten)}


def _with(state: State, event: int) -> bytes:
    events = bytearray(state.flags.events)
    events[event // 8] |= 1 << event % 8
    return bytes(events)


def test_a_weak_team_avoids_the_sight_of_trainers_which_is_no_wall(on_the_way: State) -> None:
    found = in_sight(with_level(on_the_way, 2))
    assert {(HEATHER_WAY, x, 45) for x in (15, 16, 17)} <= set(found.costs)
    assert not found.walls
    assert in_sight(with_level(on_the_way, 60)) == Obstacles()
