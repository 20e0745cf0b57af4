"""Catch Pokemon the team needs: to beat the next trainer, or to learn a required field move."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Final, NamedTuple

from agent.battle import items
from agent.capabilities.capability import FREE, BoundAction, Capability, Sensor, watching
from agent.capabilities.context import GameContext
from agent.capabilities.field_moves import able, learners_of, machine_fact, missing_moves, untaught
from agent.capabilities.readiness import ahead, is_ready, remembered_strength, team_of
from agent.capabilities.travel import at
from agent.planning.domain import Action, Effect, Require
from agent.skills import roam
from agent.story.facts import parse_fact
from agent.story.interactions import Task
from agent.story.places import Place
from agent.story.story import Story
from emulator import Dex, Party, Species, State
from emulator.dex.trainers import Team
from emulator.dex.wild import WildTable

BALLS: Final = "bag:balls"
PLACES: Final = "team:places"  # free places in the team
ROOM: Final = "team:room"  # free places minus those reserved for learners of required moves
STRONG: Final = 2  # damage multiplier that makes a species suitable
GROWN: Final = 13  # moves learnt up to this level count
FULL: Final = 6
FRESH: Final = 50  # percent of HP needed to go catching
COST: Final = 20
MEETING_COST: Final = 5  # of each wild encounter until a suitable Pokemon appears


@lru_cache(maxsize=256)
def within_reach(story: Story, task: Task) -> frozenset[Place]:
    """Return the places that the player can reach before a task is done, by the other steps of the story.

    Facts that nothing in the story makes true, such as a known move, count as true.
    """
    waiting = [step for step in _steps(story) if step.task is not task]
    missing, places = _made(story), set[str]()
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


def _steps(story: Story) -> Iterator[_Step]:
    """Yield the steps of the story, by place and task; conditions that an event is clear are assumed to hold."""
    for place in story.places:
        for way in place.approaches():
            gives = (*place.gives, *way.gives)
            yield _Step(None, way.start, _positive(way.needs), gives, (place.name,))
    for task in story.tasks:
        yield _Step(task, task.place, _positive(task.needs), (task.sets, *task.gives))


def _positive(needs: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name, so in map(parse_fact, needs) if so)


def _made(story: Story) -> set[str]:
    """Return the facts that a task, or arriving in a place, makes true."""
    made = {fact for each in story.tasks for fact in (each.sets, *each.gives)}
    for place in story.places:
        made.update(place.gives, *(way.gives for way in place.ways))
    return made


def capability(game: GameContext) -> Capability:
    """Catch suitable Pokemon in their wild areas."""
    found = {task: homes(game, task) for task in game.story.tasks if task.against is not None}
    who = "is strong against the next trainer"
    targets = [(CatchTarget(each.id, each.suitable, who, (ROOM,)), found[each]) for each in found]
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
    if has_room and task is not None and not _has_fitting(game.dex, task, state.party):
        needed.append(fitting_for(game.dex, task))
    return frozenset[int]().union(*needed)


def _room(game: GameContext, state: State) -> int:
    """Return the number of free places in the team, without those reserved for required moves."""
    kept = sum(1 for _ in missing_moves(game.story, game.dex, state))
    return max(0, FULL - len(state.party) - kept)


def is_looking(game: GameContext, state: State) -> bool:
    """Return whether a needed Pokemon lives in a place of the story."""
    return bool(homes_of(game, wanted(game, state)))


def _sensor(game: GameContext, found: Mapping[Task, Mapping[Place, Fraction]]) -> Sensor:
    before = {task.suitable: 0 for task in found} | {BALLS: 0, PLACES: 0, ROOM: 0}

    strength_of = remembered_strength()

    def sources(state: State) -> tuple[object, ...]:
        return strength_of(state.party), state.bag, state.player.money

    def read(state: State) -> Mapping[str, int]:
        room = _room(game, state)
        hopeless = not room or not _can_have_balls(game.dex, state)
        facts = {
            # No catch is needed if a member is suitable already, or the team wins without one.
            task.suitable: int(
                hopeless
                or not places
                or _has_fitting(game.dex, task, state.party)
                or is_ready(game, state.party, task)
            )
            for task, places in found.items()
        }
        places = FULL - len(state.party)
        return {**facts, BALLS: items.balls(state.bag), PLACES: places, ROOM: room}

    return watching(before, sources, read)


def _can_have_balls(dex: Dex, state: State) -> bool:
    ball = dex.all_items.get(items.POKE_BALL)
    affordable = ball is not None and 0 < ball.price <= state.player.money
    return affordable or items.balls(state.bag) > 0


class CatchTarget(NamedTuple):
    """What to catch: its name, the fact a catch makes true, a relative clause for the label, and required facts."""

    name: str
    fact: str
    who: str
    needs: tuple[str, ...]


def _learners(game: GameContext) -> Iterator[tuple[CatchTarget, frozenset[int]]]:
    """Yield the species that can learn each field move whose machine the story gives."""
    for move in game.story.field_moves:
        carried = machine_fact(game.story, game.dex, move.move)
        if carried is not None:
            who = f"learns {move.name.upper()}"
            place = PLACES if move.known in game.story.needed else ROOM
            target = CatchTarget(move.name, able(move), who, (carried, place))
            yield target, learners_of(game.dex, move.move)


def _bound_action(
    target: CatchTarget, place: Place, share: Fraction, game: GameContext
) -> BoundAction:
    action = Action(
        name=f"catch:{place.name}:{target.name}",
        requires=(
            Require(at(place.name), at_least=1),
            FREE,
            Require(BALLS, at_least=1),
            Require("party:hp", at_least=FRESH),
            *(Require(fact, at_least=1) for fact in target.needs),
        ),
        effects=(Effect(target.fact, 1),),
        cost=COST + round(MEETING_COST / share),
        label=f"catch a Pokemon in {place.called} that {target.who}",
    )
    return BoundAction(action, partial(roam, game.terrain), suppresses=frozenset({"busy"}))


def homes(game: GameContext, task: Task) -> Mapping[Place, Fraction]:
    """Return the places within reach before the task with suitable Pokemon, and their share of encounters."""
    near = within_reach(game.story, task)
    everywhere = homes_of(game, fitting_for(game.dex, task))
    return {place: share for place, share in everywhere.items() if place in near}


def homes_of(game: GameContext, species: frozenset[int]) -> Mapping[Place, Fraction]:
    """Return the places where some of these species live, and their share of the encounters there."""
    shares = {place: _share(game.dex, place, species) for place in game.story.places}
    return {place: share for place, share in shares.items() if share}


def grass_of(dex: Dex, place: Place) -> WildTable | None:
    """Return the wild table of a place, in its grass or anywhere in a cave; None without one."""
    wild = dex.wild.get(place.map_id) if not place.tame else None
    return wild.grass if wild is not None else None


def _share(dex: Dex, place: Place, fitting: frozenset[int]) -> Fraction:
    grass = grass_of(dex, place)
    slots = grass.slots if grass is not None else ()
    return sum((slot.chance for slot in slots if slot.species in fitting), Fraction(0))


@lru_cache(maxsize=64)
def fitting_for(dex: Dex, task: Task) -> frozenset[int]:
    """Return the species that are strong against the trainer of a task, by moves known or learned soon."""
    team = team_of(dex, task.against) if task.against is not None else ()
    return frozenset(
        index for index, each in dex.all_species.items() if _is_strong(dex, each, team)
    )


def _is_strong(dex: Dex, species: Species, team: Team) -> bool:
    """Return whether an attack that a species knows soon is strong against at least half of a team."""
    learnt = (each.move for each in species.level_up_moves if each.level <= GROWN)
    moves = (*species.first_moves, *learnt)
    foes = [dex.all_species[member.species] for member in team if member.species in dex.all_species]
    attacks = [dex.all_moves[move] for move in moves if move in dex.all_moves]
    return bool(foes) and any(
        2 * sum(dex.rules.chart.multiplier(move.type, foe.types) >= STRONG for foe in foes)
        >= len(foes)
        for move in attacks
        if move.power
    )


def _has_fitting(dex: Dex, task: Task, party: Party) -> bool:
    return any(mon.species in fitting_for(dex, task) for mon in party.mons)
