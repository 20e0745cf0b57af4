"""Claude in a session: builds client, budget, circuit breaker, tape and conversation, and closes them in order.

Import it only where a model is asked, because the SDK takes a second to load.
"""

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Final

from agent.advisor.calls import RETRY_POLICY, Calls, CircuitBreaker
from agent.advisor.claude import Claude
from agent.advisor.deadline import Patience
from agent.advisor.exchange import ClaudeAdvisor, completer
from agent.advisor.model import FaultKind, ModelFault, Request
from agent.advisor.money.prices import spent_on
from agent.advisor.money.wallet import MAX_NAME, Wallet
from agent.advisor.names import STAND_IN
from agent.advisor.port import Advice, NoAnswer, Question, Tool
from agent.advisor.prompt import prompt_file
from agent.advisor.request import MEMORY_TOKENS, FixedParts, calibrated
from agent.advisor.secrets import MaskingFilter, mask_for, masked
from agent.advisor.transcript import Transcript
from agent.app.process import Interrupt
from agent.app.settings import ModelTerms
from agent.app.summary import ModelStatus, Summary
from agent.app.verdicts import made_up_usd, totals, verdicts
from agent.record.answers import AdviceSource
from memory import Faults, Json, MemoryFault, RunStore, StoreError
from memory.conversation import (
    Conversation,
    ConversationConfig,
    ConversationEvent,
    ConversationEventKind,
    Dependencies,
    HeuristicObserver,
    HeuristicReflector,
    ModelObserver,
    ModelReflector,
    conversations_of,
    run_in_thread,
)
from memory.errors import OnFault
from memory.tapes import SqliteTape, TapeRecorder, load_page, observe, open_tape
from memory.tokens import TokenEstimator

THREAD: Final = "advice"  # the only conversation of a run
# Of the input of a model; the rest is for tools, rules and the current state.
MAX_SHARE: Final = 0.7


def scaled_config(config: ConversationConfig, max_input_tokens: int | None) -> ConversationConfig:
    """Return `config` with its thresholds scaled down to a model that takes `max_input_tokens` tokens (None: unknown), if needed."""
    most = None if max_input_tokens is None else int(max_input_tokens * MAX_SHARE)
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


AGENT_NAME: Final = "red-agent"  # the agent name on tapes
CONVERSATION: Final = "conversation"  # the event kind
SERVICE: Final = "service"  # the kind of an event about what a server lacks
FINISH_S: Final = 10.0  # seconds
UNREACHABLE: Final = frozenset({FaultKind.CONNECTION, FaultKind.TIMEOUT})

log = logging.getLogger(__name__)


