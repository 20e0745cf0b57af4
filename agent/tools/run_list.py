"""The runs in a folder: when each was played, how far it got, how it ended, and its size. Only reads."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from agent.app.settings import RunSettings
from agent.app.summary import SUMMARY
from agent.app.verdicts import who_decided
from agent.errors import AgentError, UsageError
from agent.events import MilestoneEvent, events
from agent.story.story import Story
from emulator import CartridgeKind
from memory import MemoryFault, RunFolder, RunReader, read_run
from memory.file_access import read_json
from memory.store import SETTINGS, STORE

FILES: Final = (STORE, f"{STORE}-wal", SETTINGS)


@dataclass(frozen=True, slots=True)
class ListedRun:
    """One run. `stop` is None until a session has ended; `trouble` says why a run cannot be read."""

    run: str
    played: datetime
    bytes: int
    cartridge: str = ""
    seed: int = 0
    milestones: Sequence[str] = ()
    of: int = 0  # milestones of the story
    stop: str | None = None
    decided_by: str = ""
    trouble: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the run in plain JSON types."""
        return {**asdict(self), "played": self.played.isoformat(timespec="seconds")}


def list_runs(folder: Path) -> list[ListedRun]:
    """Return the runs in a folder, the one played last first."""
    return [_listed(each) for each in run_folders(folder)]


def run_folders(folder: Path) -> list[Path]:
    """Return the folders of runs in a folder, the one played last first."""
    files = {*folder.glob(f"*/{SETTINGS}"), *folder.glob(f"*/{STORE}")}
    found = {each.parent for each in files if each.is_file()}
    return sorted(found, key=lambda each: (_played(each), each.name), reverse=True)


def newest_run(folder: Path) -> Path:
    """Return the run in a folder that was played last; raises UsageError if there is none."""
    found = [each for each in run_folders(folder) if (each / STORE).is_file()]
    if not found:
        message = f"there is no run in {folder} that `last` could name; play one, or name a folder"
        raise UsageError(message)
    return found[0]


def _played(folder: Path) -> float:
    files = (folder / name for name in FILES)
    return max((each.stat().st_mtime for each in files if each.exists()), default=0.0)


def _listed(folder: Path) -> ListedRun:
    """Return a run of a folder, with what can be read of it."""
    played = datetime.fromtimestamp(_played(folder), UTC)
    size = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
    try:
        with closing(read_run(folder)) as run:
            settings = RunSettings.of(run.settings)
            reached = [each.id for each in events(run.store, MilestoneEvent)]
            stop = _stop(run)
            decided = who_decided(run.store, settings.mind)
    except (AgentError, MemoryFault, OSError) as error:
        return ListedRun(str(folder), played, size, trouble=str(error))
    kinds = [each for each in CartridgeKind if each.label == settings.cartridge]
    of = len(Story.of(kinds[0]).milestones) if kinds else 0
    return ListedRun(
        str(folder), played, size, settings.cartridge, settings.seed, reached, of, stop, decided
    )


def _stop(run: RunFolder[RunReader]) -> str | None:
    """Return how the last session ended; None while one plays, or after it was killed."""
    try:
        summary = read_json(run.path / SUMMARY)
        stop, ticks = str(summary["stop"]), int(summary["ticks"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    last = max(run.store.checkpoints.ticks(), default=0)
    return stop if ticks >= last else None
