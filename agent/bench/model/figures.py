"""What a model costs beside the service, and which tokens it takes, as plain values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from agent.bench.memory.figures import MemoryFigure

KINDS: Final = ("cache_read", "cache_write_1h", "cache_write_5m", "input", "output")
MEMORY: Final = frozenset({"observer", "reflector"})  # purposes of calls that are all memory's


@dataclass(frozen=True, slots=True)
class CallTokens:
    """One call: its tokens by kind, as the service counts them, and how many of what was sent each part is.

    `parts` are by the service's measure too; those of observers and reflectors have none.
    """

    purpose: str
    kinds: Mapping[str, int]
    parts: Mapping[str, int]
    memory: int

    @property
    def total(self) -> int:
        """All its tokens."""
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True)
class Talk:
    """All calls of one conversation, and what its session says of them."""

    name: str
    questions: int
    calls: Sequence[CallTokens]
    said: Mapping[str, Any]

    @property
    def kinds(self) -> Counter[str]:
        """Tokens by kind."""
        found: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
        for each in self.calls:
            found.update(each.kinds)
        return found

    @property
    def parts(self) -> Counter[str]:
        """Tokens of what was sent with questions, by part."""
        found: Counter[str] = Counter()
        for each in self.calls:
            found.update(each.parts)
        return found

    @property
    def memory_share(self) -> float:
        """Which part of all tokens memory itself took, from 0 to 1."""
        total = self.kinds.total()
        return sum(each.memory for each in self.calls) / total if total else 0.0

    def as_json(self) -> Mapping[str, Any]:
        """Return the sums in plain JSON types."""
        return {
            "name": self.name,
            "questions": self.questions,
            "calls": len(self.calls),
            "calls_by_purpose": dict(Counter(each.purpose for each in self.calls)),
            "tokens": dict(self.kinds),
            "parts": dict(self.parts),
            "memory_share": self.memory_share,
            "said": dict(self.said),
        }


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """All that `bench model` measures; `held` tells over how much."""

    cartridge: str
    held: Mapping[str, int]
    figures: Sequence[MemoryFigure]
    talks: Sequence[Talk]

    def as_json(self) -> Mapping[str, Any]:
        """Return the object in plain JSON types."""
        return {
            "cartridge": self.cartridge,
            "held": dict(self.held),
            "figures": [{**asdict(each), "verdict": each.verdict} for each in self.figures],
            "talks": [each.as_json() for each in self.talks],
        }
