"""Coming back for what was handed in: `collect = { person = slot, outside = map, while = event }`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.capabilities.feats.feat import LISTENING, Tools
from agent.skills import Skill, collect, nothing
from emulator import RED, State

KEY: Final = "collect"
TEAM: Final = 6


@dataclass(frozen=True, slots=True)
class Collecting:
    """Asking for somebody new of the team, and going out and in again as long as `event` says that it is not time yet."""

    person: int
    outside: int
    event: int
    masters: frozenset[str] = LISTENING

    @property
    def people(self) -> tuple[int, ...]:
        """The person."""
        return (self.person,)

    def begin(self, tools: Tools, state: State) -> Skill:
        """Return the talk; nothing where the team has no room for anybody."""
        if len(state.party) >= TEAM:
            return nothing()
        return collect(self.person, self.outside, tools.terrain, self._is_early, state)

    def _is_early(self, state: State) -> bool:
        return state.flags.is_set(self.event)


def read(errand: Mapping[str, Any]) -> Collecting:
    """Return what the story file says."""
    return Collecting(errand["person"], errand["outside"], RED.events[errand["while"]])
