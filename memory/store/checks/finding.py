"""Something that is wrong with what a file holds, and how it can be put right."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    Mend: TypeAlias = Callable[[Any], object]  # takes the Mending of its kind of file
Sort: TypeAlias = Literal["damage", "contradiction", "count", "orphan", "stale"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, where, why it matters, and what repair does; `repair` is '' where people must decide."""

    sort: Sort
    where: str
    what: str
    why: str
    repair: str = ""
    mend: Mend | None = field(default=None, compare=False, repr=False)

    def as_json(self) -> dict[str, str]:
        """Return it in words."""
        return {
            "sort": self.sort,
            "where": self.where,
            "what": self.what,
            "why": self.why,
            "repair": self.repair,
        }
