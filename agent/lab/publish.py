"""Results of measurements as data: a JSON file each under docs/results, a picture beside it, and an index of all.

A file names the cartridge, the commit, the date and the command it was measured with, and a digest of the code,
so that a result of older code is known as such. `python -m agent.lab.publish` prints which of them are older.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from agent.app import HOME
from emulator import Cartridge, demo_cartridge_path, load_cartridge

FOLDER: Final = HOME / "docs" / "results"
CODE: Final = ("agent", "memory", "emulator")  # folders that a result depends on
INDEX_HEAD: Final = """\
# Results

Measured on the cartridge that ships with the project, as data: each file names the SHA-1 of the cartridge, the
commit, the date and the command. `python -m agent bench all` measures them anew, and `scripts/test` prints which of
them are older than the code. This page is written by the publisher (`agent/lab/publish.py`).

| result | what was measured | command | date |
|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Result:
    """One published measurement. `code` is the digest of the code that was measured, `sha1` the cartridge's."""

    name: str
    what: str
    command: str
    date: str
    commit: str
    code: str
    cartridge: str
    sha1: str
    figures: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]

    def older_than_tree(self) -> list[str]:
        """Return which of cartridge and code have changed since."""
        now = {"cartridge": demo().sha1, "code": code_digest()}
        was = {"cartridge": self.sha1, "code": self.code}
        return [each for each in now if now[each] != was[each]]


class Origin(NamedTuple):
    """How a result came about; `what` is one line for the index."""

    command: str
    what: str
    cartridge: Cartridge


def publish(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    figures: Mapping[str, Any],
    command: str,
    *,
    what: str = "",
    picture: bytes | None = None,
) -> Path:
    """Write what was measured on the demo to docs/results/`name`.json, and its picture beside it; return the path."""
    path = FOLDER / f"{name}.json"
    write_result(path, rows, figures, Origin(command, what, demo()), picture)
    return path


def write_result(
    path: Path,
    rows: Sequence[Mapping[str, Any]],
    figures: Mapping[str, Any],
    origin: Origin,
    picture: bytes | None = None,
) -> None:
    """Write a result to `path` and its picture beside it, and the index anew if that is in docs/results."""
    head = {
        "what": origin.what,
        "command": origin.command,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "commit": _commit(),
        "code": code_digest(),
        "cartridge": origin.cartridge.name,
        "sha1": origin.cartridge.sha1,
        "figures": figures,
    }
    # A row a line: a later measurement differs in lines of its own.
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    text = json.dumps(head, indent=1).removesuffix("\n}") + f',\n "rows": [\n{lines}\n ]\n}}\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if picture is not None:
        path.with_suffix(".png").write_bytes(picture)
    if path.parent.resolve() == FOLDER:
        _write_index()


def read_result(path: Path) -> Result | None:
    """Return what was published at `path`, or None where there is no such file."""
    if not path.is_file():
        return None
    return Result(name=path.stem, **json.loads(path.read_text(encoding="utf-8")))


def results() -> Iterator[Result]:
    """Yield everything that is published, by name."""
    for path in sorted(FOLDER.glob("*.json")):
        found = read_result(path)
        if found is not None:
            yield found


@cache
def code_digest() -> str:
    """Return what tells the code in the tree from any other."""
    found = blake2b(digest_size=8)
    for folder in CODE:
        for path in sorted((HOME / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                found.update(path.relative_to(HOME).as_posix().encode() + b"\0")
                found.update(path.read_bytes())
    return found.hexdigest()


@cache
def demo() -> Cartridge:
    """Return the cartridge that ships with the project."""
    return load_cartridge(demo_cartridge_path())


def _commit() -> str:
    command = ("git", "describe", "--always", "--dirty")
    try:
        told = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"  # played from an archive
    return told.stdout.strip()


def _write_index() -> None:
    rows = []
    for each in results():
        picture = FOLDER / f"{each.name}.png"
        link = f"[{each.name}](results/{each.name}.json)"
        link += f" ([picture](results/{picture.name}))" if picture.exists() else ""
        rows.append(f"| {link} | {each.what} | `{each.command}` | {each.date} |\n")
    FOLDER.with_suffix(".md").write_text(INDEX_HEAD + "".join(rows), encoding="utf-8")


def older_results() -> list[str]:
    """Return a line for each result whose cartridge or code is older than the tree."""
    return [
        f"{each.name}: {' and '.join(older)} changed since; {each.command}"
        for each in results()
        if (older := each.older_than_tree())
    ]


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in older_results())
