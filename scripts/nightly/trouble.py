"""One fault as it went, and one game with all of them, as they are told of."""

from dataclasses import dataclass
from typing import NamedTuple

from nightly.kinds import Kind, Outcome


@dataclass(frozen=True, slots=True)
class Trouble:
    """One fault; `back_s` are the seconds from it, or from its relief, to play, and `lost` the ticks played again."""

    kind: Kind
    at: str
    says: str
    outcome: Outcome
    ended: bool
    back_s: float | None
    lost: int
    problems: tuple[str, ...] = ()


class Game(NamedTuple):
    """One game under a supervisor: how it ended, what is wrong with what it left, and how often a damaged file was mended."""

    name: str
    troubles: tuple[Trouble, ...]
    verdict: str
    why: str
    ticks: int
    seconds: float
    problems: tuple[str, ...]
    mended: int = 0
    kept_as: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether anything was not as it must be."""
        return bool(self.problems) or any(each.problems for each in self.troubles)
