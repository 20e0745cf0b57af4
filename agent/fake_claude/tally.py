"""What was asked of the server and what it would have cost."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.fake_claude.cache import Charge


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came. Of a credential only "present" is kept."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(slots=True)
class Tally:
    """Counts since the start: calls by path, faults by kind, errors by type, and tokens by what they cost."""

    calls: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)

    def charge(self, charge: Charge, output: int) -> None:
        """Add the tokens of one message."""
        self.tokens["input"] += charge.plain
        self.tokens["cache_read"] += charge.read
        self.tokens["cache_write_5m"] += charge.written_5m
        self.tokens["cache_write_1h"] += charge.written_1h
        self.tokens["output"] += output
