"""How many tokens a request can be at most. No estimate: what is reserved for a call must not be passed by it.

A token stands for at least one byte of text, whatever the tokenizer. So the bytes of the request as JSON, with all
that surrounds its words, are at least its tokens, once these are added:

- a tokenizer may bring text into its compatible form first, which can make it longer: the longer form counts;
- a picture is no text: its base64 counts, and beside it the most that the service takes for a picture of any size
  (documents are never sent);
- the service adds words of its own, above all for tools and for answers that follow a schema.

That is three to four times the likely number. It is what is booked for as long as the call takes; what is
paid and counted afterwards is what the service says.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agent.advisor.model import Request

ADDED: Final = 4_000  # tokens of the service's own words; it speaks of hundreds
PICTURE: Final = 5_000  # tokens; it speaks of 4,784 for the largest


def most_input_tokens(request: Request) -> int:
    """Return a number of tokens that the prompt of `request` cannot pass."""
    sent = {
        "system": list(request.system),
        "messages": list(request.messages),
        "tools": list(request.tools),
        "schema": request.output_schema,
    }
    text = json.dumps(sent, ensure_ascii=False, default=str)
    return _longest(text) + PICTURE * _pictures(request.messages) + ADDED


def _longest(text: str) -> int:
    """Return the bytes of `text` in the longest of the forms that a tokenizer may bring it into."""
    if text.isascii():
        return len(text)
    forms = (text, normalize("NFKC", text), normalize("NFKD", text))
    return max(len(form.encode("utf-8", "surrogatepass")) for form in forms)


def _pictures(messages: Iterable[Mapping[str, Any]]) -> int:
    """Return how many blocks are pictures, those within results of tools too."""
    waiting: list[object] = list(messages)
    count = 0
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            count += each.get("type") == "image"
            waiting.extend(each.values())
        elif isinstance(each, list | tuple):
            waiting.extend(each)
    return count
