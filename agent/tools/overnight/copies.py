"""The copies of a night: of the run, its settings and the memory, made during play and checked before they replace older ones."""

import filecmp
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from agent.advisor.port import Decider
from agent.app.settings import RunSettings
from agent.errors import RunError
from agent.tools.overnight.night import MB
from memory import (
    BusyStore,
    CorruptStore,
    RunReader,
    StoreError,
    file_fault,
    read_knowledge_store,
    read_run_store,
)
from memory.errors import ForeignStore, MissingStore
from memory.file_access import copy_file, make_folder, new_file, read_toml
from memory.store import COPIES, SETTINGS, STORE, KnowledgeReader

OF_ANOTHER_RUN: Final = "is of another run"
Answer = TypeVar("Answer")
Otherwise = TypeVar("Otherwise")
EVERY_S: Final = 600.0
WAIT_FACTOR: Final = 20  # the wait for the next copy, as a multiple of the time a copy takes


class BackedUpFile(NamedTuple):
    """A file with up to two copies: the newest at `copy`, and the one before it."""

    path: Path
    copy: Path
    reader: Callable[[Path], RunReader | KnowledgeReader]

    @property
    def copies(self) -> Iterator[Path]:
        """The existing copies, newest first."""
        return (each for each in (self.copy, self._older) if each.is_file())

    def make_copy(self) -> None:
        """Make a copy and delete the oldest one.

        Raises StoreError if the file cannot be read or the copy is corrupt; then the old copies stay.
        """
        make_folder(self.copy.parent)
        with new_file(self.copy) as new:
            with closing(self.reader(self.path)) as reader:
                reader.backup(new, replaces=True)
            flaw = file_fault(new)
            if flaw is not None:
                raise flaw
            if self.copy.is_file():
                self.copy.replace(self._older)

    def damage(self) -> StoreError | None:
        """Return the damage of the file; None if it is intact, or if only its folder, disk or users are the problem."""
        flaw = file_fault(self.path)
        return flaw if isinstance(flaw, CorruptStore | ForeignStore | MissingStore) else None

    def loss(self, run_id: str) -> str:
        """Return why the file cannot be the one that was played, '' if it can; a run must have the id `run_id`."""
        try:
            with closing(self.reader(self.path)) as found:
                is_other = isinstance(found, RunReader) and found.run_id != run_id
            if self.lacks_lessons():
                return f"{self.path} was replaced: it lacks lessons that a copy of it holds"
        except BusyStore:
            return ""
        except StoreError as flaw:
            return str(flaw)
        return f"{self.path} {OF_ANOTHER_RUN}" if is_other else ""

    def lacks_lessons(self) -> bool:
        """Return whether a memory lacks lessons that its copy holds, as one does that play made in the place of a lost one."""
        held = self._deliveries(self.copy) if self.copy.is_file() else {}
        known = self._deliveries(self.path) if held else {}
        return any(known.get(run, 0) < last for run, last in held.items())

    def _deliveries(self, path: Path) -> dict[str, int]:
        with closing(self.reader(path)) as found:
            return found.deliveries() if isinstance(found, KnowledgeReader) else {}

    @property
    def _older(self) -> Path:
        return self.copy.with_name(f"older-{self.copy.name}")


def asked(
    run: Path, question: Callable[[RunReader], Answer], otherwise: Otherwise
) -> Answer | Otherwise:
    """Return what `question` reads in the file of a run, or `otherwise` if that cannot be read."""
    try:
        with closing(read_run_store(run)) as store:
            return question(store)
    except StoreError:
        return otherwise


def run_file(folder: Path) -> BackedUpFile:
    """Return the file of the run in `folder`."""
    return BackedUpFile(folder / STORE, folder / COPIES / STORE, read_run_store)


def memory_file(folder: Path, memory: Path) -> BackedUpFile:
    """Return the memory of the run in `folder`."""
    return BackedUpFile(memory, folder / COPIES / "memory.sqlite", read_knowledge_store)


class SettingsFile(NamedTuple):
    """The run.toml of a run, which changes with the choices of a session, and its copy."""

    path: Path
    copy: Path

    def make_copy(self) -> None:
        """Copy it unless it is damaged or as its copy; errors are ignored, because the next copy tries again."""
        with suppress(OSError):
            is_same = self.copy.is_file() and filecmp.cmp(self.path, self.copy, shallow=False)
            if not is_same and not settings_fault(self.path):
                make_folder(self.copy.parent)
                copy_file(self.path, self.copy)


def settings_file(folder: Path) -> SettingsFile:
    """Return the settings of the run in `folder`."""
    return SettingsFile(folder / SETTINGS, folder / COPIES / SETTINGS)


def settings_fault(path: Path, run_id: str = "") -> str:
    """Return why the file at `path` is no run.toml that play wrote, of the run `run_id` if that is given, or ''."""
    try:
        settings = RunSettings.of(read_toml(path))
        Decider(settings.mind)
    except FileNotFoundError:
        return "it is missing"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    except (ValueError, RunError) as error:
        return str(error)
    return f"it {OF_ANOTHER_RUN}" if run_id not in {"", settings.run} else ""


@dataclass(slots=True)
class Copier:
    """Copies files regularly and soon after progress, but not when free disk space is near `floor` bytes."""

    files: tuple[BackedUpFile, ...]
    settings: SettingsFile
    floor: int
    elapsed: Callable[[], float]
    _due: float = 0.0
    _earliest: float = 0.0
    _has_begun: bool = False  # the copies are of this night

    def request_copy(self) -> None:
        """Copy as soon as the last copy is old enough, and at once if a file has no copy."""
        self._due = 0.0
        if not all(any(file.copies) for file in self.files):
            self._earliest = 0.0

    def copy_if_due(self, free_bytes: int) -> tuple[Path, StoreError] | None:
        """Copy the files if a copy is due; return the first damaged file, with its damage, or None.

        A copy that fails for another reason, as on a full disk, is left out: the limits check the disk.
        """
        began = self.elapsed()
        if began < max(self._due, self._earliest):
            return None
        self.settings.make_copy()  # needs next to no room
        if not self._has_room(free_bytes):
            return None
        try:
            return next(iter([*self._damaged_files()]), None)
        finally:
            now = self.elapsed()
            self._due, self._earliest = now + EVERY_S, now + WAIT_FACTOR * (now - began)

    def _damaged_files(self) -> Iterator[tuple[Path, StoreError]]:
        for file in self.files:
            try:
                if file.path.is_file() and not (self._has_begun and file.lacks_lessons()):
                    file.make_copy()  # else the copy holds what the file has lost
            except (StoreError, OSError):
                damage = file.damage()
                if damage is not None:
                    yield file.path, damage
        self._has_begun = True

    def _has_room(self, free_bytes: int) -> bool:
        needed = sum(file.path.stat().st_size for file in self.files if file.path.is_file())
        return free_bytes > self.floor + 2 * needed + MB
