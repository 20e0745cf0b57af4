"""The prompt cache of the server: which prefixes are kept, what a request is charged for, and the sums."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from agent.fake_claude.answers import blocks, tokens_of_block


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """One block. `digest` and `tokens` are of everything up to its end; `ttl` is '' where it bears no mark."""

    section: str  # tools, format, system or messages
    digest: bytes
    tokens: int
    ttl: str = ""


def pieces_of(body: Mapping[str, Any]) -> tuple[PromptPiece, ...]:
    """Return the pieces of a valid request, the first first.

    The schema of an answer goes in front of the system text: a service that is told of another one reads
    everything after the tools anew. What else bears on the messages (thinking, the choice of tools) goes
    in front of those.
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
    bearing = {name: body[name] for name in ("thinking", "tool_choice") if body.get(name)}
    if bearing:
        yield "format", {"type": "nothing", **bearing}
    spoken = [
        (each["role"], block) for each in body["messages"] for block in blocks(each["content"])
    ]
    for number, (role, block) in enumerate(spoken, start=1):
        automatic = number == len(spoken) and body.get("cache_control")
        marked = {**block, "cache_control": body["cache_control"]} if automatic else block
        yield f"messages.{role}", marked


def _digest(before: bytes, value: object) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(before + text.encode(), digest_size=16).digest()


TTL_S: Final = {"5m": 300.0, "1h": 3_600.0}
LOOK_BACK: Final = 20  # blocks before a mark at which a kept prefix is still found


class Charge(NamedTuple):
    """The tokens of the input by what they cost; together they are the whole of it."""

    input: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int


class PromptCache:
    """Keeps prefixes by digest until they expire; a hit renews them. `clock` is in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: dict[bytes, tuple[float, float]] = {}  # until when, and how long from a hit

    def charge(self, pieces: Sequence[PromptPiece], minimum: int) -> Charge:
        """Read the longest kept prefix, keep what is marked after it, and return what that comes to.

        A prefix of less than `minimum` tokens is never kept.
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
        """Keep a prefix for as long as it was kept before, or for `length` where that is longer; return whether it was."""
        until, before = self._kept.get(digest, (0.0, 0.0))
        now = self._clock()
        is_kept = until > now
        length = max(length, before if is_kept else 0.0)
        if length:
            self._kept[digest] = now + length, length
        return is_kept


@dataclass(slots=True)
class ServiceCounts:
    """Counts since the start: calls by path, errors by type, and tokens by what they cost."""

    calls: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)

    def charge(self, charge: Charge, output: int) -> None:
        """Add the tokens of one message."""
        self.tokens.update(charge._asdict(), output=output)
