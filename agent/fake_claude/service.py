"""What the service does with a request, apart from sockets: refuse, charge, answer, remember."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from agent.fake_claude.answers import MadeUpAnswer, ParsedRequest, sensible, texts
from agent.fake_claude.cache import Charge, PromptCache, PromptPiece, ServiceCounts, pieces_of
from agent.fake_claude.diagnosis import Diagnosis
from agent.fake_claude.faults import ServiceFaultKind, twisted
from agent.fake_claude.models import MODELS, ServedModel
from agent.fake_claude.scenario import ScenarioProgress, ServiceScenario
from agent.fake_claude.validation import validate
from agent.fake_claude.wire import RequestRefused

NAME: Final = "fake-claude:"  # in front of the model's name in every reply

THOUGHT: Final = "No model thinks here."


class FakeService:
    """Answers requests one after the other. `clock` is in seconds; `seed` varies what is made up."""

    def __init__(self, scenario: ServiceScenario, clock: Callable[[], float], seed: int) -> None:
        self.tally = ServiceCounts()
        self._script = ScenarioProgress(scenario)
        self._seed = seed
        self._cache = PromptCache(clock)
        self._diagnosis = Diagnosis()
        self._paused: set[str] = set()
        self._lock = threading.Lock()

    def message(
        self, body: Mapping[str, Any], turn: int, wrong: ServiceFaultKind | None = None
    ) -> dict[str, Any]:
        """Return the message that answers `body`, with what is to be `wrong` about it. Raises Refused."""
        with self._lock:
            model = validate(body)
            pieces = pieces_of(body)
            _check_window(pieces, model)
            self._check_end(body, model)
            ask = ParsedRequest(body, turn, pieces[-1].digest)
            answer = self._script.answer(ask) or sensible(ask, self._seed)
            if (body.get("thinking") or {}).get("type") in ("adaptive", "enabled"):
                answer = replace(answer, thought=THOUGHT)
            answer = _cut(answer, body["max_tokens"])
            if wrong is not None:
                answer = twisted(wrong, ask, answer, ask.chance(self._seed, wrong.value))
            charge = self._cache.charge(pieces, model.cache_minimum)
            return self._message(ask, answer, charge, pieces)

    def count(self, body: Mapping[str, Any]) -> dict[str, int]:
        """Return how many tokens the input of `body` counts as. Raises Refused."""
        validate(body, counting=True)
        pieces = pieces_of(body)
        return {"input_tokens": pieces[-1].tokens}

    def _check_end(self, body: Mapping[str, Any], model: ServedModel) -> None:
        """Refuse the beginning of an answer, unless it is what was paused and may be given back as it was."""
        last = body["messages"][-1]
        if last["role"] != "assistant" or model.prefill:
            return
        if "\n\n".join(texts(last["content"])) not in self._paused:
            message = "This model does not support assistant message prefill."
            message += " The conversation must end with a user message."
            raise RequestRefused("invalid_request_error", message)

    def _message(
        self,
        ask: ParsedRequest,
        answer: MadeUpAnswer,
        charge: Charge,
        pieces: tuple[PromptPiece, ...],
    ) -> dict[str, Any]:
        # Other requests have other ids, whichever server is asked.
        message_id = f"msg_fake{ask.turn:06}{ask.chance(self._seed).randbytes(4).hex()}"
        diagnostics = self._diagnosis.of(ask.body, pieces)
        self._diagnosis.remember(message_id, ask.body["model"], pieces)
        self.tally.charge(charge, answer.tokens)
        if answer.stop == "pause_turn":
            self._paused.add(answer.text)
        return {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": NAME + ask.body["model"],
            "content": answer.blocks(message_id),
            "container": None,
            "diagnostics": diagnostics,
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


def _cut(answer: MadeUpAnswer, most: int) -> MadeUpAnswer:
    """Return as much of `answer` as `most` tokens allow; a call that does not fit is left out."""
    if answer.tokens <= most:
        return answer
    share = most / answer.tokens
    text, thought = (said[: round(len(said) * share)] for said in (answer.text, answer.thought))
    return replace(answer, text=text, thought=thought, calls=(), stop_reason="max_tokens")
