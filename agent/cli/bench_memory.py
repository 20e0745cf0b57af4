"""`bench memory`: the figures as a table for people."""

import json
from pathlib import Path

from rich.table import Table
from rich.text import Text

from agent.bench.memory import MemoryFigures, measure_memory, memory_page, memory_rows
from agent.bench.memory.measure import Say
from agent.cli.output import Output
from emulator import Cartridge


def bench_memory(cartridge: Cartridge, write: Path | None, say: Say, *, as_json: bool) -> None:
    """Measure, and print or write what came of it."""
    figures = measure_memory(cartridge, say)
    if write is not None:
        write.write_text(memory_page(figures), encoding="utf-8")
    out = Output()
    if as_json:
        out.say(json.dumps(figures.as_json()))
    else:
        out.print(_table(figures))


def _table(figures: MemoryFigures) -> Table:
    held = ", ".join(f"{count:,} {what}" for what, count in figures.held.items())
    table = Table(title=Text(f"bench memory: {figures.cartridge}, {held}"), title_justify="left")
    for name in ("what", "p50, p99", "limit, aim", "verdict"):
        table.add_column(name, justify="left" if name in {"what", "verdict"} else "right")
    for row in memory_rows(figures):
        taken, allowed = f"{row.p50}, {row.p99}", f"{row.limit}, {row.aim}"
        table.add_row(row.what, taken.strip(", "), allowed.strip(", "), row.verdict)
    return table
