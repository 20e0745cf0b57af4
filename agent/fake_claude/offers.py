"""What a request offers to choose from, for answers that name it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent.fake_claude.ask import Ask

LISTS: Final = ("goals", "candidates")
_LIST: Final = r"^.*\b{name}\b.*:\s*$\n((?:[ \t]*[-*] .*(?:\n|\Z))+)"
_ITEM: Final = re.compile(r"^[ \t]*[-*] `?(.+?)`?(?::\s.*)?$", re.MULTILINE)


def offers(ask: Ask) -> dict[str, str]:
    """Return the values of `$goal`, `$candidate`, `$tool`, `$turn` and `$question`; '' for what is not offered.

    The first goal and candidate are taken from the enums of the schema, else from the list under their
    heading in what the user said last of such lists.
    """
    parts = (ask.schema or {}).get("properties") or {}
    names = listed(ask.told)
    goal, candidate = (
        [*_enum(parts.get(name) or {}), *names.get(name, ()), ""][0] for name in LISTS
    )
    tools = [str(tool["name"]) for tool in ask.tools]
    return {
        "goal": goal,
        "candidate": candidate,
        "tool": tools[0] if tools else "",
        "turn": str(ask.turn),
        "question": ask.user.partition("\n")[0],
    }


def listed(text: str) -> dict[str, Sequence[str]]:
    """Return the names in the last list of goals and of candidates in `text`, where there are such lists.

    A list is lines of `- name: what it means` after one that ends in a colon and says what they are.
    """
    found: dict[str, Sequence[str]] = {}
    for name in LISTS:
        lists = re.findall(_LIST.format(name=name), text, re.IGNORECASE | re.MULTILINE)
        if lists:
            found[name] = _ITEM.findall(lists[-1])
    return found


def _enum(schema: Mapping[str, Any]) -> Sequence[str]:
    return (schema.get("items") or schema).get("enum") or ()
