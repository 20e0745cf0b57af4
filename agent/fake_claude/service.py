"""The service without sockets: it answers, and estimates tokens.

It reports everything before the last message as read from the prompt cache, as in a conversation that goes on.
"""

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

from agent.fake_claude import answers
from memory.tapes import MADE_UP

STATUSES: Final = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "not_found_error": 404,
    "request_too_large": 413,
}
LIMITS: Final = {"max_input_tokens": 200_000, "max_tokens": 64_000}  # of every model


class RequestRefused(Exception):  # an expected result, which becomes the reply
    """A refused request: the kind of error and the service's message."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = STATUSES[kind]


@dataclass(slots=True)
class ServiceCounts:
    """Counts since the start: calls by path, errors by type, and tokens by price class."""

    calls: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)


class MadeUpService:
    """The service, which answers requests one after the other; a stricter one in tests overrides its methods.

    `seed` varies the answers; with `is_good` they are those of the table of good advice. `on_message` gets each request
    for a message and its reply.
    """

    def __init__(
        self,
        seed: int,
        on_message: Callable[[Mapping[str, Any], Mapping[str, Any]], None] | None = None,
        *,
        is_good: bool = False,
    ) -> None:
        self.seed = seed
        self.counts = ServiceCounts()
        self.numbers = count(1)  # of requests
        self.turns = count(1)  # of message requests
        self.lock = threading.Lock()
        self._on_message = on_message
        self._is_good = is_good

    def message(self, body: Mapping[str, Any], turn: int) -> dict[str, Any]:
        """Return the reply to `body`, the message request number `turn`. Raises RequestRefused."""
        with self.lock:
            ask = answers.ParsedRequest(body, turn)
            answer = truncated(self.answer(ask), body["max_tokens"])
            # Different requests get different ids, on every server.
            digest = hashlib.blake2b(answers.json_text(body).encode(), digest_size=4).hexdigest()
            before, last = _prompt_tokens(body)
            usage = {"input_tokens": last, "output_tokens": answer.tokens}
            usage |= {"cache_read_input_tokens": before, "cache_creation_input_tokens": 0}
            reply = reply_json(ask, f"msg_fake{turn:06}{digest}", answer, usage)
            if self._on_message is not None:
                self._on_message(body, reply)
            return reply

    def answer(self, ask: answers.ParsedRequest) -> answers.MadeUpAnswer:
        """Return the answer to a request."""
        is_good = self._is_good and ask.kind is answers.AnswerKind.ANSWER
        return answers.good_answer(ask) if is_good else answers.sensible(ask, self.seed)

    def count(self, body: Mapping[str, Any]) -> dict[str, int]:
        """Return the input tokens of `body`. Raises RequestRefused."""
        return {"input_tokens": sum(_prompt_tokens(body))}

    def model(self, name: str) -> dict[str, object]:
        """Return the model of that name in the shape of the service's `ModelInfo`. Raises RequestRefused."""
        known = {"id": name, "type": "model", "display_name": MADE_UP + name}
        return {**known, **LIMITS, "created_at": "2026-01-01T00:00:00Z"}


def _prompt_tokens(body: Mapping[str, Any]) -> tuple[int, int]:
    """Return the estimated tokens before the last message, and those of the last message."""
    *earlier, last = body["messages"]
    before = [body.get("tools"), body.get("system"), earlier]
    return answers.tokens_of_text(answers.json_text(before)), answers.tokens_of_text(
        answers.json_text(last)
    )


def reply_json(
    ask: answers.ParsedRequest,
    message_id: str,
    answer: answers.MadeUpAnswer,
    usage: Mapping[str, Any],
) -> dict[str, Any]:
    """Return an answer as the service's message."""
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": MADE_UP + ask.body["model"],
        "content": answer.blocks(message_id),
        "stop_reason": answer.stop,
        "stop_sequence": None,
        "stop_details": None,
        "usage": usage,
    }


def truncated(answer: answers.MadeUpAnswer, most: int) -> answers.MadeUpAnswer:
    """Return `answer`, shortened to `most` tokens; a shortened answer has no calls."""
    if answer.tokens <= most:
        return answer
    text = answer.text[: round(len(answer.text) * most / answer.tokens)]
    return replace(answer, text=text, calls=(), stop_reason="max_tokens")
