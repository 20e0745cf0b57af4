"""Red's story file against the written facts of the game: places, squares, people, events."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import pytest

from agent.app.images import read_images
from agent.capabilities import Kit, Ledger, Story, capabilities_for, domain_of, reached, telling
from agent.capabilities.story import Task
from agent.capabilities.telling import MENUS
from agent.perception import percept_of
from agent.planning import Domain, Goal, Require, plan
from agent.planning.facts import after
from agent.skills import Terrain
from emulator import RED, Bag, CartridgeKind, Dex, Stack, State, World, read_state
from memory import Hooks, Recall
from tests.agent.support import Played, game_at

FACTS: Final = Path(__file__).resolve().parents[3] / "shared" / "red"
STORY: Final = Story.of(CartridgeKind.RED)
# Our task for each step of the written progression that it does.
STEPS: Final = {
    "be_stopped": "start",
    "take_starter": "starter",
    "face_rival": "rival_lab",
    "fetch_parcel": "parcel",
    "deliver_parcel": "pokedex",
    "beat_brock": "brock",
    "cross_mt_moon": "mtmoon_fossil",
    "beat_misty": "misty",
    "beat_surge": "surge",
    "beat_erika": "erika",
    "beat_koga": "koga",
    "take_card_key": "card_key",
    "free_silph": "silph_giovanni",
    "beat_sabrina": "sabrina",
    "beat_blaine": "blaine",
    "beat_giovanni": "giovanni",
    "beat_lorelei": "lorelei",
    "beat_bruno": "bruno",
    "beat_agatha": "agatha",
    "beat_lance": "lance",
    "beat_champion": "champion",
}
# What the outline does not say how to get, so that no way is known to these until it happens.
BEYOND_REACH: Final = {
    "badge:thunder",
    "badge:rainbow",
    "badge:soul",
    "badge:marsh",
    "badge:volcano",
    "badge:earth",
    "event:beat_champion_rival",
}
# What the facts say that a gate waits for, and the same by names of ours; a leader's event comes with his badge.
OPENED_BY: Final = {
    "EVENT_GOT_POKEDEX": ("event:got_pokedex",),
    "EVENT_BEAT_BROCK": ("badge:boulder",),
    "Boulder badge": ("badge:boulder",),
    "wObtainedBadges==0x7F (or more) -> EVENT_VIRIDIAN_GYM_OPEN": (
        "badge:boulder",
        "badge:cascade",
        "badge:thunder",
        "badge:rainbow",
        "badge:soul",
        "badge:marsh",
        "badge:volcano",
    ),
}

pytestmark = pytest.mark.skipif(not FACTS.is_dir(), reason="the facts of the game are not here")


@pytest.fixture(scope="module")
def steps() -> dict[str, dict[str, Any]]:
    table = json.loads((FACTS / "progression.json").read_text(encoding="utf-8"))
    return {row["id"]: row for row in table["milestones"]}


@pytest.fixture(scope="module")
def maps() -> dict[int, dict[str, Any]]:
    table = json.loads((FACTS / "maps.json").read_text(encoding="utf-8"))
    return {row["id"]: row for row in table["maps"]}


def test_every_task_is_a_step_of_the_progression() -> None:
    assert {task.id for task in STORY.tasks} == set(STEPS)


def test_places_are_called_as_the_maps_are(maps: dict[int, dict[str, Any]]) -> None:
    for place in STORY.places:
        assert place.name.upper() == maps[place.map_id]["name"] == RED.maps[place.map_id].upper()


@pytest.mark.parametrize("task", STORY.tasks, ids=lambda task: task.id)
def test_a_task_is_done_where_the_facts_say(
    task: Task, steps: dict[str, dict[str, Any]], maps: dict[int, dict[str, Any]]
) -> None:
    step = steps[STEPS[task.id]]
    (place,) = [each for each in STORY.places if each.name == task.place]
    assert place.map_id == step["map"]
    squares = [list(square) for square in getattr(task.feat, "squares", ())]
    if (
        task.id == "fetch_parcel"
    ):  # the scene takes the player on to the counter: there the walk ends
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
        assert [[people[slot]["x"], people[slot]["y"]] for slot in task.feat.people] == balls
    elif task.feat.people:
        (slot,) = task.feat.people
        assert slot == target["obj"]
        assert (people[slot]["x"], people[slot]["y"]) == (target["x"], target["y"])


@pytest.mark.parametrize("task", STORY.tasks, ids=lambda task: task.id)
def test_a_task_has_the_effect_that_the_facts_give(
    task: Task, steps: dict[str, dict[str, Any]]
) -> None:
    effects = steps[STEPS[task.id]]["effects"]
    mark = STORY.marks[task.sets]
    given = {
        "event": [row["bit_index"] for row in effects.get("events_set", ())],
        "badge": [effects["badge"]["bit"]] if "badge" in effects else [],
        "item": [row["id"] for row in effects.get("items_add", ())],
    }
    assert mark.number in given[mark.kind.value]


@pytest.mark.parametrize("task", STORY.tasks, ids=lambda task: task.id)
def test_a_task_waits_for_what_the_facts_say_it_needs(
    task: Task, steps: dict[str, dict[str, Any]]
) -> None:
    (place,) = [each for each in STORY.places if each.name == task.place]
    waits = {STORY.marks[fact] for fact in (*task.needs, *place.needs)}
    needed = steps[STEPS[task.id]]["pre"].get("events", ())
    # It may wait for more than the facts ask, for what makes the way there passable; never for less.
    assert {row["bit_index"] for row in needed} <= {
        mark.number for mark in waits if mark.kind.value == "event"
    }


def test_every_milestone_can_be_planned_after_the_one_before_it() -> None:
    actions, facts = _domain().actions, _power_on()
    for milestone in STORY.milestones:
        goal = Goal("next", (Require(reached(milestone), at_least=1),), 1, milestone.says)
        found = plan(goal, facts, actions)
        assert found is not None, milestone.id
        for action in found.actions:
            facts = after(facts, action.effects)


def test_no_way_is_known_where_the_outline_has_none() -> None:
    actions, facts = _domain().actions, _power_on()
    goals = {
        each.fact: Goal("next", (Require(each.fact, at_least=1),), 1, each.says)
        for each in STORY.ambitions
    }
    unknown = {fact for fact, goal in goals.items() if plan(goal, facts, actions) is None}
    assert unknown == BEYOND_REACH


def _domain() -> Domain:
    ledger = Ledger(STORY.milestones, Hooks())
    return domain_of(capabilities_for(_kit(ledger)))


def _kit(ledger: Ledger) -> Kit:
    return Kit(STORY, Terrain(World.empty()), Dex.empty(), ledger, 0)


def _power_on() -> dict[str, int]:
    return {**dict.fromkeys(_domain().sensed, 0), "party:hp": 100, "party:pp": 100}


def test_no_reflex_reads_on_while_a_menu_opens_as_a_witness() -> None:
    hooks = Hooks()
    story = telling.capability(_kit(Ledger(STORY.milestones, hooks)))
    masters = {deed.action.name: deed.masters for deed in story.deeds}
    shown = [each.id for each in STORY.milestones if each.witness in MENUS]
    assert shown == ["starter", "parcel", "pokedex", "healed"]
    assert all("text" in masters[f"witness:{id_}"] for id_ in shown)


def test_healers_stand_where_the_facts_have_nurses(maps: dict[int, dict[str, Any]]) -> None:
    for healer in STORY.healers:
        (place,) = [each for each in STORY.places if each.name == healer.place]
        (nurse,) = [row for row in maps[place.map_id]["objects"] if row["i"] == healer.person]
        assert nurse["sprite"] == "NURSE"


def test_people_turn_one_back_where_and_until_the_facts_say() -> None:
    table = json.loads((FACTS / "progression.json").read_text(encoding="utf-8"))
    guarded = {
        (row["map"], tuple(map(tuple, row["cells"])), OPENED_BY[row["blocked_until"]])
        for row in table["gates"]
        if row["kind"] == "coord" and row["blocked_until"] in OPENED_BY
    }
    assert len(guarded) == len(OPENED_BY)
    assert {(gate.map_id, frozenset(gate.squares), gate.needs) for gate in STORY.gates} == {
        (map_id, frozenset(cells), needs) for map_id, cells, needs in guarded
    }


def test_whoever_is_a_gate_away_is_not_walked_to_before() -> None:
    needs = {place.name: set(place.needs) for place in STORY.places}
    beyond_the_old_man = (
        "route_2",
        "viridian_forest",
        "pewter_city",
        "pewter_mart",
        "pewter_pokecenter",
        "pewter_gym",
        "mt_moon_b2f",
    )
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
def test_routes_keep_off_the_squares_that_are_still_guarded(
    image: str, closed: set[tuple[int, int, int]]
) -> None:
    kit = _kit(Ledger((), Hooks()))
    capabilities_for(kit)
    [(_, ram)] = read_images(FACTS / "wram" / f"{image}.wram")
    state = read_state(ram, 0)
    corners = {(1, 19, 9), (1, 32, 8), (2, 35, 17), (193, 4, 2)}
    assert kit.terrain.hazards(state).walls & corners == closed


def test_clerks_stand_where_the_facts_have_them(maps: dict[int, dict[str, Any]]) -> None:
    marts = json.loads((FACTS / "data" / "marts.json").read_text(encoding="utf-8"))["marts"]
    slots = {row["map"]: row["clerk"]["obj"] for row in marts}
    assert [each.place for each in STORY.clerks] == ["viridian_mart", "pewter_mart"]
    for clerk in STORY.clerks:
        (place,) = [each for each in STORY.places if each.name == clerk.place]
        assert clerk.person == slots[place.map_id]
        (person,) = [row for row in maps[place.map_id]["objects"] if row["i"] == clerk.person]
        assert person["sprite"] == "CLERK"


def test_only_the_clerk_with_the_parcel_waits_for_anything() -> None:
    needs = {each.place: each.needs for each in STORY.clerks}
    assert needs == {"viridian_mart": ("event:oak_got_parcel",), "pewter_mart": ()}


@pytest.mark.parametrize(
    "task", [each for each in STORY.tasks if each.against], ids=lambda task: task.id
)
def test_whoever_is_fought_has_the_team_that_the_facts_put_there(
    task: Task, maps: dict[int, dict[str, Any]]
) -> None:
    (place,) = [each for each in STORY.places if each.name == task.place]
    trainers = [row for row in maps[place.map_id]["objects"] if row["kind"] == "trainer"]
    slot = task.feat.people[0] if task.feat.people else 1
    (foe,) = [row for row in trainers if row["i"] == slot]
    assert task.against == (foe["class"], foe["set"])


def test_every_leader_and_all_of_the_elite_four_are_prepared_for() -> None:
    leaders = {each.id for each in STORY.tasks if each.sets.startswith("badge:")}
    elite = {f"beat_{name}" for name in ("lorelei", "bruno", "agatha", "lance")}
    assert {each.id for each in STORY.tasks if each.against} == leaders | elite


def test_the_gym_is_read_where_its_statues_stand(maps: dict[int, dict[str, Any]]) -> None:
    (badge,) = [each for each in STORY.milestones if each.id == "first_badge"]
    assert badge.map_id is not None
    statues = [row for row in maps[badge.map_id]["hidden"] if row["fn"] == "GymStatues"]
    assert badge.reading in [(row["x"], row["y"]) for row in statues]
    assert {row["facing"] for row in statues} == {"up"}


def test_marks_are_read_anew_whenever_what_they_are_read_from_changes(played: Played) -> None:
    with game_at(played.folder, lambda state: bool(state.party) and state.in_control) as game:
        state = game.state
    story = telling.capability(_kit(Ledger((), Hooks())))
    (sensor,) = [each for each in story.sensors if "badge:boulder" in each.tells]

    def true(state: State) -> set[str]:
        facts = sensor.read(percept_of(state, 1), cast("Recall", None))
        return {fact for fact, value in facts.items() if value}

    before = true(state)
    with_badge = replace(state, player=replace(state.player, badges=(0,)))
    with_key = replace(with_badge, bag=Bag((Stack(48, 1),)))
    events = bytes(len(state.flags.events))
    assert true(with_badge) == before | {"badge:boulder"}
    assert true(with_key) == before | {"badge:boulder", "item:card_key"}
    assert true(replace(state, flags=replace(state.flags, events=events))) == set()
    assert (
        true(state)
        == before
        == {
            "event:oak_asked_to_choose_mon",
            "event:got_starter",
        }
    )
