"""Looking for the two switches that a gym hides under its trash cans: RAM says where they are."""

from collections.abc import Sequence
from typing import Final

from agent.skills.press import wait
from agent.skills.skill import Outcome, Skill
from agent.skills.talk import examine
from agent.skills.terrain import Terrain
from emulator import RED, Facing, State

FIRST_LOCK: Final = RED.events["1st_lock_opened"]
SECOND_LOCK: Final = RED.events["2nd_lock_opened"]
TRIES: Final = 6  # two are enough; whoever was led astray begins anew


def search(cans: Sequence[tuple[int, int]], terrain: Terrain, state: State) -> Skill:
    """Look under the can of the first switch and then of the second; `cans` are squares in the order of their numbers."""
    for _ in range(TRIES):
        if state.flags.is_set(SECOND_LOCK):
            return Outcome.DONE
        hidden = state.switches
        number = hidden.second if state.flags.is_set(FIRST_LOCK) else hidden.first
        if number >= len(cans):
            break
        outcome = yield from examine(cans[number], terrain, state, facings=tuple(Facing))
        if outcome is not Outcome.DONE:
            return outcome
        state = yield wait(8)
    return Outcome.DONE if state.flags.is_set(SECOND_LOCK) else Outcome.BLOCKED
