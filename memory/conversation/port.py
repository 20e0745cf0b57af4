"""The ports of a conversation: what observes and what reflects, with a model or without, and the events it tells of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from memory.codec import Json
from memory.errors import MemoryFault
from memory.store.conversation_record import Message


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

        Raises DistillingFailed when nothing came of it; the caller keeps the messages and asks again later.
        """


class Reflector(Protocol):
    """Makes less text of observations, which takes the place of all of them. `source` is as of an observer."""

    source: str

    def reflect(self, observations: str, *, level: int, target: int) -> Distilled:
        """Return `observations` in fewer tokens, at most `target`; `level` 0 to 4 says how hard to condense.

        Raises DistillingFailed when nothing came of it.
        """


class ConversationEventKind(Enum):
    """What happened."""

    OBSERVATION_START = "data-om-observation-start"
    OBSERVATION_END = "data-om-observation-end"
    OBSERVATION_FAILED = "data-om-observation-failed"
    BUFFERING_START = "data-om-buffering-start"
    BUFFERING_END = "data-om-buffering-end"
    BUFFERING_FAILED = "data-om-buffering-failed"
    ACTIVATION = "data-om-activation"
    STATUS = "data-om-status"
    THREAD_UPDATE = "data-om-thread-update"


class ActivationReason(Enum):
    """Why what waited was activated."""

    THRESHOLD = "threshold"
    TTL = "ttl"  # a long silence: the service keeps nothing of the prompt any more
    PROVIDER = "provider"  # another service answers, which never kept any of it


@dataclass(frozen=True, slots=True)
class ConversationEvent:
    """One thing that happened to the memory of `thread`, with its figures; told after the commit."""

    kind: ConversationEventKind
    thread: str
    data: Mapping[str, Json]
