"""Claude in a session: the client, its budget, breaker, tape and conversation, built together and released in order.

Import it only where a model is asked: the SDK takes a second to load.
"""

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import Final

from agent.advisor.calls import Calls, CircuitBreaker
from agent.advisor.claude import Claude
from agent.advisor.exchange import ClaudeAdvisor, distilling
from agent.advisor.model import ModelFault, Request
from agent.advisor.money.prices import spent_on
from agent.advisor.money.wallet import Wallet
from agent.advisor.port import Advice, Question, Silent, Tool
from agent.advisor.prompt import prompt_file
from agent.advisor.request import MEMORY_TOKENS, Fixed, calibrated, without_state
from agent.advisor.secrets import MaskingFilter, mask_of
from agent.app.advice import Asking
from agent.app.settings import ModelTerms
from agent.app.summary import Summary
from memory import Faults, Json, MemoryFault, RunStore, StoreError
from memory.conversation.config import ConversationConfig
from memory.conversation.conversation import Conversation, conversations_of
from memory.conversation.jobs import Dependencies, in_thread
from memory.conversation.model import ModelObserver, ModelReflector
from memory.conversation.port import ConversationEvent, ConversationEventKind
from memory.conversation.rules import HeuristicObserver, HeuristicReflector
from memory.errors import OnFault
from memory.tapes.notes import load_page, observe
from memory.tapes.recorder import TapeRecorder
from memory.tapes.tape import SqliteTape, open_tape
from memory.tokens import TokenEstimator

THREAD: Final = "advice"  # the one conversation of a run
# Of what a model takes: the rest is for tools, rules, and the state of the moment.
SHARE: Final = 0.7


def fitting(config: ConversationConfig, room: int | None) -> ConversationConfig:
    """Return `config` with thresholds that a model of so much `room` can take, at the worst; as it is where it can."""
    most = None if room is None else int(room * SHARE)
    if most is None or config.hard_limit <= most:
        return config
    share = most / config.hard_limit
    observation, reflection = config.observation, config.reflection
    return replace(
        config,
        observation=replace(observation, message_tokens=int(observation.message_tokens * share)),
        reflection=replace(
            reflection, observation_tokens=int(reflection.observation_tokens * share)
        ),
    )


AGENT_NAME: Final = "red-agent"  # as tapes name who asked
CONVERSATION: Final = "conversation"  # the kind of event

log = logging.getLogger(__name__)


