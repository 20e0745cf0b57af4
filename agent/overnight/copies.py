"""Copies of what a night must not lose, in the run's folder: made while play goes on, and each proven whole."""

import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from agent.overnight.guards import MB
from memory import StoreError, flaw_in, put_back, read_knowledge_store, read_run_store, sync

FOLDER: Final = "copies"
EVERY_S: Final = 600.0
SHARE: Final = 20  # so many times as long as a copy takes is waited for the next one


class Reader(Protocol):
    """An open file that can be copied while others write it."""

    def backup(self, path: Path) -> None:
        """Copy what was committed to a new file at `path`."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of which copies are kept: the newest as `copy`, and the one before it."""

    path: Path
    copy: Path
    reader: Callable[[Path], Reader]

    @property
    def copies(self) -> Iterator[Path]:
        """The copies that there are, the newest first."""
        return (each for each in (self.copy, self._older) if each.is_file())

    def take(self) -> None:
        """Make a copy and let the oldest go.

        Raises:
            StoreError: when the file cannot be read, or what was read is not whole; then all copies stay.
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


def kept_run(folder: Path) -> Kept:
    """Return the file of the run in `folder`."""
    return Kept(folder / "run.sqlite", folder / FOLDER / "run.sqlite", read_run_store)


def kept_memory(folder: Path, memory: Path) -> Kept:
    """Return the memory of the run in `folder`."""
    return Kept(memory, folder / FOLDER / "memory.sqlite", read_knowledge_store)


def take_settings(folder: Path) -> None:
    """Copy run.toml, which never changes, unless that was done or it says nothing; where it cannot be done now, later."""
    settings, copy = folder / "run.toml", folder / FOLDER / "run.toml"
    if copy.is_file() or not says_something(settings):
        return
    with suppress(OSError):
        copy.parent.mkdir(exist_ok=True)
        put_back(settings, copy)


def says_something(settings: Path) -> bool:
    """Return whether a run.toml can be read."""
    try:
        return bool(tomllib.loads(settings.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return False


class Copier:
    """Copies now and then, and soon after whatever is worth it; where the disk is near its floor, not at all."""

    def __init__(self, kept: tuple[Kept, ...], floor: int, elapsed: Callable[[], float]) -> None:
        self._kept = kept
        self._floor = floor
        self._elapsed = elapsed
        self._due = 0.0
        self._earliest = 0.0

    def hurry(self) -> None:
        """Copy as soon as the last copy is long enough ago."""
        self._due = 0.0

    def copy_if_due(self, free_bytes: int) -> tuple[Path, StoreError] | None:
        """Copy what is due; return the file that could not be copied whole, and why."""
        began = self._elapsed()
        if began < max(self._due, self._earliest) or not self._has_room(free_bytes):
            return None
        try:
            return next(iter([*self._failures()]), None)
        finally:
            now = self._elapsed()
            self._due, self._earliest = now + EVERY_S, now + SHARE * (now - began)

    def _failures(self) -> Iterator[tuple[Path, StoreError]]:
        for kept in self._kept:
            try:
                if kept.path.is_file():
                    kept.take()
            except StoreError as error:
                yield kept.path, error
            except OSError:
                continue  # no copy this time; the guards see to the disk

    def _has_room(self, free_bytes: int) -> bool:
        needed = sum(kept.path.stat().st_size for kept in self._kept if kept.path.is_file())
        return free_bytes > self._floor + 2 * needed + MB
