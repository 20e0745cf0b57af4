"""`report.html`: a self-contained page about one run."""

import logging
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from agent.advisor.names import cost
from agent.app.settings import PATHS, RunSettings, cartridge_for
from agent.errors import UsageError
from agent.shell import command, shown_path
from agent.story.story import Story
from agent.tools.report import chart
from agent.tools.report.advice import came_of
from agent.tools.report.atlas.drawing import atlas_html, draw_atlas
from agent.tools.report.atlas.sheet import MapMark, MapMarkKind, TrailVisit
from agent.tools.report.chart import Chart, Flag
from agent.tools.report.expected import ExpectedGame
from agent.tools.report.html import page_key, render, require_page_or_new, write_page
from agent.tools.report.run_data import DISAGREEMENTS, RunData, RunStatus, read_run_data
from agent.tools.report.timeline import Point, Series
from agent.tools.report.words import game_time, plain, times, usd
from emulator import FRAMES_PER_SECOND, Cartridge, CartridgeError, World
from memory import CorruptStore, RunFolder, RunReader, file_fault, read_run
from memory.file_access import real_path
from memory.store import STORE

LIMITS: Final = {
    "hours": "real hours",
    "game_hours": "hours of game time",
    "ticks": "ticks",
    "disk": "disk space",
    "memory": "memory",
    "log": "log size",
    "calls": "model calls",
    "dollars": "dollars",
}


HEADLINES: Final = {
    RunStatus.GOAL: "Goal reached: {until}",
    RunStatus.LIMIT: "Ended at its limit of {limit}",
    RunStatus.GAVE_UP: "Gave up before reaching: {until}",
    RunStatus.INTERRUPTED: "Interrupted",
    RunStatus.ERROR: "Ended by an error of the program",
    RunStatus.ENDED: "Ended normally",
    RunStatus.OPEN: "Not ended: still being played, or cut off",
}


def headline(run: RunData) -> str:
    """Return how the run ended, in a few words."""
    which = run.verdict.which
    limit = LIMITS.get(which, which or "play")
    return HEADLINES[run.verdict.kind].format(until=run.until, limit=limit)


def lead(run: RunData) -> str:
    """Return a summary of the run in one or two sentences."""
    why, is_goal = run.verdict.why, run.verdict.kind is RunStatus.GOAL
    parts = [why[:1].upper() + why[1:]] if why and not is_goal else []
    if run.milestones:
        last = run.milestones[-1]
        parts.append(f"The last milestone was to {last.says}, at {game_time(last.when.game_s)}")
    elif not is_goal:
        parts.append("No milestone was reached")
    if not is_goal and run.pending:
        parts.append(f"Its goal was: {run.until}")
    return ". ".join(each.rstrip(".") for each in parts) + "."


WHY = {
    "stuck": "got stuck and was rewound",
    "asked": "was rewound by you",
    "recovered": "was rewound after crashes",
    "resumed": "continued after it was cut off",
}


def milestones_chart(run: RunData) -> Chart | None:
    """Return the chart of milestones over time, or None when there is none."""
    if not run.milestones:
        return None
    return Chart(
        title="Milestones reached",
        lines=(milestones_line(run),),
        across=chart.game_axis(run.last.game_s),
        upwards=chart.amount_axis(len(run.milestones) + len(run.pending)),
        style="dots",
        note="over game time, in hours and minutes",
        flags=_rollback_flags(run),
    )


def milestones_line(run: RunData, name: str = "milestones reached") -> Series:
    """Return the curve of milestones, up to the last tick."""
    reached = [Point(each.when.game_s, n) for n, each in enumerate(run.milestones, start=1)]
    return Series(name, ((Point(0.0, 0), *reached, Point(run.last.game_s, len(reached))),))


def game_charts(run: RunData) -> Iterator[Chart]:
    """Yield the charts of team and money over game time."""
    across, team, flags = chart.game_axis(run.last.game_s), run.team, _rollback_flags(run)
    more = f", without {team.left_out} that left soon" if team.left_out else ""
    money = (team.money,)
    levels_axis, money_axis = (chart.amount_axis(chart.top(each)) for each in (team.levels, money))
    for title, lines, upwards, note in (
        ("Levels of the team", team.levels, levels_axis, f"by member{more}"),
        ("HP of the team", (team.hp,), chart.amount_axis(100.0, chart.percent), "all together"),
        ("Money", money, money_axis, "at the end of each change"),
    ):
        if any(each.points for each in lines):
            yield Chart(title, lines, across, upwards, "step", note, flags)


def process_charts(run: RunData) -> Iterator[Chart]:
    """Yield the charts of the process over wall-clock time."""
    series = run.process
    every = (series.speed, series.resident, series.file, series.free, series.log)
    at = [point.x for line in every for point in line.points]
    if not at:
        return
    across = chart.clock_axis(min(at), max(at))
    starts = series.sessions[1:]
    flags = [Flag(at, "session", f"process start, {chart.clock_time(at)}") for at in starts]
    size, whole = chart.size_axis, chart.whole_axis
    for title, lines, axis, note in (
        ("Resident memory", (series.resident,), size, "of the playing process"),
        ("Files of the run", (series.file, series.log), size, "including the SQLite log"),
        ("Free disk", (series.free,), size, "on the disk of the run"),
        ("Ticks a second", (series.speed,), whole, "as played"),
    ):
        if any(each.points for each in lines):
            yield Chart(title, lines, across, axis(chart.top(lines)), "line", note, flags)


def _rollback_flags(run: RunData) -> list[Flag]:
    words = "{}: from tick {:,} to {:,}"
    return [
        Flag(each.to.game_s, each.why, words.format(WHY[each.why], each.left, each.to.tick))
        for each in run.returns
    ]


