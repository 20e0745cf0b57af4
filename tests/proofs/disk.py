"""The disk of a game: a small file system that can be filled and made read-only, and damage to files on it."""

import ctypes
import sqlite3
import subprocess
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Final

MIB: Final = 1 << 20
SIZE: Final = 48 * MIB
BALLAST: Final = "ballast"
TRIES: Final = 5
NEW_MOUNTS: Final = 0x00020000  # CLONE_NEWNS
PAGE: Final = 4096  # bytes of a page of SQLite
COMPANIONS: Final = ("-wal", "-shm", "-journal")


class Disk:
    """The folder `home` of a game; if the machine allows it, a file system in memory that only this process sees."""

    def __init__(self, home: Path, *, is_own: bool) -> None:
        self.home = home
        self.is_own = is_own
        if is_own:
            try:
                _run("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "proof", str(home))
            except OSError:
                self.is_own = False

    def fill(self) -> None:
        """Fill the disk completely."""
        with suppress(OSError), (self.home / BALLAST).open("ab", buffering=0) as file:
            for size in (MIB, PAGE, 1):
                with suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass

    def free(self) -> None:
        """Free the space again."""
        (self.home / BALLAST).unlink(missing_ok=True)

    def freeze(self, folder: Path) -> None:
        """Make a folder read-only; files that are already open can still be written."""
        for left in reversed(range(TRIES)):
            _run("mount", "--bind", str(folder), str(folder))
            try:
                _run("mount", "-o", "remount,ro,bind", str(folder))
            except OSError:  # a file was opened in between
                self.thaw(folder)
                if not left:
                    raise
            else:
                return

    def thaw(self, folder: Path) -> None:
        """Make the folder writable again."""
        with suppress(OSError):
            _run("umount", "--lazy", str(folder))

    def close(self) -> None:
        """Unmount the disk."""
        if self.is_own:
            _run("umount", "--lazy", str(self.home))


def use_own_mounts() -> bool:
    """Make mounts of this process private to it and its children; return whether it can mount at all."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "unshare") or library.unshare(NEW_MOUNTS) != 0:
        return False
    try:
        _run("mount", "--make-rprivate", "/")
    except OSError:
        return False
    return True


def damage_page(path: Path, chance: Random) -> str:
    """Overwrite a page of a closed database, and return which."""
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # otherwise its log would repair the page
    return _overwrite(path, chance, first=1)


def damage_page_in_use(path: Path, chance: Random) -> str:
    """Overwrite a page of an open database, and return which."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ((version,),) = file.execute("PRAGMA user_version")
        page = _overwrite(path, chance, first=2)  # the first page is rewritten below
        file.execute(f"PRAGMA user_version = {version}")  # makes others read their pages again
        return page


def cut_checkpoints(path: Path, count: int) -> str:
    """Cut the states of the newest checkpoints to half, and return the count as text."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        cut = file.execute(
            "UPDATE checkpoints SET state = substr(state, 1, length(state) / 2)"
            " WHERE id IN (SELECT id FROM checkpoints ORDER BY id DESC LIMIT ?)",
            (count,),
        )
        return f"the newest {cut.rowcount}"


def destroy(path: Path, copies: Path) -> str:
    """Overwrite a database and its copies completely, and return the count of copies as text."""
    found = [each for each in copies.glob(f"*{path.name}*") if each.is_file()]
    for each in (path, *found):
        each.write_bytes(b"\xa5" * each.stat().st_size)
        for companion in COMPANIONS:
            each.with_name(each.name + companion).unlink(missing_ok=True)
    return f"and {len(found)} copies"


def _overwrite(path: Path, chance: Random, *, first: int) -> str:
    pages = path.stat().st_size // PAGE
    number = chance.randint(first, max(pages, first))
    is_blank = chance.random() < 0.5
    with path.open("r+b") as file:
        file.seek((number - 1) * PAGE)
        file.write(chance.choice((b"\x00", b"\xff")) * PAGE if is_blank else chance.randbytes(PAGE))
    return f"page {number} of {pages}, {'blank' if is_blank else 'noise'}"


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"{' '.join(command)}: {done.stderr.strip()}"
        raise OSError(message)
