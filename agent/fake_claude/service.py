"""The service without sockets: it validates, counts, charges by the prompt cache, and answers."""

import hashlib
import json
import threading
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from itertools import count
from typing import Any, Final, NamedTuple

from agent.fake_claude.answers import (
    AnswerKind,
    MadeUpAnswer,
    ParsedRequest,
    blocks,
    good_answer,
    sensible,
    tokens_of_block,
)
from agent.fake_claude.thinking import (
    DEFAULT_EFFORT,
    EFFORTS,
    bound_problems,
    thinking_block,
    thinking_problems,
    thought_about,
)
from agent.fake_claude.wire import RequestRefused
from memory.tapes.entries import MADE_UP


@dataclass(frozen=True, slots=True)
class ServedModel:
    """One model, its limits in tokens, and its thinking; the fields are those of `models.toml`."""

    id: str
    line: str
    max_input_tokens: int
    max_tokens: int
    cache_minimum: int
    lifecycle: str = "active"
    retires_at: str | None = None
    prefill: bool = False
    thinking: Sequence[str] = ()
    thinks: str = ""
    effort: str = ""
    binds: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the model in the shape of the service's `ModelInfo`."""
        kinds = ("adaptive", "between_tools", "disabled", "enabled")
        types = {each: {"supported": each in self.thinking} for each in kinds}
        efforts = {each: {"supported": bool(self.effort)} for each in EFFORTS}
        return {
            **{name: getattr(self, name) for name in _SHOWN},
            "type": "model",
            "display_name": MADE_UP + self.id,
            "created_at": "2026-01-01T00:00:00Z",
            "deprecated_at": None if self.lifecycle == "active" else "2026-01-01T00:00:00Z",
            "capabilities": {
                **_TABLES["capabilities"],
                "thinking": {"supported": True, "types": types},
                "effort": {"supported": bool(self.effort), **efforts},
            },
        }


_SHOWN: Final = ("id", "line", "max_input_tokens", "max_tokens", "lifecycle", "retires_at")


_TABLES: Final[Mapping[str, Any]] = tomllib.loads(
    resources.files(__package__).joinpath("models.toml").read_text(encoding="utf-8")
)
MODELS: Final[Mapping[str, ServedModel]] = {
    name: ServedModel(name, **{key: group[key] for key in group if key != "ids"})
    for group in _TABLES["models"]
    for name in group["ids"]
}


def served_model(name: str) -> ServedModel:
    """Return the model of that name. Raises RequestRefused."""
    if name not in MODELS:
        raise RequestRefused("not_found_error", f"model: {name}")
    return MODELS[name]


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """One block of a prompt. `digest` and `tokens` cover the prompt up to its end; `ttl` is '' without a cache mark."""

    section: str  # tools, format, system or messages
    digest: bytes
    tokens: int
    ttl: str = ""


def pieces_of(body: Mapping[str, Any]) -> tuple[PromptPiece, ...]:
    """Return the pieces of a valid request in the order of its cache.

    The answer schema stands before the system text, since with another schema the service reads everything after the
    tools again. The tool choice, which affects the messages, stands before them.
    """
    digest, tokens, pieces = _digest(b"", body["model"]), 0, []
    for section, block in _blocks(body):
        mark = block.get("cache_control") or {}
        bare = {key: value for key, value in block.items() if key != "cache_control"}
        digest = _digest(digest, [section, bare])
        if block.get("type") != "nothing":
            tokens += tokens_of_block(block)
        pieces.append(PromptPiece(section, digest, tokens, mark.get("ttl", "5m") if mark else ""))
    return tuple(pieces)


