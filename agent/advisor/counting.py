"""How many characters a token has, learnt from a service that counts."""

from collections.abc import Iterator
from typing import Any

from agent.advisor.model import Model, ModelFault, Request
from memory.tokens import TokenEstimator


def calibrated(estimator: TokenEstimator, model: Model, request: Request) -> TokenEstimator:
    """Return `estimator` leaning towards what the service counts for `request`; as it is where nobody counts.

    One count a session is enough: what it is used for are thresholds, and no bill.
    """
    try:
        counted = model.count_tokens(request)
    except ModelFault:
        return estimator
    sent = (request.system, request.messages, request.tools)
    return estimator.calibrated(sum(map(len, _texts(sent))), counted)


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401  # JSON is of any shape
    match value:
        case str():
            yield value
        case dict():
            for name, each in value.items():
                yield from _texts(name)
                yield from _texts(each)
        case list() | tuple():
            for each in value:
                yield from _texts(each)
        case _:
            pass
