"""`bench battles`: the progress while it runs, and the figures as a table for people."""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from agent.bench import (
    HEAD,
    Pair,
    battle_json,
    battle_page,
    battle_rows,
    fight_pairs,
)
from agent.cli.output import Output
from agent.errors import UsageError
from emulator import Cartridge


def seeds_of(words: str) -> range:
    """Return the seeds from A to B, both included, that `A..B` names."""
    found = re.fullmatch(r"(\d+)\.\.(\d+)", words)
    if found is None or int(found[1]) > int(found[2]):
        message = f"--seeds {words} is no range; write A..B with A not above B, such as 0..299"
        raise UsageError(message)
    return range(int(found[1]), int(found[2]) + 1)


def bench_battles(cartridge: Cartridge, seeds: str, write: Path | None, *, as_json: bool) -> None:
    """Fight, and print or write what came of it."""
    out, err = Output(), Output(stderr=True)
    numbers = seeds_of(seeds)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress("battles", *columns, console=err, transient=True) as progress:
        task = progress.add_task("battles", total=len(numbers))
        pairs = fight_pairs(
            cartridge,
            numbers,
            processes=min(os.cpu_count() or 1, len(numbers)),
            done=lambda more: progress.advance(task, more),
        )
    if write is not None:
        # Loaded here: matplotlib takes longer than many a command.
        from agent.bench.battle_plot import battle_plot

        picture = write.with_suffix(".png")
        picture.write_bytes(battle_plot(pairs))
        page = battle_page(cartridge.name, seeds, pairs, picture.name)
        write.write_text(page, encoding="utf-8")
    if as_json:
        out.say(json.dumps(battle_json(pairs)))
    else:
        out.print(_table(cartridge, pairs))


def _table(cartridge: Cartridge, pairs: Sequence[Pair]) -> Table:
    title = f"bench battles: {cartridge.name}, {len(pairs)} battles, each fought twice"
    table = Table(title=Text(title), title_justify="left")
    for at, name in enumerate(HEAD):
        table.add_column(name, justify="right" if at else "left")
    for row in battle_rows(pairs):
        table.add_row(*row)
    return table
