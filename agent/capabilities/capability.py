"""What a capability is: the sensors, actions, goals and reflexes of one topic."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from agent.perception.percept import Percept
from agent.planning.domain import Action, Domain, Facts, Goal, Require
from agent.skills import Hazard, Passage, Skill
from emulator import State, Step
from memory import Recall

Read: TypeAlias = Callable[[Percept, Recall], Mapping[str, int]]

PEACE: Final = Require("in_battle", at_most=0)
FREE: Final = Require("in_control", at_least=1)
# What a skill that reads texts and answers menus sees to itself.
SCREEN_REFLEXES: Final = frozenset({"busy", "text", "stray_menu"})


@dataclass(frozen=True, slots=True)
class Sensor:
    """The facts it can tell, and how it reads them."""

    tells: frozenset[str]
    read: Read


def flag(name: str, holds: Callable[[State], bool]) -> Sensor:
    """Return a sensor of the fact whether something holds in a state."""
    return Sensor(frozenset({name}), lambda percept, _recall: {name: int(holds(percept.state))})


def watching(
    before: Mapping[str, int],
    sources: Callable[[State], tuple[object, ...]],
    read: Callable[[State], Mapping[str, int]],
) -> Sensor:
    """Return a sensor that reads a state anew only when its `sources` are others than the last time.

    It is asked every tick, and hardly ever has anything changed. `before` is what holds until a game has begun.
    """
    last: tuple[object, ...] = ()
    facts = before

    def tell(percept: Percept, _recall: Recall) -> Mapping[str, int]:
        nonlocal last, facts
        state = percept.state
        if not state.game_started:
            return before
        now = sources(state)
        if now != last:
            last, facts = now, read(state)
        return facts

    return Sensor(frozenset(before), tell)


def recalling(
    tells: frozenset[str], scope: str, read: Callable[[Recall], Mapping[str, int]]
) -> Sensor:
    """Return a sensor that asks memory anew only when something in `scope` has changed since the last time."""
    last: tuple[object, ...] = ()
    facts: Mapping[str, int] = {}

    def tell(_percept: Percept, recall: Recall) -> Mapping[str, int]:
        nonlocal last, facts
        now = recall, recall.changes(scope)
        if now != last:
            last, facts = now, read(recall)
        return facts

    return Sensor(tells, tell)


@dataclass(frozen=True, slots=True)
class BoundAction:
    """An action of the planner, and the skill that carries it out.

    It is dropped as soon as `while_true` is not so, as when a battle begins on a walk. `suppresses` names
    the reflexes that do not fire meanwhile, because the skill handles what they watch for. One that is
    done `at_once` takes no step of the game: the next action of the plan begins in the same decision.
    `note` says what memory knows of beginning it at a moment.
    """

    action: Action
    begin: Callable[[State], Skill]
    suppresses: frozenset[str] = frozenset()
    while_true: Require = PEACE
    at_once: bool = False
    note: Callable[[State], str] | None = None


@dataclass(frozen=True, slots=True)
class Reflex:
    """A rule checked before every step; when it fires, its step comes first."""

    name: str
    fires: Callable[[Percept], bool]
    step: Step
    says: str


@dataclass(frozen=True, slots=True)
class Capability:
    """One topic of play; its hazards are what every route keeps clear of, its passages what routes get past."""

    name: str
    sensors: tuple[Sensor, ...] = ()
    actions: tuple[BoundAction, ...] = ()
    goals: tuple[Goal, ...] = ()
    reflexes: tuple[Reflex, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    passages: tuple[Passage, ...] = ()


class Senses:
    """Every sensor there is, asked each tick; few tell anything else than the tick before."""

    def __init__(self, capabilities: Sequence[Capability]) -> None:
        self._reads = [sensor.read for each in capabilities for sensor in each.sensors]
        self._told: list[Mapping[str, int]] = []
        self._facts: Facts = {}

    def read(self, percept: Percept, recall: Recall) -> Facts:
        """Return every fact of this moment; the same object while nothing has changed."""
        told = [read(percept, recall) for read in self._reads]
        if told != self._told:
            self._told = told
            self._facts = {fact: value for each in told for fact, value in each.items()}
        return self._facts


def domain_of(capabilities: Sequence[Capability]) -> Domain:
    """Return the validated planning domain; raises DomainError when the parts do not fit."""
    domain = Domain(
        actions=tuple(bound.action for each in capabilities for bound in each.actions),
        goals=tuple(goal for each in capabilities for goal in each.goals),
        sensed=frozenset(
            fact for each in capabilities for sensor in each.sensors for fact in sensor.tells
        ),
    )
    domain.validate()
    return domain
