"""Catch Pokemon the team needs: to beat the next trainer, or to learn a required field move."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from agent.battle.odds import Foe, Foes, beats, mon_from
from agent.capabilities import items
from agent.capabilities.capability import FREE, BoundAction, Capability, Sensor, watching
from agent.capabilities.context import GameContext
from agent.capabilities.field_moves import able, learners_of, machine_fact, missing_moves, untaught
from agent.capabilities.readiness import (
    ahead,
    readiness,
    remembered_strength,
    team_against,
    teams_of,
)
from agent.capabilities.shop_stock import ShopStock, funds
from agent.capabilities.travel import at
from agent.planning.domain import Action, Effect, Require
from agent.skills import roam
from agent.story.facts import parse_fact
from agent.story.interactions import Task
from agent.story.places import Place
from agent.story.story import Story
from emulator import Dex, Party, State
from emulator.dex.wild import WildTable

BALLS: Final = "bag:balls"
PLACES: Final = "team:places"  # free places in the team
ROOM: Final = "team:room"  # free places minus those reserved for learners of required moves
RIVAL: Final = "rival:choice"  # the index of the rival's starter, which decides his teams
STRONG: Final = 2  # damage multiplier that makes a species suitable
LEAST_POWER: Final = 30  # of an attack that makes a species suitable
FAIR: Final = (
    0.5  # the chance to beat the strongest enemy at its level that makes a species suitable
)
FULL: Final = 6
FRESH: Final = 50  # percent of HP needed to go catching
COST: Final = 20
CLOSE: Final = 80  # steps to a place where it is worth catching what only helps
MEETING_COST: Final = 5  # of each wild encounter until a suitable Pokemon appears
Homes: TypeAlias = Mapping[Place, Fraction]  # places, with the share of the encounters there


@lru_cache(maxsize=256)
def within_reach(story: Story, task: Task) -> frozenset[Place]:
    """Return the places that the player can reach before a task is done, by the other steps of the story.

    Facts that nothing in the story makes true, such as a known move, count as true.
    """
    waiting = [step for step in _steps(story) if step.task is not task]
    missing, places = set(_made(story)), set[str]()
    before = len(waiting) + 1
    while len(waiting) < before:
        before, steps, waiting = len(waiting), waiting, []
        for step in steps:
            if step.needs.isdisjoint(missing) and (not step.place or step.place in places):
                missing.difference_update(step.gives)
                places.update(step.arrives)
            else:
                waiting.append(step)
    return frozenset(place for place in story.places if place.name in places)


class _Step(NamedTuple):
    """Reaching a place by one way, or doing a task there; possible once `place` is reached, '' for always."""

    task: Task | None
    place: str
    needs: frozenset[str]
    gives: tuple[str, ...]
    arrives: tuple[str, ...] = ()


@lru_cache(maxsize=8)
def _steps(story: Story) -> Sequence[_Step]:
    """Return the steps of the story, by place and task; conditions that an event is clear are assumed to hold."""
    travels = [
        _Step(None, way.start, _positive(way.needs), (*place.gives, *way.gives), (place.name,))
        for place in story.places
        for way in place.approaches()
    ]
    tasks = [
        _Step(task, task.place, _positive(task.needs), (task.sets, *task.gives))
        for task in story.tasks
    ]
    return (*travels, *tasks)


def _positive(needs: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name, so in map(parse_fact, needs) if so)


@lru_cache(maxsize=8)
def _made(story: Story) -> frozenset[str]:
    """Return the facts that a task, or arriving in a place, makes true."""
    made = {fact for each in story.tasks for fact in (each.sets, *each.gives)}
    for place in story.places:
        made.update(place.gives, *(way.gives for way in place.ways))
    return frozenset(made)


def capability(game: GameContext) -> Capability:
    """Catch suitable Pokemon in their wild areas."""
    found = {task: homes(game, task) for task in game.story.tasks if task.against is not None}
    targets = [each for task, choices in found.items() for each in _fitting(task, choices)]
    targets += [(target, homes_of(game, species)) for target, species in _learners(game)]
    return Capability(
        name="catch",
        sensors=(_sensor(game, found),),
        actions=tuple(
            _bound_action(target, place, share, game)
            for target, places in targets
            for place, share in places.items()
        ),
    )


def wanted(game: GameContext, state: State) -> frozenset[int]:
    """Return the species worth a ball in this state."""
    if len(state.party) >= FULL:
        return frozenset()
    has_room = _room(game, state) > 0
    needed = [
        learners_of(game.dex, each.move)
        for each in untaught(game.story, game.dex, state)
        if has_room or each.known in game.story.needed
    ]
    task = next(ahead(game.story, state), None)
    if has_room and task is not None:
        fitting = fitting_for(game.dex, team_against(game.story, game.dex, task, state))
        needed += [fitting] if not _has_any(state.party, fitting) else []
    return frozenset[int]().union(*needed)


def _room(game: GameContext, state: State) -> int:
    """Return the number of free places in the team, without those reserved for required moves."""
    kept = sum(1 for _ in missing_moves(game.story, game.dex, state))
    return max(0, FULL - len(state.party) - kept)


def is_looking(game: GameContext, state: State) -> bool:
    """Return whether a needed Pokemon lives in a place of the story."""
    return bool(homes_of(game, wanted(game, state)))


def _sensor(game: GameContext, found: Mapping[Task, Sequence[Homes]]) -> Sensor:
    before = {task.suitable: 0 for task in found} | {BALLS: 0, PLACES: 0, ROOM: 0, RIVAL: 0}
    story, strength_of, stock = game.story, remembered_strength(), ShopStock(game)

    def can_have_balls(state: State) -> bool:
        price = stock.few_balls(state)
        is_affordable = price is not None and price <= funds(game, state)
        return is_affordable or items.balls(state.bag) > 0

    def sources(state: State) -> tuple[object, ...]:
        player, flags = state.player, state.flags
        land = [each.contains(state) for each in story.lands]
        known = player.money, player.badges, player.rival_starter, flags.events, flags.hidden
        here = state.map.map_id, *land
        team, lessons = strength_of(state.party), game.experience.lessons
        progress = flags.scripts, flags.status_1, flags.meets_none
        return team, state.bag, lessons, *known, *progress, here

    def read(state: State) -> Mapping[str, int]:
        room, choice = _room(game, state), story.rival_choice(state)
        hopeless = not room or not can_have_balls(state)

        # Only for the next trainer: later ones have their time.
        task = next(ahead(story, state), None)

        def needs_none(choices: Sequence[Homes]) -> bool:
            """Return whether no catch is needed: none helps or can be had now, or the team wins without one."""
            near = choices[choice % len(choices)] if choices else {}
            if task is None or hopeless or not any(_is_close(game, state, each) for each in near):
                return True
            fitting = fitting_for(game.dex, team_against(story, game.dex, task, state))
            return _has_any(state.party, fitting) or readiness(game, state, task).ready

        facts = {each.suitable: int(each is not task or needs_none(found[each])) for each in found}
        places = FULL - len(state.party)
        return {**facts, BALLS: items.balls(state.bag), PLACES: places, ROOM: room, RIVAL: choice}

    return watching(before, sources, read)


def _is_close(game: GameContext, state: State, place: Place) -> bool:
    """Return whether the way to a place is open now and short."""
    steps = game.terrain.map_distances.steps(state.map.map_id, place.map_id)
    return steps <= CLOSE and game.story.is_near(state, place)


class CatchTarget(NamedTuple):
    """What to catch: its name, the fact a catch makes true, a relative clause for the label, and conditions."""

    name: str
    fact: str
    who: str
    needs: tuple[Require, ...]


def _fitting(task: Task, choices: Sequence[Homes]) -> Iterator[tuple[CatchTarget, Homes]]:
    """Yield what to catch against the trainer of a task, for each of his teams."""
    who, room = "is strong against the next trainer", Require(ROOM, at_least=1)
    if len(choices) == 1:
        yield CatchTarget(task.id, task.suitable, who, (room,)), choices[0]
        return
    for choice, places in enumerate(choices):
        chosen = Require(RIVAL, at_least=choice), Require(RIVAL, at_most=choice)
        yield CatchTarget(f"{task.id}:{choice + 1}", task.suitable, who, (room, *chosen)), places


def _learners(game: GameContext) -> Iterator[tuple[CatchTarget, frozenset[int]]]:
    """Yield the species that can learn each field move whose machine the story gives."""
    for move in game.story.field_moves:
        carried = machine_fact(game.story, game.dex, move.move)
        if carried is not None:
            who = f"learns {move.name.upper()}"
            place = PLACES if move.known in game.story.needed else ROOM
            needs = Require(carried, at_least=1), Require(place, at_least=1)
            target = CatchTarget(move.name, able(move), who, needs)
            yield target, learners_of(game.dex, move.move)


def _bound_action(
    target: CatchTarget, place: Place, share: Fraction, game: GameContext
) -> BoundAction:
    action = Action(
        name=f"catch:{place.name}:{target.name}",
        requires=(
            Require(at(place.name), at_least=1),
            FREE,
            *(() if place.safari else (Require(BALLS, at_least=1),)),
            Require("party:hp", at_least=FRESH),
            *target.needs,
        ),
        effects=(Effect(target.fact, 1),),
        cost=COST + round(MEETING_COST / share),
        label=f"catch a Pokemon in {place.called} that {target.who}",
    )
    return BoundAction(action, partial(roam, game.terrain), suppresses=frozenset({"busy"}))


def homes(game: GameContext, task: Task) -> tuple[Homes, ...]:
    """Return where suitable Pokemon live within reach before the task, for each team of its trainer."""
    return _homes(game.story, game.dex, task)


@lru_cache(maxsize=256)
def _homes(story: Story, dex: Dex, task: Task) -> tuple[Homes, ...]:
    near = within_reach(story, task)
    found = [_homes_of(story, dex, fitting_for(dex, team)) for team in teams_of(story, dex, task)]
    return tuple([{place: each[place] for place in each if place in near} for each in found])


def homes_of(game: GameContext, species: frozenset[int]) -> Homes:
    """Return the places where some of these species live, and their share of the encounters there."""
    return _homes_of(game.story, game.dex, species)


@lru_cache(maxsize=256)
def _homes_of(story: Story, dex: Dex, species: frozenset[int]) -> Homes:
    shares = {place: _share(dex, place, species) for place in story.places}
    return MappingProxyType({place: share for place, share in shares.items() if share})


def grass_of(dex: Dex, place: Place) -> WildTable | None:
    """Return the wild table of a place, in its grass or anywhere in a cave; None without one."""
    wild = dex.wild.get(place.map_id) if not place.tame else None
    return wild.grass if wild is not None else None


def _share(dex: Dex, place: Place, fitting: frozenset[int]) -> Fraction:
    grass = grass_of(dex, place)
    slots = grass.slots if grass is not None else ()
    return sum((slot.chance for slot in slots if slot.species in fitting), Fraction(0))


@lru_cache(maxsize=256)
def fitting_for(dex: Dex, team: Foes) -> frozenset[int]:
    """Return the species that are strong against a trainer's team, and would do well at its level."""
    return frozenset(index for index in dex.all_species if _does_well(dex, index, team))


def _does_well(dex: Dex, species: int, team: Foes) -> bool:
    foes = [dex.all_species[member.species] for member in team if member.species in dex.all_species]
    strongest = max(team, key=lambda each: each.level, default=None)
    if strongest is None or len(foes) < len(team):
        return False
    known = dex.all_species[species].moves_at(strongest.level)
    attacks = [dex.all_moves[move] for move in known if move in dex.all_moves]
    is_strong = any(
        2 * sum(dex.rules.chart.multiplier(move.type, foe.types) >= STRONG for foe in foes)
        >= len(foes)
        for move in attacks
        if move.power >= LEAST_POWER
    )
    own = mon_from(dex, Foe(strongest.level, species)) if is_strong else None
    return own is not None and beats(dex, Party((own,)), (strongest,), FAIR)


def _has_any(party: Party, species: frozenset[int]) -> bool:
    return any(mon.species in species for mon in party.mons)
