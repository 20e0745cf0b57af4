"""The stand-in server with a scenario: scripted answers, faults, and the refusals of the real service."""

import json
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Self

from agent.fake_claude.answers import MadeUpAnswer, ParsedRequest, texts
from agent.fake_claude.server import LOOPBACK, Handler, LoopbackServer
from agent.fake_claude.service import MadeUpService, RequestRefused, reply_json, truncated
from tests.fake_service import faults
from tests.fake_service.diagnosis import Diagnosis
from tests.fake_service.models import ServedModel, served_model
from tests.fake_service.prompt_cache import Charge, PromptCache, PromptPiece, pieces_of, usage_json
from tests.fake_service.scenario import ScenarioProgress, ServiceScenario
from tests.fake_service.thinking import DEFAULT_EFFORT, beginning_of, thinking_block, thought_about
from tests.fake_service.validation import check_thinking, validate

REFUSED: Final = {
    "type": "refusal",
    "category": None,
    "explanation": "fake-claude refuses, as its scenario says.",
}


class ScriptedService(MadeUpService):
    """A service that follows a scenario, refuses as the real one does, charges by the prompt cache, and thinks.

    `clock` is in seconds.
    """

    def __init__(self, scenario: ServiceScenario, clock: Callable[[], float], seed: int) -> None:
        super().__init__(seed)
        self.wrong: dict[int, faults.ServiceFaultKind] = {}  # by number of the request
        self._scenario = scenario
        self._script = ScenarioProgress(scenario)
        self._diagnosis = Diagnosis()
        self._cache = PromptCache(clock)
        self._paused: set[str] = set()

    def message(self, body: Mapping[str, Any], turn: int) -> dict[str, Any]:
        """Return the reply to `body`, the message request number `turn`. Raises RequestRefused."""
        with self.lock:
            model = self.check(body)
            pieces = pieces_of(body)
            tokens, most = pieces[-1].tokens, model.max_input_tokens
            if tokens > most:
                message = f"prompt is too long: {tokens} tokens > {most} maximum"
                raise RequestRefused("invalid_request_error", message)
            ask = ParsedRequest(body, turn)
            effort = model.effort or DEFAULT_EFFORT
            chance = ask.chance(self.seed, "thinking")
            thought = min(thought_about(body, model.thinks, effort, chance), body["max_tokens"])
            answer = self._answer(ask, body["max_tokens"] - thought)
            charge = self._cache.charge(pieces, model.cache_minimum)
            return self._reply(ask, answer, thought, charge, pieces)

    def count(self, body: Mapping[str, Any]) -> dict[str, int]:
        """Return the input tokens of `body`. Raises RequestRefused."""
        self.check(body, counting=True)
        return {"input_tokens": pieces_of(body)[-1].tokens}

    def model(self, name: str) -> dict[str, object]:
        """Return the model of that name in the shape of the service's `ModelInfo`. Raises RequestRefused."""
        return super().model(name) | served_model(name).as_json()

    def check(self, body: Mapping[str, Any], *, counting: bool = False) -> ServedModel:
        """Return the requested model. Raises RequestRefused as the real service would refuse."""
        for name in self._scenario.lacks:
            if name == "count_tokens" and counting:
                raise RequestRefused("not_found_error", "no such endpoint")
            if f'"{name}"' in json.dumps(body):
                message = f"{name}: Extra inputs are not permitted"
                message = "bad request" if self._scenario.is_terse else message
                raise RequestRefused("invalid_request_error", message)
        model = validate(body, counting=counting)
        check_thinking(body, model)
        last = body["messages"][-1]
        if counting or last["role"] != "assistant" or model.prefill:
            return model
        # A prefilled answer is refused, unless it is a paused answer sent back unchanged.
        if "\n\n".join(texts(last["content"])) not in self._paused:
            message = "This model does not support assistant message prefill."
            message += " The conversation must end with a user message."
            raise RequestRefused("invalid_request_error", message)
        return model

    def _answer(self, ask: ParsedRequest, most: int) -> MadeUpAnswer:
        """Return the scripted or a made-up answer of at most that many tokens, with the scheduled fault applied."""
        scripted = self._script.answer(ask)
        answer = truncated(self.answer(ask) if scripted is None else scripted, most)
        wrong = self.wrong.pop(ask.turn, None)
        if wrong is not None:
            answer = faults.apply_fault(wrong, ask, answer, ask.chance(self.seed, wrong.value))
        if answer.stop == "pause_turn":
            self._paused.add(answer.text)
        return answer

    def _reply(
        self,
        ask: ParsedRequest,
        answer: MadeUpAnswer,
        thought: int,
        charge: Charge,
        pieces: Sequence[PromptPiece],
    ) -> dict[str, Any]:
        # Different requests get different ids, on every server.
        message_id = f"msg_fake{ask.turn:06}{pieces[-1].digest[:4].hex()}"
        output = answer.tokens * (thought < ask.body["max_tokens"]) + thought
        self.counts.tokens.update(charge._asdict(), output=output)
        reply = reply_json(ask, message_id, answer, usage_json(charge, output, thought))
        if thought:
            block = thinking_block(ask.body, beginning_of(ask.body), thought)
            reply["content"] = [block, *reply["content"]]
        reply["diagnostics"] = self._diagnosis.of(ask.body, pieces)
        self._diagnosis.remember(message_id, ask.body["model"], pieces)
        reply["stop_sequence"] = "\n\n" if answer.stop == "stop_sequence" else None
        if answer.stop == "refusal":
            reply["stop_details"] = REFUSED
        return reply


