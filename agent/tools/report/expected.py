"""What was expected of a game beside what happened: the figures of rehearsed games at each milestone of a run."""

from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple, Self

from agent.errors import UsageError
from agent.story.story import Story
from agent.tools.report.events import MilestoneEntry, milestone_label
from agent.tools.report.run_data import RunData, RunStatus
from agent.tools.report.words import game_time
from emulator import FRAMES_PER_SECOND
from memory.file_access import read_json

MODEL_ERROR: Final = 0.15  # of the figures of a rehearsal
FIGURES: Final = ("frames", "battles", "blackouts", "level", "money")
FAILED: Final = (RunStatus.GAVE_UP, RunStatus.ERROR)


class ExpectedFigure(NamedTuple):
    """A figure of rehearsed games: the median, the lowest and the highest."""

    median: float
    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Return whether a value is in the range, widened by the error of the model."""
        return (1 - MODEL_ERROR) * self.low <= value <= (1 + MODEL_ERROR) * self.high


class MilestoneBeside(NamedTuple):
    """The figures expected at a milestone, and the actual ones, none if it is not reached.

    `left` says how the game left the expected range of game time here, '' if it did not.
    """

    label: str
    expected: Mapping[str, ExpectedFigure]
    actual: Mapping[str, float]
    left: str


class ExpectedGame(NamedTuple):
    """The figures of rehearsed games of a cartridge at each milestone."""

    cartridge: str
    games: int
    milestones: Mapping[str, Mapping[str, ExpectedFigure]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return what `rehearse --write` has written; raises UsageError for any other file."""
        try:
            data = read_json(path)
            expected = {
                str(name): {each: ExpectedFigure(*map(float, row[each])) for each in FIGURES}
                for name, row in data["expected"].items()
                if row
            }
            return cls(str(data["cartridge"]), int(data["games"]), expected)
        except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
            message = (
                f"{path} holds no figures of `rehearse --write` ({error}); name a file that does"
            )
            raise UsageError(message) from error

    def beside(self, run: RunData, story: Story | None) -> list[MilestoneBeside]:
        """Return the figures of a run beside those expected at each milestone."""
        reached = {each.id: each for each in run.milestones}
        found = []
        for name, expected in self.milestones.items():
            actual = _actual(run, reached[name]) if name in reached else {}
            left = _left(expected["frames"], actual.get("frames"), run)
            found.append(MilestoneBeside(milestone_label(story, name), expected, actual, left))
        return found


def _actual(run: RunData, reached: MilestoneEntry) -> Mapping[str, float]:
    """Return the figures of a run when it reached a milestone."""
    tick = reached.when.tick
    last = run.trail[: bisect_right(run.trail, tick, key=lambda row: row.tick)][-1:]
    return {
        "frames": reached.when.game_s * FRAMES_PER_SECOND,
        "battles": sum(each <= tick for each in run.battles.ticks),
        "blackouts": sum(each <= tick for each in run.battles.blackouts),
        "level": max((level for row in last for _, level, *_ in row.team), default=0),
        "money": sum(row.money for row in last),
    }


def _left(expected: ExpectedFigure, took: float | None, run: RunData) -> str:
    """Return how a game left the expected range of game time at a milestone, or ''; without `took` it is not reached."""
    frames = run.frames if took is None else took
    at, low, high = (game_time(each / FRAMES_PER_SECOND) for each in (frames, *expected[1:]))
    if took is not None:
        is_left, what = not expected.holds(took), f"it was reached after {at}"
    else:
        is_left = run.verdict.kind in FAILED or frames > (1 + MODEL_ERROR) * expected.high
        what = f"it is not reached after {at}"
    return f"{what}, and rehearsed games took {low} to {high}" if is_left else ""
