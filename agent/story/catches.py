"""Which Pokemon the story makes worth catching, and where they live within reach."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from agent.battle.suitable import able_to_learn, fitting_for, learners_of
from agent.story.facts import FactKind, RamFact, parse_fact
from agent.story.interactions import Task
from agent.story.opponents import ahead, team_against, teams_of
from agent.story.places import Place
from agent.story.story import FieldMove, Story
from emulator import Dex, Party, State
from emulator.dex import WildTable

FULL: Final = 6
Homes: TypeAlias = Mapping[Place, Fraction]  # places, with the share of the encounters there


def wanted(story: Story, dex: Dex, state: State) -> frozenset[int]:
    """Return the species worth a ball in this state."""
    if len(state.party) >= FULL:
        return frozenset()
    has_room = room_in_team(story, dex, state) > 0
    needed = [
        learners_of(dex, each.move)
        for each in untaught(story, dex, state)
        if has_room or each.known in story.needed
    ]
    task = next(ahead(story, state), None)
    if has_room and task is not None:
        fitting = fitting_for(dex, team_against(story, dex, task, state))
        needed += [fitting] if not has_any(state.party, fitting) else []
    return frozenset[int]().union(*needed)


def room_in_team(story: Story, dex: Dex, state: State) -> int:
    """Return the number of free places in the team, without those reserved for required moves."""
    kept = sum(1 for _ in missing_moves(story, dex, state))
    return max(0, FULL - len(state.party) - kept)


def is_looking(story: Story, dex: Dex, state: State) -> bool:
    """Return whether a needed Pokemon lives in a place of the story."""
    return bool(homes_of(story, dex, wanted(story, dex, state)))


def has_any(party: Party, species: frozenset[int]) -> bool:
    """Return whether a member of the team is of one of some species."""
    return any(mon.species in species for mon in party.mons)


def machine_fact(story: Story, dex: Dex, move: int) -> str | None:
    """Return the name of the fact that the machine of a move is in the bag; None if the story never gives it."""
    machine = dex.machine_for(move)
    return story.fact_of(RamFact(FactKind.ITEM, machine)) if machine is not None else None


def missing_moves(story: Story, dex: Dex, state: State) -> Iterator[FieldMove]:
    """Yield the moves that the story requires and that no member of the team knows or can learn."""
    needed = story.needed
    for each in story.field_moves:
        known = each.known not in needed or story.shows(state, each.known)
        if not known and not able_to_learn(dex, state.party, each.move):
            yield each


def untaught(story: Story, dex: Dex, state: State) -> Iterator[FieldMove]:
    """Yield the moves whose machine is in the bag and that no member of the team knows or can learn."""
    for each in story.field_moves:
        machine = dex.machine_for(each.move)
        taught = (
            machine is None or not state.bag.quantity(machine) or story.shows(state, each.known)
        )
        if not taught and not able_to_learn(dex, state.party, each.move):
            yield each


@lru_cache(maxsize=256)
def homes(story: Story, dex: Dex, task: Task) -> tuple[Homes, ...]:
    """Return where suitable Pokemon live within reach before the task, for each team of its trainer."""
    near = _within_reach(story, task)
    found = [homes_of(story, dex, fitting_for(dex, team)) for team in teams_of(story, dex, task)]
    return tuple([{place: each[place] for place in each if place in near} for each in found])


@lru_cache(maxsize=256)
def homes_of(story: Story, dex: Dex, species: frozenset[int]) -> Homes:
    """Return the places where some of these species live, and their share of the encounters there."""
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


def _within_reach(story: Story, task: Task) -> frozenset[Place]:
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
    first = next((each.map_id for each in story.milestones), None)
    free = {None, *(place.land for place in story.places if place.map_id == first)}
    travels = [
        _Step(None, start, _positive(way.needs), (*place.gives, *way.gives), (place.name,))
        for place in story.places
        for way in place.approaches()
        # Within a land in which no game begins, another way leads to a place there first.
        for start in (
            [way.start]
            if way.within in free
            else [each.name for each in story.places if each.land is way.within]
        )
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
