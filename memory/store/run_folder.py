"""The folder of a run: its settings, its store, and a lock for one process at a time."""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import tomli_w
from filelock import FileLock, Timeout

from memory.errors import RunFolderError, StoreError
from memory.file_access import read_toml, write_file
from memory.store.calls import LOG_SUFFIX
from memory.store.run_store import RunReader, RunStore, open_run_store, read_run_store
from memory.store.schema import RUN_FILE

SETTINGS: Final = "run.toml"
STORE: Final = RUN_FILE
LOCK: Final = "run.lock"
COPIES: Final = "copies"
CALL_LOG: Final = Path(STORE).with_suffix(LOG_SUFFIX).name
MEMORY_AT_START: Final = "memory_at_start.sqlite"  # what the run began with; without it, nothing
# Files of a supervisor in the folder of a run, possibly older than the run, and what a kill left of an unfinished file.
_ALLOWED_FILES: Final = (
    LOCK,
    CALL_LOG,
    "night.*",
    COPIES,
    f"{STORE}.*-[0-9]*",
    f"{SETTINGS}.*-[0-9]*",
    ".*.unfinished",
)
_CREATED_FILES: Final = (
    SETTINGS,
    MEMORY_AT_START,
    *(STORE + suffix for suffix in ("", "-wal", "-shm", "-journal")),
)
_UNPLAYED_FILES: Final = (LOCK, CALL_LOG, "night.*", COPIES, ".*.unfinished", *_CREATED_FILES)

Store = TypeVar("Store", bound=RunReader, covariant=True)


@dataclass(frozen=True, slots=True)
class RunFolder(Generic[Store]):
    """An open run; `settings` are those of when it was opened."""

    path: Path
    settings: Mapping[str, Any]
    store: Store
    lock: FileLock | None

    def save_settings(self, settings: Mapping[str, Any]) -> None:
        """Replace the settings, except the versions that the run began with."""
        table = {**settings, "versions": self.settings.get("versions", {})}
        try:
            write_file(self.path / SETTINGS, tomli_w.dumps(table))
        except OSError as error:
            message = f"{self.path / SETTINGS} cannot be written ({error.strerror}); resume a copy of the folder elsewhere"
            raise RunFolderError(message) from error

    def close(self) -> None:
        """Close the file and release the folder."""
        self.store.close()
        if self.lock is not None:
            self.lock.release()


def create_run(path: Path, settings: Mapping[str, Any], *, run_id: str) -> RunFolder[RunStore]:
    """Create a run in `path`, an empty or a missing folder.

    No file is overwritten; after a failure no file is left.
    """
    with own(path) as lock:
        _require_empty(path)
        try:
            write_file(path / SETTINGS, tomli_w.dumps(settings), replaces=False)
            store = open_run_store(path / STORE, run_id=run_id)
        except BaseException:
            for name in _CREATED_FILES:
                (path / name).unlink(missing_ok=True)
            raise
        return RunFolder(path, settings, store, lock)


def open_run(path: Path) -> RunFolder[RunStore]:
    """Open the run in `path` to resume it at its last checkpoint; if nothing was played, to begin it with its settings."""
    settings = _settings(path)
    with own(path) as lock:
        file = path / STORE
        require_own_files(path)
        if (not file.is_file() or file.stat().st_size == 0) and not has_played_nothing(path):
            raise _nothing_to_resume(file)
        store = open_run_store(file, run_id=str(settings.get("run", path.name)))
        try:
            if (
                store.checkpoints.latest() is None
                and next(iter(store.record.steps()), None) is not None
            ):
                raise _nothing_to_resume(file)
        except BaseException:
            store.close()
            raise
        return RunFolder(path, settings, store, lock)


def has_played_nothing(path: Path) -> bool:
    """Return whether play of the run in `path` ended before its first tick was stored."""
    file = path / STORE
    if file.is_file() and file.stat().st_size:
        try:
            with closing(read_run_store(file)) as store:
                return (
                    not store.checkpoints.marks() and next(iter(store.record.steps()), None) is None
                )
        except StoreError:
            return False
    # Without the file, any other file of the run shows that there was one.
    log, copies = path / f"{STORE}-wal", (path / COPIES).glob(f"*{STORE}")
    is_logged = log.is_file() and log.stat().st_size > 0
    return not (is_logged or any(copies) or _files_besides(path, _UNPLAYED_FILES))


def read_run(path: Path) -> RunFolder[RunReader]:
    """Open the run in `path` for reading, even while it is played."""
    settings = _settings(path)
    return RunFolder(path, settings, read_run_store(path / STORE), None)


def _settings(path: Path) -> Mapping[str, Any]:
    try:
        return read_toml(path / SETTINGS)
    except (FileNotFoundError, NotADirectoryError):
        message = f"{path} is no run: it holds no {SETTINGS}; name the folder that play wrote to"
        raise RunFolderError(message) from None
    except (OSError, ValueError) as error:
        message = f"{path / SETTINGS} cannot be read ({error}); put back the file that play wrote"
        raise RunFolderError(message) from error


def require_own_files(path: Path) -> None:
    """Raise RunFolderError if a file of a run is a link: resuming would change a file elsewhere."""
    for name in (SETTINGS, STORE):
        if (path / name).is_symlink():
            message = f"{path / name} is a link, and to resume the run would change a file elsewhere; put the file itself there"
            raise RunFolderError(message)


def _nothing_to_resume(file: Path) -> RunFolderError:
    return RunFolderError(
        f"{file} holds no checkpoint to resume from; start a new run with another --run"
    )


def _require_empty(path: Path) -> None:
    found = _files_besides(path, _ALLOWED_FILES)
    if found:
        resume = f", or resume with --resume {path}" if SETTINGS in found else ""
        message = f"{path} already holds {found[0]}; name an empty or a new folder as --run{resume}"
        raise RunFolderError(message)


def _files_besides(path: Path, allowed: Iterable[str]) -> list[str]:
    names = sorted(each.name for each in path.iterdir())
    return [name for name in names if not any(fnmatchcase(name, each) for each in allowed)]


@contextmanager
def own(path: Path, name: str = LOCK) -> Iterator[FileLock]:
    """Create the folder and yield its acquired lock; when the body fails, undo both."""
    for each in (path, *path.parents):
        if each.is_file():
            raise RunFolderError(f"{each} is a file; name a folder for the run")
    if (path / name).is_symlink():
        raise RunFolderError(f"{path / name} is a link, as no lock is; remove it")
    lock = FileLock(path / name)
    with ExitStack() as undo, _translated_errors(path):
        for folder in reversed((path, *path.parents)):
            if not folder.exists():
                with suppress(FileExistsError):  # another process created it
                    folder.mkdir()
                    undo.callback(_remove_empty, folder)
        if not os.access(path, os.W_OK):
            is_readonly = os.statvfs(path).f_flag & os.ST_RDONLY
            code = errno.EROFS if is_readonly else errno.EACCES
            raise OSError(code, os.strerror(code))
        is_new = not (path / name).exists()
        lock.acquire(timeout=0)
        undo.callback(lock.release)
        if is_new:
            undo.callback((path / name).unlink, missing_ok=True)
        yield lock
        undo.pop_all()


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # another process uses it
        folder.rmdir()


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except Timeout:
        message = f"{path} is in use by another process; wait for it, or name another --run"
        raise RunFolderError(message) from None
    except OSError as error:
        message = f"{error.filename or path} cannot be written ({error.strerror}); name another --run, or resume a copy of the folder elsewhere"
        raise RunFolderError(message) from error
