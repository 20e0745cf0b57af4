"""One goal as a search problem in bits, and the lower bound of what is left to pay.

Every condition that matters is a bit, set where it holds. An action is possible where the bits it
needs are set; its effects set some bits and clear others. Facts that change a cost are kept as
numbers beside the bits.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Self, TypeAlias

from agent.planning.domain import Action, Facts, Goal, Require

# The bits that are set, and the values of the facts that extra costs go by.
SearchState: TypeAlias = tuple[int, tuple[int, ...]]


class Operator(NamedTuple):
    """An action in bits; `places` says which numbers it changes, `paid_by` which one its extra cost goes by."""

    action: Action
    needs: int
    keeps: int
    sets: int
    places: tuple[tuple[int, int], ...]
    paid_by: int

    def price(self, values: tuple[int, ...]) -> int:
        """Return what it costs where the numbers are `values`."""
        extra = self.action.extra
        return self.action.cost + (extra.price(values[self.paid_by]) if extra is not None else 0)

    def then(self, moment: SearchState) -> SearchState:
        """Return the moment after it."""
        bits, values = moment
        if self.places:
            changed = list(values)
            for place, value in self.places:
                changed[place] = value
            values = tuple(changed)
        return bits & self.keeps | self.sets, values


class SearchProblem(NamedTuple):
    """Where the search starts, which bits the goal wants, and the actions that may be of use, in their order."""

    start: SearchState
    wanted: int
    operators: tuple[Operator, ...]

    @classmethod
    def of(cls, goal: Goal, facts: Facts, actions: Sequence[Action]) -> Self | None:
        """Return the question, or None where the goal is out of reach whatever is done.

        That is so when it stays out of reach although nothing that came true ever ceased to be.
        """
        bit_of, numbers, operators = _drafted(goal, _Same(tuple(actions)))
        start = _sum(bit for require, bit in bit_of.items() if require.holds(facts))
        wanted = _sum(bit_of[require] for require in goal.requires)
        possible = _ever_possible(start, wanted, operators)
        if possible is None:
            return None
        values = tuple([facts.get(fact, 0) for fact in numbers])
        return cls((start, values), wanted, tuple(possible))


class _Same:
    """Actions that count as the same only where each is one object: to compare all that they say costs more than it saves."""

    __slots__ = ("_ids", "actions")

    def __init__(self, actions: tuple[Action, ...]) -> None:
        self.actions = actions  # kept, so that no other object gets the id of one of them
        self._ids = tuple(map(id, actions))

    def __hash__(self) -> int:
        return hash(self._ids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other._ids == self._ids


class _Draft(NamedTuple):
    """What of a question is the same whatever the facts are."""

    bit_of: Mapping[Require, int]
    numbers: Mapping[str, int]
    operators: Sequence[Operator]


@lru_cache(maxsize=128)
def _drafted(goal: Goal, same: _Same) -> _Draft:
    """Return the bits, the numbers and the operators; a tuple that is asked about again is not worked out anew."""
    asked, helpful = _relevant(goal, same.actions)
    bit_of = {require: 1 << number for number, require in enumerate(asked)}
    bits: dict[str, list[tuple[Require, int]]] = defaultdict(list)
    for require, bit in bit_of.items():
        bits[require.fact].append((require, bit))
    numbers = _numbers(helpful)
    return _Draft(bit_of, numbers, [_operator(each, bit_of, bits, numbers) for each in helpful])


def _relevant(goal: Goal, actions: Sequence[Action]) -> tuple[list[Require], list[Action]]:
    """Return all conditions that may matter, and the actions that bring one of them about."""
    changes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for index, action in enumerate(actions):
        for effect in action.effects:
            changes[effect.fact].append((index, effect.becomes))
    asked: dict[Require, None] = dict.fromkeys(goal.requires)
    chosen: set[int] = set()
    waiting = list(asked)
    while waiting:
        require = waiting.pop()
        for index, becomes in changes.get(require.fact, ()):
            if index in chosen or not require.accepts(becomes):
                continue
            chosen.add(index)
            fresh = [each for each in actions[index].requires if each not in asked]
            asked.update(dict.fromkeys(fresh))
            waiting += fresh
    return list(asked), [actions[index] for index in sorted(chosen)]


def _numbers(actions: Sequence[Action]) -> dict[str, int]:
    """Return the place of each fact that an extra cost goes by."""
    facts = dict.fromkeys(each.extra.fact for each in actions if each.extra is not None)
    return {fact: place for place, fact in enumerate(facts)}


def _operator(
    action: Action,
    bit_of: Mapping[Require, int],
    bits: Mapping[str, Collection[tuple[Require, int]]],
    numbers: Mapping[str, int],
) -> Operator:
    sets = clears = 0
    for effect in action.effects:
        for require, bit in bits.get(effect.fact, ()):
            if require.accepts(effect.becomes):
                sets, clears = sets | bit, clears & ~bit
            else:
                sets, clears = sets & ~bit, clears | bit
    return Operator(
        action=action,
        needs=_sum(bit_of[require] for require in action.requires),
        keeps=~clears,
        sets=sets,
        places=tuple(
            [(numbers[each.fact], each.becomes) for each in action.effects if each.fact in numbers]
        ),
        paid_by=numbers[action.extra.fact] if action.extra is not None else 0,
    )


def _sum(bits: Iterator[int]) -> int:
    total = 0
    for bit in bits:
        total |= bit
    return total


def _ever_possible(start: int, wanted: int, operators: Sequence[Operator]) -> list[Operator] | None:
    """Return the operators that come within reach if bits are only ever set; None when the goal does not."""
    within, waiting = start, list(operators)
    while True:
        possible = [each for each in waiting if each.needs & ~within == 0]
        if not possible:
            break
        waiting = [each for each in waiting if each.needs & ~within != 0]
        for each in possible:
            within |= each.sets
    if wanted & ~within:
        return None
    hopeless = {each.action.name for each in waiting}
    return [each for each in operators if each.action.name not in hopeless]


class LowerBound:
    """The lower bound of one question, worked out once for each set of conditions that hold.

    A wanted condition that does not hold has to be brought about; so has whatever is needed by everything that
    could bring it about. For each of these the cheapest way is counted, unless an action that could have been
    counted before does it too: what is counted is paid in any case, and only once.
    """

    def __init__(self, question: SearchProblem) -> None:
        self._wanted = question.wanted
        # To each bit, the operators that set it, as bits of their own.
        self._helpers: dict[int, int] = {}
        self._costs: dict[int, int] = {}  # and the least of what they cost
        self._needs: dict[int, int] = {}  # and what all of them need
        for number, each in enumerate(question.operators):
            for bit in _bits(each.sets):
                cost = each.action.cost
                self._helpers[bit] = self._helpers.get(bit, 0) | 1 << number
                self._costs[bit] = min(self._costs.get(bit, cost), cost)
                self._needs[bit] = self._needs.get(bit, each.needs) & each.needs
        self._known: dict[int, int | None] = {}

    def of(self, bits: int) -> int | None:
        """Return the least that is left to pay where `bits` are set; None when the goal is out of reach."""
        if bits not in self._known:
            self._known[bits] = self._measure(bits)
        return self._known[bits]

    def _measure(self, bits: int) -> int | None:
        total = counted = 0
        missing = seen = self._wanted & ~bits
        while missing:
            bit = missing & -missing
            missing ^= bit
            helpers = self._helpers.get(bit)
            if helpers is None:
                return None
            if not helpers & counted:
                counted |= helpers
                total += self._costs[bit]
            fresh = self._needs[bit] & ~bits & ~seen
            missing, seen = missing | fresh, seen | fresh
        return total


def _bits(bits: int) -> Iterator[int]:
    while bits:
        bit = bits & -bits
        yield bit
        bits ^= bit
