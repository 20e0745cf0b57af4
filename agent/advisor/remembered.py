"""Which words of a request are memory's own: what asking costs because something is remembered."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from agent.advisor.model import Request
from memory.tokens import tokens

MEMORY_TOKENS: Final = "memory tokens"  # what is counted

# The block of the moment, notes of an earlier session, and the reminder that a conversation goes on.
_TOLD: Final = re.compile(r"<(memory|observations|system-reminder)\b[^>]*>.*?</\1>", re.DOTALL)


def remembered(request: Request) -> Iterator[str]:
    """Yield what memory put into `request`: all that stands behind the rules, and what it marks within messages.

    What a model asked a tool for is not memory's: it was the model's wish.
    """
    yield from (str(block["text"]) for block in request.system[1:])
    for message in request.messages:
        for block in message["content"]:
            if block["type"] == "text":
                yield from (found[0] for found in _TOLD.finditer(block["text"]))


def count_memory(request: Request, counts: Counter[str]) -> None:
    """Add an estimate of the tokens that memory put into `request`, where there are any."""
    if told := sum(map(tokens, remembered(request))):
        counts[MEMORY_TOKENS] += told
