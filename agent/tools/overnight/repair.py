"""The files of a night: checks for damage, and repairs that delete nothing and put nothing unchecked in place."""

import errno
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from agent.events import MilestoneEvent, events
from agent.tools.overnight.copies import (
    OF_ANOTHER_RUN,
    BackedUpFile,
    SettingsFile,
    asked,
    settings_fault,
)
from agent.tools.overnight.logs import EVENTS_FILE, STDERR_FILE
from agent.tools.overnight.night import NightFault
from memory import CorruptStore, StoreError, VitalsRow, file_fault, read_run_store
from memory.errors import ForeignStore, MissingStore, NewerStore, RetiredStore, RunFolderError
from memory.inspect import write_repaired_copy
from memory.store import COPIES, SETTINGS, STORE, has_played_nothing, quarantine, restore_copy

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
    """The folder, settings, record and memory of a run while no child plays; `date` is the wall time since 1970."""

    folder: Path
    settings: SettingsFile
    run: BackedUpFile
    memory: BackedUpFile
    date: Callable[[], float]

    def require_known_versions(self) -> None:
        """Raise StoreError for a file of another version of the program, against which no repair helps."""
        for file in (self.run, self.memory):
            try:
                file.reader(file.path).close()
            except (NewerStore, RetiredStore):
                raise
            except StoreError:
                continue  # missing, or `examine` finds more

    def examine(self, *, thoroughly: bool) -> Damage | None:
        """Return the first damage that prevents play, or None; `thoroughly` checks all pages of the files.

        Raises RunFolderError for a link in the folder, which waiting does not repair.
        """
        for name in (COPIES, EVENTS_FILE, STDERR_FILE, STORE, SETTINGS):
            if (self.folder / name).is_symlink():
                message = f"{self.folder / name} is a link, and a night writes only into its own folder; remove it"
                raise RunFolderError(message)
        try:
            return next(self._all_damage(thoroughly=thoroughly), None)
        except OSError as error:
            return Damage(NightFault.UNWRITABLE, f"{self.folder} cannot be used ({error.strerror})")

    def losses(self, run_id: str) -> str:
        """Return which files of the run with that id, or of its memory, are lost, and where copies are; '' when none is.

        A file may have been removed, renamed or replaced since its last check.
        """
        toml = settings_fault(self.settings.path, run_id)
        lost = {self.settings.path: toml and f"{self.settings.path}: {toml}"}
        lost |= {each.path: each.loss(run_id) for each in (self.run, self.memory)}
        kept = [self.settings.copy] if toml and self.settings.copy.is_file() else []
        for each in (self.run, self.memory):
            kept += [*each.copies][:1] if lost[each.path] else []
        if self._is_other_folder(toml, lost[self.run.path]):
            gone = f"{self.folder} was removed, renamed or replaced, and the copies in it too"
            lost, kept = {self.folder: gone, self.memory.path: lost[self.memory.path]}, []
        if not any(lost.values()):
            return ""
        copies = f"copies: {', '.join(map(str, kept))}" if kept else "there is no copy here"
        return "; ".join([*filter(None, lost.values()), copies])

    def _is_other_folder(self, toml: str, run: str) -> bool:
        is_other = all(each.endswith(OF_ANOTHER_RUN) for each in (toml, run))
        return is_other or not (self.settings.path.exists() or self.run.path.exists())

    def repair(self, damage: Damage) -> RepairResult:
        """Repair what `examine` found."""
        match damage.fault:
            case NightFault.DAMAGED_MEMORY:
                # A copy lacks what other runs added since.
                return self._repair_rows(self.memory) or self._restore(self.memory)
            case NightFault.DAMAGED_RUN if settings_fault(self.settings.path):
                return self._restore_settings()
            case NightFault.DAMAGED_RUN:
                # A copy is complete, and its lost ticks are played again.
                restored = self._restore(self.run)
                return restored if restored.done else self._repair_rows(self.run) or restored
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
        return self.settings.path.exists()

    def marks(self) -> list[tuple[int, bool]]:
        """Return the ticks of all checkpoints in order, each with whether it is permanent."""
        marks = asked(self.run.path, lambda run: run.checkpoints.marks(), ())
        return [(mark.tick, mark.why in {"start", "milestone"}) for mark in marks]

    def milestones(self) -> list[str]:
        """Return the milestones reached so far, in order."""
        reached = asked(self.run.path, lambda run: [*events(run, MilestoneEvent)], [])
        return [each.id for each in reached]

    def last_vitals(self) -> VitalsRow | None:
        """Return the last measurements of the run, with its tick and frame, or None."""
        rows = asked(self.run.path, lambda run: run.record.vitals(), ())
        return rows[-1] if rows else None

    def _all_damage(self, *, thoroughly: bool) -> Iterator[Damage]:
        yield from _write_errors(self.folder)
        yield from _write_errors(self.memory.path.parent)
        existed = self.has_run or self.run.path.exists() or any(self.run.copies)
        if existed and (fault := settings_fault(self.settings.path)):
            yield Damage(NightFault.DAMAGED_RUN, f"{self.settings.path} is damaged ({fault})")
        yield from _file_damage(self.run, NightFault.DAMAGED_RUN, thoroughly=thoroughly)
        yield from _file_damage(self.memory, NightFault.DAMAGED_MEMORY, thoroughly=thoroughly)
        if self.has_run and not (_can_resume(self.run.path) or self._can_begin()):
            message = f"{self.run.path} has no checkpoint to resume from"
            yield Damage(NightFault.NOT_RESUMABLE, message)

    def _restore(self, file: BackedUpFile) -> RepairResult:
        """Replace a file by its newest valid copy."""
        for copy in file.copies:
            if self._is_good(copy, file):
                renamed = _replace_by_copy(copy, file.path)
                made = datetime.fromtimestamp(copy.stat().st_mtime, UTC).astimezone()
                return RepairResult(True, f"restored the copy of {made:%H:%M}{renamed}")
        return RepairResult(False, "there is no good copy of it, and it stays as it is")

    def _repair_rows(self, file: BackedUpFile) -> RepairResult | None:
        """Replace a file by a copy of it without the unreadable rows; None if that cannot be made good."""
        repaired = file.copy.with_name(f"{file.copy.name}.repaired")
        repaired.parent.mkdir(exist_ok=True)
        repaired.unlink(missing_ok=True)
        try:
            fixed = write_repaired_copy(file.path, repaired, now=self.date())
            if not self._is_good(repaired, file):
                return None
            renamed = _replace_by_copy(repaired, file.path)
        except StoreError:
            return None
        finally:
            repaired.unlink(missing_ok=True)
        return RepairResult(True, f"repaired (damaged rows: {len(fixed)}){renamed}")

    def _is_good(self, copy: Path, file: BackedUpFile) -> bool:
        return file_fault(copy) is None and (file is not self.run or _can_resume(copy))

    def _can_begin(self) -> bool:
        """Return whether nothing of the run was played, also by its copies, so that play begins it."""
        is_new = has_played_nothing(self.folder)
        return is_new and not any(map(_can_resume, self.run.copies))

    def _restore_settings(self) -> RepairResult:
        if not settings_fault(self.settings.copy):
            renamed = _replace_by_copy(self.settings.copy, self.settings.path)
            return RepairResult(True, f"restored the copy of run.toml{renamed}")
        if not _can_resume(self.run.path):
            return self._start_again()
        return RepairResult(False, "there is no good copy of it, and the run stays as it is")

    def _start_again(self) -> RepairResult:
        """Restore a copy with a checkpoint, or else start the run again, of which nothing is stored yet."""
        if any(self._is_good(copy, self.run) for copy in self.run.copies):
            return self._restore(self.run)
        for path in (self.run.path, self.settings.path):
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
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(PROBE)
    except OSError as error:
        fault = NightFault.DISK if error.errno in FULL else NightFault.UNWRITABLE
        yield Damage(fault, f"{folder} cannot be written ({error.strerror})")


def _can_resume(path: Path) -> bool:
    try:
        with closing(read_run_store(path)) as store:
            return bool(store.checkpoints.marks())
    except MissingStore:
        return False
    except StoreError:
        # Of an older version, busy, or otherwise damaged: play reports that.
        return True


def _replace_by_copy(copy: Path, path: Path) -> str:
    """Replace a file by a copy, and return a text with the new name of the old file."""
    moved = restore_copy(copy, path, aside="damaged")
    return f"; the old file is {moved.name}" if moved is not None else ""
