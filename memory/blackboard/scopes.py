"""The levels of memory as named places, each with its policies. Every duration is in game seconds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from memory.errors import UnknownScope

if TYPE_CHECKING:
    from collections.abc import Mapping

Level: TypeAlias = Literal[
    "sensory", "working", "stm", "ltm:episodic", "ltm:semantic", "ltm:procedural"
]

COLLECTIVE: Final = "collective"


@dataclass(frozen=True, slots=True)
class Scope:
    """A place for entries: how many, for how long, how they fade, and who may write."""

    name: str
    capacity: int
    ttl_s: float | None = None
    decay_per_min: float = 0.0  # relevance is multiplied by 1 - rate each minute
    prune_below: float = 0.1  # relevance under which maintenance lets an entry go
    similar: float = 0.95  # from which share of words in common on two entries are one
    tokens: int | None = None  # how much text it should hold
    writers: tuple[str, ...] = ("*",)  # globs of the agents that may write

    def admits(self, writer: str) -> bool:
        """Return whether `writer` may write here."""
        return any(fnmatchcase(writer, each) for each in self.writers)


# The design this is built on has working memory compacted at 8,000 tokens and an hour of short-term memory for a
# hundred entries. Ours holds a session's thousand events as well, whose kinds outlast that hour.
_LEVELS: Final[Mapping[str, Scope]] = MappingProxyType(
    {
        "sensory": Scope("sensory", capacity=50, ttl_s=10.0),
        "working": Scope("working", capacity=2_000, decay_per_min=0.01, tokens=8_000),
        "stm": Scope("stm", capacity=2_000, ttl_s=3_600.0, decay_per_min=0.01),
        "ltm:episodic": Scope("ltm:episodic", capacity=1_000),
        "ltm:semantic": Scope("ltm:semantic", capacity=1_000),
        "ltm:procedural": Scope("ltm:procedural", capacity=1_000),
    }
)
_SHARED: Final = Scope("", capacity=5_000)


def scope_name(agent_id: str, level: Level) -> str:
    """Return the name of one agent's level, such as `agent:play:sensory`."""
    return f"agent:{agent_id}:{level}"


def team_scope(team_id: str) -> str:
    """Return the name of what the agents of one team share."""
    return f"team:{team_id}"


def scope_of(name: str) -> Scope:
    """Return the scope called `name`, with the policies of its level."""
    owner, _, rest = name.partition(":")
    if name == COLLECTIVE or (owner == "team" and rest):
        return replace(_SHARED, name=name)
    agent_id, _, level = rest.partition(":")
    if owner != "agent" or not agent_id or level not in _LEVELS:
        message = (
            f"{name!r} is no scope; use scope_name(agent, one of {', '.join(_LEVELS)}), "
            f"team_scope(team) or {COLLECTIVE!r}."
        )
        raise UnknownScope(message)
    return replace(_LEVELS[level], name=name)
