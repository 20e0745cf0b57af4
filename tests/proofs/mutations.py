"""Bugs installed in a fork of this process, in which the tests of their row run."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from agent import HOME
from tests.memory_rows import row_tests
from tests.proofs.bugs import BUGS, Bug
from tests.proofs.patches import fork, replace_everywhere
from tests.proofs.workers import Row

OPTIONS = ("-q", "-x", "-n0", "-p", "no:randomly", "--timeout=60")


def mutation_job(number: int) -> Row:
    """Install one bug, and run the tests of its row: one of them must fail. Without the bug all pass."""
    bug = BUGS[number % 1_000_000]
    tests = row_tests()[bug.row]
    child = fork(partial(_exit_code, bug, tests))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    problems = (
        [f"no test of {bug.row} notices it (exit code {code})"]
        if code != pytest.ExitCode.TESTS_FAILED
        else []
    )
    return {
        "name": bug.id,
        "attribute": f"{bug.owner.__name__}.{bug.name}",
        "tests": len(tests),
        "problems": problems,
    }


def install(bug: Bug) -> None:
    """Replace the attribute of a bug in every module that imports it."""
    original = getattr(bug.owner, bug.name)
    replaced = bug.make(original)
    setattr(bug.owner, bug.name, replaced)
    if not isinstance(bug.owner, type):
        replace_everywhere(original, replaced)


def _exit_code(bug: Bug, tests: Sequence[str]) -> int:
    """Return the exit code of pytest for some tests, with a bug installed in this fork."""
    os.chdir(HOME)
    with Path(os.devnull).open("w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    install(bug)
    return int(pytest.main([*OPTIONS, *tests]))
