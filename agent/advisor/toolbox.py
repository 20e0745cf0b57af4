"""The calls of tools in a reply: their arguments are checked, and their results are sent as data of limited length."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent.advisor.port import Tool, ToolRefused
from agent.advisor.prompt import data_block, encodable
from agent.advisor.request import result
from memory import MemoryFault

MAX_RESULT: Final = 4_000  # characters of a result, including its tags
MAX_ARGUMENT: Final = 2_000  # characters of a text in the arguments of a tool
MAX_ITEMS: Final = 50  # of a list or an object in them
CUT: Final = "… (cut)"
_TAG: Final = "tool-data"
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class Toolbox:
    """The tools by name; an invalid call returns its error to the model as the result."""

    def __init__(self, tools: Sequence[Tool], counts: Counter[str]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._counts = counts

    def result_of(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Run the call in a block of a reply and return its result block."""
        try:
            words, is_error = self._run(call["name"], call["input"]), False
        except (ToolRefused, MemoryFault) as refusal:
            words, is_error = str(refusal), True
        self._counts["tool errors" if is_error else "tool calls"] += 1
        return result(call["id"], _as_data(words), is_error=is_error)

    def refused(self, call: Mapping[str, Any], why: str) -> dict[str, Any]:
        """Return the result block of a call that is not run."""
        self._counts["tool errors"] += 1
        return result(call["id"], why, is_error=True)

    def _run(self, name: str, arguments: Mapping[str, Any]) -> str:
        tool = self._tools.get(name)
        if tool is None:
            message = f"there is no such tool; available: {', '.join(self._tools) or 'none'}"
            raise ToolRefused(message)
        if problem := _problem_with(arguments, tool.schema):
            raise ToolRefused(problem)
        return tool.run(arguments)


def _as_data(words: str) -> str:
    content = encodable(words)
    while len(block := data_block(_TAG, content)) > MAX_RESULT:
        over = len(block) - MAX_RESULT
        content = content.removesuffix(CUT)[: -over - len(CUT)] + CUT
    return block


def _problem_with(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return what is wrong with the arguments at the top level of their schema, or ''."""
    known: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in arguments]
    if missing:
        return f"missing: {', '.join(missing)}"
    if unknown := [name for name in arguments if name not in known]:
        return f"unknown: {', '.join(unknown)[:100]}; known: {', '.join(known) or 'none'}"
    wrong = [name for name, value in arguments.items() if not _fits(value, known[name])]
    return f"wrong type: {', '.join(wrong)}" if wrong else _excess(arguments)


def _excess(value: object) -> str:
    """Return which limit of arguments `value` exceeds, or ''. The service's schemas support no such limits."""
    match value:
        case str() if len(value) > MAX_ARGUMENT:
            return f"a text has at most {MAX_ARGUMENT} characters"
        case str() if "\0" in value:
            return "a text holds no NUL character"
        case list() | dict() if len(value) > MAX_ITEMS:
            return f"a list or an object has at most {MAX_ITEMS} items"
        case list():
            return next(filter(None, map(_excess, value)), "")
        case dict():
            return _excess(list(value)) or _excess(list(value.values()))
        case _:
            return ""


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    allowed = schema.get("type", list(_TYPES))
    allowed = [allowed] if isinstance(allowed, str) else allowed
    if isinstance(value, bool):
        return "boolean" in allowed
    types = tuple(each for kind in allowed for each in _TYPES[kind])
    return isinstance(value, types) and value in schema.get("enum", [value])
