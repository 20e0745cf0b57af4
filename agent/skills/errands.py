"""Single places: trash can switches, entrance fees, the Safari Zone, fossils, vending machines, the flute."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from agent.skills.menu import answer_and_leave, by_kind, entry, from_bag, in_start_menu, select
from agent.skills.route import Spot, find_route, spot_of
from agent.skills.skill import Movement, Outcome, Skill, tap, wait
from agent.skills.talk import examine, read_text, talk
from agent.skills.terrain import Terrain
from agent.skills.walk import Destination, travel
from emulator import RED, Button, Facing, Menu, MenuKind, State, World

FIRST_LOCK: Final = RED.events["1st_lock_opened"]
SECOND_LOCK: Final = RED.events["2nd_lock_opened"]
TRIES: Final = 6  # two suffice; a wrong can resets the puzzle
LOOKS: Final = 12  # checks for the question, eight frames apart
YES: Final = 0
FIRST_ROW: Final = 2  # of the fossil list, whose entries are two rows apart
USE: Final = 0
BESIDE: Final = ((0, 1), (0, -1), (-1, 0), (1, 0))


def search(cans: Sequence[tuple[int, int]], terrain: Terrain, state: State) -> Skill:
    """Press the first and then the second trash can switch; `cans` are the squares in numerical order."""
    for _ in range(TRIES):
        if state.flags.is_set(SECOND_LOCK):
            return Outcome.DONE
        hidden = state.switches
        number = hidden.second if state.flags.is_set(FIRST_LOCK) else hidden.first
        if number >= len(cans):
            break
        outcome = yield from examine(cans[number], terrain, state, facings=tuple(Facing))
        if outcome is not Outcome.DONE:
            return outcome
        state = yield wait(8)
    return Outcome.DONE if state.flags.is_set(SECOND_LOCK) else Outcome.BLOCKED


def say_yes(there: Destination, terrain: Terrain, state: State) -> Skill:
    """Walk to a destination and answer yes to the question there; BLOCKED without a question."""
    outcome = yield from travel(terrain, there, state)
    for _ in range(LOOKS):
        state = yield wait(8)
        if state.dialogue.is_open:
            yield from read_text(state, say_yes=True)
            return Outcome.DONE
    return Outcome.BLOCKED if outcome is Outcome.DONE else outcome


def pick_up(slot: int, outside: int, terrain: Terrain, state: State) -> Skill:
    """Pick up the item in sprite slot `slot` of this map; BLOCKED without a route.

    If the remaining Safari Zone steps do not suffice, leave for map `outside`.
    """
    start = spot_of(state)
    steps = steps_to(slot, start.map_id, terrain.world(state), start)
    if steps is None:
        return Outcome.BLOCKED
    if steps >= state.safari.steps:
        return (yield from say_yes(Destination(outside), terrain, state))
    return (yield from talk(slot, terrain, state))


def steps_to(slot: int, map_id: int, world: World, start: Spot) -> int | None:
    """Return the number of steps from a spot to a square beside a map object, or None without a route."""
    there = next((each for each in world.map(map_id).people if each.slot == slot), None)
    if there is None:
        return None
    target = start._replace(map_id=map_id, x=there.x, y=there.y)
    beside = {target.next_to(facing)[:3] for facing in Facing}
    way = find_route(world, start, lambda spot: spot[:3] in beside)
    return None if way is None else len(way)


def hand_in(slot: int, item: int, name: str, terrain: Terrain, state: State) -> Skill:
    """Give the item called `name` to the person in sprite slot `slot`, choosing it from the list shown."""
    return (yield from talk(slot, terrain, state, on_text=partial(_give, item, name)))


def _give(item: int, name: str, state: State) -> Movement:
    chosen = False

    def answer(state: State, menu: Menu) -> Movement:
        nonlocal chosen
        rows = enumerate(state.screen_rows[FIRST_ROW::2])
        row = next((number for number, words in rows if name in words), None)
        if menu.kind is MenuKind.FOSSILS and row is not None:
            chosen = True
            return (yield from select(row, state))
        if menu.kind is MenuKind.YES_NO and chosen:
            return (yield from select(YES, state))
        return (yield tap(Button.B, settle=16))

    return (yield from answer_and_leave(answer, lambda now: not now.bag.quantity(item), state))


def collect(
    slot: int, outside: int, terrain: Terrain, is_waiting: Callable[[State], bool], state: State
) -> Skill:
    """Collect from the person in sprite slot `slot` what was left with them.

    While `is_waiting`, first leave for map `outside` and return.
    """
    if is_waiting(state):
        for map_id in (outside, state.map.map_id):
            outcome = yield from travel(terrain, Destination(map_id), state)
            if outcome is not Outcome.DONE:
                return outcome
            state = yield wait(1)
    return (yield from talk(slot, terrain, state))


def vend(item: int, row: int, square: tuple[int, int], terrain: Terrain, state: State) -> Skill:
    """Walk to the vending machine on a square of this map and choose a row of its menu once."""
    return (yield from examine(square, terrain, state, on_text=partial(_buy, item, row)))


def _buy(item: int, row: int, state: State) -> Movement:
    before, asked = state.bag.quantity(item), False

    def answer(state: State, menu: Menu) -> Movement:
        nonlocal asked
        if menu.kind is not MenuKind.VENDING or asked:  # a second try would be refused too
            return (yield tap(Button.B, settle=16))
        asked = True
        return (yield from select(row, state))

    return (yield from answer_and_leave(answer, lambda now: now.bag.quantity(item) > before, state))


def use_at(item: int, square: tuple[int, int], terrain: Terrain, state: State) -> Skill:
    """Stand beside a square of this map and use an item; DONE when a battle begins."""
    x, y = square
    beside = frozenset((x + across, y + down) for across, down in BESIDE)
    outcome = yield from travel(terrain, Destination(state.map.map_id, beside), state)
    if outcome is not Outcome.DONE:
        return outcome
    answer = by_kind({**from_bag(item), MenuKind.USE_TOSS: entry(USE)})
    return (yield from in_start_menu(answer, lambda state: state.in_battle, state))
