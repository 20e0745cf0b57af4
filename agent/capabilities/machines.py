"""Teach who fights the move of a machine of the bag, if its damage to the next trainers grows by it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final, NamedTuple

from agent.battle.learn_move import HM_MOVES, SLOTS, replacement_for
from agent.battle.odds import damage_share, mon_from
from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction, Capability, watching
from agent.capabilities.context import GameContext
from agent.capabilities.fighters import member, remembered_fighters
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Skill, no_skill
from agent.story.opponents import ahead, following, team_against
from emulator import Dex, PartyMon, State
from emulator.ram import MoveSlot

HELPS: Final = "machine:helps"
PRIORITY: Final = 52
COST: Final = 5
NEXT: Final = 3  # trainers ahead whose teams count
GAIN: Final = 1.1  # factor by which the damage must grow


class Teaching(NamedTuple):
    """A machine, the position of its learner, and the slot of the move that it replaces."""

    machine: int
    position: int
    slot: int


def capability(game: GameContext) -> Capability:
    """Teach the moves of machines that help."""
    fighters = game.shared(remembered_fighters)

    def learners(state: State) -> tuple[int, ...]:
        """Return who fights first, and before a row of trainers every fighter and the lead."""
        task, first = next(ahead(game.story, state), None), fighters(state)
        if task is None or not following(game.story, game.dex, task, state):
            return first[:1] or (0,)
        return tuple(dict.fromkeys((*first, 0)))

    def best(state: State) -> Teaching | None:
        found = (best_teaching(game, state, each) for each in learners(state))
        return next((each for each in found if each is not None), None)

    def read(state: State) -> Mapping[str, int]:
        return {HELPS: int(best(state) is not None)}

    def sources(state: State) -> tuple[object, ...]:
        return learners(state), state.bag, state.flags.events

    def begin(state: State) -> Skill:
        found = best(state)
        if found is None:
            return no_skill()
        return game.skills.teach(found.machine, found.position, state, forget=found.slot)

    action = Action(
        name="teach:machine",
        requires=(Require(HELPS, at_least=1), FREE),
        effects=(Effect(HELPS, 0),),
        cost=COST,
        label="teach a better attack by a machine",
    )
    return Capability(
        name="machines",
        sensors=(watching({HELPS: 0}, sources, read),),
        actions=(BoundAction(action, begin, suppresses=SCREEN_REFLEXES),),
        goals=(Goal(HELPS, (Require(HELPS, at_most=0),), PRIORITY, "use the machines that help"),),
    )


def best_teaching(game: GameContext, state: State, position: int) -> Teaching | None:
    """Return the machine and slot with the highest damage to the teams of the next trainers, or None without a gain.

    Field moves are kept, and a better attack is, since without it the damage would be lower.
    """
    mon, machines = member(state.party, position), _machines(game, state)
    foes = list(_foes(game, state)) if mon is not None and machines else []
    if mon is None or not foes:
        return None
    dex, known = game.dex, [each.move for each in mon.moves]
    least = GAIN * _damage(dex, mon, known, foes)
    found: list[tuple[float, bool, Teaching]] = []
    for machine, move in machines:
        if mon.species not in dex.learners(machine) or move in known:
            continue
        preferred = replacement_for(dex, mon, move)
        for slot in range(min(len(known) + 1, SLOTS)):
            if slot < len(known) and (known[slot] in HM_MOVES or len(known) < SLOTS):
                continue
            done = _damage(dex, mon, [*known[:slot], move, *known[slot + 1 :]], foes)
            is_preferred = preferred is not None and preferred.slot == slot
            found.append((done, is_preferred, Teaching(machine, position, slot)))
    best = max(found, default=None)
    return best[-1] if best is not None and best[0] >= least and best[0] else None


def _machines(game: GameContext, state: State) -> list[tuple[int, int]]:
    """Return the machines of the bag that can be used once, each with its move."""
    items = [game.dex.all_items.get(stack.item) for stack in state.bag.items]
    return [
        (item.number, item.teaches)
        for item in items
        if item is not None and item.teaches is not None and not item.key
        if item.number not in game.story.kept and item.teaches in game.dex.all_moves
    ]


def _foes(game: GameContext, state: State) -> Iterator[PartyMon]:
    """Yield the Pokemon of the next trainers of the story."""
    tasks = list(islice(ahead(game.story, state), 2 * NEXT))
    row = following(game.story, game.dex, tasks[0], state) if tasks else ()
    for task in tasks[: max(NEXT, 1 + len(row))]:
        for each in team_against(game.story, game.dex, task, state):
            foe = mon_from(game.dex, each)
            if foe is not None:
                yield foe


def _damage(dex: Dex, mon: PartyMon, moves: list[int], foes: list[PartyMon]) -> float:
    """Return the sum of the shares of HP that the best of some moves takes from each foe in one turn."""
    own = replace(mon, moves=tuple(MoveSlot(move, 1, 0) for move in moves))
    return sum(damage_share(dex, own, foe) for foe in foes)
