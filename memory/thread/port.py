"""Who observes a conversation and who reflects upon what was observed; with a model or without, the port is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from memory.errors import MemoryFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.thread.message import Message


class DistillingFailed(MemoryFault):
    """Observing or reflecting came to nothing: too late, refused, too dear, or an answer that cannot be used."""


@dataclass(frozen=True, slots=True)
class Distilled:
    """What came of observing or reflecting, as text in the format of observations."""

    observations: str
    current_task: str = ""
    suggested_response: str = ""


class Observer(Protocol):
    """Makes observations of messages. `source` says where they come from: `programmatic` or `llm`."""

    source: str

    def observe(self, messages: Sequence[Message], known: str) -> Distilled:
        """Return the observations of `messages`; `known` is the end of what was observed before.

        Raises:
            DistillingFailed: when nothing came of it; whoever asked keeps the messages and asks again later.
        """
        ...


class Reflector(Protocol):
    """Makes less text of observations, which takes the place of all of them. `source` is as of an observer."""

    source: str

    def reflect(self, observations: str, *, level: int, target: int) -> Distilled:
        """Return `observations` in fewer tokens, at most `target`; `level` 0 to 4 says how hard to condense.

        Raises:
            DistillingFailed: when nothing came of it.
        """
        ...
