"""Ways to hurt a database where it lies, as bad storage would: a page that is nonsense, a state that is cut short."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Final

PAGE: Final = 4096
COMPANIONS: Final = ("", "-wal", "-shm", "-journal")
MOST_CUT: Final = 3


def spoil_page(path: Path, chance: Random) -> str:
    """Overwrite a page of a file that nobody has open, and return which."""
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # else its log would mend the page
    return _overwrite(path, chance, first=1)


def spoil_page_in_use(path: Path, chance: Random) -> str:
    """Overwrite a page of a file that somebody has open, who looks at it anew, and return which."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ((version,),) = file.execute("PRAGMA user_version")
        said = _overwrite(path, chance, first=2)  # the first one is written again right now
        file.execute(f"PRAGMA user_version = {version}")  # what others have read is old
    return said


def destroy(path: Path) -> None:
    """Leave nothing in a file that could be read."""
    size = path.stat().st_size
    path.write_bytes(b"\xa5" * size)
    for companion in COMPANIONS[1:]:
        path.with_name(path.name + companion).unlink(missing_ok=True)


def cut_checkpoints(path: Path, count: int) -> str:
    """Cut the states of the newest checkpoints short, and return of how many."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        cut = file.execute(
            "UPDATE checkpoints SET state = substr(state, 1, length(state) / 2)"
            " WHERE id IN (SELECT id FROM checkpoints ORDER BY id DESC LIMIT ?)",
            (count,),
        )
        return f"the newest {cut.rowcount}"


def _overwrite(path: Path, chance: Random, *, first: int) -> str:
    pages = path.stat().st_size // PAGE
    number = chance.randint(first, max(pages, first))
    with path.open("r+b") as file:
        file.seek((number - 1) * PAGE)
        is_blank = chance.random() < 0.5
        file.write(chance.choice((b"\x00", b"\xff")) * PAGE if is_blank else chance.randbytes(PAGE))
    return f"page {number} of {pages}, {'blank' if is_blank else 'noise'}"
