"""What is heard of a service that fails: each call with the fault that was made of it, and each question with its end.

The product is not changed for this: its methods are wrapped here, by ones that take note. One thread asks at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final

from agent.advisor import Advice, Silent
from agent.advisor.claude import Claude
from agent.advisor.exchange import ClaudeAdvisor, Exchange
from agent.advisor.model import ModelFault
from tests.fake_service import FakeClaude

ANSWERED: Final = "answered"
MESSAGES: Final = "POST /v1/messages"
# What the counts of an advisor say that a reply led to, the first that grew.
_LED_TO: Final = {"repairs": "sent back", "tool errors": "tool refused", "tool calls": "tool used"}


@dataclass(slots=True)
class Call:
    """One request: whether it reached the service, the `fault` made of it ('' for none), and how we `saw` what came."""

    reached: bool
    fault: str
    saw: str


@dataclass(slots=True)
class Asked:
    """One question: why, when, its calls, and how it ended: answered, or the reason of the silence."""

    purpose: str
    tick: int
    calls: list[Call] = field(default_factory=list)
    end: str = ""


class Hearing:
    """All questions of a session, in their order, as `server` and the advisor knew them."""

    def __init__(self, server: FakeClaude) -> None:
        self.questions: list[Asked] = []
        self._server = server

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take note for as long as the context lasts."""
        with ExitStack() as stack:
            stack.enter_context(_wrapped(ClaudeAdvisor, "ask", self._question))
            stack.enter_context(_wrapped(Claude, "complete", self._call))
            stack.enter_context(_wrapped(Exchange, "take", self._reply))
            yield

    def _question(self, ask: Callable[..., Any], advisor: ClaudeAdvisor, question: Any) -> Any:  # noqa: ANN401
        asked = Asked(question.purpose.value, question.tick)
        self.questions.append(asked)
        answer = ask(advisor, question)
        asked.end = ANSWERED if isinstance(answer, Advice) else answer.reason.value
        return answer

    def _call(self, complete: Callable[..., Any], *request: Any) -> Any:  # noqa: ANN401
        calls, faults = self._server.counts.calls[MESSAGES], Counter(self._server.faults)
        saw = ""
        try:
            reply = complete(*request)
            saw = str(reply.stop_reason)
        except ModelFault as fault:
            saw = fault.kind.value
            raise
        finally:
            made = "".join(self._server.faults - faults)
            reached = self._server.counts.calls[MESSAGES] > calls
            self.questions[-1].calls.append(Call(reached, made, saw))
        return reply

    def _reply(self, take: Callable[..., Any], exchange: Exchange, *reply: Any) -> Any:  # noqa: ANN401
        before = Counter(exchange.counts)
        outcome = take(exchange, *reply)
        grown = exchange.counts - before
        led_to = next((words for name, words in _LED_TO.items() if grown[name]), "asked to go on")
        if isinstance(outcome, Silent):
            led_to = outcome.reason.value
        elif outcome is not None:
            led_to = "taken"
        self.questions[-1].calls[-1].saw = led_to
        return outcome


@contextmanager
def _wrapped(kind: type, name: str, around: Callable[..., Any]) -> Iterator[None]:
    """Let `around` be called with the method as it was, and with what that would be called with."""
    before = getattr(kind, name)

    @wraps(before)
    def told(*arguments: Any) -> Any:  # noqa: ANN401
        return around(before, *arguments)

    setattr(kind, name, told)
    try:
        yield
    finally:
        setattr(kind, name, before)
