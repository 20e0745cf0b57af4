"""What is known of a conversation's memory at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.thread.chunks import Chunk, Reflection
    from memory.thread.config import Scope


@dataclass(frozen=True, slots=True)
class ObservationalMemoryRecord:
    """The memory of one thread or resource. Counts are tokens by the one estimate; times are epoch milliseconds.

    What was observed is told by one number, the cursor: all messages up to it are, none after it. It only grows,
    but for a return to a checkpoint.
    """

    owner: str
    scope: Scope
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
