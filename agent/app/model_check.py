"""The smallest call that shows whether a model can advise play: one request as play makes it, answered by one tool call.

Import it only where a model is asked, because the SDK takes a second to load.
"""

from collections.abc import Sequence
from contextlib import closing
from time import perf_counter
from typing import Final, NamedTuple

from agent.advisor.answer import ANSWER_SCHEMA
from agent.advisor.claude import Claude
from agent.advisor.deadline import Patience
from agent.advisor.features import ServiceFeature
from agent.advisor.model import FaultKind, ModelFault, Reply, Request
from agent.advisor.money.limits import input_token_bound
from agent.advisor.money.prices import NANO, Price
from agent.advisor.names import model_name
from agent.advisor.prompt import prompt_file
from agent.advisor.reply import THINKING
from agent.advisor.request import HOUR, MARK, described, text
from agent.advisor.transcript import tool_calls
from agent.app.settings import ModelTerms
from agent.mind.advisor_tools import tools_run_by
from memory.tapes import is_made_up

ASKED: Final = "This checks the connection; no game is played. Call the tool `look` once with what = party, and say nothing else."


class ModelCheck(NamedTuple):
    """What works of one model, in a line; `usd` is the price of the call, 0 when it was not answered."""

    works: bool
    line: str
    usd: float


def check_model(terms: ModelTerms) -> ModelCheck:
    """Ask the usual model of `terms` once, again only without what it refuses. Raises UsageError without a usable key."""
    model, price = terms.terms.usual, terms.prices.require(terms.terms.usual)
    with closing(Claude(terms.timeout_s, patience=Patience(perf_counter))) as claude:
        subject = f"{model} at {claude.host}"
        request = _request(terms)
        try:
            reply = _asked(claude, request)
        except ModelFault as fault:
            most = price.max_cost(input_token_bound(request), request.settings.max_tokens) / NANO
            cost = "it cost nothing" if fault.is_free else f"it may have cost up to {most:.4f} USD"
            return ModelCheck(works=False, line=f"{subject}: {_failure(fault)}; {cost}", usd=0.0)
        missing = claude.features.missing.get(model, [])
    if is_made_up(reply.model):
        subject = f"{model_name(reply.model)} for {subject}"
    return _check(reply, missing, subject, price)


def _request(terms: ModelTerms) -> Request:
    tools = tools_run_by(lambda name: lambda _asked: name)
    rules = terms.terms.rules or prompt_file("rules")
    return Request(
        terms.terms.usual,
        [text(rules) | {MARK: HOUR}],
        [{"role": "user", "content": [text(ASKED)]}],
        terms.terms.settings,
        [described(each) for each in tools],
        ANSWER_SCHEMA,
    )


def _asked(claude: Claude, request: Request) -> Reply:
    while True:  # it ends: each time a part is left out
        try:
            return claude.complete(request)
        except ModelFault as fault:
            if not fault.asks_again:
                raise


def _failure(fault: ModelFault) -> str:
    if fault.kind is FaultKind.DENIED:
        what = "model unknown" if "404" in fault.detail else "key refused"
        return f"{what} ({fault.detail})"
    return f"no answer ({fault})"


def _check(reply: Reply, missing: Sequence[str], subject: str, price: Price) -> ModelCheck:
    usage = reply.usage
    cached = usage.cache_read + usage.cache_write_5m + usage.cache_write_1h
    thinks = any(each["type"] in THINKING for each in reply.blocks)
    calls = [each["name"] for each in tool_calls(reply.blocks)]
    seen = {
        ServiceFeature.THINKING: "ok" if thinks else "accepted, none was needed",
        ServiceFeature.TOOLS: "ok" if "look" in calls else "accepted, none was called",
        ServiceFeature.CACHE: f"ok ({cached:,} tokens)"
        if cached
        else "accepted, nothing was stored",
    }
    words = ["key ok", "model ok"]
    words += [
        f"{part.value} {'missing' if part.value in missing else found}"
        for part, found in seen.items()
    ]
    words += [f"{each} missing" for each in missing if each not in {part.value for part in seen}]
    usd = price.of(usage) / NANO
    is_whole = reply.stop_reason in ("tool_use", "end_turn")
    words += [] if is_whole else [f"but it stopped: {reply.stop_reason[:40]}"]
    would = "would have cost" if is_made_up(reply.model) else "cost"
    return ModelCheck(is_whole, f"{subject}: {', '.join(words)}; it {would} {usd:.4f} USD", usd)
