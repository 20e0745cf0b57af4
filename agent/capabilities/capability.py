"""Capabilities: the sensors, actions, goals and reflexes of one topic of play."""

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
# Facts that several topics need.
HP: Final = "party:hp"  # percent of the HP of the weakest fighter
PP: Final = "party:pp"  # percent of the PP of the attacks of the best member
BALLS: Final = "bag:balls"
PLACES: Final = "team:places"  # free places in the team
RESTED: Final = 80  # percent of HP and PP needed for a trainer battle
# Reflexes that do not fire during a skill that reads texts and answers menus itself.
SCREEN_REFLEXES: Final = frozenset({"busy", "text", "stray_menu"})


@dataclass(frozen=True, slots=True)
class Sensor:
    """The facts it reports, and the function that reads them."""

    fact_names: frozenset[str]
    read: Read


def home(town: int) -> str:
    """Return the name of the fact that a defeat leads to this town."""
    return f"home:{town}"


def flag(name: str, holds: Callable[[State], bool]) -> Sensor:
    """Return a sensor of one fact that is 1 while `holds` is true of the state."""
    return Sensor(frozenset({name}), lambda percept, _recall: {name: int(holds(percept.state))})


def watching(
    before: Mapping[str, int],
    sources: Callable[[State], tuple[object, ...]],
    read: Callable[[State], Mapping[str, int]],
) -> Sensor:
    """Return a sensor that reads a state again only when its `sources` have changed.

    Sensors run every tick, and their sources rarely change. `before` holds the facts until a game has started.
    """
    last: tuple[object, ...] = ()
    facts = before

    def sense(percept: Percept, _recall: Recall) -> Mapping[str, int]:
        nonlocal last, facts
        state = percept.state
        if not state.game_started:
            return before
        now = sources(state)
        if now != last:
            last, facts = now, read(state)
        return facts

    return Sensor(frozenset(before), sense)


def recalling(
    fact_names: frozenset[str], scope: str, read: Callable[[Recall], Mapping[str, int]]
) -> Sensor:
    """Return a sensor that queries memory again only when something in `scope` has changed."""
    last: tuple[object, ...] = ()
    facts: Mapping[str, int] = {}

    def sense(_percept: Percept, recall: Recall) -> Mapping[str, int]:
        nonlocal last, facts
        now = recall, recall.changes(scope)
        if now != last:
            last, facts = now, read(recall)
        return facts

    return Sensor(fact_names, sense)


@dataclass(frozen=True, slots=True)
class BoundAction:
    """An action of the planner, and the skill that performs it.

    It is cancelled when `while_true` no longer holds, as when a battle begins during a walk. `suppresses` names
    the reflexes that do not fire meanwhile, because the skill handles their conditions. An action with
    `at_once` takes no step of the game: the next action of the plan begins in the same decision.
    `note` returns what memory knows of beginning it in a state.
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
    label: str


@dataclass(frozen=True, slots=True)
class Capability:
    """One topic of play; every route avoids its hazards, and its passages open obstacles to routes."""

    name: str
    sensors: tuple[Sensor, ...] = ()
    actions: tuple[BoundAction, ...] = ()
    goals: tuple[Goal, ...] = ()
    reflexes: tuple[Reflex, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    passages: tuple[Passage, ...] = ()


class Senses:
    """All sensors, read each tick; most report the same as in the tick before."""

    def __init__(self, capabilities: Sequence[Capability]) -> None:
        self._reads = [sensor.read for each in capabilities for sensor in each.sensors]
        self._last: list[Mapping[str, int]] = []
        self._facts: Facts = {}

    def read(self, percept: Percept, recall: Recall) -> Facts:
        """Return every fact of this tick; the same object while nothing has changed."""
        readings = [read(percept, recall) for read in self._reads]
        if readings != self._last:
            self._last = readings
            self._facts = {fact: value for each in readings for fact, value in each.items()}
        return self._facts


def domain_of(capabilities: Sequence[Capability]) -> Domain:
    """Return the validated planning domain; raises DomainError when the parts do not fit together."""
    domain = Domain(
        actions=tuple(bound.action for each in capabilities for bound in each.actions),
        goals=tuple(goal for each in capabilities for goal in each.goals),
        sensed=frozenset(
            fact for each in capabilities for sensor in each.sensors for fact in sensor.fact_names
        ),
    )
    domain.validate()
    return domain
