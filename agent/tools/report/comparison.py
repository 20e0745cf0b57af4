"""The figures of runs as JSON and CSV, and a page that compares several runs with their curves."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

from agent.advisor.names import cost
from agent.shell import command
from agent.tools.report.chart import Axis, Chart, Style, game_axis, size_axis, top, whole_axis
from agent.tools.report.html import page_key, render, require_page_or_new, write_page
from agent.tools.report.page import headline, milestones_line, page_place
from agent.tools.report.run_data import RunData
from agent.tools.report.timeline import Point, Series
from agent.tools.report.words import game_time, sanitized
from memory.file_access import real_path

Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | float | bool | None"

# The parts of a run in JSON. A name of `play --json` means the same here.
PARTS: Final = {
    "milestones": "milestones", "pending": "pending", "returns": "returns", "battle_groups": "battles",
    "stuck": "stuck", "memory": "learned", "advice": "advice", "problems": "problems", "actions": "actions",
}  # fmt: skip

# Counts of `AdviceTotals`.
ANSWERS: Final = ("questions", "answers", "followed", "reached", "unchanged")


def row(run: RunData) -> dict[str, str | float | bool]:
    """Return the figures that fit into one row."""
    ends, settings, verdict = run.battles.ends, run.settings, run.verdict
    return {
        "id": run.run,
        "run": str(run.path),
        "cartridge": str(settings.get("cartridge", {}).get("name", "")),
        "seed": int(settings.get("seed", 0)),
        "mind": str(settings.get("mind", "")),
        "decided_by": run.decided_by,
        "until": str(settings.get("limits", {}).get("until", "")),
        "stop": "ticks" if verdict.which == "ticks" else verdict.kind.value,
        "reason": verdict.why,
        "verdict": run.night.verdict,  # of the night
        "which": verdict.which,
        "clean": verdict.is_clean,
        "milestones": len(run.milestones),
        "badges": run.badges,
        "ticks": run.last.tick,
        "frames": run.frames,
        "game_s": round(run.last.game_s, 3),
        "wall_s": round(run.process.wall_s, 3),
        "ticks_per_s": round(run.process.ticks_per_s, 1),
        "restarts": run.restarts,
        "episodes": len(run.stuck),
        "restores": sum(each.why == "stuck" for each in run.returns),
        "returns": len(run.returns),
        "battles": run.battles.fought,
        **{f"battles_{end}": ends.get(end, 0) for end in ("won", "lost", "fled", "caught")},
        "learned": run.learned.new,
        "calls": run.advice.calls,
        "usd": round(run.advice.usd, 6),
        "usd_made_up": round(run.advice.made_up_usd, 6),
        **{f"advice_{name}": getattr(run.advice.totals, name) for name in ANSWERS},
        "faults": run.problems.faults,
        "errors": run.problems.errors or 0,
        "disagreements": sum(run.problems.disagreements.values()),
    }


def as_json(run: RunData) -> dict[str, Plain]:
    """Return all data of a run except pictures and curves."""
    parts = {name: _plain(getattr(run, part)) for name, part in PARTS.items()}
    return {**row(run), **parts, "settings": _plain(run.settings)}


def as_csv(runs: Sequence[RunData]) -> str:
    """Return a table with one row for each run, whose texts are safe to show."""
    rows = list(map(row, runs))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    for each in rows:
        writer.writerow(sanitized(x) if isinstance(x, str) else x for x in each.values())
    return text.getvalue()


def _plain(value: object) -> Plain:
    """Return a value in JSON types; of dataclasses, the fields in their repr."""
    match value:
        case Enum():
            return _plain(value.value)
        case Path() | datetime():
            return str(value)
        case Mapping():
            return {str(name): _plain(each) for name, each in value.items()}
        case None | bool() | int() | float() | str():
            return value
        case tuple() if hasattr(value, "_asdict"):
            return _plain(value._asdict())
        case list() | tuple():
            return [_plain(each) for each in value]
        case _ if is_dataclass(value):
            shown = (each.name for each in fields(value) if each.repr)
            return {name: _plain(getattr(value, name)) for name in shown}
        case _:
            return str(value)


PAGE: Final = "comparison.html"
FAIR: Final = ("eval", "--seeds", "0..9", "--mind", "claude", "--against", "rules")
NONE: Final = "-"
FIGURES: Final[Sequence[tuple[str, Callable[[RunData], str]]]] = (
    ("how it ended", headline),
    ("clean run", lambda run: "yes" if run.verdict.is_clean else "no"),
    ("seed", lambda run: str(run.settings.get("seed", NONE))),
    ("decided", lambda run: run.decided_by),
    ("milestones", lambda run: f"{len(run.milestones):,}"),
    ("badges", lambda run: f"{run.badges:,}"),
    ("ticks", lambda run: f"{run.last.tick:,}"),
    ("game time", lambda run: game_time(run.last.game_s)),
    ("played for", lambda run: game_time(run.process.wall_s)),
    ("ticks a second", lambda run: f"{run.process.ticks_per_s:,.0f}"),
    ("battles", lambda run: f"{run.battles.fought:,}"),
    ("battles lost", lambda run: f"{run.battles.ends.get('lost', 0):,}"),
    ("times stuck", lambda run: f"{len(run.stuck):,}"),
    ("times rewound", lambda run: f"{run.rewound:,}"),
    ("restarts", lambda run: f"{run.restarts:,}"),
    ("faults", lambda run: f"{run.problems.faults:,}"),
    ("new in memory", lambda run: f"{run.learned.new:,}"),
    ("model calls", lambda run: f"{run.advice.calls:,}"),
    ("dollars", lambda run: cost(run.advice.usd, run.advice.made_up_usd, "{:,.2f}".format)),
    (
        "answers followed",
        lambda run: f"{run.advice.totals.followed:,} of {run.advice.totals.answers:,}",
    ),
    ("of these reached their goal", lambda run: f"{run.advice.totals.reached:,}"),
)
Row: TypeAlias = tuple[str, Sequence[str]]  # a name, and its value in every run


def write_comparison(runs: Sequence[RunData], path: Path) -> Path:
    """Write the page to `path` and return its path; raises UsageError when anything but their page is there."""
    key = page_key(each.run for each in runs)
    require_page_or_new(path, key)
    page = render(
        "comparison.html",
        key=key,
        title=f"{len(runs)} runs compared",
        names=names(runs),
        unlike=unlike(runs, anywhere=True),
        kickers=[page_place(each.path) for each in runs],
        figures=[(name, [says(run) for run in runs]) for name, says in FIGURES],
        milestones=list(_milestones(runs)),
        charts=list(_charts(runs)),
    )
    write_page(path, page)
    return path


def unlike(runs: Sequence[RunData], *, anywhere: bool = False) -> str:
    """Return a line that says what makes a comparison of these runs unfair, '' if nothing does.

    The command in it works in the current folder, or `anywhere`.
    """
    settings = [each.settings for each in runs]
    found = {
        "seed": {str(each.get("seed")) for each in settings},
        "memory": {str(each.get("memory", {}).get("hash")) for each in settings},
        "cartridge": {str(each.get("cartridge", {}).get("sha1")) for each in settings},
    }
    names = [name for name, values in found.items() if len(values) > 1]
    if not names:
        return ""
    fair = command(*FAIR, anywhere=anywhere)
    return f"These runs differ in {' and '.join(names)}; `{fair}` compares on the same seeds and memory."


def names(runs: Sequence[RunData]) -> list[str]:
    """Return a name for each run: its folder, with a number where two are equal."""
    labels = [real_path(each.path).name for each in runs]
    return [
        name if labels.count(name) == 1 else f"{name} ({labels[: n + 1].count(name)})"
        for n, name in enumerate(labels)
    ]


def _milestones(runs: Sequence[RunData]) -> Iterator[Row]:
    """Yield the tick and time at which each run reached each milestone that any of them reached."""
    for name, words in {each.id: each.says for run in runs for each in run.milestones}.items():
        reached = [{m.id: m.when for m in reversed(run.milestones)}.get(name) for run in runs]
        shown = [f"{at.tick:,} · {game_time(at.game_s)}" if at else NONE for at in reached]
        yield words, shown


def _charts(runs: Sequence[RunData]) -> Iterator[Chart]:
    labels = list(zip(names(runs), runs, strict=True))
    stairs = [milestones_line(run, name) for name, run in labels]
    highest = [Series(name, run.team.highest.stretches) for name, run in labels]
    money = [Series(name, run.team.money.stretches) for name, run in labels]
    speed = [_since(name, run.process.speed) for name, run in labels]
    resident = [_since(name, run.process.resident) for name, run in labels]
    game, since = "over game time", "over the time since each run began"
    drawn: Sequence[tuple[str, list[Series], Callable[[float], Axis], Style, str]] = (
        ("Milestones reached", stairs, whole_axis, "dots", game),
        ("Highest level of the team", highest, whole_axis, "step", game),
        ("Money", money, whole_axis, "step", game),
        ("Ticks a second", speed, whole_axis, "line", since),
        ("Resident memory", resident, size_axis, "line", since),
    )
    for title, lines, axis, style, note in drawn:
        ends = [point.x for line in lines for point in line.points]
        if ends:
            yield Chart(title, lines, game_axis(max(ends)), axis(top(lines)), style, note)


def _since(name: str, line: Series) -> Series:
    """Return a curve over seconds since its own beginning."""
    begins = min((part[0].x for part in line.stretches if part), default=0.0)
    parts = (tuple(Point(x - begins, y) for x, y in part) for part in line.stretches)
    return Series(name, tuple(parts))
