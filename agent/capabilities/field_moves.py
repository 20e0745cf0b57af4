"""Field moves: teaching them, the obstacles they open, FLASH in the dark, FLY."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from agent.battle.suitable import able_to_learn, learner_for
from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction, Capability, watching
from agent.capabilities.context import GameContext
from agent.capabilities.travel import MAP, TRAVEL_COST, arriving
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import CUT, FLASH, FLY, SURF, Outcome, Skill, no_skill
from agent.story.catches import machine_fact
from agent.story.places import Place
from agent.story.story import FieldMove
from emulator import Obstacle, State
from emulator.world import FIRST_INDOOR_MAP

OPENS: Final = {CUT: Obstacle.TREE, SURF: Obstacle.WATER}
TOWNS: Final = range(11)  # the map ids of fly destinations
DARK: Final = "dark"
LIGHT: Final = "light:able"  # a member of the team can use FLASH, or with `FLIER` FLY
FLIER: Final = "fly:able"
TEACH_COST: Final = 5
LIGHT_COST: Final = 3
FLY_COST: Final = TRAVEL_COST + 6  # the menus and the landing
LIGHT_PRIORITY: Final = 58  # cheap where FLASH is available, and never worth a trip
_LIT: Final = Goal("lit", (Require(DARK, at_most=0),), LIGHT_PRIORITY, "light the dark map")


def capability(game: GameContext) -> Capability:
    """Teach the moves of the story's machines, and use FLASH and FLY."""
    story = game.story
    known = {each.move for each in story.field_moves}
    towns = [each for each in story.places if each.map_id in TOWNS] if FLY in known else []
    before = {each.able: 0 for each in story.field_moves} | dict.fromkeys((DARK, LIGHT, FLIER), 0)
    before |= {visited(each): 0 for each in towns}

    def sources(state: State) -> tuple[object, ...]:
        strong = game.strength_of(state.party)
        return strong, state.player.badges, state.is_dark, state.visited_towns

    def read(state: State) -> Mapping[str, int]:
        return {
            **{each.able: int(_can_learn(game, each, state)) for each in story.field_moves},
            DARK: int(state.is_dark),
            LIGHT: int(story.can_use(state, FLASH)),
            FLIER: int(story.can_use(state, FLY)),
            **{visited(each): int(each.map_id in state.visited_towns) for each in towns},
        }

    def passes(state: State) -> frozenset[Obstacle]:
        return frozenset(what for move, what in OPENS.items() if story.can_use(state, move))

    teachings = [_teaching(each, game) for each in story.field_moves]
    return Capability(
        name="field_moves",
        sensors=(watching(before, sources, read),),
        actions=(
            *(teaching for teaching in teachings if teaching is not None),
            *((_light(game),) if FLASH in known else ()),
            *(_flight(each, game) for each in towns),
        ),
        goals=(_LIT,) if FLASH in known else (),
        passages=(passes,),
    )


def visited(town: Place) -> str:
    """Return the name of the fact that a town was entered and is a fly destination."""
    return f"visited:{town.name}"


def _can_learn(game: GameContext, move: FieldMove, state: State) -> bool:
    known = game.story.shows(state, move.known)
    return known or bool(able_to_learn(game.dex, state.party, move.move))


def _teaching(move: FieldMove, game: GameContext) -> BoundAction | None:
    """Return the action that teaches a move; None if the story never gives its machine."""
    machine = game.dex.machine_for(move.move)
    carried = machine_fact(game.story, game.dex, move.move)
    if machine is None or carried is None:
        return None

    def begin(state: State) -> Skill:
        found = learner_for(game.dex, state.party, move.move)
        return (
            game.skills.teach(machine, found.position, state, forget=found.slot)
            if found
            else no_skill()
        )

    action = Action(
        name=f"teach:{move.name}",
        requires=(FREE, Require(carried, at_least=1), Require(move.able, at_least=1)),
        effects=(Effect(move.known, 1),),
        cost=TEACH_COST,
        label=f"teach a team member {move.name.upper()}",
    )
    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES)


def _light(game: GameContext) -> BoundAction:
    def begin(state: State) -> Skill:
        state = yield from game.skills.use_field_move(FLASH, state)
        return Outcome.BLOCKED if state.is_dark else Outcome.DONE

    action = Action(
        name="light",
        requires=(FREE, Require(DARK, at_least=1), Require(LIGHT, at_least=1)),
        effects=(Effect(DARK, 0),),
        cost=LIGHT_COST,
        label="use FLASH in the dark",
    )
    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES)


def _flight(town: Place, game: GameContext) -> BoundAction:
    """Return the action that flies to a town entered before: past every gate, and only from outdoors."""
    entries = {each: game.terrain.plain.map(each).header.town_map for each in TOWNS}
    names = {each: entry.name for each, entry in entries.items() if entry is not None}
    action = Action(
        name=f"fly:{town.name}",
        requires=(
            FREE,
            Require(FLIER, at_least=1),
            Require(visited(town), at_least=1),
            Require(MAP, at_most=FIRST_INDOOR_MAP - 1),
        ),
        effects=arriving(town, game.story),
        cost=FLY_COST,
        label=f"fly to {town.called}",
    )
    return BoundAction(
        action, partial(game.skills.fly, town.map_id, names), suppresses=SCREEN_REFLEXES
    )
