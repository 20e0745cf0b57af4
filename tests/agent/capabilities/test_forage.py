"""Picking up what lies about: the example of a behaviour in docs/extending.md."""

from collections.abc import Iterator
from typing import cast

import pytest

from agent.capabilities import Capability, GameContext, forage
from agent.perception import percept_of
from agent.skills import Outcome, Terrain
from agent.story import MilestoneLedger, Story
from emulator import CartridgeKind, Dex, State, World, demo_cartridge_path, load_cartridge
from emulator.profile import symbol
from memory import Hooks, Recall
from tests.agent.support import Game, Played, game_at

WOOD = 51
BAG, CAPACITY, SOMETHING = symbol("wNumBagItems"), 20, 5
EVENTS, BEATEN = symbol("wEventFlags"), 0x562  # from which on the trainers of the wood have theirs


@pytest.fixture
def wood(played: Played) -> Iterator[Game]:
    """Dapple Wood at the first step into it, where nothing has been picked up, and nobody bites or fights."""

    def is_there(state: State) -> bool:
        return state.in_control and state.map.map_id == WOOD

    with game_at(played.folder, is_there) as game:
        game.poke({symbol("wGrassRate"): 0, EVENTS + BEATEN // 8: 0xFF})
        yield game


@pytest.fixture(scope="module")
def foraging() -> Capability:
    cartridge = load_cartridge(demo_cartridge_path())
    story = Story.of(CartridgeKind.DEMO)
    terrain = Terrain(World.of(cartridge))
    return forage.capability(
        GameContext(story, terrain, Dex.of(cartridge), MilestoneLedger((), Hooks()), 0)
    )


def lying_about(foraging: Capability, state: State) -> int:
    (sensor,) = foraging.sensors
    return sensor.read(percept_of(state, 1), cast("Recall", None))[forage.LEFT]


def test_what_lies_about_is_picked_up(foraging: Capability, wood: Game) -> None:
    before = wood.state
    there = lying_about(foraging, before)
    assert there
    (deed,) = foraging.actions
    assert wood.carry_out(deed.begin(before)) is Outcome.DONE
    assert lying_about(foraging, wood.state) == there - 1
    assert sum(s.quantity for s in wood.state.bag.items) == 1 + sum(
        s.quantity for s in before.bag.items
    )


def test_a_full_bag_leaves_it_lying(foraging: Capability, wood: Game) -> None:
    stacks = {BAG + 1 + 2 * n + byte: SOMETHING for n in range(CAPACITY) for byte in (0, 1)}
    wood.poke({BAG: CAPACITY, **stacks, BAG + 1 + 2 * CAPACITY: 0xFF})
    assert wood.state.bag.full
    assert lying_about(foraging, wood.state) == 0


def test_where_nothing_lies_nothing_begins(foraging: Capability, played: Played) -> None:
    with game_at(played.folder, lambda state: state.in_control) as game:
        state = game.state
    assert lying_about(foraging, state) == 0
    (deed,) = foraging.actions
    with pytest.raises(StopIteration) as ended:
        next(deed.begin(state))
    assert ended.value.value is Outcome.BLOCKED
