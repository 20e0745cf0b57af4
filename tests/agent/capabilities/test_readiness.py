"""The strength required before a trainer: Brock by the tables of Red, four in a row in the demo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple, cast

import pytest

from agent.app.plan import read_images
from agent.battle.odds import Foe, chance_to_beat, mon_from
from agent.battle.suitable import fitting_for
from agent.capabilities import story_tasks
from agent.capabilities.battle import must_win
from agent.capabilities.capability import Capability, Senses, domain_of
from agent.capabilities.context import GameContext
from agent.capabilities.readiness import helps_of, readiness, readiness_of
from agent.capabilities.registry import capabilities_for
from agent.capabilities.supplies import POTIONS_FOR_A_ROW
from agent.perception.percept import percept_of
from agent.planning.domain import Goal, Require
from agent.planning.search import plan
from agent.skills import Outcome, SkillRun, Terrain, once, wait
from agent.story.catches import homes, wanted
from agent.story.interactions import Task
from agent.story.milestones import MilestoneLedger
from agent.story.opponents import following, team_against, teams_of
from agent.story.story import Story
from emulator import RED, Cartridge, CartridgeKind, Dex, Party, State, World, read_state
from emulator.ram.party import Dvs
from emulator.ram.player import Bag, Stack
from emulator.ram.view import Ram
from emulator.rules.stats import stats_of
from memory import Hooks, Recall
from tests.agent.demo import DEX, STORY, careful
from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER

AVERAGE: Final = Dvs(8, 8, 8, 8)
PALLET_TOWN, PEWTER_CITY, PEWTER_GYM, CERULEAN_CITY, VERMILION_CITY = 0, 2, 54, 3, 5
VICTORY_ROAD, SHIP = 194, 95
ANTIDOTE: Final = 11
HIGHEST: Final = 100
POWER_ON: Final = read_state(Ram.of_image(bytes(0x2000), bytes(0x7F)), 0)

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
        mon, stats = (
            mon_from(dex, Foe(level, species.index)),
            stats_of(species.base, AVERAGE, level),
        )
        assert mon is not None
        exp = species.growth.experience_at(level)
        return Party((replace(mon, hp=stats.hp, exp=exp, dvs=AVERAGE, stats=stats),))

    def standing_in(self, map_id: int, party: Party) -> State:
        """Return the state with another team and map."""
        here = replace(self.moment.map, map_id=map_id)
        return replace(self.moment, map=here, party=party)

    def facing(self, rival: int, party: Party) -> State:
        """Return the state in Cerulean City with a team, and the rival's starter."""
        state = self.standing_in(CERULEAN_CITY, party)
        return replace(state, player=replace(state.player, rival_starter=rival))

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
    terrain, dex = Terrain(World.of(cartridge)), Dex.of(cartridge)
    game_context = careful(GameContext(story, terrain, dex, ledger, 0))
    images = dict(read_images(FOLDER / "wram"))
    return Red(
        game_context, capabilities_for(game_context), read_state(images["blues_house_dialog"], 0)
    )


