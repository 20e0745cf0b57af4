"""The lead Pokemon: one that should gain experience, or the best for the next trainer battle."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from typing import Final

from agent.battle.odds import Foes, beats, chance_to_beat, grown, led_by, rested
from agent.battle.suitable import fitting_for
from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction, Capability, watching
from agent.capabilities.context import GameContext
from agent.capabilities.fighters import BEHIND, BETTER, strongest_of
from agent.capabilities.readiness import READY_FOR_A_ROW, defeats_by, helps_of, readiness
from agent.experience.memory_use import MemoryUse
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Skill
from agent.story.interactions import Task
from agent.story.opponents import ahead, following, is_in_a_row, team_against
from emulator import State
from emulator.rules import HIGHEST_LEVEL

RIGHT_LEAD: Final = "right_lead"
PRIORITY: Final = 53
COST: Final = 3
CLEARLY: Final = 1.2  # factor


def capability(game: GameContext) -> Capability:
    """Put the right Pokemon first."""

    def read(state: State) -> Mapping[str, int]:
        # In a battle the policy decides which one fights.
        return {RIGHT_LEAD: int(state.in_battle or best_lead(game, state) == 0)}

    def sources(state: State) -> tuple[object, ...]:
        here = not state.in_battle and state.party
        return state.in_battle, here, state.map.map_id, state.flags.events, game.experience.lessons

    def begin(state: State) -> Skill:
        return game.skills.swap(0, best_lead(game, state), state)

    action = Action(
        name="lead",
        requires=(Require(RIGHT_LEAD, at_most=0), FREE),
        effects=(Effect(RIGHT_LEAD, 1),),
        cost=COST,
        label="change the lead Pokemon",
    )
    return Capability(
        name="lead",
        sensors=(watching({RIGHT_LEAD: 1}, sources, read),),
        actions=(BoundAction(action, begin, suppresses=SCREEN_REFLEXES),),
        goals=(
            Goal(
                RIGHT_LEAD,
                (Require(RIGHT_LEAD, at_least=1),),
                PRIORITY,
                "have the right Pokemon lead",
            ),
        ),
    )


def best_lead(game: GameContext, state: State) -> int:
    """Return the position of the Pokemon that should lead."""
    party = state.party
    able = [at for at, mon in enumerate(party.mons) if mon.hp]
    task = next(ahead(game.story, state), None)
    if len(able) < 2 or task is None:
        return able[0] if able else 0
    if not readiness(game, state, task).ready:
        within = is_in_a_row(game.story, task)  # where nothing makes it ready
        return strongest_of(party, able) if within else _trainee(game, task, state, able)
    team = team_against(game.story, game.dex, task, state)
    defeats = {at: defeats_by(game.dex, party[at], team, game.experience) for at in able}
    odds = {at: chance_to_beat(game.dex, led_by(party, at), team) for at in able}
    best = _best(odds)
    corrected = _best({at: defeats[at].corrected(odds[at]) for at in able})
    if corrected != best:
        lost = next((each.lost[0] for each in defeats.values() if each.lost), None)
        why = lost.description if lost is not None else ""
        game.experience.record_influence(MemoryUse.STRENGTH, f"the lead: {task.label}", why)
    return corrected


def _best(chances: Mapping[int, float]) -> int:
    """Return the position with the best chance; the first one unless another is clearly better."""
    best = max(chances, key=lambda at: (chances[at], -at))
    return best if chances[best] > chances.get(0, -1.0) + BETTER else 0


def _trainee(game: GameContext, task: Task, state: State, able: list[int]) -> int:
    """Return the member to gain experience: suitable for the next trainer, and strong enough for what is met here."""
    if then := following(game.story, game.dex, task, state):
        first = team_against(game.story, game.dex, task, state)
        return game.shared(ForARow).of((first, *then), state, able)
    party, wild = state.party, game.dex.wild.get(state.map.map_id)
    slots = wild.grass.slots if wild is not None and wild.grass is not None else ()
    met = max((slot.level for slot in slots), default=HIGHEST_LEVEL)
    strongest = strongest_of(party, able)
    fitting = fitting_for(game.dex, team_against(game.story, game.dex, task, state))
    trainees = [
        at
        for at in able
        if party[at].species in fitting
        and party[at].level >= min(party[strongest].level - BEHIND, met)
        and 2 * party[at].hp > party[at].stats.hp
    ]
    return max(trainees, key=lambda at: (party[at].level, -at), default=strongest)


class ForARow:
    """The member to train for a row of trainers, found again only when the strength of the team or the row changes."""

    def __init__(self, game: GameContext) -> None:
        self._game = game
        self._asked: tuple[object, ...] = ()
        self._found = 0

    def of(self, teams: Sequence[Foes], state: State, able: list[int]) -> int:
        """Return its position among those that are able to fight."""
        game = self._game
        asked = *game.strength_of(state.party), *able, helps_of(game, state), tuple(teams)
        if asked != self._asked:
            self._asked, self._found = asked, _cheapest(game, teams, state, able)
        return self._found


def _cheapest(game: GameContext, teams: Sequence[Foes], state: State, able: list[int]) -> int:
    """Return the member whose growth makes the team ready for the least experience; the strongest if none can.

    What a member far below the strongest gains is shared with the one that fights for it.
    """
    party, helps = rested(game.dex, state.party), helps_of(game, state)
    strongest = strongest_of(party, able)

    def is_ready(at: int, level: int) -> bool:
        later, row = (
            grown(game.dex, party, at, level),
            (teams[0], READY_FOR_A_ROW, tuple(teams[1:])),
        )
        return any(beats(game.dex, led_by(later, lead), *row, *helps) for lead in {at, strongest})

    def cost(at: int) -> float:
        levels = range(party[at].level, HIGHEST_LEVEL + 1)
        level = levels[bisect_left(levels, True, hi=len(levels) - 1, key=partial(is_ready, at))]
        if not is_ready(at, level):
            return inf
        shares = 2 if party[at].level < party[strongest].level - BEHIND else 1
        return shares * (grown(game.dex, party, at, level)[at].exp - party[at].exp)

    costs = {at: cost(at) for at in able}
    best = min(able, key=lambda at: (costs[at], at))
    if costs[best] == inf:
        return strongest
    # The order of the others changes the odds a little: who leads now stays unless another is clearly better.
    return 0 if costs.get(0, inf) <= CLEARLY * costs[best] else best
