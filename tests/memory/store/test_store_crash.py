"""Killed before any statement of a commit, a run's file holds the last commit, and holds it once."""

import json
import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


def killed(scenario: str, folder: Path) -> list[Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.memory.store.crashes", scenario, str(folder)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_b18_c05_killed_before_any_statement_everything_is_as_of_the_last_commit(
    tmp_path: Path,
) -> None:
    states = killed("play", tmp_path)
    before, committed, kept = [state for state, _ in groupby(states)]
    assert before == {
        "steps": [1],
        "events": [1],
        "entries": [["k1", 1, 0.5], ["k2", 2, 0.5], ["k3", 3, 0.5]],
        "tags": {"t": 3},
        "outbox": [1],
        "session": 1,
        "observed": [["1", ""]],
        "cursor": 1,
        "checkpoint": 1,
    }
    assert committed == {
        "steps": [1, 2],
        "events": [1, 2],
        "entries": [["k1", 1, 0.2], ["k2", 2, 0.5], ["k3", 4, 0.5]],
        "tags": {"t": 3},
        "outbox": [1],  # no checkpoint covers the second lesson yet
        "session": 2,
        "observed": [["2", ""], ["1", "tick 2: 2"]],
        "cursor": 1,
        "checkpoint": 1,
    }
    assert kept == {
        "steps": [1, 2, 3],
        "events": [1, 2, 3],
        "entries": [["k1", 1, 0.3], ["k2", 2, 0.5], ["k3", 5, 0.5]],
        "tags": {"t": 3},
        "outbox": [1, 2, 3],
        "session": 3,
        "observed": [["3", ""], ["2", ""], ["1", "tick 2: 2"]],
        "cursor": 3,
        "checkpoint": 3,
    }
    assert len(states) > 30  # there were that many statements to be killed at


def test_b25_sources_go_only_with_the_commit_of_what_was_made_from_them(tmp_path: Path) -> None:
    states = killed("consolidate", tmp_path)
    assert [state for state, _ in groupby(states)] == [
        [["k1"], ["k2"]],
        [["summary", "k1", "k2"]],
    ]
    assert len(states) > 8
