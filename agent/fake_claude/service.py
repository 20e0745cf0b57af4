"""What the service does with a request, apart from sockets: refuse, charge, answer, remember."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from agent.fake_claude.answers import MadeUpAnswer, ParsedRequest, sensible
from agent.fake_claude.cache import Charge, PromptCache, PromptPiece, ServiceCounts, pieces_of
from agent.fake_claude.models import MODELS, ServedModel
from agent.fake_claude.wire import RequestRefused

NAME: Final = "fake-claude:"  # in front of the model's name in every reply

THOUGHT: Final = "No model thinks here."


class FakeService:
    """Answers requests one after the other. `clock` is in seconds; `seed` varies what is made up.

    What it checks, answers and says of the cache is in methods of their own, for a stricter service in tests.
    """

    def __init__(self, clock: Callable[[], float], seed: int) -> None:
        self.tally = ServiceCounts()
        self.seed = seed
        self._cache = PromptCache(clock)
        self._lock = threading.Lock()

    def message(self, body: Mapping[str, Any], turn: int) -> dict[str, Any]:
        """Return the message that answers `body`, the request of that number. Raises RequestRefused."""
        with self._lock:
            model = self.check(body)
            pieces = pieces_of(body)
            _check_window(pieces, model)
            ask = ParsedRequest(body, turn, pieces[-1].digest)
            answer = self.answer(ask)
            charge = self._cache.charge(pieces, model.cache_minimum)
            return self._message(ask, answer, charge, pieces)

    def count(self, body: Mapping[str, Any]) -> dict[str, int]:
        """Return how many tokens the input of `body` counts as. Raises RequestRefused."""
        self.check(body, counting=True)
        pieces = pieces_of(body)
        return {"input_tokens": pieces[-1].tokens}

    def check(self, body: Mapping[str, Any], *, counting: bool = False) -> ServedModel:
        """Return the model that is asked. `counting`: nothing is to be generated. Raises RequestRefused."""
        if not isinstance(body, dict) or not body.get("messages"):
            raise RequestRefused("invalid_request_error", "messages: Field required")
        if not counting and not isinstance(body.get("max_tokens"), int):
            raise RequestRefused("invalid_request_error", "max_tokens: Field required")
        model = MODELS.get(str(body.get("model")))
        if model is None or model.lifecycle == "retired":
            raise RequestRefused("not_found_error", f"model: {body.get('model')}")
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
            "stop_details": _details(answer),
            "usage": usage_json(charge, answer.tokens),
        }


def _details(answer: MadeUpAnswer) -> dict[str, object] | None:
    if not answer.explanation:
        return None
    return {"type": "refusal", "category": None, "explanation": answer.explanation}


def usage_json(charge: Charge, output: int) -> dict[str, object]:
    """Return usage in the shape of the service."""
    return {
        "input_tokens": charge.plain,
        "output_tokens": output,
        "cache_read_input_tokens": charge.read,
        "cache_creation_input_tokens": charge.written_5m + charge.written_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": charge.written_5m,
            "ephemeral_1h_input_tokens": charge.written_1h,
        },
        "server_tool_use": None,
        "service_tier": "standard",
    }


def models_json(lifecycles: Sequence[str]) -> dict[str, object]:
    """Return the list of models of these lifecycles, all on one page."""
    data = [each.as_json() for each in MODELS.values() if each.lifecycle in lifecycles]
    ids = [each["id"] for each in data] or [None]
    return {"data": data, "has_more": False, "first_id": ids[0], "last_id": ids[-1]}


def model_json(name: str) -> dict[str, object]:
    """Return one model. Raises Refused."""
    if name not in MODELS:
        raise RequestRefused("not_found_error", f"model: {name}")
    return MODELS[name].as_json()


def _check_window(pieces: tuple[PromptPiece, ...], model: ServedModel) -> None:
    tokens = pieces[-1].tokens
    if tokens > model.max_input_tokens:
        message = f"prompt is too long: {tokens} tokens > {model.max_input_tokens} maximum"
        raise RequestRefused("invalid_request_error", message)


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
