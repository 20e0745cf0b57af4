"""`memory map`: the scopes of a memory file, the edges between them, and its gaps."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from agent.cli.memory.show import counts_text, open_view
from agent.cli.output import Output, facts, listing
from agent.tools.report.words import ago, counted, game_time, plain, run_label
from memory import Json, MemoryItem
from memory.blackboard.entry import Scope
from memory.flow.memory_map import MemoryMap
from memory.inspect import FileView

SCOPES: Final = ("place", "holds", "ticks", "policies")
EDGES: Final = ("edge", "how and when", "from", "to", "done", "waiting")
TRIGGERS: Final = tuple(
    (re.compile(spelling), words)
    for spelling, words in (
        (r"OnDemand\(\)", "when asked"),
        (r"Threshold\(least=(\d+), most=\1\)", r"from \1 entry on"),
        (r"Threshold\(least=\d+, most=(\d+)\)", r"when asked or at \1 entries"),
        (r"Periodic\(every_s=(\d+)\.0\)", r"every \1 game seconds"),
        (r"Fullness\(share=0\.(\d)\)", r"when \g<1>0% full"),
        (r"AllOf\(triggers=\(([^()]*), ([^()]*)\)\)", r"\1 and \2"),
        (r"AnyOf\(triggers=\(([^()]*), ([^()]*)\)\)", r"\1 or \2"),
    )
)


def map_memory(path: Path | None, *, as_json: bool) -> None:
    """Show the scopes of memory, the edges between them, and gaps."""
    out = Output()
    with open_view(path) as view:
        if not view.is_run:
            _show_knowledge(view, out, as_json=as_json)
            return
        maps = view.maps()
        if as_json:
            out.say(json.dumps({name: _object(each) for name, each in maps.items()}))
            return
        for name, each in maps.items():
            _show_map(name, each, out)
        if not maps:
            out.say(f"{view.path} has no memory yet.")


def _show_map(agent: str, found: MemoryMap, out: Output) -> None:
    rows = (
        (
            _short(name),
            counts_text(scope.kinds),
            "none"
            if scope.oldest_tick is None
            else f"{scope.oldest_tick:,} to {scope.newest_tick:,}",
            _policies(scope.policies),
        )
        for name, scope in found.scopes.items()
    )
    title = f"the memory of agent {agent!r}: {counted(found.count, 'entry', 'entries')}, {found.pending:,} waiting"
    out.print(listing(title, SCOPES, rows, wide=1))
    edges = (
        (
            each.name,
            f"{plain(each.transformer)}, {_trigger(each.trigger)}",
            _short(each.source),
            _short(each.target),
            f"{each.carried:,}",
            f"{each.pending:,}",
        )
        for each in found.edges
    )
    out.print(listing("edges between scopes", EDGES, edges, wide=1))
    out.print(facts("gaps", _numbered(found.gaps, "no gaps")))
    out.print(facts("problems", _numbered(found.problems, "nothing")))


def _show_knowledge(view: FileView, out: Output, *, as_json: bool) -> None:
    places = defaultdict[str, list[MemoryItem]](list)
    for item in view.items():
        places[item.scope].append(item)
    runs = view.runs()
    if as_json:
        held = {name: _scope_counts(each) for name, each in places.items()}
        run_rows = [each._asdict() for each in runs]
        out.say(json.dumps({"scopes": held, "runs": run_rows, "archived": view.archived()}))
        return
    rows = (
        (
            plain(name),
            counts_text(each.kind for each in items),
            f"{sum(bool(each.closed) for each in items):,}",
            _ages(items, view.now),
        )
        for name, items in places.items()
    )
    head = ("place", "holds", "closed", "last confirmed")
    out.print(listing(f"{view.path}: memory kept between runs", head, rows, wide=1))
    added = ((run_label(each.run_id), f"{each.lessons:,}", f"{each.held:,}") for each in runs)
    out.print(listing("runs that added to it", ("run", "lessons", "still here"), added))
    out.print(facts("gaps", _numbered(_gaps(places), "no gaps")))


def _gaps(places: dict[str, list[MemoryItem]]) -> list[str]:
    held = {each.kind for items in places.values() for each in items if not each.closed}
    wanted = ("pattern", "strategy", "mistake", "preference", "milestone_time", "battle", "session")
    return [f"no {kind} is known" for kind in wanted if kind not in held]


def _scope_counts(items: Sequence[MemoryItem]) -> dict[str, Json]:
    dates = [each.last for each in items if each.last]
    return {
        "kinds": dict(Counter(each.kind for each in items)),
        "closed": sum(bool(each.closed) for each in items),
        "claims": sum(each.status == "claim" for each in items),
        "oldest": min(dates, default=None),
        "newest": max(dates, default=None),
    }


def _ages(items: Sequence[MemoryItem], now: float) -> str:
    dates = sorted(each.last for each in items if each.last)
    if not dates:
        return "no date recorded"
    oldest, newest = ago(dates[0], now), ago(dates[-1], now)
    return newest if oldest == newest else f"{oldest} to {newest}"


def _policies(scope: Scope) -> str:
    parts = [f"up to {scope.capacity:,}"]
    if scope.tokens is not None:
        parts.append(f"{scope.tokens:,} tokens")
    if scope.ttl_s is not None:
        parts.append(f"for {game_time(scope.ttl_s)}")
    if scope.decay_per_min:
        parts.append(f"fades {scope.decay_per_min:.0%} a minute")
    return ", ".join(parts)


def _trigger(trigger: str) -> str:
    """Return when an edge is carried, in words where they are known."""
    for spelling, words in TRIGGERS:
        trigger = spelling.sub(words, trigger)
    return trigger.replace(" ,", ",")


def _short(scope: str) -> str:
    """Return a scope name without its agent, which the title names."""
    return scope.split(":", 2)[2] if scope.startswith("agent:") else scope


def _numbered(lines: Iterable[str], nothing: str) -> list[tuple[str, str]]:
    return [(str(number), line) for number, line in enumerate(lines, 1)] or [("", nothing)]


def _object(found: MemoryMap) -> dict[str, Json]:
    table: dict[str, Any] = asdict(found)
    for scope in table["scopes"].values():
        policies = scope.pop("policies")
        scope |= {name: policies[name] for name in ("capacity", "ttl_s", "decay_per_min", "tokens")}
    return table
