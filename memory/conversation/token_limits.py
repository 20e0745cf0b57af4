"""The token limits of a conversation: buffered chunks are activated, then messages observed and observations reflected on.

Each method takes the current state of memory and returns the new one. A step waits only above the blocking thresholds,
for a limited time; above the hard limits no model is called.
"""

from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple

from memory.codec import Json
from memory.conversation.boundaries import Cut, boundary, cut_below, last_clean_cut
from memory.conversation.config import ConversationConfig
from memory.conversation.jobs import Dependencies, ObservationJob, ReflectionJob
from memory.conversation.port import ActivationReason, ConversationEventKind
from memory.store.conversation_record import Message, ObservationalMemoryRecord
from memory.store.conversations import ConversationStore


class MemoryState(NamedTuple):
    """The memory at one moment, and all messages after its cursor."""

    record: ObservationalMemoryRecord
    messages: tuple[Message, ...]

    @property
    def unobserved(self) -> tuple[Message, ...]:
        """The messages that are in no buffered chunk either."""
        buffered = self.record.buffered_observation_chunks
        end = buffered[-1].to_seq if buffered else self.record.cursor
        return tuple(each for each in self.messages if each.seq > end)


def threshold(config: ConversationConfig, record: ObservationalMemoryRecord) -> int:
    """Return the message tokens from which messages are observed: more when observations share unused budget."""
    most = config.observation.message_tokens
    if not config.share_token_budget:
        return most
    room = config.reflection.observation_tokens - record.observation_token_count
    # Never above the blocking threshold, which is counted from the configured one.
    return min(most + max(0, room), config.observation.blocking)


def may_need_work(config: ConversationConfig, record: ObservationalMemoryRecord) -> bool:
    """Return whether anything may need work: False below the first threshold with nothing buffered."""
    observation, reflection = config.observation, config.reflection
    return bool(
        record.buffered_observation_chunks
        or record.buffered_reflection
        or record.pending_message_tokens >= (observation.buffer_step or observation.message_tokens)
        or record.observation_token_count >= (reflection.buffering or reflection.observation_tokens)
    )


