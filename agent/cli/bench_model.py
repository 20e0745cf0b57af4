"""`bench model`: the figures as tables for people."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from agent.bench.memory import HEAD
from agent.cli.output import Output
from emulator import Cartridge

if TYPE_CHECKING:
    from agent.bench.model import Effort


def bench_model(
    cartridge: Cartridge,
    write: Path | None,
    say: Callable[[str], object],
    *,
    as_json: bool,
    effort: "Effort | None" = None,
) -> None:
    """Measure, and print or write what came of it; the picture goes beside the page."""
    from agent.bench import model  # the SDK takes a second to load

    figures = model.measure_model(cartridge, say, effort)
    if write is not None:
        picture = write.with_suffix(".png")
        picture.write_bytes(model.model_plot(figures))
        write.write_text(model.model_page(figures, picture.name), encoding="utf-8")
    out = Output()
    if as_json:
        out.say(json.dumps(figures.as_json()))
        return
    held = ", ".join(f"{count:,} {what}" for what, count in figures.held.items())
    out.print(_table(f"bench model: {figures.cartridge}, {held}", HEAD, model.model_rows(figures)))
    out.print(_table("tokens", model.TALK_HEAD, model.talk_rows(figures.talks)))


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(title=Text(title), title_justify="left")
    for name in head:
        is_words = name in {"what", "verdict", "talk", "misses"}
        table.add_column(name, justify="left" if is_words else "right")
    for row in rows:
        table.add_row(*row)
    return table
