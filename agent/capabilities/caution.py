"""Trainers' eyes: squares that a party which might lose keeps off, as long as there is another way."""

from typing import Final

from agent.capabilities.capability import Capability
from agent.capabilities.kit import Kit
from agent.capabilities.readiness import odds
from agent.skills import Obstacles, watchers
from emulator import State

SAFE: Final = 0.9  # chance to win from which on nobody is avoided: they pay, and teach
DETOUR: Final = 12  # steps around that each square in sight is worth


def capability(kit: Kit) -> Capability:
    """Keep out of the sight of trainers that the team, as it is, might lose against."""

    def eyes(state: State) -> Obstacles:
        if not state.in_control or not state.party.mons:
            return Obstacles.none()
        seen = watchers(kit.terrain.world(state), state)
        risky = [each for each in seen if odds(kit.dex, state.party, each.opponent) < SAFE]
        if not risky:
            return Obstacles.none()
        costs = {square: DETOUR for each in risky for square in each.squares}
        return Obstacles(frozenset(), costs)

    return Capability(name="caution", hazards=(eyes,))
