"""Healing: what counts as having been healed, and where."""

from collections.abc import Iterator
from typing import cast

import pytest

from agent.capabilities import Kit, Ledger, Story, recover
from agent.perception import percept_of
from agent.skills import Terrain
from emulator import CartridgeKind, Dex, State, World, demo_cartridge_path, load_cartridge
from emulator.profile import symbol
from memory import Hooks, Recall
from tests.agent.support import Game, Played, game_at

CARTRIDGE = load_cartridge(demo_cartridge_path())
WORLD, DEX = World.of(CARTRIDGE), Dex.of(CARTRIDGE)
STORY = Story.of(CartridgeKind.DEMO)
HEALING = recover.capability(Kit(STORY, Terrain(WORLD), DEX, Ledger((), Hooks()), 0))
STATUS_FLAGS_4, USED_CENTER = symbol("wStatusFlags4"), 0x04
LAST_BLACKOUT_MAP, SECOND_TOWN = symbol("wLastBlackoutMap"), 1


@pytest.fixture
def unhealed(played: Played) -> Iterator[Game]:
    with game_at(played.folder, lambda state: state.in_control) as game:
        yield game


def healed(state: State) -> int:
    (sensor,) = HEALING.sensors
    return sensor.read(percept_of(state, 1), cast("Recall", None))["healed"]


def test_who_asked_and_was_not_healed_still_wants_it(unhealed: Game) -> None:
    unhealed.poke({STATUS_FLAGS_4: USED_CENTER})
    assert unhealed.state.flags.used_center
    assert not healed(unhealed.state)


def test_who_would_wake_up_in_a_town_with_a_centre_was_healed(unhealed: Game) -> None:
    unhealed.poke({STATUS_FLAGS_4: USED_CENTER})
    unhealed.poke({LAST_BLACKOUT_MAP: SECOND_TOWN})
    assert healed(unhealed.state)
