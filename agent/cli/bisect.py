"""`replay --bisect`: the first difference in words, by the names of what differs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import typer

from agent.app import bisect_run, bisect_runs
from agent.cli.output import Output
from agent.replay import Change, Difference

SHOWN: Final = 24  # fields, and stretches of RAM


def show_first_difference(runs: Sequence[Path], rom: Path | None, out: Output, err: Output) -> None:
    """Say where a recording, or the two of them, first differ, and in what; exit with 1 where they do."""
    found = (
        bisect_run(runs[0], rom, tell=err.say)
        if len(runs) == 1
        else bisect_runs(runs[0], runs[1], rom, tell=err.say)
    )
    for note in found.notes:
        err.say(note)
    took = f"{found.ticks} ticks driven, {found.restores} restores of {found.moments} moments"
    err.say(f"{took} (at most {found.most:.1f})")
    out.say(f"divergence: {found.divergence or 'none'}")
    if found.shown is not None:
        for line in _lines(found.shown):
            out.say(line)
    raise typer.Exit(1 if found.divergence else 0)


def _lines(shown: Difference) -> Iterator[str]:
    yield f"{shown.between}:"
    if not (shown.fields or shown.ram):
        yield "  nothing in work RAM and high RAM yet"
    yield from _some(shown.fields, "fields")
    if shown.ram:
        yield "of work RAM and high RAM, no field shows:"
        yield from _some(shown.ram, "stretches")


def _some(changes: Sequence[Change], what: str) -> Iterator[str]:
    yield from (f"  {change}" for change in changes[:SHOWN])
    if len(changes) > SHOWN:
        yield f"  and {len(changes) - SHOWN} more {what}"
