"""The records of a conversation: messages, observation chunks, reflections, and its memory at one moment. Does no I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

Block: TypeAlias = "Mapping[str, Any]"  # a content block of the Messages API


class ConversationScope(Enum):
    """The unit of observation: one thread, or all threads of a resource."""

    THREAD = "thread"
    RESOURCE = "resource"


class MessageOrigin(Enum):
    """The true source of a message, whatever its role; injected messages are never observed."""

    PLAY = "play"  # a question of the agent, or the result of a tool
    MODEL = "model"
    INJECTED = "injected"  # inserted memory, reminders, instructions


class Work(Enum):
    """A job that only one process does at a time."""

    OBSERVING = "observing"
    REFLECTING = "reflecting"
    BUFFERING_OBSERVATION = "buffering observation"
    BUFFERING_REFLECTION = "buffering reflection"


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `seq` grows over all threads of a store, and is 0 until the message is stored.

    `blocks` are text, tool_use and tool_result blocks; an image is stored as a text block that refers to it.
    `tokens` is the estimate for all blocks. `created_ms` is metadata: play does not depend on it.
    """

    thread: str
    role: str
    blocks: tuple[Block, ...]
    tick: int
    game_s: float
    tokens: int = 0
    origin: MessageOrigin = MessageOrigin.PLAY
    created_ms: int = 0
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """The observations of messages `from_seq` to `to_seq`, which have `message_tokens`; `text` has `tokens`.

    It is buffered until it is activated, and then replaces these messages. `count` is their number, recorded to detect
    missing messages.
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
    count: int = 0


@dataclass(frozen=True, slots=True)
class Reflection:
    """The text that replaces all observations up to `upto_seq`; generation 0 stands for no reflection."""

    generation: int
    upto_seq: int
    text: str
    tokens: int
    source: str
    current_task: str = ""
    suggested_response: str = ""
    created_ms: int = 0
    id: int = 0


@dataclass(frozen=True, slots=True)
class ObservationalMemoryRecord:
    """The memory of one thread or resource at one moment. Counts are estimated tokens; times are epoch milliseconds.

    The cursor alone defines what is observed: all messages up to it, none after it. It only grows, except on a return to
    a checkpoint.
    """

    owner: str
    scope: ConversationScope
    origin_type: str = "initial"
    timezone: str = "UTC"
    config: str = "{}"
    created_ms: int = 0
    reflection: Reflection = Reflection(0, 0, "", 0, "programmatic")  # stable between generations
    active_chunks: tuple[Chunk, ...] = ()  # those after the reflection, in order
    buffered_observation_chunks: tuple[Chunk, ...] = ()
    buffered_reflection: Reflection | None = None
    pending_message_tokens: int = 0
    total_tokens_observed: int = 0
    works: frozenset[Work] = frozenset()  # jobs in progress, here or in another process

    @property
    def cursor(self) -> int:
        """The number of the last message that active observations replace."""
        return self.active_chunks[-1].to_seq if self.active_chunks else self.reflection.upto_seq

    @property
    def last_observed_at(self) -> int:
        """The creation time of the newest active chunk or reflection."""
        return (self.active_chunks[-1] if self.active_chunks else self.reflection).created_ms

    @property
    def last_buffered_at(self) -> int:
        """The creation time of the newest buffered chunk, or 0."""
        waiting = self.buffered_observation_chunks
        return waiting[-1].created_ms if waiting else 0

    @property
    def last_buffered_at_tokens(self) -> int:
        """The message tokens of all buffered chunks."""
        return sum(each.message_tokens for each in self.buffered_observation_chunks)

    @property
    def active_observations(self) -> str:
        """The text of all active observations: the reflection, then the chunks after it."""
        return "\n".join(filter(None, (self.reflection.text, self.appended)))

    @property
    def appended(self) -> str:
        """The text of the active chunks after the last reflection."""
        return "\n".join(each.text for each in self.active_chunks if each.text)

    @property
    def observation_token_count(self) -> int:
        """The tokens of all active observations."""
        return self.reflection.tokens + sum(each.tokens for each in self.active_chunks)

    @property
    def generation_count(self) -> int:
        """The number of reflections so far."""
        return self.reflection.generation

    @property
    def observed_message_ids(self) -> range:
        """The numbers of observed messages, including those of other conversations."""
        return range(1, self.cursor + 1)

    @property
    def current_task(self) -> str:
        """The current task of the newest chunk or reflection that names one."""
        texts = (each.current_task for each in reversed(self.active_chunks))
        return next(filter(None, texts), self.reflection.current_task)

    @property
    def suggested_response(self) -> str:
        """The suggested response of the newest chunk or reflection that has one."""
        texts = (each.suggested_response for each in reversed(self.active_chunks))
        return next(filter(None, texts), self.reflection.suggested_response)
