"""`memory show`: what a file holds, from the totals down to everything about one thing."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from agent.cli.memory.source import AsJson, Source, looking, named
from agent.cli.memory.tables import facts, listing
from agent.cli.output import Output
from agent.errors import UsageError
from agent.report.words import STATUS, ago, clock, date, figure, number, plain, run_words, says
from memory import Item, Json, Look

FIRST: Final = ("pattern", "strategy", "mistake", "preference")  # what decides comes first
HEAD: Final = ("id", "what it says", "rests on")
TELLING: Final = ("battle", "location", "objective", "session", "stuck", "waypoint")

Kind = Annotated[
    str | None,
    typer.Option(
        metavar="K",
        help="Only this kind, such as pattern, strategy, mistake, preference, battle or waypoint.",
        show_default=False,
    ),
]


def show(
    path: Source = None,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="Everything about this one thing; its short name, as listed, is enough.",
            show_default=False,
        ),
    ] = None,
    kind: Kind = None,
    limit: Annotated[int, typer.Option(min=1, help="How many of each kind to list.")] = 10,
    as_json: AsJson = False,
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
            kinds = _listed(look, kinds)
        for each in kinds:
            of_kind = _best([item for item in items if item.kind == each])
            out.print(_section(each, of_kind, limit))


def whole(item: Item, now: float) -> Iterable[tuple[str, str]]:
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
        yield "game time", clock(item.game_s)
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


def _kinds(items: Sequence[Item], wanted: str | None) -> list[str]:
    held = {each.kind for each in items}
    if wanted is not None and wanted not in held:
        message = f"--kind {wanted}: there is none; it holds {', '.join(sorted(held)) or 'nothing'}"
        raise UsageError(message)
    if wanted is not None:
        return [wanted]
    return [each for each in FIRST if each in held] + sorted(held - {*FIRST})


def _listed(look: Look, kinds: Sequence[str]) -> list[str]:
    """Return the kinds worth listing unasked: of a run not every moment and press."""
    return [each for each in kinds if not look.is_run or each in (*FIRST, *TELLING)]


def _best(items: Iterable[Item]) -> list[Item]:
    """Return what still holds first, of that what is worth most, then what is newest."""
    return sorted(items, key=lambda each: (bool(each.closed), -(each.worth or 0.0), -each.tick))


def _section(kind: str, items: Sequence[Item], limit: int) -> object:
    left = f", of which the first {limit:,}" if len(items) > limit else ""
    title = f"{plain(kind)}: {len(items):,}{left}"
    shown = ((each.short, says(each), figure(each)) for each in items[:limit])
    return listing(title, HEAD, shown, wide=1)


def _totals(look: Look, items: Sequence[Item]) -> Iterable[tuple[str, str]]:
    kinds = Counter(each.kind for each in items)
    if look.is_run:
        last = max(items, key=lambda each: each.tick, default=None)
        yield "the file of run", look.run.run_id
        if last is not None:
            yield "reached", f"tick {last.tick:,}, {clock(last.game_s)} of game time"
        yield "moments to go back to", number(look.run.checkpoint_ticks())
    else:
        total = look.totals()
        yield "sessions played", f"{total.sessions:,}"
        yield "battles decided", f"{total.battles:,}, of which {total.win_rate:.1%} were won"
        yield (
            "runs that taught it",
            ", ".join(run_words(each.run_id) for each in look.runs()) or "none",
        )
        yield "let go of, in the archive", f"{look.archived():,}"
    yield "remembered", f"{len(items):,}: " + _counted(kinds)
    yield "trusted", _counted(Counter(each.status for each in items))
    yield "closed, no longer so", f"{sum(bool(each.closed) for each in items):,}"


def _counted(counts: Counter[str]) -> str:
    return (
        ", ".join(f"{count:,} {plain(name)}" for name, count in counts.most_common()) or "nothing"
    )


def _object(look: Look, items: Sequence[Item], kinds: Sequence[str], limit: int) -> dict[str, Json]:
    found: dict[str, Json] = {"path": str(look.path), "is_run": look.is_run}
    if look.is_run:
        found["run"] = look.run.run_id
    else:
        total = look.totals()
        found |= {
            "sessions": total.sessions,
            "battles": total.battles,
            "win_rate": total.win_rate,
            "archived": look.archived(),
            "runs": [each.run_id for each in look.runs()],
        }
    return found | {
        "kinds": dict(Counter(each.kind for each in items)),
        "statuses": dict(Counter(each.status for each in items)),
        "closed": sum(bool(each.closed) for each in items),
        "items": {
            kind: [each.as_json() for each in _best(i for i in items if i.kind == kind)[:limit]]
            for kind in kinds
        },
    }
