"""Random answers of a model service, as bytes on the wire: JSON of any shape, changed messages and streams, any head."""

import gzip
import json
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from tests.fake_service.hostile_answers import (
    FORMS,
    JSON,
    NO_END,
    STALL,
    HostileAnswer,
    answer,
    block,
    delta,
    end,
    message,
    start,
    text,
)
from tests.fake_service.raw_server import Piece, chunked, head

RANDOM: Final = "random"  # the kind of these answers
DEEP: Final = 300
WORDS: Final = (
    "end_turn", "tool_use", "text", "thinking", "message_start", "message_stop", "content_block_delta",
    "recall", "look", "signature", "max_tokens", "error", "overloaded_error", "ephemeral", "",
)  # fmt: skip
NUMBERS: Final = (
    *(0, -1, 1, 2**31, 2**53, 2**63, 10**30),
    *(0.5, -0.0, 1e308, float("nan"), float("inf")),
)


class RandomAnswers:
    """Random answers, another one for each request; `key` is repeated in some of them."""

    def __init__(self, seed: int, key: str) -> None:
        self._chance = random.Random(f"hostile {seed}")
        self._key = key

    def pieces(self) -> Iterator[Piece]:
        """Return the pieces of the next answer."""
        return self._slow(list(self._chance.choice(_KINDS)(self)))

    def value(self, depth: int = 4) -> Any:  # noqa: ANN401  # JSON
        """Return a JSON value of any shape."""
        chance = self._chance
        match chance.randrange(9 if depth else 6):
            case 0:
                return chance.choice(NUMBERS)
            case 1:
                return chance.choice((None, True, False))
            case 2:
                return chance.choice(WORDS)
            case 3:
                return self._noise(chance.randrange(60)).decode("latin-1")
            case 4:
                return chance.choice(list(FORMS.values()))(self._key)
            case 5:
                return self._deep()
            case 6:
                return [self.value(depth - 1) for _ in range(chance.randrange(5))]
            case _:
                names = [*_names(message(text(""))), *WORDS]
                return {
                    chance.choice(names): self.value(depth - 1) for _ in range(chance.randrange(6))
                }

    def _deep(self) -> Any:  # noqa: ANN401  # JSON
        value: Any = 7
        for _ in range(self._chance.randrange(DEEP)):
            value = [value] if self._chance.random() < 0.5 else {"a": value}
        return value

    def changed(self, value: Any) -> Any:  # noqa: ANN401  # JSON
        """Return `value` with some of its parts changed, left out or repeated."""
        if self._chance.random() < 0.08:
            return self.value()
        if isinstance(value, dict):
            parts = {name: self.changed(each) for name, each in value.items()}
            if parts and self._chance.random() < 0.08:
                del parts[self._chance.choice(list(parts))]
            return parts
        if isinstance(value, list):
            parts_of = [self.changed(each) for each in value]
            return parts_of * self._chance.choice((1, 1, 1, 1, 0, 2))
        return value

    def _noise(self, size: int) -> bytes:
        return self._chance.randbytes(size)

    def bytes_alone(self) -> Iterator[bytes]:
        """Yield bytes that are no HTTP."""
        yield self._noise(self._chance.randrange(5_000))

    def body(self) -> Iterator[bytes]:
        """Yield a body of any JSON, or of any bytes, below a head that need not fit."""
        raw = self._raw(self.value()) if self._chance.random() < 0.8 else self._noise(900)
        yield from self._with_head(raw)

    def whole_message(self) -> Iterator[bytes]:
        """Yield a changed message."""
        yield from self._with_head(self._raw(self.changed(message(*self._blocks()))))

    def events(self) -> Iterator[bytes]:
        """Yield a changed stream of events, some of them out of order or in pieces."""
        found = [start(), *block(0, text(""), delta(answer()[:20]), delta(answer()[20:])), *end()]
        found = [self.changed(each) for each in found]
        if self._chance.random() < 0.2:
            self._chance.shuffle(found)
        lines = b"".join(
            b"event: %b\ndata: %b\n\n"
            % (self._chance.choice((b"x", b"ping", b"error")), self._raw(each))
            for each in found
        )
        yield head(chunked=True)
        size = self._chance.randint(1, 900)
        yield from (chunked(lines[at : at + size]) for at in range(0, len(lines), size))
        if self._chance.random() < 0.8:
            yield b"0\r\n\r\n"

    def refusal(self) -> Iterator[bytes]:
        """Yield a refusal with any status, headers and message; many name a part of the request."""
        words = self._chance.choice(
            ("thinking", "strict", "cache_control", "effort", "tools", "image", self._key)
        )
        error = {
            "type": "error",
            "error": {"type": "api_error", "message": f"{words} is not supported"},
        }
        raw = self._raw(self.changed(error))
        status = b"%d Odd" % self._chance.choice((400, 401, 404, 413, 422, 429, 500, 503, 529, 999))
        wait = b"retry-after: %b\r\n" % self._chance.choice((b"-1", b"nan", b"9e9", b"0.1", b"x"))
        yield head(status=status, kind=JSON, length=len(raw), more=wait) + raw

    def _blocks(self) -> Sequence[Any]:
        call = {"type": "tool_use", "id": "call", "name": "recall", "input": {"text": "x"}}
        thought = {"type": "thinking", "thinking": "", "signature": "s"}
        return self._chance.sample([text(answer()), call, thought], self._chance.randint(1, 3))

    def _raw(self, value: object) -> bytes:
        return json.dumps(value, ensure_ascii=self._chance.random() < 0.5).encode(
            "utf-8", "surrogatepass"
        )

    def _with_head(self, raw: bytes) -> Iterator[bytes]:
        chance, more = self._chance, b""
        if chance.random() < 0.2:
            coding, pack = chance.choice(((b"gzip", gzip.compress), (b"deflate", zlib.compress)))
            raw, more = pack(raw), b"content-encoding: %b\r\n" % coding
        if chance.random() < 0.2:
            more += b"%b: %b\r\n" % (self._noise(3).hex().encode(), self._noise(9).hex().encode())
        length = len(raw) + chance.choice((0, 0, 0, 0, -3, 30))
        kind = chance.choice((JSON, JSON, JSON, b"text/html", b"text/event-stream"))
        yield head(kind=kind, length=chance.choice((None, max(length, 0))), more=more) + raw

    def _slow(self, pieces: list[bytes]) -> Iterator[Piece]:
        """Yield the pieces, some answers slowly, without an end, or cut."""
        pace = self._chance.random()
        for each in pieces:
            at = self._chance.randrange(len(each) + 1) if pace < 0.06 else len(each)
            yield each[:at]
            if pace < 0.06:
                break
            if pace > 0.94:
                yield STALL
        if pace > 0.97:
            yield NO_END


def _names(value: Any) -> Iterator[str]:  # noqa: ANN401  # JSON
    if isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from _names(each)


_KINDS: Final[Sequence[Callable[[RandomAnswers], Iterator[bytes]]]] = (
    RandomAnswers.bytes_alone,
    RandomAnswers.body,
    RandomAnswers.whole_message,
    RandomAnswers.whole_message,
    RandomAnswers.events,
    RandomAnswers.events,
    RandomAnswers.refusal,
)


def random_answers(seed: int, key: str) -> HostileAnswer:
    """Return answers of that seed for requests made with `key`, another one each time."""
    return HostileAnswer(RANDOM, str(seed), RandomAnswers(seed, key).pieces)
