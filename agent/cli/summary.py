"""The end of play: the summary as a table, and the last lines with what can be done next."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from agent.advisor.names import RULES, cost
from agent.app import Stop, Summary
from agent.app.summary import PlayStart
from agent.app.verdicts import AdviceTotals
from agent.cli.output import facts
from agent.shell import command, quoted
from agent.tools.report.advice import came_of
from agent.tools.report.page import PAGE
from agent.tools.report.words import counted, game_time, no_answer
from emulator import FRAMES_PER_SECOND


def summary_table(summary: Summary, labels: Mapping[str, str]) -> Table:
    """Return the summary of a run as a table, with milestones by their labels."""
    rows = [
        ("not a clean run", f"went back by hand from tick {each.left} to tick {each.tick}")
        for each in summary.returns
        if each.why == "asked"
    ]
    for each in summary.milestones:
        clock = game_time(each.frame / FRAMES_PER_SECOND)
        rows.append((labels.get(each.id, each.id), f"{clock}, tick {each.tick:,}"))
    rows += [
        ("badges", str(summary.badges)),
        ("battles", str(summary.battles)),
        ("times stuck", str(summary.episodes)),
        ("times rewound", str(sum(each.why != "resumed" for each in summary.returns))),
        ("errors", str(summary.errors)),
    ]
    if summary.frames_per_s > 0:  # else nothing was played
        rows.append(("speed", f"{summary.frames_per_s:,.0f} frames a second"))
    rows += [
        (
            f"text read by {name}",
            f"{each.right:,} of {each.characters:,} characters, {each.share:.1%}",
        )
        for name, each in summary.readers.items()
        if each.characters
    ]
    if summary.advice is not None:
        rows += _advice_rows(summary.advice)
    return facts("milestones and figures", rows)


def end_lines(summary: Summary, start: PlayStart) -> Iterator[str]:
    """Yield the last lines of play, which are never wrapped: how it ended, its files, and what can be done next."""
    clock = game_time(summary.frames / FRAMES_PER_SECOND)
    if summary.ticks == start.tick and summary.stop is not Stop.ERROR:
        yield f"result: {summary.stop.words}, already at tick {summary.ticks:,}, so nothing was played"
    else:
        reason = f": {summary.reason}" if summary.reason else ""
        took = f"tick {summary.ticks:,}, {clock} in the game, {game_time(summary.wall_s)} played"
        yield f"result: {summary.stop.words}{reason} ({took})"
    if summary.decided_by != RULES:
        yield f"decided: {summary.decided_by}"
    run = Path(summary.run)
    yield f"run: {quoted(run)}"
    if (page := run / PAGE).is_file():
        yield f"report: {quoted(page)}"
    if summary.stop in {Stop.TICKS, Stop.INTERRUPTED, Stop.ERROR}:
        yield f"continue: {command('play', '--resume', run)}"
    yield f"check: {command('replay', run)}"


def _advice_rows(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the figures of the model as rows."""
    counts, came = figures["counts"], came_of(AdviceTotals(**figures["verdicts"]))
    faults = {name.removeprefix("fault:"): n for name, n in counts.items() if "fault:" in name}
    silent = {name.removeprefix("silent:"): n for name, n in counts.items() if "silent:" in name}
    missed = f"; missed: {_listed(figures['cache_misses'])}" if figures["cache_misses"] else ""
    why = {no_answer(name): times for name, times in silent.items()}
    unanswered = f"; no answer: {_listed(why)}" if silent else ""
    return [
        (
            "questions, answers",
            f"{counts.get('questions', 0)}, {counts.get('answers', 0)}{unanswered}",
        ),
        (
            "cost" if figures["is_billed"] else "cost at list prices",
            f"{counted(figures['calls'], 'call')}, {sum(figures['tokens'].values()):,} tokens,"
            f" {cost(figures['usd'], figures['usd_made_up'], '${:.4f}'.format)}",
        ),
        *((says, f"{times:,}, ${usd:.4f}") for says, times, usd in came[2:]),
        ("read from the prompt cache", f"{figures['cache_hits']:.0%}{missed}"),
        *([("refused by limits", _listed(figures["refused"]))] if figures["refused"] else []),
        ("service errors", _listed(faults) or "none"),
        (
            "recorded",
            f"{counted(figures['tape_nodes'], 'message')}, {counted(figures['tape_lost'], 'call')} lost",
        ),
    ]


def _listed(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {times}" for name, times in counted.items())
