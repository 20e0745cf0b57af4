"""Somebody for the team: who does well in the fight ahead, or learns a move that the story needs; where they live, and a ball."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from agent.capabilities import supplies
from agent.capabilities.capability import Capability, Deed, Sensor, watching
from agent.capabilities.field_moves import able
from agent.capabilities.kit import Kit
from agent.capabilities.places import Place
from agent.capabilities.pupils import awaited, learners_of, machine_fact, untaught
from agent.capabilities.reach import within_reach
from agent.capabilities.readiness import ahead, is_ready, remembered_strength, team_of
from agent.capabilities.story import Task
from agent.capabilities.travel import at
from agent.planning import Action, Effect, Require
from agent.skills import Skill, roam
from emulator import Dex, Party, Species, State, Team

BALLS: Final = "bag:balls"
PLACES: Final = "team:places"  # that are left in it
ROOM: Final = "team:room"  # beside the places kept for who will learn what the story needs
STRONG: Final = 2  # times the damage of one who fits
GROWN: Final = 13  # level up to which moves still to be learnt count
FULL: Final = 6
FRESH: Final = 50  # percent of HP below which nobody goes catching
COST: Final = 20
MEETING_COST: Final = 5  # of each mon met until one is wanted


def capability(kit: Kit) -> Capability:
    """Catch somebody who fits, where they live."""
    found = {task: homes(kit, task) for task in kit.story.tasks if task.against is not None}
    return Capability(
        name="catch",
        sensors=(_sensor(kit, found),),
        deeds=(
            *(
                _deed(
                    Prey(task.id, task.fits, "does well in what is ahead", (ROOM,)),
                    place,
                    share,
                    kit,
                )
                for task, places in found.items()
                for place, share in places.items()
            ),
            *(
                _deed(prey, place, share, kit)
                for prey, species in _learners(kit)
                for place, share in homes_of(kit, species).items()
            ),
        ),
    )


def wanted(kit: Kit, state: State) -> frozenset[int]:
    """Return the species worth a ball at this moment."""
    if len(state.party) >= FULL:
        return frozenset()
    has_room = _room(kit, state) > 0
    needed = [
        learners_of(kit.dex, each.move)
        for each in untaught(kit.story, kit.dex, state)
        if has_room or each.known in kit.story.needed
    ]
    task = next(ahead(kit.story, state), None)
    if has_room and task is not None and not _has_fitting(kit.dex, task, state.party):
        needed.append(fitting_for(kit.dex, task))
    return frozenset[int]().union(*needed)


def _room(kit: Kit, state: State) -> int:
    """Return how many find a place beside those whom the story cannot do without: the team cannot be chosen anew."""
    kept = sum(1 for _ in awaited(kit.story, kit.dex, state))
    return max(0, FULL - len(state.party) - kept)


def is_looking(kit: Kit, state: State) -> bool:
    """Say whether somebody is to be caught, and lives somewhere."""
    return bool(homes_of(kit, wanted(kit, state)))


def _sensor(kit: Kit, found: Mapping[Task, Mapping[Place, Fraction]]) -> Sensor:
    before = {task.fits: 0 for task in found} | {BALLS: 0, PLACES: 0, ROOM: 0}

    strength_of = remembered_strength()

    def sources(state: State) -> tuple[object, ...]:
        return strength_of(state.party), state.bag, state.player.money

    def read(state: State) -> Mapping[str, int]:
        room = _room(kit, state)
        hopeless = not room or not _can_have_balls(kit.dex, state)
        facts = {
            task.fits: int(hopeless or not places or _is_served(kit, task, state.party))
            for task, places in found.items()
        }
        places = FULL - len(state.party)
        return {**facts, BALLS: supplies.balls(state.bag), PLACES: places, ROOM: room}

    return watching(before, sources, read)


def _is_served(kit: Kit, task: Task, party: Party) -> bool:
    """Say whether a team needs nobody new for a task: it has who fits, or wins without."""
    if _has_fitting(kit.dex, task, party):
        return True
    return is_ready(kit, party, task)


def _can_have_balls(dex: Dex, state: State) -> bool:
    ball = dex.all_items.get(supplies.POKE_BALL)
    affordable = ball is not None and 0 < ball.price <= state.player.money
    return affordable or supplies.balls(state.bag) > 0


class Prey(NamedTuple):
    """Whom to catch: a name for it, the fact that is so then, in words who it is, and what else is needed first."""

    name: str
    fact: str
    who: str
    needs: tuple[str, ...]


def _learners(kit: Kit) -> Iterator[tuple[Prey, frozenset[int]]]:
    """Yield who could learn the moves that the story gives machines for."""
    for move in kit.story.field_moves:
        carried = machine_fact(kit.story, kit.dex, move.move)
        if carried is not None:
            who = f"learns {move.name.upper()}"
            place = PLACES if move.known in kit.story.needed else ROOM
            prey = Prey(move.name, able(move), who, (carried, place))
            yield prey, learners_of(kit.dex, move.move)


def _deed(prey: Prey, place: Place, share: Fraction, kit: Kit) -> Deed:
    def begin(state: State) -> Skill:
        return roam(kit.terrain, state)

    action = Action(
        name=f"catch:{place.name}:{prey.name}",
        requires=(
            Require(at(place.name), at_least=1),
            Require("in_control", at_least=1),
            Require(BALLS, at_least=1),
            Require("party:hp", at_least=FRESH),
            *(Require(fact, at_least=1) for fact in prey.needs),
        ),
        effects=(Effect(prey.fact, 1),),
        cost=COST + round(MEETING_COST / share),
        says=f"catch somebody in {place.called} who {prey.who}",
    )
    return Deed(action, begin, masters=frozenset({"busy"}))


def homes(kit: Kit, task: Task) -> Mapping[Place, Fraction]:
    """Return where somebody lives who fits, within reach before the task, and which share of those met there does."""
    near = within_reach(kit.story, task)
    everywhere = homes_of(kit, fitting_for(kit.dex, task))
    return {place: share for place, share in everywhere.items() if place in near}


def homes_of(kit: Kit, species: frozenset[int]) -> Mapping[Place, Fraction]:
    """Return where some of these species live, and which share of those met there is."""
    shares = {place: _share(kit.dex, place, species) for place in kit.story.places}
    return {place: share for place, share in shares.items() if share}


def _share(dex: Dex, place: Place, fitting: frozenset[int]) -> Fraction:
    wild = dex.wild.get(place.map_id) if not place.tame else None
    shares = wild.grass.shares if wild is not None and wild.grass is not None else {}
    return sum((share for each, share in shares.items() if each in fitting), Fraction(0))


@lru_cache(maxsize=64)
def fitting_for(dex: Dex, task: Task) -> frozenset[int]:
    """Return the species that do well against whom a task is against, by what they know or will soon."""
    team = team_of(dex, task.against) if task.against is not None else ()
    return frozenset(
        index for index, each in dex.all_species.items() if _does_well(dex, _soon_known(each), team)
    )


def _soon_known(species: Species) -> tuple[int, ...]:
    return (*species.first_moves, *(each.move for each in species.lessons if each.level <= GROWN))


def _does_well(dex: Dex, moves: Iterable[int], team: Team) -> bool:
    """Say whether an attack among `moves` is strong against at least half of a team."""
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
