"""Of games whose chapters are played in any order the world allows, RAM alone shows what comes next."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random
from typing import Final, NamedTuple

from agent.capabilities.story_tasks import reached, with_passed
from agent.planning.search import plan
from agent.story.milestones import Milestone
from tests.red_model.model import Model
from tests.red_model.moment import MACHINES, Moment
from tests.red_model.planner import FAME, Game, ModelPlanner, sense
from tests.red_model.random_moments import RandomPlayer
from tests.red_model.world import Arrival, Atlas, Fact, Region

TOURS: Final = range(5)
AT_RANDOM: Final = 300  # actions of a tour, before the planner plays on
EVERY: Final = 10  # actions between two moments
MAY_COME_TRUE: Final = {"clear", "there", "status_clear", "money", "owned", "owns"}
# Milestones beside the way, each with the next one on the way.
BESIDE: Final = {
    "healed": "forest",
    "left_ship": "vermilion",
    "rock_tunnel": "lavender",
    "second_switch": "third_switch",
}
# Facts that open the same way.
INSTEAD: Final = {
    "sleeper": ("event:beat_route16_snorlax",),
    "drink": ("item:soda_pop", "item:lemonade"),
}
NOT_IN_RAM: Final = {"rock_tunnel", "ship"}  # of a player who went back from there


class Stop(NamedTuple):
    """One moment of a tour, and the milestones that were passed until then."""

    moment: Moment
    passed: frozenset[str]


def tour(model: Model, planner: ModelPlanner, seed: int) -> Iterator[Stop]:
    """Yield moments of a game that begins at random and that the planner plays on."""
    passed = set[str]()
    for count, now in enumerate(_moments(model, planner, seed), start=1):
        passed |= _shown(model, now)
        if count % EVERY == 0:
            yield Stop(now, frozenset(passed))


def _moments(model: Model, planner: ModelPlanner, seed: int) -> Iterator[Moment]:
    moments = list(RandomPlayer(model, Random(f"order:{seed}")).walk(Moment(), AT_RANDOM))
    Game(model, planner, moments[-1]).play(lambda playing: moments.append(playing.moment))
    yield from (each for each in moments if not each.holds(FAME))


def _shown(model: Model, now: Moment) -> set[str]:
    """Return the milestones that a moment and the maps entered before show, each without any other."""
    return {
        each.id
        for each in model.story.milestones
        if each.map_id in {None, *now.visited}
        and each.home in {None, now.home}
        and (each.fact is None or now.holds(model.fact(each.fact)))
    }


class Change(NamedTuple):
    """What becomes true and where the player may come to, in some regions or anywhere, while all of `needs` hold."""

    at: frozenset[Region]
    needs: tuple[Fact, ...]
    gives: tuple[Fact, ...] = ()
    ends: tuple[Region, ...] = ()


@cache
def changes(atlas: Atlas) -> tuple[Change, ...]:
    """Return everything that changes a fact or leads to another region; any machine can be taught."""
    everywhere = frozenset(atlas.squares)
    joins = (each for rows in atlas.joins.values() for each in rows)
    happenings = (each for rows in atlas.happenings.values() for each in rows)
    fame = {"champion": (FAME,)}
    arrivals = (each for rows in atlas.arrivals.values() for each in rows)
    return (
        *(Change(frozenset({each.start}), each.needs, ends=(each.end,)) for each in joins),
        *(
            Change(each.regions, each.needs, (*each.gives, *fame.get(each.id, ())), _ends(each.end))
            for each in happenings
        ),
        *(
            Change(_before(atlas, each), each.when, each.gives, _ends(each.end))
            for each in arrivals
        ),
        *(Change(everywhere, *rule) for rule in atlas.rules),
        *(
            Change(everywhere, (Fact("item", item),), (Fact("move", move),))
            for move, item in MACHINES.items()
        ),
    )


def _before(atlas: Atlas, arrival: Arrival) -> frozenset[Region]:
    """Return the regions from which a map is entered."""
    joins = (each for rows in atlas.joins.values() for each in rows)
    return frozenset(
        each.start
        for each in joins
        if each.end.map_id == arrival.map_id and arrival.start in {None, each.start.map_id}
    )


def _ends(end: Region | None) -> tuple[Region, ...]:
    return () if end is None else (end,)


def is_on_the_way(model: Model, milestone: Milestone, moment: Moment) -> bool:
    """Return whether the Hall of Fame is out of reach without a milestone, although what became true stays true."""
    story = {each.id: each for each in model.story.milestones}
    wanted = story[BESIDE.get(milestone.id, milestone.id)]
    own = () if wanted.fact is None else (wanted.fact, *INSTEAD.get(wanted.id, ()))
    left_out = frozenset(map(model.fact, own))
    shut = wanted.map_id if not left_out else None
    facts, seen, waiting = moment.facts, {moment.region}, list(changes(model.atlas))
    before = len(waiting) + 1
    while len(waiting) < before:
        now, before, steps, waiting = Moment(facts=facts), len(waiting), waiting, []
        for each in steps:
            if each.at.isdisjoint(seen) or not all(
                fact.kind in MAY_COME_TRUE or now.holds(fact) for fact in each.needs
            ):
                waiting.append(each)
            elif left_out.isdisjoint(each.gives) and all(end.map_id != shut for end in each.ends):
                facts |= set(each.gives)
                seen |= set(each.ends)
    return FAME not in facts


def next_milestone(model: Model, planner: ModelPlanner, moment: Moment) -> Milestone | None:
    """Return the milestone that is planned for when RAM alone tells of the game before."""
    sensed = sense(model, planner.domain, replace(moment, reached=frozenset()))
    facts = with_passed(model.story, sensed)
    story = {reached(each): each for each in model.story.milestones}
    for goal in planner.domain.open_goals(facts):
        if goal.name in story and plan(goal, facts, planner.domain.actions) is not None:
            return story[goal.name]
    return None


def test_the_next_goal_is_not_passed_and_lies_on_the_way() -> None:
    planner = ModelPlanner.of_red()
    model = Model(Atlas.of_red(), planner.story)
    wrong, count, orders = [], 0, set()
    for seed in TOURS:
        order: tuple[str, ...] = ()
        for moment, passed in tour(model, planner, seed):
            count += 1
            order += tuple(sorted(passed - {*order}))
            found = next_milestone(model, planner, moment)
            if found is None or found.id in passed - NOT_IN_RAM:
                wrong.append((seed, moment.region, found and found.id, "is passed"))
            elif not is_on_the_way(model, found, moment):
                wrong.append((seed, moment.region, found.id, "is not on the way"))
        orders.add(order)
    assert wrong == []
    assert count >= 200
    assert len(orders) == len(TOURS)
