"""A tour without an end: what keeps the agent busy once its story is told.

A capability like those of the registry, made of the same parts, for whoever hands it to a session.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from agent.capabilities import BoundAction, Capability, GameContext, Sensor
from agent.capabilities.battle import battling
from agent.capabilities.travel import at
from agent.perception import Percept
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Skill, buy, once, roam, talk, wait
from agent.story.places import Place
from agent.story.story import Clerk, Healer
from emulator import State
from memory import Recall

PRIORITY: Final = 10  # below all that anybody else wants
COST: Final = 5
FIGHTS: Final = 3  # for one stop in the grass
FRESH: Final = 50  # percent of HP, and of PP, with which one goes there
REST: Final = 1  # ticks between two stops
GLANCE: Final = 30  # frames that a place is looked at
POTION: Final = 20
PRICE: Final = 300
MENUS: Final = frozenset({"busy", "text", "stray_menu"})
FIT: Final = (Require("party:hp", at_least=FRESH), Require("party:pp", at_least=FRESH))


@dataclass(frozen=True, slots=True)
class Stop:
    """Somewhere to go, and who is there: somebody who heals or sells, grass, or nobody of interest."""

    place: Place
    healer: Healer | None = None
    clerk: Clerk | None = None
    is_wild: bool = False

    @property
    def fact(self) -> str:
        """The name of the fact that this is not the stop to make next."""
        return f"stop:{self.place.name}"


def brawl(kit: GameContext) -> Capability:
    """Fight every battle for what it teaches; takes the place of the story's way to look at battles."""
    return battling(kit.dex)


def tour(kit: GameContext) -> Capability:
    """Go from place to place of the story, in an order of chance, and do there what can be done."""
    under_way = Tour(tuple(_stops(kit)), kit)
    return Capability(
        name="tour",
        sensors=(Sensor(under_way.facts, under_way.read),),
        deeds=tuple(_deed(stop, under_way, kit) for stop in under_way.stops),
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
    """The stop that is due; a stop ends with what is done there, or with its last fight."""

    def __init__(self, stops: tuple[Stop, ...], kit: GameContext) -> None:
        self.stops = stops
        self.made = 0
        self.facts = frozenset(stop.fact for stop in stops)
        self._story, self._ledger = kit.story, kit.ledger
        self._chance = kit.chance("tour")
        self._at_rest = dict.fromkeys(self.facts, 1)
        self._told: Mapping[str, int] = self._at_rest
        self._due: Stop | None = None
        self._rested = 0
        self._fights = 0
        self._fighting = False

    def read(self, percept: Percept, _recall: Recall) -> Mapping[str, int]:
        """Tell which stop is due: none before the story's last milestone."""
        state = percept.state
        self._watch(state.in_battle)
        if self._due is None and self._ledger.has(self._story.milestones[-1].id):
            self._rested += state.in_control
            if self._rested > REST:
                self._draw(state)
        elif self._due is not None and self._due.is_wild and self._fights >= FIGHTS:
            self.arrive()
        return self._told

    def arrive(self) -> None:
        """Call the stop made, and want nothing for a moment: who rests is not lost."""
        self.made += 1
        self._due, self._told = None, self._at_rest
        self._rested = 0

    def making(self, skill: Skill) -> Skill:
        """Do what is done at a stop; however that ends, the tour goes on."""
        outcome = yield from skill
        self.arrive()
        return outcome

    def _draw(self, state: State) -> None:
        """Choose the next stop among those whose way is open."""
        open_to = [
            stop
            for stop in self.stops
            if stop.place.map_id != state.map.map_id and self._story.is_near(state, stop.place)
        ]
        self._due = self._chance.choice(open_to)
        self._told = {**self._at_rest, self._due.fact: 0}
        self._fights = 0

    def _watch(self, fighting: bool) -> None:  # noqa: FBT001  # a look, and no flag
        self._fights += fighting and not self._fighting
        self._fighting = fighting


def _stops(kit: GameContext) -> Iterator[Stop]:
    healers = {each.place: each for each in kit.story.healers}
    clerks = {each.place: each for each in kit.story.clerks}
    for place in kit.story.places:
        wild = kit.dex.wild.get(place.map_id)
        is_wild = wild is not None and wild.grass is not None
        yield Stop(place, healers.get(place.name), clerks.get(place.name), is_wild)


def _deed(stop: Stop, under_way: Tour, kit: GameContext) -> BoundAction:
    def begin(state: State) -> Skill:
        return under_way.making(_done_at(stop, kit, state))

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
    return BoundAction(
        action, begin, suppresses=MENUS if stop.healer or stop.clerk else frozenset({"busy"})
    )


def _done_at(stop: Stop, kit: GameContext, state: State) -> Skill:
    if stop.healer is not None:
        return talk(stop.healer.person, kit.terrain, state, say_yes=True)
    if stop.clerk is not None:
        wanted = state.bag.quantity(POTION) + (state.player.money >= PRICE)
        return buy(stop.clerk.person, {POTION: wanted}, kit.terrain, state)
    if stop.is_wild:
        return roam(kit.terrain, state)
    return once(wait(GLANCE))
