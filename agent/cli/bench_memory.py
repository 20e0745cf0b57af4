"""`bench memory` and `bench moments`: figures against their limits, as a table for people."""

import json
from collections.abc import Callable
from pathlib import Path

from rich.table import Table
from rich.text import Text

from agent.bench.memory import MemoryFigures, measure_memory, memory_page, memory_rows
from agent.bench.moments import measure_moments, moments_page
from agent.cli.output import Output
from emulator import Cartridge


def bench_memory(
    cartridge: Cartridge, write: Path | None, say: Callable[[str], object], *, as_json: bool
) -> None:
    """Measure memory, and print or write what came of it."""
    figures = measure_memory(cartridge, say)
    _show("memory", figures, memory_page(figures), write, as_json=as_json)


def bench_moments(
    cartridge: Cartridge, write: Path | None, say: Callable[[str], object], *, as_json: bool
) -> None:
    """Measure checkpoints and going on from them, and print or write what came of it."""
    figures = measure_moments(cartridge, say)
    _show("moments", figures, moments_page(figures), write, as_json=as_json)


def _show(
    what: str, figures: MemoryFigures, page: str, write: Path | None, *, as_json: bool
) -> None:
    if write is not None:
        write.write_text(page, encoding="utf-8")
    out = Output()
    if as_json:
        out.say(json.dumps(figures.as_json()))
    else:
        out.print(_table(what, figures))


def _table(what: str, figures: MemoryFigures) -> Table:
    title = Text(f"bench {what}: {figures.cartridge}, {figures.what_was_held}")
    table = Table(title=title, title_justify="left")
    for name in ("what", "p50, p99", "limit, aim", "verdict"):
        table.add_column(name, justify="left" if name in {"what", "verdict"} else "right")
    for row in memory_rows(figures):
        taken, allowed = f"{row.p50}, {row.p99}", f"{row.limit}, {row.aim}"
        table.add_row(row.what, taken.strip(", "), allowed.strip(", "), row.verdict)
    return table
