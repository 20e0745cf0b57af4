"""The lines of an observation as things observed, one each, for who keeps all that was observed in one place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memory.observations.observation import Observed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory.observations.observation import Source

KIND: Final = "conversation"
IMPORTANCES: Final = {"🔴": 9, "🟡": 5, "✅": 5, "🟢": 2}
_LINE: Final = re.compile(r"^\s*[*-] +(?P<mark>🔴|🟡|🟢|✅)?\s*(?P<text>\S.*)$")
_PLAIN: Final = 4  # of a line without a mark


def observed_in(text: str, source: str) -> Iterator[Observed]:
    """Yield what the list lines of `text` say; headers and other lines are none."""
    kind: Source = "llm" if source == "llm" else "programmatic"
    for line in text.splitlines():
        if found := _LINE.match(line):
            importance = IMPORTANCES.get(found["mark"], _PLAIN)
            yield Observed(KIND, found["text"].strip(), importance, source=kind)
