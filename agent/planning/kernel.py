"""The search itself, compiled: A* over bits in arrays, without any knowledge of facts, actions and goals.

A bit set takes several words of `WORD` bits. A search state is such a set, and one number, the code, for the values of
the facts that prices depend on.
"""

from heapq import heappop, heappush
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from emulator.compiled import compiled

Numbers: TypeAlias = "NDArray[np.int64]"

WORD: Final = 62  # bits of a word: it is never negative
HASHED: Final = (1 << 31) - 1
FACTOR: Final = 1_540_483_477
NOTHING: Final = -1
HOLDS, UNSEEN, MISSING, COUNTED = range(4)  # what a lower bound knows of a condition
FOUND, EXHAUSTED, UNFINISHED = range(3)  # results of a search


class Operators(NamedTuple):
    """All actions of a search in bits, a row for each.

    An action is possible if the bits in `needs` are set; then it leaves the bits in `keeps` and sets those in `sets`.
    `gains` are those that it sets and does not need, `uses` those that it makes use of. `moves` has a bit for each value it
    changes, from `change_at` on in `changes`: the stride and size of the value in the code, and its new digit. The price of an
    action adds to its cost: a row of `prices`, with a column for each digit of the value in `paid_by`, a stride and a size.
    """

    needs: Numbers
    keeps: Numbers
    sets: Numbers
    gains: Numbers
    uses: Numbers
    moves: Numbers
    change_at: Numbers
    changes: Numbers
    paid_by: Numbers
    prices: Numbers


class Helpers(NamedTuple):
    """For each bit the actions that set it, from `at` on in `actions`, and the bits that all of these need."""

    at: Numbers
    actions: Numbers
    needs_at: Numbers
    needs: Numbers


class BitProblem(NamedTuple):
    """A search for the `needed` bits, which are those of `goal` by their numbers, with some actions and their costs.

    `left` and `known` are room for a lower bound.
    """

    needed: Numbers
    goal: Numbers
    actions: Numbers
    operators: Operators
    helpers: Helpers
    costs: Numbers
    left: Numbers
    known: Numbers


# Rows are named by their number: numba counts references to each view of a row, which takes longer than most of this.
@compiled
def within(rows: Numbers, row: int, bits: Numbers) -> bool:
    """Return whether `bits` has all bits of a row."""
    for at in range(rows.shape[1]):  # noqa: SIM110  # numba compiles no generator
        if rows[row, at] & ~bits[at]:
            return False
    return True


@compiled
def holds(rows: Numbers, row: int, bits: Numbers) -> bool:
    """Return whether a row has all bits of `bits`."""
    for at in range(len(bits)):  # noqa: SIM110  # numba compiles no generator
        if bits[at] & ~rows[row, at]:
            return False
    return True


@compiled
def useful_actions(start: Numbers, needed: Numbers, operators: Operators) -> Numbers:
    """Return the actions that can become possible and gain anything, in order.

    An action can become possible if it does when bits, once set, are never cleared.
    """
    count = len(operators.needs)
    reached, is_possible = start.copy(), np.zeros(count, np.bool_)
    is_growing = True
    while is_growing:
        is_growing = False
        for at in range(count):
            if not is_possible[at] and within(operators.needs, at, reached):
                is_possible[at] = is_growing = True
                for word in range(len(reached)):
                    reached[word] |= operators.sets[at, word]
    # One that gains nothing, such as a walk to where nothing is to be done, is a detour.
    useful, number, none = np.empty(count, np.int64), 0, np.zeros(len(start), np.int64)
    for at in range(count):
        if is_possible[at] and not within(operators.gains, at, none):
            useful[number] = at
            number += 1
    return useful[:number].copy()


@compiled
def bits_in(words: Numbers) -> Numbers:
    """Return the numbers of the bits that are set, in order."""
    found, count = np.empty(len(words) * WORD, np.int64), 0
    for at in range(len(words)):
        rest, bit = words[at], at * WORD
        while rest:
            if rest & 1:
                found[count] = bit
                count += 1
            rest >>= 1
            bit += 1
    return found[:count].copy()


@compiled
def helpers_of(actions: Numbers, operators: Operators) -> Helpers:
    """Return the helpers of each bit among some actions."""
    bits = operators.sets.shape[1] * WORD
    at, needs_at = np.zeros(bits + 1, np.int64), np.zeros(bits + 1, np.int64)
    for each in actions:
        for bit in bits_in(operators.sets[each]):
            at[bit + 1] += 1
    for bit in range(bits):
        at[bit + 1] += at[bit]
    found, filled = np.empty(at[-1], np.int64), at.copy()
    common = np.full((bits, operators.sets.shape[1]), NOTHING, np.int64)
    for each in actions:
        for bit in bits_in(operators.sets[each]):
            found[filled[bit]] = each
            filled[bit] += 1
            for word in range(common.shape[1]):
                common[bit, word] &= operators.needs[each, word]
    needs = np.empty(bits * bits, np.int64)
    for bit in range(bits):
        needs_at[bit + 1] = needs_at[bit]
        if at[bit + 1] > at[bit]:
            for other in bits_in(common[bit]):
                needs[needs_at[bit + 1]] = other
                needs_at[bit + 1] += 1
    return Helpers(at, found, needs_at, needs)