@needs_brock
@pytest.mark.parametrize(
    ("name", "earliest", "latest"),
    [("SQUIRTLE", 8, 12), ("BULBASAUR", 9, 14), ("CHARMANDER", 14, 20)],
)
def test_the_level_required_for_brock_is_what_players_use(
    name: str, earliest: int, latest: int, red: Red
) -> None:
    levels = range(5, HIGHEST)
    ready = [
        each
        for each in levels
        if readiness(
            red.game_context, red.standing_in(PEWTER_CITY, red.starter(name, each)), red.brock
        ).ready
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
    assert not living & wanted(red.game_context.story, red.game_context.dex, weak)


@needs_brock
def test_species_beyond_a_leader_do_not_count_as_suitable_against_it(red: Red) -> None:
    leaders = ("beat_brock", "beat_erika")
    brock, erika = (
        each for name in leaders for each in red.game_context.story.tasks if each.id == name
    )
    near = [
        {place.name for place in homes(red.game_context.story, red.game_context.dex, task)[0]}
        for task in (brock, erika)
    ]
    assert not near[0]
    assert {"route_4_east", "route_11"} <= near[1]
    assert "victory_road_1f" not in near[1]


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
    teams = [teams_of(STORY, DEX, tasks[each])[0] for each in ROW]
    assert following(STORY, DEX, tasks[ROW[0]], POWER_ON) == tuple(teams[1:])
    for last in (ROW[-1], "challenge_leader"):
        assert following(STORY, DEX, tasks[last], POWER_ON) == ()


def test_the_vending_machine_sells_the_drinks_of_the_story() -> None:
    assert list(DEX.vending.items()) == [(60, 200), (61, 300), (62, 350)]


def task_of(red: Red, name: str) -> Task:
    (task,) = [each for each in red.game_context.story.tasks if each.id == name]
    return task


def lowest_level(red: Red, name: str, task: Task, rival: int, *levels: int) -> int:
    """Return the first of `levels` at which a starter alone is ready for the trainer of a task."""
    return next(
        level
        for level in levels
        if readiness(red.game_context, red.facing(rival, red.starter(name, level)), task).ready
    )


@needs_brock
def test_the_rival_brings_the_team_of_his_starter(red: Red) -> None:
    story, dex = red.game_context.story, red.game_context.dex
    for task in (each for each in story.tasks if each.against and len(each.against.numbers) > 1):
        for at, starter in enumerate(story.rival_starters):
            team = team_against(story, dex, task, red.facing(starter, Party(())))
            opponent = task.against.opponents()[at] if task.against else None
            assert opponent is not None
            assert [each[:2] for each in team] == list(
                dex.trainer(opponent.trainer_class).teams[opponent.number - 1]
            )
    bridge = task_of(red, "face_rival_by_bridge")
    chances = []
    for rival in story.rival_starters[:2]:
        facing = red.facing(rival, red.starter("SQUIRTLE", 26))
        chances.append(chance_to_beat(dex, facing.party, team_against(story, dex, bridge, facing)))
    squirtle, bulbasaur = chances
    assert squirtle > bulbasaur


@needs_brock
@pytest.mark.parametrize(
    ("name", "too_low"), [("beat_misty", ("IVYSAUR", 19)), ("beat_surge", ("WARTORTLE", 39))]
)
def test_a_leaders_own_move_counts_in_the_odds(
    name: str, too_low: tuple[str, int], red: Red
) -> None:
    game, task = red.game_context, task_of(red, name)
    party = red.starter(*too_low)
    (team,) = teams_of(game.story, game.dex, task)
    plain = tuple([each._replace(third_move=0) for each in team])
    assert readiness_of(game, party, plain).ready
    assert not readiness_of(game, party, team).ready


@needs_brock
def test_the_elite_four_and_the_champion_have_their_own_moves(red: Red) -> None:
    game = red.game_context
    moves = {}
    for task in game.story.tasks:
        for choice, team in enumerate(teams_of(game.story, game.dex, task)):
            moves[task.id, choice] = [each.third_move for each in team]
    assert moves["beat_lorelei", 0] == [0, 0, 0, 0, 59]
    assert moves["beat_lance", 0] == [0, 0, 0, 0, 112]
    ends = [moves["beat_champion", choice] for choice in range(3)]
    assert ends == [[143, 0, 0, 0, 0, last] for last in (59, 72, 126)]


@needs_brock
def test_the_rival_on_the_ship_asks_for_more_for_his_moves_that_hinder(red: Red) -> None:
    """His Sand-Attack and Leech Seed beat a real team of level 26 that did not lose at level 30."""
    ship, game = task_of(red, "face_rival_on_ship"), red.game_context
    squirtle, bulbasaur, charmander = game.story.rival_starters
    for name, rival in (
        ("WARTORTLE", bulbasaur),
        ("IVYSAUR", charmander),
        ("CHARMELEON", squirtle),
    ):
        assert lowest_level(red, name, ship, rival, *range(20, 40)) >= 29


@needs_brock
def test_healing_items_count_in_a_row_of_trainers_only(red: Red) -> None:
    game, state = red.game_context, red.facing(177, red.starter("VENUSAUR", 70))
    assert not following(game.story, game.dex, task_of(red, "beat_koga"), state)
    assert following(game.story, game.dex, task_of(red, "beat_lorelei"), state)
    assert helps_of(game, replace(state, bag=Bag((Stack(16, 3),)))).heals == 3
    assert helps_of(game, replace(state, bag=Bag((Stack(20, 3),)))).heals == 0


@needs_brock
@pytest.mark.parametrize(
    ("name", "level", "rival"), [("VENUSAUR", 70, 176), ("CHARIZARD", 75, 177)]
)
def test_the_healing_bought_before_the_last_five_raises_the_odds(
    name: str, level: int, rival: int, red: Red
) -> None:
    names = (name, "JOLTEON", "ALAKAZAM")
    party = Party(tuple([mon for each in names for mon in red.starter(each, level).mons]))
    game, state, lorelei = red.game_context, red.facing(rival, party), task_of(red, "beat_lorelei")
    team, then = (
        team_against(game.story, game.dex, lorelei, state),
        following(game.story, game.dex, lorelei, state),
    )
    bought = POTIONS_FOR_A_ROW[1]
    without, healed = [chance_to_beat(game.dex, party, team, then, each) for each in (0, bought)]
    assert without + 0.2 < healed


@needs_brock
def test_a_weak_attack_or_a_weak_species_is_not_suitable(red: Red) -> None:
    dex, story = red.game_context.dex, red.game_context.story
    numbers = {each.name: index for index, each in dex.all_species.items()}
    (boss,) = teams_of(story, dex, task_of(red, "free_silph"))
    (misty,) = teams_of(story, dex, task_of(red, "beat_misty"))
    assert numbers["ZUBAT"] not in fitting_for(dex, boss)
    assert numbers["ODDISH"] not in fitting_for(dex, misty)
    assert numbers["IVYSAUR"] in fitting_for(dex, misty)


@needs_brock
def test_what_is_only_awaited_beyond_a_ledge_or_far_away_is_not_fetched(red: Red) -> None:
    task = task_of(red, "face_rival_by_bridge")
    assert {each.name for each in homes(red.game_context.story, red.game_context.dex, task)[0]} == {
        "viridian_forest"
    }
    rich = replace(red.facing(177, red.starter("SQUIRTLE", 15)), bag=Bag((Stack(4, 5),)))
    assert red.facts(rich)[task.suitable] == 1


@needs_brock
def test_lapras_is_a_gift_that_learns_surf(red: Red) -> None:
    actions = {each.name: each for each in domain_of(red.capabilities).actions}
    gift = actions["task:take_lapras"]
    assert gift.helps(Require("able:surf", at_least=1))
    assert not gift.helps(Require("able:cut", at_least=1))
    safari = [each for name, each in actions.items() if name.startswith("catch:safari")]
    assert safari
    assert not any(each.fact == "bag:balls" for action in safari for each in action.requires)
    assert not any("safari" in name for name in actions if name.startswith("train"))


@needs_brock
def test_a_machine_that_works_late_is_waited_for_once(red: Red) -> None:
    """Bill's machine takes some 400 frames, in which RAM looks as if nothing went on."""
    task, game = task_of(red, "work_machine"), red.game_context
    at_once = replace(task.interaction, begin=lambda _context, _state: once(wait(1)))
    story = replace(game.story, tasks=(replace(task, interaction=at_once),))
    capability = story_tasks.capability(replace(game, story=story))
    (bound,) = [each for each in capability.actions if each.action.name == "task:work_machine"]
    here = red.standing_in(88, red.starter("SQUIRTLE", 20))
    run = SkillRun(bound.begin(here))
    waited = 0
    while waited < 400:
        assert run.outcome is Outcome.RUNNING
        assert run.step.button is None
        waited += run.step.frames
        run.resume(here)
    run.resume(with_event(here, "met_bill"))
    assert run.outcome is Outcome.DONE


@needs_brock
def test_the_ship_is_left_from_its_first_floor_at_once(red: Red) -> None:
    on_board = red.standing_in(SHIP, red.starter("SQUIRTLE", 30))
    for event in ("got_hm01", "beat_cerulean_rocket_thief"):
        on_board = with_event(on_board, event)
    (leave,) = red.way_to("event:ss_anne_left", on_board)
    assert leave == "travel:vermilion_city:from_ss_anne_1f"


def with_event(state: State, name: str) -> State:
    """Return a state in which an event has happened too."""
    bit, events = RED.events[name], bytearray(state.flags.events)
    events[bit // 8] |= 1 << bit % 8
    return replace(state, flags=replace(state.flags, events=bytes(events)))


@needs_brock
def test_the_ghost_must_be_won_and_is_known_by_its_square(red: Red) -> None:
    task, here = task_of(red, "calm_ghost"), red.facing(177, red.starter("SQUIRTLE", 40))
    (square,) = task.interaction.value
    for at, expected in ((square, True), ((1, 1), False)):
        there = replace(here.map, map_id=147, x=at[0], y=at[1])
        assert must_win(red.game_context, replace(here, map=there)) is expected
