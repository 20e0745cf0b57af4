"""`memory check`, `memory forget` and `memory merge`: the commands that change a file of memory."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import typer
from rich.table import Table

from agent.cli import flags
from agent.cli.flags import argument, option, switch
from agent.cli.memory.show import COMMAND, IN, KIND, SOURCE, file_of, looking, named, today
from agent.cli.output import Output, listing
from agent.errors import UsageError
from agent.tools.report.words import DAY_S, ago, says
from memory import MemoryItem
from memory.inspect import Repaired, check_file, let_go_of, name_of, repair_file
from memory.store.checks.finding import CheckFinding
from memory.store.merge import Merged
from memory.team_memory import MemoryManagementAgent

FINDINGS_HEAD: Final = ("what is wrong", "why it matters", "repair")
SORTS: Final = {
    "damage": "damaged rows and indexes",
    "contradiction": "contradictions",
    "count": "figures that cannot be",
    "orphan": "what belongs to nothing",
    "stale": "what has outlived its use",
}


def check(
    path: Path | None = SOURCE,
    repair: bool = switch(
        "--repair", "Put right what has an obvious right answer, after keeping a copy of the file."
    ),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Look for contradictions, figures that cannot be, orphans and what is stale. Exits 0 when all is sound, else 1."""
    file, out = file_of(path), Output()
    repaired = repair_file(file, now=today()) if repair else None
    findings = list(repaired.remaining) if repaired else check_file(file, now=today())
    if as_json:
        out.say(json.dumps(_object(file, findings, repaired), default=str))
    else:
        _print(file, findings, repaired, out)
    if findings:
        raise typer.Exit(1)


def _print(
    file: Path, findings: Sequence[CheckFinding], repaired: Repaired | None, out: Output
) -> None:
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


def _sections(findings: Sequence[CheckFinding], word: str, out: Output) -> None:
    for sort, words in SORTS.items():
        of_sort = [each for each in findings if each.sort == sort]
        if of_sort:
            rows = (
                (f"{each.where}: {each.what}", each.why, each.repair or "none: judge yourself")
                for each in of_sort
            )
            out.print(listing(f"{words}, {word}: {len(of_sort):,}", FINDINGS_HEAD, rows))


def _object(
    file: Path, findings: Sequence[CheckFinding], repaired: Repaired | None
) -> dict[str, object]:
    found = {"path": file, "sound": not findings, "findings": [each.as_json() for each in findings]}
    if repaired is None:
        return found
    mended = [each.as_json() for each in repaired.mended]
    return {**found, "mended": mended, "copy": repaired.copy}


FORGET_HEAD: Final = ("id", "kind", "what it says", "borne out")


def forget(
    names: list[str] | None = argument(
        "What to let go of, by ids or short names.", "[ID]...", default=None
    ),
    path: Path | None = IN,
    kind: str | None = KIND,
    older_than: float | None = option(
        "Only what nothing has borne out for so many days.", "DAYS", min=0
    ),
    yes: bool = switch("--yes", "Do not ask."),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Let go of some things that outlive runs. They go to the file's archive, and a copy of the file is kept."""
    out, err = Output(), Output(stderr=True)
    if not names and kind is None and older_than is None:
        message = "that would be everything; name ids, or --kind and --older-than"
        raise UsageError(message)
    with looking(path) as look:
        if look.is_run:
            message = f"{look.path} is the record of a run, which stays whole; name a file of memory with --in"
            raise UsageError(message)
        items = look.items()
        chosen = [named(items, each) for each in names] if names else items
        chosen = [each for each in chosen if _is_meant(each, kind, older_than, look.now)]
        file, now = look.path, look.now
    if not chosen:
        out.say(json.dumps({"forgotten": [], "copy": None}) if as_json else "Nothing is like that.")
        return
    rows = ((each.short, each.kind, says(each), ago(each.last, now)) for each in chosen)
    listed = listing(f"to let go of: {len(chosen):,}", FORGET_HEAD, rows, wide=2)
    (err if as_json else out).print(listed)
    if not yes and not _agreed(len(chosen), file):
        out.say("Nothing was changed.")
        raise typer.Exit(1)
    copy = let_go_of(file, {name_of(each) for each in chosen}, now=now)
    if as_json:
        gone = [{"id": each.id, "kind": each.kind, "table": each.table} for each in chosen]
        out.say(json.dumps({"forgotten": gone, "copy": str(copy)}))
        return
    told = f"1 {chosen[0].kind}" if len(chosen) == 1 else f"{len(chosen):,} things"
    out.say(f"{told} went to the archive of {file}; the file as it was is {copy}.")


def _is_meant(item: MemoryItem, kind: str | None, older_than: float | None, now: float) -> bool:
    if kind is not None and item.kind != kind:
        return False
    return older_than is None or 0 < item.last < now - older_than * DAY_S


def _agreed(count: int, file: Path) -> bool:
    """Ask on a terminal; elsewhere nobody could answer."""
    if not sys.stdin.isatty():
        message = f"{count:,} would go from {file}, and nobody is there to ask; add --yes"
        raise UsageError(message)
    return typer.confirm(f"Let go of {'it' if count == 1 else f'these {count:,}'}?", err=True)


NAMES = {
    "tactician_patterns": "patterns",
    "successful_strategies": "strategies",
    "mistake_records": "mistakes",
    "player_preferences": "preferences",
    "ltm_entries": "long-term entries",
}


def merge(
    sources: list[Path] = argument("Memory files; they are only read.", "A B [MORE...]"),
    into: Path = option(
        "Where the one memory goes. One that is there is taken in, and a copy of it kept.",
        "C",
        default=...,
    ),
    as_json: bool = switch("--json", "Print what came of it as one JSON object."),
) -> None:
    """Make several memories one: what each run taught counts once, whatever copies it is in."""
    if into.is_dir() or not into.resolve().parent.is_dir():
        message = f"--into {into} names no file in a folder that exists; name one"
        raise UsageError(message)
    merged = MemoryManagementAgent.merge(sources, into)
    out = Output()
    if as_json:
        rows = {NAMES[name]: count for name, count in merged.rows.items()}
        out.say(json.dumps({**asdict(merged), "rows": rows}, default=str))
        return
    if not merged.changed:
        out.say(f"{into} holds all of it already; nothing was changed.")
    elif merged.copy is not None:
        out.say(f"What {into} was before is kept as {merged.copy}.")
    out.print(_table(merged, into))


def _table(merged: Merged, into: Path) -> Table:
    runs = "1 run" if len(merged.runs) == 1 else f"{len(merged.runs):,} runs"
    table = Table(title=f"{into.name}: what {runs} taught", title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, count in merged.rows.items():
        table.add_row(NAMES[name], f"{count:,}")
    table.add_section()
    table.add_row("of these entries, agreed on by several runs", f"{merged.agreed:,}")
    table.add_row("known not to hold any more", f"{merged.closed:,}")
    table.add_row("words that another run's outweigh", f"{merged.contradicted:,}")
    table.add_row("let go of, kept in the archive", f"{merged.archived:,}")
    return table
