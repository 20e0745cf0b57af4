"""The files of a night: copies made during play, checks for damage, and repairs that delete nothing."""

import errno
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final, NamedTuple

from agent.events import MilestoneEvent, events
from agent.tools.overnight.logs import EVENTS_FILE, STDERR_FILE
from agent.tools.overnight.outcomes import MB, NightFault
from memory import (
    CorruptStore,
    RunReader,
    StoreError,
    VitalsRow,
    file_fault,
    read_knowledge_store,
    read_run_store,
)
from memory.errors import ForeignStore, MissingStore, RunFolderError
from memory.file_access import copy_file, make_folder, new_file, read_toml
from memory.store.database import quarantine, restore_copy
from memory.store.knowledge_store import KnowledgeReader

FOLDER: Final = "copies"
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

    @property
    def _older(self) -> Path:
        return self.copy.with_name(f"older-{self.copy.name}")


def run_file(folder: Path) -> BackedUpFile:
    """Return the file of the run in `folder`."""
    return BackedUpFile(folder / "run.sqlite", folder / FOLDER / "run.sqlite", read_run_store)


def memory_file(folder: Path, memory: Path) -> BackedUpFile:
    """Return the memory of the run in `folder`."""
    return BackedUpFile(memory, folder / FOLDER / "memory.sqlite", read_knowledge_store)


def copy_settings(folder: Path) -> None:
    """Copy run.toml once, if it is readable; errors are ignored, because the next child tries again."""
    settings, copy = folder / "run.toml", folder / FOLDER / "run.toml"
    if copy.is_file() or not is_readable_toml(settings):
        return
    with suppress(OSError):
        make_folder(copy.parent)
        copy_file(settings, copy)


def is_readable_toml(settings: Path) -> bool:
    """Return whether a run.toml can be read."""
    try:
        return bool(read_toml(settings))
    except (OSError, ValueError):
        return False


@dataclass(slots=True)
class Copier:
    """Copies files regularly and soon after progress, but not when free disk space is near `floor` bytes."""

    files: tuple[BackedUpFile, ...]
    floor: int
    elapsed: Callable[[], float]
    _due: float = 0.0
    _earliest: float = 0.0

    def request_copy(self) -> None:
        """Copy as soon as the last copy is old enough, and at once if a file has no copy."""
        self._due = 0.0
        if not all(any(file.copies) for file in self.files):
            self._earliest = 0.0

    def copy_if_due(self, free_bytes: int) -> tuple[Path, StoreError] | None:
        """Copy the files if a copy is due; return the first file that failed, with its error, or None."""
        began = self.elapsed()
        if began < max(self._due, self._earliest) or not self._has_room(free_bytes):
            return None
        try:
            return next(iter([*self._failed_copies()]), None)
        finally:
            now = self.elapsed()
            self._due, self._earliest = now + EVERY_S, now + WAIT_FACTOR * (now - began)

    def _failed_copies(self) -> Iterator[tuple[Path, StoreError]]:
        for file in self.files:
            try:
                if file.path.is_file():
                    file.make_copy()
            except StoreError as error:
                yield file.path, error
            except OSError:
                continue  # no copy this time; the limits check the disk

    def _has_room(self, free_bytes: int) -> bool:
        needed = sum(file.path.stat().st_size for file in self.files if file.path.is_file())
        return free_bytes > self.floor + 2 * needed + MB


FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
PROBE: Final = bytes(1 << 16)


class Damage(NamedTuple):
    """A fault of the files, with a message."""

    fault: NightFault
    message: str


class RepairResult(NamedTuple):
    """Whether a repair succeeded, with a message."""

    done: bool
    message: str


