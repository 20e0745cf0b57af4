"""`replay` and `report`: a run that was played, driven again or shown."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

import typer

from agent.cli import flags
from agent.cli.flags import argument, option, switch
from agent.cli.output import Output
from agent.errors import UsageError
from agent.tools.replay.bisect import Difference, ValueChange
from agent.tools.replay.operations import (
    PictureForm,
    PictureRequest,
    bisect_run,
    bisect_runs,
    export_run,
    picture_run,
    redecide_run,
    replay_run,
)
from agent.tools.report.comparison import PAGE, as_csv, as_json, write_comparison
from agent.tools.report.page import gathered_runs, report_run

SHOWN: Final = 24  # fields, and stretches of RAM


def show_first_difference(runs: Sequence[Path], rom: Path | None, err: Output) -> None:
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
    _judge(found.divergence, found.shown)


def _judge(divergence: object, shown: Difference | None = None) -> NoReturn:
    out = Output()
    out.say(f"divergence: {divergence or 'none'}")
    for line in _lines(shown) if shown is not None else ():
        out.say(line)
    raise typer.Exit(1 if divergence else 0)


def _lines(shown: Difference) -> Iterator[str]:
    yield f"{shown.between}:"
    if not (shown.fields or shown.ram):
        yield "  nothing in work RAM and high RAM yet"
    yield from _some(shown.fields, "fields")
    if shown.ram:
        yield "of work RAM and high RAM, no field shows:"
        yield from _some(shown.ram, "stretches")


def _some(changes: Sequence[ValueChange], what: str) -> Iterator[str]:
    yield from (f"  {change}" for change in changes[:SHOWN])
    if len(changes) > SHOWN:
        yield f"  and {len(changes) - SHOWN} more {what}"


SCALE: Final = 3


def replay(
    runs: list[Path] = argument(
        "The folder of a run, or an exported replay; with --bisect there may be two.", "RUN..."
    ),
    rom: Path | None = flags.ROM,
    episode: int | None = option(
        "Drive the steps up to the end of the Nth time that it got stuck.", "N"
    ),
    decide: bool = switch(
        "--decide",
        "Decide every step anew, with the advice that was given then, and compare. Asks no model.",
    ),
    memory: Path | None = option(
        "With --decide: what the run began with, where that was not nothing.", "PATH"
    ),
    bisect: bool = switch(
        "--bisect",
        "Find the first tick that differs from a fresh drive, or between two recordings, and say in what.",
    ),
    export: Path | None = option(
        "Write a file that can be driven elsewhere, with nothing of the cartridge in it.", "FILE"
    ),
    png: Path | None = option("Write the picture at the end of --to.", "FILE"),
    gif: Path | None = option("Write the pictures of --from to --to.", "FILE"),
    mp4: Path | None = option("Write a film of --from to --to.", "FILE"),
    first: int | None = option("Where pictures begin.", "TICK", "--from"),
    last: int | None = option("Where pictures end.", "TICK", "--to"),
    scale: int | None = option(
        f"How many dots of a picture are one of the Game Boy's. Default: {SCALE}.", "N"
    ),
) -> None:
    """Drive the recorded steps of a run through a fresh console and compare every tick."""
    files = {PictureForm.PNG: png, PictureForm.GIF: gif, PictureForm.MP4: mp4}
    pictures = {form.value: file for form, file in files.items()}
    actions = {
        "--episode": episode,
        "--decide": decide or None,
        "--bisect": bisect or None,
        "--export": export,
        **pictures,
    }
    more = {
        "--memory": (memory, ["--decide"]),
        "--from": (first, [*pictures]),
        "--to": (last, [*pictures]),
        "--scale": (scale, [*pictures]),
    }
    _require_sense([flag for flag, given in actions.items() if given is not None], more)
    if len(runs) > (2 if bisect else 1):
        raise UsageError("--bisect takes two runs at most, and everything else one")
    err = Output(stderr=True)
    for form, file in files.items():
        if file is not None:
            shot = PictureRequest(form, file, first, last, SCALE if scale is None else scale)
            size = picture_run(runs[0], rom, shot, tell=err.say)
            err.say(f"{file}: {size:,} bytes")
            return
    if export is not None:
        size = export_run(runs[0], export, tell=err.say)
        err.say(f"{export}: {size:,} bytes")
    elif bisect:
        show_first_difference(runs, rom, err)
    elif decide:
        relived = redecide_run(runs[0], rom, memory, tell=err.say)
        err.say(f"{relived.ticks} ticks decided anew, with {relived.advice} answers of then")
        _judge(relived.divergence)
    else:
        ticks, divergence = replay_run(runs[0], rom, episode, tell=err.say)
        err.say(f"{ticks} ticks driven")
        _judge(divergence)


def _require_sense(asked: Sequence[str], more: Mapping[str, tuple[object, Sequence[str]]]) -> None:
    """Refuse two actions at once, and what goes with an action that was not asked for."""
    if len(asked) > 1:
        message = f"{asked[0]} and {asked[1]} are two different things; give one of them"
        raise UsageError(message)
    for flag, (given, wanted) in more.items():
        if given is not None and not any(each in asked for each in wanted):
            message = f"{flag} goes with {' or '.join(wanted)} alone; give that, or leave it away"
            raise UsageError(message)


def report(
    runs: list[Path] = argument("Folders of runs.", "RUN..."),
    rom: Path | None = flags.ROM,
    write: Path | None = option(
        "Write the page here. Default: report.html in the run's folder; of several runs, comparison.html.",
        "FILE",
    ),
    as_object: bool = switch(
        "--json", "Print the figures as one object, of several runs as a list."
    ),
    as_table: bool = switch("--csv", "Print the figures as a table, one row a run."),
) -> None:
    """Show what happened in a run, also while it is played or after it died; several are compared."""
    if as_object and as_table:
        raise UsageError("--json and --csv are two ways to print the same; give one")
    out = Output()
    if not (as_object or as_table):
        out.say(str(_written(runs, rom, write)))
        return
    told = gathered_runs(runs, rom)
    if write is not None:
        _written(runs, rom, write)
    if as_table:
        out.file.write(as_csv(told))
        return
    objects = [as_json(each) for each in told]
    out.say(json.dumps(objects[0] if len(objects) == 1 else objects))


def _written(runs: list[Path], rom: Path | None, to: Path | None) -> Path:
    if len(runs) == 1:
        return report_run(runs[0], rom, to)
    return write_comparison(gathered_runs(runs, rom), to or Path(PAGE))
