"""`memory check`: what is wrong with a file of memory, and its repair."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from agent.cli.memory.source import COMMAND, AsJson, Source, file_of, today
from agent.cli.memory.tables import listing
from agent.cli.output import Output
from memory import (
    CorruptStore,
    Finding,
    Repaired,
    Salvaged,
    check_file,
    repair_file,
    salvage,
)

HEAD: Final = ("what is wrong", "why it matters", "repair")
SORTS: Final = {
    "damage": "damaged rows and indexes",
    "contradiction": "contradictions",
    "count": "figures that cannot be",
    "orphan": "what belongs to nothing",
    "stale": "what has outlived its use",
}


def check(
    path: Source = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Put right what has an obvious right answer, after keeping a copy of the file; of a file "
            "that is torn, save what can be read in a new one.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look for contradictions, figures that cannot be, orphans and what is stale. Exits 0 when all is sound, else 1."""
    file, out = file_of(path), Output()
    try:
        repaired = repair_file(file, now=today()) if repair else None
        findings = list(repaired.remaining) if repaired else check_file(file, now=today())
    except CorruptStore as error:
        if not repair:
            message = f"{str(error).rstrip('.')}; `{COMMAND} check {file} --repair` saves what can still be read"
            raise CorruptStore(message) from error
        torn = file / "run.sqlite" if file.is_dir() else file
        _tell_of_salvage(torn, salvage(torn), out, as_json=as_json)
        raise typer.Exit(1) from None
    if as_json:
        out.say(json.dumps(_object(file, findings, repaired)))
    else:
        _print(file, findings, repaired, out)
    if findings:
        raise typer.Exit(1)


def _print(file: Path, findings: Sequence[Finding], repaired: Repaired | None, out: Output) -> None:
    if repaired is not None and repaired.copy is not None:
        out.say(f"{len(repaired.mended):,} put right; the file as it was is {repaired.copy}.")
        _sections(repaired.mended, "put right", out)
    if not findings:
        out.say(f"{file} is sound.")
        return
    mendable = sum(each.mend is not None for each in findings)
    _sections(findings, "found" if repaired is None else "left to you", out)
    if repaired is None and mendable:
        out.say(
            f"{mendable:,} of {len(findings):,} can be put right: {COMMAND} check {file} --repair"
        )
    left = len(findings) - mendable
    if left:
        verb = "is" if left == 1 else "are"
        out.say(f"{left:,} {verb} for you to judge: {COMMAND} show, explain or forget ID")


def _sections(findings: Sequence[Finding], word: str, out: Output) -> None:
    for sort, words in SORTS.items():
        of_sort = [each for each in findings if each.sort == sort]
        if of_sort:
            rows = (
                (f"{each.where}: {each.what}", each.why, each.repair or "none: judge yourself")
                for each in of_sort
            )
            out.print(listing(f"{words}, {word}: {len(of_sort):,}", HEAD, rows))


def _tell_of_salvage(file: Path, saved: Salvaged, out: Output, *, as_json: bool) -> None:
    remaining = list(repair_file(saved.path, now=today()).remaining)
    if as_json:
        found = {
            "path": str(file),
            "salvaged": str(saved.path),
            "saved": saved.saved,
            "lost": saved.lost,
        }
        out.say(json.dumps(found | {"findings": [each.as_json() for each in remaining]}))
        return
    rows = ((name.replace("_", " "), f"{count:,}") for name, count in saved.saved.items())
    out.print(listing(f"saved from {file}", ("table", "rows"), rows))
    lost = f"; {saved.lost:,} more were met that nobody can read" if saved.lost else ""
    out.say(
        f"{saved.count:,} rows are in {saved.path}{lost}. How many there were, the damage hides."
    )
    out.say(
        f"{file} stays as it is. To go on with what was saved, move it away, with {file.name}-wal and {file.name}-shm "
        f"if they are there, and give the new file its name."
    )
    if saved.schema.name.startswith("run"):
        out.say(
            "A run can be looked into then; it can be resumed and replayed only if no step is missing."
        )
    if remaining:
        _sections(remaining, "left to you", out)


def _object(
    file: Path, findings: Sequence[Finding], repaired: Repaired | None
) -> dict[str, object]:
    found: dict[str, object] = {
        "path": str(file),
        "sound": not findings,
        "findings": [each.as_json() for each in findings],
    }
    if repaired is not None:
        found["mended"] = [each.as_json() for each in repaired.mended]
        found["copy"] = None if repaired.copy is None else str(repaired.copy)
    return found
