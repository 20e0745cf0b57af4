"""The disk that a game is played on: one of its own where the machine allows that, which can be filled and made read-only."""

import ctypes
import os
import resource
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

MIB: Final = 1 << 20
SIZE: Final = 48 * MIB
BALLAST: Final = "ballast"
TRIES: Final = 5
NEW_MOUNTS: Final = 0x00020000  # CLONE_NEWNS


class Disk(Protocol):
    """Where a game's files are. `fill` and `freeze` last until `free` and `thaw`."""

    home: Path
    says: str

    def fill(self, pid: int) -> None:
        """Leave no room for another byte, for the process `pid` at least."""

    def free(self, pid: int) -> None:
        """Give back what was taken."""

    def freeze(self, folder: Path) -> None:
        """Let nothing be made or opened for writing in `folder`."""

    def thaw(self, folder: Path) -> None:
        """Let it be written again."""

    def close(self) -> None:
        """Leave nothing behind."""


class OwnDisk:
    """A file system in memory, mounted where only this process and its children see it."""

    says = "a file system of its own, 48 MiB, filled by a ballast file; a mount of the folder that is read-only"

    def __init__(self, home: Path) -> None:
        self.home = home
        _mount("-t", "tmpfs", "-o", f"size={SIZE}", "night", str(home))

    def fill(self, pid: int) -> None:
        """Write zeros until there is no room."""
        del pid
        with suppress(OSError), (self.home / BALLAST).open("ab", buffering=0) as file:
            for size in (MIB, 4096, 1):
                with suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass

    def free(self, pid: int) -> None:
        """Take the ballast away."""
        del pid
        (self.home / BALLAST).unlink(missing_ok=True)

    def freeze(self, folder: Path) -> None:
        """Mount the folder over itself, read-only: what is open already can still be written."""
        for left in reversed(range(TRIES)):
            _mount("--bind", str(folder), str(folder))
            try:
                _mount("-o", "remount,ro,bind", str(folder))
            except OSError:  # somebody opened something in between
                self.thaw(folder)
                if not left:
                    raise
            else:
                return

    def thaw(self, folder: Path) -> None:
        """Take that mount away, if there is one; whoever has something open below it keeps that."""
        with suppress(OSError):
            _unmount(folder)

    def close(self) -> None:
        """Unmount it."""
        _unmount(self.home)


class SharedDisk:
    """A folder of the machine's disk, where nothing can be mounted: limits and permissions do instead."""

    says = "a limit on the size of files (RLIMIT_FSIZE) for the player; permissions of the folder"

    def __init__(self, home: Path) -> None:
        self.home = home

    def fill(self, pid: int) -> None:
        """Let the process make no file longer than a byte."""
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, most))

    def free(self, pid: int) -> None:
        """Take the limit away; whoever is gone had it for good."""
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        with suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))

    def freeze(self, folder: Path) -> None:
        """Take the permission to write in the folder away from all but root."""
        for each in (folder, *folder.iterdir()):
            each.chmod(0o555 if each.is_dir() else 0o444)

    def thaw(self, folder: Path) -> None:
        """Give it back."""
        for each in (folder, *folder.iterdir()):
            each.chmod(0o755 if each.is_dir() else 0o644)

    def close(self) -> None:
        """Leave it to whoever made the folder."""


def disk_in(home: Path) -> Disk:
    """Return the best disk that can be had in the empty folder `home`."""
    try:
        return OwnDisk(home)
    except OSError:
        return SharedDisk(home)


def see_own_mounts() -> bool:
    """Return whether what this process mounts from now on is seen by it and its children alone."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "unshare") or library.unshare(NEW_MOUNTS) != 0:
        return False
    try:
        _mount("--make-rprivate", "/")
    except OSError:
        return False
    return True


def _mount(*arguments: str) -> None:
    _run("mount", *arguments)


def _unmount(folder: Path) -> None:
    _run("umount", "--lazy", str(folder))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"{' '.join(command)}: {done.stderr.strip()}"
        raise OSError(message)


def is_root() -> bool:
    """Return whether permissions mean nothing to this process."""
    return os.geteuid() == 0
