"""`replay` and `report`: replays of a run, and its report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import typer

from agent.cli import flags
from agent.cli.flags import argument, option, switch
from agent.cli.output import Output, progress
from agent.errors import UsageError
from agent.tools.report.words import counted, times

if TYPE_CHECKING:
    from agent.tools.progress import Bar
    from agent.tools.replay.difference import Difference, ValueChange

SHOWN: Final = 24  # fields, and ranges of RAM


def show_first_difference(
    runs: Sequence[Path], rom: Path | None, err: Output, *, as_json: bool
) -> None:
    """Print the first difference between a recording and its replay, or between two; exit with 1 if there is one."""
    from agent.tools.replay.operations import bisect_run, bisect_runs

    with _progress(err) as bar:
        found = (
            bisect_run(runs[0], rom, say=err.say, bar=bar)
            if len(runs) == 1
            else bisect_runs(runs[0], runs[1], rom, say=err.say, bar=bar)
        )
    for note in found.notes:
        err.say(note)
    loaded = f"power-on or a checkpoint was loaded {times(found.restores)}"
    err.say(f"{counted(found.ticks, 'tick')} replayed; {loaded}")
    if as_json:
        figures = {"ticks": found.ticks, "restores": found.restores}
        difference = found.shown and _object(found.shown)
        _exit_with(found.divergence, {**figures, "difference": difference})
    _exit_with(found.divergence, shown=found.shown)


@contextmanager
def _progress(err: Output) -> Iterator[Bar]:
    from agent.app import interrupts

    with interrupts() as interrupt, progress(err, interrupt) as bar:
        yield bar


def _exit_with(
    divergence: object, figures: Mapping[str, object] | None = None, shown: Difference | None = None
) -> NoReturn:
    """Print whether a tick differs, as JSON if there are `figures` for it, and exit with 1 if one does."""
    out = Output()
    if figures is not None:
        out.say(json.dumps({"divergence": str(divergence) if divergence else None, **figures}))
    else:
        out.say(f"divergence: {divergence or 'none'}")
    for line in _lines(shown) if shown is not None else ():
        out.say(line)
    raise typer.Exit(1 if divergence else 0)


def _object(shown: Difference) -> dict[str, object]:
    changed = {"fields": shown.fields, "ram": shown.ram}
    return {"between": shown.between} | {
        name: [each._asdict() for each in changes] for name, changes in changed.items()
    }


def _lines(shown: Difference) -> Iterator[str]:
    yield f"{shown.between}:"
    if not (shown.fields or shown.ram):
        yield "  no difference in work RAM and high RAM yet"
    yield from _first_changes(shown.fields, "fields")
    if shown.ram:
        yield "in work RAM and high RAM, outside of all fields:"
        yield from _first_changes(shown.ram, "ranges")


def _first_changes(changes: Sequence[ValueChange], what: str) -> Iterator[str]:
    yield from (f"  {change}" for change in changes[:SHOWN])
    if len(changes) > SHOWN:
        yield f"  and {len(changes) - SHOWN} more {what}"


SCALE: Final = 3


def replay(
    runs: list[Path] = argument(
        "The folder of a run, `last`, or an exported replay; --bisect takes one or two.",
        "RUN...",
        callback=flags.runs_named,
    ),
    rom: Path | None = flags.ROM,
    episode: int | None = option("Replay up to the end of the Nth time the run got stuck.", "N"),
    decide: bool = switch(
        "--decide", "Decide every step again, with the recorded advice, and compare. Asks no model."
    ),
    bisect: bool = switch(
        "--bisect",
        "Find the first tick that differs from a replay, or between two recordings, and what differs.",
    ),
    export: Path | None = option(
        "Write a file that can be replayed elsewhere, without any cartridge data.", "FILE"
    ),
    png: Path | None = option("Write the picture at the end of tick --to.", "FILE"),
    gif: Path | None = option("Write the pictures of --from to --to.", "FILE"),
    mp4: Path | None = option("Write a video of --from to --to.", "FILE"),
    first: int | None = option("The first tick of the pictures.", "TICK", "--from"),
    last: int | None = option("The last tick of the pictures.", "TICK", "--to"),
    scale: int | None = option(
        f"Enlarge each Game Boy pixel to N x N pixels. Default: {SCALE}.", "N"
    ),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Replay the recorded steps of a run and compare every tick."""
    from agent.tools.replay.operations import (
        PictureForm,
        PictureRequest,
        export_run,
        picture_run,
        redecide_run,
        replay_run,
    )

    files = {PictureForm.PNG: png, PictureForm.GIF: gif, PictureForm.MP4: mp4}
    actions = {
        "--episode": episode,
        "--decide": decide or None,
        "--bisect": bisect or None,
        "--export": export,
        **{form.value: file for form, file in files.items()},
    }
    more = {"--from": first, "--to": last, "--scale": scale}
    _require_one_action([flag for flag, given in actions.items() if given is not None], more)
    if len(runs) > (2 if bisect else 1):
        raise UsageError("--bisect takes at most two runs, and all other options one")
    err = Output(stderr=True)
    for form, file in files.items():
        if file is not None:
            shot = PictureRequest(form, file, first, last, SCALE if scale is None else scale)
            with _progress(err) as bar:
                size = picture_run(runs[0], rom, shot, say=err.say, bar=bar)
            _say_written(file, size, as_json=as_json)
            return
    if export is not None:
        size = export_run(runs[0], export, say=err.say)
        _say_written(export, size, as_json=as_json)
    elif bisect:
        show_first_difference(runs, rom, err, as_json=as_json)
    elif decide:
        with _progress(err) as bar:
            redecided = redecide_run(runs[0], rom, say=err.say, bar=bar)
        answers = counted(redecided.advice, "recorded answer")
        err.say(f"{counted(redecided.ticks, 'tick')} decided again, with {answers}")
        decided = {
            "ticks": redecided.ticks,
            "answers": redecided.advice,
            "digest": redecided.digest,
        }
        _exit_with(redecided.divergence, decided if as_json else None)
    else:
        with _progress(err) as bar:
            replayed = replay_run(runs[0], rom, episode, say=err.say, bar=bar)
        err.say(f"{counted(replayed.ticks, 'tick')} replayed")
        figures = {"ticks": replayed.ticks, "digest": replayed.digest}
        _exit_with(replayed.divergence, figures if as_json else None)


