"""Picking up items on the map: the example capability in docs/extending.md."""

from dataclasses import replace

from agent.capabilities import forage
from agent.skills import Outcome, SkillRun
from emulator import Facing, State
from emulator.profile import symbol
from tests.agent.demo import STORY, WORLD, free_in, game_context, sensed_facts
from tests.agent.support import Game, game_fixture, state_fixture

WOOD, HEATHER_WAY = 51, 13
SOUTHERN_PART = 12  # its first row
BAG, CAPACITY, SOMETHING = symbol("wNumBagItems"), 20, 5
EVENTS, BEATEN = symbol("wEventFlags"), 0x562  # the first event of the wood's trainers


FORAGING = forage.capability(game_context())


def items_on_map(state: State) -> int:
    return sensed_facts(FORAGING, state)[forage.ITEMS]


# The first step into Dapple Wood: no item picked up, no wild Pokemon, all trainers beaten.
wood = game_fixture(free_in(WOOD), {symbol("wGrassRate"): 0, EVENTS + BEATEN // 8: 0xFF})


def test_an_item_on_the_map_is_picked_up(wood: Game) -> None:
    before = wood.state
    there = items_on_map(before)
    assert there
    (bound,) = FORAGING.actions
    assert wood.carry_out(bound.begin(before)) is Outcome.DONE
    assert items_on_map(wood.state) == there - 1
    assert sum(s.quantity for s in wood.state.bag.items) == 1 + sum(
        s.quantity for s in before.bag.items
    )


def test_a_full_bag_leaves_items_on_the_map(wood: Game) -> None:
    stacks = {BAG + 1 + 2 * n + byte: SOMETHING for n in range(CAPACITY) for byte in (0, 1)}
    wood.poke({BAG: CAPACITY, **stacks, BAG + 1 + 2 * CAPACITY: 0xFF})
    assert wood.state.bag.full
    assert items_on_map(wood.state) == 0


def test_an_item_behind_boulders_is_left(wood: Game) -> None:
    state = wood.state
    present = {each.slot for each in state.people_present}
    fixed = {e.slot for e in WORLD.map(WOOD).people if not e.walks and not e.item} & present
    moving = {each.slot for each in WORLD.map(WOOD).people if each.walks}

    def left(slot: int) -> int:
        beside = {(p.x + f.dx, p.y + f.dy) for p in state.people for f in Facing}
        walls = [replace(state.people[0], slot=slot, x=x, y=y) for x, y in beside]
        seen = replace(state, people=(*state.people, *walls))
        return sensed_facts(forage.capability(game_context()), seen)[forage.ITEMS]

    assert left(max(moving, default=0)) == items_on_map(state)  # people who walk go away again
    assert left(min(fixed)) == 0


def test_nothing_is_picked_up_where_each_step_is_paid_for(wood: Game) -> None:
    places = [replace(each, safari=each.map_id == WOOD) for each in STORY.places]
    game = replace(game_context(), story=replace(STORY, places=tuple(places)))
    assert items_on_map(wood.state)
    assert sensed_facts(forage.capability(game), wood.state)[forage.ITEMS] == 0


start = state_fixture(lambda state: state.in_control)


def test_without_items_on_the_map_the_action_is_blocked(start: State) -> None:
    assert items_on_map(start) == 0
    (bound,) = FORAGING.actions
    assert SkillRun(bound.begin(start)).outcome is Outcome.BLOCKED


near_it = state_fixture(free_in(HEATHER_WAY))
beyond_the_wood = state_fixture(
    lambda state: free_in(HEATHER_WAY)(state) and state.position.y < SOUTHERN_PART
)


def test_an_item_behind_another_map_is_left_until_the_player_is_nearer(
    near_it: State, beyond_the_wood: State
) -> None:
    assert items_on_map(near_it) == 1
    flags = replace(beyond_the_wood.flags, hidden=near_it.flags.hidden)
    left = replace(beyond_the_wood, flags=flags, people=near_it.people)
    assert items_on_map(left) == 0