class ModelService:
    """The access of one session to Claude. Failures are counted, and play continues."""

    def __init__(
        self, store: RunStore, terms: ModelTerms, on_fault: OnFault, interrupt: Interrupt
    ) -> None:
        """Raise UsageError if there is no usable key or a model has no price.

        After a request of `interrupt` the question in progress may take `FINISH_S` more: its answer is paid for.
        """
        self.faults = Faults(on_fault)
        self._store = store
        self._terms = terms
        self._mask = mask_for(os.environ)
        self._masking_filter = MaskingFilter(self._mask)
        for handler in _log_handlers():
            handler.addFilter(self._masking_filter)
        self._tick, self._game_s = 0, 0.0  # of the last question; the breaker uses game time
        self._advisor: ClaudeAdvisor | None = None
        # It survives the branches of a session: the service goes on with its own thinking.
        self._transcript = Transcript(lambda: datetime.now(UTC).date())
        self.unreachable = ""  # why no answer can be had now
        self._ends_at = inf  # the `perf_counter` reading from which no call goes on
        self._session = store.next_session()  # the new session
        self._notes = load_page(terms.tapes / "memory")
        self._wallet = Wallet(
            store.calls,
            terms.prices,
            terms.terms,
            now_ms=lambda: round(_now_s() * 1_000),
            faults=self.faults,
        )
        self._breaker = CircuitBreaker(lambda: self._game_s)
        self._tape: SqliteTape | None = None
        self._recorder = self._record_on(terms.tapes / "tapes.sqlite")
        record = self._recorder.record if self._recorder is not None else None
        # Waits for the service in wall time; no game time passes.
        patience = Patience(perf_counter, partial(self._is_ending, interrupt))
        self._claude = Claude(terms.timeout_s, patience=patience, record=record)
        self._lacking: dict[str, list[str]] = {}
        self._recall_lacking()
        longest = min(RETRY_POLICY.max_wait_s, terms.timeout_s)
        self._calls = Calls(
            self._claude,
            self._wallet,
            self._breaker,
            patience,
            retry_policy=replace(RETRY_POLICY, max_wait_s=longest),
            faults=self.faults,
        )

    def _is_ending(self, interrupt: Interrupt) -> bool:
        """Return whether no call or pause may go on."""
        if interrupt.asked:
            self._ends_at = min(self._ends_at, perf_counter() + FINISH_S)
        return perf_counter() >= self._ends_at

    def asking(self, every: int) -> AdviceSource:
        """Return how a session asks for advice."""
        return AdviceSource(self._build_advisor, every)

    def ask(self, question: Question) -> Advice | NoAnswer:
        """Return Claude's answer, or the reason why there is none."""
        assert self._advisor is not None  # a branch builds it before it asks
        self._tick, self._game_s = question.tick, question.game_s
        self._wallet.milestone(question.milestone)
        answer = self._advisor.ask(question)
        self._record_lacking()
        if isinstance(answer, NoAnswer):
            return answer
        by = self._calls.answered_by.get(question.purpose.value, "")
        return replace(answer, by=masked(by[:MAX_NAME], self._mask))

    def _build_advisor(
        self, tools: Sequence[Tool], observed: Callable[[], str | None]
    ) -> "ModelService":
        """Build the advisor of one branch of the run, and return this service as its port."""
        conversations, terms = conversations_of(self._store, self._session), self._terms.terms
        self._advisor = ClaudeAdvisor(
            self._calls,
            Conversation(conversations, THREAD, self._dependencies, self._config),
            FixedParts(tuple(tools), self._notes, self._store.run_id, terms.settings, terms.rules),
            observed=observed,
            mask=self._mask,
            transcript=self._transcript,
        )
        return self

    @cached_property  # its calls are made once, not for each branch
    def _config(self) -> ConversationConfig:
        return scaled_config(self._terms.terms.conversation, self._token_limit())

    @cached_property
    def _dependencies(self) -> Dependencies:
        """Return the observer and reflector of a conversation: rules, or a small model with rules as fallback."""
        # Thresholds are in tokens as the service counts them, if it does.
        messages = [{"role": "user", "content": prompt_file("rules")}]
        request = Request(self._terms.terms.usual, (), messages)
        estimate = calibrated(TokenEstimator(), self._claude, request)
        by_rules = Dependencies(
            observer=HeuristicObserver(estimate),
            reflector=HeuristicReflector(estimate),
            clock=_now_s,
            fallback=HeuristicObserver(estimate),
            fallback_reflector=HeuristicReflector(estimate),
            estimate=estimate,
            on_part=self._append_event,
            faults=self.faults,
            holder=self._store.run_id,  # one process at a time plays a run
        )
        if not self._terms.distils:
            return by_rules
        return replace(
            by_rules,
            observer=ModelObserver(
                completer(self._calls, "observer", self._terms.terms.settings), estimate=estimate
            ),
            reflector=ModelReflector(
                completer(self._calls, "reflector", self._terms.terms.settings), estimate=estimate
            ),
            background=run_in_thread,
        )

    def _token_limit(self) -> int | None:
        """Return the input limit of the model in tokens, or None if the service does not report it."""
        try:
            return self._claude.max_input_tokens(self._terms.terms.usual)
        except ModelFault as fault:
            if fault.kind in UNREACHABLE:
                self.unreachable = str(fault)
            return None

    @property
    def model(self) -> str:
        """The model that is usually asked, with the name of the stand-in if that serves it."""
        usual = self._terms.terms.usual
        return f"{STAND_IN} for {usual}" if self._claude.is_made_up else usual

    def status(self) -> ModelStatus:
        """Return the questions, answers and cost so far."""
        counts, ceiling = self._calls.counts, self._terms.terms.ceilings.run.nanos
        calls = self._store.calls.all()
        return ModelStatus(
            questions=counts.get("questions", 0),
            answers=counts.get("answers", 0),
            usd=spent_on(calls).nanos / 1e9,
            made_up_usd=made_up_usd(calls),
            answered_by=next(reversed(self._calls.answered_by.values()), ""),
            ceiling_usd=None if ceiling is None else ceiling / 1e9,
            is_billed=self._claude.is_billed,
        )

    def with_figures(self, summary: Summary) -> Summary:
        """Return `summary` with the figures of the model added."""
        errors = summary.errors + sum(self.faults.values())
        verdict = totals(verdicts(self._store, summary.ticks))
        report = {**self._report(), "verdicts": verdict._asdict()}
        return replace(summary, errors=errors, advice=masked(report, self._mask))

    def _report(self) -> dict[str, Json]:
        """Return the figures so far: counts, money, the prompt cache and the tape."""
        counts = dict(sorted(self._calls.counts.items()))
        calls = self._store.calls.all()
        spent = spent_on(calls, observation_tokens=counts.get(MEMORY_TOKENS, 0))
        return {
            "counts": counts,
            "usd": spent.nanos / 1e9,
            "usd_made_up": made_up_usd(calls),
            "is_billed": self._claude.is_billed,
            "usd_unknown": spent.unknown_nanos / 1e9,
            "calls": spent.calls,
            "tokens": dict(spent.kinds),
            "memory_share": round(spent.memory_share, 4),
            "refused": dict(self._wallet.refused),
            "breaker": {kind.value: times for kind, times in self._breaker.openings.items()},
            "cache_hits": round(self._calls.cache.hit_ratio, 4),
            "cache_misses": dict(self._calls.cache.misses),
            "lacking": dict(self._claude.features.missing),
            "tape_nodes": self._recorder.nodes if self._recorder else 0,
            "tape_lost": self._recorder.lost if self._recorder else counts.get("calls", 0),
        }

    def close(self) -> None:
        """Close the client and the tape, and write the notes of the tape for the next session."""
        self._claude.close()
        for handler in _log_handlers():
            handler.removeFilter(self._masking_filter)
        if self._tape is None:
            return
        path = self._tape.path
        try:
            self._tape.close()
            observe(path, path.parent / "memory")
        except MemoryFault as fault:
            self.faults.note("observe the tape", fault)

    def _record_on(self, path: Path) -> TapeRecorder | None:
        """Open the tape in `path`, and return its recorder; None if it cannot be opened."""
        try:
            self._tape = tape = open_tape(path)
        except (StoreError, OSError) as error:
            self.faults.note("open the tape", error)
            return None
        return TapeRecorder(
            tape, agent_name=AGENT_NAME, clock=_now_s, on_fault=self.faults, mask=self._mask
        )

    def _recall_lacking(self) -> None:
        """Leave out from the start what the server lacked in earlier sessions of the run."""
        events = self._store.record.events
        for event in (*events(SERVICE, live=False), *events(SERVICE)):
            if event.payload.get("host") == self._claude.host:
                self._lacking = dict(event.payload["lacking"])
        for model, names in self._lacking.items():
            self._claude.features.leave_out(model, names)

    def _record_lacking(self) -> None:
        """Append what the server lacks to the run, when more was found out."""
        if self._lacking != (found := self._claude.features.missing):
            self._lacking = found
            data = masked({"host": self._claude.host, "lacking": dict(found)}, self._mask)
            self._store.record.add_event(self._tick, SERVICE, data)

    def _append_event(self, event: ConversationEvent) -> None:
        """Append a conversation event to the run, except the status that precedes each call."""
        if event.kind is not ConversationEventKind.STATUS:
            data = {"what": event.kind.value, **event.data}
            self._store.record.add_event(self._tick, CONVERSATION, masked(data, self._mask))


def _log_handlers() -> Sequence[logging.Handler]:
    last = [logging.lastResort] if logging.lastResort is not None else []
    return [*logging.getLogger().handlers, *last]


def require_key(terms: ModelTerms) -> None:
    """Raise UsageError if there is no usable key for Claude."""
    Claude(terms.timeout_s, patience=Patience(perf_counter)).close()


def _now_s() -> float:
    """Return seconds since 1970, used as metadata only: play does not depend on them."""
    return datetime.now(UTC).timestamp()
