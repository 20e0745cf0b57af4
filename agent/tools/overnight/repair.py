"""The files of a night: copies made while play goes on, damage found, and repairs that throw nothing away."""

import errno
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from agent.events import MilestoneEvent, events
from agent.tools.overnight.outcomes import MB, NightFault
from memory import (
    CorruptStore,
    RunReader,
    StoreError,
    flaw_in,
    read_knowledge_store,
    read_run_store,
)
from memory.errors import ForeignStore, MissingStore
from memory.store.database import move_aside, put_back, sync
from memory.store.knowledge_store import KnowledgeReader

FOLDER: Final = "copies"
EVERY_S: Final = 600.0
SHARE: Final = 20  # so many times as long as a copy takes is waited for the next one


class BackedUpFile(NamedTuple):
    """A file of which copies are kept: the newest as `copy`, and the one before it."""

    path: Path
    copy: Path
    reader: Callable[[Path], RunReader | KnowledgeReader]

    @property
    def copies(self) -> Iterator[Path]:
        """The copies that there are, the newest first."""
        return (each for each in (self.copy, self._older) if each.is_file())

    def take(self) -> None:
        """Make a copy and let the oldest go.

        Raises StoreError when the file cannot be read, or what was read is not whole; then all copies stay.
        """
        new = self.copy.with_name(self.copy.name + ".new")
        new.parent.mkdir(exist_ok=True)
        new.unlink(missing_ok=True)
        try:
            with closing(self.reader(self.path)) as reader:
                reader.backup(new)
            sync(new)
            flaw = flaw_in(new)
            if flaw is not None:
                raise flaw
            if self.copy.is_file():
                self.copy.replace(self._older)
            new.replace(self.copy)
        finally:
            new.unlink(missing_ok=True)

    @property
    def _older(self) -> Path:
        return self.copy.with_name(f"older-{self.copy.name}")


def kept_run(folder: Path) -> BackedUpFile:
    """Return the file of the run in `folder`."""
    return BackedUpFile(folder / "run.sqlite", folder / FOLDER / "run.sqlite", read_run_store)


def kept_memory(folder: Path, memory: Path) -> BackedUpFile:
    """Return the memory of the run in `folder`."""
    return BackedUpFile(memory, folder / FOLDER / "memory.sqlite", read_knowledge_store)


def take_settings(folder: Path) -> None:
    """Copy run.toml, which never changes, unless that was done or it says nothing; where it cannot be done now, later."""
    settings, copy = folder / "run.toml", folder / FOLDER / "run.toml"
    if copy.is_file() or not is_readable_toml(settings):
        return
    with suppress(OSError):
        copy.parent.mkdir(exist_ok=True)
        put_back(settings, copy)


