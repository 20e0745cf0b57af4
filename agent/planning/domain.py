"""Facts, conditions, actions and goals, and the validation of a domain before any search.

Facts are named integers with a direction: conditions compare with at least or at most, never with
equality.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, Self, TypeAlias

Facts: TypeAlias = Mapping[str, int]


class _Bounds(NamedTuple):
    fact: str
    at_least: int | None
    at_most: int | None


class Require(_Bounds):
    """A condition on one fact; a fact that was not sensed counts as 0.

    A tuple, since conditions are compared and hashed very often.
    """

    __slots__ = ()

    def __new__(cls, fact: str, at_least: int | None = None, at_most: int | None = None) -> Self:
        """Return the condition; raise ValueError unless it has exactly one bound."""
        if (at_least is None) == (at_most is None):
            raise ValueError(f"{fact!r} needs exactly one of at_least and at_most")
        return super().__new__(cls, fact, at_least, at_most)

    def holds(self, facts: Facts) -> bool:
        """Return whether `facts` meet the condition."""
        value = facts.get(self.fact, 0)
        # The same test as `accepts`, inlined for speed: it runs for every goal and action.
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is not None and value <= self.at_most

    def accepts(self, value: int) -> bool:
        """Return whether `value` of the fact meets the condition."""
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is not None and value <= self.at_most

    def __str__(self) -> str:
        if self.at_least is not None:
            return f"{self.fact} >= {self.at_least}"
        return f"{self.fact} <= {self.at_most}"


class Effect(NamedTuple):
    """The expected change of one fact by an action: a prediction of the search, checked by sensing."""

    fact: str
    becomes: int


def after(facts: Facts, effects: tuple[Effect, ...]) -> dict[str, int]:
    """Return the facts after `effects`."""
    return {**facts, **dict(effects)}


class DomainError(ValueError):
    """An invalid domain; the message names every fault."""


class Extra(NamedTuple):
    """An addition to a cost that depends on the value of one fact."""

    fact: str
    price: Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Action:
    """One operation: its preconditions, effects, cost and label.

    `cost` is the minimum cost; `extra`, if any, adds to it by the value of a fact. `note` explains to a reader
    why the action has this cost, or why it is planned.
    """

    name: str
    requires: tuple[Require, ...]
    effects: tuple[Effect, ...]
    cost: int
    label: str
    extra: Extra | None = field(default=None, compare=False)
    note: str = field(default="", compare=False)

    def possible(self, facts: Facts) -> bool:
        """Return whether every precondition holds."""
        return all(require.holds(facts) for require in self.requires)

    def changes(self, facts: Facts) -> bool:
        """Return whether it would change any of `facts`."""
        return any(facts.get(effect.fact, 0) != effect.becomes for effect in self.effects)

    def helps(self, require: Require) -> bool:
        """Return whether one of the effects satisfies `require`."""
        values = (each.becomes for each in self.effects if each.fact == require.fact)
        return any(map(require.accepts, values))


@dataclass(frozen=True, slots=True)
class Goal:
    """Conditions to reach; of the goals not reached, the highest priority comes first.

    The goal is dropped while one of `unless` holds; plans that cost more than `most_cost` are not worth it.
    """

    name: str
    requires: tuple[Require, ...]
    priority: int
    label: str
    unless: tuple[Require, ...] = ()
    most_cost: int | None = None

    def reached(self, facts: Facts) -> bool:
        """Return whether every condition holds."""
        for require in self.requires:  # noqa: SIM110  # called for every goal in every decision; a generator is slower
            if not require.holds(facts):
                return False
        return True


@dataclass(frozen=True, slots=True)
class Domain:
    """All actions and goals, and the facts that sensors report."""

    actions: tuple[Action, ...]
    goals: tuple[Goal, ...]
    sensed: frozenset[str]

    def validate(self) -> None:
        """Raise DomainError unless every fact is sensed, every action acts, every goal can be reached."""
        if faults := self._faults():
            raise DomainError("; ".join(faults))

    @lru_cache(maxsize=8)  # noqa: B019  # each branch of a game builds an equal domain again
    def _faults(self) -> tuple[str, ...]:
        return (*self._faults_of_actions(), *self._faults_of_goals())

    def open_goals(
        self, facts: Facts, demotions: Mapping[str, int] = MappingProxyType({})
    ) -> list[Goal]:
        """Return the goals that are neither reached nor dropped, the most urgent first.

        `demotions` lowers the priority of goals by name.
        """
        waiting = [
            goal
            for goal in self.goals
            if not goal.reached(facts)
            and not (goal.unless and any(each.holds(facts) for each in goal.unless))
        ]
        return sorted(waiting, key=lambda goal: demotions.get(goal.name, 0) - goal.priority)

    def _faults_of_actions(self) -> Iterator[str]:
        yield from _repeated("action", [action.name for action in self.actions])
        for action in self.actions:
            if not action.effects:
                yield f"action {action.name!r} has no effect"
            if action.cost < 1:
                yield f"action {action.name!r} must cost at least 1"
            named = {each.fact for each in action.requires} | {each.fact for each in action.effects}
            for fact in sorted(named - self.sensed):
                yield f"action {action.name!r} names fact {fact!r}, which no sensor reports"

    def _faults_of_goals(self) -> Iterator[str]:
        yield from _repeated("goal", [goal.name for goal in self.goals])
        values = self._values_within_reach()
        for goal in self.goals:
            if not goal.requires:
                yield f"goal {goal.name!r} has no condition"
            for fact in sorted({each.fact for each in goal.unless} - self.sensed):
                yield f"goal {goal.name!r} names fact {fact!r}, which no sensor reports"
            for require in goal.requires:
                if require.fact not in self.sensed:
                    yield f"goal {goal.name!r} names fact {require.fact!r}, which no sensor reports"
                elif not any(action.helps(require) for action in self.actions):
                    yield f"goal {goal.name!r} requires {require}, which no action can bring about"
                elif not _met(require, values):
                    yield f"goal {goal.name!r} requires {require}, which is unreachable from the start"

    def _values_within_reach(self) -> dict[str, set[int]]:
        """Return the values each fact can take from power-on, where every fact is 0, if effects never conflict.

        Facts that no action changes are left out: the game may set them to any value.
        """
        values = {effect.fact: {0} for action in self.actions for effect in action.effects}
        waiting, before = list(self.actions), len(self.actions) + 1
        while len(waiting) < before:
            before, actions, waiting = len(waiting), waiting, []
            for action in actions:
                if all(_met(require, values) for require in action.requires):
                    for effect in action.effects:
                        values[effect.fact].add(effect.becomes)
                else:
                    waiting.append(action)
        return values


def _met(require: Require, values: Mapping[str, Collection[int]]) -> bool:
    return require.fact not in values or any(map(require.accepts, values[require.fact]))


def _repeated(kind: str, names: Collection[str]) -> Iterator[str]:
    for name in sorted({name for name in names if list(names).count(name) > 1}):
        yield f"{kind} {name!r} is defined more than once"
