"""Remembered routes, shops, people and moves change decisions, and the plan says so (E35)."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agent.app import Interrupt, Settings, outlook, play_run
from agent.battle.policy import BattleGoals, BattlePolicy, choose_order
from agent.capabilities.battle import battle_goals, remembered, sequence
from agent.capabilities.battle import capability as battle
from agent.capabilities.context import GameContext, SquareTried, StockSeen
from agent.capabilities.travel import around, detour, walk
from agent.capabilities.unstuck import inquiry
from agent.experience.action_costs import ActionCosts, names_of
from agent.experience.memory_use import EVERY_USE, MemoryUse
from agent.experience.uses import Experience
from agent.planning.domain import Action, Effect, Goal, Require
from agent.record.encounters import EncounterProducers
from agent.record.game_names import GameNames
from agent.skills import (
    Attack,
    Destination,
    Outcome,
    Terrain,
    TriedOrders,
    observed,
    shortest_route,
)
from emulator import Party, State
from emulator.ram.battle import BattleKind
from emulator.ram.party import Stats
from memory import (
    AgentMemory,
    BlockedSquare,
    Hooks,
    Json,
    MistakeRecord,
    Producers,
    ShopStockSeen,
    SuccessfulStrategy,
    TalkOutcome,
    as_json,
)
from memory.tiers.encounters import SHOP_STOCK, TALK_OUTCOME
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.lessons import preference_of
from tests.agent.demo import DEX, STORY, WORLD, at_the_menu, enemy_of, free_in, game_context, own_of
from tests.agent.lessons import EPISODIC, LATE, entry_lesson, teach
from tests.agent.support import Game, Played, Watcher, events_of, game_at

STM = "agent:play:stm"
BALL, ANTIDOTE, POTION = 4, 11, 20
HEATHER_WAY, STORE, STONE_STORE, HOUSE, SECOND_TOWN, LANE = 13, 42, 56, 37, 1, 12
JOY_IGNORE, DIRECTIONS = 0xCD6B, 0xF0  # wJoyIgnore, and the keys that walk
NEAR_STORE, FAR_STORE = STORY.clerks[:2]
WITHOUT = {each: EVERY_USE - {each} for each in MemoryUse}


def experience(memory: AgentMemory, uses: frozenset[MemoryUse] = EVERY_USE) -> Experience:
    asked = Experience(memory.recall, uses, EPISODIC, STM)
    memory.blackboard.subscribe("agent:play:ltm:*", asked.long_term_changed)
    memory.blackboard.subscribe(STM, asked.encounter_stored)
    return asked


def context_of(asked: Experience, hooks: Hooks | None = None) -> GameContext:
    return game_context(experience=asked, hooks=hooks or Hooks())


def observed_hooks(memory: AgentMemory) -> Hooks:
    """Return hooks that store encounters as entries."""
    hooks = Hooks()
    EncounterProducers(GameNames(STORY, WORLD, DEX), lambda: 1).register(
        Producers(hooks, memory.blackboard)
    )
    return hooks


def add_encounter(memory: AgentMemory, kind: str, record: Any, scope: str = EPISODIC) -> None:  # noqa: ANN401
    memory.blackboard.write(scope, kind, as_json(record), tick=1, game_s=1.0)


def memory_with(folder: Path, kind: str, *records: Any) -> Path:  # noqa: ANN401
    """Return a memory with encounters of an earlier run."""
    return teach(folder / "memory.sqlite", [entry_lesson(kind, as_json(each)) for each in records])


# Routes


def square_on_route(state: State, map_id: int) -> tuple[int, int, int]:
    """Return a square of the shortest route to a map that can be walked around."""
    way = shortest_route(Terrain(WORLD), Destination(map_id), state)
    assert way is not None
    open_squares = [
        hop.to[:3]
        for hop in way[2:-2]
        if sum(WORLD.map(hop.to.map_id).passable(hop.to.x + dx, hop.to.y) for dx in (-1, 1)) == 2
    ]
    return open_squares[0]


@pytest.mark.parametrize("uses_memory", [True, False])
def test_e35_a_blocked_square_is_avoided_and_the_plan_says_so(
    memory: AgentMemory, quiet_lane: Game, *, uses_memory: bool
) -> None:
    state = quiet_lane.state
    (place,) = (each for each in STORY.places if each.map_id == SECOND_TOWN)
    square = square_on_route(state, place.map_id)
    blocked = BlockedSquare("the lane", "the second town", *square, passed=False)
    add_encounter(memory, "blocked_square", blocked)
    known = context_of(experience(memory, EVERY_USE if uses_memory else WITHOUT[MemoryUse.ROUTES]))
    assert around(known, state).costs.keys() == ({square} if uses_memory else set())
    x, y = square[1:]
    words = f"a walk to the second town got no further at ({x},{y}) of"
    assert (words in detour(place, known, state)) is uses_memory
    assert known.experience.moved == ({MemoryUse.ROUTES: 1} if uses_memory else {})
    known.terrain.set_hazards([lambda now: around(known, now)])
    trace = [state]
    assert quiet_lane.carry_out(observed(walk(place, known, state), trace.append)) is Outcome.DONE
    assert (square in set(squares(trace))) is not uses_memory


def test_e35_a_run_that_knows_of_blocked_squares_walks_around_them(tmp_path: Path) -> None:
    squares = ((9, 10), (10, 10), (9, 20), (10, 20), (11, 20))
    blocked = (BlockedSquare("the lane", "", LANE, *each, passed=False) for each in squares)
    memory = memory_with(tmp_path, "blocked_square", *blocked)
    settings = Settings(seed=203, run=tmp_path / "run", memory=memory, until="second_town")
    assert play_run(settings, Watcher(), Interrupt()).moved["routes"]


def squares(trace: list[State]) -> Iterator[tuple[int, int, int]]:
    """Yield all squares entered: one press can move the player several squares straight ahead."""
    for one, other in pairwise([each.map for each in trace]):
        if one.map_id == other.map_id:
            for x in range(min(one.x, other.x), max(one.x, other.x) + 1):
                for y in range(min(one.y, other.y), max(one.y, other.y) + 1):
                    yield one.map_id, x, y


def test_e35_a_blocked_walk_stores_its_square(memory: AgentMemory, before_the_gate: Game) -> None:
    known = context_of(experience(memory), observed_hooks(memory))
    (place,) = (each for each in STORY.places if each.map_id == HEATHER_WAY)
    before_the_gate.poke({JOY_IGNORE: DIRECTIONS})  # no direction key has an effect
    state = before_the_gate.state
    assert before_the_gate.carry_out(walk(place, known, state)) is Outcome.BLOCKED
    (square,) = known.experience.blocked_squares()
    assert square[0] == SECOND_TOWN
    (entry,) = memory.blackboard.entries(STM, kind="blocked_square")
    assert entry.data["towards"] == place.called


@pytest.fixture
def before_the_gate(played: Played) -> Iterator[Game]:
    (gate,) = (each for each in STORY.gates if each.map_id == SECOND_TOWN)

    def is_there(state: State) -> bool:
        opened = all(STORY.shows(state, fact) for fact in gate.needs)
        return state.in_control and state.map.map_id == SECOND_TOWN and not opened

    with game_at(played.folder, is_there) as game:
        yield game


def test_e35_a_blocked_square_is_forgotten_after_a_walk_passes_it(
    memory: AgentMemory, quiet_lane: Game
) -> None:
    known = context_of(experience(memory), observed_hooks(memory))
    state = quiet_lane.state
    square = (LANE, 5, 5)
    known.hooks.emit(SquareTried(state, square, "the second town"))
    assert known.experience.blocked_squares().keys() == {square}
    add_encounter(
        memory, "blocked_square", known.experience.blocked_squares()[square]
    )  # as from an earlier run
    known.hooks.emit(SquareTried(state, square, passed=True))
    assert known.experience.blocked_squares() == {}
    (closed,) = memory.blackboard.entries(EPISODIC, kind="blocked_square")
    assert closed.closed == "seen otherwise: a walk passed"


# Shops


def stock_of(map_id: int) -> tuple[int, ...]:
    (there,) = WORLD.map(map_id).header.shops
    return there.items


def test_e35_stock_that_is_seen_again_contradicts_memory(
    memory: AgentMemory, in_town: Game
) -> None:
    first, *others = stock_of(STORE)
    hooks = observed_hooks(memory)
    before = ShopStockSeen("the store", STORE, NEAR_STORE.person, tuple(others))
    add_encounter(memory, SHOP_STOCK, before)
    inside = replace(in_town.state, map=replace(in_town.state.map, map_id=STORE))
    hooks.emit(StockSeen(inside, NEAR_STORE.person, (first, *others)))
    (closed,) = memory.blackboard.entries(EPISODIC, kind=SHOP_STOCK)
    assert closed.closed == f"seen otherwise: {DEX.item_name(first)} is there"


def test_e35_a_visit_stores_the_stock_of_the_list(played: Played) -> None:
    seen = [dict(event.payload) for event in events_of(played.folder, SHOP_STOCK)]
    assert seen
    for each in seen:
        assert tuple(each["items"]) == stock_of(each["map_id"])


# People


def mother() -> TalkOutcome:
    (errand,) = STORY.errands
    return TalkOutcome("the house", HOUSE, errand.person, "Awake at last", ())


def test_e35_a_person_who_only_talks_is_stored_as_such(played: Played) -> None:
    (talk,) = [dict(event.payload) for event in events_of(played.folder, TALK_OUTCOME)]
    assert (talk["map_id"], talk["slot"], talk["effects"]) == (HOUSE, STORY.errands[0].person, [])
    assert talk["words"].startswith("Awake at last")


@pytest.mark.parametrize("uses_memory", [True, False])
def test_e35_a_person_who_only_talked_in_an_earlier_run_is_not_talked_to(
    tmp_path: Path, *, uses_memory: bool
) -> None:
    run = tmp_path / "run"
    without = () if uses_memory else (MemoryUse.PEOPLE,)
    settings = Settings(
        run=run,
        memory=memory_with(tmp_path, TALK_OUTCOME, mother()),
        without=without,
        until="left_home",
    )
    summary = play_run(settings, Watcher(), Interrupt())
    talks = events_of(run, TALK_OUTCOME)
    assert (len(talks), summary.moved["people"]) == ((0, 1) if uses_memory else (1, 0))
    words = "say goodbye downstairs: number 1 in the house only talks: 'Awake at last'"
    assert (words in outlook(None, run).remembered) is uses_memory


@pytest.fixture
def in_town(played: Played) -> Iterator[Game]:
    with game_at(played.folder, free_in(SECOND_TOWN)) as game:
        yield game


def test_e35_an_inquiry_asks_each_person_once_and_later_skips_those_who_only_talk(
    memory: AgentMemory, in_town: Game
) -> None:
    known = context_of(experience(memory), observed_hooks(memory))
    asking = inquiry(known)
    asked = 0
    while asking.is_left(in_town.state):
        in_town.carry_out(asking.action.begin(in_town.state))
        asked += 1
        assert asked < 9
    talk = memory.blackboard.entries(STM, kind=TALK_OUTCOME)
    assert 0 < len(talk) <= asked
    assert all(each.data["words"] for each in talk)
    silent = {each.data["slot"] for each in talk if not each.data["effects"]}
    assert silent
    later = inquiry(context_of(experience(memory)))
    without = inquiry(context_of(experience(memory, WITHOUT[MemoryUse.PEOPLE])))
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


def test_e35_a_winning_sequence_is_recalled_in_its_battle(
    memory: AgentMemory, first_turn: State
) -> None:
    moves = moves_of(first_turn)
    memory.tactician.add_strategy(won_with(first_turn, moves))
    known = context_of(experience(memory))
    assert [DEX.all_moves[each].name for each in sequence(known, first_turn)] == list(moves)
    assert remembered(known, first_turn).startswith("remembered: ")
    (bound,) = battle(known).actions
    assert bound.note is not None
    assert "100% of 4" in bound.note(first_turn)
    without = context_of(experience(memory, WITHOUT[MemoryUse.MOVES]))
    assert sequence(without, first_turn) == ()
    assert remembered(without, first_turn) == ""


def test_e35_one_victory_is_no_proven_sequence(memory: AgentMemory, first_turn: State) -> None:
    memory.tactician.add_strategy(won_with(first_turn, moves_of(first_turn), times=1))
    assert sequence(context_of(experience(memory)), first_turn) == ()


def test_an_opening_is_only_played_against_the_opponent_that_it_beat(
    memory: AgentMemory, first_turn: State
) -> None:
    moves = moves_of(first_turn)[:1]
    enemy = DEX.all_species[enemy_of(first_turn).species].name
    for beaten, expected in ((f"not {enemy}", ()), (enemy, moves)):
        won = replace(won_with(first_turn, moves), enemy_type=beaten)
        preference = preference_of(won, ConsolidationConfig(), session_id="s")
        assert preference is not None
        memory.tactician.set_preference(preference)
        known = context_of(experience(memory))
        names = tuple(DEX.all_moves[each].name for each in sequence(known, first_turn))
        assert names == expected


@pytest.fixture(scope="module")
def undecided(played: Played) -> tuple[State, int]:
    """Return a turn with two equally good moves, and the number of the one not chosen without memory."""
    found: list[tuple[State, int]] = []

    def is_close(state: State) -> bool:
        if not at_the_menu(state):
            return False
        numbers = [known.move for known in own_of(state).moves]
        changing = (
            each
            for each in numbers
            if choose_order(DEX, state, BattleGoals(sequence=(each,))).influenced
        )
        found.extend((state, each) for each in changing)
        return bool(found)

    with game_at(played.folder, is_close):
        return found[0]


def test_e35_of_equal_moves_the_one_that_won_is_tried_first_and_once(
    memory: AgentMemory, undecided: tuple[State, int]
) -> None:
    state, number = undecided
    memory.tactician.add_strategy(won_with(state, (DEX.all_moves[number].name,)))
    known = context_of(experience(memory))
    with_memory = BattlePolicy(DEX, lambda now: BattleGoals(sequence=sequence(known, now)))
    plain = BattlePolicy(DEX).order(state, TriedOrders())
    order = with_memory.order(state, TriedOrders())
    assert isinstance(order, Attack)
    assert own_of(state).moves[order.slot].move == number
    assert order != plain
    assert with_memory.order(state, TriedOrders(used=frozenset({number}))) == plain


def test_e35_a_sequence_never_chooses_a_worse_move(first_turn: State) -> None:
    assert first_turn.battle is not None
    own, enemy = own_of(first_turn), enemy_of(first_turn)
    last = replace(own, hp=1, stats=own.stats._replace(speed=999))
    battle = replace(first_turn.battle, own=last, enemy=replace(enemy, hp=1))
    state = replace(first_turn, battle=battle)
    attack = choose_order(DEX, state, BattleGoals()).order
    idle = [each.move for each in own.moves if not DEX.all_moves[each.move].power]
    assert idle
    for move in idle:
        assert choose_order(DEX, state, BattleGoals(sequence=(move,))).order == attack


def test_the_goals_of_a_wild_battle_follow_the_team_from_turn_to_turn(first_turn: State) -> None:
    assert first_turn.battle is not None
    wild = replace(first_turn, battle=replace(first_turn.battle, kind=BattleKind.WILD))
    first, *others = wild.party.mons
    weak = replace(first, level=2, stats=Stats(9, 4, 4, 4, 4))
    strong = replace(first, level=90, stats=Stats(300, 300, 300, 300, 300))
    goals = battle_goals(context_of(Experience()))
    for mon, trains in ((weak, True), (strong, False), (weak, True)):
        assert goals(replace(wild, party=Party((mon, *others)))).train is trains


ONE = Action("one", (), (Effect("there", 1),), 2, "go one way")
COSTLY = Action("two", (), (Effect("there", 1),), 3, "go the other way")
THERE = Goal("there", (Require("there", at_least=1),), 1, "be there")


def test_e35_a_remembered_cost_is_counted_when_it_changes_the_plan(memory: AgentMemory) -> None:
    situation: dict[str, Json] = {"location": "town", "action": "one"}
    lesson = MistakeRecord("one", "one fails", situation, "", "major", "", LATE, LATE, 3)
    memory.tactician.add_mistake(lesson)
    asked = experience(memory)
    state = State.__new__(State)
    search = ActionCosts(asked, lambda _state: "town").search([ONE, COSTLY], {}, state)
    found = search(THERE, {})
    assert found is not None
    assert names_of(found) == ("two",)
    assert asked.moved == {MemoryUse.COSTS: 1}
    search(THERE, {})
    assert asked.moved == {MemoryUse.COSTS: 1}  # the same decision again


def test_counts_of_changed_decisions_are_part_of_a_checkpoint(memory: AgentMemory) -> None:
    asked = experience(memory)
    asked.record_influence(MemoryUse.PEOPLE, "an errand", "she only talks")
    again = experience(memory)
    again.restore(asked.to_json())
    again.record_influence(MemoryUse.PEOPLE, "an errand", "she only talks")
    assert again.moved == {MemoryUse.PEOPLE: 1}
