"""`memory export`: writes all items of a file in a stable order, as JSON or CSV."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from operator import attrgetter
from os.path import lexists
from pathlib import Path
from typing import Final

from agent.cli.memory.show import open_view, totals_of
from agent.cli.output import Output
from agent.errors import UsageError
from agent.tools.report.words import counted, date, describe, evidence_text, game_time
from memory import Json, MemoryItem
from memory.codec import valid_unicode
from memory.file_access import write_file
from memory.inspect import FileView

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
COLUMNS: Final[Mapping[str, Callable[[MemoryItem], object]]] = {
    "kind": attrgetter("kind"),
    "id": attrgetter("id"),
    "says": describe,
    "rests on": evidence_text,
    "status": attrgetter("status"),
    "closed": attrgetter("closed"),
    "run": attrgetter("run_id"),
    "lesson": attrgetter("sequence"),
    "tick": attrgetter("tick"),
    "game time": lambda item: "" if item.game_s is None else game_time(item.game_s),
    "last borne out": lambda item: date(item.last) if item.last else "",
    "worth": lambda item: "" if item.worth is None else f"{item.worth:.4f}",
    "evidence": lambda item: " | ".join(item.evidence),
    "data": lambda item: json.dumps(item.data, sort_keys=True, ensure_ascii=False),
}


def export(to: Path, path: Path | None) -> None:
    """Write all items of a memory file to a new file."""
    write = {".json": _json, ".csv": _table}.get(to.suffix.lower())
    if write is None:
        raise UsageError(f"--to {to} ends in neither .json nor .csv; give it one of these endings")
    if lexists(to):
        raise UsageError(f"--to {to} exists; name a file that does not")
    if not to.parent.is_dir():
        raise UsageError(f"--to {to} is in no folder that exists; create {to.parent} first")
    with open_view(path) as view:
        items = sorted(view.items(), key=lambda each: (each.kind, each.scope, each.id))
        words = write(view, items)
        file = view.path
    try:
        write_file(to, valid_unicode(words), replaces=False)
    except OSError as error:
        message = f"--to {to} cannot be written ({error.strerror}); name another file"
        raise UsageError(message) from error
    Output().say(f"{counted(len(items), 'item')} of {file} written to {to}.")


def _json(view: FileView, items: Sequence[MemoryItem]) -> str:
    found: dict[str, Json] = {"path": str(view.path), **_heads(view)}
    found["items"] = [each.as_json() for each in items]
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _heads(view: FileView) -> dict[str, Json]:
    if view.is_run:
        return {"run": view.run.run_id, "checkpoints": view.run.checkpoints.ticks()}
    runs: list[Json] = [{"run": each.run_id, "lessons": each.lessons} for each in view.runs()]
    return {**totals_of(view), "runs": runs}


def _table(_view: FileView, items: Sequence[MemoryItem]) -> str:
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for each in items:
        rows.writerow(_without_formula(read(each)) for read in COLUMNS.values())
    return text.getvalue()


def _without_formula(cell: object) -> object:
    """Return a cell that no spreadsheet reads as a formula; a nickname may look like one."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
