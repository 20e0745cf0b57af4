"""The story file of Red against the recorded facts of the game: places, squares, people, events."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from agent.app.plan import read_images
from agent.capabilities import story_tasks
from agent.capabilities.context import GameContext
from agent.capabilities.registry import capabilities_for
from agent.capabilities.story_tasks import MENUS
from agent.skills import Terrain
from agent.story.facts import parse_fact
from agent.story.interactions import Task
from agent.story.milestones import MilestoneLedger
from agent.story.story import Story
from emulator import RED, CartridgeKind, Dex, State, World, read_state
from emulator.ram.player import Bag, Stack
from memory import Hooks
from tests.agent.demo import sensed_facts as facts_of
from tests.agent.support import Played, game_at
from tests.red_model.model import Model, marked_squares
from tests.red_model.world import Atlas, Fact

FACTS: Final = Path(__file__).resolve().parents[4] / "shared" / "red"
STORY: Final = Story.of(CartridgeKind.RED)
TABLE: Final = tomllib.loads(Path(__file__).with_name("red_steps.toml").read_text("utf-8"))
STEPS: Final[dict[str, str]] = TABLE["steps"]
COVERED_BY: Final[dict[str, str]] = TABLE["covered_by"]
ROUTE_4: Final = 15
every_step = pytest.mark.parametrize(
    "task", [each for each in STORY.tasks if each.id in STEPS], ids=lambda task: task.id
)
pytestmark = pytest.mark.skipif(not FACTS.is_dir(), reason="the facts of the game are not here")


@pytest.fixture(scope="module")
def steps() -> dict[str, dict[str, Any]]:
    table = json.loads((FACTS / "progression.json").read_text(encoding="utf-8"))
    return {row["id"]: row for row in table["milestones"]}


@pytest.fixture(scope="module")
def maps() -> dict[int, dict[str, Any]]:
    table = json.loads((FACTS / "maps.json").read_text(encoding="utf-8"))
    return {row["id"]: row for row in table["maps"]}


def test_every_task_is_a_step_of_the_progression_or_happens_in_the_model() -> None:
    model = Model(Atlas.of_red(), STORY)
    assert set(STEPS) < {task.id for task in STORY.tasks}
    for task in STORY.tasks:
        found = model.happening(task)
        made = {fact for each in found for fact in (*each.gives, *each.takes)}
        wanted = model.fact(task.sets)
        undone = Fact("event", wanted.number) if wanted.kind == "clear" else wanted
        assert undone in made, task.id


def test_every_main_step_of_the_progression_is_covered(steps: dict[str, dict[str, Any]]) -> None:
    main = {name for name, row in steps.items() if row["main"]}
    assert main - set(STEPS.values()) - set(COVERED_BY) == set()
    assert set(COVERED_BY.values()) <= {each.id for each in STORY.milestones}


def test_places_have_the_names_of_their_maps(maps: dict[int, dict[str, Any]]) -> None:
    for place in STORY.places:
        name = maps[place.map_id]["name"]
        assert name == RED.maps[place.map_id].upper()
        assert place.name.upper() == name or (
            place.spot is not None and place.name.upper().startswith(name)
        )


@every_step
def test_a_task_is_done_at_the_place_in_the_facts(
    task: Task, steps: dict[str, dict[str, Any]], maps: dict[int, dict[str, Any]]
) -> None:
    step = steps[STEPS[task.id]]
    place = STORY.place(task.place)
    assert place.map_id == step["map"]
    squares = [list(square) for square in marked_squares(task.interaction, "walk_to", "visit")]
    if task.id == "fetch_parcel":  # a script moves the player to the counter, where the walk ends
        came_from = steps["pokedex"]["route"]["from"]
        assert squares == [[came_from["x"], came_from["y"]]]
    elif task.id == "cross_mt_moon":  # onto the square that starts the fight
        assert squares == [[step["target"]["x"], step["target"]["y"]]]
    elif squares:
        assert squares == step.get("stand_any", [step["stand"]])
    people = {row["i"]: row for row in maps[step["map"]]["objects"]}
    target = step.get("target") or {}
    if task.id == "take_starter":
        balls = sorted(target["balls"].values())
        assert [[people[slot]["x"], people[slot]["y"]] for slot in task.interaction.people] == balls
    elif task.interaction.people:
        (slot,) = task.interaction.people
        assert slot == target.get("obj", slot)
        assert (people[slot]["x"], people[slot]["y"]) == (target["x"], target["y"])


@every_step
def test_a_task_has_the_effect_in_the_facts(task: Task, steps: dict[str, dict[str, Any]]) -> None:
    effects = steps[STEPS[task.id]]["effects"]
    mark = STORY.ram_facts[task.sets]
    given = {
        "event": [row["bit_index"] for row in effects.get("events_set", ())],
        "badge": [effects["badge"]["bit"]] if "badge" in effects else [],
        "item": [row["id"] for row in effects.get("items_add", ())],
    }
    assert mark.number in given[mark.kind.value]


@every_step
def test_a_task_has_the_preconditions_in_the_facts(
    task: Task, steps: dict[str, dict[str, Any]]
) -> None:
    place = STORY.place(task.place)
    waits = {STORY.ram_facts[parse_fact(fact)[0]] for fact in (*task.needs, *place.needs)}
    needed = steps[STEPS[task.id]]["pre"].get("events", ())
    # It may need more than the facts list, such as what opens the way there; never less.
    assert {row["bit_index"] for row in needed} <= {
        mark.number for mark in waits if mark.kind.value == "event"
    }


def _game_context() -> GameContext:
    ledger = MilestoneLedger(STORY.milestones, Hooks())
    return GameContext(STORY, Terrain(World.empty()), Dex(), ledger, 0)


def test_menus_opened_as_witness_suppress_the_text_reflex() -> None:
    story = story_tasks.capability(_game_context())
    suppresses = {bound.action.name: bound.suppresses for bound in story.actions}
    shown = [each.id for each in STORY.milestones if each.witness in MENUS]
    assert shown[:5] == ["starter", "parcel", "pokedex", "healed", "ss_ticket"]
    assert all("text" in suppresses[f"witness:{id_}"] for id_ in shown)


def test_gates_are_at_the_squares_in_the_facts() -> None:
    guarded = [each for each in Atlas.of_red().gates if each.kind in ("coord", "row", "object")]
    beyond = [each for each in guarded if each.opened_by.startswith("Hall of Fame")]
    for gate in guarded:
        ours = [each.squares for each in STORY.gates if each.map_id == gate.map_id]
        # Of two guarded squares one is a wall.
        assert gate in beyond or any(each <= gate.cells for each in ours), gate


def test_places_behind_a_gate_need_the_facts_that_open_it() -> None:
    needs = {place.name: set(place.needs) for place in STORY.places}
    pewter = ("pewter_city", "pewter_mart", "pewter_pokecenter", "pewter_gym")
    beyond_the_old_man = ("route_2", "viridian_forest", *pewter, "mt_moon_b2f")
    assert all("event:got_pokedex" in needs[place] for place in beyond_the_old_man)
    assert "badge:boulder" in needs["mt_moon_b2f"]
    assert len(needs["viridian_gym"]) == 7


@pytest.mark.skipif(not (FACTS / "wram").is_dir(), reason="the RAM images are not here")
@pytest.mark.parametrize(
    ("image", "closed"),
    [
        ("oaks_lab_before_rival", {(1, 19, 9), (1, 32, 8), (2, 35, 17), (193, 4, 2)}),
        ("blues_house_dialog", {(1, 32, 8), (2, 35, 17), (193, 4, 2)}),
        ("cut", {(1, 32, 8)}),
        ("victory_road_2", set()),
    ],
)
def test_routes_avoid_guarded_squares(image: str, closed: set[tuple[int, int, int]]) -> None:
    game_context = _game_context()
    capabilities_for(game_context)
    [(_, ram)] = read_images(FACTS / "wram" / f"{image}.wram")
    state = read_state(ram, 0)
    corners = {(1, 19, 9), (1, 32, 8), (2, 35, 17), (193, 4, 2)}
    assert game_context.terrain.hazards(state).walls & corners == closed


def test_healers_and_clerks_are_those_in_the_facts(maps: dict[int, dict[str, Any]]) -> None:
    marts = json.loads((FACTS / "data" / "marts.json").read_text(encoding="utf-8"))["marts"]
    slots = {(row["map"], row["clerk"]["obj"]) for row in marts}
    at = [(each.place, each.person, "NURSE") for each in STORY.healers]
    at += [(each.place, each.person, "CLERK") for each in STORY.clerks]
    for place, number, sprite in at:
        objects = maps[STORY.place(place).map_id]["objects"]
        assert [row["sprite"] for row in objects if row["i"] == number] == [sprite]
    assert {(STORY.place(each.place).map_id, each.person) for each in STORY.clerks} <= slots
    assert len(STORY.clerks) == 10


def test_only_the_clerk_with_the_parcel_has_a_precondition() -> None:
    needs = {each.place: each.needs for each in STORY.clerks if each.needs}
    assert needs == {"viridian_mart": ("event:oak_got_parcel",)}


@pytest.mark.parametrize(
    "task", [t for t in STORY.tasks if t.against and t.interaction.people], ids=lambda task: task.id
)
def test_each_opponent_is_the_trainer_in_the_facts(
    task: Task, maps: dict[int, dict[str, Any]]
) -> None:
    place = STORY.place(task.place)
    trainers = [row for row in maps[place.map_id]["objects"] if row["kind"] == "trainer"]
    slot = task.interaction.people[0]
    (foe,) = [row for row in trainers if row["i"] == slot]
    assert task.against is not None
    assert task.against.opponents() == ((foe["class"], foe["set"]),)


def test_leaders_and_the_elite_four_are_tasks_with_an_opponent() -> None:
    leaders = {each.id for each in STORY.tasks if each.sets.startswith("badge:")}
    elite = {f"beat_{name}" for name in ("lorelei", "bruno", "agatha", "lance")}
    assert {each.id for each in STORY.tasks if each.against} >= leaders | elite


def test_the_badge_milestone_reads_a_gym_statue(maps: dict[int, dict[str, Any]]) -> None:
    (badge,) = [each for each in STORY.milestones if each.id == "first_badge"]
    assert badge.map_id is not None
    statues = [row for row in maps[badge.map_id]["hidden"] if row["fn"] == "GymStatues"]
    assert badge.sign in [(row["x"], row["y"]) for row in statues]
    assert {row["facing"] for row in statues} == {"up"}


def test_story_facts_are_read_again_when_their_sources_change(played: Played) -> None:
    with game_at(played.folder, lambda state: bool(state.party) and state.in_control) as game:
        state = game.state
    story = story_tasks.capability(_game_context())
    (sensor,) = [each for each in story.sensors if "badge:boulder" in each.fact_names]
    ram_facts = replace(story, sensors=(sensor,))
    kinds = ("event:", "badge:", "item:")  # some objects are hidden from the beginning

    def true(state: State) -> set[str]:
        facts = facts_of(ram_facts, state)
        return {fact for fact, value in facts.items() if value and fact.startswith(kinds)}

    before = true(state)
    with_badge = replace(state, player=replace(state.player, badges=(0,)))
    with_key = replace(with_badge, bag=Bag((Stack(48, 1),)))
    events = bytes(len(state.flags.events))
    assert true(with_badge) == before | {"badge:boulder"}
    assert true(with_key) == before | {"badge:boulder", "item:card_key"}
    assert true(replace(state, flags=replace(state.flags, events=events))) == set()
    assert true(state) == before == {"event:oak_asked_to_choose_mon", "event:got_starter"}


def test_floors_carry_the_player_as_in_the_facts() -> None:
    spinners = json.loads((FACTS / "data" / "spinners.json").read_text(encoding="utf-8"))
    arrows = {
        (row["map"], each["x"], each["y"]): (row["map"], each["end_x"], each["end_y"])
        for row in spinners["spinners"]
        for each in row["arrows"]
    }
    regions = json.loads((FACTS / "regions.json").read_text(encoding="utf-8"))["maps"]
    holes = {
        (int(map_id), *each["at"]): (each["to"][0], *each["arrive"])
        for map_id, row in regions.items()
        for each in row.get("holes", ())
    }
    assert STORY.carries == {**arrows, **holes}


def test_the_statues_of_the_mansion_are_answered_yes() -> None:
    switch = {"event:mansion_switch_on", "clear:mansion_switch_on"}
    interactions = [each.interaction for each in STORY.tasks if each.sets in switch]
    assert len(interactions) == 5
    assert all(each.value["yes"] for each in interactions)


def test_the_land_west_of_mt_moon_ends_where_no_way_leads_back() -> None:
    """On Route 4 two lanes between its ledges still lead back; the grass behind the last ledge does not."""
    (west,) = [each for each in STORY.lands if each.name == "west"]
    rows = json.loads((FACTS / "ground.json").read_text(encoding="utf-8"))["maps"]["15"]["rows"]
    lanes = {(x, y) for y in (6, 8) for x in range(63, len(rows[y])) if rows[y][x] == "."}
    assert len(lanes) == 34
    assert all(west.covers(ROUTE_4, each) for each in lanes)
    (grass,) = [place.spot for place in STORY.places if place.name == "route_4_east"]
    assert grass is not None
    assert not west.covers(ROUTE_4, grass)


def test_story_items_are_kept() -> None:
    water, teeth, flute = 60, 64, 73
    assert {water, teeth, flute} <= STORY.kept
    assert not STORY.kept & {4, 20}  # balls and potions may be used