def _blocks(body: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for tool in body.get("tools") or ():
        yield "tools", tool
    if schema := (body.get("output_config") or {}).get("format"):
        yield "format", schema
    for block in blocks(body.get("system") or ""):
        yield "system", block
    if body.get("tool_choice"):
        yield "format", {"type": "nothing", "tool_choice": body["tool_choice"]}
    for message in body["messages"]:
        for block in blocks(message["content"]):
            yield f"messages.{message['role']}", block


def _digest(before: bytes, value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False)  # in the order of its keys as sent
    return hashlib.blake2b(before + text.encode(), digest_size=16).digest()


TTL_S: Final = {"5m": 300.0, "1h": 3_600.0}
LOOK_BACK: Final = 20  # blocks before a mark where a stored prefix is still found


class Charge(NamedTuple):
    """The input tokens by price class; together they are the whole input."""

    input: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int


class PromptCache:
    """A cache of prefixes by digest; a hit renews their lifetime. `clock` is in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._stored: dict[bytes, tuple[float, float]] = {}  # expiry, and lifetime after a hit

    def charge(self, pieces: Sequence[PromptPiece], minimum: int) -> Charge:
        """Read the longest stored prefix, store the marked prefixes after it, and return the charge.

        A prefix of fewer than `minimum` tokens is never stored.
        """
        total = pieces[-1].tokens if pieces else 0
        marks = [at for at, each in enumerate(pieces) if each.ttl and each.tokens >= minimum]
        hit = self._hit(pieces, marks)
        read = pieces[hit].tokens if hit >= 0 else 0
        fresh = [pieces[at] for at in marks if at > hit]
        long = max((each.tokens for each in fresh if each.ttl == "1h"), default=read)
        end = max((each.tokens for each in fresh), default=read)
        for piece in (pieces[at] for at in marks):
            self._renew(piece.digest, TTL_S[piece.ttl])
        return Charge(total - end, read, end - long, long - read)

    def _hit(self, pieces: Sequence[PromptPiece], marks: Sequence[int]) -> int:
        for mark in reversed(marks):
            for at in range(mark, max(mark - LOOK_BACK, -1), -1):
                if self._renew(pieces[at].digest):
                    return at
        return -1

    def _renew(self, digest: bytes, length: float = 0.0) -> bool:
        """Store a prefix for its former lifetime or `length`, the longer; return whether it was stored before."""
        expiry, before = self._stored.get(digest, (0.0, 0.0))
        now = self._clock()
        is_stored = expiry > now
        length = max(length, before if is_stored else 0.0)
        if length:
            self._stored[digest] = now + length, length
        return is_stored


@dataclass(slots=True)
class ServiceCounts:
    """Counts since the start: calls by path, errors by type, and tokens by price class."""

    calls: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)

    def charge(self, charge: Charge, output: int) -> None:
        """Add the tokens of one message."""
        self.tokens.update(charge._asdict(), output=output)


class FakeService:
    """The service, which answers requests one after the other. `clock` is in seconds; `seed` varies the answers.

    `check`, `answer` and `diagnostics` are separate methods, so that a stricter service in tests can override them.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        seed: int,
        on_message: Callable[[Mapping[str, Any], Mapping[str, Any]], object] = lambda *_: None,
        *,
        is_good: bool = False,
    ) -> None:
        """Call `on_message` with each request for a message and its reply; with `is_good`, answer by the table of good advice."""
        self.counts = ServiceCounts()
        self._on_message = on_message
        self.seed = seed
        self._is_good = is_good
        self.numbers = count(1)  # of requests
        self.turns = count(1)  # of message requests
        self._cache = PromptCache(clock)
        self._lock = threading.Lock()

    def message(self, body: Mapping[str, Any], turn: int) -> dict[str, Any]:
        """Return the reply to `body`, the message request number `turn`. Raises RequestRefused."""
        with self._lock:
            model = self.check(body)
            pieces = pieces_of(body)
            tokens, most = pieces[-1].tokens, model.max_input_tokens
            if tokens > most:
                message = f"prompt is too long: {tokens} tokens > {most} maximum"
                raise RequestRefused("invalid_request_error", message)
            ask = ParsedRequest(body, turn)
            effort = model.effort or DEFAULT_EFFORT
            thought = thought_about(body, model.thinks, effort, ask.chance(self.seed, "thinking"))
            ask = replace(ask, thought=min(thought, body["max_tokens"]))
            answer = self.answer(ask)
            charge = self._cache.charge(pieces, model.cache_minimum)
            reply = self._message(ask, answer, charge, pieces)
            self._on_message(body, reply)
            return reply

    def count(self, body: Mapping[str, Any]) -> dict[str, int]:
        """Return the input tokens of `body`. Raises RequestRefused."""
        self.check(body, counting=True)
        return {"input_tokens": pieces_of(body)[-1].tokens}

    def check(self, body: Mapping[str, Any], *, counting: bool = False) -> ServedModel:
        """Return the requested model. `counting`: the request only counts tokens. Raises RequestRefused."""
        if not isinstance(body, dict) or not body.get("messages"):
            raise RequestRefused("invalid_request_error", "messages: Field required")
        if not counting and not isinstance(body.get("max_tokens"), int):
            raise RequestRefused("invalid_request_error", "max_tokens: Field required")
        model = served_model(str(body.get("model")))
        if model.lifecycle == "retired":
            raise RequestRefused("not_found_error", f"model: {model.id}")
        self.check_thinking(body, model)
        return model

    def check_thinking(self, body: Mapping[str, Any], model: ServedModel) -> None:
        """Raise RequestRefused for thinking that the model does not accept, or that is not valid at its place."""
        has_effort = bool(model.effort)
        problems = [*thinking_problems(body, model.id, model.thinking, has_effort=has_effort)]
        if model.binds:
            if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
                problems.append("tool_choice: forced tool use is not supported for this model")
            problems += bound_problems(body["messages"], beginning_of(body))
        for problem in problems:
            raise RequestRefused("invalid_request_error", problem)

    def answer(self, ask: ParsedRequest) -> MadeUpAnswer:
        """Return the answer to a checked request."""
        is_good = self._is_good and ask.kind is AnswerKind.ANSWER
        return truncated(good_answer(ask) if is_good else sensible(ask, self.seed), ask)

    def diagnostics(
        self, ask: ParsedRequest, message_id: str, pieces: Sequence[PromptPiece]
    ) -> dict[str, object] | None:
        """Return None: this service does not report why the cache was missed."""

    def _message(
        self,
        ask: ParsedRequest,
        answer: MadeUpAnswer,
        charge: Charge,
        pieces: tuple[PromptPiece, ...],
    ) -> dict[str, Any]:
        # Different requests get different ids, on every server.
        message_id = f"msg_fake{ask.turn:06}{pieces[-1].digest[:4].hex()}"
        output = answer.tokens * (ask.thought < ask.body["max_tokens"]) + ask.thought
        self.counts.charge(charge, output)
        thought = [thinking_block(ask.body, beginning_of(ask.body), ask.thought)]
        return {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": MADE_UP + ask.body["model"],
            "content": [*thought[: bool(ask.thought)], *answer.blocks(message_id)],
            "container": None,
            "diagnostics": self.diagnostics(ask, message_id, pieces),
            "stop_reason": answer.stop,
            "stop_sequence": "\n\n" if answer.stop == "stop_sequence" else None,
            "stop_details": answer.details,
            "usage": usage_json(charge, output, ask.thought),
        }


def beginning_of(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what stands before the messages of a request: its tools and its system text."""
    return [*(body.get("tools") or ()), *blocks(body.get("system") or "")]


def usage_json(charge: Charge, output: int, thought: int = 0) -> dict[str, object]:
    """Return the usage in the shape of the service; `output` includes the tokens `thought`."""
    return {
        "input_tokens": charge.input,
        "output_tokens": output,
        "output_tokens_details": {"thinking_tokens": thought},
        "cache_read_input_tokens": charge.cache_read,
        "cache_creation_input_tokens": charge.cache_write_5m + charge.cache_write_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": charge.cache_write_5m,
            "ephemeral_1h_input_tokens": charge.cache_write_1h,
        },
        "server_tool_use": None,
        "service_tier": "standard",
    }


def truncated(answer: MadeUpAnswer, ask: ParsedRequest) -> MadeUpAnswer:
    """Return `answer`, shortened to what thinking leaves of `max_tokens`; a shortened answer has no calls."""
    most = ask.body["max_tokens"] - ask.thought
    if answer.tokens <= most:
        return answer
    text = answer.text[: round(len(answer.text) * most / answer.tokens)]
    return replace(answer, text=text, calls=(), stop_reason="max_tokens")
