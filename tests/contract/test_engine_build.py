"""The committed image is what its sources build, and its variables keep off the contract's RAM."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "roms" / "demo" / "build.py"
VARIABLES = range(0xA000, 0xA598)  # cartridge RAM before sHallOfFame
WORK_RAM = range(0xC000, 0xE000)
HIGH_RAM = range(0xFF80, 0xFFFF)
HOME = range(0x1900, 0x4000)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a copy beside the checkout's own, where test workers cannot meet."""
    if shutil.which("sdcc") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI must have sdcc")
        pytest.skip("sdcc is not installed")
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(
        BUILD.parent, folder / "demo", ignore=shutil.ignore_patterns("build", "__pycache__")
    )
    shutil.copy(ROOT / "roms" / "demo.gb", folder / "demo.gb")
    return folder / "demo"


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "build.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_committed_image_is_what_the_sources_build(built: Path) -> None:
    result = build(built, "--check")
    assert result.returncode == 0, result.stderr


def test_a_changed_image_is_named_to_the_byte(built: Path, tmp_path: Path) -> None:
    copy = tmp_path / "demo"
    shutil.copytree(built, copy)
    image = bytearray((built.parent / "demo.gb").read_bytes())
    image[0x12345] ^= 1
    (tmp_path / "demo.gb").write_bytes(image)
    result = build(copy, "--check")
    assert result.returncode == 1
    assert "0x12345" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_variables_lie_in_cartridge_ram_alone(built: Path, tmp_path: Path) -> None:
    assert build(built, "--out", str(tmp_path / "demo.gb")).returncode == 0
    areas = re.findall(
        r"^(_\w+)\s+([0-9A-F]{8})\s+([0-9A-F]{8}) = ",
        (built / "build" / "demo.map").read_text(encoding="ascii"),
        re.MULTILINE,
    )
    placed = {name: (int(at, 16), int(size, 16)) for name, at, size in areas if int(size, 16)}
    assert "_DATA" in placed
    assert "_INITIALIZED" not in placed
    for name, (at, size) in placed.items():
        last = at + size - 1
        if at > 0xFFFF or name.startswith("_VECTORS"):
            continue
        assert at not in WORK_RAM
        assert at not in HIGH_RAM
        room = VARIABLES if at in VARIABLES else HOME
        assert {at, last} <= set(room), f"{name} at {at:#x}-{last:#x}"
