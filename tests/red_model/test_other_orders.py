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
from tests.red_model.planner import FAME, End, Game, ModelPlanner, sense
from tests.red_model.random_moments import RandomPlayer
from tests.red_model.world import Atlas, Fact, Region

TOURS: Final = range(4)
AT_RANDOM: Final = 300  # actions of a tour, before the planner plays on
CELADON: Final = 6
EVERY: Final = 8  # actions between two moments
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


class Change(NamedTuple):
    """What becomes true and where the player may come to, in some regions, while all of `needs` hold."""

    at: frozenset[Region]
    needs: tuple[Fact, ...]
    gives: tuple[Fact, ...] = ()
    end: Region | None = None


def tour(model: Model, planner: ModelPlanner, seed: int) -> Iterator[tuple[Moment, set[str]]]:
    """Yield moments of a game that begins at random and that the planner ends, with the milestones passed until then."""
    moments = list(RandomPlayer(model, Random(f"order:{seed}")).walk(Moment(), AT_RANDOM))
    game, passed = Game(model, planner, moments[-1]), set[str]()
    assert game.play(lambda playing: moments.append(playing.moment)) is End.FAME, game.why
    for count, now in enumerate(moments):
        passed |= {
            each.id
            for each in model.story.milestones
            if each.map_id in {None, *now.visited}
            and each.home in {None, now.home}
            and (each.fact is None or now.holds(model.fact(each.fact)))
        }
        if count % EVERY == 0 and not now.holds(FAME):
            yield now, set(passed)


@cache
def changes(atlas: Atlas) -> tuple[Change, ...]:
    """Return everything that changes a fact or leads to another region; any machine can be taught."""
    everywhere, fame = frozenset(atlas.squares), {"champion": (FAME,)}
    joins = [each for rows in atlas.joins.values() for each in rows]
    found = [Change(frozenset({each.start}), each.needs, (), each.end) for each in joins]
    for happening in (each for rows in atlas.happenings.values() for each in rows):
        gives = (*happening.gives, *fame.get(happening.id, ()))
        found.append(Change(happening.regions, happening.needs, gives, happening.end))
    for arrival in (each for rows in atlas.arrivals.values() for each in rows):
        into = [each.start for each in joins if each.end.map_id == arrival.map_id]
        starts = frozenset(each for each in into if arrival.start in {None, each.map_id})
        found.append(Change(starts, arrival.when, arrival.gives, arrival.end))
    found += [Change(everywhere, *rule) for rule in atlas.rules]
    taught = [((Fact("item", item),), (Fact("move", move),)) for move, item in MACHINES.items()]
    return (*found, *(Change(everywhere, *each) for each in taught))


def is_on_the_way(model: Model, milestone: Milestone, moment: Moment) -> bool:
    """Return whether the Hall of Fame is out of reach without a milestone, although what became true stays true."""
    story = {each.id: each for each in model.story.milestones}
    wanted = story[BESIDE.get(milestone.id, milestone.id)]
    # What is shown by the place alone is left out by shutting the place.
    is_by_place = wanted.place is not None and wanted.fact not in wanted.behind
    own = () if is_by_place or not wanted.fact else (wanted.fact, *INSTEAD.get(wanted.id, ()))
    left_out = frozenset(map(model.fact, own))
    shut = wanted.map_id if is_by_place else None
    facts, seen, waiting = moment.facts, {moment.region}, list(changes(model.atlas))
    before = len(waiting) + 1
    while len(waiting) < before:
        now, before, steps, waiting = Moment(facts=facts), len(waiting), waiting, []
        for each in steps:
            if each.at.isdisjoint(seen) or not all(
                fact.kind in MAY_COME_TRUE or now.holds(fact) for fact in each.needs
            ):
                waiting.append(each)
            elif left_out.isdisjoint(each.gives) and (each.end is None or each.end.map_id != shut):
                facts |= set(each.gives)
                seen |= set() if each.end is None else {each.end}
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


def test_cycling_road_leads_south_while_one_sleeper_still_sleeps() -> None:
    planner = ModelPlanner.of_red()
    model = Model(Atlas.of_red(), planner.story)
    story = {each.id: each for each in model.story.milestones}
    names = ("event:beat_route16_snorlax", "item:bicycle", "move:cut", "badge:cascade")
    now = Moment(Region(CELADON, 0), frozenset(map(model.fact, names)), level=100, owned=1)
    (goal,) = [each for each in planner.domain.goals if each.name == reached(story["sixth_badge"])]
    found = plan(goal, sense(model, planner.domain, now), planner.domain.actions)
    assert found is not None
    for action in found.actions:
        now = model.carry_out(action, now)
    assert "task:wake_sleeper" not in {each.name for each in found.actions}
    assert now.holds(model.fact("badge:soul"))