class NightFiles(NamedTuple):
    """The folder, record and memory of a run while no child plays."""

    folder: Path
    run: BackedUpFile
    memory: BackedUpFile

    def examine(self, *, thoroughly: bool) -> Damage | None:
        """Return the first damage that prevents play, or None; `thoroughly` checks all pages of the files.

        Raises RunFolderError for a link in the folder, which waiting does not repair.
        """
        for name in (FOLDER, EVENTS_FILE, STDERR_FILE, self.run.path.name, self._settings.name):
            if (self.folder / name).is_symlink():
                message = f"{self.folder / name} is a link, and a night writes only into its own folder; remove it"
                raise RunFolderError(message)
        try:
            return next(self._all_damage(thoroughly=thoroughly), None)
        except OSError as error:
            return Damage(NightFault.UNWRITABLE, f"{self.folder} cannot be used ({error.strerror})")

    def repair(self, damage: Damage) -> RepairResult:
        """Repair what `examine` found."""
        match damage.fault:
            case NightFault.DAMAGED_MEMORY:
                return self._restore(self.memory)
            case NightFault.DAMAGED_RUN if not is_readable_toml(self._settings):
                return self._restore_settings()
            case NightFault.DAMAGED_RUN:
                return self._restore(self.run)
            case NightFault.NOT_RESUMABLE:
                return self._start_again()
            case _:
                return RepairResult(False, damage.message)

    def go_back_to_copy(self) -> RepairResult:
        """Restore the newest copy of the run although its file seems intact; the file is renamed, not deleted."""
        return self._restore(self.run)

    @property
    def has_run(self) -> bool:
        """Whether there is a run to resume."""
        return self._settings.exists()

    def marks(self) -> list[tuple[int, bool]]:
        """Return the ticks of all checkpoints in order, each with whether it is permanent."""
        try:
            with closing(read_run_store(self.run.path)) as store:
                return [(mark.tick, mark.why in {"start", "milestone"}) for mark in store.marks()]
        except StoreError:
            return []

    def milestones(self) -> list[str]:
        """Return the milestones reached so far, in order."""
        try:
            with closing(read_run_store(self.run.path)) as store:
                return [each.id for each in events(store, MilestoneEvent)]
        except StoreError:
            return []

    def last_vitals(self) -> VitalsRow | None:
        """Return the last measurements of the run, with its tick and frame, or None."""
        try:
            with closing(read_run_store(self.run.path)) as store:
                return next(reversed(store.vitals()), None)
        except StoreError:
            return None

    @property
    def _settings(self) -> Path:
        return self.folder / "run.toml"

    def _all_damage(self, *, thoroughly: bool) -> Iterator[Damage]:
        yield from _write_errors(self.folder)
        yield from _write_errors(self.memory.path.parent)
        existed = self.has_run or self.run.path.exists() or any(self.run.copies)
        if existed and not is_readable_toml(self._settings):
            yield Damage(NightFault.DAMAGED_RUN, f"{self._settings} is missing or unreadable")
        yield from _file_damage(self.run, NightFault.DAMAGED_RUN, thoroughly=thoroughly)
        yield from _file_damage(self.memory, NightFault.DAMAGED_MEMORY, thoroughly=thoroughly)
        if self.has_run and not _can_resume(self.run.path):
            message = f"{self.run.path} has no checkpoint to resume from"
            yield Damage(NightFault.NOT_RESUMABLE, message)

    def _restore(self, file: BackedUpFile) -> RepairResult:
        """Replace a file by its newest valid copy."""
        for copy in file.copies:
            if self._is_good(copy, file):
                renamed = _replace_by_copy(copy, file.path)
                made = datetime.fromtimestamp(copy.stat().st_mtime, UTC).astimezone()
                return RepairResult(True, f"restored the copy of {made:%H:%M}{renamed}")
        return RepairResult(False, f"no good copy of {file.path} is left, and it stays as it is")

    def _is_good(self, copy: Path, file: BackedUpFile) -> bool:
        return file_fault(copy) is None and (file is not self.run or _can_resume(copy))

    def _restore_settings(self) -> RepairResult:
        copy = self.folder / FOLDER / "run.toml"
        if not copy.is_file() and not _can_resume(self.run.path):
            return self._start_again()
        if not copy.is_file():
            return RepairResult(
                False, f"{self._settings} is missing or unreadable, and has no copy"
            )
        renamed = _replace_by_copy(copy, self._settings)
        return RepairResult(True, f"restored the copy of run.toml{renamed}")

    def _start_again(self) -> RepairResult:
        """Restore a copy with a checkpoint, or else start the run again, of which nothing is stored yet."""
        if any(self._is_good(copy, self.run) for copy in self.run.copies):
            return self._restore(self.run)
        for path in (self.run.path, self._settings):
            if path.exists():
                quarantine(path, "unbegun")
        return RepairResult(True, "started again: there was no progress to lose")


def _file_damage(file: BackedUpFile, fault: NightFault, *, thoroughly: bool) -> Iterator[Damage]:
    """Yield the damage of one file; a file that never existed is not damaged."""
    existed = any(file.copies)
    if not file.path.exists() or not file.path.stat().st_size:
        if existed:
            yield Damage(fault, f"{file.path} is missing")
        return
    flaw = file_fault(file.path) if thoroughly else None
    # A foreign file is damage only if our own file was there before; else play refuses it.
    if isinstance(flaw, CorruptStore) or (existed and isinstance(flaw, ForeignStore)):
        yield Damage(fault, str(flaw))


def _write_errors(folder: Path) -> Iterator[Damage]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as probe:
            probe.write(PROBE)
    except OSError as error:
        fault = NightFault.DISK if error.errno in FULL else NightFault.UNWRITABLE
        yield Damage(fault, f"{folder} cannot be written ({error.strerror})")


def _can_resume(path: Path) -> bool:
    try:
        with closing(read_run_store(path)) as store:
            return bool(store.marks())
    except MissingStore:
        return False
    except StoreError:
        # Of an older version, busy, or otherwise damaged: play reports that.
        return True


def _replace_by_copy(copy: Path, path: Path) -> str:
    """Replace a file by a copy, and return a text with the new name of the old file."""
    moved = restore_copy(copy, path, aside="damaged")
    return f"; the old file is {moved.name}" if moved is not None else ""
