"""Field moves: teaching them, the obstacles they open, FLASH in the dark, FLY."""

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Final, NamedTuple

from agent.battle.learn_move import HM_MOVES, SLOTS, replacement_for
from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction, Capability, watching
from agent.capabilities.context import GameContext
from agent.capabilities.readiness import remembered_strength
from agent.capabilities.travel import MAP, TRAVEL_COST, arriving
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import CUT, FLASH, FLY, SURF, Outcome, Skill, fly, no_skill, teach, use_field_move
from agent.story.facts import FactKind, RamFact
from agent.story.places import Place
from agent.story.story import FieldMove, Story
from emulator import Dex, Obstacle, Party, State
from emulator.world.header import FIRST_INDOOR_MAP

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


class Learner(NamedTuple):
    """A position in the team, and the move slot for the new move."""

    position: int
    slot: int


def learner_for(dex: Dex, party: Party, move: int) -> Learner | None:
    """Return the found that loses least by replacing a move; None when no member can learn it."""
    rooms = [(at, replacement_for(dex, party[at], move)) for at in able_to_learn(dex, party, move)]
    found = [(room.loss, at, room.slot) for at, room in rooms if room is not None]
    return Learner(*min(found)[1:]) if found else None


def able_to_learn(dex: Dex, party: Party, move: int) -> list[int]:
    """Return the positions of members that can learn a move and have, or can free, a slot for it."""
    learners = learners_of(dex, move)
    found = []
    for at, mon in enumerate(party.mons):
        known = [each.move for each in mon.moves]
        has_room = len(known) < SLOTS or not HM_MOVES.issuperset(known)
        if mon.species in learners and move not in known and has_room:
            found.append(at)
    return found


@lru_cache(maxsize=64)
def learners_of(dex: Dex, move: int) -> frozenset[int]:
    """Return the species that can learn a move by machine."""
    machine = dex.machine_for(move)
    return dex.learners(machine) if machine is not None else frozenset()


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


def capability(game: GameContext) -> Capability:
    """Teach the moves of the story's machines, and use FLASH and FLY."""
    story = game.story
    known = {each.move for each in story.field_moves}
    towns = [each for each in story.places if each.map_id in TOWNS] if FLY in known else []
    before = {able(each): 0 for each in story.field_moves} | dict.fromkeys((DARK, LIGHT, FLIER), 0)
    before |= {visited(each): 0 for each in towns}

    strength_of = remembered_strength()

    def sources(state: State) -> tuple[object, ...]:
        strong = strength_of(state.party)
        return strong, state.player.badges, state.is_dark, state.visited_towns

    def read(state: State) -> Mapping[str, int]:
        return {
            **{able(each): int(_can_learn(game, each, state)) for each in story.field_moves},
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
            *((_light(),) if FLASH in known else ()),
            *(_flight(each, game) for each in towns),
        ),
        goals=(_LIT,) if FLASH in known else (),
        passages=(passes,),
    )


def able(move: FieldMove) -> str:
    """Return the name of the fact that a member of the team can learn a move, or knows it."""
    return f"able:{move.name}"


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
        return teach(machine, found.position, state, forget=found.slot) if found else no_skill()

    action = Action(
        name=f"teach:{move.name}",
        requires=(FREE, Require(carried, at_least=1), Require(able(move), at_least=1)),
        effects=(Effect(move.known, 1),),
        cost=TEACH_COST,
        label=f"teach a team member {move.name.upper()}",
    )
    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES)


def _light() -> BoundAction:
    def begin(state: State) -> Skill:
        state = yield from use_field_move(FLASH, state)
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
    return BoundAction(action, partial(fly, town.map_id, names), suppresses=SCREEN_REFLEXES)
