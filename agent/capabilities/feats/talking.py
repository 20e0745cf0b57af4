"""Talking to somebody and saying yes to what they ask first: `talk_to = [slots]`, of whom any one will do."""

from dataclasses import dataclass
from typing import Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, talk
from emulator import State

KEY: Final = "talk_to"


@dataclass(frozen=True, slots=True)
class Talking:
    """Talking to one of some people."""

    people: tuple[int, ...]
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the talk with whom was chosen."""
        return talk(tools.person(state), tools.terrain, state, say_yes=True)


def read(slots: list[int]) -> Talking:
    """Return what the story file says."""
    return Talking(tuple(slots))
