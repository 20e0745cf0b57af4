"""The ports of a conversation: observers and reflectors, with a model or without, and the events it reports."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from memory.codec import Json
from memory.errors import MemoryFault
from memory.store.conversation_record import Message
from memory.tokens import tokens


class CondensingFailed(MemoryFault):
    """Observing or reflecting failed: too late, refused, too expensive, or an unusable answer."""


class UnusableAnswer(CondensingFailed):
    """An answer arrived but cannot be used; another request at a different level may help."""


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


MAX_LEVEL: Final = 4  # of compression
MORE_TRIES: Final = 3  # at higher levels, after the first


def reflect_until(
    reflector: Reflector, text: str, target: int, estimate: Callable[[str], int] = tokens
) -> Condensed:
    """Return the first reflection of at most `target` tokens that is smaller than `text` and not empty.

    The levels 0 to 3 are tried. Raises CondensingFailed at once when no answer comes, else after the last level. The
    same text would fail again, so the caller should retry only after it has changed.
    """
    problem = ""
    for level in range(1 + MORE_TRIES):
        try:
            found = reflector.reflect(text, level=level, target=target)
        except UnusableAnswer as unusable:
            problem = str(unusable)
            continue
        size = estimate(found.observations)
        if found.observations.strip() and size <= target and size < estimate(text):
            return found
        problem = f"{size} tokens of {estimate(text)}, at most {target} wanted"
    raise CondensingFailed(
        f"the observations could not be made smaller ({problem}); ask again when there are more"
    )


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
