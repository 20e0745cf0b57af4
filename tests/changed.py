"""`python -m tests.changed`: prints the tests that the changes since the merge base with main can touch, nearest first.

Near is a test that imports what was changed, or imports what imports it, and a test or module that names a changed data
file. So many are printed as run within a minute, by the seconds that each file took last.
"""

import ast
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
SECONDS: Final = ROOT / ".cache" / "test_seconds.json"  # of each file of tests, when it ran last
UNKNOWN_S: Final = 1.0
MOST_S: Final = 45.0  # a minute, less the other checks
PACKAGES: Final = ("agent", "memory", "emulator", "tests")
SCENARIOS: Final = Path("tests/scenarios")


def changed_files() -> list[Path]:
    """Return the files that differ from the merge base with main, or on main itself from the last commit."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    found = [*_git("diff", "--name-only", *base), *_git("ls-files", "-o", "--exclude-standard")]
    return sorted({Path(each) for each in found})


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1]


@cache
def sources() -> Mapping[str, Path]:
    """Return the file of each module of the program and of its tests."""
    files = (path for each in PACKAGES for path in sorted((ROOT / each).rglob("*.py")))
    return {_module(path.relative_to(ROOT)): path for path in files}


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@cache
def importers() -> Mapping[str, set[str]]:
    """Return the modules that import each module; a test imports the `conftest.py` of its folders."""
    found = defaultdict[str, set[str]](set)
    for name, path in sources().items():
        for imported in _imports(name, ast.parse(path.read_bytes())):
            found[imported].add(name)
        if path.name.startswith("test_"):
            for folder in path.relative_to(ROOT).parents:
                found[_module(folder / "conftest.py")].add(name)
    return found


def _imports(name: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = {f"{node.module}.{each.name}" for each in node.names}
            inner = below & sources().keys()
            yield from inner
            if len(inner) < len(below):
                yield node.module


def touched(files: Iterable[Path]) -> list[str]:
    """Return the tests that these files can touch, nearest first; of a scenario only its own test."""
    nearest, names = list[str](), set[str]()
    for file in files:
        if file.suffix == ".py":
            names.add(_module(file))
        elif file.parent == SCENARIOS and file.suffix == ".toml":
            nearest.append(f"{SCENARIOS}/test_scenarios.py::test_scenario[{file.stem}]")
        else:
            names |= {
                name for name, path in sources().items() if file.name in path.read_text("utf-8")
            }
    ordered, seen = list[str](), set[str]()
    while names:
        seen |= names
        ordered += sorted(each for each in names if each.rpartition(".")[2].startswith("test_"))
        names = {later for name in names for later in importers()[name]} - seen
    paths = [sources()[each] for each in ordered if each in sources()]
    return [*nearest, *(path.relative_to(ROOT).as_posix() for path in paths)]


def within(tests: Iterable[str], seconds: float) -> list[str]:
    """Return the first of the tests that run within some seconds on all processors, at least one."""
    took = json.loads(SECONDS.read_text("ascii")) if SECONDS.exists() else {}
    left, chosen = seconds * (os.cpu_count() or 1), list[str]()
    for each in tests:
        left -= took.get(each, UNKNOWN_S)
        if left < 0 and chosen:
            break
        chosen.append(each)
    return chosen


def keep_seconds(took: Mapping[str, float]) -> None:
    """Keep how long files of tests took."""
    kept = json.loads(SECONDS.read_text("ascii")) if SECONDS.exists() else {}
    SECONDS.parent.mkdir(exist_ok=True)
    SECONDS.write_text(json.dumps({**kept, **took}, indent=0), "ascii")


if __name__ == "__main__":
    every = touched(changed_files())
    first = within(every, MOST_S)
    print("\n".join(first))  # noqa: T201
    print(f"{len(first)} of {len(every)} test files, nearest first", file=sys.stderr)  # noqa: T201
