"""The prompt cache of the service: what a request costs by price class, with the service's own count of tokens."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from agent.fake_claude.answers import blocks, tokens_of_text
from tests.fake_service.thinking import THINKING, thinking_tokens_of

PICTURE: Final = 1_600  # tokens of a picture of any size
FRAME: Final = 4  # tokens added to each block


def tokens_of_block(block: Mapping[str, Any]) -> int:
    """Return the estimated tokens of a content block or a tool definition, its frame included."""
    match block.get("type"):
        case "text":
            return FRAME + tokens_of_text(str(block.get("text", "")))
        case "image":
            return FRAME + PICTURE
        case kind if kind in THINKING:
            return FRAME + thinking_tokens_of(block)
        case "tool_result" if isinstance(block.get("content"), list):
            return FRAME + sum(tokens_of_block(each) for each in block["content"])
        case _:
            rest = {key: value for key, value in block.items() if key != "cache_control"}
            return FRAME + tokens_of_text(json.dumps(rest, ensure_ascii=False))


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
