"""`report.html`: one page that needs no other file and shows what happened in a run."""

import logging
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Final

from agent.app.process import write_whole
from agent.app.settings import RunSettings, cartridge_for
from agent.story.story import Story
from agent.tools.report.atlas.drawing import atlas_html, draw_atlas
from agent.tools.report.atlas.sheet import MapMark, MapMarkKind, TrailVisit
from agent.tools.report.chart import (
    Chart,
    Flag,
    amount_axis,
    clock_axis,
    clock_time,
    game_axis,
    local,
    percent,
    size_axis,
    top,
    whole_axis,
)
from agent.tools.report.html import render, require_page_or_new
from agent.tools.report.run_data import Gathered, RunStatus, gather
from agent.tools.report.timeline import Point, Series
from agent.tools.report.words import game_time, plain
from emulator import Cartridge, CartridgeError, World
from memory import RunFolder, RunReader, read_run

LIMITS: Final = {
    "hours": "hours of the night",
    "game_hours": "hours of game time",
    "ticks": "ticks",
    "disk": "space on the disk",
    "memory": "memory",
    "log": "its log",
    "calls": "calls of a model",
    "dollars": "dollars",
}


HEADLINES: Final = {
    RunStatus.GOAL: "Goal reached: {until}",
    RunStatus.LIMIT: "Ended at its limit of {limit}",
    RunStatus.GAVE_UP: "Gave up on its way to: {until}",
    RunStatus.INTERRUPTED: "Interrupted",
    RunStatus.ERROR: "Ended by an error of the program",
    RunStatus.ENDED: "Ended in order",
    RunStatus.OPEN: "Not ended: still being played, or cut off",
}


def headline(told: Gathered) -> str:
    """Return how it ended, in a few words."""
    which = told.verdict.which
    limit = LIMITS.get(which, which or "play")
    return HEADLINES[told.verdict.kind].format(until=told.until, limit=limit)


def lead(told: Gathered) -> str:
    """Return what happened, in a sentence or two."""
    parts = [told.verdict.why] if told.verdict.why else []
    if told.milestones:
        last = told.milestones[-1]
        parts.append(f"The last milestone was to {last.says}, at {game_time(last.when.game_s)}")
    elif told.verdict.kind is not RunStatus.GOAL:
        parts.append("No milestone was reached")
    if told.verdict.kind is not RunStatus.GOAL and told.pending:
        parts.append(f"It was on its way to: {told.until}")
    return ". ".join(each.rstrip(".") for each in parts) + "."


WHY = {
    "stuck": "got stuck and went back",
    "asked": "was taken back by hand",
    "recovered": "went back after crashes",
    "resumed": "went on after it was cut off",
}


def milestones_chart(told: Gathered) -> Chart | None:
    """Return how many milestones were reached when; None where there is none."""
    if not told.milestones:
        return None
    return Chart(
        title="Milestones reached",
        lines=(milestones_line(told),),
        across=game_axis(told.last.game_s),
        upwards=amount_axis(len(told.milestones) + len(told.pending)),
        style="dots",
        note="over game time, in hours and minutes",
        flags=_rollback_flags(told),
    )


def milestones_line(told: Gathered, name: str = "milestones reached") -> Series:
    """Return the curve of milestones, up to where play is."""
    reached = [Point(each.when.game_s, n) for n, each in enumerate(told.milestones, start=1)]
    return Series(name, ((Point(0.0, 0), *reached, Point(told.last.game_s, len(reached))),))


def game_charts(told: Gathered) -> Iterator[Chart]:
    """Yield what the player had over game time."""
    across, team, flags = game_axis(told.last.game_s), told.team, _rollback_flags(told)
    more = f", and {team.left_out} more that were soon gone" if team.left_out else ""
    money = (team.money,)
    for title, lines, upwards, note in (
        ("Levels of the team", team.levels, amount_axis(top(team.levels)), f"by member{more}"),
        ("HP of the team", (team.hp,), amount_axis(100.0, percent), "all together"),
        ("Money", money, amount_axis(top(money)), "at the end of each change"),
    ):
        if any(each.points for each in lines):
            yield Chart(title, lines, across, upwards, "step", note, flags)


