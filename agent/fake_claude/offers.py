"""What a request offers to choose from, for answers that name it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agent.fake_claude.ask import Ask

LISTS: Final = ("goals", "candidates")
_ITEM: Final = re.compile(r"^\s*[-*]\s*`?([\w.:/-]+)`?", re.MULTILINE)


def offers(ask: Ask) -> dict[str, str]:
    """Return the values of `$goal`, `$candidate`, `$tool`, `$turn` and `$question`; what is not offered is ''.

    The first goal and candidate are taken from the enums of the schema, else from the list under their
    heading in the last user text.
    """
    parts = (ask.schema or {}).get("properties") or {}
    found = {name: [*_enum(parts.get(name) or {}), *_listed(name, ask.user), ""] for name in LISTS}
    tools = [str(tool["name"]) for tool in ask.tools]
    return {
        "goal": found["goals"][0],
        "candidate": found["candidates"][0],
        "tool": tools[0] if tools else "",
        "turn": str(ask.turn),
        "question": ask.user.partition("\n")[0],
    }


def _enum(schema: Mapping[str, Any]) -> Sequence[str]:
    return (schema.get("items") or schema).get("enum") or ()


def _listed(name: str, text: str) -> Iterator[str]:
    """Yield the items of the list that follows a line which names it."""
    heading = re.search(
        rf"^.*\b{name}\b.*$\n((?:\s*[-*] .*\n?)+)", text, re.IGNORECASE | re.MULTILINE
    )
    if heading is not None:
        yield from _ITEM.findall(heading[1])
