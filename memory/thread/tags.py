"""The tags around what memory puts into a conversation, and how such parts are told from what was said.

Whatever stands between these tags was put in and never said: it is not observed, and no text that was said can
pass for one of them.
"""

from __future__ import annotations

import re
from typing import Final

MEMORY: Final = "observational-memory"
OBSERVATIONS: Final = "observations"
CURRENT_TASK: Final = "current-task"
SUGGESTED_RESPONSE: Final = "suggested-response"
OTHER_CONVERSATION: Final = "other-conversation"
REMINDER: Final = "system-reminder"
PREVIOUS: Final = "previous-observations"
CONVERSATION: Final = "conversation"
INSTRUCTIONS: Final = "instructions"  # what an observer or a reflector is told

_OURS: Final = (
    MEMORY,
    OBSERVATIONS,
    CURRENT_TASK,
    SUGGESTED_RESPONSE,
    OTHER_CONVERSATION,
    REMINDER,
    PREVIOUS,
    CONVERSATION,
    INSTRUCTIONS,
)
_TAG: Final = re.compile(rf"<(/?)({'|'.join(_OURS)})(?:\s[^<>]*)?>", re.IGNORECASE)


def wrapped(tag: str, body: str, attributes: str = "") -> str:
    """Return `body` between the tags `tag`, on lines of their own; `body` cannot close it."""
    opening = f"{tag} {attributes}" if attributes else tag
    return f"<{opening}>\n{blunted(body)}\n</{tag}>"


def blunted(text: str) -> str:
    """Return `text` with every tag of ours made harmless, and still readable."""
    return _TAG.sub(lambda found: f"\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}{found[0][1:-1]}"
                    "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}", text)  # fmt: skip


def without_injected(text: str) -> str:
    """Return `text` without anything between tags of ours; one that is never closed takes the rest with it."""
    said: list[str] = []
    open_tags: list[str] = []
    end = 0
    for found in _TAG.finditer(text):
        if not open_tags:
            said.append(text[end : found.start()])
        end = found.end()
        _turn(open_tags, found[2].lower(), closes=bool(found[1]))
    if not open_tags:
        said.append(text[end:])
    return "".join(said).strip()


def _turn(open_tags: list[str], tag: str, *, closes: bool) -> None:
    """Open or close `tag`; what was left open within it is closed with it."""
    if not closes:
        open_tags.append(tag)
    elif tag in open_tags:
        while open_tags.pop() != tag:
            pass
