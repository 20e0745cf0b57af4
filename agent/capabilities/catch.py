"""Catch Pokemon the team needs: to beat the next trainer, or to learn a required field move."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

from agent.battle.suitable import fitting_for, learners_of
from agent.capabilities import items
from agent.capabilities.capability import (
    BALLS,
    FREE,
    HP,
    PLACES,
    BoundAction,
    Capability,
    Sensor,
    watching,
)
from agent.capabilities.context import GameContext
from agent.capabilities.readiness import readiness
from agent.capabilities.supplies import ShopStock, funds
from agent.capabilities.travel import at
from agent.planning.domain import Action, Effect, Require
from agent.story.catches import FULL, Homes, has_any, homes, homes_of, machine_fact, room_in_team
from agent.story.interactions import Task
from agent.story.opponents import ahead, team_against
from agent.story.places import Place
from emulator import State

ROOM: Final = "team:room"  # free places minus those reserved for learners of required moves
RIVAL: Final = "rival:choice"  # the index of the rival's starter, which decides his teams
FRESH: Final = 50  # percent of HP needed to go catching
COST: Final = 20
CLOSE: Final = 80  # steps to a place where it is worth catching what only helps
MEETING_COST: Final = 5  # of each wild encounter until a suitable Pokemon appears


def capability(game: GameContext) -> Capability:
    """Catch suitable Pokemon in their wild areas."""
    found = {
        task: homes(game.story, game.dex, task)
        for task in game.story.tasks
        if task.against is not None
    }
    targets = [each for task, choices in found.items() for each in _fitting(task, choices)]
    targets += [
        (target, homes_of(game.story, game.dex, species)) for target, species in _learners(game)
    ]
    return Capability(
        name="catch",
        sensors=(_sensor(game, found),),
        actions=tuple(
            _bound_action(target, place, share, game)
            for target, places in targets
            for place, share in places.items()
        ),
    )


def _sensor(game: GameContext, found: Mapping[Task, Sequence[Homes]]) -> Sensor:
    before = {task.suitable: 0 for task in found} | {BALLS: 0, PLACES: 0, ROOM: 0, RIVAL: 0}
    story, stock = game.story, game.shared(ShopStock)

    def can_have_balls(state: State) -> bool:
        price = stock.few_balls(state)
        is_affordable = price is not None and price <= funds(game, state)
        return is_affordable or items.balls(state.bag) > 0

    def sources(state: State) -> tuple[object, ...]:
        player, flags = state.player, state.flags
        land = [each.contains(state) for each in story.lands]
        known = player.money, player.badges, player.rival_starter, flags.events, flags.hidden
        team, lessons = game.strength_of(state.party), game.experience.lessons
        progress = flags.scripts, flags.status_1, flags.meets_none
        return team, state.bag, lessons, *known, *progress, state.map.map_id, *land

    def read(state: State) -> Mapping[str, int]:
        room, choice = room_in_team(story, game.dex, state), story.rival_choice(state)
        hopeless = not room or not can_have_balls(state)

        # Only for the next trainer: later ones have their time.
        task = next(ahead(story, state), None)

        def needs_none(choices: Sequence[Homes]) -> bool:
            """Return whether no catch is needed: none helps or can be had now, or the team wins without one."""
            near = choices[choice % len(choices)] if choices else {}
            if task is None or hopeless or not any(_is_close(game, state, each) for each in near):
                return True
            fitting = fitting_for(game.dex, team_against(story, game.dex, task, state))
            return has_any(state.party, fitting) or readiness(game, state, task).ready

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
            target = CatchTarget(move.name, move.able, who, needs)
            yield target, learners_of(game.dex, move.move)


def _bound_action(
    target: CatchTarget, place: Place, share: Fraction, game: GameContext
) -> BoundAction:
    def make() -> Action:
        return Action(
            name=f"catch:{place.name}:{target.name}",
            requires=(
                Require(at(place.name), at_least=1),
                FREE,
                *(() if place.safari else (Require(BALLS, at_least=1),)),
                Require(HP, at_least=FRESH),
                *target.needs,
            ),
            effects=(Effect(target.fact, 1),),
            cost=COST + round(MEETING_COST / share),
            label=f"catch a Pokemon in {place.called} that {target.who}",
        )

    action = game.action(f"catch:{place.name}:{target.name}", make)
    return BoundAction(
        action, partial(game.skills.roam, game.terrain), suppresses=frozenset({"busy"})
    )
