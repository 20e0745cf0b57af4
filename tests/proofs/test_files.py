"""Each file from outside, damaged or replaced, ends a command in one line or with a sound result."""

from collections.abc import Callable, Collection

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.file_damage import DAMAGE
from tests.proofs.hostile_files import COMMANDS, costs_of, file_job, warm
from tests.proofs.strange_schemas import FILES, schemas_job
from tests.proofs.workers import Row

CASES = 200


@pytest.mark.parametrize(
    ("job", "kinds"), [(file_job, COMMANDS), (schemas_job, FILES)], ids=["damage", "a schema"]
)
def test_each_kind_of_file_ends_in_one_line_when_it_is_damaged(
    job: Callable[[int], Row], kinds: Collection[str]
) -> None:
    warm()
    rows = [job(number) for number in range(len(kinds))]
    assert len({row["file"] for row in rows}) == len(kinds)
    assert [f"{row['name']}: {problem}" for row in rows for problem in row["problems"]] == []


@pytest.mark.proof
def test_many_damaged_files_end_in_one_line(proof: Sized) -> None:
    files = proof("files", CASES)
    rows = files.rows(file_job, start=warm)
    figures = {
        "cases": len(rows),
        "kinds of files": len({row["file"] for row in rows} & set(COMMANDS)),
        "kinds of damage": len({row["damage"] for row in rows} & set(DAMAGE)),
        **costs_of(rows),
    }
    by_file = [
        {
            "name": name,
            "problems": [],
            "cases": sum(row["file"] == name for row in rows),
            "one line": sum(row["file"] == name and row["code"] != 0 for row in rows),
            "sound": sum(row["file"] == name and row["code"] == 0 for row in rows),
        }
        for name in COMMANDS
    ]
    files.judge([row for row in rows if row["problems"]] or by_file, figures)
