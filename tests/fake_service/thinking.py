"""Thinking: what a model accepts, how much it thinks, and the blocks that are valid only after an unchanged beginning.

A signature holds the digest of everything before the block, and the tokens of its thinking. So the server checks a block
without remembering it, also after a restart.
"""

import hashlib
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agent.fake_claude.answers import blocks

THINKING: Final = ("thinking", "redacted_thinking")
DEFAULT_EFFORT: Final = "high"
# The tokens of thinking by effort: the share of requests that are thought about, the least and the most.
_TOKENS: Final = {
    "low": (0.6, 60, 240),
    "medium": (0.9, 120, 600),
    "high": (1.0, 400, 2_400),
    "xhigh": (1.0, 1_500, 6_000),
    "max": (1.0, 3_000, 12_000),
}
EFFORTS: Final = tuple(_TOKENS)
_SIGNED: Final = re.compile(r"fake-([0-9a-f]{32})-(\d{1,6})")
BOUND: Final = (
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set"
    ' `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
Block = Mapping[str, Any]


def beginning_of(body: Block) -> list[Block]:
    """Return what stands before the messages of a request: its tools and its system text."""
    return [*(body.get("tools") or ()), *blocks(body.get("system") or "")]


def thinking_problems(
    body: Mapping[str, Any], model: str, accepted: Sequence[str], *, has_effort: bool
) -> Iterator[str]:
    """Yield why the service refuses the thinking and the effort of a request for `model`."""
    kind = (body.get("thinking") or {}).get("type")
    effort = (body.get("output_config") or {}).get("effort")
    if kind is not None and kind not in accepted:
        use = f"Use one of: {', '.join(accepted)}"
        yield f"thinking.type: '{kind}' is not supported for {model}. {use}."
    if kind == "enabled" and not 1_024 <= body["thinking"].get("budget_tokens", 0) < body.get(
        "max_tokens", 1 << 20
    ):
        yield "thinking.enabled.budget_tokens: Input should be at least 1024 and less than max_tokens"
    if effort is not None and not has_effort:
        yield "output_config.effort: This model does not support the effort parameter."
    elif effort is not None and effort not in EFFORTS:
        yield f"output_config.effort: Input should be one of {', '.join(EFFORTS)}"
    if kind == "between_tools" and effort in ("xhigh", "max"):
        yield f"thinking.type: 'between_tools' is not supported at effort {effort}"


def bound_problems(messages: Sequence[Block], beginning: Sequence[Block]) -> Iterator[str]:
    """Yield which thinking blocks are not valid after what stands before them; `beginning` is tools and system."""
    digest = _digest(b"", beginning)
    for at, message in enumerate(messages):
        content = message["content"] if isinstance(message["content"], list) else []
        for number, block in enumerate(content):
            if block.get("type") in THINKING:
                signed = _SIGNED.fullmatch(_signature(block))
                if signed is None:
                    yield f"messages.{at}.content.{number}: Invalid `signature` in `thinking` block"
                elif signed[1] != digest.hex():
                    yield f"messages.{at}.content.{number}: {BOUND}"
        digest = _after(digest, message)


def thinking_block(
    body: Mapping[str, Any], beginning: Sequence[Block], tokens: int
) -> dict[str, Any]:
    """Return a block of that many tokens of thinking for the answer to `body`; its text is left out, as by default."""
    digest = _digest(b"", beginning)
    for message in body["messages"]:
        digest = _after(digest, message)
    return {"type": "thinking", "thinking": "", "signature": f"fake-{digest.hex()}-{tokens}"}


def thinking_tokens_of(block: Block) -> int:
    """Return the tokens of thinking of a block that is sent back; they are billed as input."""
    signed = _SIGNED.fullmatch(_signature(block))
    return int(signed[2]) if signed else 0


def thought_about(body: Mapping[str, Any], default: str, effort: str, chance: random.Random) -> int:
    """Return the tokens of thinking before the answer to `body`; `default` and `effort` hold where the body is silent."""
    kind = (body.get("thinking") or {}).get("type") or default
    if kind not in ("adaptive", "enabled"):
        return 0
    share, least, most = _TOKENS[(body.get("output_config") or {}).get("effort") or effort]
    return chance.randint(least, most) if chance.random() < share else 0


def _signature(block: Block) -> str:
    return str(block.get("signature" if block["type"] == "thinking" else "data"))


def _after(digest: bytes, message: Block) -> bytes:
    content = message["content"]
    content = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in content:
        digest = _digest(digest, [message["role"], _bare(block)])
    return digest


def _bare(block: Block) -> dict[str, Any]:
    return {name: block[name] for name in block if name != "cache_control"}


def _digest(before: bytes, value: object) -> bytes:
    value = (
        [_bare(each) for each in value]
        if isinstance(value, list) and value and isinstance(value[0], dict)
        else value
    )
    text = json.dumps(value, ensure_ascii=False)  # in the order of its keys as sent
    return hashlib.blake2b(before + text.encode(), digest_size=16).digest()
