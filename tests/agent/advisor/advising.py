"""Fakes around an advisor for tests: a conversation in a list, a wallet, a breaker, a clock, and a question."""

import base64
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final, cast

from agent.advisor.calls import RETRY_POLICY, Calls, CircuitBreaker, RetryPolicy
from agent.advisor.claude import Claude
from agent.advisor.deadline import Patience
from agent.advisor.exchange import ClaudeAdvisor
from agent.advisor.model import CallRecorder, FaultKind, Permit, Usage
from agent.advisor.money.wallet import Wallet
from agent.advisor.port import Option, Purpose, Question, Tool, ToolRefused
from agent.advisor.request import FixedParts
from memory.codec import decode, encode
from memory.conversation.conversation import Conversation
from memory.conversation.view import ConversationView
from memory.store.conversation_record import Message, MessageOrigin
from tests.fake_service import FakeClaude, ServiceScenario

KEY: Final = "sk-ant-api03-test-000"
MODEL: Final = "claude-opus-5-5"
PATIENCE: Final = Patience(time.monotonic)
PNG: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def question(tick: int = 812, purpose: Purpose = Purpose.STUCK, **changes: object) -> Question:
    asked = Question(
        purpose=purpose,
        tick=tick,
        game_s=float(tick),
        situation=f"Place: route_1 (5, 7)\nWhat failed:\n- go:viridian: a ledge (tried {tick} times)",
        goals=(Option("first_badge", "beat the first gym"), Option("heal", "a full party")),
        candidates=(Option("go:west", "walk around"), Option("talk:girl", "ask her")),
        milestone="left_home",
    )
    return replace(asked, **changes)  # type: ignore[arg-type]


@dataclass
class ListConversation:
    """A conversation that stores all messages in a list and never observes them."""

    messages: list[Message] = field(default_factory=list)
    view: ConversationView = field(default_factory=ConversationView)
    turns: int = 0

    def say(
        self,
        role: str,
        blocks: Sequence[Mapping[str, Any]],
        origin: MessageOrigin,
        tick: int,
        game_s: float,
    ) -> Message:
        seq = len(self.messages) + 1
        message = Message("main", role, tuple(blocks), tick, game_s, origin=origin, seq=seq)
        stored = decode(encode([dict(each) for each in blocks]))  # a file sorts the keys
        self.messages.append(replace(message, blocks=tuple(stored)))
        return message

    def before_call(self, step: int) -> ConversationView:
        return self.view._replace(tail=tuple(self.messages))

    def after_turn(self) -> None:
        self.turns += 1

    def texts(self, origin: MessageOrigin) -> list[str]:
        found = [block for each in self.messages if each.origin is origin for block in each.blocks]
        return [str(block["text"]) for block in found if block["type"] == "text"]


@dataclass
class FakeWallet:
    """A wallet that records its calls; it gives at most `most` permits."""

    most: int = 1_000
    model: str | None = MODEL
    asked: list[tuple[int, str]] = field(default_factory=list)  # the token bound and the purpose
    booked: dict[int, Permit] = field(default_factory=dict)
    settled: list[Usage | None] = field(default_factory=list)
    cancelled: int = 0
    _ids: Iterator[int] = field(default_factory=lambda: count(1))

    def choose(self, purpose: str) -> str | None:
        return self.model

    def permit(self, model: str, input_tokens: int, max_tokens: int, purpose: str) -> Permit | None:
        self.asked.append((input_tokens, purpose))
        if len(self.settled) + self.cancelled >= self.most:
            return None
        permit = Permit(next(self._ids), model, 0, input_tokens + max_tokens)
        self.booked[permit.id] = permit
        return permit

    def settle(self, permit: Permit, usage: Usage | None, _answered_by: str = "") -> None:
        del self.booked[permit.id]
        self.settled.append(usage)

    def cancel(self, permit: Permit) -> None:
        del self.booked[permit.id]
        self.cancelled += 1


@dataclass
class FakeBreaker:
    """A breaker that records outcomes; it allows every call unless `open`."""

    open: bool = False
    failures: list[tuple[FaultKind, float | None]] = field(default_factory=list)
    successes: int = 0

    def allows(self) -> bool:
        return not self.open

    def record_failure(self, kind: FaultKind, retry_after_s: float | None) -> None:
        self.failures.append((kind, retry_after_s))

    def record_success(self) -> None:
        self.successes += 1


class Records(list[tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]]):
    def __call__(
        self,
        request: Mapping[str, Any],
        reply: Mapping[str, Any],
        *,
        duration_ns: int,
        meta: Mapping[str, Any],
    ) -> None:
        assert duration_ns > 0
        self.append((request, reply, meta))


@dataclass
class FakeClock:
    """A clock that advances only in `pause`."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def look_up(arguments: Mapping[str, Any]) -> str:
    place, times = str(arguments["place"]), int(arguments.get("times", 0))
    if place == "nowhere":
        raise ToolRefused("there is no such place")
    return f"{place}: a gym " + "and more " * times


LOOK: Final = Tool(
    "look",
    "Return what is known about a place.",
    {
        "type": "object",
        "properties": {"place": {"type": "string"}, "times": {"type": "integer"}},
        "required": ["place"],
        "additionalProperties": False,
    },
    look_up,
)


@dataclass
class AdvisorBench:
    """An advisor with its fakes and its server."""

    server: FakeClaude
    claude: Claude
    advisor: ClaudeAdvisor
    calls: Calls
    conversation: ListConversation
    wallet: FakeWallet
    breaker: FakeBreaker
    clock: FakeClock

    @property
    def counts(self) -> Counter[str]:
        return self.advisor.counts

    def bodies(self) -> list[Any]:
        return [each.body for each in self.server.requests if each.path == "/v1/messages"]


FIXED: Final = FixedParts(tools=(LOOK,))


@contextmanager
def advising(
    scenario: ServiceScenario | None = None,
    *,
    fixed: FixedParts = FIXED,
    observed: Callable[[], str | None] = lambda: None,
    mask: Callable[[str], str] = str,
    retry_policy: RetryPolicy = RETRY_POLICY,
    timeout_s: float = 5.0,
    record: CallRecorder | None = None,
) -> Iterator[AdvisorBench]:
    """Yield an advisor with the real SDK against the loopback server; waiting takes no real time."""
    clock, chat, budget, fuse = FakeClock(), ListConversation(), FakeWallet(), FakeBreaker()
    with (
        FakeClaude(scenario, clock=clock.clock) as server,
        connected(server, timeout_s, record) as model,
    ):
        wallet, breaker = cast("Wallet", budget), cast("CircuitBreaker", fuse)
        calls = Calls(model, wallet, breaker, cast("Patience", clock), retry_policy=retry_policy)
        conversation = cast("Conversation", chat)
        advisor = ClaudeAdvisor(calls, conversation, fixed, observed=observed, mask=mask)
        yield AdvisorBench(server, model, advisor, calls, chat, budget, fuse, clock)


@contextmanager
def connected(
    server: FakeClaude, timeout_s: float = 5.0, record: CallRecorder | None = None
) -> Iterator[Claude]:
    claude = Claude(timeout_s, patience=PATIENCE, record=record, base_url=server.url)
    with closing(claude):
        yield claude
