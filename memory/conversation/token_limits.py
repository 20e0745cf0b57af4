"""Keeping a conversation within its thresholds: what waits is activated, then as much is observed and reflected upon as is needed.

Each method is given the memory as it is and returns it as it is afterwards. A step waits only beyond the points of
blocking, and only for so long; beyond the hard limits no model is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memory.conversation.boundaries import cut_below, settled_until
from memory.conversation.jobs import ObservationJob, ReflectionJob
from memory.conversation.record import (
    ActivationReason,
    ConversationEvent,
    ConversationEventKind,
    TokenEdge,
    boundary,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.codec import Json
    from memory.conversation.config import ConversationConfig
    from memory.conversation.jobs import Dependencies
    from memory.conversation.messages import Message
    from memory.conversation.record import ObservationalMemoryRecord
    from memory.conversation.store import ConversationStore


class Activation(NamedTuple):
    """All that waits up to message `upto`, and the reflection that waits if it is time for it."""

    upto: int
    swaps_reflection: bool
    reason: ActivationReason


def threshold(config: ConversationConfig, record: ObservationalMemoryRecord) -> int:
    """Return from how many tokens of messages on they are observed: more where observations leave room and share it."""
    most = config.observation.message_tokens
    if not config.share_token_budget:
        return most
    room = config.reflection.observation_tokens - record.observation_token_count
    # Never into what makes a step wait: that is counted from the bare threshold.
    return min(most + max(0, room), config.observation.blocking)


def activation(
    config: ConversationConfig, record: ObservationalMemoryRecord, also: ActivationReason | None
) -> Activation | None:
    """Return what is to be activated, or None; `also` is a reason beside the threshold, for which all that waits is."""
    waiting = record.buffered_observation_chunks
    if not waiting:
        return None
    pending = record.pending_message_tokens
    edges: list[TokenEdge] = []
    for chunk in waiting:
        edges.append(
            TokenEdge(chunk.to_seq, chunk.message_tokens + (edges[-1].tokens if edges else 0))
        )
    if pending >= threshold(config, record):
        edge, reason = (
            boundary(edges, pending, config.observation.floor),
            ActivationReason.THRESHOLD,
        )
    else:
        edge, reason = (edges[-1], also) if also else (None, ActivationReason.THRESHOLD)
    if edge is None:
        return None
    added = sum(each.tokens for each in waiting if each.to_seq <= edge.seq)
    is_time = record.observation_token_count + added >= config.reflection.observation_tokens
    return Activation(edge.seq, is_time and record.buffered_reflection is not None, reason)


class MemoryState(NamedTuple):
    """The memory at one moment, and all messages it does not stand in for."""

    record: ObservationalMemoryRecord
    messages: tuple[Message, ...]

    @property
    def unobserved(self) -> tuple[Message, ...]:
        """The messages of which nothing waits to stand in for them either."""
        waiting = self.record.buffered_observation_chunks
        end = waiting[-1].to_seq if waiting else self.record.cursor
        return tuple(each for each in self.messages if each.seq > end)


class TokenLimits:
    """Keeps one conversation within its thresholds. `look` gives its memory as it is."""

    def __init__(
        self,
        store: ConversationStore,
        owner: str,
        config: ConversationConfig,
        means: Dependencies,
        look: Callable[[], MemoryState],
    ) -> None:
        self._store = store
        self._owner = owner
        self._config = config
        self._means = means
        self._look = look
        self._buffering = ObservationJob(store, owner, config, means)
        self._reflecting = ReflectionJob(store, owner, config, means)

    @property
    def is_under_way(self) -> bool:
        """Whether messages are being observed beside play."""
        return self._buffering.is_under_way

    def prepared(self, look: MemoryState) -> MemoryState:
        """Keep what is done, and begin to observe a piece ahead of need where enough has come together."""
        if self._buffering.keep() | self._reflecting.keep():
            look = self._look()
        step = self._config.observation.buffer_step
        unobserved = look.unobserved
        end = settled_until(unobserved, step) if step else None
        if end is not None:
            piece = [each for each in unobserved if each.seq <= end]
            self._buffering.start(look.record, piece)
            if self._buffering.keep():  # at once, where there is no need to wait for it
                return self._look()
        return look

    def activated(self, look: MemoryState, also: ActivationReason | None = None) -> MemoryState:
        """Let what waits stand in for its messages, where it is time for it, or for another reason."""
        found = activation(self._config, look.record, also)
        if found is None:
            return look
        count = self._store.swap_buffered(
            self._owner, upto=found.upto, reflection=found.swaps_reflection
        )
        after = self._look()
        self._tell(
            ConversationEventKind.ACTIVATION,
            reason=found.reason.value,
            chunks=count,
            cursor=after.record.cursor,
            tokens_before=look.record.pending_message_tokens,
            tokens_after=after.record.pending_message_tokens,
        )
        self._tell_task(after.record)
        return after

    def observed(self, look: MemoryState, since: float) -> MemoryState:
        """Observe while the step waits where there are too many messages, and in need without a model."""
        observation = self._config.observation
        most = (
            observation.blocking
            if observation.buffer_step
            else threshold(self._config, look.record)
        )
        if look.record.pending_message_tokens >= most:
            self._buffering.keep(within=self._left(since))
            look = self._with_piece(self.activated(self._look()), most, since)
        if look.record.pending_message_tokens >= observation.hard_limit:
            look = self._observed_in_need(look)
        return look

    def _with_piece(self, look: MemoryState, most: int, since: float) -> MemoryState:
        """Have all observed that is too much, and wait for it no longer than a step may."""
        piece = self._too_much(look)
        if look.record.pending_message_tokens < most or not piece:
            return look
        self._buffering.start(look.record, piece, waited=True)
        if not self._buffering.keep(within=self._left(since)):
            return look
        self._store.swap_buffered(self._owner, upto=piece[-1].seq)
        after = self._look()
        self._tell_task(after.record)
        return after

    def _observed_in_need(self, look: MemoryState) -> MemoryState:
        waiting = look.record.buffered_observation_chunks
        if waiting:
            self._store.swap_buffered(self._owner, upto=waiting[-1].to_seq)
            look = self._look()
        piece = self._too_much(look)
        if piece and look.record.pending_message_tokens >= self._config.observation.message_tokens:
            self._buffering.observe_in_need(look.record, piece)
            look = self._look()
        return look

    def _too_much(self, look: MemoryState) -> tuple[Message, ...]:
        """Return the messages that nothing is observed of and that should go, so that few enough stay."""
        observation = self._config.observation
        end = cut_below(look.messages, floor=observation.floor, limit=observation.message_tokens)
        return tuple(each for each in look.unobserved if end is not None and each.seq <= end)

    def reflected(self, look: MemoryState, since: float) -> MemoryState:
        """Reflect where there are too many observations: what waits first, then while the step waits, then without a model."""
        reflection = self._config.reflection
        tokens = look.record.observation_token_count
        if tokens >= reflection.observation_tokens and look.record.buffered_reflection:
            self._store.swap_buffered(self._owner, upto=look.record.cursor, reflection=True)
            look = self._look()
            tokens = look.record.observation_token_count
        ahead = reflection.buffering
        if tokens >= (reflection.blocking if ahead else reflection.observation_tokens):
            self._reflecting.start(look.record, needed_now=True)
            if self._reflecting.keep(within=self._left(since)):
                look = self._look()
        elif ahead and tokens >= ahead and look.record.buffered_reflection is None:
            self._reflecting.start(look.record, needed_now=False)
            if self._reflecting.keep():
                look = self._look()
        if look.record.observation_token_count >= reflection.hard_limit:
            self._reflecting.reflect_in_need(look.record)
            look = self._look()
        return look

    def _left(self, since: float) -> float:
        """Return how many seconds this step may still wait."""
        return self._config.patience - (self._means.clock() - since)

    def _tell(self, kind: ConversationEventKind, **data: Json) -> None:
        self._means.tell(ConversationEvent(kind, self._owner, data))

    def _tell_task(self, record: ObservationalMemoryRecord) -> None:
        self._tell(
            ConversationEventKind.THREAD_UPDATE,
            current_task=record.current_task,
            suggested_response=record.suggested_response,
        )