@compiled
def lower_bound(bits: Numbers, problem: BitProblem) -> int:
    """Return a lower bound of the cost to set all bits of the goal, NOTHING if they cannot be set.

    A required condition that does not hold must be satisfied; so must every condition that all its helpers need. For each
    of these the cheapest helper is counted, at what is left of its cost: what one condition counted is taken from all its
    helpers, so that no action is ever counted for more than it costs.
    """
    helpers, left, known = problem.helpers, problem.left, problem.known
    forget(bits, problem)
    total, lowest = 0, len(known)
    for bit in problem.goal:
        if known[bit] == UNSEEN:
            known[bit] = MISSING
            lowest = min(lowest, bit)
    while lowest < len(known):
        bit = lowest
        lowest += 1
        if known[bit] != MISSING:
            continue
        known[bit] = COUNTED
        least = cheapest(bit, helpers, left)
        if least == NOTHING:
            return NOTHING
        total += least
        for at in range(helpers.needs_at[bit], helpers.needs_at[bit + 1]):
            other = helpers.needs[at]
            if known[other] == UNSEEN:
                known[other] = MISSING
                lowest = min(lowest, other)
    return int(total)


@compiled
def forget(bits: Numbers, problem: BitProblem) -> None:
    """Begin a lower bound: all is left of the costs, and nothing is known but the bits that are set."""
    for action in range(len(problem.left)):
        problem.left[action] = problem.costs[action]
    for at in range(len(problem.needed)):
        for bit in range(WORD):
            problem.known[at * WORD + bit] = HOLDS if bits[at] >> bit & 1 else UNSEEN


@compiled
def cheapest(bit: int, helpers: Helpers, left: Numbers) -> int:
    """Return what is left of the cost of a bit's cheapest helper, NOTHING without one, and take it from all helpers."""
    first, end = helpers.at[bit], helpers.at[bit + 1]
    if first == end:
        return NOTHING
    least = left[helpers.actions[first]]
    for at in range(first + 1, end):
        least = min(least, left[helpers.actions[at]])
    if least:
        for at in range(first, end):
            left[helpers.actions[at]] -= least
    return int(least)


COST, STATE, ACTION, PRICE, BEFORE = range(5)  # columns of an entry
BEST, BOUND = range(2)  # columns of a state: the least cost so far, and the lower bound of the rest


class Room(NamedTuple):
    """States and entries of one search, with room for more; `counts` are how many there are of each.

    `places` is a hash table of the numbers of states. An entry is a path to a state: its cost, its last action with what
    that costs, and the entry before it.
    """

    states: Numbers
    values: Numbers
    places: Numbers
    entries: Numbers
    counts: Numbers


@compiled
def place_of(places: Numbers, states: Numbers, state: int) -> int:
    """Return the place of an equal state in a hash table of the numbers of `states`, or the free place for it."""
    hashed = 0
    for at in range(states.shape[1]):
        hashed = ((hashed ^ states[state, at] ^ states[state, at] >> 31) & HASHED) * FACTOR & HASHED
        hashed ^= hashed >> 15
    place = hashed & len(places) - 1
    while places[place] != NOTHING and not are_equal(states, places[place], state):
        place = place + 1 & len(places) - 1
    return int(place)


@compiled
def are_equal(states: Numbers, one: int, other: int) -> bool:
    """Return whether two states are equal."""
    for at in range(states.shape[1]):  # noqa: SIM110  # numba compiles no generator
        if states[one, at] != states[other, at]:
            return False
    return True


@compiled
def with_room(room: Room, more: int) -> Room:
    """Return the same with room for so many more states and entries."""
    states, values, places, entries, counts = room
    if counts[0] + more >= len(states):
        states, values = enlarged(states, more), enlarged(values, more)
        size = len(places)
        while size < 4 * len(states):
            size *= 2
        places = np.full(size, NOTHING, np.int64)
        for number in range(counts[0]):
            places[place_of(places, states, number)] = number
    if counts[1] + more >= len(entries):
        entries = enlarged(entries, more)
    return Room(states, values, places, entries, counts)


@compiled
def enlarged(rows: Numbers, more: int) -> Numbers:
    """Return rows with room for as many again, and `more`."""
    made = np.empty((2 * len(rows) + more, rows.shape[1]), np.int64)
    for row in range(len(rows)):  # numba compiles an assignment of slices with texts for its errors
        for column in range(rows.shape[1]):
            made[row, column] = rows[row, column]
    return made


