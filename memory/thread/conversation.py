"""A conversation that never runs out: each message is kept at once, and sent again until observations stand in for it.

Before each call of a model it is made to fit; what that needs was prepared beside play where it could be. One number tells
what is observed, the cursor, and all that moves it moves in one transaction.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, NamedTuple

from memory.codec import encode
from memory.thread.activation import activation, threshold
from memory.thread.buffering import Buffering
from memory.thread.config import Scope, ThreadConfig
from memory.thread.cuts import cut_below, settled_until
from memory.thread.message import Message, Origin
from memory.thread.parts import Part, PartKind, Reason
from memory.thread.record import ObservationalMemoryRecord
from memory.thread.reflection import Reflecting
from memory.thread.sight import Sight, sight_of
from memory.thread.thread_rows import NO_REFLECTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.codec import Json
    from memory.thread.means import Means
    from memory.thread.message import Block
    from memory.thread.store import ThreadStore

DEFAULTS = ThreadConfig()


class _Look(NamedTuple):
    """The memory at one moment, and all messages it does not stand in for."""

    record: ObservationalMemoryRecord
    messages: tuple[Message, ...]

    @property
    def unobserved(self) -> tuple[Message, ...]:
        """The messages of which nothing waits to stand in for them either."""
        waiting = self.record.buffered_observation_chunks
        end = waiting[-1].to_seq if waiting else self.record.cursor
        return tuple(each for each in self.messages if each.seq > end)


class Conversation:
    """One thread. Where the scope is a resource, its threads are observed together, and each sees what the others say."""

    def __init__(
        self,
        store: ThreadStore,
        thread: str,
        means: Means,
        config: ThreadConfig = DEFAULTS,
        *,
        resource: str = "",
    ) -> None:
        self._store = store
        self.thread = thread
        self._means = means
        self._config = config
        is_shared = config.scope is Scope.RESOURCE
        self.owner = resource or thread if is_shared else thread
        self._buffering = Buffering(store, self.owner, config, means)
        self._reflecting = Reflecting(store, self.owner, config, means)
        self._provider = ""

    def say(
        self, role: str, blocks: Sequence[Block], origin: Origin, tick: int, game_s: float
    ) -> Message:
        """Return what was said as it is kept from now on, with its number; `tick` and `game_s` say when."""
        tokens = self._means.estimate(encode([dict(each) for each in blocks]))
        message = Message(self.thread, role, tuple(blocks), tick, game_s, tokens, origin)
        return self._store.add(self.owner, replace(message, created_ms=self._means.now_ms))

    def before_call(self, step: int, provider: str = "") -> Sight:
        """Return what the next call of a model is made of, after it was made to fit; `step` counts the calls of a turn from 0.

        It waits for an observer or a reflector only beyond the point of blocking, and only for so long.
        """
        since = self._means.clock()
        look = self._prepared(self._look())
        look = self._activated(look, self._other_reason(look, step, provider))
        look = self._observed(look, since)
        look = self._reflected(look, since)
        self._tell_status(look.record)
        return sight_of(look.record, look.messages, self.thread)

    def after_turn(self) -> None:
        """Keep what was observed meanwhile, and begin to observe what the turn brought."""
        self._tell_status(self._prepared(self._look()).record)

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

    def _look(self) -> _Look:
        record = self._record()
        return _Look(record, self._store.messages(self.owner, after=record.cursor))

    def _prepared(self, look: _Look) -> _Look:
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

    def _other_reason(self, look: _Look, step: int, provider: str) -> Reason | None:
        """Return why what waits is activated below the threshold too: nobody would gain by the old prompt."""
        changed = bool(provider and self._provider) and provider != self._provider
        self._provider = provider or self._provider
        if step == 0 and changed and self._config.activate_on_provider_change:
            return Reason.PROVIDER
        idle_ms = 1_000 * self._config.activate_after_idle
        before = [each for each in look.messages if each.role == "assistant"]
        if step == 0 and idle_ms and before:
            is_idle = self._means.now_ms - before[-1].created_ms >= idle_ms
            return Reason.TTL if is_idle else None
        return None

    def _activated(self, look: _Look, also: Reason | None = None) -> _Look:
        found = activation(self._config, look.record, also)
        if found is None:
            return look
        count = self._store.swap_buffered(
            self.owner, upto=found.upto, reflection=found.swaps_reflection
        )
        after = self._look()
        self._tell(
            PartKind.ACTIVATION,
            reason=found.reason.value,
            chunks=count,
            cursor=after.record.cursor,
            tokens_before=look.record.pending_message_tokens,
            tokens_after=after.record.pending_message_tokens,
        )
        self._tell_task(after.record)
        return after

    def _observed(self, look: _Look, since: float) -> _Look:
        """Observe while the step waits where there are too many messages, and in need without a model."""
        observation = self._config.observation
        most = (
            observation.blocking
            if observation.buffer_step
            else threshold(self._config, look.record)
        )
        if look.record.pending_message_tokens >= most:
            self._buffering.keep(within=self._left(since))
            look = self._with_piece(self._activated(self._look()), most, since)
        if look.record.pending_message_tokens >= observation.hard_limit:
            look = self._observed_in_need(look)
        return look

    def _with_piece(self, look: _Look, most: int, since: float) -> _Look:
        """Have all observed that is too much, and wait for it no longer than a step may."""
        piece = self._too_much(look)
        if look.record.pending_message_tokens < most or not piece:
            return look
        self._buffering.start(look.record, piece, waited=True)
        if not self._buffering.keep(within=self._left(since)):
            return look
        self._store.swap_buffered(self.owner, upto=piece[-1].seq)
        after = self._look()
        self._tell_task(after.record)
        return after

    def _observed_in_need(self, look: _Look) -> _Look:
        waiting = look.record.buffered_observation_chunks
        if waiting:
            self._store.swap_buffered(self.owner, upto=waiting[-1].to_seq)
            look = self._look()
        piece = self._too_much(look)
        if piece and look.record.pending_message_tokens >= self._config.observation.message_tokens:
            self._buffering.observe_in_need(look.record, piece)
            look = self._look()
        return look

    def _too_much(self, look: _Look) -> tuple[Message, ...]:
        """Return the messages that nothing is observed of and that should go, so that few enough stay."""
        observation = self._config.observation
        end = cut_below(look.messages, floor=observation.floor, limit=observation.message_tokens)
        return tuple(each for each in look.unobserved if end is not None and each.seq <= end)

    def _reflected(self, look: _Look, since: float) -> _Look:
        """Reflect where there are too many observations: what waits first, then while the step waits, then without a model."""
        reflection = self._config.reflection
        tokens = look.record.observation_token_count
        if tokens >= reflection.observation_tokens and look.record.buffered_reflection:
            self._store.swap_buffered(self.owner, upto=look.record.cursor, reflection=True)
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

    def _tell(self, kind: PartKind, **data: Json) -> None:
        self._means.tell(Part(kind, self.thread, data))

    def _tell_task(self, record: ObservationalMemoryRecord) -> None:
        self._tell(
            PartKind.THREAD_UPDATE,
            current_task=record.current_task,
            suggested_response=record.suggested_response,
        )

    def _tell_status(self, record: ObservationalMemoryRecord) -> None:
        self._tell(PartKind.STATUS, **self._status(record))

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
            "is_buffering": self._buffering.is_under_way,
            "generation": record.generation_count,
        }


def _told(config: ThreadConfig) -> str:
    return encode({**asdict(config), "scope": config.scope.value})
