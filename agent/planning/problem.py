"""One goal as a search problem in bits.

Every relevant condition is a bit, set if it holds. An action is possible if the bits it needs are set; its effects set
some bits and clear others. The values of facts that a price depends on are digits of a number, the code.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from agent.planning.domain import Action, Effect, Extra, Facts, Goal, Require
from agent.planning.kernel import WORD, Numbers, Operators

# The name, conditions and effects of an action, and its extra cost.
_Shape: TypeAlias = tuple[str, tuple[Require, ...], tuple[Effect, ...], Extra | None]


class Shapes:
    """What a search takes from actions beside their costs, as a cache key: every branch of a game makes equal actions."""

    __slots__ = ("_hash", "shapes")

    def __init__(self, actions: Sequence[Action]) -> None:
        self.shapes: list[_Shape] = [
            (each.name, each.requires, each.effects, each.extra) for each in actions
        ]
        self._hash = hash(tuple([each.name for each in actions]))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shapes) and other.shapes == self.shapes


class Digit(NamedTuple):
    """The digit of the code for one fact: its place, and the digit of each value; the last digit is for any other."""

    stride: int
    size: int
    of_value: Mapping[int, int]


class Problem(NamedTuple):
    """The part of a search that depends on neither facts nor costs.

    `conditions` are those of the bits, in order, and `needed` the bits of the goal. `chosen` are the indexes of the actions
    that can help, and `operators` the same in bits.
    """

    conditions: Sequence[Require]
    needed: Numbers
    chosen: Sequence[int]
    operators: Operators
    digits: Mapping[str, Digit]
    extras: Sequence[Extra | None]

    def start(self, facts: Facts) -> Numbers:
        """Return the search state of some facts."""
        held = _bits(number for number, each in enumerate(self.conditions) if each.holds(facts))
        code = 0
        for fact, (stride, size, of_value) in self.digits.items():
            code += stride * of_value.get(facts.get(fact, 0), size - 1)
        return np.array([*_words(held, len(self.needed)), code], np.int64)

    def operators_at(self, facts: Facts) -> Operators:
        """Return the operators, with the prices at values that no action leads to."""
        others = {
            fact: facts.get(fact, 0)
            for fact, each in self.digits.items()
            if facts.get(fact, 0) not in each.of_value
        }
        if not others:
            return self.operators
        prices = self.operators.prices.copy()
        for row, each in enumerate(self.extras):
            if each is not None and each.fact in others:
                prices[row, self.digits[each.fact].size - 1] = each.price(others[each.fact])
        return self.operators._replace(prices=prices)

    @classmethod
    @lru_cache(maxsize=128)
    def of(cls, goal: Goal, actions: Shapes) -> "Problem":
        """Return the search problem of a goal, with all relevant conditions and actions."""
        effects = _indexed(actions)
        conditions, chosen = _relevant(goal, actions.shapes, effects)
        helpful = [actions.shapes[index] for index in chosen]
        bit_of = {require: 1 << number for number, require in enumerate(conditions)}
        extras = [extra for *_, extra in helpful]
        digits = _digits(extras, effects)
        words = len(bit_of) // WORD + 1
        changes = _changes(bit_of, effects)
        bits = [
            _in_bits(shape, effects.of_action[index], bit_of, changes)
            for index, shape in zip(chosen, helpful, strict=True)
        ]
        needs, keeps, sets, gains, uses = (
            np.array([_words(each[at], words) for each in bits], np.int64).reshape(-1, words)
            for at in range(5)
        )
        moved = [
            [
                (place, *each[:2], each.of_value[effects.of_action[index][fact]])
                for place, (fact, each) in enumerate(digits.items())
                if fact in effects.of_action[index]
            ]
            for index in chosen
        ]
        operators = Operators(
            needs,
            keeps,
            sets,
            gains,
            uses,
            moves=np.array([_bits(place for place, *_ in each) for each in moved], np.int64),
            change_at=np.cumsum([0, *map(len, moved)], dtype=np.int64),
            changes=np.array([each[1:] for row in moved for each in row], np.int64).reshape(-1, 3),
            paid_by=np.array(
                [digits[each.fact][:2] if each is not None else (1, 1) for each in extras], np.int64
            ).reshape(-1, 2),
            prices=_price_table(extras, digits),
        )
        needed = np.array(
            _words(sum(bit_of[each] for each in dict.fromkeys(goal.requires)), words), np.int64
        )
        return cls(conditions, needed, chosen, operators, digits, extras)


class _Effects(NamedTuple):
    """The effects of all actions: by fact, with the index of the action, and by action, the last one for each fact."""

    of_fact: Mapping[str, Sequence[tuple[int, int]]]
    of_action: Sequence[Mapping[str, int]]


@lru_cache(maxsize=8)
def _indexed(actions: Shapes) -> _Effects:
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


def _in_bits(
    shape: _Shape,
    effects: Mapping[str, int],
    bit_of: Mapping[Require, int],
    changes: Mapping[tuple[str, int], tuple[int, int]],
) -> tuple[int, int, int, int, int]:
    """Return the bits that an action needs, keeps, sets, gains and makes use of, as `Operators` says."""
    sets = clears = 0
    for effect in effects.items():
        if effect in changes:
            more, fewer = changes[effect]
            sets, clears = sets | more, clears | fewer
    needs = 0
    for require in shape[1]:
        needs |= bit_of[require]
    return needs, ~clears, sets, sets & ~needs, needs | ~clears & ~sets


def _digits(extras: Iterable[Extra | None], effects: _Effects) -> dict[str, Digit]:
    """Return the digits of the code for the facts that extra costs depend on."""
    digits: dict[str, Digit] = {}
    stride = 1
    for fact in dict.fromkeys(each.fact for each in extras if each is not None):
        values = sorted({value for _, value in effects.of_fact.get(fact, ())})
        digits[fact] = Digit(stride, len(values) + 1, {each: at for at, each in enumerate(values)})
        stride *= len(values) + 1
    return digits


def _price_table(extras: Sequence[Extra | None], digits: Mapping[str, Digit]) -> Numbers:
    """Return the price of each action for each digit."""
    columns = max((each.size for each in digits.values()), default=1)
    table = np.zeros((len(extras), columns), np.int64)
    for row, each in enumerate(extras):
        if each is not None:
            known = _prices(each.price, tuple(digits[each.fact].of_value))
            table[row, : len(known)] = known
    return table


@lru_cache(maxsize=1_024)
def _prices(price: Callable[[int], int], values: tuple[int, ...]) -> list[int]:
    """Return the prices at some values, which many goals ask for."""
    return [price(each) for each in values]


def _bits(numbers: Iterable[int]) -> int:
    bits = 0
    for each in numbers:
        bits |= 1 << each
    return bits


def _words(bits: int, count: int) -> list[int]:
    """Return bits in words, the lowest first."""
    return [bits >> at * WORD & (1 << WORD) - 1 for at in range(count)]
