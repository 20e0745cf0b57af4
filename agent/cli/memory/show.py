"""`memory show` and `memory search`: what a file holds, and the best matches for some words."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from agent.app import HOME
from agent.cli import flags
from agent.cli.flags import argument, option, switch
from agent.cli.output import Output, facts, listing
from agent.errors import UsageError
from agent.tools.report.words import (
    STATUS,
    ago,
    date,
    figure,
    game_time,
    number,
    plain,
    run_words,
    says,
)
from memory import Json, MemoryItem
from memory.inspect import FileView, Match, view_file, weights_of
from memory.recall.query import Weights

COMMAND: Final = "python -m agent memory"
SHOWN: Final = 5  # of those that one name may mean

FILE: Final = "A file of memory, a run's folder, or its run.sqlite. Default: memory.sqlite."
SOURCE: Final = argument(FILE, "[PATH]", default=None)
IN: Final = option(FILE, "PATH", "--in")
KIND: Final = option(
    "Only this kind, such as pattern, strategy, mistake, preference, battle or waypoint.", "K"
)


def file_of(path: Path | None) -> Path:
    """Return the file that a command is about: what was named, or what play keeps by default."""
    return HOME / "memory.sqlite" if path is None else path


def today() -> float:
    """Return the date by which knowledge has faded, in epoch seconds."""
    return datetime.now(UTC).timestamp()


def looking(path: Path | None) -> AbstractContextManager[FileView]:
    """Return what lends a look at what was named."""
    return view_file(file_of(path), now=today())


def named(items: Sequence[MemoryItem], name: str) -> MemoryItem:
    """Return the one item that `name` means; raise UsageError where it means none or several."""
    found = [each for each in items if each.id == name] or [
        each for each in items if each.is_called(name)
    ]
    if not found:
        message = f"nothing is called {name!r}; `{COMMAND} show` and `search` list what there is"
        raise UsageError(message)
    if len(found) > 1:
        each = ", ".join(f"{item.short} ({item.kind})" for item in found[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        message = f"{name!r} may mean {each}{more}; give more of it"
        raise UsageError(message)
    return found[0]


FIRST: Final = ("pattern", "strategy", "mistake", "preference")  # what decides comes first
SHOW_HEAD: Final = ("id", "what it says", "rests on")
TELLING: Final = ("battle", "location", "objective", "session", "stuck", "waypoint")


def show(
    path: Path | None = SOURCE,
    name: str | None = argument(
        "Everything about this one thing; its short name, as listed, is enough.",
        "[ID]",
        default=None,
    ),
    kind: str | None = KIND,
    limit: int = option("How many of each kind to list.", default=10, min=1),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Show what a file of memory holds: totals, then the best of each kind; with an ID, one thing."""
    out = Output()
    path, name = _told_apart(path, name)
    with looking(path) as look:
        items = look.items()
        if name is not None:
            item = named(items, name)
            if as_json:
                out.say(json.dumps(item.as_json()))
            else:
                out.print(facts(f"{item.kind} {item.short}: {says(item)}", whole(item, look.now)))
            return
        kinds = _kinds(items, kind)
        if as_json:
            out.say(json.dumps(_object(look, items, kinds, limit)))
            return
        if kind is None:
            out.print(facts(f"{look.path}", _totals(look, items)))
            # Of a run not every moment and press is worth listing unasked.
            kinds = [each for each in kinds if not look.is_run or each in (*FIRST, *TELLING)]
        for each in kinds:
            of_kind = _best([item for item in items if item.kind == each])
            out.print(_section(each, of_kind, limit))


def whole(item: MemoryItem, now: float) -> Iterable[tuple[str, str]]:
    """Yield all there is to know of one item: where it comes from, then its fields."""
    yield "id", item.id
    yield "lies in", plain(item.scope)
    yield "trusted", STATUS.get(item.status, item.status)
    yield "still holds", f"no: {item.closed}" if item.closed else "yes"
    lesson = f", by lesson {item.sequence:,}" if item.sequence else ""
    yield "taught last", f"at tick {item.tick:,} of run {item.run_id or 'unknown'}{lesson}"
    if item.last:
        yield "first known", f"{date(item.first)} ({ago(item.first, now)})"
        yield "last borne out", f"{date(item.last)} ({ago(item.last, now)})"
    if item.game_s is not None:
        yield "game time", game_time(item.game_s)
    yield "evidence", ", ".join(item.evidence) or "none noted"
    if item.worth is not None:
        yield "worth now", f"{item.worth:.2f} of 1, let go of below 0.30"
    for name, value in {**item.more, **item.data}.items():
        if name not in {"scope", "expires_s"} and not name.endswith("_id"):
            yield plain(name), _told(name, value)
    if merged := item.more.get("merged"):
        yield "merged from", number(merged)


def _told(name: str, value: Json) -> str:
    """Return a field's value; epoch seconds as the day they are."""
    dated = name.startswith(("first_", "last_")) or name.endswith("_at")
    return date(value) if dated and isinstance(value, float) and value > 1e8 else number(value)


def _told_apart(path: Path | None, name: str | None) -> tuple[Path | None, str | None]:
    """Return file and id: what alone is given and is no file is an id."""
    if path is not None and name is None and not path.exists() and not _is_like_a_path(path):
        return None, str(path)
    return path, name


def _is_like_a_path(path: Path) -> bool:
    return path.suffix in {".sqlite", ".db", ".sqlite3"} or path.is_absolute() or ".." in path.parts


