"""The games with an empty memory beside those of a committed page, which were played on other seeds."""

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Any, Final, NamedTuple

from agent.bench.experience.differences import BLACKOUTS, FRAMES, LOST, Verdict, verdict
from agent.bench.experience.games import Game
from agent.eval import Committed, GameRow, Interval, mean_gap_interval


class Beside(NamedTuple):
    """One measure of both: the means, and the difference of the empty arm to the page."""

    what: str
    here: float
    there: float
    gap: Interval

    @property
    def verdict(self) -> Verdict:
        """Whether the empty arm takes less, more, or neither that can be shown."""
        return verdict(self.gap)

    @property
    def is_worse(self) -> bool:
        """Whether the empty arm is worse than the page."""
        return self.verdict is Verdict.HARMS

    def as_json(self) -> dict[str, Any]:
        """Return it in plain JSON types."""
        return {
            "here": self.here,
            "there": self.there,
            "difference": self.gap._asdict(),
            "worse": self.is_worse,
        }


# Those of a whole game, which can be compared where both were played to the same milestone.
WHOLE: Final[tuple[tuple[str, Callable[[Game], int], Callable[[GameRow], int]], ...]] = (
    (FRAMES.what, FRAMES.of, lambda row: row.frames),
    (LOST.what, LOST.of, lambda row: row.battles_lost),
    (BLACKOUTS.what, BLACKOUTS.of, lambda row: row.blackouts),
    ("stuck episodes", lambda game: game.episodes, lambda row: row.episodes),
    ("restores", lambda game: game.restores, lambda row: row.restores),
)


def beside(games: Sequence[Game], committed: Committed, until: str, limit: int) -> Iterator[Beside]:
    """Yield the measures that both have; who did not get there counts as if at the limit."""
    if until not in committed.milestones:
        return
    there = [row.ticks.get(until, limit) for row in committed.games]
    yield from _compared("ticks", [game.ticks for game in games], there)
    if until == committed.milestones[-1]:
        for what, here_of, there_of in WHOLE:
            here = [here_of(game) for game in games]
            yield from _compared(what, here, [there_of(row) for row in committed.games])


def _compared(what: str, here: Sequence[int], there: Sequence[int]) -> Iterator[Beside]:
    gap = mean_gap_interval(here, there)
    if gap is not None:
        yield Beside(what, fmean(here), fmean(there), gap)
