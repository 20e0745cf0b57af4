"""What play takes of the machine it runs on. Nothing in play depends on it."""

from pathlib import Path
from shutil import disk_usage

import psutil


def resident_of(pid: int | None = None) -> int:
    """Return the bytes of resident memory of a process, by default of this one; 0 when there is none."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def free_bytes(path: Path) -> int:
    """Return how many bytes the disk has left on which `path`, or the nearest folder above it that exists, lies."""
    for folder in (path, *path.absolute().parents):
        if folder.exists():
            return disk_usage(folder).free
    return 0


def file_bytes(*paths: Path) -> int:
    """Return how many bytes these files have, with their companions of SQLite, where they exist."""
    files = (each.with_name(each.name + end) for each in paths for end in ("", "-wal", "-shm"))
    return sum(each.stat().st_size for each in files if each.is_file())
