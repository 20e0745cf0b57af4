"""What the service does with a request, apart from sockets: refuse, charge, answer, remember; and the models it serves."""

import threading
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import resources
from itertools import count
from typing import Any, Final

from agent.fake_claude.answers import MadeUpAnswer, ParsedRequest, sensible
from agent.fake_claude.cache import Charge, PromptCache, PromptPiece, ServiceCounts, pieces_of
from agent.fake_claude.wire import RequestRefused


@dataclass(frozen=True, slots=True)
class ServedModel:
    """One model and its limits, in tokens. `prefill`: whether a request may begin the answer itself."""

    id: str
    line: str
    max_input_tokens: int
    max_tokens: int
    cache_minimum: int
    lifecycle: str = "active"
    retires_at: str | None = None
    prefill: bool = False

    def as_json(self) -> dict[str, object]:
        """Return it in the shape of the service's `ModelInfo`."""
        told = asdict(self)
        del told["cache_minimum"], told["prefill"]
        return {
            **told,
            "type": "model",
            "display_name": f"{self.id} (fake)",
            "created_at": "2026-01-01T00:00:00Z",
            "deprecated_at": None if self.lifecycle == "active" else "2026-01-01T00:00:00Z",
            "capabilities": _TABLES["capabilities"],
        }


_TABLES: Final[Mapping[str, Any]] = tomllib.loads(
    resources.files(__package__).joinpath("models.toml").read_text(encoding="utf-8")
)
MODELS: Final[Mapping[str, ServedModel]] = {
    name: ServedModel(name, **{key: group[key] for key in group if key != "ids"})
    for group in _TABLES["models"]
    for name in group["ids"]
}


def served(name: str) -> ServedModel:
    """Return the model of that name. Raises RequestRefused."""
    if name not in MODELS:
        raise RequestRefused("not_found_error", f"model: {name}")
    return MODELS[name]


NAME: Final = "fake-claude:"  # in front of the model's name in every reply

THOUGHT: Final = "No model thinks here."


class FakeService:
    """Answers requests one after the other. `clock` is in seconds; `seed` varies what is made up.

    What it checks, answers and says of the cache is in methods of their own, for a stricter service in tests.
    """

    def __init__(self, clock: Callable[[], float], seed: int) -> None:
        self.tally = ServiceCounts()
        self.seed = seed
        self.numbers = count(1)  # of requests
        self.turns = count(1)  # of requests for a message
        self._cache = PromptCache(clock)
        self._lock = threading.Lock()

    def message(self, body: Mapping[str, Any], turn: int) -> dict[str, Any]:
        """Return the message that answers `body`, the request of that number. Raises RequestRefused."""
        with self._lock:
            model = self.check(body)
            pieces = pieces_of(body)
            tokens, most = pieces[-1].tokens, model.max_input_tokens
            if tokens > most:
                message = f"prompt is too long: {tokens} tokens > {most} maximum"
                raise RequestRefused("invalid_request_error", message)
            ask = ParsedRequest(body, turn, pieces[-1].digest)
            answer = self.answer(ask)
            charge = self._cache.charge(pieces, model.cache_minimum)
            return self._message(ask, answer, charge, pieces)

    def count(self, body: Mapping[str, Any]) -> dict[str, int]:
        """Return how many tokens the input of `body` counts as. Raises RequestRefused."""
        self.check(body, counting=True)
        return {"input_tokens": pieces_of(body)[-1].tokens}

    def check(self, body: Mapping[str, Any], *, counting: bool = False) -> ServedModel:
        """Return the model that is asked. `counting`: nothing is to be generated. Raises RequestRefused."""
        if not isinstance(body, dict) or not body.get("messages"):
            raise RequestRefused("invalid_request_error", "messages: Field required")
        if not counting and not isinstance(body.get("max_tokens"), int):
            raise RequestRefused("invalid_request_error", "max_tokens: Field required")
        model = served(str(body.get("model")))
        if model.lifecycle == "retired":
            raise RequestRefused("not_found_error", f"model: {model.id}")
        return model

    def answer(self, ask: ParsedRequest) -> MadeUpAnswer:
        """Return the answer to a request that was checked."""
        return fitted(sensible(ask, self.seed), ask)

    def diagnostics(
        self, ask: ParsedRequest, message_id: str, pieces: Sequence[PromptPiece]
    ) -> dict[str, object] | None:
        """Return why the cache was missed; None where it is not known."""

    def _message(
        self,
        ask: ParsedRequest,
        answer: MadeUpAnswer,
        charge: Charge,
        pieces: tuple[PromptPiece, ...],
    ) -> dict[str, Any]:
        # Other requests have other ids, whichever server is asked.
        message_id = f"msg_fake{ask.turn:06}{ask.chance(self.seed).randbytes(4).hex()}"
        self.tally.charge(charge, answer.tokens)
        return {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": NAME + ask.body["model"],
            "content": answer.blocks(message_id),
            "container": None,
            "diagnostics": self.diagnostics(ask, message_id, pieces),
            "stop_reason": answer.stop,
            "stop_sequence": "\n\n" if answer.stop == "stop_sequence" else None,
            "stop_details": answer.details,
            "usage": usage_json(charge, answer.tokens),
        }


def usage_json(charge: Charge, output: int) -> dict[str, object]:
    """Return usage in the shape of the service."""
    return {
        "input_tokens": charge.input,
        "output_tokens": output,
        "cache_read_input_tokens": charge.cache_read,
        "cache_creation_input_tokens": charge.cache_write_5m + charge.cache_write_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": charge.cache_write_5m,
            "ephemeral_1h_input_tokens": charge.cache_write_1h,
        },
        "server_tool_use": None,
        "service_tier": "standard",
    }


def fitted(answer: MadeUpAnswer, ask: ParsedRequest) -> MadeUpAnswer:
    """Return `answer` with a thought where one is wanted, and as much of it as the request allows tokens.

    A call that does not fit is left out.
    """
    if (ask.body.get("thinking") or {}).get("type") in ("adaptive", "enabled"):
        answer = replace(answer, thought=THOUGHT)
    most = ask.body["max_tokens"]
    if answer.tokens <= most:
        return answer
    share = most / answer.tokens
    text, thought = (said[: round(len(said) * share)] for said in (answer.text, answer.thought))
    return replace(answer, text=text, thought=thought, calls=(), stop_reason="max_tokens")
