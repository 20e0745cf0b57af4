"""Buying, in the demo's own shop."""

from collections.abc import Iterator
from typing import Final

import pytest

from agent.skills import Outcome, Terrain, buy
from emulator import RED, Cartridge, State, World, demo_cartridge_path, load_cartridge
from tests.agent.support import Game, Played, game_at

STORE: Final = 42
CLERK: Final = 1
DELIVERED: Final = RED.events["oak_got_parcel"]


@pytest.fixture
def in_the_store(played: Played) -> Iterator[Game]:
    def is_there(state: State) -> bool:
        return state.in_control and state.map.map_id == STORE and state.flags.is_set(DELIVERED)

    with game_at(played.folder, is_there) as game:
        yield game


def test_the_bag_holds_as_many_as_were_wanted_after_one_visit(in_the_store: Game) -> None:
    cartridge: Cartridge = load_cartridge(demo_cartridge_path())
    terrain = Terrain(World.of(cartridge))
    (shop,) = terrain.plain.map(STORE).shops
    dearest, cheapest = shop.items[0], shop.items[-1]
    before = in_the_store.state
    wanted = {
        cheapest: before.bag.quantity(cheapest) + 3,
        dearest: before.bag.quantity(dearest) + 2,
    }
    assert in_the_store.carry_out(buy(CLERK, wanted, terrain, before), within=150) is Outcome.DONE
    after = in_the_store.state
    assert {item: after.bag.quantity(item) for item in wanted} == wanted
    assert after.in_control
