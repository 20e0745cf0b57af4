"""Which charts a run gets: what goes up in each, over which time, and what stands across them."""

from collections.abc import Iterator, Sequence

from agent.report.axis import (
    amounts,
    clock,
    clock_time,
    game_time,
    hours,
    percent,
    plain,
    size,
    sizes,
)
from agent.report.chart import Axis, Chart, Flag, Plan, draw
from agent.report.gather import Gathered
from agent.report.gather.thinning import Line, Point

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
    line = milestones_line(told)
    most, ticks = amounts(len(told.milestones) + len(told.pending), plain)
    return draw(
        Plan(
            title="Milestones reached",
            lines=(line,),
            across=game_axis(told.last.game_s),
            upwards=Axis(0.0, most, ticks, plain),
            style="dots",
            note="over game time, in hours and minutes",
            flags=_returns(told),
        )
    )


def milestones_line(told: Gathered, name: str = "milestones reached") -> Line:
    """Return the curve of milestones, up to where play is."""
    reached = [Point(each.when.game_s, n) for n, each in enumerate(told.milestones, start=1)]
    return Line(name, ((Point(0.0, 0), *reached, Point(told.last.game_s, len(reached))),))


def game_charts(told: Gathered) -> Iterator[Chart]:
    """Yield what the player had over game time."""
    across, crew = game_axis(told.last.game_s), told.crew
    if crew.levels:
        more = f", and {crew.left_out} more that were soon gone" if crew.left_out else ""
        yield _over(across, "Levels of the team", crew.levels, f"by who{more}", told)
    if not crew.hp.is_empty:
        most, ticks = amounts(100.0, percent)
        upwards = Axis(0.0, most, ticks, percent)
        note = "all together"
        yield draw(
            Plan("HP of the team", (crew.hp,), across, upwards, "step", note, _returns(told))
        )
    if not crew.money.is_empty:
        yield _over(across, "Money", (crew.money,), "at the end of each change", told)


def process_charts(told: Gathered) -> Iterator[Chart]:
    """Yield how the process did over the clock of the wall."""
    did = told.process
    every = [did.speed, did.resident, did.file, did.free, did.log]
    span = _span(every)
    if span is None:
        return
    across = Axis(*span, clock(*span), clock_time)
    flags = [
        Flag(each, "session", f"a process began, {clock_time(each)}") for each in did.sessions[1:]
    ]
    for title, lines, note in (
        ("Resident memory", (did.resident,), "of the process that plays"),
        ("Files of the run", (did.file, did.log), "with what waits in SQLite's log"),
        ("Free disk", (did.free,), "where the run is kept"),
    ):
        if any(not each.is_empty for each in lines):
            most, ticks = sizes(top(lines))
            yield draw(
                Plan(title, lines, across, Axis(0.0, most, ticks, size), "line", note, flags)
            )
    if not did.speed.is_empty:
        most, ticks = amounts(top((did.speed,)), plain)
        upwards = Axis(0.0, most, ticks, lambda value: f"{value:,.0f}")
        yield draw(
            Plan("Ticks a second", (did.speed,), across, upwards, "line", "as played", flags)
        )


def game_axis(end: float) -> Axis:
    """Return the axis of game time up to `end` seconds."""
    return Axis(0.0, end or 1.0, hours(end or 1.0), game_time)


def _over(across: Axis, title: str, lines: Sequence[Line], note: str, told: Gathered) -> Chart:
    most, ticks = amounts(top(lines), plain)
    return draw(
        Plan(title, lines, across, Axis(0.0, most, ticks, plain), "step", note, _returns(told))
    )


def _returns(told: Gathered) -> list[Flag]:
    return [
        Flag(
            each.to.game_s,
            each.why,
            f"{WHY[each.why]}: from tick {each.left:,} to {each.to.tick:,}",
        )
        for each in told.returns
    ]


def top(lines: Sequence[Line]) -> float:
    """Return the highest value of any of these lines."""
    return max(
        (point.y for line in lines for part in line.stretches for point in part), default=0.0
    )


def _span(lines: Sequence[Line]) -> tuple[float, float] | None:
    at = [point.x for line in lines for part in line.stretches for point in part]
    return (min(at), max(at)) if at else None
