"""Endless play: a tour that keeps the agent busy after the end of its story.

A capability made of the same parts as the others: places in random order, three battles in each grass area, visits to
healers and clerks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from agent.battle.policy import BattlePolicy
from agent.capabilities.battle import battling
from agent.capabilities.capability import BoundAction, Capability, Sensor
from agent.capabilities.context import GameContext
from agent.capabilities.travel import at
from agent.perception.percept import Percept
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Skill, buy, once, roam, talk, wait
from agent.story.interactions import Clerk, Healer
from agent.story.places import Place
from emulator import State
from memory import Recall

PRIORITY: Final = 10  # below all other goals
COST: Final = 5
FIGHTS: Final = 3  # for one stop in grass
FIT: Final = (Require("party:hp", at_least=50), Require("party:pp", at_least=50))
LOOK: Final = 30  # frames at a place with nothing to do
POTION, PRICE = 20, 300
MENUS: Final = frozenset({"busy", "text", "stray_menu"})


@dataclass(frozen=True, slots=True)
class Stop:
    """A place to visit: with a healer, a clerk, grass, or nothing."""

    place: Place
    healer: Healer | None = None
    clerk: Clerk | None = None
    is_wild: bool = False

    @property
    def fact(self) -> str:
        """The name of the fact that this is not the next stop."""
        return f"stop:{self.place.name}"


def all_battles(context: GameContext) -> Capability:
    """Fight every battle for experience, instead of the choice of the story."""
    return battling(BattlePolicy(context.dex), context)


def tour(context: GameContext) -> Capability:
    """Go from place to place, in random order."""
    route = Tour(tuple(_stops(context)), context)
    return Capability(
        name="tour",
        sensors=(Sensor(route.facts, route.read),),
        actions=tuple(_action(stop, route, context) for stop in route.stops),
        goals=tuple(
            Goal(
                each.fact,
                (Require(each.fact, at_least=1),),
                PRIORITY,
                f"have been to {each.place.called}",
            )
            for each in route.stops
        ),
    )


class Tour:
    """The current stop, which ends with its action or its last battle."""

    def __init__(self, stops: tuple[Stop, ...], context: GameContext) -> None:
        self.stops = stops
        self.facts = frozenset(stop.fact for stop in stops)
        self._story, self._ledger = context.story, context.ledger
        self._chance = context.chance("tour")
        self._nothing_due = dict.fromkeys(self.facts, 1)
        self._facts_now: Mapping[str, int] = self._nothing_due
        self._due: Stop | None = None
        self._rested = self._fights = 0
        self._was_fighting = False

    def read(self, percept: Percept, _recall: Recall) -> Mapping[str, int]:
        """Return the current stop as facts; none before the last milestone of the story."""
        state = percept.state
        self._fights += state.in_battle and not self._was_fighting
        self._was_fighting = state.in_battle
        if self._due is None and self._ledger.has(self._story.milestones[-1].id):
            self._rested += state.in_control
            if self._rested > 1:  # a tick between two stops, because resting play is not stuck
                self._draw(state)
        elif self._due is not None and self._due.is_wild and self._fights >= FIGHTS:
            self.arrive()
        return self._facts_now

    def arrive(self) -> None:
        """End the stop."""
        self._due, self._facts_now, self._rested = None, self._nothing_due, 0

    def visit(self, skill: Skill) -> Skill:
        """Perform the action of a stop; the tour continues with any outcome."""
        outcome = yield from skill
        self.arrive()
        return outcome

    def _draw(self, state: State) -> None:
        """Choose the next stop among those that are reachable."""
        self._due = self._chance.choice(
            [
                stop
                for stop in self.stops
                if stop.place.map_id != state.map.map_id and self._story.is_near(state, stop.place)
            ]
        )
        self._facts_now = {**self._nothing_due, self._due.fact: 0}
        self._fights = 0


def _stops(context: GameContext) -> Iterator[Stop]:
    healers = {each.place: each for each in context.story.healers}
    clerks = {each.place: each for each in context.story.clerks}
    for place in context.story.places:
        wild = context.dex.wild.get(place.map_id)
        is_wild = wild is not None and wild.grass is not None
        yield Stop(place, healers.get(place.name), clerks.get(place.name), is_wild)


def _action(stop: Stop, route: Tour, context: GameContext) -> BoundAction:
    action = Action(
        name=f"tour:{stop.place.name}",
        requires=(
            Require(at(stop.place.name), at_least=1),
            Require("in_control", at_least=1),
            *(FIT if stop.is_wild else ()),
        ),
        effects=(Effect(stop.fact, 1),),
        cost=COST,
        label=f"do what there is to do in {stop.place.called}",
    )
    suppresses = MENUS if stop.healer or stop.clerk else frozenset({"busy"})
    return BoundAction(
        action, lambda state: route.visit(_at(stop, context, state)), suppresses=suppresses
    )


def _at(stop: Stop, context: GameContext, state: State) -> Skill:
    if stop.healer is not None:
        return talk(stop.healer.person, context.terrain, state, say_yes=True)
    if stop.clerk is not None:
        quantity = state.bag.quantity(POTION) + (state.player.money >= PRICE)
        return buy(stop.clerk.person, {POTION: quantity}, context.terrain, state)
    if stop.is_wild:
        return roam(context.terrain, state)
    return once(wait(LOOK))
