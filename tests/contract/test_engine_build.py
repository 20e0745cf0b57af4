"""The committed image is what its sources build, and its variables keep off the contract's RAM."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "roms" / "demo" / "build.py"
IMAGE = ROOT / "roms" / "demo.gb"
VARIABLES = range(0xA000, 0xA598)  # cartridge RAM before sHallOfFame
WORK_RAM = range(0xC000, 0xE000)
HIGH_RAM = range(0xFF80, 0xFFFF)
HOME = range(0x1900, 0x4000)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Copy sources and image beside the checkout's own, where test workers cannot meet."""
    if shutil.which("sdcc") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI must have sdcc")
        pytest.skip("sdcc is not installed")
    unwanted = shutil.ignore_patterns("build", "__pycache__")
    shutil.copytree(BUILD.parent, tmp_path / "demo", ignore=unwanted)
    shutil.copy(IMAGE, tmp_path / "demo.gb")
    return tmp_path / "demo"


def test_the_sources_build_the_committed_image(copied: Path) -> None:
    command = [sys.executable, str(copied / "build.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    variables_lie_in_cartridge_ram_alone(copied / "build" / "demo.map")


def variables_lie_in_cartridge_ram_alone(map_file: Path) -> None:
    """Check every area of the build; building takes long, so one build serves both questions."""
    areas = re.findall(
        r"^(_\w+)\s+([0-9A-F]{8})\s+([0-9A-F]{8}) = ",
        map_file.read_text(encoding="ascii"),
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


def test_a_changed_image_is_named_to_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = builder_module()
    image = bytearray(IMAGE.read_bytes())
    builder.check(bytes(image), tmp_path / "built.gb")
    changed = tmp_path / "demo.gb"
    image[0x12345] ^= 1
    changed.write_bytes(image)
    monkeypatch.setattr(builder, "IMAGE", changed)
    with pytest.raises(builder.BuildError, match="differs from its sources at 0x12345"):
        builder.check(IMAGE.read_bytes(), tmp_path / "built.gb")


def builder_module() -> ModuleType:
    """Return build.py, which is no module of a package."""
    spec = importlib.util.spec_from_file_location("demo_build", BUILD)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
