"""The strength required before a trainer: Brock by the tables of Red, four in a row in the demo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple, cast

import pytest

from agent.app.plan import read_images
from agent.capabilities.capability import Capability, Senses, domain_of
from agent.capabilities.catch import homes, wanted
from agent.capabilities.context import GameContext
from agent.capabilities.readiness import following, is_ready, team_of
from agent.capabilities.registry import capabilities_for
from agent.perception.percept import percept_of
from agent.planning.domain import Goal, Require
from agent.planning.search import plan
from agent.skills import Terrain
from agent.story.interactions import Task
from agent.story.milestones import MilestoneLedger
from agent.story.story import Story
from emulator import (
    Cartridge,
    CartridgeKind,
    Dex,
    Party,
    PartyMon,
    State,
    Status,
    World,
    read_state,
)
from emulator.ram.party import Dvs, MoveSlot, Stats
from emulator.ram.player import Bag, Stack
from emulator.rules.stats import stats_of
from memory import Hooks, Recall
from tests.agent.demo import DEX, STORY, game_context
from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER

AVERAGE: Final = Dvs(8, 8, 8, 8)
UNTRIED: Final = Stats(0, 0, 0, 0, 0)
WELL: Final = Status(0, poisoned=False, burned=False, frozen=False, paralyzed=False)
PEWTER_CITY: Final = 2
PALLET_TOWN: Final = 0
ANTIDOTE: Final = 11
PEWTER_GYM: Final = 54
VERMILION_CITY: Final = 5
VICTORY_ROAD: Final = 194
HIGHEST: Final = 100

needs_brock = pytest.mark.skipif(not FOLDER.exists(), reason="the facts of the game are not here")


class Red(NamedTuple):
    """The context with the tables of Red, and the state after the player got the Pokedex."""

    game_context: GameContext
    capabilities: Sequence[Capability]
    moment: State

    @property
    def brock(self) -> Task:
        """The task to beat the first leader."""
        (task,) = [each for each in self.game_context.story.tasks if each.id == "beat_brock"]
        return task

    def starter(self, name: str, level: int) -> Party:
        """Return a team of one average Pokemon with full HP and PP."""
        dex = self.game_context.dex
        (species,) = [each for each in dex.all_species.values() if each.name == name]
        stats = stats_of(species.base, AVERAGE, level)
        moves = [MoveSlot(move, dex.all_moves[move].pp, 0) for move in species.moves_at(level)]
        mon = PartyMon(
            species=species.index,
            nickname=name,
            ot_id=1,
            level=level,
            hp=stats.hp,
            status=WELL,
            types=species.types,
            catch_rate=species.catch_rate,
            moves=tuple(moves),
            exp=species.growth.experience_at(level),
            stat_exp=UNTRIED,
            dvs=AVERAGE,
            stats=stats,
        )
        return Party((mon,))

    def standing_in(self, map_id: int, party: Party) -> State:
        """Return the state with another team and map."""
        here = replace(self.moment.map, map_id=map_id)
        return replace(self.moment, map=here, party=party)

    def facts(self, state: State) -> dict[str, int]:
        """Return the sensed facts of a state, with the player in control."""
        facts = Senses(self.capabilities).read(percept_of(state, 1), cast("Recall", None))
        return {**facts, "in_control": 1}

    def way_to(self, fact: str, state: State) -> list[str]:
        """Return the names of the actions planned to make a fact true."""
        goal = Goal("wanted", (Require(fact, at_least=1),), 1, "wanted")
        found = plan(goal, self.facts(state), domain_of(self.capabilities).actions)
        assert found is not None
        return [action.name for action in found.actions]


@pytest.fixture(scope="module")
def red() -> Red:
    rom = build()
    cartridge = Cartridge(Path("red.gb"), rom, "POKEMON RED", "", CartridgeKind.RED)
    story = Story.of(CartridgeKind.RED)
    ledger = MilestoneLedger(story.milestones, Hooks())
    game_context = GameContext(story, Terrain(World.of(cartridge)), Dex.of(cartridge), ledger, 0)
    images = dict(read_images(FOLDER / "wram"))
    return Red(
        game_context, capabilities_for(game_context), read_state(images["blues_house_dialog"], 0)
    )


@needs_brock
@pytest.mark.parametrize(
    ("name", "earliest", "latest"),
    [("SQUIRTLE", 8, 12), ("BULBASAUR", 12, 14), ("CHARMANDER", 14, 18)],
)
def test_the_level_required_for_brock_is_what_players_use(
    name: str, earliest: int, latest: int, red: Red
) -> None:
    levels = range(5, HIGHEST)
    ready = [
        each for each in levels if is_ready(red.game_context, red.starter(name, each), red.brock)
    ]
    assert earliest <= ready[0] <= latest
    assert ready == list(range(ready[0], HIGHEST))


@needs_brock
@pytest.mark.parametrize("name", ["SQUIRTLE", "BULBASAUR", "CHARMANDER"])
def test_a_weak_team_trains_in_the_forest_before_the_gym(name: str, red: Red) -> None:
    weak = red.standing_in(PEWTER_CITY, red.starter(name, 6))
    way = red.way_to("badge:boulder", weak)
    assert way == [
        "travel:viridian_forest",
        "train:viridian_forest",
        "travel:pewter_pokecenter",
        "heal:pewter_pokecenter",
        "travel:pewter_gym",
        "task:beat_brock",
    ]
    strong = red.standing_in(PEWTER_CITY, red.starter(name, 20))
    assert red.way_to("badge:boulder", strong) == ["travel:pewter_gym", "task:beat_brock"]


@needs_brock
def test_a_hurt_team_heals_in_pewter_city_first(red: Red) -> None:
    (mon,) = red.starter("SQUIRTLE", 20).mons
    worn = red.standing_in(PEWTER_CITY, Party((replace(mon, hp=mon.hp // 2),)))
    way = red.way_to("badge:boulder", worn)
    assert way[:2] == ["travel:pewter_pokecenter", "heal:pewter_pokecenter"]


@needs_brock
def test_no_suitable_species_lives_before_the_gym_so_none_is_caught(red: Red) -> None:
    weak = red.standing_in(PEWTER_CITY, red.starter("CHARMANDER", 6))
    assert red.facts(weak)[red.brock.suitable] == 1
    living = {
        slot.species
        for name in ("route_1", "route_2", "viridian_forest")
        for place in red.game_context.story.places
        if place.name == name
        and (wild := red.game_context.dex.wild[place.map_id].grass) is not None
        for slot in wild.slots
    }
    assert living
    assert not living & wanted(red.game_context, weak)


@needs_brock
def test_species_beyond_a_leader_do_not_count_as_suitable_against_it(red: Red) -> None:
    leaders = ("beat_brock", "beat_misty")
    brock, misty = (
        each for name in leaders for each in red.game_context.story.tasks if each.id == name
    )
    near = [{place.name for place in homes(red.game_context, task)} for task in (brock, misty)]
    assert not near[0]
    assert {"viridian_forest", "route_25"} <= near[1]
    assert "rock_tunnel_1f" not in near[1]


@needs_brock
def test_only_near_shops_are_visited(red: Red) -> None:
    def lacking(map_id: int) -> set[str]:
        empty = replace(red.standing_in(map_id, red.starter("SQUIRTLE", 20)), bag=Bag(()))
        facts = red.facts(empty)
        return {each for each in facts if each.startswith("supplied:") and not facts[each]}

    assert lacking(PEWTER_GYM) == lacking(PEWTER_CITY) == {"supplied:pewter_mart"}
    assert lacking(VERMILION_CITY) == lacking(VICTORY_ROAD) == set()


@needs_brock
def test_balls_are_bought_in_viridian_city_and_potions_in_pewter_city(red: Red) -> None:
    balls = red.standing_in(PALLET_TOWN, red.starter("SQUIRTLE", 6))
    assert red.way_to("bag:balls", balls) == ["travel:viridian_mart", "balls:viridian_mart"]
    in_pewter = replace(red.standing_in(PEWTER_CITY, balls.party), bag=Bag((Stack(ANTIDOTE, 2),)))
    assert red.way_to("supplied:pewter_mart", in_pewter) == [
        "travel:pewter_mart",
        "shop:pewter_mart",
    ]


ROW = ("beat_tansy", "beat_bram", "beat_maud", "beat_rook")


def test_the_first_of_the_four_is_followed_by_the_teams_of_the_others() -> None:
    tasks = {each.id: each for each in STORY.tasks}
    teams = [team_of(DEX, against) for each in ROW if (against := tasks[each].against)]
    rest = [member for team in teams[1:] for member in team]
    assert list(following(game_context(), tasks[ROW[0]])) == rest
    assert following(game_context(), tasks[ROW[-1]]) == ()


def test_a_single_leader_is_followed_by_no_team() -> None:
    (leader,) = [each for each in STORY.tasks if each.id == "challenge_leader"]
    assert following(game_context(), leader) == ()


def test_the_vending_machine_sells_the_drinks_of_the_story() -> None:
    assert list(DEX.vending.items()) == [(60, 200), (61, 300), (62, 350)]
