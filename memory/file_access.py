"""Files read and written as a whole: only regular files of limited size, never through a link, and old or new after any failure.

Knows bytes, JSON and TOML. Knows nothing of what a file means.
"""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from memory.codec import decode, decode_toml

MAX_BYTES: Final = 1 << 20  # of a file that a person writes, unless a caller allows more
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # a FIFO without a writer must not block
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NAME_LENGTH: Final = 100  # characters of the name of a file that its temporary file repeats


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file.

    Raises OSError, with the name, for anything else (a device, a FIFO, a folder) and above `limit` bytes.
    """
    descriptor = os.open(path, _READ)
    with os.fdopen(descriptor, "rb") as file:
        _require_regular(path, descriptor)
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit:,} bytes", str(path))
    return data


def read_text(path: Path, limit: int = MAX_BYTES) -> str:
    """Return the UTF-8 text of a regular file; raises OSError as `read_bytes` does, and ValueError for other bytes."""
    return read_bytes(path, limit).decode()


def read_json(path: Path) -> Any:  # noqa: ANN401  # the caller knows the shape
    """Return the JSON of a regular file, within the limits of `decode`; raises OSError and ValueError."""
    return decode(read_text(path))


def read_toml(
    path: Path, limit: int = MAX_BYTES, *, parse_float: Callable[[str], Any] = float
) -> dict[str, Any]:
    """Return the table of a regular TOML file, within the limits of `decode_toml`; raises OSError and ValueError."""
    return decode_toml(read_text(path, limit), parse_float=parse_float)


def write_file(path: Path, data: str | bytes, *, replaces: bool = True) -> None:
    """Write a file as a whole; after a failure or a kill the old file stands, or none.

    A link at `path` is replaced, not followed. Without `replaces` an existing file raises FileExistsError.
    """
    with new_file(path, replaces=replaces) as new:
        new.write_bytes(data.encode() if isinstance(data, str) else data)


def copy_file(source: Path, path: Path) -> None:
    """Copy a file as a whole, as `write_file` does."""
    with new_file(path) as new:
        shutil.copyfile(source, new)


@contextmanager
def new_file(path: Path, *, replaces: bool = True) -> Iterator[Path]:
    """Yield an empty file next to `path` with an unpredictable name, which takes the name `path` at the end of the body.

    It is synced to disk first; if the body fails, it is deleted. OSErrors name `path`. Without `replaces` an existing
    file raises FileExistsError.
    """
    new = path.with_name(f".{path.name[:_NAME_LENGTH]}.{secrets.token_hex(8)}.unfinished")
    with _naming(path, new):
        if not replaces and os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        os.close(os.open(new, _CREATE, 0o666))
        try:
            yield new
            sync(new)
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
        _sync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Create a folder unless it exists; a link in its place, which may lead anywhere, raises OSError."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link", str(path))
    path.mkdir(exist_ok=True)


def real_path(path: Path) -> Path:
    """Return the absolute path without links; a loop of links, which leads nowhere, stays in it."""
    return Path(os.path.realpath(path))


def append(path: Path, data: bytes, *, starts_line: bool = False) -> None:
    """Append `data` to a regular file, completely or not at all, and sync it; a link is refused.

    With `starts_line` it does not join with a line that a kill or a full disk cut off before.
    """
    with _naming(path):
        descriptor = os.open(path, _APPEND, 0o666)
        try:
            _require_regular(path, descriptor)
            size = os.lseek(descriptor, 0, os.SEEK_END)
            if starts_line and size > 0 and os.pread(descriptor, 1, size - 1) != b"\n":
                data = b"\n" + data
            try:
                if os.write(descriptor, data) < len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)


def sync(path: Path) -> None:
    """Sync a file to disk, so that its content survives a loss of power."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _require_regular(path: Path, descriptor: int) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


@contextmanager
def _naming(path: Path, new: Path | None = None) -> Iterator[None]:
    """Raise OSErrors without a name, or with that of the temporary file `new`, with the name of `path`."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in {None, str(new), new}:
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from error