@compiled
def search(
    start: Numbers,
    needed: Numbers,
    actions: Numbers,
    operators: Operators,
    costs: Numbers,
    limits: tuple[int, int, int],
) -> tuple[int, Numbers]:
    """Return the result of a search, and if it is FOUND the actions in order, each with what it costs.

    `start` is the state to begin with, its last number the code. `limits` are what a plan may cost, the weight of the
    estimate, and how many entries are looked at. Of equal estimates the older entry comes first.
    """
    problem = BitProblem(
        needed,
        bits_in(needed),
        actions,
        operators,
        helpers_of(actions, operators),
        costs,
        left=costs.copy(),
        known=np.empty(len(needed) * WORD, np.int64),
    )
    most, weight, budget = limits
    words, none = len(needed), np.empty((0, 2), np.int64)
    room = Room(
        np.empty((1, words + 1), np.int64),
        np.empty((1, 2), np.int64),
        np.full(4, NOTHING, np.int64),
        np.full((1, 5), NOTHING, np.int64),
        np.ones(2, np.int64),
    )
    for at in range(len(start)):
        room.states[0, at] = start[at]
    room.entries[0, COST] = room.entries[0, STATE] = 0
    room.places[place_of(room.places, room.states, 0)] = 0
    bound = lower_bound(start, problem)
    room.values[0, BEST], room.values[0, BOUND] = 0, bound
    if bound == NOTHING or bound > most:
        return EXHAUSTED, none
    heap = [(weight * bound, 0)]
    for _ in range(budget):
        if not heap:
            return EXHAUSTED, none
        here = heappop(heap)[1]
        state = room.entries[here, STATE]
        if holds(room.states, state, needed):
            return FOUND, path_to(here, room.entries)
        if room.entries[here, COST] > room.values[state, BEST]:
            continue  # a cheaper path to the same state was found meanwhile
        room = with_room(room, len(actions))
        before = room.counts[1]
        expand(here, room, problem, most)
        for entry in range(before, room.counts[1]):
            bound = room.values[room.entries[entry, STATE], BOUND]
            heappush(heap, (room.entries[entry, COST] + weight * bound, entry))
    return UNFINISHED, none


@compiled
def expand(here: int, room: Room, problem: BitProblem, most: int) -> None:
    """Add an entry for each action that is possible after one, unless a path to its state is known that costs no more."""
    states, values, places, entries, counts = room
    operators, words = problem.operators, len(problem.needed)
    bits, last = states[entries[here, STATE]].copy(), entries[here, ACTION]
    for each in problem.actions:
        if not within(operators.needs, each, bits) or (
            last != NOTHING and is_undone(last, each, operators)
        ):
            continue
        price = problem.costs[each] + price_at(bits[words], each, operators)
        cost = entries[here, COST] + price
        number = counts[0]  # as of a new state
        for at in range(words):
            states[number, at] = bits[at] & operators.keeps[each, at] | operators.sets[each, at]
        states[number, words] = code_after(bits[words], each, operators)
        place = place_of(places, states, number)
        if places[place] == NOTHING:
            places[place] = number
            values[number, BEST] = cost + 1
            values[number, BOUND] = lower_bound(states[number], problem)
            counts[0] += 1
        number = places[place]
        bound = values[number, BOUND]
        if bound == NOTHING or cost + bound > most or cost >= values[number, BEST]:
            continue
        values[number, BEST] = cost
        entry = counts[1]
        entries[entry, COST], entries[entry, STATE] = cost, number
        entries[entry, ACTION], entries[entry, PRICE] = each, price
        entries[entry, BEFORE] = here
        counts[1] += 1


@compiled
def is_undone(last: int, following: int, operators: Operators) -> bool:
    """Return whether nothing of an action is left, or was needed, when another one comes next.

    Then it was in vain: the other one alone costs no more, since a detour never lowers a price by what it costs.
    """
    for at in range(operators.gains.shape[1]):
        if operators.gains[last, at] & operators.uses[following, at]:
            return False
    return not operators.moves[last] & ~operators.moves[following]


@compiled
def price_at(code: int, action: int, operators: Operators) -> int:
    """Return what an action costs more in a state."""
    stride, size = operators.paid_by[action, 0], operators.paid_by[action, 1]
    return int(operators.prices[action, code // stride % size])


@compiled
def code_after(code: int, action: int, operators: Operators) -> int:
    """Return the code of the state after an action."""
    for at in range(operators.change_at[action], operators.change_at[action + 1]):
        stride, size, digit = (
            operators.changes[at, 0],
            operators.changes[at, 1],
            operators.changes[at, 2],
        )
        code += (digit - code // stride % size) * stride
    return int(code)


@compiled
def path_to(entry: int, entries: Numbers) -> Numbers:
    """Return the actions of the path to an entry, each with what it costs."""
    length, at = 0, entry
    while entries[at, BEFORE] != NOTHING:
        length, at = length + 1, entries[at, BEFORE]
    path = np.empty((length, 2), np.int64)
    while length:
        length -= 1
        path[length, 0], path[length, 1] = entries[entry, ACTION], entries[entry, PRICE]
        entry = entries[entry, BEFORE]
    return path