def route(run: RunData, cartridge: Cartridge | None) -> str:
    """Return the path of a run over its maps as HTML, or '' without a trail or the cartridge."""
    if not run.trail or cartridge is None:
        return ""
    atlas = draw_atlas(
        World.of(cartridge),
        [TrailVisit(row.tick, row.map_id, row.x, row.y) for row in run.trail],
        name_of=Story.of(cartridge.kind).called,
        marks=list(_marks(run)),
    )
    return atlas_html(atlas)


def _marks(run: RunData) -> Iterator[MapMark]:
    """Yield the events to mark, at the position of the player at their tick, or the first one after it."""
    reached = [(each.when.tick, each.says) for each in run.milestones]
    stuck = [(each.lasted, f"stuck: {plain(each.reason)}") for each in run.stuck]
    fainted = [(tick, "all fainted") for tick in run.battles.defeats]
    for kind, happened in zip(MapMarkKind, (reached, stuck, fainted), strict=True):
        for tick, says in happened:
            number = max(bisect_right(run.trail, tick, key=lambda row: row.tick) - 1, 0)
            row = run.trail[number]
            yield MapMark(tick, row.map_id, row.x, row.y, says, kind)


log = logging.getLogger(__name__)

PAGE: Final = "report.html"
EPISODES: Final = 25  # the last ones, shown in full
PROOFS: Final = {"ram": "proof in RAM", "frame": "proof on screen"}


def page_place(path: Path) -> str:
    """Return the folder of a run as a page shows it, which may be moved with it: never an absolute path."""
    shown = shown_path(path)
    return real_path(path).name if shown.is_absolute() else str(shown)


def page(run: RunData, cartridge: Cartridge | None, expected: ExpectedGame | None = None) -> str:
    """Return the page as HTML text, with what was `expected` beside what happened."""
    began, disagreed = run.settings.get("started"), run.problems.disagreements
    story = Story.of(cartridge.kind) if cartridge is not None else None
    return render(
        "page.html",
        key=page_key([run.run]),
        run=run,
        cartridge=str(run.settings.get("cartridge", {}).get("name", "a cartridge")),
        seed=run.settings.get("seed", "?"),
        came_of=came_of(run.advice.totals),
        cost=partial(cost, dollars=usd),
        began=chart.local(began.timestamp()) if isinstance(began, datetime) else None,
        headline=headline(run),
        lead=lead(run),
        why=WHY,
        stairs=milestones_chart(run),
        expected=expected,
        frames_per_s=FRAMES_PER_SECOND,
        beside=expected.beside(run, story) if expected is not None else (),
        route=route(run, cartridge),
        of_game=list(game_charts(run)),
        of_process=list(process_charts(run)),
        zone=f"{chart.local(run.last.at or 0):%Z}",
        episodes=run.stuck[-EPISODES:],
        disagreements=[
            words.format(times=times(disagreed[topic]))
            for topic, words in DISAGREEMENTS.items()
            if topic in disagreed
        ],
        command=partial(command, anywhere=True),
        proofs=PROOFS,
        settings=list(_flat(run.settings)),
        now=datetime.now(UTC).timestamp(),
    )


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif f"{prefix}{key}" in PATHS:  # where files lie on a machine is no figure of a run
            yield f"{prefix}{key}", Path(str(value)).name
        else:
            yield f"{prefix}{key}", value


def report_run(
    path: Path, rom: Path | None, to: Path | None, expected: ExpectedGame | None = None
) -> Path:
    """Write the page of the run in `path` into its folder, or to `to`, and return its path.

    Raises UsageError when a file that is not a report is at `to`, and when another game was `expected`.
    """
    with closing(read_run(path)) as folder:
        cartridge, name = _cartridge(folder, rom), folder.settings["cartridge"]["name"]
        if expected is not None and expected.cartridge != name:
            message = f"--expected is about {expected.cartridge}, and {path} is a run of {name}; name a file about that"
            raise UsageError(message)
        if to is not None:
            require_page_or_new(to, page_key([folder.store.run_id]))
        written = to or folder.path / PAGE
        write_page(written, page(read_run_data(folder, cartridge), cartridge, expected))
        return written


def report_ended(path: Path, rom: Path | None) -> None:
    """Write the page of a run that has just ended; a failure is logged as a warning only.

    Of a folder that was moved away meanwhile there is none; play reports that.
    """
    if not path.is_dir():
        return
    try:
        report_run(path, rom, None)
    except CorruptStore as error:
        repairs = command("memory", "check", path, "--repair")
        log.warning("no report was written: %s; `%s` may help", error, repairs)
    except Exception as error:  # noqa: BLE001  # a failed report must not lose the run
        words = str(error) or type(error).__name__  # a MemoryError has no words
        log.warning("no report was written: %s%s", words, _completeness(path))


def _completeness(path: Path) -> str:
    """Return what can be said of the run in `path`: that it is complete, after a look at its files, or nothing."""
    try:
        read_run(path).close()
        flaw = file_fault(path / STORE)
    except Exception:  # noqa: BLE001  # what made the report fail, memory for example, may make this fail
        return ""
    return "; the run itself is complete" if flaw is None else f"; {flaw}"


def read_runs_data(paths: Sequence[Path], rom: Path | None) -> list[RunData]:
    """Return the data of each run in `paths`."""
    found = []
    for path in paths:
        with closing(read_run(path)) as folder:
            found.append(read_run_data(folder, _cartridge(folder, rom)))
    return found


def _cartridge(folder: RunFolder[RunReader], rom: Path | None) -> Cartridge | None:
    """Return the cartridge of a run, or None when it is not available and no other was named."""
    try:
        return cartridge_for(rom, RunSettings.of(folder.settings))
    except CartridgeError:
        if rom is not None:
            raise
        return None
