"""The recorder of model calls as nodes of a tape. It never fails its caller: losses are counted and reported once."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from hashlib import sha256
from threading import Lock
from typing import Any, Final, NamedTuple, TypeAlias

from memory.errors import Faults, MalformedRecord, OnFault
from memory.file_access import append
from memory.tapes.entries import META, format_time
from memory.tapes.hashing import Bucket, Mask, clean, clean_text, mask_secrets
from memory.tapes.tape import Node, SqliteTape, usage_of

Block: TypeAlias = "dict[str, Any]"

THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_DATA_URL: Final = re.compile(r"data:([\w.+/-]*)[^,]*,(.*)", re.DOTALL)


def blocks_of(content: object, mask: Mask) -> list[Block]:
    """Return the tape blocks of a message's `content`, a text or a list of blocks of the API.

    Every text is valid and masked. Blocks of unknown kinds keep their type and their text. Raises MalformedRecord for
    `content` of another shape.
    """
    if isinstance(content, str | bytes):
        content = [{"type": "text", "text": content}] if content else []
    if content is None:
        return []
    if not isinstance(content, Sequence) or not all(isinstance(each, Mapping) for each in content):
        message = f"the content of a message is a {type(content).__name__}; give text or blocks."
        raise MalformedRecord(message)
    return [_block(each, mask) for each in content]


def visible(blocks: Sequence[Block]) -> list[Block]:
    """Return `blocks` without thinking, which may be missing when a reply is sent again."""
    return [block for block in blocks if block["type"] not in THINKING]


def _block(block: Mapping[str, Any], mask: Mask) -> Block:
    kind = clean_text(str(block.get("type", "")))
    if kind in {"image", "document"}:
        return {"type": kind, **_reference(block.get("source"), mask)}
    if kind.endswith("tool_use"):
        return {
            "type": kind,
            "tool_use_id": clean(block.get("id", ""), mask),
            "tool_name": clean(block.get("name", ""), mask),
            "tool_input": clean(block.get("input") or {}, mask),
        }
    if kind.endswith("tool_result"):
        return {
            "type": kind,
            "tool_result_id": clean(block.get("tool_use_id", ""), mask),
            "tool_output": _output(block.get("content"), mask),
            "is_error": block.get("is_error") is True,
        }
    text = block.get("thinking" if kind == "thinking" else "text")
    return {"type": kind, **({"text": clean(text, mask)} if isinstance(text, str | bytes) else {})}


def _output(content: object, mask: Mask) -> str:
    """Return the body of a result as one text; an image is replaced by its reference."""
    if content is None or isinstance(content, str | bytes):
        return mask(clean_text(content or ""))
    if not isinstance(content, Sequence):
        content = [content]
    return "\n".join(_line(each, mask) for each in content)


def _line(part: object, mask: Mask) -> str:
    if not isinstance(part, Mapping):
        return mask(clean_text(str(part)))
    if part.get("type") in {"image", "document"}:
        return f"[{part['type']} {_reference(part.get('source'), mask).get('image_url', '')}]"
    text = part.get("text")
    return mask(clean_text(text)) if isinstance(text, str | bytes) else f"[{part.get('type', '')}]"


def _reference(source: object, mask: Mask) -> dict[str, str]:
    """Return the reference of an image: its address, or its digest, size and type, never its payload."""
    if not isinstance(source, Mapping):
        return {}
    media_type = clean_text(str(source.get("media_type") or ""))
    data, url = source.get("data"), source.get("url")
    if isinstance(url, str) and (found := _DATA_URL.match(url)):
        media_type, data, url = found[1], found[2], None
    if isinstance(data, str | bytes):
        payload = _payload(data)
        url = f"sha256:{sha256(payload).hexdigest()}?size={len(payload)}&type={media_type}"
        return {"image_url": url, "media_type": media_type}
    name = url if isinstance(url, str) else str(source.get("file_id") or "")
    return {"image_url": mask(clean_text(name)), "media_type": media_type}


def _payload(data: str | bytes) -> bytes:
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    try:
        return base64.b64decode(raw, validate=True)
    except binascii.Error:
        return raw


MAX_CHAINS: Final = 8  # parallel conversations


class SentMessage(NamedTuple):
    """A sent message with a node: the message, its blocks on the tape, and the hash of the node."""

    message: Mapping[str, Any]
    role: str
    blocks: Sequence[Block]
    hash: str

    def resent(self, message: Mapping[str, Any], mask: Mask) -> SentMessage | None:
        """Return this link when `message` has the same content, else None.

        Cache marks may have moved, and a reply may be sent again without its thinking.
        """
        if message == self.message:
            return self
        if message.get("role") != self.role:
            return None
        blocks = blocks_of(message.get("content"), mask)
        same = blocks == self.blocks or visible(blocks) == visible(self.blocks) != []
        return self._replace(message=deepcopy(message)) if same else None


class Chains:
    """The last few conversations, with the model of each."""

    def __init__(self) -> None:
        self._chains: deque[tuple[str, list[SentMessage]]] = deque(maxlen=MAX_CHAINS)

    def prefix(
        self, model: str, messages: Sequence[Mapping[str, Any]], mask: Mask
    ) -> list[SentMessage]:
        """Return, as a new list, the links of the leading messages that have nodes."""
        chains = (chain for known_model, chain in self._chains if known_model == model)
        return max((_known_prefix(each, messages, mask) for each in chains), key=len, default=[])

    def keep(self, model: str, chain: list[SentMessage]) -> None:
        """Store a conversation; it replaces the one it continues."""
        root = chain[0].hash
        others = [each for each in self._chains if each[1][0].hash != root]
        self._chains = deque([*others, (model, chain)], maxlen=MAX_CHAINS)


def _known_prefix(
    chain: list[SentMessage], messages: Sequence[Mapping[str, Any]], mask: Mask
) -> list[SentMessage]:
    front = []
    for link, message in zip(chain, messages, strict=False):
        resent = link.resent(message, mask)
        if resent is None:
            break
        front.append(resent)
    return front


FAULT: Final = "tape"  # the name of losses in the faults


class TapeRecorder:
    """Writes calls to `tape`; threads may share it. `clock` gives seconds since 1970, which are metadata only.

    `on_fault` is called at the first loss; a `Faults` object counts all losses. `mask` is applied to every text before
    it is stored.
    """

    def __init__(
        self,
        tape: SqliteTape,
        *,
        agent_name: str,
        clock: Callable[[], float],
        on_fault: Faults | OnFault | None = None,
        mask: Mask = mask_secrets,
    ) -> None:
        self.faults = on_fault if isinstance(on_fault, Faults) else Faults(on_fault)
        self.lost = 0  # calls missing on the tape, or without their meta line
        self.nodes = 0  # new nodes
        self._tape = tape
        self._agent_name = agent_name
        self._clock = clock
        self._mask = mask
        self._chains = Chains()
        self._lock = Lock()

    def record(
        self,
        request: Mapping[str, Any],
        reply: Mapping[str, Any],
        *,
        duration_ns: int = 0,
        meta: Mapping[str, Any] | None = None,
    ) -> str | None:
        """Record one successful call of the Messages API; return the hash of the reply's node, or None when it is lost.

        `request` and `reply` are the JSON objects sent and received, a streamed reply as the complete message. Context edits
        of the service, and `meta`, go to a file next to the tape.
        """
        try:
            with self._lock:
                node = self._record(request, reply, duration_ns)
                self._note(node, request, reply, meta or {})
        except Exception as error:  # noqa: BLE001  # a tape must not stop play
            self._chains = Chains()  # the next call records missing nodes again
            self.lost += 1
            self.faults.note(FAULT, error)
            return None
        return node

    def _record(
        self, request: Mapping[str, Any], reply: Mapping[str, Any], duration_ns: int
    ) -> str:
        model, messages, at = str(request["model"]), request["messages"], self._clock()
        chain = self._chains.prefix(model, messages, self._mask)
        nodes = [self._node(model, each, chain, at) for each in messages[len(chain) :]]
        # The requested model name, as in the next request, which repeats the reply.
        answer = {"role": reply["role"], "content": reply["content"]}
        node = replace(
            self._node(model, answer, chain, at),
            stop_reason=self._mask(clean_text(str(reply.get("stop_reason") or ""))),
            usage=usage_of(reply.get("usage") or {}),
            duration_ns=duration_ns,
        )
        nodes.append(node)
        self.nodes += self._tape.put(nodes)
        self._chains.keep(model, chain)
        return chain[-1].hash

    def _node(
        self, model: str, message: Mapping[str, Any], chain: list[SentMessage], at: float
    ) -> Node:
        """Append a message to `chain`, and return its node."""
        blocks = blocks_of(message.get("content"), self._mask)
        bucket = Bucket(str(message["role"]), blocks, model, agent_name=self._agent_name)
        parent = chain[-1].hash if chain else None
        name = bucket.hash(parent)
        # A copy: the sender may change it afterwards.
        chain.append(SentMessage(deepcopy(message), bucket.role, blocks, name))
        return Node(name, parent, bucket, at)

    def _note(
        self,
        node: str,
        request: Mapping[str, Any],
        reply: Mapping[str, Any],
        meta: Mapping[str, Any],
    ) -> None:
        """Write metadata without a column to the file next to the tape, if there is any."""
        edits = reply.get("context_management")
        extra = {**meta, **({"context_management": edits} if edits else {})}
        if reply.get("model", request["model"]) != request["model"]:
            extra["model"] = reply["model"]
        if not extra:
            return
        line = {"hash": node, "at": format_time(self._clock()), **extra}
        text = json.dumps(clean(line, self._mask), ensure_ascii=False) + "\n"
        append(self._tape.path.with_name(META), text.encode(), starts_line=True)


def run_mark(run_id: str, attempt: int = 1) -> str:
    """Return the line for the first user message that distinguishes runs with equal beginnings."""
    if any(each in run_id for each in '<>"\n'):
        raise MalformedRecord(f"{run_id!r} cannot be used in a run mark; give a plain name.")
    return f'<run id="{run_id}" attempt="{attempt}"/>'
