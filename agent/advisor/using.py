"""The tools that a model may use before it answers, and what it is told of their use."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent.advisor.tool import Tool, ToolRefused
from agent.advisor.turns import result
from agent.advisor.wording import data, sound
from memory.errors import MemoryFault

LONGEST: Final = 4_000  # characters of a result, with the tags around it
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
    """Runs tools by name; whatever is wrong with a call is told to the model as the call's result."""

    def __init__(self, tools: Sequence[Tool], counts: Counter[str]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._counts = counts

    def result_of(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Make the call that a block of a reply asks for, and return the block that answers it."""
        try:
            words, is_error = self._run(call["name"], call["input"]), False
        except (ToolRefused, MemoryFault) as refusal:
            words, is_error = str(refusal), True
        self._counts["tool errors" if is_error else "tool calls"] += 1
        return result(call["id"], _as_data(words), is_error=is_error)

    def refused(self, call: Mapping[str, Any], why: str) -> dict[str, Any]:
        """Return the block that answers a call which is not made."""
        self._counts["tool errors"] += 1
        return result(call["id"], why, is_error=True)

    def _run(self, name: str, arguments: Mapping[str, Any]) -> str:
        tool = self._tools.get(name)
        if tool is None:
            message = f"there is no such tool; there are: {', '.join(self._tools) or 'none'}"
            raise ToolRefused(message)
        if problem := _problem_with(arguments, tool.schema):
            raise ToolRefused(problem)
        return tool.run(arguments)


def _as_data(words: str) -> str:
    told = sound(words)
    while len(marked := data(_TAG, told)) > LONGEST:
        over = len(marked) - LONGEST
        told = told.removesuffix(CUT)[: -over - len(CUT)] + CUT
    return marked


def _problem_with(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return what is wrong with the arguments by the outermost level of their schema, '' if nothing is."""
    known: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in arguments]
    if missing:
        return f"missing: {', '.join(missing)}"
    if strange := [name for name in arguments if name not in known]:
        return f"unknown: {', '.join(strange)[:100]}; there are: {', '.join(known) or 'none'}"
    wrong = [name for name, value in arguments.items() if not _fits(value, known[name])]
    return f"not of the right kind: {', '.join(wrong)}" if wrong else ""


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("type", list(_TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(value, bool):
        return "boolean" in kinds
    types = tuple(each for kind in kinds for each in _TYPES[kind])
    return isinstance(value, types) and value in schema.get("enum", [value])
