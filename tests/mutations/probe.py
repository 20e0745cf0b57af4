"""A plugin for pytest that notes how each test ended, and keeps Hypothesis quick and the same each time.

It is copied beside the tests that are tried, so it imports nothing of ours.
"""

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

NOTES = "MUTATION_PROBE_NOTES"

# What is found counts, not the smallest example of it; and a busy machine is no failure.
settings.register_profile(
    "probe", phases=(Phase.explicit, Phase.generate), deadline=None, derandomize=True, database=None
)
settings.load_profile("probe")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note the outcome of each phase that says something."""
    report = yield
    if report.when == "call" or report.outcome != "passed":
        error = call.excinfo.value if call.excinfo is not None else None
        _note(item.nodeid, report.outcome, report.when, error)
    return report


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a file that cannot be read or imported."""
    if report.failed:
        _note(report.nodeid, "failed", "collect", None)


def _note(node: str, outcome: str, when: str, error: BaseException | None) -> None:
    line = {
        "node": node.partition("[")[0],
        "outcome": outcome,
        "when": when,
        "error": "" if error is None else type(error).__name__,
        "says": "" if error is None else str(error)[:200],
    }
    with Path(os.environ[NOTES]).open("a", encoding="utf-8") as notes:
        notes.write(json.dumps(line) + "\n")
