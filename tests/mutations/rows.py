"""The rows that say what memory must do, and the tests that bear their names."""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
NAME: Final = re.compile(r"test_((?:[a-z]\d\d_)+)")  # test_b26_b27_fading_... shows two rows


@dataclass(frozen=True, slots=True)
class Row:
    """One behaviour; `marks` are S, C and +, as the data file explains."""

    id: str
    marks: str
    says: str

    @property
    def is_a_closed_hole(self) -> bool:
        """Whether the behaviour is one that the first implementation lacked."""
        return "+" in self.marks


@dataclass(frozen=True, slots=True, order=True)
class RowTest:
    """One test function that shows rows; `path` is relative to the tree it was found in."""

    path: str
    name: str

    @property
    def node(self) -> str:
        """How pytest calls it, parameters left out."""
        return f"{self.path}::{self.name}"

    @property
    def rows(self) -> tuple[str, ...]:
        """The ids in its name."""
        found = NAME.match(self.name)
        return tuple(found[1].upper().split("_")[:-1]) if found else ()


def read_rows() -> tuple[Row, ...]:
    """Return the rows in the order of the data file."""
    data = tomllib.loads((HERE / "rows.toml").read_text(encoding="utf-8"))
    return tuple(Row(name, **fields) for name, fields in data.items())


def row_tests(tree: Path = ROOT) -> tuple[RowTest, ...]:
    """Return every test below `tree` that has a row's id in its name, in a fixed order."""
    files = sorted((tree / "tests").rglob("test_*.py"))
    found = (test for file in files for test in _tests_in(file, file.relative_to(tree)))
    return tuple(sorted(test for test in found if test.rows))


def _tests_in(file: Path, path: Path) -> Iterator[RowTest]:
    text = file.read_text(encoding="utf-8")
    if NAME.search(text) is None:
        return
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            yield RowTest(path.as_posix(), node.name)
