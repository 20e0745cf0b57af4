"""A run as a folder: frozen settings, one file of everything that happened, one owner at a time."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import tomli_w
from filelock import FileLock, Timeout

from memory.errors import RunFolderError
from memory.store.run_store import RunReader, RunStore, open_run_store, read_run_store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SETTINGS: Final = "run.toml"
STORE: Final = "run.sqlite"
REPORT: Final = "report.html"
LOCK: Final = "run.lock"

Store = TypeVar("Store", bound=RunReader, covariant=True)


@dataclass(frozen=True, slots=True)
class RunFolder(Generic[Store]):
    """An open run; `settings` never change once it exists."""

    path: Path
    settings: Mapping[str, Any]
    store: Store
    lock: FileLock | None

    def close(self) -> None:
        """Close the file and let others have the folder."""
        self.store.close()
        if self.lock is not None:
            self.lock.release()


def create_run(path: Path, settings: Mapping[str, Any], *, run_id: str) -> RunFolder[RunStore]:
    """Return a new run in `path`, which may be an empty folder or none yet; nothing is overwritten."""
    taken = [name for name in (SETTINGS, STORE, REPORT) if (path / name).exists()]
    if taken:
        message = (
            f"{path} already holds {taken[0]}; name another --run, or go on with --resume {path}"
        )
        raise RunFolderError(message)
    lock = _own(path)
    try:
        (path / SETTINGS).write_text(tomli_w.dumps(settings), encoding="utf-8")
        return RunFolder(path, settings, open_run_store(path / STORE, run_id=run_id), lock)
    except BaseException:
        lock.release()
        raise


def open_run(path: Path) -> RunFolder[RunStore]:
    """Return the run in `path` for going on with it."""
    settings = _settings(path)
    lock = _own(path)
    try:
        return RunFolder(path, settings, open_run_store(path / STORE, run_id=path.name), lock)
    except BaseException:
        lock.release()
        raise


def read_run(path: Path) -> RunFolder[RunReader]:
    """Return the run in `path` for reading, also while somebody plays it."""
    settings = _settings(path)
    return RunFolder(path, settings, read_run_store(path / STORE), None)


def _settings(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads((path / SETTINGS).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        message = f"{path} is no run: it holds no {SETTINGS}; name the folder that play wrote to"
        raise RunFolderError(message) from None
    except (OSError, ValueError) as error:
        message = f"{path / SETTINGS} cannot be read ({error}); put back the file that play wrote"
        raise RunFolderError(message) from error


def _own(path: Path) -> FileLock:
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK):
            raise PermissionError(13, os.strerror(13))
        lock = FileLock(path / LOCK)
        lock.acquire(timeout=0)
    except Timeout:
        message = f"{path} is in use by another process; wait for it, or name another --run"
        raise RunFolderError(message) from None
    except OSError as error:
        message = f"{path} cannot be written ({error.strerror}); name another --run"
        raise RunFolderError(message) from error
    return lock
