"""A conversation of unlimited length: each message is stored at once and sent until observations replace it.

Before each model call it is reduced to fit, with work prepared in the background where possible. One number, the cursor,
marks what is observed; everything it moves changes in one transaction. Below the first threshold nothing is built.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Final

from memory.codec import Json, encode
from memory.conversation.config import ConversationConfig
from memory.conversation.format import LinePriority, is_listed, read_priority
from memory.conversation.jobs import Dependencies
from memory.conversation.port import ActivationReason, ConversationEventKind
from memory.conversation.token_limits import MemoryState, TokenLimits, may_need_work, threshold
from memory.conversation.view import ConversationView, view_of
from memory.observations.observation import Observed, Source
from memory.store.conversation_record import (
    Block,
    Chunk,
    ConversationScope,
    Message,
    MessageOrigin,
    ObservationalMemoryRecord,
)
from memory.store.conversations import ConversationStore
from memory.store.observations import OF_CONVERSATIONS
from memory.store.run_store import RunStore

DEFAULTS = ConversationConfig()

IMPORTANCES: Final = {
    LinePriority.ASSERTED: 9,
    LinePriority.ASKED: 5,
    LinePriority.DONE: 5,
    LinePriority.UNCERTAIN: 2,
    None: 4,  # of a line without a mark
}


class Conversation:
    """One thread. With resource scope, threads of a resource are observed together and see each other's messages."""

    def __init__(
        self,
        store: ConversationStore,
        thread: str,
        deps: Dependencies,
        config: ConversationConfig = DEFAULTS,
        *,
        resource: str = "",
    ) -> None:
        self._store = store
        self.thread = thread
        self._deps = deps
        self._config = config
        is_shared = config.scope is ConversationScope.RESOURCE
        self.owner = resource or thread if is_shared else thread
        self._limits: TokenLimits | None = None
        self._provider = ""

    def say(
        self, role: str, blocks: Sequence[Block], origin: MessageOrigin, tick: int, game_s: float
    ) -> Message:
        """Return the stored message with its number; `tick` and `game_s` are its time."""
        tokens = self._deps.estimate(encode([dict(each) for each in blocks]))
        message = Message(self.thread, role, tuple(blocks), tick, game_s, tokens, origin)
        return self._store.add(self.owner, replace(message, created_ms=self._deps.now_ms))

    def before_call(self, step: int, provider: str = "") -> ConversationView:
        """Return the view for the next model call, after reducing it to fit; `step` counts the calls of a turn from 0.

        It waits for an observer or reflector only above the blocking threshold, for a limited time.
        """
        since = self._deps.clock()
        state = self._load_state()
        reason = self._early_reason(state, step, provider)
        if limits := self._limits_of(state):
            state = limits.apply(state, reason, since)
        self._report_status(state.record)
        return view_of(state.record, state.messages, self.thread)

    def after_turn(self) -> None:
        """Store finished observations, and start observing the messages of the turn."""
        state = self._load_state()
        if limits := self._limits_of(state):
            state = limits.prepare(state)
        self._report_status(state.record)

    def status(self) -> dict[str, Json]:
        """Return token counts, thresholds, and what is buffered."""
        return self._status(self.record())

    def record(self) -> ObservationalMemoryRecord:
        """Return the current record of this conversation, created when there was none."""
        now_ms = self._deps.now_ms
        if (found := self._store.get(self.owner, now_ms=now_ms)) is not None:
            return found
        config = self._config
        created = ObservationalMemoryRecord(
            self.owner,
            config.scope,
            timezone=config.timezone,
            config=encode({**asdict(config), "scope": config.scope.value}),
            created_ms=now_ms,
        )
        self._store.initialize(created)
        return self._store.get(self.owner, now_ms=now_ms) or created

    def _load_state(self) -> MemoryState:
        record = self.record()
        return MemoryState(record, self._store.messages(self.owner, after=record.cursor))

    def _limits_of(self, state: MemoryState) -> TokenLimits | None:
        """Return the token limits of this conversation, built when the first threshold is near."""
        if self._limits is None and may_need_work(self._config, state.record):
            self._limits = TokenLimits(
                self._store, self.owner, self._config, self._deps, self._load_state
            )
        return self._limits

    def _early_reason(
        self, state: MemoryState, step: int, provider: str
    ) -> ActivationReason | None:
        """Return a reason to activate below the threshold: the cached prompt is of no use any more."""
        changed = bool(provider and self._provider) and provider != self._provider
        self._provider = provider or self._provider
        if step == 0 and changed and self._config.activate_on_provider_change:
            return ActivationReason.PROVIDER
        idle_ms = 1_000 * self._config.activate_after_idle
        before = [each for each in state.messages if each.role == "assistant"]
        if step == 0 and idle_ms and before:
            is_idle = self._deps.now_ms - before[-1].created_ms >= idle_ms
            return ActivationReason.TTL if is_idle else None
        return None

    def _report_status(self, record: ObservationalMemoryRecord) -> None:
        self._deps.report(ConversationEventKind.STATUS, self.owner, self._status(record))

    def _status(self, record: ObservationalMemoryRecord) -> dict[str, Json]:
        buffered = record.buffered_observation_chunks
        return {
            "cursor": record.cursor,
            "message_tokens": record.pending_message_tokens,
            "message_threshold": threshold(self._config, record),
            "observation_tokens": record.observation_token_count,
            "observation_threshold": self._config.reflection.observation_tokens,
            "buffered_chunks": len(buffered),
            "buffered_message_tokens": record.last_buffered_at_tokens,
            "buffered_observation_tokens": sum(each.tokens for each in buffered),
            "is_reflection_buffered": record.buffered_reflection is not None,
            "is_buffering": self._limits is not None and self._limits.observing.is_running,
            "generation": record.generation_count,
        }


def conversations_of(run: RunStore, session: str) -> ConversationStore:
    """Return the conversations of a run; their observations are also stored as observations of `session`."""

    def keep(chunk: Chunk, tick: int, game_s: float) -> None:
        run.observations.add_now(session, _observed_in(chunk), tick=tick, game_s=game_s)

    return ConversationStore(run.database, keep)


def _observed_in(chunk: Chunk) -> Iterator[Observed]:
    """Yield the list lines of a chunk as observations; headers and other lines are skipped."""
    source: Source = "llm" if chunk.source == "llm" else "programmatic"
    for row in filter(is_listed, chunk.text.splitlines()):
        priority, text = read_priority(row)
        if text:
            yield Observed(OF_CONVERSATIONS, text, IMPORTANCES[priority], source=source)
