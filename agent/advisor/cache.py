"""How much of what is sent was read from the cache, and why the rest was not."""

from collections import Counter
from dataclasses import dataclass, field

from agent.advisor.model import Reply, Usage


@dataclass(slots=True)
class CacheReport:
    """The tokens of all calls by kind, and how often the service gave which reason for a miss."""

    calls: int = 0
    read: int = 0
    written: int = 0
    uncached: int = 0
    misses: Counter[str] = field(default_factory=Counter)

    @property
    def hit_ratio(self) -> float:
        """The share of the input that was read from the cache; 0 before anything was sent."""
        sent = self.read + self.written + self.uncached
        return self.read / sent if sent else 0.0

    def add(self, reply: Reply) -> None:
        """Count one reply."""
        usage: Usage = reply.usage
        self.calls += 1
        self.read += usage.cache_read
        self.written += usage.cache_write_5m + usage.cache_write_1h
        self.uncached += usage.input
        if reply.cache_missed:
            self.misses[reply.cache_missed] += 1
