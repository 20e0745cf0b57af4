"""`memory export`: everything in a file, in a stable order, for machines or for reading."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import StringIO
from operator import attrgetter
from pathlib import Path
from typing import Final

from agent.cli.flags import option
from agent.cli.memory.show import SOURCE, looking, totals_of
from agent.cli.output import Output
from agent.errors import UsageError
from agent.tools.report.words import date, figure, game_time, plain, says
from memory import Json, MemoryItem
from memory.inspect import FileView

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_ESCAPED: Final = str.maketrans({each: f"\\{each}" for each in "\\`*[]<>"})
COLUMNS: Final[Mapping[str, Callable[[MemoryItem], object]]] = {
    "kind": attrgetter("kind"),
    "id": attrgetter("id"),
    "says": says,
    "rests on": figure,
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


def export(
    to: Path = option(
        "The file to write: .json for machines, .csv for tables, .md for reading.",
        "FILE",
        default=...,
    ),
    path: Path | None = SOURCE,
) -> None:
    """Write everything that a file of memory holds to another file, which must not exist yet."""
    spell = {".json": _json, ".md": _page, ".csv": _table}.get(to.suffix.lower())
    if spell is None:
        message = f"--to {to} ends in none of .json, .md and .csv; give it one of these endings"
        raise UsageError(message)
    if to.exists():
        message = f"--to {to} exists; name a file that does not"
        raise UsageError(message)
    if not to.parent.is_dir():
        message = f"--to {to} is in no folder that exists; make {to.parent} first"
        raise UsageError(message)
    with looking(path) as look:
        items = sorted(look.items(), key=lambda each: (each.kind, each.scope, each.id))
        words = spell(look, items)
        file = look.path
    to.touch(exist_ok=False)  # whoever made one meanwhile keeps it
    to.write_text(words, encoding="utf-8", newline="")
    Output().say(f"{len(items):,} things of {file} are in {to}.")


def _json(look: FileView, items: Sequence[MemoryItem]) -> str:
    found: dict[str, Json] = {"path": str(look.path), **_heads(look)}
    found["items"] = [each.as_json() for each in items]
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _heads(look: FileView) -> dict[str, Json]:
    if look.is_run:
        return {"run": look.run.run_id, "checkpoints": look.run.checkpoint_ticks()}
    runs: list[Json] = [{"run": each.run_id, "lessons": each.lessons} for each in look.runs()]
    return {**totals_of(look), "runs": runs}


def _table(_look: FileView, items: Sequence[MemoryItem]) -> str:
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for each in items:
        rows.writerow(_inert(tell(each)) for tell in COLUMNS.values())
    return text.getvalue()


def _inert(cell: object) -> object:
    """Return a cell that no table takes for a formula: what somebody is called may begin like one."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _page(look: FileView, items: Sequence[MemoryItem]) -> str:
    return "\n".join(_lines(look, items)) + "\n"


def _lines(look: FileView, items: Sequence[MemoryItem]) -> Iterator[str]:
    yield f"# What {look.path.name} remembers"
    yield ""
    if look.is_run:
        yield f"The run {look.run.run_id}: {len(items):,} entries."
    else:
        total = look.totals()
        yield (
            f"{total.sessions:,} sessions, {total.battles:,} battles decided, {total.win_rate:.1%} of them won."
        )
    kind = ""
    for each in items:
        if each.kind != kind:
            kind = each.kind
            yield ""
            yield f"## {plain(kind).capitalize()}"
            yield ""
        evidence = ", ".join(f"`{source}`" for source in each.evidence) or "no evidence noted"
        yield (
            f"- **{_flat(says(each))}** ({figure(each)}; {each.status}; `{each.short}`), "
            f"tick {each.tick:,} of run `{each.run_id or 'unknown'}`; {evidence}"
        )


def _flat(words: str) -> str:
    """Return words in one line that no reader of the page takes for its marks: no picture is fetched, no tag is run."""
    return " ".join(words.split()).translate(_ESCAPED)
