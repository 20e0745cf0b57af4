"""Ways, shops, people and moves that are remembered change what is done next, and the plan says so (E35)."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agent.app import Interrupt, Settings, outlook, play_run
from agent.app.memory_producers import MeetingProducers
from agent.battle.options import BattleGoals, TurnState, attack_options, prepared_options
from agent.battle.policy import AS_GOOD, THRIFT, BattlePolicy, choice
from agent.capabilities.battle import capability as battle
from agent.capabilities.battle import remembered, sequence
from agent.capabilities.context import GameContext, SquareTried, WaresSeen
from agent.capabilities.shop import ShopWares
from agent.capabilities.shop import capability as shop
from agent.capabilities.travel import around, detour, walk
from agent.capabilities.unstuck import inquiry
from agent.experience.action_costs import ActionCosts, in_order, names_of
from agent.experience.uses import EVERY_USE, Experience, MemoryUse
from agent.planning.domain import Action, Effect, Goal, Require
from agent.planning.search import explain
from agent.skills import (
    Attack,
    Destination,
    Order,
    Outcome,
    Skill,
    Terrain,
    TriedOrders,
    find_way,
    overseen,
)
from emulator import State
from emulator.ram.player import Bag, Stack
from memory import (
    AgentMemory,
    Hooks,
    Json,
    LearnedPattern,
    MistakeRecord,
    PersonHeard,
    Producers,
    ShelfSeen,
    SuccessfulStrategy,
    WayBarred,
    as_json,
    read_run,
)
from memory.tiers.encounters import HEARD, SHELF
from tests.agent.demo import DEX, STORY, WORLD, at_the_menu, enemy_of, free_in, kit, own_of, told
from tests.agent.lessons import EPISODIC, LATE, teach
from tests.agent.support import Game, Played, Watcher, game_at

STM = "agent:play:stm"
BALL, POTION = 4, 20
HEATHER_WAY, STORE, STONE_STORE, HOUSE, SECOND_TOWN, LANE = 13, 42, 56, 37, 1, 12
JOY_IGNORE, DIRECTIONS = 0xCD6B, 0xF0  # wJoyIgnore, and the keys that walk
NEAR_STORE, FAR_STORE = STORY.clerks[:2]
WITHOUT = {each: EVERY_USE - {each} for each in MemoryUse}


def experience(memory: AgentMemory, uses: frozenset[MemoryUse] = EVERY_USE) -> Experience:
    asked = Experience(memory.recall, uses, EPISODIC, STM)
    memory.blackboard.subscribe("agent:play:ltm:*", asked.learnt)
    memory.blackboard.subscribe(STM, asked.met)
    return asked


def knowing(asked: Experience, hooks: Hooks | None = None) -> GameContext:
    return kit(experience=asked, hooks=hooks or Hooks())


def watched(memory: AgentMemory) -> Hooks:
    """Return hooks at which encounters become entries."""
    hooks = Hooks()
    MeetingProducers(STORY, lambda: 1).register(Producers(hooks, memory.blackboard))
    return hooks


def met(memory: AgentMemory, kind: str, record: Any, scope: str = EPISODIC) -> None:  # noqa: ANN401
    memory.blackboard.write(scope, kind, as_json(record), tick=1, game_s=1.0)


def taught(folder: Path, kind: str, record: Any) -> Path:  # noqa: ANN401
    """Return a memory to which an earlier run told of an encounter."""
    payload: dict[str, Json] = {
        "scope": EPISODIC,
        "kind": kind,
        "data": as_json(record),
        "tags": [],
        "importance": 6,
    }
    return teach(folder / "memory.sqlite", [("entry", payload)])


# Ways


def a_square_of_the_way(state: State, map_id: int) -> tuple[int, int, int]:
    """Return a square of the shortest way to a map, which can be walked around."""
    way = find_way(Terrain(WORLD), Destination(map_id), state)
    assert way is not None
    open_squares = [
        hop.to[:3]
        for hop in way[2:-2]
        if sum(WORLD.map(hop.to.map_id).passable(hop.to.x + dx, hop.to.y) for dx in (-1, 1)) == 2
    ]
    return open_squares[0]


def test_e35_a_square_that_nobody_got_onto_is_walked_around_and_the_plan_says_so(
    memory: AgentMemory, quiet_lane: Game
) -> None:
    state = quiet_lane.state
    (place,) = (each for each in STORY.places if each.map_id == SECOND_TOWN)
    square = a_square_of_the_way(state, place.map_id)
    met(memory, "barred", WayBarred("the lane", "the second town", *square, passed=False))
    known = knowing(experience(memory))
    assert around(known, state).costs.keys() == {square}
    x, y = square[1:]
    assert f"a walk to the second town got no further at ({x},{y}) of" in detour(
        place, known, state
    )
    assert known.experience.moved == {MemoryUse.ROUTES: 1}
    without = knowing(experience(memory, WITHOUT[MemoryUse.ROUTES]))
    assert not around(without, state).costs
    assert detour(place, without, state) == ""


@pytest.mark.parametrize("heeds", [True, False])
def test_e35_the_way_that_is_walked_is_another_one(
    memory: AgentMemory, quiet_lane: Game, *, heeds: bool
) -> None:
    state = quiet_lane.state
    (place,) = (each for each in STORY.places if each.map_id == SECOND_TOWN)
    square = a_square_of_the_way(state, place.map_id)
    met(memory, "barred", WayBarred("the lane", "", *square, passed=False))
    known = knowing(experience(memory, EVERY_USE if heeds else WITHOUT[MemoryUse.ROUTES]))
    known.terrain.beware([lambda now: around(known, now)])
    trace = [state]
    assert quiet_lane.carry_out(traced(walk(place, known, state), trace)) is Outcome.DONE
    assert (square in set(squares(trace))) is not heeds


def traced(skill: Skill, trace: list[State]) -> Skill:
    return overseen(skill, trace.append)


def squares(trace: list[State]) -> Iterator[tuple[int, int, int]]:
    """Yield all that was stepped on: a press carries over several squares straight ahead."""
    for one, other in pairwise([each.map for each in trace]):
        if one.map_id == other.map_id:
            for x in range(min(one.x, other.x), max(one.x, other.x) + 1):
                for y in range(min(one.y, other.y), max(one.y, other.y) + 1):
                    yield one.map_id, x, y


def test_e35_a_walk_that_is_held_up_remembers_where(
    memory: AgentMemory, before_the_gate: Game
) -> None:
    known = knowing(experience(memory), watched(memory))
    (place,) = (each for each in STORY.places if each.map_id == HEATHER_WAY)
    before_the_gate.poke({JOY_IGNORE: DIRECTIONS})  # whichever way one presses, nothing comes of it
    state = before_the_gate.state
    assert before_the_gate.carry_out(walk(place, known, state)) is Outcome.BLOCKED
    (square,) = known.experience.barred()
    assert square[0] == SECOND_TOWN
    (entry,) = memory.blackboard.entries(STM, kind="barred")
    assert entry.data["towards"] == place.called


@pytest.fixture
def before_the_gate(played: Played) -> Iterator[Game]:
    (gate,) = (each for each in STORY.gates if each.map_id == SECOND_TOWN)

    def is_there(state: State) -> bool:
        opened = all(STORY.shows(state, fact) for fact in gate.needs)
        return state.in_control and state.map.map_id == SECOND_TOWN and not opened

    with game_at(played.folder, is_there) as game:
        yield game


def test_e35_what_bars_the_way_is_remembered_and_forgotten_when_somebody_gets_through(
    memory: AgentMemory, quiet_lane: Game
) -> None:
    known = knowing(experience(memory), watched(memory))
    state = quiet_lane.state
    square = (LANE, 5, 5)
    known.hooks.emit(SquareTried(state, square, "the second town"))
    assert known.experience.barred().keys() == {square}
    met(memory, "barred", known.experience.barred()[square])  # as an earlier run told it
    known.hooks.emit(SquareTried(state, square, passed=True))
    assert known.experience.barred() == {}
    (closed,) = memory.blackboard.entries(EPISODIC, kind="barred")
    assert closed.closed == "seen otherwise: a walk passed"


# Shops


@pytest.fixture(scope="module")
def outside(played: Played) -> State:
    """A moment at which both shops sell, without potions."""
    with game_at(played.folder, free_in(HEATHER_WAY)) as game:
        return replace(
            game.state, bag=Bag((Stack(POTION, 1),)), player=replace(game.state.player, money=3_000)
        )


def wares(map_id: int) -> tuple[int, ...]:
    (there,) = WORLD.map(map_id).header.shops
    return there.items


def to_ask(known: GameContext, state: State) -> set[str]:
    return {name for name, supplied in told(shop(known), state).items() if not supplied}


def test_e35_a_shop_that_had_no_potions_is_not_asked_again(
    memory: AgentMemory, outside: State
) -> None:
    (first,) = to_ask(knowing(experience(memory)), outside)
    clerk = next(each for each in STORY.clerks if each.supplied == first)
    other = next(each for each in STORY.clerks if each is not clerk)
    maps = {place.name: place.map_id for place in STORY.places}
    there = maps[clerk.place]
    had = tuple(item for item in wares(there) if item != POTION)
    met(memory, SHELF, ShelfSeen("a store", there, clerk.person, had))
    known = knowing(experience(memory))
    assert to_ask(known, outside) <= {other.supplied}
    assert known.experience.moved[MemoryUse.SHOPS]
    why = known.experience.told[first]
    assert why == f"{STORY.called(there)} had no {DEX.all_items[POTION].name}"
    assert known.experience.broken[f"shop:{clerk.place}"] == {"bag:potions": why}
    without = knowing(experience(memory, WITHOUT[MemoryUse.SHOPS]))
    assert to_ask(without, outside) == {first}
    assert not without.experience.moved


def test_e35_a_visit_does_not_promise_what_the_shelf_lacked(memory: AgentMemory) -> None:
    asked = experience(memory)
    asked.broken["go"] = {"there": "nobody was there"}
    go = Action("go", (), (Effect("there", 1), Effect("gone", 1)), 2, "go")
    (today,) = ActionCosts(asked).today([go], {}, None)
    assert [each.fact for each in today.effects] == ["gone"]
    assert today.note == "remembered: nobody was there"


def test_e35_what_is_there_after_all_contradicts_what_was_remembered(
    memory: AgentMemory, outside: State
) -> None:
    first, *others = wares(STORE)
    met(memory, SHELF, ShelfSeen("the store", STORE, NEAR_STORE.person, tuple(others)))
    known = knowing(experience(memory), watched(memory))
    assert ShopWares(known).believed(NEAR_STORE) == set(others)
    (there,) = (each.map_id for each in STORY.places if each.name == NEAR_STORE.place)
    inside = replace(outside, map=replace(outside.map, map_id=there))
    known.hooks.emit(WaresSeen(inside, NEAR_STORE.person, (first, *others)))
    assert ShopWares(known).believed(NEAR_STORE) == {first, *others}
    (closed,) = memory.blackboard.entries(EPISODIC, kind=SHELF)
    assert closed.closed == f"seen otherwise: item {first} is there"


def test_e35_a_visit_remembers_what_the_list_showed(played: Played) -> None:
    with closing(read_run(played.folder)) as folder:
        seen = [dict(event.payload) for event in folder.store.events(SHELF)]
    assert seen
    for each in seen:
        assert tuple(each["wares"]) == wares(each["map_id"])


def test_e35_a_run_taught_of_an_empty_shelf_does_not_go_there(
    played: Played, tmp_path: Path
) -> None:
    with closing(read_run(played.folder)) as folder:
        asked = [row.tick for row in folder.store.events("action") if is_shopping(row.payload)]
    assert asked  # with an empty memory
    shelf = ShelfSeen("the store", STORE, NEAR_STORE.person, (11, 12))
    path = taught(tmp_path, SHELF, shelf)
    settings = Settings(seed=3, run=tmp_path / "run", memory=path, until="delivered")
    summary = play_run(settings, Watcher(), Interrupt())
    with closing(read_run(tmp_path / "run")) as folder:
        assert not [row for row in folder.store.events("action") if is_shopping(row.payload)]
    assert summary.moved["shops"]
    remembers = outlook(None, tmp_path / "run").remembered
    assert any("the store had no" in words for words in remembers)


def is_shopping(action: Mapping[str, Any]) -> bool:
    return bool(action["action_value"] == f"shop:{NEAR_STORE.place}")


# People


def mother() -> PersonHeard:
    (errand,) = STORY.errands
    return PersonHeard("the house", HOUSE, errand.person, "Awake at last", ())


def test_e35_who_only_talks_is_remembered_as_that(played: Played) -> None:
    with closing(read_run(played.folder)) as folder:
        (heard,) = [dict(event.payload) for event in folder.store.events(HEARD)]
    assert (heard["map_id"], heard["slot"], heard["came"]) == (HOUSE, STORY.errands[0].person, [])
    assert heard["words"].startswith("Awake at last")


@pytest.mark.parametrize("heeds", [True, False])
def test_e35_a_person_who_only_talked_in_an_earlier_run_is_not_talked_to(
    tmp_path: Path, *, heeds: bool
) -> None:
    run = tmp_path / "run"
    without = () if heeds else (MemoryUse.PEOPLE,)
    settings = Settings(
        run=run, memory=taught(tmp_path, HEARD, mother()), without=without, until="left_home"
    )
    summary = play_run(settings, Watcher(), Interrupt())
    with closing(read_run(run)) as folder:
        talks = list(folder.store.events(HEARD))
    assert (len(talks), summary.moved["people"]) == ((0, 1) if heeds else (1, 0))
    words = "say goodbye downstairs: number 1 in the house only talks: 'Awake at last'"
    assert (words in outlook(None, run).remembered) is heeds


@pytest.fixture
def in_town(played: Played) -> Iterator[Game]:
    with game_at(played.folder, free_in(SECOND_TOWN)) as game:
        yield game


def test_e35_whoever_is_asked_around_for_is_asked_once_and_who_only_talks_not_again(
    memory: AgentMemory, in_town: Game
) -> None:
    known = knowing(experience(memory), watched(memory))
    asking = inquiry(known)
    asked = 0
    while asking.is_left(in_town.state):
        in_town.carry_out(asking.action.begin(in_town.state))
        asked += 1
        assert asked < 9
    heard = memory.blackboard.entries(STM, kind=HEARD)
    assert 0 < len(heard) <= asked
    assert all(each.data["words"] for each in heard)
    silent = {each.data["slot"] for each in heard if not each.data["came"]}
    assert silent
    later = inquiry(knowing(experience(memory)))
    without = inquiry(knowing(experience(memory, WITHOUT[MemoryUse.PEOPLE])))
    assert without.is_left(in_town.state)
    assert later.is_left(in_town.state) is (len(silent) < asked)


# Sequences


def won_with(state: State, moves: tuple[str, ...], times: int = 4) -> SuccessfulStrategy:
    assert state.battle is not None
    own = DEX.all_species[own_of(state).species].name
    party = [DEX.all_species[mon.species].name for mon in state.battle.enemy_party.mons]
    enemies = party or [DEX.all_species[enemy_of(state).species].name]
    enemy = ", ".join(dict.fromkeys(enemies))
    words = f"{own}: {', '.join(moves)}"
    return SuccessfulStrategy("won", {}, enemy, own, words, moves, 1.0, times, LATE, LATE)


def moves_of(state: State) -> tuple[str, ...]:
    return tuple(DEX.all_moves[each.move].name for each in own_of(state).moves if each.move)


def test_e35_a_sequence_that_won_is_called_to_mind_in_its_battle_and_in_no_other(
    memory: AgentMemory, first_turn: State
) -> None:
    moves = moves_of(first_turn)
    memory.tactician.add_strategy(won_with(first_turn, moves))
    known = knowing(experience(memory))
    assert [DEX.all_moves[each].name for each in sequence(known, first_turn)] == list(moves)
    assert remembered(known, first_turn).startswith("remembered: ")
    (deed,) = battle(known).actions
    assert deed.note is not None
    assert "100% of 4" in deed.note(first_turn)
    without = knowing(experience(memory, WITHOUT[MemoryUse.MOVES]))
    assert sequence(without, first_turn) == ()
    assert remembered(without, first_turn) == ""


def test_e35_one_victory_is_no_sequence_yet(memory: AgentMemory, first_turn: State) -> None:
    memory.tactician.add_strategy(won_with(first_turn, moves_of(first_turn), times=1))
    assert sequence(knowing(experience(memory)), first_turn) == ()


@pytest.fixture(scope="module")
def undecided(played: Played) -> tuple[State, int]:
    """A turn in which two moves are as good, and the number of the one that is not taken otherwise."""
    found: list[tuple[State, int]] = []

    def is_close(state: State) -> bool:
        if not at_the_menu(state):
            return False
        numbers = [known.move for known in own_of(state).moves]
        swaying = (
            each for each in numbers if choice(DEX, state, BattleGoals(sequence=(each,))).swayed
        )
        found.extend((state, each) for each in swaying)
        return bool(found)

    with game_at(played.folder, is_close):
        return found[0]


def test_e35_of_moves_as_good_the_one_that_won_is_tried_first_and_once(
    memory: AgentMemory, undecided: tuple[State, int]
) -> None:
    state, number = undecided
    memory.tactician.add_strategy(won_with(state, (DEX.all_moves[number].name,)))
    known = knowing(experience(memory))
    heeding = BattlePolicy(DEX, lambda now: BattleGoals(sequence=sequence(known, now)))
    plain = BattlePolicy(DEX).order(state, TriedOrders())
    order = heeding.order(state, TriedOrders())
    assert isinstance(order, Attack)
    assert own_of(state).moves[order.slot].move == number
    assert order != plain
    assert heeding.order(state, TriedOrders(used=frozenset({number}))) == plain


def test_e35_a_sequence_never_makes_a_worse_move(first_turn: State) -> None:
    plain = options(first_turn)
    best = max(plain.values())
    for known in own_of(first_turn).moves:
        order = choice(DEX, first_turn, BattleGoals(sequence=(known.move,))).order
        assert plain[order] >= best - AS_GOOD - THRIFT


def options(state: State) -> dict[Order, float]:
    table = TurnState.of(DEX, state, BattleGoals())
    assert table is not None
    return {each.order: each.worth for each in (*attack_options(table), *prepared_options(table))}


ONE = Action("one", (), (Effect("there", 1),), 2, "go one way")
TWO = Action("two", (), (Effect("there", 1),), 2, "go the other way")
DEAR = Action("two", (), (Effect("there", 1),), 3, "go the other way")
THERE = Goal("there", (Require("there", at_least=1),), 1, "be there")


def led_there(*actions: str) -> LearnedPattern:
    words = f"{THERE.says}: {', '.join(actions)}"
    conditions: dict[str, Json] = {"location": "town", "reasoning": THERE.says}
    return LearnedPattern(words, "action_sequence", words, conditions, "", 1, 3, 0, 1.0, LATE, 1.0)


@pytest.mark.parametrize(("other", "taken"), [(TWO, "two"), (DEAR, "one")])
def test_e35_of_plans_as_cheap_the_one_that_led_there_before_is_taken(
    memory: AgentMemory, other: Action, taken: str
) -> None:
    memory.tactician.add_pattern(led_there("two"))
    state = State.__new__(State)  # only its place is asked for
    asked = experience(memory)
    search = ActionCosts(asked, lambda _state: "town").search([ONE, other], {}, state)
    found = search(THERE, {})
    assert found is not None
    assert names_of(found) == (taken,)
    says = "remembered: from here this worked 3 of 3 times" in explain(found, {})
    assert says is (taken == "two")
    assert asked.moved[MemoryUse.SEQUENCES] == (taken == "two")
    forgetful = experience(memory, WITHOUT[MemoryUse.SEQUENCES])
    plain = ActionCosts(forgetful, lambda _state: "town").search([ONE, other], {}, state)
    first = plain(THERE, {})
    assert first is not None
    assert names_of(first) == ("one",)


def test_what_is_named_comes_first_and_the_others_stay_in_order() -> None:
    names = [each.name for each in in_order([ONE, TWO, DEAR], ("two",))]
    assert names == ["two", "two", "one"]


def test_e35_memory_that_makes_an_action_dear_is_counted_where_it_changes_the_plan(
    memory: AgentMemory,
) -> None:
    situation: dict[str, Json] = {"location": "town", "action": "one"}
    lesson = MistakeRecord("one", "one fails", situation, "", "major", "", LATE, LATE, 3)
    memory.tactician.add_mistake(lesson)
    asked = experience(memory)
    state = State.__new__(State)
    search = ActionCosts(asked, lambda _state: "town").search([ONE, DEAR], {}, state)
    found = search(THERE, {})
    assert found is not None
    assert names_of(found) == ("two",)
    assert asked.moved == {MemoryUse.COSTS: 1}
    search(THERE, {})
    assert asked.moved == {MemoryUse.COSTS: 1}  # the same decision, taken again


def test_counts_of_moved_decisions_are_part_of_a_checkpoint(memory: AgentMemory) -> None:
    asked = experience(memory)
    asked.sways(MemoryUse.PEOPLE, "an errand", "she only talks")
    again = experience(memory)
    again.restore(asked.to_json())
    again.sways(MemoryUse.PEOPLE, "an errand", "she only talks")
    assert again.moved == {MemoryUse.PEOPLE: 1}
