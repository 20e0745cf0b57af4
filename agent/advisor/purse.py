"""Who allows a call and books what it costs, as whoever asks sees it."""

from dataclasses import dataclass
from typing import Protocol

from agent.advisor.model import FaultKind, Usage


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave to make one call, booked at the most it can cost before it is made.

    `worst_nanos` is that cost in billionths of a dollar, `worst_tokens` input and output together.
    """

    id: int
    model: str
    purpose: str
    worst_nanos: int
    worst_tokens: int


class Purse(Protocol):
    """What may be spent; a purpose is one of a question, or `observer` or `reflector`."""

    def choose(self, purpose: str) -> str | None:
        """Return the id of the model to ask, or None when nobody is to be asked."""
        ...

    def permit(self, model: str, input_tokens: int, max_tokens: int, purpose: str) -> Permit | None:
        """Book the worst case of a call that is about to be sent, or return None when it is too much.

        `input_tokens` is no estimate: the request has at most that many.
        """
        ...

    def settle(self, permit: Permit, usage: Usage | None) -> None:
        """Book what a call took; None when nobody knows, and then the worst case stays."""
        ...

    def cancel(self, permit: Permit) -> None:
        """Take back what was booked for a call that is known to cost nothing."""
        ...


class Breaker(Protocol):
    """Keeps a service that fails from being asked again and again."""

    def allows(self) -> bool:
        """Whether a call may be tried now."""
        ...

    def failed(self, kind: FaultKind, retry_after_s: float | None) -> None:
        """Take note of a call that failed."""
        ...

    def worked(self) -> None:
        """Take note of a call that brought a message."""
        ...
