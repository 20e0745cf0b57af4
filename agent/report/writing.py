"""Putting a page where one is wanted: what was there is a page of ours, or stays."""

from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from agent.errors import UsageError

MARK: Final = '<meta name="generator" content="red-agent">'
HEAD: Final = 1_000  # bytes of a page within which its mark stands


def require_page_or_new(path: Path) -> None:
    """Raise UsageError where a page would replace anything but an older page of ours."""
    if not path.parent.is_dir():
        message = f"{path.parent} is no folder; make it, or name a file elsewhere"
        raise UsageError(message)
    if (path.exists() or path.is_symlink()) and not _is_page(path):
        message = f"{path} exists already and is no report, so it stays; name another file"
        raise UsageError(message)


def require_writable(folder: Path) -> None:
    """Raise UsageError where no file can be made in a folder: that is known before anything is played for it."""
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        message = f"nothing can be written in {folder} ({error.strerror}); name another folder"
        raise UsageError(message) from error


def write_whole(path: Path, text: str) -> None:
    """Write a file in the place of what was there, which stays as it is when writing fails."""
    new = path.with_name(path.name + ".unfinished")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _is_page(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK.encode() in file.read(HEAD)
