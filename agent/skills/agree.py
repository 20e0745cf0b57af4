"""Saying yes to whoever asks on the way: at the door of somewhere that costs, or that one leaves for good."""

from collections.abc import Collection
from typing import Final

from agent.skills.press import wait
from agent.skills.skill import Outcome, Skill
from agent.skills.talk import hear_out
from agent.skills.terrain import Terrain
from agent.skills.travel import Destination, travel
from emulator import State

LOOKS: Final = 12  # for the question, eight frames apart


def agree_at(squares: Collection[tuple[int, int]], terrain: Terrain, state: State) -> Skill:
    """Walk to the nearest of some squares of this map, and say yes to the first question; BLOCKED when nobody asks."""
    there = Destination(state.map.map_id, frozenset(squares))
    return (yield from _walk_and_agree(there, terrain, state))


def leave_saying_yes(terrain: Terrain, map_id: int, state: State) -> Skill:
    """Walk to another map where one is asked whether one would leave, and say yes; BLOCKED when nobody asks."""
    return (yield from _walk_and_agree(Destination(map_id), terrain, state))


def _walk_and_agree(there: Destination, terrain: Terrain, state: State) -> Skill:
    outcome = yield from travel(terrain, there, state)
    for _ in range(LOOKS):
        state = yield wait(8)
        if state.dialogue.is_open:
            yield from hear_out(state, say_yes=True)
            return Outcome.DONE
    return Outcome.BLOCKED if outcome is Outcome.DONE else outcome
