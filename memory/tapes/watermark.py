"""How far each session was observed: `observer_state.json`. Losing it costs time, never an observation."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeAlias

from memory.tapes.times import iso

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memory.tapes.links import SessionHead


@dataclass(frozen=True, slots=True)
class Mark:
    """A session as it was when it was observed: its last hash, its nodes, and how many lines it came to."""

    head: str
    nodes: int
    lines: int
    started: str = ""

    @classmethod
    def of(cls, head: SessionHead, lines: int) -> Mark:
        """Return the mark of a session that was just observed."""
        return cls(head.head, head.nodes, lines, _when(head.started))

    def is_of(self, head: SessionHead) -> bool:
        """Return whether the session has not grown since, on no branch."""
        return (self.head, self.nodes) == (head.head, head.nodes)


Watermark: TypeAlias = "Mapping[str, Mark]"  # by the hash of the root


def read_watermark(text: str) -> dict[str, Mark]:
    """Return the marks in `text`; what cannot be read is as if it were not there, and is observed again."""
    try:
        sessions = json.loads(text)["sessions"]
        return {
            root: Mark(
                str(mark["head"]), int(mark["nodes"]), int(mark["lines"]), str(mark["started"])
            )
            for root, mark in sessions.items()
        }
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def written_watermark(marks: Watermark) -> str:
    """Return the text that `read_watermark` reads."""
    sessions = {root: asdict(mark) for root, mark in marks.items()}
    return json.dumps({"version": 1, "sessions": sessions}, indent=1, sort_keys=True) + "\n"


def _when(at: datetime | None) -> str:
    return "" if at is None else iso(at)
