"""Requests as a person reviews them: settings, tools, system text and messages in their order, with marks and tokens."""

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from agent.fake_claude.answers import blocks

WIDTH: Final = 100
_RULE: Final = "-" * 8

Block = Mapping[str, Any]


class RequestReview:
    """Shows requests one after the other; of a conversation that goes on, only the new messages."""

    def __init__(self, show: Callable[[str], object]) -> None:
        self._show = show
        self._last: list[str] = []
        self._count = 0

    def __call__(self, body: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        """Show a request and its reply."""
        self._show("\n".join(self._lines(body, reply)))

    def _lines(self, body: Mapping[str, Any], reply: Mapping[str, Any]) -> Iterator[str]:
        self._count += 1
        yield f"{'=' * 8} request {self._count}: {_settings(body)}"
        yield f"{' ' * 8} {_usage(reply['usage'])}"
        parts = [*_parts(body)]
        bare = [*map(_unmarked, parts)]
        pairs = zip(bare, self._last, strict=False)
        same = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
        if same:
            yield f"{_RULE} {same} parts as in the request before"
        for part in parts[same:]:
            yield from part.splitlines()
        self._last = bare
        yield from _message("reply", reply).splitlines()


def _unmarked(part: str) -> str:
    """Return a part without its cache mark, which moves to the end of the next request."""
    return part.replace(MARKED.format("5m"), "")


MARKED: Final = " [cached for {}]"


def _settings(body: Mapping[str, Any]) -> str:
    output = body.get("output_config") or {}
    words = [
        str(body["model"]),
        f"thinking {(body.get('thinking') or {}).get('type', 'as usual')}",
        f"effort {output.get('effort', 'as usual')}",
        f"at most {body['max_tokens']:,} tokens",
        "an answer by a schema" if "format" in output else "an answer in words",
    ]
    return ", ".join(words)


def _usage(usage: Mapping[str, Any]) -> str:
    before, last = (usage[name] for name in ("cache_read_input_tokens", "input_tokens"))
    words = f"about {before:,} tokens before the last message, {last:,} in it"
    return f"{words}, {usage['output_tokens']:,} in the answer"


def _parts(body: Mapping[str, Any]) -> Iterator[str]:
    for tool in body.get("tools") or ():
        yield _tool(tool)
    for block in blocks(body.get("system") or ""):
        yield f"{_RULE} system{_mark(block)}\n{_wrapped(str(block['text']))}"
    for message in body["messages"]:
        yield _message(str(message["role"]), message)


def _tool(tool: Block) -> str:
    strict = " (strict)" if tool.get("strict") else ""
    rows = [f"{_RULE} tool {tool['name']}{strict}", _wrapped(str(tool.get("description", "")))]
    return "\n".join([*rows, *_parameters(tool["input_schema"], "  ")])


def _parameters(schema: Block, indent: str) -> Iterator[str]:
    for name, part in (schema.get("properties") or {}).items():
        must = "" if name in schema.get("required", ()) else ", optional"
        kind = "one of " + ", ".join(part["enum"]) if "enum" in part else part.get("type", "any")
        words = f"{name} ({kind}{must}): {part.get('description', '')}"
        yield textwrap.indent(_wrapped(words), indent)
        yield from _parameters(part, indent + "  ")


def _message(role: str, message: Mapping[str, Any]) -> str:
    content = blocks(message["content"])
    mark = "".join(map(_mark, content))
    return "\n".join([f"{_RULE} {role}{mark}", *map(_block, content)])


def _block(block: Block) -> str:
    match block.get("type"):
        case "text":
            return _wrapped(str(block["text"]))
        case "tool_use":
            return f"[calls {block['name']} {json.dumps(block['input'], ensure_ascii=False)}]"
        case "tool_result":
            inner: Sequence[Block] = blocks(block.get("content") or "")
            failed = " failed" if block.get("is_error") else ""
            return "\n".join([f"[result{failed}]", *map(_block, inner)])
        case kind:
            return f"[{kind}]"


def _mark(block: Block) -> str:
    mark = block.get("cache_control")
    return MARKED.format(mark.get("ttl", "5m")) if mark else ""


def _wrapped(words: str) -> str:
    return "\n".join(
        "\n".join(textwrap.wrap(line, WIDTH)) if len(line) > WIDTH else line
        for line in words.splitlines()
    )
