"""Each scenario file is a test, and the page of pitfalls names what proves each."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from agent.tools.scenario.file import read_scenario
from agent.tools.scenario.run import run_scenario
from agent.tools.scenario.start import Cache
from emulator import Cartridge, demo_cartridge_path, load_cartridge

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
ROW = re.compile(r"^\| ([a-z-]+) \| .+ \| .+ \| (.+) \|$", re.MULTILINE)
LINK = re.compile(r"\[(\w+)\]\((.+?)\)")
FILES = sorted(HERE.glob("*.toml"))
# Pitfalls of places further on, which have no row of their own yet.
LATER = {"boulders", "holes", "machines", "safari", "spinners", "story-gates", "surf", ""}


class Proof(NamedTuple):
    pitfall: str
    name: str
    path: Path


def proofs() -> list[Proof]:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    found = []
    for pitfall, cell in rows:
        if pitfall == "pitfall":
            continue
        links = LINK.findall(cell)
        assert links, f"{pitfall} has no proof"
        found += [Proof(pitfall, name, (PAGE.parent / path).resolve()) for name, path in links]
    return found


def test_each_pitfall_has_one_row() -> None:
    names = [pitfall for pitfall, _ in ROW.findall(PAGE.read_text(encoding="utf-8"))]
    listed = [name for name in names if name != "pitfall"]
    assert len(set(listed)) == len(listed) > 40


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_scenario_stands_in_the_row_of_its_pitfall(file: Path) -> None:
    scenario = read_scenario(file)
    assert scenario.description.endswith(".")
    expected = [] if scenario.pitfall in LATER else [scenario.pitfall]
    assert [each.pitfall for each in proofs() if each.path == file] == expected


def test_every_proof_exists() -> None:
    for proof in proofs():
        assert proof.path.is_file(), proof
        if proof.path.suffix == ".py":
            assert f"def {proof.name}(" in proof.path.read_text(encoding="utf-8"), proof
        else:
            assert proof.path.stem == proof.name


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
