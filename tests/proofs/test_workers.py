"""Jobs of a proof are kept, and its result is true, while the files that its processes opened are unchanged."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from agent.lab import publish, sources
from agent.lab.publish import stale_results
from agent.lab.sources import digest
from tests.proofs.small_jobs import PRICES, page_job, prices_job
from tests.proofs.workers import FinishedJobs, Proof, Row

TEMPLATE, OTHER = "agent/tools/report/templates/eval.html", "README.md"


def proof_of(name: str, home: Path) -> Proof:
    return Proof(name, Path(__file__), "", 1, 0, 1, FinishedJobs(home / name), nullcontext)


def edit(patch: pytest.MonkeyPatch, name: str) -> None:
    """Let a file of the project have another text from now on."""
    patch.setattr(sources, "digest", lambda each: "edited" if each == name else digest(each))


def process_of_pages(home: Path) -> int:
    (row,) = proof_of("pages", home).rows(page_job)
    return int(row["process"])


@pytest.mark.usefixtures("new_interpreters")  # they record what they open from their start
def test_results_and_jobs_are_kept_while_the_files_that_were_opened_for_them_are_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "FOLDER", tmp_path / "results")
    monkeypatch.setenv("PROOF_PUBLISH", "1")
    jobs: dict[str, Callable[[int], Row]] = {"pages": page_job, "prices": prices_job}
    for name, job in jobs.items():
        proof = proof_of(name, tmp_path)
        proof.judge(proof.rows(job), {})
    assert stale_results() == {}
    first = process_of_pages(tmp_path)
    for file, aged in ((OTHER, []), (PRICES, ["prices"]), (TEMPLATE, ["pages"])):
        with monkeypatch.context() as patch:
            edit(patch, file)
            assert stale_results() == dict.fromkeys(aged, f"{file} changed")
            assert (process_of_pages(tmp_path) == first) is (file != TEMPLATE)
