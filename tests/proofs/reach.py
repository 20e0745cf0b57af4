"""Which functions of memory the commands of a user enter, and which rows of memory these show.

A few short games are played, with and without a model, and each command that looks at memory is run, all with coverage of
`memory/`.
"""

import ast
import os
import sqlite3
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from coverage import CoverageData

from agent.fake_claude.server import FakeClaude
from agent.lab.sources import python_path
from tests.memory_rows import read_rows
from tests.proofs.workers import Row

ROOT: Final = Path(__file__).resolve().parents[2]
SHOWN_BY: Final = ROOT / "tests" / "memory_reach.toml"
SMALL: Final = "[conversation]\nmessage_tokens = 2000\nobservation_tokens = 2500\n"
# By the name of a command in the table of rows, in this order.
COMMANDS: Final[Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def reach_job(_number: int) -> Row:
    """Run all commands, and return for each row of memory what reached it."""
    with TemporaryDirectory() as home, FakeClaude(seed=4) as service:
        folder = Path(home)
        (folder / "small.toml").write_text(SMALL, encoding="utf-8")
        (folder / "coverage.rc").write_text(
            "[run]\nsource_pkgs = memory\nsigterm = true\n", encoding="utf-8"
        )
        entered, wrong = defaultdict[str, list[str]](list), list[str]()
        for name, command in COMMANDS.items():
            filled = [each.format_map(_found_in(folder)) for each in command.split()]
            code, said = _run(folder, name, filled, service.url)
            if code not in (0, 1):
                wrong.append(f"{name}: exit {code}: {said}")
            for function in functions_entered(folder / f"{name}.coverage"):
                entered[function].append(name)
    return {"name": "commands", "entered": entered, "problems": wrong}


def _run(folder: Path, name: str, command: Sequence[str], url: str) -> tuple[int, str]:
    environment = {
        **os.environ,
        "PYTHONPATH": python_path(),
        "COVERAGE_FILE": str(folder / f"{name}.coverage"),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "any",
    }
    if name == "play --mind claude":
        (folder / "before.sqlite").write_bytes((folder / "m.sqlite").read_bytes())
    ended = subprocess.run(
        (sys.executable, "-m", "coverage", "run", "--rcfile=coverage.rc", "-m", "agent", *command),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stderr[-300:]


def _found_in(folder: Path) -> Mapping[str, str]:
    """Return what later commands name: an item of the memory, and a session of the tape."""
    found = {}
    for name, file, question in (
        ("item", "m.sqlite", "SELECT strategy_id FROM successful_strategies ORDER BY 1 LIMIT 1"),
        (
            "session",
            "tapes/tapes.sqlite",
            "SELECT hash FROM nodes WHERE parent_hash IS NULL LIMIT 1",
        ),
    ):
        if (folder / file).exists():
            with closing(sqlite3.connect(folder / file)) as database:
                row = database.execute(question).fetchone()
                found[name] = str(row[0]) if row else ""
    return found


def functions_entered(data: Path) -> set[str]:
    """Return the functions of which a line was run, as `module:name`."""
    found, coverage = set(), CoverageData(str(data))
    coverage.read()
    for path in coverage.measured_files():
        lines = set(coverage.lines(path) or ())
        for name, body in functions_of(Path(path)):
            if not lines.isdisjoint(body):
                found.add(name)
    return found


@cache
def functions_of(path: Path) -> Sequence[tuple[str, range]]:
    """Return the functions of a module with the lines of their bodies."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return [
        (f"{module}:{name}", range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1))
        for name, node in _functions(ast.parse(path.read_text(encoding="utf-8")), "")
    ]


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")


def rows_reached(entered: Mapping[str, Sequence[str]]) -> list[Row]:
    """Return each row of memory with the function that shows it, and the commands that entered it."""
    table = tomllib.loads(SHOWN_BY.read_text(encoding="utf-8"))
    known = {
        name for path in ROOT.joinpath("memory").rglob("*.py") for name, _ in functions_of(path)
    }
    rows = []
    for row in read_rows():
        reason = table["tests alone"].get(row.id, "")
        function = f"memory.{table['function'][row.id]}" if row.id in table["function"] else ""
        commands, problems = list(entered.get(function, ())), []
        if function and function not in known:
            problems.append(f"{function} does not exist")
        elif not commands and not reason:
            problems.append(f"no command enters {function or 'a function that is named'}")
        elif commands and reason:
            problems.append(f"{function} is entered by {commands[0]}")
        rows.append(
            {
                "name": row.id,
                "row": row.text,
                "function": function,
                "reached by": commands,
                "tests alone, because": reason,
                "problems": problems,
            }
        )
    return rows
