"""The figures of memory in words: rows for a table, and a page for the documentation."""

import os
from collections.abc import Iterator
from typing import Final, NamedTuple

from agent.bench.memory.figures import MemoryFigure, MemoryFigures

HEAD: Final = ("what", "p50", "p99", "limit", "aim", "verdict")
ABOUT: Final = (
    "A verdict is on the 99th percentile. *Limit* is what the design allows, *aim* what we want; sizes have one",
    "measurement each. Times are of the processor, so that whatever else runs does not count; those of saving and",
    "reading a file are of the wall, so that the disk does.",
    "",
    "What a thousand ticks of play write is taken from a real game (`agent/bench/memory/writing.py`) and written again,",
    "later each time, before each consolidation. The hundred thousand observations are of the same kinds, with all",
    "places of that game and all species of the cartridge; they are in a run's file, where recall looks. Recall's limit",
    "is for what play asks: place, species and time. What nobody asks in play is told as a worst case.",
    "",
    "*Overhead* is what consolidation adds to the thousand ticks between two of them: the consolidator is asked every",
    "tick whether one is due. What it takes to watch those ticks and to remember them is another matter, and has a row",
    "of its own: handlers of hooks, extractors, the blackboard and its edges. Deciding, recording, consolidation and",
    "checkpoints are not in it; it is part of what a tick costs, for which `docs/bench.md` has the limit.",
)


class MemoryRow(NamedTuple):
    """One figure in words."""

    what: str
    p50: str
    p99: str
    limit: str
    aim: str
    verdict: str


def memory_rows(figures: MemoryFigures) -> Iterator[MemoryRow]:
    """Yield every figure."""
    for each in figures.figures:
        bound, unit = each.bound, each.bound.unit
        p50, p99 = _values(each)
        yield MemoryRow(
            bound.what, p50, p99, _bound(bound.limit, unit), _bound(bound.aim, unit), each.verdict
        )


def memory_page(figures: MemoryFigures) -> str:
    """Return the page that `bench memory --write` leaves."""
    lines = [
        "# Memory, measured",
        "",
        f"Written by `python -m agent bench memory --write docs/bench_memory.md`, on {os.cpu_count()} cores; every",
        f"figure is from one run of it. {figures.cartridge}, at full capacity: {figures.what_was_held}.",
        "",
        *ABOUT,
        "",
        *figures_as_markdown(figures),
    ]
    return "\n".join(lines) + "\n"


def figures_as_markdown(figures: MemoryFigures) -> list[str]:
    """Return the table of a page, line by line."""
    rows = [f"| {' | '.join(row)} |" for row in memory_rows(figures)]
    return [f"| {' | '.join(HEAD)} |", "|---|--:|--:|--:|--:|---|", *rows]


def _bound(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:g} {unit}"


def _values(figure: MemoryFigure) -> tuple[str, str]:
    values, unit = figure.values, figure.bound.unit
    if values is None:
        return "", ""
    return f"{values.p50:.3g} {unit}", f"{values.p99:.3g} {unit}"