def process_charts(told: Gathered) -> Iterator[Chart]:
    """Yield how the process did over the clock of the wall."""
    did = told.process
    every = (did.speed, did.resident, did.file, did.free, did.log)
    at = [point.x for line in every for point in line.points]
    if not at:
        return
    across = clock_axis(min(at), max(at))
    flags = [
        Flag(each, "session", f"a process began, {clock_time(each)}") for each in did.sessions[1:]
    ]
    for title, lines, axis, note in (
        ("Resident memory", (did.resident,), size_axis, "of the process that plays"),
        ("Files of the run", (did.file, did.log), size_axis, "with what waits in SQLite's log"),
        ("Free disk", (did.free,), size_axis, "where the run is kept"),
        ("Ticks a second", (did.speed,), whole_axis, "as played"),
    ):
        if any(each.points for each in lines):
            yield Chart(title, lines, across, axis(top(lines)), "line", note, flags)


def _rollback_flags(told: Gathered) -> list[Flag]:
    return [
        Flag(
            each.to.game_s,
            each.why,
            f"{WHY[each.why]}: from tick {each.left:,} to {each.to.tick:,}",
        )
        for each in told.returns
    ]


def route(told: Gathered, cartridge: Cartridge | None) -> str:
    """Return the path of a run over its maps as a piece of a page; '' without a trail or the cartridge to draw it on."""
    if not told.trail or cartridge is None:
        return ""
    atlas = draw_atlas(
        World.of(cartridge),
        [TrailVisit(row.tick, row.map_id, row.x, row.y) for row in told.trail],
        name_of=Story.of(cartridge.kind).called,
        marks=list(_marks(told)),
    )
    return atlas_html(atlas)


def _marks(told: Gathered) -> Iterator[MapMark]:
    """Yield what happened, with where the player stood at its tick, or first stood after it."""
    reached = [(each.when.tick, each.says) for each in told.milestones]
    stuck = [(each.lasted, f"stuck: {plain(each.reason)}") for each in told.stuck]
    fainted = [(tick, "all fainted") for tick in told.battles.defeats]
    for kind, happened in zip(MapMarkKind, (reached, stuck, fainted), strict=True):
        for tick, says in happened:
            number = max(bisect_right(told.trail, tick, key=lambda row: row.tick) - 1, 0)
            row = told.trail[number]
            yield MapMark(tick, row.map_id, row.x, row.y, says, kind)


log = logging.getLogger(__name__)

PAGE: Final = "report.html"
EPISODES: Final = 25  # told in full: the last ones
SIDES: Final = 8  # kinds of disagreement


def page(told: Gathered, cartridge: Cartridge | None) -> str:
    """Return the page as text."""
    began, disagreed = told.settings.get("started"), told.troubles.disagreements
    return render(
        "page.html",
        told=told,
        cartridge=str(told.settings.get("cartridge", {}).get("name", "a cartridge")),
        seed=told.settings.get("seed", "?"),
        mind=told.settings.get("mind", "?"),
        began=local(began.timestamp()) if isinstance(began, datetime) else None,
        headline=headline(told),
        lead=lead(told),
        why=WHY,
        stairs=milestones_chart(told),
        route=route(told, cartridge),
        of_game=list(game_charts(told)),
        of_process=list(process_charts(told)),
        zone=f"{local(told.last.at or 0):%Z}",
        episodes=told.stuck[-EPISODES:],
        disagreements=sorted(disagreed.items(), key=lambda each: -each[1])[:SIDES],
        where=quote(str(told.path)),
        settings=list(_flat(told.settings)),
        now=datetime.now(UTC).timestamp(),
    )


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def report_run(path: Path, rom: Path | None, to: Path | None) -> Path:
    """Write the page of the run in `path` into its folder, or to `to`, and return where it is.

    Raises UsageError when something that is no page of ours is at `to`.
    """
    with closing(read_run(path)) as folder:
        cartridge = _cartridge(folder, rom)
        if to is not None:
            require_page_or_new(to)
        written = to or folder.path / PAGE
        write_whole(written, page(gather(folder, cartridge), cartridge))
        return written


def report_ended(path: Path, rom: Path | None) -> None:
    """Write the page of a run that has just ended; one that cannot be written costs a warning and no more."""
    try:
        report_run(path, rom, None)
    except Exception as error:  # noqa: BLE001  # whatever a page cannot tell, what was played is kept
        log.warning("no report was written: %s; the run itself is whole", error)


def gathered_runs(paths: Sequence[Path], rom: Path | None) -> list[Gathered]:
    """Return what each of the runs in `paths` has to tell."""
    found = []
    for path in paths:
        with closing(read_run(path)) as folder:
            found.append(gather(folder, _cartridge(folder, rom)))
    return found


def _cartridge(folder: RunFolder[RunReader], rom: Path | None) -> Cartridge | None:
    """Return the cartridge of a run, or None where it is not at hand and no other was named."""
    try:
        return cartridge_for(rom, RunSettings.of(folder.settings))
    except CartridgeError:
        if rom is not None:
            raise
        return None
