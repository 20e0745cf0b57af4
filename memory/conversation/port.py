"""The ports of a conversation: observers and reflectors, with a model or without, and the events it reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from memory.codec import Json
from memory.errors import MemoryFault
from memory.store.conversation_record import Message


class CondensingFailed(MemoryFault):
    """Observing or reflecting failed: too late, refused, too expensive, or an unusable answer."""


@dataclass(frozen=True, slots=True)
class Condensed:
    """The result of observing or reflecting, as text in the format of observations."""

    observations: str
    current_task: str = ""
    suggested_response: str = ""


class Observer(Protocol):
    """Turns messages into observations. `source` is their origin: `programmatic` or `llm`."""

    source: str

    def observe(self, messages: Sequence[Message], known: str) -> Condensed:
        """Return the observations of `messages`; `known` is the end of the earlier observations.

        Raises CondensingFailed when there is no usable result; the caller keeps the messages and retries later.
        """


class Reflector(Protocol):
    """Condenses observations to a text that replaces all of them. `source` is as for an observer."""

    source: str

    def reflect(self, observations: str, *, level: int, target: int) -> Condensed:
        """Return `observations` condensed to at most `target` tokens; `level` 0 to 4 is the strength of compression.

        Raises CondensingFailed when there is no usable result.
        """


class ConversationEventKind(Enum):
    """The kinds of events."""

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
    """Why buffered observations were activated."""

    THRESHOLD = "threshold"
    TTL = "ttl"  # a long idle time: the prompt is no longer in the cache of the service
    PROVIDER = "provider"  # another service answers, which never cached the prompt


@dataclass(frozen=True, slots=True)
class ConversationEvent:
    """One event of the memory of `thread`, with its data; reported after the commit."""

    kind: ConversationEventKind
    thread: str
    data: Mapping[str, Json]
