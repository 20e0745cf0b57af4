"""`memory check`, `forget`, `restore` and `merge`: the commands that change a memory file."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import typer
from rich.table import Table

from agent.cli.memory.show import file_of, find_item, open_view, today
from agent.cli.output import Output, listing
from agent.errors import UsageError
from agent.shell import command
from agent.tools.report.words import DAY_S, ago, counted, describe
from memory import MemoryItem
from memory.file_access import real_path
from memory.inspect import (
    FileRepair,
    check_file,
    forget_items,
    item_key,
    repair_file,
    restore_items,
)
from memory.store import CheckFinding
from memory.team_memory import MemoryManagementAgent, MergeResult

FINDINGS_HEAD: Final = ("what is wrong", "why it matters", "repair")
SORTS: Final = {
    "damage": "damaged rows and indexes",
    "contradiction": "contradictions",
    "count": "impossible figures",
    "orphan": "orphans",
    "stale": "stale items",
}


def check(path: Path | None, *, repair: bool, as_json: bool) -> None:
    """Print what is wrong with a memory file, and repair it if asked. Exits 0 when it is sound, else 1."""
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
    file: Path, findings: Sequence[CheckFinding], repaired: FileRepair | None, out: Output
) -> None:
    if repaired is not None and repaired.copy is not None:
        out.say(f"{len(repaired.fixed):,} repaired; the file before is {repaired.copy}.")
        _sections(repaired.fixed, "repaired", out)
    if not findings:
        out.say(f"{file} is sound.")
        return
    repairable = sum(each.action is not None for each in findings)
    _sections(findings, "found" if repaired is None else "not repaired", out)
    if repaired is None and repairable:
        repairs = command("memory", "check", file, "--repair")
        out.say(f"{repairable:,} of {len(findings):,} can be repaired: {repairs}")
    left = len(findings) - repairable
    if left:
        verb = "is" if left == 1 else "are"
        shows = command("memory", "show", file)
        out.say(f"{left:,} {verb} for you to decide; to see the items: {shows}")


def _sections(findings: Sequence[CheckFinding], word: str, out: Output) -> None:
    for sort, words in SORTS.items():
        of_sort = [each for each in findings if each.sort == sort]
        if of_sort:
            rows = (
                (f"{each.where}: {each.what}", each.why, each.repair or "none: decide yourself")
                for each in of_sort
            )
            out.print(listing(f"{words}, {word}: {len(of_sort):,}", FINDINGS_HEAD, rows))


def _object(
    file: Path, findings: Sequence[CheckFinding], repaired: FileRepair | None
) -> dict[str, object]:
    found = {"path": file, "sound": not findings, "findings": [each.as_json() for each in findings]}
    if repaired is None:
        return found
    fixed = [each.as_json() for each in repaired.fixed]
    return {**found, "mended": fixed, "copy": repaired.copy}


FORGET_HEAD: Final = ("id", "kind", "description", "last confirmed")


def forget(
    names: list[str] | None,
    path: Path | None,
    kind: str | None,
    older_than: float | None,
    *,
    yes: bool,
    as_json: bool,
) -> None:
    """Forget items of a memory file. They go to its archive, and a copy of the file is made."""
    out, err = Output(), Output(stderr=True)
    if not names and kind is None and older_than is None:
        raise UsageError("that would forget everything; give ids, --kind or --older-than")
    with open_view(path) as view:
        if view.is_run:
            message = f"{view.path} is the record of a run, which is not changed; name a memory file with --in"
            raise UsageError(message)
        items = view.items()
        lists = command("memory", "show", view.path)
        chosen = [find_item(items, each, lists) for each in names] if names else items
        chosen = [each for each in chosen if _is_chosen(each, kind, older_than, view.now)]
        file, now = view.path, view.now
    if chosen and not yes:
        _require_terminal(len(chosen), file)
    if not chosen:
        out.say(json.dumps({"forgotten": [], "copy": None}) if as_json else "No item matches.")
        return
    rows = ((each.short, each.kind, describe(each), ago(each.last, now)) for each in chosen)
    table = listing(f"to forget: {len(chosen):,}", FORGET_HEAD, rows, wide=2)
    (err if as_json else out).print(table)
    if not yes and not _is_confirmed(len(chosen)):
        out.say("Nothing was changed.")
        raise typer.Exit(1)
    copy = forget_items(file, {item_key(each) for each in chosen}, now=now)
    if as_json:
        gone = [{"id": each.id, "kind": each.kind, "table": each.table} for each in chosen]
        out.say(json.dumps({"forgotten": gone, "copy": str(copy)}))
        return
    summary = f"1 {chosen[0].kind}" if len(chosen) == 1 else counted(len(chosen), "item")
    out.say(f"{summary} went to the archive of {file}; the file before is {copy}.")


ARCHIVE_HEAD: Final = ("id", "kind", "description", "removed", "why")


def restore(
    names: list[str] | None, path: Path | None, kind: str | None, *, everything: bool, as_json: bool
) -> None:
    """Show the archive of a memory, or bring its items back.

    The file is copied first.
    """
    out = Output()
    with open_view(path) as view:
        if view.is_run:
            message = f"{view.path} is the record of a run, which has no archive; name a memory file with --in"
            raise UsageError(message)
        archive, file, now = view.archive(), view.path, view.now
    held = [each for each in archive if kind in {None, each.item.kind}]
    if names:
        items = [each.item for each in held]
        lists = command("memory", "restore", "--in", file)
        wanted = {item_key(find_item(items, each, lists)) for each in names}
        held = [each for each in held if item_key(each.item) in wanted]
    restores = bool(names) or everything
    copy = None
    if held and restores:
        copy = restore_items(file, {each.number for each in held}, now=today())
    if as_json:
        shown = [{**each.item.as_json(), "archived_at": each.at, "why": each.why} for each in held]
        word = "restored" if restores else "archived"
        out.say(json.dumps({word: shown, "copy": copy and str(copy)}))
        return
    if not held:
        out.say(f"The archive of {file} holds nothing that the memory does not.")
        return
    rows = (
        (each.item.short, each.item.kind, describe(each.item), ago(each.at, now), each.why)
        for each in held
    )
    word = "restored" if restores else "in the archive"
    out.print(listing(f"{word}: {len(held):,}", ARCHIVE_HEAD, rows, wide=2))
    if copy is not None:
        out.say(f"They stay until they are forgotten again; the file before is {copy}.")
    else:
        back = command("memory", "restore", "--all", "--in", file)
        out.say(f"Bring all back: {back}; or name the ids of some instead of --all.")


def _is_chosen(item: MemoryItem, kind: str | None, older_than: float | None, now: float) -> bool:
    if kind is not None and item.kind != kind:
        return False
    return older_than is None or 0 < item.last < now - older_than * DAY_S


def _require_terminal(count: int, file: Path) -> None:
    """Raise UsageError when there is no terminal on which to ask for confirmation."""
    if not sys.stdin.isatty():
        items = counted(count, "item")
        raise UsageError(
            f"{items} of {file} would be forgotten, and there is no terminal to ask; add --yes"
        )


def _is_confirmed(count: int) -> bool:
    return typer.confirm(f"Forget {'it' if count == 1 else f'these {count:,}'}?", err=True)


NAMES = {
    "tactician_patterns": "patterns",
    "successful_strategies": "strategies",
    "mistake_records": "mistakes",
    "player_preferences": "preferences",
    "ltm_entries": "long-term entries",
}


def merge(sources: list[Path], into: Path, *, as_json: bool) -> None:
    """Merge memory files; the lessons of each run count once."""
    if into.is_dir() or not real_path(into).parent.is_dir():
        raise UsageError(f"--into {into} names no file in an existing folder; name one")
    merged = MemoryManagementAgent.merge(sources, into, now=today())
    out = Output()
    if as_json:
        rows = {NAMES[name]: count for name, count in merged.rows.items()}
        out.say(json.dumps({**asdict(merged), "rows": rows}, default=str))
        return
    if not merged.changed:
        out.say(f"{into} contains all of it already; nothing was changed.")
    elif merged.copy is not None:
        out.say(f"The copy of {into} before is {merged.copy}.")
    if merged.corrected:
        rows_ = counted(merged.corrected, "row")
        out.say(f"{rows_} had a date that cannot be right, and was given one that can.")
    out.print(_table(merged, into))


def _table(merged: MergeResult, into: Path) -> Table:
    title = f"{into.name}: lessons from {counted(len(merged.runs), 'run')} merged"
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, count in merged.rows.items():
        table.add_row(NAMES[name], f"{count:,}")
    table.add_section()
    table.add_row("of these entries, confirmed by several runs", f"{merged.agreed:,}")
    table.add_row("no longer true", f"{merged.closed:,}")
    table.add_row("contradicted by another run", f"{merged.contradicted:,}")
    table.add_row("forgotten, in the archive", f"{merged.archived:,}")
    return table
