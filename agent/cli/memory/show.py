"""`memory show` and `memory search`: the items of a memory file, and the best matches for words."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from agent import HOME
from agent.cli.output import Output, facts, listing
from agent.errors import UsageError
from agent.shell import command
from agent.tools.report.words import (
    STATUS,
    ago,
    date,
    describe,
    evidence_text,
    game_time,
    number,
    plain,
    run_label,
)
from memory import Json, MemoryItem
from memory.inspect import FileView, Match, score_weights, view_file
from memory.recall import Weights

SHOWN: Final = 5  # of several matches for a name


def file_of(path: Path | None) -> Path:
    """Return `path`, or the default memory file."""
    return HOME / "memory.sqlite" if path is None else path


def today() -> float:
    """Return the current time in epoch seconds, up to which knowledge fades."""
    return datetime.now(UTC).timestamp()


def open_view(path: Path | None) -> AbstractContextManager[FileView]:
    """Return a context manager with a view of the file at `path`."""
    return view_file(file_of(path), now=today())


def find_item(items: Sequence[MemoryItem], name: str, lists: str) -> MemoryItem:
    """Return the item called `name`, or raise UsageError if there is none or more than one; the command `lists` the names."""
    found = [each for each in items if each.id == name] or [
        each for each in items if each.has_name(name)
    ]
    if not found:
        raise UsageError(f"nothing is called {name!r}; `{lists}` lists names")
    if len(found) > 1:
        each = ", ".join(f"{item.short} ({item.kind})" for item in found[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise UsageError(f"{name!r} may mean {each}{more}; give a longer name")
    return found[0]


FIRST: Final = ("pattern", "strategy", "mistake", "preference")  # used by decisions
# Fields that others say in words, and numbers of the cartridge.
NOT_SHOWN: Final = frozenset({"scope", "expires_s", "choices", "items", "slot"})
SHOW_HEAD: Final = ("id", "description", "evidence")
OF_THE_LAST: Final = {  # fields of a row about several battles that are of one of them
    "opponent_met": ("won_by", "won_with", "lost_in", "lost_by", "lost_at"),
    "strategy": ("context",),
    "mistake": ("outcome",),
}
LISTED_OF_RUNS: Final = ("battle", "location", "objective", "session", "stuck", "milestone_time")


def show(
    path: Path | None, name: str | None, kind: str | None, limit: int, *, as_json: bool
) -> None:
    """Show the totals of a memory file and its best items, or one item."""
    out = Output()
    path, name = _path_and_name(path, name)
    with open_view(path) as view:
        items = view.items()
        if name is not None:
            item = find_item(items, name, command("memory", "show", view.path))
            if as_json:
                out.say(json.dumps(item.as_json()))
            else:
                out.print(
                    facts(f"{item.kind} {item.short}: {describe(item)}", item_rows(item, view.now))
                )
            return
        kinds = _kinds(items, kind)
        if as_json:
            out.say(json.dumps(_object(view, items, kinds, limit)))
            return
        if kind is None:
            out.print(facts(f"{view.path}", _totals(view, items)))
            # Of a run, kinds with an entry per tick are listed only with --kind.
            kinds = [each for each in kinds if not view.is_run or each in (*FIRST, *LISTED_OF_RUNS)]
        for each in kinds:
            of_kind = _best([item for item in items if item.kind == each])
            out.print(_section(each, of_kind, limit))


def item_rows(item: MemoryItem, now: float) -> Iterable[tuple[str, str]]:
    """Yield the origin of an item, then its fields."""
    yield "id", item.id
    yield "scope", plain(item.scope)
    yield "trusted", STATUS.get(item.status, item.status)
    yield "still true", f"no: {item.closed}" if item.closed else "yes"
    lesson = f", by lesson {item.sequence:,}" if item.sequence else ""
    yield "last reported", f"at tick {item.tick:,} of run {item.run_id or 'unknown'}{lesson}"
    if item.last:
        yield "first recorded", f"{date(item.first)} ({ago(item.first, now)})"
        yield "last confirmed", f"{date(item.last)} ({ago(item.last, now)})"
    if item.game_s is not None:
        yield "game time", game_time(item.game_s)
    yield "evidence", ", ".join(item.evidence) or "none recorded"
    if item.worth is not None:
        yield "score now", f"{item.worth:.2f} of 1, forgotten below 0.30"
    for name, value in {**item.more, **item.data}.items():
        if name not in NOT_SHOWN and not name.endswith("_id"):
            last = "last " if name in OF_THE_LAST.get(item.kind, ()) else ""
            yield last + plain(name), _value_text(name, value)
    if merged := item.more.get("merged"):
        yield "merged from", number(merged)


def _value_text(name: str, value: Json) -> str:
    """Return the value of a field as text, with epoch seconds as a date."""
    dated = name.startswith(("first_", "last_")) or name.endswith("_at")
    return date(value) if dated and isinstance(value, float) and value > 1e8 else number(value)


def _path_and_name(path: Path | None, name: str | None) -> tuple[Path | None, str | None]:
    """Return file and id; a single argument that is no file is an id."""
    if path is not None and name is None and not path.exists() and not _looks_like_path(path):
        return None, str(path)
    return path, name


def _looks_like_path(path: Path) -> bool:
    return path.suffix in {".sqlite", ".db", ".sqlite3"} or path.is_absolute() or ".." in path.parts


def _kinds(items: Sequence[MemoryItem], wanted: str | None) -> list[str]:
    held = {each.kind for each in items}
    if wanted is not None and wanted not in held:
        message = f"--kind {wanted}: there is none; it has {', '.join(sorted(held)) or 'nothing'}"
        raise UsageError(message)
    if wanted is not None:
        return [wanted]
    return [each for each in FIRST if each in held] + sorted(held - {*FIRST})


def _best(items: Iterable[MemoryItem]) -> list[MemoryItem]:
    """Return the items sorted: true before closed ones, then the best proven, then by score, then newest first."""
    return sorted(
        items,
        key=lambda each: (bool(each.closed), -_proven(each), -(each.worth or 0.0), -each.tick),
    )


def _proven(item: MemoryItem) -> float:
    """Return how well the trials of a pattern or strategy prove it, from 0 to 1; 0 for another kind."""
    data: Mapping[str, Any] = item.data
    match item.kind:
        case "pattern":
            tried = data["success_count"] + data["failure_count"]
            good: float = data["success_count"]
        case "strategy":
            tried = data["total_uses"]
            good = data["success_rate"] * tried
        case _:
            return 0.0
    return (good + 1.0) / (float(tried) + 2.0)  # one of one ranks below nine of ten


def _section(kind: str, items: Sequence[MemoryItem], limit: int) -> object:
    left = f", showing {limit:,}" if len(items) > limit else ""
    title = f"{plain(kind)}: {len(items):,}{left}"
    shown = ((each.short, describe(each), evidence_text(each)) for each in items[:limit])
    return listing(title, SHOW_HEAD, shown, wide=1)


def _totals(view: FileView, items: Sequence[MemoryItem]) -> Iterable[tuple[str, str]]:
    kinds = Counter(each.kind for each in items)
    if view.is_run:
        last = max(items, key=lambda each: each.tick, default=None)
        yield "run", view.run.run_id
        if last is not None:
            yield "reached", f"tick {last.tick:,}, {game_time(last.game_s)} of game time"
        yield "checkpoints at ticks", number(list(dict.fromkeys(view.run.checkpoints.ticks())))
    else:
        total = view.totals()
        yield "sessions played", f"{total.sessions:,}"
        yield "battles decided", f"{total.battles:,}, of which {total.win_rate:.1%} were won"
        runs = ", ".join(run_label(each.run_id) for each in view.runs())
        yield "runs that added to it", runs or "none"
        yield "forgotten, in the archive", f"{view.archived():,}"
    yield "items", f"{len(items):,}: " + counts_text(kinds)
    yield "trusted", counts_text(Counter(each.status for each in items))
    yield "closed, no longer true", f"{sum(bool(each.closed) for each in items):,}"


def counts_text(kinds: Iterable[str] | Mapping[str, int]) -> str:
    """Return the number of each kind as text."""
    counts = Counter(kinds).most_common()
    return ", ".join(f"{count:,} {plain(name)}" for name, count in counts) or "nothing"


def totals_of(view: FileView) -> dict[str, Json]:
    """Return the totals of a memory file as JSON."""
    sessions, battles, win_rate = view.totals()
    figures = {"sessions": sessions, "battles": battles, "win_rate": win_rate}
    return {**figures, "archived": view.archived()}


def _object(
    view: FileView, items: Sequence[MemoryItem], kinds: Sequence[str], limit: int
) -> dict[str, Json]:
    found: dict[str, Json] = {"path": str(view.path), "is_run": view.is_run}
    if view.is_run:
        found["run"] = view.run.run_id
    else:
        found |= {**totals_of(view), "runs": [each.run_id for each in view.runs()]}
    return found | {
        "kinds": dict(Counter(each.kind for each in items)),
        "statuses": dict(Counter(each.status for each in items)),
        "closed": sum(bool(each.closed) for each in items),
        "items": {
            kind: [each.as_json() for each in _best(i for i in items if i.kind == kind)[:limit]]
            for kind in kinds
        },
    }


SEARCH_HEAD: Final = ("score", "id", "kind", "description")
PARTS: Final = ("words", "recency", "importance", "utility", "match")


def search(
    words: list[str], path: Path | None, limit: int, *, explain: bool, as_json: bool
) -> None:
    """Search all items of a file for any of some words, best first. Word stems count."""
    out, text = Output(), " ".join(words)
    if not any(each.isalnum() for each in text):
        raise UsageError(f"{text!r} has no letter and no digit; give words to search for")
    with open_view(path) as view:
        found = view.search(text, limit, lambda each: f"{plain(each.kind)} {describe(each)}")
        weights = score_weights(view)
    if as_json:
        out.say(json.dumps([_as_json(each) for each in found]))
        return
    if not found:
        out.say(f"No item has any of the words {text!r}.")
        return
    rows = (
        (f"{m.score.total:.2f}", m.item.short, plain(m.item.kind), describe(m.item)) for m in found
    )
    out.print(listing(f"{len(found)} found for {text!r}, best first", SEARCH_HEAD, rows, wide=3))
    if explain:
        out.say("A score is the weighted sum of its parts, each from 0 to 1:")
        parts = (
            [m.item.short, *(f"{getattr(m.score, name):.2f}" for name in PARTS)] for m in found
        )
        head = ["id", *(f"{name} x{getattr(weights, name):.2f}" for name in PARTS)]
        out.print(listing("score by parts", head, parts))
        out.say(_meaning(weights))


def _meaning(weights: Weights) -> str:
    half = weights.half_s
    after = f"{half / 86_400:,.0f} days" if half > 86_400 else f"{half / 60:,.0f} game minutes"
    return (
        "words: how well the text matches, 1 for the best; recency: 1 for now, half after "
        f"{after}; importance: of 10; utility: how useful its recalls were; "
        "match: whether it is about a requested place or subject, which words alone never are."
    )


def _as_json(match: Match) -> dict[str, object]:
    parts = {name: getattr(match.score, name) for name in PARTS}
    return {"score": match.score.total, "parts": parts, **match.item.as_json()}
