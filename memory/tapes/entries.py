"""The records of a tape reader: entries, one for each node, with content and time, and the sessions of entries."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Final

from memory.codec import decode

_MOMENT: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?\s*(?:(Z)|([+-]\d\d):?(\d\d))?"
)


def moment(text: object) -> datetime | None:
    """Return the time in a text of a tape, in UTC, or None when it is invalid; the default zone is UTC.

    Digits below microseconds are dropped.
    """
    found = _MOMENT.match(text) if isinstance(text, str) else None
    if found is None:
        return None
    day, clock, fraction, _, hours, minutes = found.groups()
    zone = f"{hours}:{minutes}" if hours else "+00:00"
    micros = (fraction or "0").ljust(6, "0")[:6]
    try:
        return datetime.fromisoformat(f"{day}T{clock}.{micros}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def format_time(epoch_s: float) -> str:
    """Return a time, in seconds since 1970, in the format of tapes: without trailing zeros of the fraction."""
    at = datetime.fromtimestamp(epoch_s, UTC)
    fraction = f".{at.microsecond:06}".rstrip("0").rstrip(".")
    return f"{at:%Y-%m-%d %H:%M:%S}{fraction}+00:00"


def iso(at: datetime) -> str:
    """Return `at` in ISO 8601, to the second, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


SHORT: Final = 8  # hex digits of a session's short name


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call requested by a model."""

    name: str
    input: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call; Tapes before v0.9.0 dropped its id, text and error flag."""

    id: str
    text: str
    is_error: bool = False

    @property
    def is_bare(self) -> bool:
        """Whether only its existence was recorded."""
        return not (self.id or self.text or self.is_error)


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Token counts of a tape: None is not recorded. `input` includes cache reads and cache creation."""

    input: int | None = None
    output: int | None = None
    cache_creation: int | None = None
    cache_read: int | None = None

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return TokenUsage(*(a if b is None else b if a is None else a + b for a, b in pairs))


META: Final = "meta.jsonl"  # next to a tape: the parts of calls for which it has no column
MADE_UP: Final = "fake-claude:"  # how a stand-in begins the name of its model in every reply


def is_made_up(model: str | None) -> bool:
    """Return whether the model of that name is a stand-in, whose answers are made up."""
    return (model or "").startswith(MADE_UP)


@dataclass(frozen=True, slots=True)
class NodeContent:
    """The content of a node: all blocks as stored, of unknown kinds too. Unreadable content is stored as `raw`."""

    blocks: tuple[Mapping[str, Any], ...] = ()
    role: str | None = None
    raw: str | None = None

    @property
    def text(self) -> str:
        """The text blocks, joined by newlines; unreadable content unchanged."""
        if self.raw is not None:
            return self.raw
        texts = (block.get("text") for block in self.blocks if block.get("type") == "text")
        return "\n".join(text for text in texts if isinstance(text, str))

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        """The requested tool calls."""
        return tuple(_use(block) for block in self.blocks if _kind(block).endswith("tool_use"))

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """The results of tool calls."""
        return tuple(
            _result(block) for block in self.blocks if _kind(block).endswith("tool_result")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeEntry(NodeContent):
    """One node. `timestamp` is in UTC; values missing in the tape are None."""

    hash: str
    parent_hash: str | None = None
    usage: TokenUsage = TokenUsage()
    timestamp: datetime | None = None
    model: str | None = None
    agent_name: str | None = None
    provider: str | None = None
    project: str | None = None
    type: str | None = None
    stop_reason: str | None = None
    duration_ns: int | None = None

    def is_same_message(self, other: "TapeEntry") -> bool:
        """Return whether both nodes record the same message, under two hashes."""
        return self.role == other.role and self.blocks == other.blocks and self.raw == other.raw


@dataclass(frozen=True, slots=True)
class TapeSession:
    """A conversation: its main path in order, and its branches.

    The main path is the longest, the latest among equals. A branch begins after the entry it forks from, so every entry
    occurs once. `faults` are the reasons why it is incomplete: `orphan`, `cycle`, `limit`.
    """

    root: str
    entries: tuple[TapeEntry, ...]
    branches: tuple[tuple[TapeEntry, ...], ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The short name: the first hex digits of the root."""
        return self.root[:SHORT]

    def all_entries(self) -> Iterator[TapeEntry]:
        """Yield every entry once: the main path, then branch by branch."""
        yield from self.entries
        for branch in self.branches:
            yield from branch

    def paths(self) -> tuple[tuple[TapeEntry, ...], ...]:
        """Return all paths from the root to a leaf, the main path first, with their common entries in each."""
        by_hash = {entry.hash: entry for entry in self.all_entries()}
        leaves = [self.entries[-1:], *(branch[-1:] for branch in self.branches)]
        return tuple(path_to(leaf[0].hash, by_hash) for leaf in leaves if leaf)

    def usage(self) -> TokenUsage:
        """Return the usage of all replies on all branches, each counted once."""
        return sum((entry.usage for entry in self.all_entries()), TokenUsage())


