"""A conversation that never runs out: each message is kept at once, and sent again until observations stand in for it.

Before each call of a model it is made to fit; what that needs was prepared beside play where it could be. One number tells
what is observed, the cursor, and all that moves it moves in one transaction.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from memory.codec import encode
from memory.conversation.config import ConversationConfig, ConversationScope
from memory.conversation.messages import Message, MessageOrigin
from memory.conversation.record import (
    ActivationReason,
    ConversationEvent,
    ConversationEventKind,
    ObservationalMemoryRecord,
)
from memory.conversation.store import NO_REFLECTION
from memory.conversation.token_limits import MemoryState, TokenLimits, threshold
from memory.conversation.view import ConversationView, view_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.codec import Json
    from memory.conversation.jobs import Dependencies
    from memory.conversation.messages import Block
    from memory.conversation.store import ConversationStore


DEFAULTS = ConversationConfig()


class Conversation:
    """One thread. Where the scope is a resource, its threads are observed together, and each sees what the others say."""

    def __init__(
        self,
        store: ConversationStore,
        thread: str,
        means: Dependencies,
        config: ConversationConfig = DEFAULTS,
        *,
        resource: str = "",
    ) -> None:
        self._store = store
        self.thread = thread
        self._means = means
        self._config = config
        is_shared = config.scope is ConversationScope.RESOURCE
        self.owner = resource or thread if is_shared else thread
        self._fitting = TokenLimits(store, self.owner, config, means, self._look)
        self._provider = ""

    def say(
        self, role: str, blocks: Sequence[Block], origin: MessageOrigin, tick: int, game_s: float
    ) -> Message:
        """Return what was said as it is kept from now on, with its number; `tick` and `game_s` say when."""
        tokens = self._means.estimate(encode([dict(each) for each in blocks]))
        message = Message(self.thread, role, tuple(blocks), tick, game_s, tokens, origin)
        return self._store.add(self.owner, replace(message, created_ms=self._means.now_ms))

    def before_call(self, step: int, provider: str = "") -> ConversationView:
        """Return what the next call of a model is made of, after it was made to fit; `step` counts the calls of a turn from 0.

        It waits for an observer or a reflector only beyond the point of blocking, and only for so long.
        """
        since = self._means.clock()
        look = self._fitting.prepared(self._look())
        look = self._fitting.activated(look, self._other_reason(look, step, provider))
        look = self._fitting.observed(look, since)
        look = self._fitting.reflected(look, since)
        self._tell_status(look.record)
        return view_of(look.record, look.messages, self.thread)

    def after_turn(self) -> None:
        """Keep what was observed meanwhile, and begin to observe what the turn brought."""
        self._tell_status(self._fitting.prepared(self._look()).record)

    def status(self) -> dict[str, Json]:
        """Return counts of tokens, thresholds, and what waits."""
        return self._status(self._record())

    def record(self) -> ObservationalMemoryRecord:
        """Return the memory of this conversation as it is now."""
        return self._record()

    def _record(self) -> ObservationalMemoryRecord:
        now_ms = self._means.now_ms
        if (found := self._store.get(self.owner, now_ms=now_ms)) is not None:
            return found
        begun = ObservationalMemoryRecord(
            self.owner,
            self._config.scope,
            0,
            NO_REFLECTION,
            (),
            (),
            None,
            *(0, 0, 0, 0),
            *(False, False, False, False),
            timezone=self._config.timezone,
            config=_told(self._config),
            created_ms=now_ms,
        )
        self._store.initialize(begun)
        return self._store.get(self.owner, now_ms=now_ms) or begun

    def _look(self) -> MemoryState:
        record = self._record()
        return MemoryState(record, self._store.messages(self.owner, after=record.cursor))

    def _other_reason(self, look: MemoryState, step: int, provider: str) -> ActivationReason | None:
        """Return why what waits is activated below the threshold too: nobody would gain by the old prompt."""
        changed = bool(provider and self._provider) and provider != self._provider
        self._provider = provider or self._provider
        if step == 0 and changed and self._config.activate_on_provider_change:
            return ActivationReason.PROVIDER
        idle_ms = 1_000 * self._config.activate_after_idle
        before = [each for each in look.messages if each.role == "assistant"]
        if step == 0 and idle_ms and before:
            is_idle = self._means.now_ms - before[-1].created_ms >= idle_ms
            return ActivationReason.TTL if is_idle else None
        return None

    def _tell(self, kind: ConversationEventKind, **data: Json) -> None:
        self._means.tell(ConversationEvent(kind, self.owner, data))

    def _tell_status(self, record: ObservationalMemoryRecord) -> None:
        self._tell(ConversationEventKind.STATUS, **self._status(record))

    def _status(self, record: ObservationalMemoryRecord) -> dict[str, Json]:
        waiting = record.buffered_observation_chunks
        return {
            "cursor": record.cursor,
            "message_tokens": record.pending_message_tokens,
            "message_threshold": threshold(self._config, record),
            "observation_tokens": record.observation_token_count,
            "observation_threshold": self._config.reflection.observation_tokens,
            "buffered_chunks": len(waiting),
            "buffered_message_tokens": sum(each.message_tokens for each in waiting),
            "buffered_observation_tokens": sum(each.tokens for each in waiting),
            "is_reflection_buffered": record.buffered_reflection is not None,
            "is_buffering": self._fitting.is_under_way,
            "generation": record.generation_count,
        }


def _told(config: ConversationConfig) -> str:
    return encode({**asdict(config), "scope": config.scope.value})
