"""Facts, conditions, actions and goals, and the checks that they fit together before any search.

Facts are named integers with a direction: conditions ask for at least or at most, never for
equality.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

Facts: TypeAlias = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Require:
    """A condition on one fact; a fact that was not sensed counts as 0."""

    fact: str
    at_least: int | None = None
    at_most: int | None = None

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.at_most is None):
            message = f"{self.fact!r} needs exactly one of at_least and at_most"
            raise ValueError(message)

    def holds(self, facts: Facts) -> bool:
        """Say whether `facts` meet the condition."""
        value = facts.get(self.fact, 0)
        # As `accepts` says, without the call: this is asked of every goal and action.
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is not None and value <= self.at_most

    def accepts(self, value: int) -> bool:
        """Say whether the fact meets the condition when it is `value`."""
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is not None and value <= self.at_most

    def __str__(self) -> str:
        if self.at_least is not None:
            return f"{self.fact} >= {self.at_least}"
        return f"{self.fact} <= {self.at_most}"


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action is expected to do to one fact. A prediction of the search, checked by sensing."""

    fact: str
    becomes: int


def after(facts: Facts, effects: tuple[Effect, ...]) -> dict[str, int]:
    """Return the facts as `effects` would leave them."""
    return {**facts, **{effect.fact: effect.becomes for effect in effects}}


class DomainError(ValueError):
    """A domain that no search should be asked about; the message names every fault."""


class Extra(NamedTuple):
    """What comes on top of a cost, by the value of one fact."""

    fact: str
    price: Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Action:
    """One operation: when it is possible, what it should change, what it costs, and its words.

    `cost` is the least it can cost; `extra`, where there is one, tells what comes on top. `note` is what a
    reader should know of why it costs that, or is wanted.
    """

    name: str
    requires: tuple[Require, ...]
    effects: tuple[Effect, ...]
    cost: int
    says: str
    extra: Extra | None = field(default=None, compare=False)
    note: str = field(default="", compare=False)

    def possible(self, facts: Facts) -> bool:
        """Say whether every precondition holds."""
        return all(require.holds(facts) for require in self.requires)

    def changes(self, facts: Facts) -> bool:
        """Say whether `facts` would be others after it."""
        return any(facts.get(effect.fact, 0) != effect.becomes for effect in self.effects)

    def helps(self, require: Require) -> bool:
        """Say whether one of the effects brings `require` about."""
        brought = (each.becomes for each in self.effects if each.fact == require.fact)
        return any(map(require.accepts, brought))


@dataclass(frozen=True, slots=True)
class Goal:
    """Conditions worth reaching; of the goals not reached, the highest priority comes first.

    It is let be once one of `unless` holds.
    """

    name: str
    requires: tuple[Require, ...]
    priority: int
    says: str
    unless: tuple[Require, ...] = ()

    def reached(self, facts: Facts) -> bool:
        """Say whether every condition holds."""
        for require in self.requires:  # noqa: SIM110  # asked of every goal again and again, and a generator costs more
            if not require.holds(facts):
                return False
        return True


@dataclass(frozen=True, slots=True)
class Domain:
    """All actions and goals there are, and the facts that sensors can tell."""

    actions: tuple[Action, ...]
    goals: tuple[Goal, ...]
    sensed: frozenset[str]

    def validate(self) -> None:
        """Raise DomainError unless every fact is sensed, every action acts, every goal can be reached."""
        faults = [*self._faults_of_actions(), *self._faults_of_goals()]
        if faults:
            raise DomainError("; ".join(faults))

    def open_goals(
        self, facts: Facts, demotions: Mapping[str, int] = MappingProxyType({})
    ) -> list[Goal]:
        """Return the goals that are not reached and not let be, the most urgent first.

        `demotions` takes priority away from goals by name.
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
                yield f"action {action.name!r} names fact {fact!r}, which no sensor tells"

    def _faults_of_goals(self) -> Iterator[str]:
        yield from _repeated("goal", [goal.name for goal in self.goals])
        values = self._values_within_reach()
        for goal in self.goals:
            if not goal.requires:
                yield f"goal {goal.name!r} has no condition"
            for fact in sorted({each.fact for each in goal.unless} - self.sensed):
                yield f"goal {goal.name!r} names fact {fact!r}, which no sensor tells"
            for require in goal.requires:
                if require.fact not in self.sensed:
                    yield f"goal {goal.name!r} names fact {require.fact!r}, which no sensor tells"
                elif not any(action.helps(require) for action in self.actions):
                    yield f"goal {goal.name!r} wants {require}, which no action brings about"
                elif not _met(require, values):
                    yield f"goal {goal.name!r} wants {require}, which is out of reach from the start"

    def _values_within_reach(self) -> dict[str, set[int]]:
        """The values each fact can take from power-on, where every fact is 0, if nothing got in the way.

        Facts that no action changes are left out: the world may set them to anything.
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
