"""What memory costs, against what the design allows and what we aim at, as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from agent.bench.figures import Spread

Unit: TypeAlias = Literal["ms", "μs", "KB"]
Verdict: TypeAlias = Literal[
    "within the aim", "within the limit", "ABOVE THE LIMIT", "no limit", "with the tapes"
]


@dataclass(frozen=True, slots=True)
class Bound:
    """What one figure may be at most: the design's limit, and our aim, if any; `unit` is of both and of the figure."""

    what: str
    limit: float | None
    aim: float | None
    unit: Unit = "ms"


@dataclass(frozen=True, slots=True)
class MemoryFigure:
    """One measured thing; `values` is None for what is not there to be measured yet."""

    bound: Bound
    values: Spread | None

    @property
    def verdict(self) -> Verdict:
        """How its 99th percentile stands."""
        if self.values is None:
            return "with the tapes"
        p99, limit, aim = self.values.p99, self.bound.limit, self.bound.aim
        if limit is None:
            return "no limit"
        if aim is not None and p99 <= aim:
            return "within the aim"
        return "within the limit" if p99 <= limit else "ABOVE THE LIMIT"


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """All figures of memory, at the capacity that `held` tells."""

    cartridge: str
    held: Mapping[str, int]
    figures: Sequence[MemoryFigure]

    @property
    def what_was_held(self) -> str:
        """How much of everything there was, in words."""
        return ", ".join(f"{count:,} {what}" for what, count in self.held.items())

    def as_json(self) -> Mapping[str, Any]:
        """Return the object in plain JSON types."""
        return {
            "cartridge": self.cartridge,
            "held": dict(self.held),
            "figures": [{**asdict(each), "verdict": each.verdict} for each in self.figures],
        }