def path_to(leaf: str, by_hash: Mapping[str, TapeEntry]) -> tuple[TapeEntry, ...]:
    """Return the entries from the first known ancestor to `leaf`; a cycle is cut."""
    way: list[TapeEntry] = []
    at = by_hash.get(leaf)
    while at is not None and len(way) < len(by_hash):
        way.append(at)
        at = by_hash.get(at.parent_hash or "")
    return tuple(reversed(way))


def read_content(stored: object) -> NodeContent:
    """Return the content of a node from a BLOB or TEXT with JSON or plain text; never raises."""
    if stored is None:
        return NodeContent()
    if isinstance(stored, bytes):
        try:
            text = stored.decode()
        except UnicodeDecodeError:
            return NodeContent(raw=stored.decode("utf-8", "replace"))
    else:
        text = str(stored)
    try:
        value = decode(text)
    except ValueError:
        if text.lstrip()[:1] in {"[", "{", '"'}:
            return NodeContent(raw=text)
        return NodeContent((_text(text),) if text.strip() else ())
    return _from_json(value, text)


def _from_json(value: object, text: str) -> NodeContent:
    if value is None:
        return NodeContent()
    if isinstance(value, str):
        return NodeContent((_text(value),))
    if isinstance(value, dict) and "role" in value:
        inner = _from_json(value.get("content"), text)
        role = value.get("role")  # the format of the first prototype
        return replace(inner, role=role if isinstance(role, str) else None)
    blocks = value if isinstance(value, list) else [value]
    parts = [_text(each) if isinstance(each, str) else each for each in blocks]
    known = tuple(part for part in parts if isinstance(part, dict))
    return NodeContent(known) if len(known) == len(parts) else NodeContent(raw=text)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _kind(block: Mapping[str, Any]) -> str:
    return str(block.get("type", ""))


def _use(block: Mapping[str, Any]) -> ToolUse:
    given = block.get("tool_input", block.get("input"))
    name = block.get("tool_name") or block.get("name") or ""
    number = str(block.get("tool_use_id") or block.get("id") or "")
    return ToolUse(str(name), given if isinstance(given, dict) else {}, number)


def _result(block: Mapping[str, Any]) -> ToolResult:
    output = block.get("tool_output", block.get("content"))
    name = block.get("tool_result_id") or block.get("tool_use_id") or ""
    return ToolResult(str(name), _flat(output), block.get("is_error") is True)


def _flat(output: object) -> str:
    if output is None or isinstance(output, str):
        return output or ""
    if isinstance(output, list):
        return "\n".join(filter(None, map(_flat, output)))
    if isinstance(output, dict) and isinstance(output.get("text"), str):
        return str(output["text"])
    return json.dumps(output, sort_keys=True, ensure_ascii=False)


class SessionIndex:
    """A session indexed for the rules: `entries` are its distinct messages."""

    def __init__(self, session: TapeSession, entries: tuple[TapeEntry, ...]) -> None:
        self.session = session
        self.entries = entries
        self._calls = {entry.hash: entry.tool_uses for entry in entries}
        self._answers: dict[str, tuple[ToolResult, ...]] = {}
        for entry in entries:
            if entry.tool_results and entry.parent_hash:
                self._answers.setdefault(entry.parent_hash, entry.tool_results)

    def call_of(self, entry: TapeEntry, place: int) -> ToolUse | None:
        """Return the call of the result at `place`, by its id, or by its place when ids were dropped."""
        result, uses = entry.tool_results[place], self._calls.get(entry.parent_hash or "", ())
        if not result.id:
            return uses[place] if place < len(uses) else None
        return next((use for use in uses if use.id == result.id), None)

    def failed(self, entry: TapeEntry, place: int) -> bool:
        """Return whether the call at `place` has an error result."""
        use, results = entry.tool_uses[place], self._answers.get(entry.hash, ())
        by_id = [each for each in results if each.id and each.id == use.id]
        by_place = [each for each in results[place : place + 1] if not each.id]
        return any(each.is_error for each in (by_id or by_place)[:1])
