"""Answering a machine on a wall, which asks yes or no: `answer = { at = [x, y], yes = true }`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, examine, hear_out
from emulator import State

KEY: Final = "answer"


@dataclass(frozen=True, slots=True)
class Answering:
    """The right answer to one machine."""

    square: tuple[int, int]
    yes: bool
    people: tuple[int, ...] = ()
    masters: frozenset[str] = LISTENING

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the way there and the answer."""
        hear = partial(hear_out, say_yes=self.yes)
        return examine(self.square, tools.terrain, state, hear=hear)


def read(answer: Mapping[str, Any]) -> Answering:
    """Return what the story file says."""
    x, y = answer["at"]
    return Answering((x, y), answer["yes"])
