"""The levels of memory as named places, each with a size and a time to live in game seconds."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from memory.errors import UnknownScope

if TYPE_CHECKING:
    from collections.abc import Mapping

Level: TypeAlias = Literal[
    "sensory", "working", "stm", "ltm:episodic", "ltm:semantic", "ltm:procedural"
]


@dataclass(frozen=True, slots=True)
class Scope:
    """A place for entries: at most `capacity` of them, each for `ttl_s` game seconds."""

    name: str
    capacity: int
    ttl_s: float | None


# Working memory has no time to live: the consolidator lets go of what it has read.
_LEVELS: Final[Mapping[str, tuple[int, float | None]]] = MappingProxyType(
    {
        "sensory": (50, 10.0),
        "working": (2_000, None),
        "stm": (100, 3_600.0),
        "ltm:episodic": (500, None),
        "ltm:semantic": (500, None),
        "ltm:procedural": (500, None),
    }
)


def scope_name(agent_id: str, level: Level) -> str:
    """Return the name of one agent's level, such as `agent:play:sensory`."""
    return f"agent:{agent_id}:{level}"


def scope_of(name: str) -> Scope:
    """Return the scope called `name`, with the size and time to live of its level."""
    owner, _, rest = name.partition(":")
    agent_id, _, level = rest.partition(":")
    if owner != "agent" or not agent_id or level not in _LEVELS:
        message = f"{name!r} is no scope; use scope_name(agent, one of {', '.join(_LEVELS)})."
        raise UnknownScope(message)
    capacity, ttl_s = _LEVELS[level]
    return Scope(name, capacity, ttl_s)
