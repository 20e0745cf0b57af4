"""What a piece of evidence is, in words; where the run that it is from can be read, what happened there as well."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from agent.report.words import clock, says, told
from emulator import FRAMES_PER_SECOND
from memory import Item, MemoryFault, RunReader, read_run

_BATTLE: Final = re.compile(r"battle:(?P<id>.*)@(?P<tick>\d+)")
_ENTRY: Final = re.compile(r"(?P<run>[^/]+)/(?P<number>\d+)")
_OF_KIND: Final = re.compile(r"(?P<kind>[a-z_]+):(?P<id>.+)", re.DOTALL)


class Witness:
    """Answers for evidence: from the items of the file itself, and from runs where their folders are found."""

    def __init__(self, items: Sequence[Item], folder: Path, run: Path | None = None) -> None:
        self._by_id = {each.id: each for each in items}
        self._folder = folder
        self._run = run
        self._runs: dict[str, Path | None] = {}

    def says(self, source: str, run_id: str) -> str:
        """Return in words what `source` is, which something rests on that `run_id` taught."""
        item = self._by_id.get(source) or self._by_id.get(f"{run_id}/{source}")
        if item is not None:
            return f"{item.kind} {item.short}: {says(item)}"
        if source.startswith("run:"):
            return f"run {source[4:]}"
        if source.startswith("tick:") and source[5:].isdigit():
            return f"tick {int(source[5:]):,}{self._moment(run_id, int(source[5:]))}"
        if (battle := _BATTLE.fullmatch(source)) is not None:
            return self._battle(run_id, battle["id"], int(battle["tick"]))
        if (entry := _ENTRY.fullmatch(source)) is not None:
            return f"entry {int(entry['number']):,} of run {entry['run']}"
        if (named := _OF_KIND.fullmatch(source)) is not None:
            return self._counted(run_id, named["kind"], source)
        return source

    def where(self, run_id: str) -> str:
        """Return in words where a run is that can be read."""
        path = self._path(run_id)
        return f"run {run_id}, {path}" if path else f"run {run_id}, whose folder was not found"

    def _battle(self, run_id: str, name: str, tick: int) -> str:
        whom = name.partition(":")[2] or name
        begun = f"the battle against {whom} that began at tick {tick:,}"
        for event in self._events(run_id, "battle"):
            if event.get("battle_id") == name and event.get("start_tick") == tick:
                return f"{begun}: {told('battle', event)}"
        return begun

    def _counted(self, run_id: str, kind: str, key: str) -> str:
        words = f"{kind} {key.partition(':')[2]} in the memory of that run"
        path = self._path(run_id)
        if path is None:
            return words
        with _reading(path) as run:
            found = next((each for each in run.live_entries() if each.key == key), None)
        return words if found is None else f"{kind}: {told(kind, found.data)}"

    def _moment(self, run_id: str, tick: int) -> str:
        path = self._path(run_id)
        if path is None:
            return ""
        with _reading(path) as run:
            step = next((each for each in run.steps() if each.tick == tick), None)
            deed = _last_deed(run, tick)
        at = "" if step is None else f", {clock(step.frame / FRAMES_PER_SECOND)} of game time"
        return f"{at}{deed}"

    def _events(self, run_id: str, kind: str) -> Sequence[Mapping[str, object]]:
        path = self._path(run_id)
        if path is None:
            return ()
        with _reading(path) as run:
            return [each.payload for each in run.events(kind)]

    def _path(self, run_id: str) -> Path | None:
        if run_id not in self._runs:
            self._runs[run_id] = self._run or _folder_of(run_id, self._folder)
        return self._runs[run_id]


@contextmanager
def _reading(path: Path) -> Iterator[RunReader]:
    with closing(read_run(path)) as folder:
        yield folder.store


def _last_deed(run: RunReader, tick: int) -> str:
    deeds = [each for each in run.events("action") if each.tick <= tick]
    if not deeds:
        return ""
    last = deeds[-1].payload
    return f", after {last.get('action_value')} in {last.get('location')}"


def _folder_of(run_id: str, folder: Path) -> Path | None:
    """Return the folder in `folder` that a run lies in and can be read from."""
    candidates = [folder / run_id] if (folder / run_id).is_dir() else sorted(_children(folder))
    for path in candidates:
        try:
            settings = tomllib.loads((path / "run.toml").read_text(encoding="utf-8"))
            if settings.get("run") == run_id:
                with _reading(path):
                    return path
        except (OSError, ValueError, MemoryFault):
            continue
    return None


def _children(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if each.is_dir()] if folder.is_dir() else []
