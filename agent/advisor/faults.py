"""What went wrong with a call, out of what the SDK and the network raise.

An error of the SDK has the status of a refusal, or has what the network raised as its cause.
"""

import math
from collections.abc import Mapping
from typing import Any, Final

import httpx2

from agent.advisor.model import FaultKind, ModelFault

MOST_DETAIL: Final = 200  # characters of what a service says
_REFUSALS: Final = {
    401: FaultKind.DENIED,
    402: FaultKind.DENIED,
    403: FaultKind.DENIED,
    404: FaultKind.DENIED,
    408: FaultKind.TIMEOUT,
    429: FaultKind.RATE_LIMIT,
    529: FaultKind.OVERLOADED,
}


def fault_of(error: Exception, secret: str) -> ModelFault:
    """Return the fault that `error` comes to; `secret` is kept out of its words."""
    response = getattr(error, "response", None)
    if isinstance(response, httpx2.Response):
        return _refusal(error, response, secret)
    is_raw = isinstance(error, httpx2.HTTPError | httpx2.StreamError | ValueError)
    cause = error if is_raw or error.__cause__ is None else error.__cause__
    name = type(cause).__name__
    match cause:
        case ModelFault():
            return cause
        case httpx2.ConnectTimeout():
            return ModelFault(FaultKind.TIMEOUT, "nobody answers at the address", is_free=True)
        case httpx2.TimeoutException():
            return ModelFault(FaultKind.TIMEOUT, "the service was silent for too long")
        case httpx2.ConnectError() | httpx2.UnsupportedProtocol() | httpx2.ProxyError():
            return ModelFault(FaultKind.CONNECTION, f"no connection ({name})", is_free=True)
        case httpx2.DecodingError() | ValueError():
            return ModelFault(FaultKind.MALFORMED, f"what came cannot be read ({name})")
        case httpx2.HTTPError() | httpx2.StreamError():
            kind = FaultKind.BROKEN_STREAM if is_raw else FaultKind.CONNECTION
            return ModelFault(kind, f"the connection broke ({name})")
        case _:
            return ModelFault(FaultKind.DENIED, f"no credentials ({name})", is_free=True)


def _refusal(error: Exception, response: httpx2.Response, secret: str) -> ModelFault:
    status = response.status_code
    if response.is_success:
        return ModelFault(FaultKind.MALFORMED, f"what came cannot be read ({type(error).__name__})")
    kind = _REFUSALS.get(status, FaultKind.SERVER if status >= 500 else FaultKind.BAD_REQUEST)
    says = " ".join(str(getattr(error, "api_message", None) or "").split())
    if secret:
        says = says.replace(secret, "(key)")
    # A gateway that gives up may have a message coming behind it; a refusal has none.
    is_free = (status < 500 and kind is not FaultKind.TIMEOUT) or kind is FaultKind.OVERLOADED
    detail = f"status {status}{': ' if says else ''}{says[:MOST_DETAIL]}"
    return ModelFault(kind, detail, _retry_after(response.headers), is_free=is_free)


def _retry_after(headers: Mapping[str, Any]) -> float | None:
    """Return the seconds that the service asks to wait; a date is not taken, for that needs a clock."""
    for name, unit in (("retry-after-ms", 1_000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None
