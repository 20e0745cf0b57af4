"""Proofs have no time limit, and take their size from the environment."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import pytest

from agent.lab.publish import results
from tests.proofs.workers import STATE, FinishedJobs, Proof


class Sized(Protocol):
    """Creates the proof of a test, with the default size unless the environment sets another."""

    def __call__(self, name: str, size: int) -> Proof:
        """Return the proof."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("proof"):
            item.add_marker(pytest.mark.timeout(0))


@pytest.fixture
def proof(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> Sized:
    what = (request.module.__doc__ or "").partition("\n")[0].rstrip(".")

    @contextmanager
    def visible() -> Iterator[None]:
        capture = pytestconfig.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled():
            yield

    def create(name: str, size: int) -> Proof:
        def number(variable: str, default: int) -> int:
            return int(os.environ.get(f"PROOF_{variable}", default))

        workers = number("WORKERS", min(2, os.cpu_count() or 1))
        sizes = number("SIZE", size), number("SEED", 0)
        finished = FinishedJobs(STATE / name)
        found = Proof(name, request.path, what, *sizes, workers, finished, visible)
        fresh = {each.name: each.command for each in results() if not each.stale}
        wanted = found.command if "PROOF_SIZE" in os.environ else fresh.get(name)
        if os.environ.get("PROOF_PUBLISH") and name in fresh and fresh[name] == wanted:
            pytest.skip(f"docs/results/{name}.json is not stale")
        return found

    return create
