"""What tests of every package may ask for, and how proofs are run."""

import gc
import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from emulator import Cartridge, CartridgeKind
from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER, MISSING

# A test run keeps much alive: by default the collector goes over all of it again and again.
gc.set_threshold(100_000, 50, 100)

# How long an example takes depends on what else the machine does; no test measures that.
settings.register_profile("gate", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gate")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run proofs in one process: they have workers of their own, and a progress bar."""
    if config.option.markexpr == "proof" and hasattr(config.option, "numprocesses"):
        config.option.numprocesses = 0


@pytest.fixture(scope="session")
def synthetic_cartridge() -> Cartridge:
    """A cartridge with the tables of the real game, written from its facts; none of its code."""
    if not FOLDER.exists():
        pytest.skip(MISSING)
    rom = build()
    sha1 = hashlib.sha1(rom, usedforsecurity=False).hexdigest()
    return Cartridge(Path("synthetic.gb"), rom, "POKEMON RED", sha1, CartridgeKind.RED)
