"""Changes of the product that each put one bug back, as data."""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from tests.mutations.rows import HERE, ROOT


class DoesNotFit(Exception):
    """The text to be changed is not there exactly once."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One bug. `tests` narrows who must notice it; else all tests of its row are asked."""

    row: str
    stands_for: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...] = ()
    may_hang: bool = False

    def changed(self, tree: Path = ROOT) -> str:
        """Return the file of `tree` with the bug in it; raise DoesNotFit when it has no place."""
        path = tree / self.file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if (count := text.count(self.old)) != 1:
            message = f"{self.row}: {self.file} has the text {count} times, not once: {self.old!r}"
            raise DoesNotFit(message)
        return text.replace(self.old, self.new)

    @contextmanager
    def applied(self, tree: Path) -> Iterator[None]:
        """Lend `tree` with the bug in it."""
        changed, path = self.changed(tree), tree / self.file
        whole = path.read_bytes()
        try:
            _replace(path, changed.encode())
            yield
        finally:
            _replace(path, whole)


def read_mutations() -> tuple[Mutation, ...]:
    """Return the mutations of all parts, in the order of their files."""
    files = sorted(HERE.glob("part_*.toml"))
    parts = (tomllib.loads(file.read_text(encoding="utf-8")) for file in files)
    found = (each for part in parts for each in part["mutation"])
    return tuple(Mutation(**each | {"tests": tuple(each.get("tests", ()))}) for each in found)


def _replace(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    # Python compares time and size only: a change as long and as old as the last one would go unseen.
    Path(cache_from_source(str(path))).unlink(missing_ok=True)
