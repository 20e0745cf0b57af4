"""A file with anything in its schema that no version has ends each command in one line, and is not changed."""

import pytest

from tests.proofs.conftest import Sized
from tests.proofs.hostile_files import costs_of, warm
from tests.proofs.strange_schemas import FILES, schemas_job


@pytest.mark.proof
def test_many_strange_schemas_end_in_one_line(proof: Sized) -> None:
    schemas = proof("schemas", 500)
    rows = schemas.rows(schemas_job, start=warm)
    figures = {"files": len(rows), **costs_of(rows)}
    by_change = [
        {
            "name": f"{name}, {change}",
            "problems": [],
            "files": sum((row["file"], row["damage"]) == (name, change) for row in rows),
        }
        for name in FILES
        for change in sorted({row["damage"] for row in rows if row["file"] == name})
    ]
    schemas.judge([row for row in rows if row["problems"]] or by_change, figures)