def _say_written(file: Path, size: int, *, as_json: bool) -> None:
    if as_json:
        Output().say(json.dumps({"file": str(file), "bytes": size}))
    else:
        Output(stderr=True).say(f"{file}: {counted(size, 'byte')}")


def _require_one_action(asked: Sequence[str], of_pictures: Mapping[str, object]) -> None:
    """Raise UsageError for two actions at once, and for an option of pictures without one."""
    from agent.tools.replay.operations import PictureForm

    if len(asked) > 1:
        raise UsageError(f"{asked[0]} and {asked[1]} are two different actions; give only one")
    wanted = [each.value for each in PictureForm]
    for flag, given in of_pictures.items():
        if given is not None and not any(each in asked for each in wanted):
            message = f"{flag} only goes with {' or '.join(wanted)}; give that, or leave it out"
            raise UsageError(message)


def report(
    runs: list[Path] = argument(
        "Folders of runs; `last` is the one played last.", "RUN...", callback=flags.runs_named
    ),
    rom: Path | None = flags.ROM,
    write: Path | None = option(
        "Write the page here. Default: report.html in the run's folder; comparison.html for several runs.",
        "FILE",
    ),
    expected: Path | None = option(
        "Show the figures of rehearsed games, which `rehearse --write` wrote, beside those of the run.",
        "FILE",
    ),
    facts: bool = switch(
        "--facts",
        "Write to --to what was decoded and decided around a moment, for a public issue: `rehearse --from` begins there.",
    ),
    to: Path | None = option("The file of --facts.", "FILE"),
    at: int | None = option("The tick of --facts. Default: the last one.", "TICK"),
    as_object: bool = switch(
        "--json", "Print the figures as one JSON object; several runs as a list."
    ),
    as_table: bool = switch("--csv", "Print the figures as CSV, one row per run."),
) -> None:
    """Write the report of a run, or a comparison of several. Works during play and after a crash."""
    from agent.tools.report.comparison import as_csv, as_json
    from agent.tools.report.page import read_runs_data

    if as_object and as_table:
        raise UsageError("--json and --csv are two formats of the same; give only one")
    if facts or to is not None or at is not None:
        _write_facts(runs, rom, to if facts else None, at)
        return
    if expected is not None and (as_object or as_table or len(runs) > 1):
        raise UsageError(
            "--expected is for the page of one run; leave out --json, --csv and others"
        )
    out = Output()
    if not (as_object or as_table):
        out.say(str(_write_report(runs, rom, write, expected)))
        return
    gathered = read_runs_data(runs, rom)
    if write is not None:
        _write_report(runs, rom, write)
    if as_table:
        out.file.write(as_csv(gathered))
        return
    objects = [as_json(each) for each in gathered]
    out.say(json.dumps(objects[0] if len(objects) == 1 else objects))


def _write_facts(runs: list[Path], rom: Path | None, to: Path | None, at: int | None) -> None:
    from agent.tools.replay.facts import write_facts

    if to is None or len(runs) > 1:
        raise UsageError("--facts takes one run, and goes with --to FILE; give both")
    err = Output(stderr=True)
    with _progress(err) as bar:
        size = write_facts(runs[0], to, rom, at, say=err.say, bar=bar)
    err.say(f"{to}: {counted(size, 'byte')}")


def _write_report(
    runs: list[Path], rom: Path | None, to: Path | None, expected: Path | None = None
) -> Path:
    from agent.tools.report.comparison import PAGE, unlike, write_comparison
    from agent.tools.report.expected import ExpectedGame
    from agent.tools.report.page import read_runs_data, report_run

    if len(runs) == 1:
        beside = ExpectedGame.read(expected) if expected is not None else None
        return report_run(runs[0], rom, to, beside)
    gathered = read_runs_data(runs, rom)
    written = write_comparison(gathered, to or Path(PAGE))
    if words := unlike(gathered):
        Output(stderr=True).say(words)
    return written
