"""Train until the odds against the next trainer are good: in the grass, or against weaker trainers."""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Final

from agent.battle.odds import beats
from agent.capabilities.capability import (
    FREE,
    HP,
    SCREEN_REFLEXES,
    BoundAction,
    Capability,
    Sensor,
    watching,
)
from agent.capabilities.context import GameContext
from agent.capabilities.readiness import Readiness, depends_on_sureness, readiness
from agent.capabilities.travel import at
from agent.experience.choices import sureness
from agent.experience.memory_use import MemoryUse
from agent.planning.domain import Action, Effect, Require
from agent.skills import Outcome, Skill, watching_trainers
from agent.story.catches import grass_of
from agent.story.opponents import ahead, team_of, teams_of
from agent.story.places import Place
from emulator import Dex, State
from emulator.rules import experience_gained

FRESH: Final = 50  # percent of HP needed to go training
SPENT: Final = 30  # percent of HP expected after training: healing comes next
SURE: Final = 0.9  # the chance to win at which a trainer on this map is fought for practice
EXPERIENCE: Final = 2_000  # assumed need of one training: a few levels of a young team
FIGHT_COST: Final = 2  # of each battle in the grass
SPAR_COST: Final = 15
# Of training without a suitable Pokemon: the cost of the greatest detour to catch one.
ALONE_COST: Final = 80
LOOKS: Final = 3  # attempts to find a path to a trainer, who may be unreachable
SPARRING: Final = "sparring"
NO_TRAINER: Final = 0  # the sprite slot of the player


def capability(game: GameContext) -> Capability:
    """Train until the odds are good."""
    against = [task for task in game.story.tasks if teams_of(game.story, game.dex, task)]
    ready = tuple(Effect(task.ready, 1) for task in against)
    # What a team beats by its level alone needs no catch.
    alone = (*ready, *(Effect(task.suitable, 1) for task in against))
    places = [place for place in game.story.places if not place.safari]
    grounds = [place for place in places if grass_of(game.dex, place) is not None]
    return Capability(
        name="train",
        sensors=(_ready_sensor(game), _sparring_sensor(game)),
        actions=(
            *(_roam("train", place, ready, 0, game) for place in grounds),
            *(_roam("train_alone", place, alone, ALONE_COST, game) for place in grounds),
            _spar(alone, game),
        )
        if ready
        else (),
    )


def _ready_sensor(game: GameContext) -> Sensor:
    names = {task.ready: 0 for task in game.story.tasks if task.against is not None}

    def read(state: State) -> Mapping[str, int]:
        facts, tasks = dict(names), tuple(ahead(game.story, state))
        if any(depends_on_sureness(game, state, each) for each in tasks[:1]):
            game.choices.matters(sureness(tasks[0]))
        for task in tasks:
            found = readiness(game, state, task)
            facts[task.ready] = int(found.ready)
            note_influence(task.ready, found)
        return facts

    def note_influence(fact: str, found: Readiness) -> None:
        reasons = game.experience.reasons
        reasons.pop(fact, None)
        if found.held_back is not None:
            reasons[fact] = f"{found.held_back.description}, {found.held_back.outcome}"
            game.experience.record_influence(MemoryUse.STRENGTH, fact, reasons[fact])

    def sources(state: State) -> tuple[object, ...]:
        flags, known = state.flags, (state.player.rival_starter, game.experience.lessons)
        strong = game.strength_of(state.party), state.bag, game.choices.changes
        return *strong, flags.events, flags.scripts, flags.meets_none, *known

    return watching(names, sources, read)


def _sparring_sensor(game: GameContext) -> Sensor:
    def sources(state: State) -> tuple[object, ...]:
        return state.in_control, state.map.map_id, state.party, state.flags.events

    def read(state: State) -> Mapping[str, int]:
        return {SPARRING: int(state.in_control and _partner(game, state) != NO_TRAINER)}

    return watching({SPARRING: 0}, sources, read)


def _partner(game: GameContext, state: State) -> int:
    """Return the sprite slot of a trainer on this map that the team almost surely beats, or 0."""
    for each in watching_trainers(game.terrain.world(state), state):
        if beats(game.dex, state.party, team_of(game.dex, each.opponent), SURE):
            return each.slot
    return NO_TRAINER


def _roam(
    name: str, place: Place, ready: tuple[Effect, ...], more: int, game: GameContext
) -> BoundAction:
    def make() -> Action:
        return Action(
            name=f"{name}:{place.name}",
            requires=(Require(at(place.name), at_least=1), FREE, Require(HP, at_least=FRESH)),
            effects=(*ready, Effect(HP, SPENT)),
            cost=_cost(game.dex, place) + more,
            label=f"train in {place.called}",
        )

    action = game.action(f"{name}:{place.name}", make)
    return BoundAction(action, partial(_train, game), suppresses=frozenset({"busy"}))


def _train(game: GameContext, state: State) -> Skill:
    game.training.is_on = True
    outcome = yield from game.skills.roam(game.terrain, state)
    # A battle that it leads to is still training, and ends it.
    game.training.is_on = outcome is Outcome.INTERRUPTED
    return outcome


def _spar(ready: tuple[Effect, ...], game: GameContext) -> BoundAction:
    def begin(state: State) -> Skill:
        return game.skills.talk(_partner(game, state), game.terrain, state, patience=LOOKS)

    action = Action(
        name="spar",
        requires=(Require(SPARRING, at_least=1), FREE, Require(HP, at_least=FRESH)),
        effects=(*ready, Effect(SPARRING, 0), Effect(HP, SPENT)),
        cost=SPAR_COST,
        label="fight a weaker trainer for experience",
    )
    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES)


def _cost(dex: Dex, place: Place) -> int:
    """Return the cost of training in a place: the battles needed for `EXPERIENCE`."""
    table = grass_of(dex, place)
    if table is None:
        return EXPERIENCE
    gain = sum(
        (slot.chance * _gain(dex, slot.species, slot.level) for slot in table.slots), Fraction(0)
    )
    return int(FIGHT_COST * EXPERIENCE / gain) if gain else EXPERIENCE


def _gain(dex: Dex, species: int, level: int) -> int:
    known = dex.all_species.get(species)
    return experience_gained(known.base_experience, level) if known is not None else 0
