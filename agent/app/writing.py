"""Files that somebody asks for by name: new ones, whole or not at all."""

from pathlib import Path

from agent.errors import UsageError


def require_new(file: Path) -> None:
    """Raise UsageError when there is something at `file`: nothing is overwritten."""
    if file.exists() or file.is_symlink():
        message = f"{file} exists already, and nothing is overwritten; name another file"
        raise UsageError(message)
    if not file.parent.is_dir():
        message = f"{file.parent} is no folder; make it, or name a file elsewhere"
        raise UsageError(message)


def write_new(file: Path, data: bytes) -> None:
    """Write a new file, or leave none behind."""
    with file.open("xb") as new:
        try:
            new.write(data)
            new.flush()
        except BaseException:
            file.unlink(missing_ok=True)
            raise
