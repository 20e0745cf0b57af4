"""What is kept of a conversation: its messages, what stands in for them, and its memory at one moment. Knows no file."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

Block: TypeAlias = "Mapping[str, Any]"  # a content block in the shape of the Messages API


class ConversationScope(Enum):
    """Whose messages are observed together: those of one thread, or of all threads of a resource."""

    THREAD = "thread"
    RESOURCE = "resource"


class MessageOrigin(Enum):
    """The true source of a message, whatever its role; only what was really said is observed."""

    PLAY = "play"  # a question of the agent, or the result of a tool
    MODEL = "model"
    INJECTED = "injected"  # memory that was put in, reminders, instructions: never observed


class Work(Enum):
    """What only one process does at a time."""

    OBSERVING = "observing"
    REFLECTING = "reflecting"
    BUFFERING_OBSERVATION = "buffering observation"
    BUFFERING_REFLECTION = "buffering reflection"


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `seq` grows over all threads of a store, and is 0 until the message is kept.

    `blocks` are text, tool_use and tool_result blocks; a picture is kept as a text block that refers to it.
    `tokens` is the estimate for all blocks. `created_ms` is metadata: nothing in play depends on it.
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
    """What was observed of the messages `from_seq` to `to_seq`, which have `message_tokens`; `text` has `tokens`.

    It waits until it is activated, and then stands in for them. `count` is how many messages they are, known when it
    is made, to find out whether all of them are still there.
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


@dataclass(frozen=True, slots=True)
class ObservationalMemoryRecord:
    """The memory of one thread or resource at one moment. Counts are tokens by the one estimate; times are epoch milliseconds.

    What was observed is told by one number, the cursor: all messages up to it are, none after it. It only grows,
    but for a return to a checkpoint.
    """

    owner: str
    scope: ConversationScope
    origin_type: str = "initial"
    timezone: str = "UTC"
    config: str = "{}"
    created_ms: int = 0
    reflection: Reflection = Reflection(0, 0, "", 0, "programmatic")  # stable between generations
    active_chunks: tuple[Chunk, ...] = ()  # what was added since, in its order
    buffered_observation_chunks: tuple[Chunk, ...] = ()
    buffered_reflection: Reflection | None = None
    pending_message_tokens: int = 0
    total_tokens_observed: int = 0
    works: frozenset[Work] = frozenset()  # what is under way, here or in another process

    @property
    def cursor(self) -> int:
        """The number of the last message that observations stand in for."""
        return self.active_chunks[-1].to_seq if self.active_chunks else self.reflection.upto_seq

    @property
    def last_observed_at(self) -> int:
        """When the newest of what is active was made."""
        return (self.active_chunks[-1] if self.active_chunks else self.reflection).created_ms

    @property
    def last_buffered_at(self) -> int:
        """When the newest of what waits was made; 0 where nothing waits."""
        waiting = self.buffered_observation_chunks
        return waiting[-1].created_ms if waiting else 0

    @property
    def last_buffered_at_tokens(self) -> int:
        """The tokens of messages that are observed already, and wait to be let go."""
        return sum(each.message_tokens for each in self.buffered_observation_chunks)

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
    def current_task(self) -> str:
        """What the conversation was last about, as the newest that says so has it."""
        said = (each.current_task for each in reversed(self.active_chunks))
        return next(filter(None, said), self.reflection.current_task)

    @property
    def suggested_response(self) -> str:
        """What was last suggested to say next."""
        said = (each.suggested_response for each in reversed(self.active_chunks))
        return next(filter(None, said), self.reflection.suggested_response)