class TokenLimits:
    """Keeps one conversation within its thresholds. `load` returns its current memory."""

    def __init__(
        self,
        store: ConversationStore,
        owner: str,
        config: ConversationConfig,
        deps: Dependencies,
        load: Callable[[], MemoryState],
    ) -> None:
        self._store = store
        self._owner = owner
        self._config = config
        self._deps = deps
        self._load_state = load
        self.observing = ObservationJob(store, owner, config, deps)
        self._reflecting = ReflectionJob(store, owner, config, deps)

    def apply(self, state: MemoryState, why: ActivationReason | None, since: float) -> MemoryState:
        """Do everything that the next model call needs; `since` is when its step began to wait."""
        state = self.activate(self.prepare(state), why)
        return self._reflect(self._observe(state, since), since)

    def prepare(self, state: MemoryState) -> MemoryState:
        """Store finished results, and start observing a piece in advance when enough messages have accumulated."""
        if self.observing.collect() | self._reflecting.collect():
            state = self._load_state()
        step = self._config.observation.buffer_step
        unobserved = state.unobserved
        end = last_clean_cut(unobserved, step) if step else None
        if end is not None:
            piece = [each for each in unobserved if each.seq <= end]
            self.observing.start(state.record, piece)
            if self.observing.collect():  # already finished when it ran without a thread
                return self._load_state()
        return state

    def activate(self, state: MemoryState, why: ActivationReason | None = None) -> MemoryState:
        """Activate buffered chunks when the threshold is reached; with the reason `why`, activate all of them."""
        record = state.record
        buffered = record.buffered_observation_chunks
        if not buffered:
            return state
        pending = record.pending_message_tokens
        sizes = accumulate(each.message_tokens for each in buffered)
        cuts = [Cut(each.to_seq, size) for each, size in zip(buffered, sizes, strict=True)]
        if pending >= threshold(self._config, record):
            cut = boundary(cuts, pending, self._config.observation.floor)
            reason = ActivationReason.THRESHOLD
        elif why:
            cut, reason = cuts[-1], why
        else:
            return state
        if cut is None:
            return state
        size = record.observation_token_count
        size += sum(each.tokens for each in buffered if each.to_seq <= cut.seq)
        is_time = size >= self._config.reflection.observation_tokens
        swaps = is_time and record.buffered_reflection is not None
        count = self._store.swap_buffered(self._owner, upto=cut.seq, reflection=swaps)
        after = self._load_state()
        data: dict[str, Json] = {
            "reason": reason.value,
            "chunks": count,
            "cursor": after.record.cursor,
            "tokens_before": pending,
            "tokens_after": after.record.pending_message_tokens,
        }
        self._deps.report(ConversationEventKind.ACTIVATION, self._owner, data)
        self._report_task(after.record)
        return after

    def _observe(self, state: MemoryState, since: float) -> MemoryState:
        """Observe while the step waits when there are too many messages, and without a model above the hard limit."""
        observation = self._config.observation
        most = observation.blocking
        if not observation.buffer_step:
            most = threshold(self._config, state.record)
        if state.record.pending_message_tokens >= most:
            self.observing.collect(within=self._time_left(since))
            state = self._observe_excess(self.activate(self._load_state()), most, since)
        if state.record.pending_message_tokens >= observation.hard_limit:
            state = self._observe_offline(state)
        return state

    def _observe_excess(self, state: MemoryState, most: int, since: float) -> MemoryState:
        """Observe the excess messages, and wait for it no longer than a step may."""
        piece = self._excess(state)
        if state.record.pending_message_tokens < most or not piece:
            return state
        self.observing.start(state.record, piece, waited=True)
        if not self.observing.collect(within=self._time_left(since)):
            return state
        self._store.swap_buffered(self._owner, upto=piece[-1].seq)
        after = self._load_state()
        self._report_task(after.record)
        return after

    def _observe_offline(self, state: MemoryState) -> MemoryState:
        buffered = state.record.buffered_observation_chunks
        if buffered:
            self._store.swap_buffered(self._owner, upto=buffered[-1].to_seq)
            state = self._load_state()
        piece = self._excess(state)
        if piece and state.record.pending_message_tokens >= self._config.observation.message_tokens:
            self.observing.observe_offline(state.record, piece)
            state = self._load_state()
        return state

    def _excess(self, state: MemoryState) -> tuple[Message, ...]:
        """Return the unobserved messages that must be observed to get below the threshold."""
        observation = self._config.observation
        end = cut_below(state.messages, floor=observation.floor, limit=observation.message_tokens)
        return tuple(each for each in state.unobserved if end is not None and each.seq <= end)

    def _reflect(self, state: MemoryState, since: float) -> MemoryState:
        """Reduce observations above the threshold: by the buffered reflection, a new one, or without a model."""
        reflection = self._config.reflection
        tokens = state.record.observation_token_count
        if tokens >= reflection.observation_tokens and state.record.buffered_reflection:
            self._store.swap_buffered(self._owner, upto=state.record.cursor, reflection=True)
            state = self._load_state()
            tokens = state.record.observation_token_count
        ahead = reflection.buffering
        needed_now = tokens >= (reflection.blocking if ahead else reflection.observation_tokens)
        is_early = ahead and tokens >= ahead and state.record.buffered_reflection is None
        if needed_now or is_early:
            self._reflecting.start(state.record, needed_now=needed_now)
            if self._reflecting.collect(within=self._time_left(since) if needed_now else 0.0):
                state = self._load_state()
        if state.record.observation_token_count >= reflection.hard_limit:
            self._reflecting.reflect_offline(state.record)
            state = self._load_state()
        return state

    def _time_left(self, since: float) -> float:
        """Return how many seconds this step may still wait."""
        return self._config.patience - (self._deps.clock() - since)

    def _report_task(self, record: ObservationalMemoryRecord) -> None:
        task, response = record.current_task, record.suggested_response
        data: dict[str, Json] = {"current_task": task, "suggested_response": response}
        self._deps.report(ConversationEventKind.THREAD_UPDATE, self._owner, data)
