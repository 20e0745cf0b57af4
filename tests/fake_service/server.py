"""The stand-in server with a scenario: scripted answers, faults, and the refusals of the real service."""

import json
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Self, cast

from agent.fake_claude.answers import MadeUpAnswer, ParsedRequest, texts
from agent.fake_claude.server import LOOPBACK, Handler, LoopbackServer
from agent.fake_claude.service import FakeService, PromptPiece, ServedModel, truncated
from agent.fake_claude.wire import RequestRefused, Wire
from tests.fake_service.diagnosis import Diagnosis
from tests.fake_service.faults import (
    MESSAGES,
    FaultSchedule,
    FaultyWire,
    ServiceFault,
    ServiceFaultKind,
    apply_fault,
    precedes_request,
    send,
)
from tests.fake_service.scenario import ScenarioProgress, ServiceScenario
from tests.fake_service.validation import validate


class ScriptedService(FakeService):
    """A service that follows a scenario, refuses as the real service does, and reports cache misses."""

    def __init__(self, scenario: ServiceScenario, clock: Callable[[], float], seed: int) -> None:
        super().__init__(clock, seed)
        self.wrong: dict[int, ServiceFaultKind] = {}  # by number of the request
        self._scenario = scenario
        self._script = ScenarioProgress(scenario)
        self._diagnosis = Diagnosis()
        self._paused: set[str] = set()

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
        self.check_thinking(body, model)
        last = body["messages"][-1]
        if counting or last["role"] != "assistant" or model.prefill:
            return model
        # A prefilled answer is refused, unless it is a paused answer sent back unchanged.
        if "\n\n".join(texts(last["content"])) not in self._paused:
            message = "This model does not support assistant message prefill."
            message += " The conversation must end with a user message."
            raise RequestRefused("invalid_request_error", message)
        return model

    def answer(self, ask: ParsedRequest) -> MadeUpAnswer:
        """Return the scripted or a made-up answer, with the scheduled fault applied."""
        scripted = self._script.answer(ask)
        answer = super().answer(ask) if scripted is None else truncated(scripted, ask)
        wrong = self.wrong.pop(ask.turn, None)
        if wrong is not None:
            answer = apply_fault(wrong, ask, answer, ask.chance(self.seed, wrong.value))
        if answer.stop == "pause_turn":
            self._paused.add(answer.text)
        return answer

    def diagnostics(
        self, ask: ParsedRequest, message_id: str, pieces: Sequence[PromptPiece]
    ) -> dict[str, object] | None:
        """Return why the cache was missed, or None when not requested."""
        diagnosis = self._diagnosis.of(ask.body, pieces)
        self._diagnosis.remember(message_id, ask.body["model"], pieces)
        return diagnosis


CREDENTIALS: Final = frozenset({"x-api-key", "authorization", "proxy-authorization", "cookie"})
MAX_REQUESTS: Final = 1_000


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A recorded request. A credential is replaced by "present"."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class FaultyHandler(Handler):
    """The handler of one connection, which applies the scheduled faults."""

    def __init__(self, owner: "FakeClaude", *connection: Any) -> None:  # noqa: ANN401  # socketserver's
        self._owner = owner
        super().__init__(owner.service, *connection)

    def wire(self, request_id: str) -> Wire:
        """Return a reply writer with faults."""
        return FaultyWire(self, request_id, self._owner.stopping, self._owner.close_for)

    def on_request(self, method: str, headers: Mapping[str, str], body: object) -> None:
        """Record a request without its credentials."""
        kept = {name: "present" if name in CREDENTIALS else headers[name] for name in headers}
        self._owner.requests.append(RecordedRequest(method, self.path, kept, body))

    def send_message(self, body: Any, wire: Wire) -> None:  # noqa: ANN401  # JSON
        """Reply with a message, changed by the fault of this turn, if any."""
        turn, fault = self._fault(MESSAGES)
        message: Mapping[str, Any] = {}
        if fault is None or not precedes_request(fault.kind):
            if fault is not None:
                self._owner.service.wrong[turn] = fault.kind
            message = self._owner.service.message(body, turn)
        streamed = isinstance(body, dict) and body.get("stream") is True
        send(message, cast(FaultyWire, wire), fault, streamed=streamed)

    def send_json(self, endpoint: str, value: Callable[[], Mapping[str, Any]], wire: Wire) -> None:
        """Reply with the JSON of another endpoint, changed by the fault of this turn, if any."""
        _, fault = self._fault(endpoint)
        body = {} if fault is not None and precedes_request(fault.kind) else value()
        send(body, cast(FaultyWire, wire), fault, streamed=False)

    def _fault(self, endpoint: str) -> tuple[int, ServiceFault | None]:
        turn, fault = self._owner.schedule.next(endpoint)
        if fault is not None:
            self._owner.faults[fault.kind.value] += 1
        return turn, fault


class _Listener(LoopbackServer):
    """A server on a port that stays reserved while the server is closed."""

    def server_bind(self) -> None:
        """Bind beside the socket that reserves the port."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()


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
        self.schedule = FaultSchedule(self.scenario.faults, self.scenario.spread, seed)
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
                self._listener = _Listener(self._socket.getsockname(), partial(FaultyHandler, self))
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
