"""What is known of a conversation's memory at one moment, who makes it, and the events that tell of it. Pure: knows no file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from memory.errors import MemoryFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.codec import Json
    from memory.conversation.config import ConversationScope
    from memory.conversation.messages import Message


LEAST_LEFT: Final = 1_000  # tokens of messages that stay if they can, where the floor is higher
OVERSHOOT: Final = 0.95  # of the floor: by how much more than wanted may go


@dataclass(frozen=True, slots=True)
class Chunk:
    """What was observed of the messages `from_seq` to `to_seq`, which have `message_tokens`; `text` has `tokens`.

    It waits until it is activated, and then stands in for them.
    """

    from_seq: int
    to_seq: int
    text: str
    tokens: int
    message_tokens: int
    source: str
    current_task: str = ""
    suggested_response: str = ""
    created_ms: int = 0
    id: int = 0
    count: int = (
        0  # of messages; known when it is made, to find out whether all of them are still there
    )


@dataclass(frozen=True, slots=True)
class Reflection:
    """What takes the place of all observations of messages up to `upto_seq`; generation 0 is that of no reflection."""

    generation: int
    upto_seq: int
    text: str
    tokens: int
    source: str
    current_task: str = ""
    suggested_response: str = ""
    created_ms: int = 0
    id: int = 0


class TokenEdge(NamedTuple):
    """A place between two messages: the number of the one before it, and all tokens up to there."""

    seq: int
    tokens: int


def boundary(edges: Sequence[TokenEdge], total: int, floor: int) -> TokenEdge | None:
    """Return the edge up to which messages go, so that about `floor` of their `total` tokens stay; None without edges.

    It is the nearest that lets enough go, unless that takes far too much or leaves next to nothing; then the
    last before. `edges` are in their order.
    """
    target = total - floor
    over = next((each for each in edges if each.tokens >= target), None)
    under = next((each for each in reversed(edges) if each.tokens < target), None)
    if over is None or under is None:
        return over or under
    least = min(LEAST_LEFT, floor)
    is_too_much = over.tokens - target > OVERSHOOT * floor or total - over.tokens < least
    return under if is_too_much else over


@dataclass(frozen=True, slots=True)
class ObservationalMemoryRecord:
    """The memory of one thread or resource. Counts are tokens by the one estimate; times are epoch milliseconds.

    What was observed is told by one number, the cursor: all messages up to it are, none after it. It only grows,
    but for a return to a checkpoint.
    """

    owner: str
    scope: ConversationScope
    cursor: int
    reflection: Reflection  # stable between generations
    active_chunks: tuple[Chunk, ...]  # what was added since, in its order
    buffered_observation_chunks: tuple[Chunk, ...]
    buffered_reflection: Reflection | None
    pending_message_tokens: int
    total_tokens_observed: int
    last_observed_at: int
    last_buffered_at: int
    is_observing: bool
    is_reflecting: bool
    is_buffering_observation: bool
    is_buffering_reflection: bool
    origin_type: str = "initial"
    timezone: str = "UTC"
    config: str = "{}"
    created_ms: int = 0

    @property
    def active_observations(self) -> str:
        """All that is observed and active: the reflection, then what came after it."""
        return "\n".join(filter(None, (self.reflection.text, self.appended)))

    @property
    def appended(self) -> str:
        """What was observed since the last reflection."""
        return "\n".join(each.text for each in self.active_chunks if each.text)

    @property
    def observation_token_count(self) -> int:
        """The tokens of all that is active."""
        return self.reflection.tokens + sum(each.tokens for each in self.active_chunks)

    @property
    def generation_count(self) -> int:
        """How many reflections there were."""
        return self.reflection.generation

    @property
    def observed_message_ids(self) -> range:
        """The numbers of observed messages, among which are those of other conversations."""
        return range(1, self.cursor + 1)

    @property
    def last_buffered_at_tokens(self) -> int:
        """The tokens of messages that wait to be let go of, since they are observed already."""
        return sum(each.message_tokens for each in self.buffered_observation_chunks)

    def has_observed(self, seq: int) -> bool:
        """Return whether the message `seq` of this conversation is covered by observations."""
        return seq <= self.cursor

    @property
    def current_task(self) -> str:
        """What the conversation was last about, as the newest that says so has it."""
        return self._newest("current_task")

    @property
    def suggested_response(self) -> str:
        """What was last suggested to say next."""
        return self._newest("suggested_response")

    def _newest(self, name: str) -> str:
        said = [getattr(each, name) for each in (self.reflection, *self.active_chunks)]
        return next((str(each) for each in reversed(said) if each), "")


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
    TTL = "ttl"  # nothing was said for long, so the service keeps nothing of the prompt any more
    PROVIDER = "provider"  # another service answers, which never kept any of it


@dataclass(frozen=True, slots=True)
class ConversationEvent:
    """One thing that happened to the memory of `thread`, with its figures."""

    kind: ConversationEventKind
    thread: str
    data: Mapping[str, Json]
