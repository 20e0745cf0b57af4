"""Picking up items on the map: the example capability in docs/extending.md."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent.capabilities import forage
from agent.skills import Outcome
from emulator import State
from emulator.profile import symbol
from tests.agent.demo import free_in, game_context, sensed_facts
from tests.agent.support import Game, Played, game_at

WOOD, HEATHER_WAY = 51, 13
SOUTHERN_PART = 12  # its first row
BAG, CAPACITY, SOMETHING = symbol("wNumBagItems"), 20, 5
EVENTS, BEATEN = symbol("wEventFlags"), 0x562  # the first event of the wood's trainers


FORAGING = forage.capability(game_context())


def items_on_map(state: State) -> int:
    return sensed_facts(FORAGING, state)[forage.ITEMS]


@pytest.fixture
def wood(played: Played) -> Iterator[Game]:
    """Yield Dapple Wood at the first step into it: no item picked up, no wild Pokemon, all trainers beaten."""
    with game_at(played.folder, free_in(WOOD)) as game:
        game.poke({symbol("wGrassRate"): 0, EVENTS + BEATEN // 8: 0xFF})
        yield game


def test_an_item_on_the_map_is_picked_up(wood: Game) -> None:
    before = wood.state
    there = items_on_map(before)
    assert there
    (bound,) = FORAGING.actions
    assert wood.carry_out(bound.begin(before)) is Outcome.DONE
    assert items_on_map(wood.state) == there - 1
    assert sum(s.quantity for s in wood.state.bag.items) == 1 + sum(
        s.quantity for s in before.bag.items
    )


def test_a_full_bag_leaves_items_on_the_map(wood: Game) -> None:
    stacks = {BAG + 1 + 2 * n + byte: SOMETHING for n in range(CAPACITY) for byte in (0, 1)}
    wood.poke({BAG: CAPACITY, **stacks, BAG + 1 + 2 * CAPACITY: 0xFF})
    assert wood.state.bag.full
    assert items_on_map(wood.state) == 0


def test_without_items_on_the_map_the_action_is_blocked(played: Played) -> None:
    with game_at(played.folder, lambda state: state.in_control) as game:
        state = game.state
    assert items_on_map(state) == 0
    (bound,) = FORAGING.actions
    with pytest.raises(StopIteration) as ended:
        next(bound.begin(state))
    assert ended.value.value is Outcome.BLOCKED


def test_an_item_behind_another_map_is_left_until_the_player_is_nearer(played: Played) -> None:
    def beyond_the_wood(state: State) -> bool:
        return free_in(HEATHER_WAY)(state) and state.position.y < SOUTHERN_PART

    with game_at(played.folder, free_in(HEATHER_WAY)) as game:
        near, hidden = game.state, game.state.flags.hidden
    assert items_on_map(near) == 1
    with game_at(played.folder, beyond_the_wood) as game:
        there = game.state
    left = replace(there, flags=replace(there.flags, hidden=hidden))
    left = replace(left, people=near.people)
    assert items_on_map(left) == 0