def is_readable_toml(settings: Path) -> bool:
    """Return whether a run.toml can be read."""
    try:
        return bool(tomllib.loads(settings.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return False


@dataclass(slots=True)
class Copier:
    """Copies now and then, and soon after what is worth it; where the disk is near its `floor`, not at all."""

    kept: tuple[BackedUpFile, ...]
    floor: int
    elapsed: Callable[[], float]
    _due: float = 0.0
    _earliest: float = 0.0

    def hurry(self) -> None:
        """Copy as soon as the last copy is long enough ago; what has none yet cannot wait so long."""
        self._due = 0.0
        if not all(any(kept.copies) for kept in self.kept):
            self._earliest = 0.0

    def copy_if_due(self, free_bytes: int) -> tuple[Path, StoreError] | None:
        """Copy what is due; return the file that could not be copied whole, and why."""
        began = self.elapsed()
        if began < max(self._due, self._earliest) or not self._has_room(free_bytes):
            return None
        try:
            return next(iter([*self._failures()]), None)
        finally:
            now = self.elapsed()
            self._due, self._earliest = now + EVERY_S, now + SHARE * (now - began)

    def _failures(self) -> Iterator[tuple[Path, StoreError]]:
        for kept in self.kept:
            try:
                if kept.path.is_file():
                    kept.take()
            except StoreError as error:
                yield kept.path, error
            except OSError:
                continue  # no copy this time; the guards see to the disk

    def _has_room(self, free_bytes: int) -> bool:
        needed = sum(kept.path.stat().st_size for kept in self.kept if kept.path.is_file())
        return free_bytes > self.floor + 2 * needed + MB


FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
PROBE: Final = bytes(1 << 16)


class Damage(NamedTuple):
    """What was found, and in words."""

    fault: NightFault
    says: str


class RepairResult(NamedTuple):
    """Whether it was put right, and how; else what is missing, and the file that was kept."""

    done: bool
    says: str


class NightFiles(NamedTuple):
    """The run's folder, its file and its memory, while no child plays."""

    folder: Path
    run: BackedUpFile
    memory: BackedUpFile

    def examine(self, *, thoroughly: bool) -> Damage | None:
        """Return the first thing that keeps play from going on; the pages of files are looked at if `thoroughly`."""
        try:
            return next(self._damages(thoroughly=thoroughly), None)
        except OSError as error:
            return Damage(NightFault.UNWRITABLE, f"{self.folder} cannot be used ({error.strerror})")

    def repair(self, damage: Damage) -> RepairResult:
        """Put right what `examine` found."""
        match damage.fault:
            case NightFault.DAMAGED_MEMORY:
                return self._restore(self.memory)
            case NightFault.DAMAGED_RUN if not is_readable_toml(self._settings):
                return self._restore_settings()
            case NightFault.DAMAGED_RUN:
                return self._restore(self.run)
            case NightFault.NOT_RESUMABLE:
                return self._begin_anew()
            case _:
                return RepairResult(False, damage.says)

    def go_back_to_copy(self) -> RepairResult:
        """Put back the newest copy of the run though its file looks whole; that is kept."""
        return self._restore(self.run)

    @property
    def has_run(self) -> bool:
        """Whether there is a run to go on with."""
        return self._settings.exists()

    def marks(self) -> list[tuple[int, bool]]:
        """Return the ticks that play can go back to, in their order, and whether each is one that stays."""
        try:
            with closing(read_run_store(self.run.path)) as store:
                return [(mark.tick, mark.why in {"start", "milestone"}) for mark in store.marks()]
        except StoreError:
            return []

    def milestones(self) -> list[str]:
        """Return the milestones that were reached so far, in their order."""
        try:
            with closing(read_run_store(self.run.path)) as store:
                return [each.id for each in events(store, MilestoneEvent)]
        except StoreError:
            return []

    @property
    def _settings(self) -> Path:
        return self.folder / "run.toml"

    def _damages(self, *, thoroughly: bool) -> Iterator[Damage]:
        yield from _unwritable(self.folder)
        yield from _unwritable(self.memory.path.parent)
        was_there = self.has_run or self.run.path.exists() or any(self.run.copies)
        if was_there and not is_readable_toml(self._settings):
            yield Damage(NightFault.DAMAGED_RUN, f"{self._settings} is lost or says nothing")
        yield from _flaws(self.run, NightFault.DAMAGED_RUN, thoroughly=thoroughly)
        yield from _flaws(self.memory, NightFault.DAMAGED_MEMORY, thoroughly=thoroughly)
        if self.has_run and not _can_resume(self.run.path):
            says = f"{self.run.path} holds no checkpoint to go on from"
            yield Damage(NightFault.NOT_RESUMABLE, says)

    def _restore(self, kept: BackedUpFile) -> RepairResult:
        """Put the newest good copy in the place of a file."""
        for copy in kept.copies:
            if self._is_good(copy, kept):
                aside = _put_back(copy, kept.path)
                made = datetime.fromtimestamp(copy.stat().st_mtime, UTC).astimezone()
                return RepairResult(True, f"put back the copy of {made:%H:%M}{aside}")
        return RepairResult(False, f"no good copy of {kept.path} is left, and it stays as it is")

    def _is_good(self, copy: Path, kept: BackedUpFile) -> bool:
        return flaw_in(copy) is None and (kept is not self.run or _can_resume(copy))

    def _restore_settings(self) -> RepairResult:
        copy = self.folder / FOLDER / "run.toml"
        if not copy.is_file() and not _can_resume(self.run.path):
            return self._begin_anew()
        if not copy.is_file():
            return RepairResult(False, f"{self._settings} is lost or says nothing, without a copy")
        aside = _put_back(copy, self._settings)
        return RepairResult(True, f"put back the copy of run.toml{aside}")

    def _begin_anew(self) -> RepairResult:
        """Put back a copy that can go on; where there is none, nothing was played yet that a new start would lose."""
        if any(self._is_good(copy, self.run) for copy in self.run.copies):
            return self._restore(self.run)
        for path in (self.run.path, self._settings):
            if path.exists():
                move_aside(path, "unbegun")
        return RepairResult(True, "began anew: nothing was played that could be lost")


def _flaws(kept: BackedUpFile, fault: NightFault, *, thoroughly: bool) -> Iterator[Damage]:
    """Yield what is the matter with one file; where there never was one, nothing is."""
    was_there = any(kept.copies)
    if not kept.path.exists() or not kept.path.stat().st_size:
        if was_there:
            yield Damage(fault, f"{kept.path} is gone")
        return
    flaw = flaw_in(kept.path) if thoroughly else None
    # A file that never was ours is left alone: it is damaged only where it was ours before.
    if isinstance(flaw, CorruptStore) or (was_there and isinstance(flaw, ForeignStore)):
        yield Damage(fault, str(flaw))


def _unwritable(folder: Path) -> Iterator[Damage]:
    probe = folder / "night.probe"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            probe.write_bytes(PROBE)
        finally:
            probe.unlink(missing_ok=True)
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
        # Of an older version, busy, or damaged otherwise: play says what it makes of it.
        return True


def _put_back(copy: Path, path: Path) -> str:
    """Put a copy in the place of a file, and say where what was there is now."""
    moved = put_back(copy, path, aside="damaged")
    return f"; what was there is {moved.name}" if moved is not None else ""
