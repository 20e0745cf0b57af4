"""Whether a file is complete: it parses, opens or decodes, by its kind."""

import csv
import json
import sqlite3
import tomllib
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

import av
from PIL import Image

from agent.tools.replay.portable import read_portable

LEFT_BY_A_KILL: Final = ".*.unfinished*"
COMPANIONS: Final = ("-wal", "-shm", "-journal")
LOGS: Final = ("night.jsonl", "night.log")


def is_output(name: str) -> bool:
    """Return whether a file is one that a person or a later command uses, and not a lock or a part of another."""
    path = Path(name)
    is_part = path.name.endswith((*COMPANIONS, ".lock")) or path.match(LEFT_BY_A_KILL)
    return not (is_part or path.name in LOGS or "logs" in path.parts)


def contents(folder: Path) -> Mapping[str, bytes]:
    """Return the content of each output below a folder, by its path."""
    names = {str(each.relative_to(folder)): each for each in folder.rglob("*") if each.is_file()}
    return {name: path.read_bytes() for name, path in names.items() if is_output(name)}


def memory_rows(path: Path) -> object:
    """Return how many rows each table of a memory has, and the sums of its session."""
    with closing(sqlite3.connect(path)) as database:
        names = [
            row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type='table'")
        ]
        counts = {
            name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names
        }
        return counts, database.execute("SELECT * FROM tactician_stats").fetchall()


def flaw_of(path: Path) -> str:
    """Return what is wrong with a file, or '' if it is complete."""
    read = KINDS.get(path.suffix)
    if read is None:
        return "" if path.stat().st_size else "is empty"
    try:
        return read(path)
    except Exception as error:  # noqa: BLE001  # whatever the reader of its kind raises
        return f"is not complete: {error!r}"


def _json(path: Path) -> str:
    json.loads(path.read_text(encoding="utf-8"))
    return ""


def _toml(path: Path) -> str:
    return "" if tomllib.loads(path.read_text(encoding="utf-8")) else "is empty"


def _page(path: Path) -> str:
    return "" if path.read_text(encoding="utf-8").rstrip().endswith("</html>") else "is cut off"


def _lines(path: Path) -> str:
    return "" if path.read_text(encoding="utf-8").endswith("\n") else "is cut off"


def _table(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        lengths = {len(row) for row in csv.reader(file)}
    return _lines(path) or ("" if len(lengths) == 1 else "has rows of several lengths")


def _picture(path: Path) -> str:
    with Image.open(path) as image:
        for frame in range(getattr(image, "n_frames", 1)):
            image.seek(frame)
            image.load()
    return ""


def _movie(path: Path) -> str:
    with av.open(str(path)) as movie:
        return "" if sum(1 for _ in movie.decode(video=0)) else "has no picture"


def _replay(path: Path) -> str:
    return "" if read_portable(path).recording.records else "is empty"


def _database(path: Path) -> str:
    if not path.stat().st_size:
        return ""  # created, and nothing was stored yet
    with closing(sqlite3.connect(path)) as database:
        (report,) = database.execute("PRAGMA integrity_check").fetchone()
        return "" if report == "ok" else f"is damaged: {report}"


KINDS: Final[Mapping[str, Callable[[Path], str]]] = {
    ".json": _json,
    ".toml": _toml,
    ".html": _page,
    ".md": _lines,
    ".csv": _table,
    ".png": _picture,
    ".gif": _picture,
    ".mp4": _movie,
    ".replay": _replay,
    ".sqlite": _database,
}
