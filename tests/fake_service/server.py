"""The stand-in server with a scenario: scripted answers, faults, and what the real service refuses."""

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
from agent.fake_claude.service import FakeService, PromptPiece, ServedModel, fitted
from agent.fake_claude.wire import RequestRefused, Wire
from tests.fake_service.diagnosis import Diagnosis
from tests.fake_service.faults import (
    MESSAGES,
    FaultyWire,
    Mishaps,
    ServiceFault,
    ServiceFaultKind,
    comes_first,
    send,
    twisted,
)
from tests.fake_service.scenario import ScenarioProgress, ServiceScenario
from tests.fake_service.validation import validate


class ScriptedService(FakeService):
    """Answers after a scenario, refuses what the real service refuses, and tells why the cache was missed."""

    def __init__(self, scenario: ServiceScenario, clock: Callable[[], float], seed: int) -> None:
        super().__init__(clock, seed)
        self.wrong: dict[int, ServiceFaultKind] = {}  # by the number of the request
        self._script = ScenarioProgress(scenario)
        self._diagnosis = Diagnosis()
        self._paused: set[str] = set()

    def check(self, body: Mapping[str, Any], *, counting: bool = False) -> ServedModel:
        """Return the model; refuse what the real service refuses."""
        model = validate(body, counting=counting)
        last = body["messages"][-1]
        if counting or last["role"] != "assistant" or model.prefill:
            return model
        # The beginning of an answer is refused, unless it is what was paused, given back as it was.
        if "\n\n".join(texts(last["content"])) not in self._paused:
            message = "This model does not support assistant message prefill."
            message += " The conversation must end with a user message."
            raise RequestRefused("invalid_request_error", message)
        return model

    def answer(self, ask: ParsedRequest) -> MadeUpAnswer:
        """Return what the scenario answers, else something sensible, with what is to be wrong about it."""
        scripted = self._script.answer(ask)
        answer = super().answer(ask) if scripted is None else fitted(scripted, ask)
        wrong = self.wrong.pop(ask.turn, None)
        if wrong is not None:
            answer = twisted(wrong, ask, answer, ask.chance(self.seed, wrong.value))
        if answer.stop == "pause_turn":
            self._paused.add(answer.text)
        return answer

    def diagnostics(
        self, ask: ParsedRequest, message_id: str, pieces: Sequence[PromptPiece]
    ) -> dict[str, object] | None:
        """Return why the cache was missed, where the request asks for it."""
        told = self._diagnosis.of(ask.body, pieces)
        self._diagnosis.remember(message_id, ask.body["model"], pieces)
        return told


CREDENTIALS: Final = frozenset({"x-api-key", "authorization", "proxy-authorization", "cookie"})
KEPT: Final = 1_000  # requests


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came. Of a credential only "present" is kept."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class FaultyHandler(Handler):
    """Serves a connection, and lets replies go wrong."""

    def __init__(self, owner: "FakeClaude", *connection: Any) -> None:  # noqa: ANN401  # socketserver's
        self._owner = owner
        super().__init__(owner.service, *connection)

    def wire(self, request_id: str) -> Wire:
        """Return a way back that can break off."""
        return FaultyWire(self, request_id, self._owner.stopping, self._owner.close_for)

    def received(self, method: str, headers: Mapping[str, str], body: object) -> None:
        """Keep a request, without credentials."""
        kept = {name: "present" if name in CREDENTIALS else headers[name] for name in headers}
        self._owner.requests.append(Received(method, self.path, kept, body))

    def send_message(self, body: Any, wire: Wire) -> None:  # noqa: ANN401  # JSON
        """Reply with a message, or with what the fault makes of it."""
        turn, fault = self._fault(MESSAGES)
        message: Mapping[str, Any] = {}
        if fault is None or not comes_first(fault.kind):
            if fault is not None:
                self._owner.service.wrong[turn] = fault.kind
            message = self._owner.service.message(body, turn)
        streamed = isinstance(body, dict) and body.get("stream") is True
        send(message, cast(FaultyWire, wire), fault, streamed=streamed)

    def send_json(self, endpoint: str, value: Callable[[], Mapping[str, Any]], wire: Wire) -> None:
        """Reply with what is no message, or with what the fault makes of it."""
        _, fault = self._fault(endpoint)
        told = {} if fault is not None and comes_first(fault.kind) else value()
        send(told, cast(FaultyWire, wire), fault, streamed=False)

    def _fault(self, endpoint: str) -> tuple[int, ServiceFault | None]:
        turn, fault = self._owner.mishaps.next(endpoint)
        if fault is not None:
            self._owner.faults[fault.kind.value] += 1
        return turn, fault


class _Door(LoopbackServer):
    """A server on a port that is kept for it while it is closed."""

    def server_bind(self) -> None:
        """Bind beside the socket that keeps the port."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()


class FakeClaude:
    """The stand-in server with a scenario; `seed` varies what is made up and what goes wrong.

    `counts` are of what was asked, and the tokens; `faults` counts those made, by kind; `requests` are the last thousand.
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
        self.counts = self.service.tally
        self.mishaps = Mishaps(self.scenario.faults, self.scenario.spread, seed)
        self.faults: Counter[str] = Counter()
        self.requests: deque[Received] = deque(maxlen=KEPT)
        self.stopping = threading.Event()
        # Bound for as long as this lives, and never listening: it keeps the port while the door is closed.
        self._place = _bound(port)
        self._door: _Door | None = None
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{LOOPBACK}:{self._place.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._close()
        self._place.close()

    def close_for(self, seconds: float) -> None:
        """Stop listening, and listen again after a while; returns at once after closing."""
        self._close()

        def reopen() -> None:
            self.stopping.wait(seconds)
            self._open()

        threading.Thread(target=reopen, daemon=True).start()

    def _open(self) -> None:
        with self._lock:
            if self._door is None and not self.stopping.is_set():
                self._door = _Door(self._place.getsockname(), partial(FaultyHandler, self))
                self._door.begin()

    def _close(self) -> None:
        with self._lock:
            door, self._door = self._door, None
        if door is not None:
            door.end()


def _bound(port: int) -> socket.socket:
    place = socket.socket()
    try:
        place.bind((LOOPBACK, port))
    except OSError:
        place.close()
        raise
    # Only now: before, it would let two servers have one port.
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return place
