"""Each scenario file is a test; what failed is told in words."""

from pathlib import Path

import pytest

from agent.tools.scenario import Cache, read_scenario, run_scenario
from emulator import Cartridge, demo_cartridge_path, load_cartridge

FILES = sorted(Path(__file__).parent.glob("*.toml"))


@pytest.fixture(scope="session")
def demo() -> Cartridge:
    return load_cartridge(demo_cartridge_path())


@pytest.fixture(scope="session")
def cache(demo: Cartridge) -> Cache:
    return Cache.of(demo)


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_scenario(file: Path, demo: Cartridge, cache: Cache) -> None:
    report = run_scenario(read_scenario(file), demo, cache)
    assert report.passed, "\n".join([file.stem, *report.problems])
