"""A request as the chain of pieces that the prompt cache sees: tools, system, messages."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agent.fake_claude.ask import blocks
from agent.fake_claude.tokens import tokens_of_block


@dataclass(frozen=True, slots=True)
class Piece:
    """One block. `digest` and `tokens` are of everything up to its end; `ttl` is '' where it bears no mark."""

    section: str  # tools, format, system or messages
    digest: bytes
    tokens: int
    ttl: str = ""


def pieces_of(body: Mapping[str, Any]) -> tuple[Piece, ...]:
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
        pieces.append(Piece(section, digest, tokens, mark.get("ttl", "5m") if mark else ""))
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
