"""How far maps are from one another, and that plans prefer the near."""

import pytest

from agent.capabilities import GameContext
from agent.capabilities.travel import MAP, capability
from agent.planning import Action, Effect, Goal, Require, plan
from agent.skills import Terrain
from agent.skills.distances import UNKNOWN, Nearness
from agent.story import MilestoneLedger, Story
from emulator import CartridgeKind, Dex, World, demo_cartridge_path, load_cartridge
from memory import Hooks

CARTRIDGE = load_cartridge(demo_cartridge_path())
WORLD = World.of(CARTRIDGE)
HOUSE, TOWN, LANE, SECOND_TOWN, HEATHER_WAY, THIRD_TOWN = 37, 0, 12, 1, 13, 2
NOWHERE = 0xF0


def steps(start: int, end: int) -> int:
    return Nearness.of(WORLD).steps(start, end)


def test_nothing_is_nearer_than_where_one_is() -> None:
    assert steps(TOWN, TOWN) == 0


def test_each_map_on_the_way_makes_it_longer() -> None:
    ways = [steps(HOUSE, each) for each in (TOWN, LANE, SECOND_TOWN, HEATHER_WAY, THIRD_TOWN)]
    assert ways == sorted(set(ways))


@pytest.mark.parametrize(("one", "other"), [(HOUSE, LANE), (SECOND_TOWN, THIRD_TOWN)])
def test_there_and_back_take_about_as_long(one: int, other: int) -> None:
    assert steps(one, other) == pytest.approx(steps(other, one), rel=0.5)


def test_where_no_way_leads_is_far() -> None:
    assert steps(TOWN, NOWHERE) == UNKNOWN


def test_of_two_who_heal_the_nearer_is_walked_to() -> None:
    story, terrain = Story.of(CartridgeKind.DEMO), Terrain(WORLD)
    walks = capability(
        GameContext(story, terrain, Dex.of(CARTRIDGE), MilestoneLedger((), Hooks()), 0)
    ).actions
    heals = tuple(
        Action(
            f"heal:{each.place}",
            (Require(f"at:{each.place}", at_least=1),),
            (Effect("well", 1),),
            5,
            "be healed",
        )
        for each in story.healers
    )
    well = Goal("well", (Require("well", at_least=1),), 1, "be well")
    opened = {need: 1 for place in story.places for need in place.needs}

    def healer_from(map_id: int) -> str:
        facts = {"in_control": 1, MAP: map_id, **opened}
        found = plan(well, facts, (*(walk.action for walk in walks), *heals))
        assert found is not None
        return found.actions[-1].name

    assert healer_from(LANE) == "heal:rest_house"
    assert healer_from(THIRD_TOWN) == "heal:stone_rest_house"
