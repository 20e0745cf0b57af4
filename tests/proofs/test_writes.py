"""Any write of any command may fail or be cut off by a kill: each file is absent, old, or new and complete."""

import shutil
from collections import Counter
from collections.abc import Sequence

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.workers import Row
from tests.proofs.writes import COMMANDS, PARTS, write_job

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None, reason="needs a C compiler for the faults"
)
OBSERVE = next(n for n, each in enumerate(COMMANDS) if each.name == "observe")


def test_notes_with_a_fault_at_any_write_are_absent_or_new() -> None:
    row = write_job(OBSERVE)
    assert row["problems"] == []
    assert row["faults"] >= 3
    assert row["calls"]["write"] > 0
    assert all(each.endswith(("absent", "new")) for each in row["results"])


@pytest.mark.proof
def test_every_command_leaves_old_or_new_files(proof: Sized) -> None:
    writes = proof("writes", PARTS * len(COMMANDS))
    rows = by_command(writes.rows(write_job))
    figures = {
        "commands": len(rows),
        "write calls": sum(sum(row["calls"].values()) for row in rows),
        "faults": sum(row["faults"] for row in rows),
        "results": sum((Counter(row["results"]) for row in rows), Counter()),
    }
    writes.judge(rows, figures)


def by_command(parts: Sequence[Row]) -> list[Row]:
    """Return one row for each command, with the faults, results and problems of all of its parts."""
    rows: dict[str, Row] = {}
    for part in parts:
        row = rows.setdefault(part["name"], {**part, "faults": 0, "results": {}, "problems": []})
        row["faults"] += part["faults"]
        row["results"] = Counter(row["results"]) + Counter(part["results"])
        row["problems"] += part["problems"]
    return list(rows.values())