class ModelService:
    """Claude as one session asks him. Whatever fails here is counted, and play goes on."""

    def __init__(self, store: RunStore, hiring: ModelTerms, on_fault: OnFault) -> None:
        """Raise UsageError where there is no usable key, or a model has no price."""
        self.faults = Faults(on_fault)
        self._store = store
        self._hiring = hiring
        self._mask = mask_of(os.environ)
        self._veil = MaskingFilter(self._mask)
        for handler in _log_handlers():
            handler.addFilter(self._veil)
        self._tick, self._game_s = 0, 0.0  # of the last question; the breaker counts game seconds
        self._advisor: ClaudeAdvisor | None = None
        self._session = store.next_session()  # the one that begins
        self._notes = load_page(hiring.tapes / "memory")
        self._wallet = Wallet(
            store,
            hiring.prices,
            hiring.terms,
            now_ms=lambda: round(_now_s() * 1_000),
            faults=self.faults,
        )
        self._breaker = CircuitBreaker(lambda: self._game_s)
        self._tape = self._opened(hiring.tapes / "tapes.sqlite")
        self._recorder = self._recording()
        record = without_state(self._recorder.record) if self._recorder is not None else None
        self._claude = Claude(hiring.timeout_s, clock=perf_counter, record=record)
        # To wait for the service; the game stands still meanwhile, and no time passes in it.
        wait = Event().wait
        self._calls = Calls(
            self._claude, self._wallet, self._breaker, clock=perf_counter, sleep=wait
        )

    def asking(self, every: int) -> Asking:
        """Return how a session asks."""
        return Asking(self._advised, every)

    def ask(self, question: Question) -> Advice | Silent:
        """Return Claude's answer, or why there is none."""
        if self._advisor is None:
            raise RuntimeError("nobody was made to ask yet")
        self._tick, self._game_s = question.tick, question.game_s
        self._wallet.milestone(question.milestone)
        return self._advisor.ask(question)

    def _advised(self, tools: Sequence[Tool], observed: Callable[[], str | None]) -> "ModelService":
        """Begin to ask on one branch of the run."""
        config = fitting(ConversationConfig(), self._room())
        conversations = conversations_of(self._store, self._session)
        self._advisor = ClaudeAdvisor(
            self._calls,
            Conversation(conversations, THREAD, self._dependencies(), config),
            Fixed(tuple(tools), self._notes, self._store.run_id),
            observed=observed,
            mask=self._mask,
            today=lambda: datetime.now(UTC).date(),
        )
        return self

    def _dependencies(self) -> Dependencies:
        """Return what a conversation is observed by: rules, or a small model with rules to fall back on."""
        # All thresholds are counted as the service counts, where it does.
        messages = [{"role": "user", "content": prompt_file("rules")}]
        request = Request(self._hiring.terms.usual, (), messages, 1)
        estimate = calibrated(TokenEstimator(), self._claude, request)
        by_rules = Dependencies(
            observer=HeuristicObserver(estimate),
            reflector=HeuristicReflector(estimate),
            clock=_now_s,
            fallback=HeuristicObserver(estimate),
            reflector_in_need=HeuristicReflector(estimate),
            estimate=estimate,
            on_part=self._part,
            faults=self.faults,
            holder=self._store.run_id,  # one process at a time plays a run
        )
        if not self._hiring.distils:
            return by_rules
        return replace(
            by_rules,
            observer=ModelObserver(distilling(self._calls, "observer"), estimate=estimate),
            reflector=ModelReflector(distilling(self._calls, "reflector"), estimate=estimate),
            background=in_thread,
        )

    def _room(self) -> int | None:
        """Return how many tokens the model takes, or None where the service does not say."""
        try:
            return self._claude.room(self._hiring.terms.usual)
        except ModelFault:
            return None

    def told_in(self, summary: Summary) -> Summary:
        """Return a summary that tells what asking came to as well."""
        errors = summary.errors + sum(self.faults.values())
        return replace(summary, errors=errors, advice=self._report())

    def _report(self) -> dict[str, Json]:
        """Return what asking came to so far: counts, money, the cache, the tape."""
        advisor, counts = self._advisor, dict(sorted(self._calls.counts.items()))
        observed = counts.get(MEMORY_TOKENS, 0)
        spent = spent_on(self._store.calls(), observation_tokens=observed)
        return {
            "counts": counts,
            "usd": spent.nanos / 1e9,
            "usd_unknown": spent.unknown_nanos / 1e9,
            "calls": spent.calls,
            "tokens": dict(spent.kinds),
            "memory_share": round(spent.memory_share, 4),
            "refused": dict(self._wallet.refused),
            "breaker": {kind.value: times for kind, times in self._breaker.opened.items()},
            "cache_hits": round(advisor.cache.hit_ratio, 4) if advisor else 0.0,
            "cache_misses": dict(advisor.cache.misses) if advisor else {},
            "tape_nodes": self._recorder.nodes if self._recorder else 0,
            "tape_lost": self._recorder.lost if self._recorder else counts.get("calls", 0),
        }

    def close(self) -> None:
        """Hang up, and note what the tape tells for the next session."""
        self._claude.close()
        for handler in _log_handlers():
            handler.removeFilter(self._veil)
        if self._tape is None:
            return
        path = self._tape.path
        try:
            self._tape.close()
            observe(path, path.parent / "memory")
        except MemoryFault as fault:
            self.faults.note("observe the tape", fault)

    def _opened(self, path: Path) -> SqliteTape | None:
        try:
            return open_tape(path)
        except (StoreError, OSError) as error:
            self.faults.note("open the tape", error)
            return None

    def _recording(self) -> TapeRecorder | None:
        if self._tape is None:
            return None
        return TapeRecorder(
            self._tape, agent_name=AGENT_NAME, clock=_now_s, on_fault=self.faults, mask=self._mask
        )

    def _part(self, part: ConversationEvent) -> None:
        """Keep what happens to the conversation's memory; how full it is at each call is no event."""
        if part.kind is not ConversationEventKind.STATUS:
            self._store.append_event(
                self._tick, CONVERSATION, {"what": part.kind.value, **part.data}
            )


def _log_handlers() -> Sequence[logging.Handler]:
    last = [logging.lastResort] if logging.lastResort is not None else []
    return [*logging.getLogger().handlers, *last]


def require_key(hiring: ModelTerms) -> None:
    """Raise UsageError where there is no key for Claude, or one that cannot be used."""
    Claude(hiring.timeout_s, clock=perf_counter).close()


def _now_s() -> float:
    """Return seconds since 1970, which are metadata: nothing in play depends on them."""
    return datetime.now(UTC).timestamp()