CREDENTIALS: Final = frozenset({"x-api-key", "authorization", "proxy-authorization", "cookie"})
MAX_REQUESTS: Final = 1_000


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A recorded request. A credential is replaced by "present"."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class ScriptedHandler(faults.FaultyHandler):
    """The handler of one connection, which records requests and applies the scheduled faults."""

    service: ScriptedService

    def __init__(self, owner: "FakeClaude", *connection: Any) -> None:  # noqa: ANN401  # socketserver's
        self._owner = owner
        super().__init__(owner.service, owner.stopping, owner.close_for, *connection)

    def on_request(self, headers: Mapping[str, str], body: object) -> None:
        """Record a request without its credentials. Raises RequestRefused without a key or a version."""
        kept = {name: "present" if name in CREDENTIALS else headers[name] for name in headers}
        self._owner.requests.append(RecordedRequest(self.command, self.path, kept, body))
        if self.path == "/":
            return
        if not headers.get("x-api-key") and not headers.get("authorization"):
            message = "x-api-key header is required; any value will do"
            raise RequestRefused("authentication_error", message)
        if "anthropic-version" not in headers:
            message = "anthropic-version: header is required"
            raise RequestRefused("invalid_request_error", message)

    def answer_message(self, body: Any) -> None:  # noqa: ANN401  # JSON
        """Reply with a message, changed by the fault of this turn, if any."""
        turn, fault = self._fault(faults.MESSAGES)
        message: Mapping[str, Any] = {}
        if fault is None or not faults.precedes_request(fault.kind):
            if fault is not None:
                self.service.wrong[turn] = fault.kind
            message = self.service.message(body, turn)
        streamed = isinstance(body, dict) and body.get("stream") is True
        self.send(message, fault, streamed=streamed)

    def answer(self, endpoint: str, value: Callable[[], Mapping[str, Any]]) -> None:
        """Reply with the JSON of another endpoint, changed by the fault of this turn, if any."""
        _, fault = self._fault(endpoint)
        body = {} if fault is not None and faults.precedes_request(fault.kind) else value()
        self.send(body, fault, streamed=False)

    def _fault(self, endpoint: str) -> tuple[int, faults.ServiceFault | None]:
        turn, fault = self._owner.schedule.next(endpoint)
        if fault is not None:
            self._owner.faults[fault.kind.value] += 1
        return turn, fault


class _Listener(LoopbackServer):
    """A server on a port that stays reserved while the server is closed; `end` closes its open connections."""

    def __init__(self, address: tuple[str, int], handler: Callable[..., Handler]) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, handler)

    def end(self) -> None:
        """Stop listening and close all connections; their clients see the end of the stream."""
        super().end()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):  # the other side may have closed it
                    connection.shutdown(socket.SHUT_RDWR)

    def server_bind(self) -> None:
        """Bind beside the socket that reserves the port."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Register a connection and serve it."""
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - socketserver's
        """Remove a connection that has ended."""
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)


class FakeClaude:
    """The stand-in server with a scenario; `seed` varies made-up answers and faults.

    `counts` holds calls, errors and tokens; `faults` counts the faults by kind; `requests` holds the last thousand.
    """

    def __init__(
        self,
        scenario: ServiceScenario | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        seed: int = 0,
        port: int = 0,
    ) -> None:
        self.scenario = scenario or ServiceScenario()
        self.service = ScriptedService(self.scenario, clock, seed)
        self.counts = self.service.counts
        self.schedule = faults.FaultSchedule(self.scenario.faults, self.scenario.spread, seed)
        self.faults: Counter[str] = Counter()
        self.requests: deque[RecordedRequest] = deque(maxlen=MAX_REQUESTS)
        self.stopping = threading.Event()
        # Bound for the whole lifetime without listening: it reserves the port while the server is closed.
        self._socket = _bound(port)
        self._listener: _Listener | None = None
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://{LOOPBACK}:{self._socket.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._start_listening()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._stop_listening()
        self._socket.close()

    def close_for(self, seconds: float) -> None:
        """Stop listening and listen again after `seconds`; returns after closing, without waiting."""
        self._stop_listening()

        def reopen() -> None:
            self.stopping.wait(seconds)
            self._start_listening()

        threading.Thread(target=reopen, daemon=True).start()

    def _start_listening(self) -> None:
        with self._lock:
            if self._listener is None and not self.stopping.is_set():
                self._listener = _Listener(
                    self._socket.getsockname(), partial(ScriptedHandler, self)
                )
                self._listener.begin()

    def _stop_listening(self) -> None:
        with self._lock:
            listener, self._listener = self._listener, None
        if listener is not None:
            listener.end()


def _bound(port: int) -> socket.socket:
    reserved = socket.socket()
    try:
        reserved.bind((LOOPBACK, port))
    except OSError:
        reserved.close()
        raise
    # Set only after binding; before, two servers could bind the same port.
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return reserved
