"""Calls end at their deadline, or when play is to end, whatever the service sends."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from threading import Event, Thread

import pytest

from agent.advisor.claude import Claude
from agent.advisor.deadline import CALL, MAX_BYTES, Patience
from agent.advisor.model import FaultKind, ModelFault, Request
from tests.agent.advisor.advising import MODEL, PATIENCE
from tests.fake_service.raw_server import Piece, RawServer, chunked, head

ASKED = Request(MODEL, (), [{"role": "user", "content": "Where to?"}])
STALL = 0.05  # seconds between two pieces


def for_ever(piece: bytes, before: bytes = b"", pause: float = STALL) -> Iterator[Piece]:
    yield before
    while True:
        yield piece
        yield pause


DRIPS: dict[str, Callable[[], Iterator[Piece]]] = {
    "nothing": lambda: iter([1e9]),
    "headers": lambda: for_ever(b"a", b"HTTP/1.1 200 OK\r\nx-slow: "),
    "continue": lambda: for_ever(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "continue flood": lambda: for_ever(b"HTTP/1.1 100 Continue\r\n\r\n" * 100, pause=0.0),
    "chunk size": lambda: for_ever(b"0", head(chunked=True)),
    "chunk extension": lambda: for_ever(b"x", head(chunked=True) + b"5;"),
    "events": lambda: for_ever(chunked(b": still here\n\n"), head(chunked=True)),
    "body": lambda: for_ever(b" ", head(length=900_000)),
    "trailer": lambda: for_ever(b"t", head(chunked=True) + b"0\r\n"),
}


@pytest.mark.parametrize(
    ("drip", "endpoint"),
    [*((each, "messages") for each in DRIPS), ("body", "count_tokens"), ("headers", "models")],
)
def test_an_answer_that_drips_is_a_timeout(drip: str, endpoint: str) -> None:
    with (
        RawServer(lambda _path: DRIPS[drip]()) as server,
        closing(Claude(0.3, patience=PATIENCE, base_url=server.url)) as claude,
    ):
        with pytest.raises(ModelFault) as fault:
            ask(claude, endpoint)
        for thread in threading.enumerate():  # the abandoned call ends soon
            if thread.name == CALL:
                thread.join(60)
                assert not thread.is_alive()
    assert fault.value.kind is FaultKind.TIMEOUT
    assert not fault.value.is_free


def ask(claude: Claude, endpoint: str) -> None:
    if endpoint == "messages":
        claude.complete(ASKED)
    elif endpoint == "count_tokens":
        claude.count_tokens(ASKED)
    else:
        claude.max_input_tokens(MODEL)


@pytest.mark.parametrize(
    "answer",
    [
        head(length=2 * MAX_BYTES) + b" " * 2 * MAX_BYTES,
        head(status=b"500 No") + b" " * 2 * MAX_BYTES,
    ],
    ids=["reply", "refusal"],
)
def test_an_answer_of_many_bytes_is_a_fault(answer: bytes) -> None:
    assert fault_of_answer(answer).kind is FaultKind.TOO_LONG


def test_headers_of_many_bytes_are_a_fault() -> None:
    assert fault_of_answer(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 100_000).kind in {
        FaultKind.CONNECTION,
        FaultKind.BROKEN_STREAM,
    }


def test_a_compressed_answer_is_a_fault() -> None:
    answer = head(length=3, more=b"content-encoding: gzip\r\n") + b"abc"
    assert fault_of_answer(answer).kind is FaultKind.MALFORMED


def fault_of_answer(answer: bytes) -> ModelFault:
    with (
        RawServer(lambda _path: iter([answer])) as server,
        closing(Claude(20, patience=PATIENCE, base_url=server.url)) as claude,
        pytest.raises(ModelFault) as fault,
    ):
        claude.complete(ASKED)
    return fault.value


@pytest.mark.parametrize("endpoint", ["messages", "count_tokens", "models"])
def test_a_request_to_end_ends_a_call(endpoint: str) -> None:
    asked = Event()

    def silent(_path: str) -> Iterator[Piece]:
        asked.set()
        yield 1e9

    patience = Patience(time.monotonic, asked.is_set)
    with (
        RawServer(silent) as server,
        closing(Claude(1e6, patience=patience, base_url=server.url)) as claude,
    ):
        with pytest.raises(ModelFault) as fault:
            ask(claude, endpoint)
        assert (fault.value.kind, fault.value.is_free) == (FaultKind.INTERRUPTED, False)
        with pytest.raises(ModelFault) as later:
            ask(claude, endpoint)
        assert (later.value.kind, later.value.is_free) == (FaultKind.INTERRUPTED, True)
        assert server.requests == 1


def test_a_request_to_end_ends_a_pause() -> None:
    ending = Event()
    pause = Thread(target=Patience(time.monotonic, ending.is_set).pause, args=(1e6,))
    pause.start()
    ending.set()
    pause.join()
