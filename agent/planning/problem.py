"""One goal as a search problem in bits, and the lower bound of the remaining cost.

Every relevant condition is a bit, set if it holds. An action is possible if the bits it needs are set;
its effects set some bits and clear others. Facts that change a cost are held as numbers beside the
bits.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Self, TypeAlias

from agent.planning.domain import Action, Effect, Facts, Goal, Require

# The bits that are set, and the values of the facts that extra costs depend on.
SearchState: TypeAlias = tuple[int, tuple[int, ...]]


class Operator(NamedTuple):
    """An action in bits; `places` are the numbers it changes, `paid_by` is the number its extra cost depends on.

    `gains` are the bits that it sets and that need not be set before it. It makes use of the bits in `uses` and leaves
    all numbers but those in `moves`.
    """

    needs: int
    keeps: int
    sets: int
    gains: int
    uses: int
    moves: int
    places: tuple[tuple[int, int], ...]
    paid_by: int

    def undoes(self, earlier: "Operator") -> bool:
        """Return whether nothing of an action is left, or was needed, when this one comes next.

        Then it was in vain: this one alone costs no more, since a detour never lowers an extra cost by what it costs.
        """
        return not (earlier.gains & self.uses or earlier.moves & ~self.moves)

    def then(self, before: SearchState) -> SearchState:
        """Return the search state after it."""
        bits, values = before
        if self.places:
            changed = list(values)
            for place, value in self.places:
                changed[place] = value
            values = tuple(changed)
        return bits & self.keeps | self.sets, values


class SearchProblem(NamedTuple):
    """The start of a search, the bits the goal requires, and the relevant actions in their order.

    `operators` are the actions in bits. `following` holds the numbers of the actions worth trying after each, as far as
    they were asked for.
    """

    start: SearchState
    needed: int
    actions: tuple[Action, ...]
    operators: tuple[Operator, ...]
    following: dict[int | None, Sequence[int]]

    def after(self, number: int | None) -> Sequence[int]:
        """Return the numbers of the actions to try after the one with a number, or at the start."""
        if number is None:
            return range(len(self.operators))
        if number not in self.following:
            last = self.operators[number]
            self.following[number] = [
                number for number, each in enumerate(self.operators) if not each.undoes(last)
            ]
        return self.following[number]

    @classmethod
    def of(cls, goal: Goal, facts: Facts, actions: Sequence[Action]) -> Self | None:
        """Return the search problem, or None when the goal is unreachable.

        It is unreachable if it stays out of reach even when bits, once set, are never cleared.
        """
        bit_of, numbers, chosen, operators = _drafted(goal, _Shapes(actions))
        start = _sum(bit for require, bit in bit_of.items() if require.holds(facts))
        needed = _sum(bit_of[require] for require in goal.requires)
        possible = _ever_possible(start, needed, operators)
        if possible is None:
            return None
        # One that gains nothing, such as a walk to where nothing is to be done, is a detour.
        useful = [at for at in possible if operators[at].gains]
        values = tuple([facts.get(fact, 0) for fact in numbers])
        return cls(
            (start, values),
            needed,
            tuple([actions[chosen[at]] for at in useful]),
            tuple([operators[at] for at in useful]),
            {},
        )


# The name, conditions and effects of an action, and the fact that its extra cost depends on.
_Shape: TypeAlias = tuple[str, tuple[Require, ...], tuple[Effect, ...], str | None]


class _Shapes:
    """What a search takes from actions beside their costs, as a cache key: every branch of a game makes equal actions."""

    __slots__ = ("_hash", "shapes")

    def __init__(self, actions: Sequence[Action]) -> None:
        self.shapes: list[_Shape] = [
            (each.name, each.requires, each.effects, each.extra.fact if each.extra else None)
            for each in actions
        ]
        self._hash = hash(tuple([each.name for each in actions]))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Shapes) and other.shapes == self.shapes


class _Draft(NamedTuple):
    """The part of a search problem that depends on neither facts nor costs; `chosen` are the indexes of its actions."""

    bit_of: Mapping[Require, int]
    numbers: Mapping[str, int]
    chosen: Sequence[int]
    operators: Sequence[Operator]


@lru_cache(maxsize=128)
def _drafted(goal: Goal, actions: _Shapes) -> _Draft:
    """Return the bits, the numbers and the operators of the relevant actions."""
    effects = _indexed(actions)
    relevant, chosen = _relevant(goal, actions.shapes, effects)
    helpful = [actions.shapes[index] for index in chosen]
    bit_of = {require: 1 << number for number, require in enumerate(relevant)}
    paid_by = dict.fromkeys(fact for *_, fact in helpful if fact is not None)
    numbers = {fact: place for place, fact in enumerate(paid_by)}
    changes = _changes(bit_of, effects)
    operators = [
        _operator(shape, effects.of_action[index], bit_of, changes, numbers)
        for index, shape in zip(chosen, helpful, strict=True)
    ]
    return _Draft(bit_of, numbers, chosen, operators)


class _Effects(NamedTuple):
    """The effects of all actions: by fact, with the index of the action, and by action, the last one for each fact."""

    of_fact: Mapping[str, Sequence[tuple[int, int]]]
    of_action: Sequence[Mapping[str, int]]


@lru_cache(maxsize=8)
def _indexed(actions: _Shapes) -> _Effects:
    """Return the effects of the actions, which every goal asks for."""
    of_fact: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for index, (_, _, effects, _) in enumerate(actions.shapes):
        for fact, becomes in effects:
            of_fact[fact].append((index, becomes))
    return _Effects(of_fact, [dict(effects) for _, _, effects, _ in actions.shapes])


def _relevant(
    goal: Goal, shapes: Sequence[_Shape], effects: _Effects
) -> tuple[list[Require], list[int]]:
    """Return all relevant conditions, and the indexes of the actions that can satisfy one of them."""
    relevant: dict[Require, None] = dict.fromkeys(goal.requires)
    chosen: set[int] = set()
    waiting = list(relevant)
    while waiting:
        require = waiting.pop()
        for index, becomes in effects.of_fact.get(require.fact, ()):
            if index in chosen or not require.accepts(becomes):
                continue
            chosen.add(index)
            requires = shapes[index][1]
            fresh = [each for each in requires if each not in relevant]
            relevant.update(dict.fromkeys(fresh))
            waiting += fresh
    return list(relevant), sorted(chosen)


def _changes(
    bit_of: Mapping[Require, int], effects: _Effects
) -> dict[tuple[str, int], tuple[int, int]]:
    """Return the bits that each effect sets and those that it clears, for effects on relevant facts."""
    changes: dict[tuple[str, int], tuple[int, int]] = {}
    for require, bit in bit_of.items():
        for becomes in {value for _, value in effects.of_fact.get(require.fact, ())}:
            sets, clears = changes.get((require.fact, becomes), (0, 0))
            if require.accepts(becomes):
                changes[require.fact, becomes] = sets | bit, clears
            else:
                changes[require.fact, becomes] = sets, clears | bit
    return changes


def _operator(
    shape: _Shape,
    effects: Mapping[str, int],
    bit_of: Mapping[Require, int],
    changes: Mapping[tuple[str, int], tuple[int, int]],
    numbers: Mapping[str, int],
) -> Operator:
    sets = clears = 0
    for effect in effects.items():
        if effect in changes:
            more, fewer = changes[effect]
            sets, clears = sets | more, clears | fewer
    _, requires, _, paid_by = shape
    needs = _sum(bit_of[require] for require in requires)
    places = tuple([(place, effects[fact]) for fact, place in numbers.items() if fact in effects])
    return Operator(
        needs=needs,
        keeps=~clears,
        sets=sets,
        gains=sets & ~needs,
        uses=needs | ~clears & ~sets,
        moves=_sum(1 << place for place, _ in places),
        places=places,
        paid_by=numbers[paid_by] if paid_by is not None else 0,
    )


def _sum(bits: Iterator[int]) -> int:
    total = 0
    for bit in bits:
        total |= bit
    return total


def _ever_possible(start: int, needed: int, operators: Sequence[Operator]) -> list[int] | None:
    """Return the operators reachable if bits are only ever set; None when the goal is not reachable."""
    within, found = start, list[int]()
    waiting: Sequence[int] = range(len(operators))
    while True:
        missing = ~within
        possible = [at for at in waiting if not operators[at].needs & missing]
        if not possible:
            break
        waiting = [at for at in waiting if operators[at].needs & missing]
        found += possible
        for at in possible:
            within |= operators[at].sets
    return None if needed & ~within else sorted(found)


class LowerBound:
    """The lower bound of one search problem, computed once for each set of bits.

    A required condition that does not hold must be satisfied; so must every condition that all its helper actions
    need. For each of these the cheapest helper is counted, at what is left of its cost: what one condition counted
    is taken from all its helpers, so that no action is ever counted for more than it costs.
    """

    def __init__(self, question: SearchProblem) -> None:
        self._needed = question.needed
        self._costs = [each.cost for each in question.actions]
        self._helpers: dict[int, list[int]] = defaultdict(list)  # the operators that set each bit
        self._needs: dict[int, int] = {}  # and the bits all of them need
        for number, each in enumerate(question.operators):
            for bit in _bits(each.sets):
                self._helpers[bit].append(number)
                self._needs[bit] = self._needs.get(bit, each.needs) & each.needs
        # The bits that are looked at; states that differ in others only have the same bound.
        self._relevant = self._needed | _sum(iter(self._needs.values()))
        self._known: dict[int, int | None] = {}

    def of(self, bits: int) -> int | None:
        """Return the lowest remaining cost when `bits` are set; None when the goal is unreachable."""
        relevant = bits & self._relevant
        if relevant not in self._known:
            self._known[relevant] = self._measure(relevant)
        return self._known[relevant]

    def _measure(self, bits: int) -> int | None:
        total, left = 0, self._costs.copy()
        missing = seen = self._needed & ~bits
        while missing:
            bit = missing & -missing
            missing ^= bit
            helpers = self._helpers.get(bit)
            if helpers is None:
                return None
            costs = [left[each] for each in helpers]
            if least := min(costs):
                total += least
                for each in helpers:
                    left[each] -= least
            fresh = self._needs[bit] & ~bits & ~seen
            missing, seen = missing | fresh, seen | fresh
        return total


def _bits(bits: int) -> Iterator[int]:
    while bits:
        bit = bits & -bits
        yield bit
        bits ^= bit
