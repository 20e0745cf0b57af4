"""What the bazaar's story asks of the agent: a row of four, nets instead of blows, money and steps."""

from __future__ import annotations

import pytest

from agent.capabilities.context import GameContext
from agent.capabilities.readiness import following, team_of
from agent.skills import Terrain
from agent.story.milestones import MilestoneLedger
from agent.story.story import Story
from emulator import CartridgeKind, Dex, World, demo_cartridge_path, load_cartridge
from memory import Hooks

ROW = ("beat_tansy", "beat_bram", "beat_maud", "beat_rook")


@pytest.fixture(scope="module")
def kit() -> GameContext:
    cartridge = load_cartridge(demo_cartridge_path())
    story = Story.of(CartridgeKind.DEMO)
    return GameContext(
        story,
        Terrain(World.of(cartridge)),
        Dex.of(cartridge),
        MilestoneLedger(story.milestones, Hooks()),
        0,
    )


def test_whoever_faces_the_first_of_the_four_has_all_of_them_to_beat(kit: GameContext) -> None:
    tasks = {each.id: each for each in kit.story.tasks}
    teams = [team_of(kit.dex, against) for each in ROW if (against := tasks[each].against)]
    rest = [member for team in teams[1:] for member in team]
    assert list(following(kit, tasks[ROW[0]])) == rest
    assert following(kit, tasks[ROW[-1]]) == ()


def test_a_leader_alone_is_followed_by_nobody(kit: GameContext) -> None:
    (leader,) = [each for each in kit.story.tasks if each.id == "challenge_leader"]
    assert following(kit, leader) == ()


def test_the_machine_sells_what_the_story_buys(kit: GameContext) -> None:
    assert list(kit.dex.vending.items()) == [(60, 200), (61, 300), (62, 350)]