def _kinds(items: Sequence[MemoryItem], wanted: str | None) -> list[str]:
    held = {each.kind for each in items}
    if wanted is not None and wanted not in held:
        message = f"--kind {wanted}: there is none; it holds {', '.join(sorted(held)) or 'nothing'}"
        raise UsageError(message)
    if wanted is not None:
        return [wanted]
    return [each for each in FIRST if each in held] + sorted(held - {*FIRST})


def _best(items: Iterable[MemoryItem]) -> list[MemoryItem]:
    """Return what still holds first, of that what is worth most, then what is newest."""
    return sorted(items, key=lambda each: (bool(each.closed), -(each.worth or 0.0), -each.tick))


def _section(kind: str, items: Sequence[MemoryItem], limit: int) -> object:
    left = f", of which the first {limit:,}" if len(items) > limit else ""
    title = f"{plain(kind)}: {len(items):,}{left}"
    shown = ((each.short, says(each), figure(each)) for each in items[:limit])
    return listing(title, SHOW_HEAD, shown, wide=1)


def _totals(look: FileView, items: Sequence[MemoryItem]) -> Iterable[tuple[str, str]]:
    kinds = Counter(each.kind for each in items)
    if look.is_run:
        last = max(items, key=lambda each: each.tick, default=None)
        yield "the file of run", look.run.run_id
        if last is not None:
            yield "reached", f"tick {last.tick:,}, {game_time(last.game_s)} of game time"
        yield "moments to go back to", number(look.run.checkpoint_ticks())
    else:
        total = look.totals()
        yield "sessions played", f"{total.sessions:,}"
        yield "battles decided", f"{total.battles:,}, of which {total.win_rate:.1%} were won"
        runs = ", ".join(run_words(each.run_id) for each in look.runs())
        yield "runs that taught it", runs or "none"
        yield "let go of, in the archive", f"{look.archived():,}"
    yield "remembered", f"{len(items):,}: " + counted(kinds)
    yield "trusted", counted(Counter(each.status for each in items))
    yield "closed, no longer so", f"{sum(bool(each.closed) for each in items):,}"


def counted(kinds: Iterable[str] | Mapping[str, int]) -> str:
    """Return how many there are of each kind, in words."""
    counts = Counter(kinds).most_common()
    return ", ".join(f"{count:,} {plain(name)}" for name, count in counts) or "nothing"


def totals_of(look: FileView) -> dict[str, Json]:
    """Return the figures of what outlives runs, for machines."""
    sessions, battles, win_rate = look.totals()
    told = {"sessions": sessions, "battles": battles, "win_rate": win_rate}
    return {**told, "archived": look.archived()}


def _object(
    look: FileView, items: Sequence[MemoryItem], kinds: Sequence[str], limit: int
) -> dict[str, Json]:
    found: dict[str, Json] = {"path": str(look.path), "is_run": look.is_run}
    if look.is_run:
        found["run"] = look.run.run_id
    else:
        found |= {**totals_of(look), "runs": [each.run_id for each in look.runs()]}
    return found | {
        "kinds": dict(Counter(each.kind for each in items)),
        "statuses": dict(Counter(each.status for each in items)),
        "closed": sum(bool(each.closed) for each in items),
        "items": {
            kind: [each.as_json() for each in _best(i for i in items if i.kind == kind)[:limit]]
            for kind in kinds
        },
    }


SEARCH_HEAD: Final = ("score", "id", "kind", "what it says")
PARTS: Final = ("words", "recency", "importance", "utility", "match")


def search(
    words: list[str] = argument("What to look for.", "WORDS..."),
    path: Path | None = IN,
    limit: int = option("How many to list.", default=10, min=1, max=100),
    explain: bool = switch("--explain", "Show the parts that each score is made of."),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Search everything in a file for any of some words; word stems count, the best comes first."""
    out, text = Output(), " ".join(words)
    if not any(each.isalnum() for each in text):
        message = f"{text!r} has no letter and no figure; give words to look for"
        raise UsageError(message)
    with looking(path) as look:
        found = look.search(text, limit)
        weights = weights_of(look)
    if as_json:
        out.say(json.dumps([_as_json(each) for each in found]))
        return
    if not found:
        out.say(f"Nothing has any of the words {text!r}.")
        return
    rows = ((f"{m.score.total:.2f}", m.item.short, m.item.kind, says(m.item)) for m in found)
    out.print(
        listing(f"{len(found)} found for {text!r}, the best first", SEARCH_HEAD, rows, wide=3)
    )
    if explain:
        out.say("A score adds up its parts, each from 0 to 1, by what the part counts:")
        parts = ([m.item.short, *(f"{_part(m, name):.2f}" for name in PARTS)] for m in found)
        head = ["id", *(f"{name} x{getattr(weights, name):.2f}" for name in PARTS)]
        out.print(listing("score by parts", head, parts))
        out.say(_meaning(weights))


def _meaning(weights: Weights) -> str:
    half = weights.half_s
    after = f"{half / 86_400:,.0f} days" if half > 86_400 else f"{half / 60:,.0f} game minutes"
    return (
        "words: how well the text fits, 1 for the best; recency: 1 for now, half after "
        f"{after}; importance: of 10; utility: how useful it proved when it was recalled; "
        "match: whether it is about a place or subject that was asked for, which words alone do not."
    )


def _part(match: Match, name: str) -> float:
    return float(getattr(match.score, name))


def _as_json(match: Match) -> dict[str, object]:
    parts = {name: _part(match, name) for name in PARTS}
    return {"score": match.score.total, "parts": parts, **match.item.as_json()}
