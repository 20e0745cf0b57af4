"""How the service says that it will not do something."""

from typing import Final

STATUSES: Final = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "overloaded_error": 529,
}


class Refused(Exception):  # an expected result, which becomes the reply
    """A request that is not served: what kind of error, and the service's words for it."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message

    @property
    def status(self) -> int:
        """The HTTP status."""
        return STATUSES[self.kind]


def error_json(kind: str, message: str, request_id: str | None = None) -> dict[str, object]:
    """Return the body of an error; one inside of a stream carries no request id."""
    body: dict[str, object] = {"type": "error", "error": {"type": kind, "message": message}}
    return body if request_id is None else {**body, "request_id": request_id}
