"""`python -m tests.changed`: prints the tests that the changes since the merge base with main can touch, nearest first.

Near is a test that imports what was changed, or imports what imports it, and a test or module that names a changed data
file. Of these so many are printed as run within a minute, and of equally near ones the quick ones first; `slow_files.txt`
has the processor seconds of files that take more than the usual.
"""

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
SLOW: Final = Path(__file__).with_name("slow_files.txt")
USUAL_S: Final = 0.4  # of a file that is not slow
MOST_S: Final = (
    18.0  # on each processor: a minute, less the other checks and the start of the tests
)
PACKAGES: Final = ("agent", "memory", "emulator", "tests")
SCENARIOS: Final = Path("tests/scenarios")
IMPORT: Final = re.compile(r"^ *(?:from ([\w.]+) )?import (\([^)]*\)|[^\n]*)", re.MULTILINE)


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
        for imported in _imports(path.read_text("utf-8")):
            found[imported].add(name)
        if path.name.startswith("test_"):
            for folder in path.relative_to(ROOT).parents:
                found[_module(folder / "conftest.py")].add(name)
    return found


def _imports(text: str) -> Iterator[str]:
    for module, names in IMPORT.findall(text):
        below = {f"{module}.{each}".lstrip(".") for each in re.findall(r"[\w.]+", names)}
        inner = below & sources().keys()
        yield from inner
        if module and len(inner) < len(below):
            yield module


def touched(files: Iterable[Path]) -> list[list[str]]:
    """Return the tests that these files can touch, by how near they are; of a scenario only its own test."""
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
    found, seen = [nearest], set[str]()
    while names:
        seen |= names
        tests = [each for each in names if each.rpartition(".")[2].startswith("test_")]
        paths = sorted(sources()[each] for each in tests if each in sources())
        found.append([path.relative_to(ROOT).as_posix() for path in paths])
        names = {later for name in names for later in importers()[name]} - seen
    return found


def within(tests: Iterable[Iterable[str]], seconds: float) -> list[str]:
    """Return those of the tests that run within some seconds on all processors, at least one.

    Of equally near ones the quick ones come first, and what takes longer than is left is passed over.
    """
    took, left, chosen = known_seconds(), seconds * (os.cpu_count() or 1), list[str]()
    for near in tests:
        for each in sorted(near, key=lambda test: took.get(test, USUAL_S)):
            needed = took.get(each, USUAL_S)
            if needed <= left or not chosen:
                left -= needed
                chosen.append(each)
    return chosen


@cache
def known_seconds() -> Mapping[str, float]:
    """Return the processor seconds of the slow files of tests."""
    rows = (line.split() for line in SLOW.read_text("ascii").splitlines())
    return {path: float(took) for took, path in rows}


if __name__ == "__main__":
    every = touched(changed_files())
    first = within(every, MOST_S)
    print("\n".join(first))  # noqa: T201
    print(f"{len(first)} of {sum(map(len, every))} test files, nearest first", file=sys.stderr)  # noqa: T201
