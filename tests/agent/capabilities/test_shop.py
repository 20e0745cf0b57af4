"""What is worth a walk to a shop."""

from dataclasses import replace
from typing import cast

import pytest

from agent.capabilities import GameContext, shop
from agent.perception import percept_of
from agent.skills import Terrain
from agent.story import MilestoneLedger, Story
from emulator import CartridgeKind, Dex, State, World, demo_cartridge_path, load_cartridge
from emulator.ram import Bag, Stack
from memory import Hooks, Recall
from tests.agent.support import Played, game_at

CARTRIDGE = load_cartridge(demo_cartridge_path())
WORLD, DEX = World.of(CARTRIDGE), Dex.of(CARTRIDGE)
STORY = Story.of(CartridgeKind.DEMO)
HEATHER_WAY = 13
BALL, ANTIDOTE, POTION = 4, 11, 20
FULL = dict.fromkeys(range(40, 60), 1)  # nothing of what shops have
FULL_WITH_ONE = {POTION: 1, **dict.fromkeys(range(40, 59), 1)}
WEAK_AGAINST_STONE, STRONG_AGAINST_STONE = 3, 7  # species of starters


@pytest.fixture(scope="module")
def moment(played: Played) -> State:
    """A moment at which shops sell."""
    with game_at(
        played.folder, lambda state: state.in_control and state.map.map_id == HEATHER_WAY
    ) as game:
        return game.state


def supplied(state: State, things: dict[int, int], *, money: int, starter: int) -> bool:
    (sensor,) = shop.capability(
        GameContext(STORY, Terrain(WORLD), DEX, MilestoneLedger((), Hooks()), 0)
    ).sensors
    mon = replace(state.party[0], species=starter)
    state = replace(
        state,
        bag=Bag(tuple(Stack(item, count) for item, count in things.items())),
        player=replace(state.player, money=money),
        party=replace(state.party, mons=(mon,)),
    )
    return all(sensor.read(percept_of(state, 1), cast("Recall", None)).values())


@pytest.mark.parametrize(
    ("things", "money", "starter", "enough"),
    [
        pytest.param({POTION: 5, BALL: 5}, 3000, STRONG_AGAINST_STONE, True, id="no antidote"),
        pytest.param({POTION: 1, BALL: 5}, 3000, STRONG_AGAINST_STONE, False, id="few potions"),
        pytest.param({POTION: 1, BALL: 5}, 100, STRONG_AGAINST_STONE, True, id="no money"),
        pytest.param(FULL, 3000, STRONG_AGAINST_STONE, True, id="no room"),
        pytest.param(FULL_WITH_ONE, 3000, STRONG_AGAINST_STONE, False, id="room on its stack"),
        pytest.param({POTION: 5}, 3000, STRONG_AGAINST_STONE, True, id="nobody is to be caught"),
        pytest.param({POTION: 5}, 3000, WEAK_AGAINST_STONE, False, id="somebody is to be caught"),
    ],
)
def test_one_goes_shopping_for_what_is_needed_and_can_be_paid(
    moment: State, things: dict[int, int], money: int, starter: int, *, enough: bool
) -> None:
    assert supplied(moment, things, money=money, starter=starter) is enough
