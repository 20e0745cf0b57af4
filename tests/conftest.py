"""Fixtures for tests of every package, and options of proof runs."""

import gc
import hashlib
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

from emulator import Cartridge, CartridgeKind
from emulator.screen.glyphs import Unavailable
from tests import forks
from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER, MISSING
from tests.forks import ForkedPopen

# Tests keep many objects alive, and by default the collector checks all of them again and again.
gc.set_threshold(100_000, 50, 100)

# The time of an example depends on the load of the machine; no test measures it.
settings.register_profile("gate", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gate")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run proofs in one process: they have workers of their own, and a progress bar."""
    if config.option.markexpr == "proof" and hasattr(config.option, "numprocesses"):
        config.option.numprocesses = 0


def pytest_collection_finish() -> None:
    """Leave what was loaded and collected out of all later checks for garbage, which would take a second each."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def no_second_reader() -> Iterator[None]:
    """Play without Tesseract, which takes a fifth of a second for a frame; its own tests ask for it."""
    with pytest.MonkeyPatch.context() as patch:
        missing = Unavailable("tesseract", "not used by tests")
        patch.setattr("agent.app.play.find_tesseract", lambda: missing)
        yield


@pytest.fixture(scope="session", autouse=True)
def forked_children(pytestconfig: pytest.Config) -> Iterator[None]:
    """Begin child processes as forks, except in proofs."""
    with pytest.MonkeyPatch.context() as patch:
        if pytestconfig.option.markexpr != "proof":
            patch.setattr(subprocess, "Popen", ForkedPopen)
            patch.setattr("multiprocessing.util.spawnv_passfds", forks.forked_spawn)
            patch.setattr("agent.tools.overnight.watch.resident_bytes", forks.resident_bytes)
        yield


@pytest.fixture
def new_interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin child processes as new interpreters in this test."""
    monkeypatch.setattr(subprocess, "Popen", forks.Popen)
    monkeypatch.setattr("multiprocessing.util.spawnv_passfds", forks.spawn)


@pytest.fixture(scope="session", autouse=True)
def mostly_young_garbage() -> Iterator[None]:
    """Let one game in twenty collect all garbage: among all that tests keep alive, it takes long."""
    games = count()
    with pytest.MonkeyPatch.context() as patch:
        own = SimpleNamespace(get_threshold=gc.get_threshold, set_threshold=gc.set_threshold)
        own.freeze = own.unfreeze = lambda: None  # all that there was is frozen already
        own.collect = lambda: gc.collect(1 if next(games) % 20 else 2)
        patch.setattr("agent.app.session.gc", own)
        yield


@pytest.fixture(scope="session")
def synthetic_cartridge() -> Cartridge:
    """A cartridge with the tables of the real game, written from its facts; without its code."""
    if not FOLDER.exists():
        pytest.skip(MISSING)
    rom = build()
    sha1 = hashlib.sha1(rom, usedforsecurity=False).hexdigest()
    return Cartridge(Path("synthetic.gb"), rom, "POKEMON RED", sha1, CartridgeKind.RED)
