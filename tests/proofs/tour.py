"""A tour without an end, which keeps the agent busy once its story is told.

A topic made of the same parts as the others: places in an order of chance, three fights wherever there is grass, a visit to healers and
clerks.
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
FIGHTS: Final = 3  # for one stop in the grass
FIT: Final = (Require("party:hp", at_least=50), Require("party:pp", at_least=50))
LOOK: Final = 30  # frames at a place with nothing to do
POTION, PRICE = 20, 300
MENUS: Final = frozenset({"busy", "text", "stray_menu"})


@dataclass(frozen=True, slots=True)
class Stop:
    """Somewhere to go: to a healer, a clerk, into grass, or for a look."""

    place: Place
    healer: Healer | None = None
    clerk: Clerk | None = None
    is_wild: bool = False

    @property
    def fact(self) -> str:
        """The name of the fact that this is not the stop to make next."""
        return f"stop:{self.place.name}"


def all_battles(kit: GameContext) -> Capability:
    """Fight every battle for what it teaches, instead of the story's choice."""
    return battling(BattlePolicy(kit.dex))


def tour(kit: GameContext) -> Capability:
    """Go from place to place, in an order of chance."""
    under_way = Tour(tuple(_stops(kit)), kit)
    return Capability(
        name="tour",
        sensors=(Sensor(under_way.facts, under_way.read),),
        actions=tuple(_deed(stop, under_way, kit) for stop in under_way.stops),
        goals=tuple(
            Goal(
                each.fact,
                (Require(each.fact, at_least=1),),
                PRIORITY,
                f"have been to {each.place.called}",
            )
            for each in under_way.stops
        ),
    )


class Tour:
    """The stop that is due; it ends with what is done there, or with its last fight."""

    def __init__(self, stops: tuple[Stop, ...], kit: GameContext) -> None:
        self.stops = stops
        self.facts = frozenset(stop.fact for stop in stops)
        self._story, self._ledger = kit.story, kit.ledger
        self._chance = kit.chance("tour")
        self._nothing_due = dict.fromkeys(self.facts, 1)
        self._told: Mapping[str, int] = self._nothing_due
        self._due: Stop | None = None
        self._rested = self._fights = 0
        self._was_fighting = False

    def read(self, percept: Percept, _recall: Recall) -> Mapping[str, int]:
        """Return which stop is due: none before the story's last milestone."""
        state = percept.state
        self._fights += state.in_battle and not self._was_fighting
        self._was_fighting = state.in_battle
        if self._due is None and self._ledger.has(self._story.milestones[-1].id):
            self._rested += state.in_control
            if self._rested > 1:  # a tick between two stops, as play that rests is not stuck
                self._draw(state)
        elif self._due is not None and self._due.is_wild and self._fights >= FIGHTS:
            self.arrive()
        return self._told

    def arrive(self) -> None:
        """Call the stop made."""
        self._due, self._told, self._rested = None, self._nothing_due, 0

    def making(self, skill: Skill) -> Skill:
        """Do what is done at a stop; however that ends, the tour goes on."""
        outcome = yield from skill
        self.arrive()
        return outcome

    def _draw(self, state: State) -> None:
        """Choose the next stop among those whose way is open."""
        self._due = self._chance.choice(
            [
                stop
                for stop in self.stops
                if stop.place.map_id != state.map.map_id and self._story.is_near(state, stop.place)
            ]
        )
        self._told = {**self._nothing_due, self._due.fact: 0}
        self._fights = 0


def _stops(kit: GameContext) -> Iterator[Stop]:
    healers = {each.place: each for each in kit.story.healers}
    clerks = {each.place: each for each in kit.story.clerks}
    for place in kit.story.places:
        wild = kit.dex.wild.get(place.map_id)
        is_wild = wild is not None and wild.grass is not None
        yield Stop(place, healers.get(place.name), clerks.get(place.name), is_wild)


def _deed(stop: Stop, under_way: Tour, kit: GameContext) -> BoundAction:
    action = Action(
        name=f"tour:{stop.place.name}",
        requires=(
            Require(at(stop.place.name), at_least=1),
            Require("in_control", at_least=1),
            *(FIT if stop.is_wild else ()),
        ),
        effects=(Effect(stop.fact, 1),),
        cost=COST,
        says=f"do what there is to do in {stop.place.called}",
    )
    suppresses = MENUS if stop.healer or stop.clerk else frozenset({"busy"})
    return BoundAction(
        action, lambda state: under_way.making(_at(stop, kit, state)), suppresses=suppresses
    )


def _at(stop: Stop, kit: GameContext, state: State) -> Skill:
    if stop.healer is not None:
        return talk(stop.healer.person, kit.terrain, state, say_yes=True)
    if stop.clerk is not None:
        wanted = state.bag.quantity(POTION) + (state.player.money >= PRICE)
        return buy(stop.clerk.person, {POTION: wanted}, kit.terrain, state)
    if stop.is_wild:
        return roam(kit.terrain, state)
    return once(wait(LOOK))
