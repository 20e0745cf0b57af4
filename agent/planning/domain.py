"""Actions and goals, and the check that they fit together before anybody searches."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from agent.planning.facts import Effect, Facts, Require


class DomainError(ValueError):
    """A domain that no search should be asked about; the message names every fault."""


@dataclass(frozen=True, slots=True)
class Action:
    """One operation: when it is possible, what it should change, what it costs, and its words."""

    name: str
    requires: tuple[Require, ...]
    effects: tuple[Effect, ...]
    cost: int
    says: str

    def possible(self, facts: Facts) -> bool:
        """Say whether every precondition holds."""
        return all(require.holds(facts) for require in self.requires)


@dataclass(frozen=True, slots=True)
class Goal:
    """Conditions worth reaching; the goal with the highest priority that is not reached comes first."""

    name: str
    requires: tuple[Require, ...]
    priority: int
    says: str

    def reached(self, facts: Facts) -> bool:
        """Say whether every condition holds."""
        return all(require.holds(facts) for require in self.requires)


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

    def next_goal(
        self, facts: Facts, demotions: Mapping[str, int] = MappingProxyType({})
    ) -> Goal | None:
        """Return the most urgent goal that is not reached, or None when all are.

        `demotions` takes priority away from goals by name.
        """
        open_goals = (goal for goal in self.goals if not goal.reached(facts))
        return max(
            open_goals, key=lambda goal: goal.priority - demotions.get(goal.name, 0), default=None
        )

    def _faults_of_actions(self) -> Iterator[str]:
        yield from _repeated("action", [action.name for action in self.actions])
        for action in self.actions:
            if not action.effects:
                yield f"action {action.name!r} has no effect"
            if action.cost < 1:
                yield f"action {action.name!r} must cost at least 1"
            for fact in _facts_of(action) - self.sensed:
                yield f"action {action.name!r} names fact {fact!r}, which no sensor tells"

    def _faults_of_goals(self) -> Iterator[str]:
        yield from _repeated("goal", [goal.name for goal in self.goals])
        effects = [effect for action in self.actions for effect in action.effects]
        for goal in self.goals:
            if not goal.requires:
                yield f"goal {goal.name!r} has no condition"
            for require in goal.requires:
                if require.fact not in self.sensed:
                    yield f"goal {goal.name!r} names fact {require.fact!r}, which no sensor tells"
                elif not any(_helps(effect, require) for effect in effects):
                    yield f"goal {goal.name!r} wants {require}, which no action brings about"


def _facts_of(action: Action) -> set[str]:
    required = {require.fact for require in action.requires}
    return required | {effect.fact for effect in action.effects}


def _helps(effect: Effect, require: Require) -> bool:
    return effect.fact == require.fact and require.holds({effect.fact: effect.becomes})


def _repeated(kind: str, names: Collection[str]) -> Iterator[str]:
    for name in sorted({name for name in names if list(names).count(name) > 1}):
        yield f"{kind} {name!r} is defined more than once"
