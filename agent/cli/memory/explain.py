"""`memory explain`: the evidence of an item, and when it will be forgotten."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from math import log
from pathlib import Path
from typing import Final

from agent import HOME
from agent.cli.memory.show import find_item, open_view
from agent.cli.output import Output, facts
from agent.events import ActionEvent, events
from agent.shell import command
from agent.tools.report.words import (
    DAY_S,
    STATUS,
    ago,
    counted,
    date,
    describe,
    describe_data,
    game_time,
)
from emulator import FRAMES_PER_SECOND
from memory import MemoryFault, MemoryItem, RunReader, read_run
from memory.file_access import read_toml
from memory.inspect import FileView
from memory.tiers import ConsolidationConfig

_BATTLE: Final = re.compile(r"battle:(?P<id>.*)@(?P<tick>\d+)")
_ENTRY: Final = re.compile(r"(?P<run>[^/]+)/(?P<number>\d+)")
_OF_KIND: Final = re.compile(r"(?P<kind>[a-z_]+):(?P<id>.+)", re.DOTALL)


class EvidenceReader:
    """Describes evidence from the items of the file, and from run folders that are found."""

    def __init__(self, items: Sequence[MemoryItem], folder: Path, run: Path | None = None) -> None:
        self._by_id = {each.id: each for each in items}
        self._folder = folder
        self._run = run
        self._runs: dict[str, Path | None] = {}

    def describe(self, source: str, of: MemoryItem) -> str:
        """Return a description of `source`, which is recorded as evidence of an item."""
        run_id = of.run_id
        item = self._by_id.get(source) or self._by_id.get(f"{run_id}/{source}")
        if item is not None:
            return f"{item.kind} {item.short}: {describe(item)}"
        if source.startswith("run:"):
            return f"run {source[4:]}"
        if source.startswith("tick:") and source[5:].isdigit():
            return self._moment(run_id, int(source[5:]), _place_of(of))
        if (battle := _BATTLE.fullmatch(source)) is not None:
            return self._battle(run_id, battle["id"], int(battle["tick"]))
        if (entry := _ENTRY.fullmatch(source)) is not None:
            return f"entry {int(entry['number']):,} of run {entry['run']}"
        if (of_kind := _OF_KIND.fullmatch(source)) is not None:
            return self._live_entry(run_id, of_kind["kind"], source)
        return source

    def where(self, run_id: str) -> str:
        """Return a description of a run and its folder."""
        path = self._path(run_id)
        return f"run {run_id}, {path}" if path else f"run {run_id}, whose folder was not found"

    def _battle(self, run_id: str, name: str, tick: int) -> str:
        enemy = name.partition(":")[2] or name
        begin_text = f"the battle against {enemy} that began at tick {tick:,}"
        with self._opened(run_id) as run:
            battles = [each.payload for each in run.record.events("battle")] if run else []
        for event in battles:
            if event.get("battle_id") == name and event.get("start_tick") == tick:
                return f"{begin_text}: {describe_data('battle', event)}"
        return begin_text

    def _live_entry(self, run_id: str, kind: str, key: str) -> str:
        with self._opened(run_id) as run:
            entries = run.live_entries() if run else ()
            found = next((each for each in entries if each.key == key), None)
        if found is None:
            return f"{kind} {key.partition(':')[2]} in the memory of that run"
        return f"{kind}: {describe_data(kind, found.data)}"

    def _moment(self, run_id: str, tick: int, place: str | None) -> str:
        """Return when `tick` was, and the action that ended there if it was in `place`, where None is any place."""
        with self._opened(run_id) as run:
            step = (
                next((each for each in run.record.steps() if each.tick == tick), None)
                if run
                else None
            )
            action = _action_at(run, tick, place) if run else ""
        at = "" if step is None else f", {game_time(step.frame / FRAMES_PER_SECOND)} of game time"
        return f"tick {tick:,}{at}, after {action}" if action else f"recorded at tick {tick:,}{at}"

    @contextmanager
    def _opened(self, run_id: str) -> Iterator[RunReader | None]:
        """Yield the reader of a run, or None if its folder is not found."""
        path = self._path(run_id)
        if path is None:
            yield None
            return
        with closing(read_run(path)) as folder:
            yield folder.store

    def _path(self, run_id: str) -> Path | None:
        if run_id not in self._runs:
            self._runs[run_id] = self._run or _folder_of(run_id, self._folder)
        return self._runs[run_id]


def _action_at(run: RunReader, tick: int, place: str | None) -> str:
    for each in events(run, ActionEvent):
        if each.tick == tick and place in (None, each.location):
            return f"{each.action_value} in {each.location}"
    return ""


def _place_of(item: MemoryItem) -> str | None:
    """Return the only place that an item is about, or None."""
    for name in ("trigger_conditions", "situation"):
        about = item.data.get(name)
        if isinstance(about, dict) and "location" in about:
            return str(about["location"])
    return None


def _folder_of(run_id: str, folder: Path) -> Path | None:
    """Return the readable folder of a run in `folder`, or None."""
    candidates = [folder / run_id]
    if not candidates[0].is_dir():
        candidates = sorted(folder.iterdir()) if folder.is_dir() else []
    for path in candidates:
        try:
            settings = read_toml(path / "run.toml")
            if settings.get("run") == run_id:
                read_run(path).close()
                return path
        except (OSError, ValueError, MemoryFault):
            continue
    return None


CONFIG: Final = ConsolidationConfig()
MONTH_DAYS: Final = 30.0
IMPORTANT: Final = 8  # entries from this importance never fade away
_RATE: Final = CONFIG.forgetting_decay_rate
_LEAST: Final = CONFIG.importance_threshold


def expiry(item: MemoryItem, now: float) -> str:
    """Return when the item will be forgotten unless it is confirmed again."""
    if item.worth is None:
        return _expiry_in_run(item)
    if item.closed:
        return "it is no longer true, so no run gets it; it stays until it has faded as well"
    if item.table == "ltm_entries" and _importance(item) >= IMPORTANT:
        return f"never by fading: its importance is {IMPORTANT} or more"
    if item.worth < _LEAST:
        return "the next time that the file is opened for writing: its score is too low"
    months = log(_LEAST / item.worth) / log(_RATE)
    day = date(now + months * MONTH_DAYS * DAY_S)
    return (
        f"about {day}, in {counted(round(months), 'month')}, when {_RATE} a month has brought it from "
        f"{item.worth:.2f} under {_LEAST}; sooner when better ones need its place"
    )


def _expiry_in_run(item: MemoryItem) -> str:
    expires = item.more.get("expires_s")
    if isinstance(expires, int | float):
        return f"at {game_time(expires)} of the run's game time, when its time to live ends"
    return "when higher scores fill its scope, or it has faded there"


def _importance(item: MemoryItem) -> int:
    value = item.more.get("importance")
    return value if isinstance(value, int) else 0


PARTS: Final = {
    "believed": "why it is trusted",
    "evidence": "its evidence, step by step",
    "forgotten": "when it will be forgotten",
}


def explain(name: str, path: Path | None, runs: Path | None, *, as_json: bool) -> None:
    """Print the evidence of an item and its expiry."""
    out = Output()
    with open_view(path) as view:
        items = view.items()
        item = find_item(items, name, command("memory", "show", view.path))
        own = view.path.parent if view.is_run else None
        reader = EvidenceReader(items, runs or HOME / "runs", own)
        parts = {
            "believed": list(_beliefs(item, view)),
            "evidence": list(_evidence(item, reader)),
            "forgotten": [("", expiry(item, view.now))],
        }
    if as_json:
        plain = {
            part: [dict(zip(("what", "why"), each, strict=True)) for each in rows]
            for part, rows in parts.items()
        }
        out.say(json.dumps({"id": item.id, "kind": item.kind, "says": describe(item), **plain}))
        return
    out.say(f"{item.kind} {item.short}: {describe(item)}")
    for part, title in PARTS.items():
        out.print(facts(title, parts[part]))


def _beliefs(item: MemoryItem, view: FileView) -> Iterator[tuple[str, str]]:
    yield "trusted", STATUS.get(item.status, item.status)
    yield "still true", f"no: {item.closed}" if item.closed else "yes"
    if item.last:
        yield "last confirmed", f"{date(item.last)}, {ago(item.last, view.now)}"


def _evidence(item: MemoryItem, reader: EvidenceReader) -> Iterator[tuple[str, str]]:
    number = 0
    for number, source in enumerate(item.evidence, 1):
        yield f"{number}", reader.describe(source, item)
    if not number:
        yield "", "none recorded"
    if item.run_id:
        lesson = f"lesson {item.sequence:,}, " if item.sequence else ""
        yield "last reported by", f"{lesson}tick {item.tick:,}, {reader.where(item.run_id)}"
