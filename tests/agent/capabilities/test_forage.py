"""Picking up what lies about: the example of a behaviour in docs/extending.md."""

from collections.abc import Iterator

import pytest

from agent.capabilities import forage
from agent.skills import Outcome
from emulator import State
from emulator.profile import symbol
from tests.agent.demo import free_in, kit, told
from tests.agent.support import Game, Played, game_at

WOOD = 51
BAG, CAPACITY, SOMETHING = symbol("wNumBagItems"), 20, 5
EVENTS, BEATEN = symbol("wEventFlags"), 0x562  # from which on the trainers of the wood have theirs


FORAGING = forage.capability(kit())


def lying_about(state: State) -> int:
    return told(FORAGING, state)[forage.LEFT]


@pytest.fixture
def wood(played: Played) -> Iterator[Game]:
    """Dapple Wood at the first step into it, where nothing has been picked up, and nobody bites or fights."""
    with game_at(played.folder, free_in(WOOD)) as game:
        game.poke({symbol("wGrassRate"): 0, EVENTS + BEATEN // 8: 0xFF})
        yield game


def test_what_lies_about_is_picked_up(wood: Game) -> None:
    before = wood.state
    there = lying_about(before)
    assert there
    (deed,) = FORAGING.actions
    assert wood.carry_out(deed.begin(before)) is Outcome.DONE
    assert lying_about(wood.state) == there - 1
    assert sum(s.quantity for s in wood.state.bag.items) == 1 + sum(
        s.quantity for s in before.bag.items
    )


def test_a_full_bag_leaves_it_lying(wood: Game) -> None:
    stacks = {BAG + 1 + 2 * n + byte: SOMETHING for n in range(CAPACITY) for byte in (0, 1)}
    wood.poke({BAG: CAPACITY, **stacks, BAG + 1 + 2 * CAPACITY: 0xFF})
    assert wood.state.bag.full
    assert lying_about(wood.state) == 0


def test_where_nothing_lies_nothing_begins(played: Played) -> None:
    with game_at(played.folder, lambda state: state.in_control) as game:
        state = game.state
    assert lying_about(state) == 0
    (deed,) = FORAGING.actions
    with pytest.raises(StopIteration) as ended:
        next(deed.begin(state))
    assert ended.value.value is Outcome.BLOCKED
