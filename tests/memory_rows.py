"""The requirement rows of memory, and the tests whose names carry their ids, such as `test_b26_b27_...`."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

TESTS: Final = Path(__file__).parent
NAME: Final = re.compile(r"test_((?:[a-e]\d\d_)+)")


class MemoryRow(NamedTuple):
    """One requirement; `marks` are S, C and +, as the file explains."""

    id: str
    marks: str
    text: str


def read_rows() -> list[MemoryRow]:
    """Return all rows in order."""
    lines = TESTS.joinpath("memory_rows.txt").read_text(encoding="utf-8").splitlines()
    found = (
        re.fullmatch(r"([A-E]\d\d) ([SC+ ]+?) +(\w.*)", line)
        for line in lines
        if line[:1] not in ("", "#")
    )
    return [MemoryRow(*match.groups()) for match in found if match is not None]


def row_tests() -> Mapping[str, list[str]]:
    """Return the node ids of the tests of each row."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for name, function in _tests_in(path):
            for row in name:
                found.setdefault(row, []).append(f"{path.relative_to(TESTS.parent)}::{function}")
    return found


def _tests_in(path: Path) -> Iterator[tuple[list[str], str]]:
    text = path.read_text(encoding="utf-8")
    if NAME.search(text) is None:
        return
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and (match := NAME.match(node.name)):
            yield match[1].upper().split("_")[:-1], node.name
