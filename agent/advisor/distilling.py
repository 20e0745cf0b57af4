"""A model that observes and reflects: one text in, one text out, within the same purse."""

from collections.abc import Callable
from typing import Final

from agent.advisor.calling import Calls
from agent.advisor.model import ModelFault, Reply, Request
from agent.advisor.port import Silent
from agent.advisor.receiving import words_of
from agent.advisor.turns import text
from memory.thread.port import DistillingFailed

MOST_TOKENS: Final = 4_000
_WHOLE: Final = {"end_turn", "stop_sequence"}


def distilling(
    calls: Calls, purpose: str, max_tokens: int = MOST_TOKENS
) -> Callable[[str, str], str]:
    """Return what makes one text of a system text and a user text; `purpose` is `observer` or `reflector`.

    What it returns raises DistillingFailed when nothing, or only a part, came of it.
    """

    def complete(system: str, user: str) -> str:
        model = calls.ready(purpose)
        if isinstance(model, Silent):
            raise _failed(model)
        messages = [{"role": "user", "content": [text(user)]}]
        request = Request(model, [text(system)], messages, max_tokens)
        reply = calls.complete(request, purpose)
        if isinstance(reply, ModelFault):
            raise DistillingFailed(str(reply))
        if isinstance(reply, Silent):
            raise _failed(reply)
        return _whole(reply)

    return complete


def _whole(reply: Reply) -> str:
    if reply.stop_reason not in _WHOLE:
        message = f"the model stopped for another reason: {reply.stop_reason[:40]}"
        raise DistillingFailed(message)
    return words_of(reply)


def _failed(silent: Silent) -> DistillingFailed:
    return DistillingFailed(f"{silent.reason.value} {silent.detail}".rstrip())
