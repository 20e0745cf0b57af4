"""The figures of rehearsals: medians at each milestone, and beside them those of games played on the console."""

from collections.abc import Collection, Sequence
from statistics import median
from typing import Any, Final

from agent.lab.publish import Findings, Row
from agent.lab.rehearse.play import AtMilestone, RehearsedGame
from agent.lab.stats import median_interval, share_interval
from agent.tools.report.words import counted
from emulator import FRAMES_PER_SECOND

AN_HOUR: Final = FRAMES_PER_SECOND * 3_600
# What is said at each milestone; ticks differ by nature, since a rehearsal does many of them at once.
SAID: Final = ("frames", "battles", "blackouts", "level", "money")


def findings(
    cartridge: str,
    games: Sequence[RehearsedGame],
    milestones: Sequence[str],
    played: Sequence[RehearsedGame] = (),
) -> Findings:
    """Return the figures of rehearsed games, and of the same seeds `played` on the console if there are any."""
    rows = [_row(name, games, played) for name in milestones]
    ends: list[Row] = [
        {"seed": each.seed, "stop": each.stop, "reason": each.reason}
        for each in games
        if milestones[-1] not in each.milestones
    ]
    last = milestones[-1]
    reached = share_interval(sum(last in each.milestones for each in games), len(games))
    figures: dict[str, Any] = {
        "cartridge": cartridge,
        "games": len(games),
        "until": last,
        "reached": reached,
        "milestones": {row["milestone"]: row for row in rows},
        "ends": ends,
        "expected": {name: _expected(name, games) for name in milestones},
    }
    title = f"{counted(len(games), 'game')} of {cartridge} rehearsed to {last}: {reached.estimate:.0%} reach it"
    # Hours say what frames do, and the title that all games came so far; so that the table fits a terminal.
    left_out = {"frames", "" if ends else "reached"}
    shown = [{name: row[name] for name in row if name not in left_out} for row in rows]
    return Findings(title, figures, [shown, ends], rows)


def _expected(name: str, games: Sequence[RehearsedGame]) -> dict[str, list[float]]:
    """Return the median, lowest and highest of each figure at a milestone; nothing if no game reaches it."""
    there = [each.milestones[name] for each in games if name in each.milestones]
    found = {figure: [getattr(each, figure) for each in there] for figure in SAID}
    return {
        figure: [median(values), min(values), max(values)]
        for figure, values in found.items()
        if values
    }


def _row(
    name: str, games: Sequence[RehearsedGame], played: Collection[RehearsedGame]
) -> dict[str, Any]:
    there = [each.milestones[name] for each in games if name in each.milestones]
    real = [each.milestones[name] for each in played if name in each.milestones]
    row: dict[str, Any] = {"milestone": name, "reached": f"{len(there)} of {len(games)}"}
    hours = median_interval([each.frames / AN_HOUR for each in there])
    if hours is not None:
        row["hours"] = f"{hours.estimate:.2f} ({hours.low:.2f} to {hours.high:.2f})"
    for figure in SAID:
        row[figure] = _median(there, figure)
        if played:
            row[f"{figure} on the console"] = _median(real, figure)
    return row


def _median(games: Sequence[AtMilestone], figure: str) -> float | None:
    return median(getattr(each, figure) for each in games) if games else None
