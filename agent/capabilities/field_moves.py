"""Moves used on the map: learning them from machines, what they open, light in the dark, and flying to towns."""

from collections.abc import Mapping
from typing import Final

from agent.capabilities.capability import Capability, Deed, watching
from agent.capabilities.kit import Kit
from agent.capabilities.places import Place
from agent.capabilities.pupils import able_to_learn, machine_fact, pupil_for
from agent.capabilities.story import FieldMove
from agent.capabilities.travel import MAP, TRAVEL_COST, arriving
from agent.planning import Action, Effect, Goal, Require
from agent.skills import (
    CUT,
    FLASH,
    FLY,
    SURF,
    Outcome,
    Skill,
    fly,
    nothing,
    teach,
    use_field_move,
)
from emulator import FIRST_INDOOR_MAP, Obstacle, State

OPENS: Final = {CUT: Obstacle.TREE, SURF: Obstacle.WATER}
TOWNS: Final = range(11)  # the map ids of what can be flown to
DARK: Final = "dark"
LIGHT: Final = "light:able"  # somebody can light it
WINGS: Final = "fly:able"
TEACH_COST: Final = 5
LIGHT_COST: Final = 3
FLY_COST: Final = TRAVEL_COST + 6  # the menus and the landing
LIGHT_PRIORITY: Final = 58  # worth a moment where it can be had, and no way anywhere
MENUS: Final = frozenset({"busy", "text", "stray_menu"})


def capability(kit: Kit) -> Capability:
    """Teach what the story's machines know, and put it to use."""
    story = kit.story
    known = {each.move for each in story.field_moves}
    towns = [each for each in story.places if each.map_id in TOWNS] if FLY in known else []
    before = {able(each): 0 for each in story.field_moves} | dict.fromkeys((DARK, LIGHT, WINGS), 0)
    before |= {visited(each): 0 for each in towns}

    def sources(state: State) -> tuple[object, ...]:
        known = [(mon.species, [each.move for each in mon.moves]) for mon in state.party.mons]
        return known, state.player.badges, state.is_dark, state.visited_towns

    def read(state: State) -> Mapping[str, int]:
        return {
            **{able(each): int(_can_learn(kit, each, state)) for each in story.field_moves},
            DARK: int(state.is_dark),
            LIGHT: int(story.can_use(state, FLASH)),
            WINGS: int(story.can_use(state, FLY)),
            **{visited(each): int(each.map_id in state.visited_towns) for each in towns},
        }

    def passes(state: State) -> frozenset[Obstacle]:
        return frozenset(what for move, what in OPENS.items() if story.can_use(state, move))

    lessons = [_lesson(each, kit) for each in story.field_moves]
    return Capability(
        name="field_moves",
        sensors=(watching(before, sources, read),),
        deeds=(
            *(lesson for lesson in lessons if lesson is not None),
            *((_light(),) if FLASH in known else ()),
            *(_flight(each, kit) for each in towns),
        ),
        goals=(_LIT,) if FLASH in known else (),
        passages=(passes,),
    )


def able(move: FieldMove) -> str:
    """Return the name of the fact that somebody of the team can learn a move, or knows it."""
    return f"able:{move.name}"


def visited(town: Place) -> str:
    """Return the name of the fact that a town was entered, and can be flown to."""
    return f"visited:{town.name}"


def _can_learn(kit: Kit, move: FieldMove, state: State) -> bool:
    known = kit.story.shows(state, move.known)
    return known or bool(able_to_learn(kit.dex, state.party, move.move))


def _lesson(move: FieldMove, kit: Kit) -> Deed | None:
    """Teaching a move, where the story gives what teaches it."""
    machine, carried = kit.dex.machine_for(move.move), machine_fact(kit.story, kit.dex, move.move)
    if machine is None or carried is None:
        return None

    def begin(state: State) -> Skill:
        pupil = pupil_for(kit.dex, state.party, move.move)
        if pupil is None:
            return nothing()
        return teach(machine, pupil.position, state, forget=pupil.slot)

    action = Action(
        name=f"teach:{move.name}",
        requires=(
            Require("in_control", at_least=1),
            Require(carried, at_least=1),
            Require(able(move), at_least=1),
        ),
        effects=(Effect(move.known, 1),),
        cost=TEACH_COST,
        says=f"teach somebody {move.name.upper()}",
    )
    return Deed(action, begin, masters=MENUS)


def _light() -> Deed:
    def begin(state: State) -> Skill:
        state = yield from use_field_move(FLASH, state)
        return Outcome.BLOCKED if state.is_dark else Outcome.DONE

    action = Action(
        name="light",
        requires=(
            Require("in_control", at_least=1),
            Require(DARK, at_least=1),
            Require(LIGHT, at_least=1),
        ),
        effects=(Effect(DARK, 0),),
        cost=LIGHT_COST,
        says="light up the dark",
    )
    return Deed(action, begin, masters=MENUS)


_LIT: Final = Goal("lit", (Require(DARK, at_most=0),), LIGHT_PRIORITY, "see where one walks")


def _flight(town: Place, kit: Kit) -> Deed:
    """Flying to a town that was entered before: past every gate, and from outdoors."""
    names = {
        each: entry.name
        for each in TOWNS
        for entry in [kit.terrain.plain.map(each).town_map]
        if entry is not None
    }

    def begin(state: State) -> Skill:
        return fly(town.map_id, names, state)

    action = Action(
        name=f"fly:{town.name}",
        requires=(
            Require("in_control", at_least=1),
            Require(WINGS, at_least=1),
            Require(visited(town), at_least=1),
            Require(MAP, at_most=FIRST_INDOOR_MAP - 1),
        ),
        effects=arriving(town, kit.story),
        cost=FLY_COST,
        says=f"fly to {town.called}",
    )
    return Deed(action, begin, masters=MENUS)
