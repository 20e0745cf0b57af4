"""The demo built from its sources, and compared with the committed image."""

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Final

import pytest

from agent import HOME
from tests.proofs.workers import Row

DEMO: Final = HOME / "roms" / "demo"
SOURCES: Final = DEMO / "src"
AREA: Final = re.compile(r"^(_\w+)\s+([0-9A-F]{8})\s+([0-9A-F]{8}) = ", re.MULTILINE)
VARIABLES: Final = range(0xA000, 0xA598)  # cartridge RAM before sHallOfFame
HOME_CODE: Final = range(0x1900, 0x4000)


def require_compiler() -> None:
    """Skip a test without a compiler; fail it in CI."""
    if shutil.which("sdcc") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI must have sdcc")
        pytest.skip("sdcc is not installed")


def builder_of(folder: Path) -> ModuleType:
    """Return the module build.py, set to work in `folder`."""
    spec = importlib.util.spec_from_file_location("demo_build", DEMO / "build.py")
    if spec is None or spec.loader is None:
        raise ImportError(DEMO / "build.py")
    builder = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("demo_build", builder)
    spec.loader.exec_module(builder)
    vars(builder)["BUILD"] = folder
    return builder


def build_job(number: int) -> Row:
    """Build the demo: it is the committed image, and its variables lie in cartridge RAM alone."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        builder = builder_of(folder)
        image = builder.build(folder)
        problems = [f"{area} is not in its room" for area in _misplaced(folder / "demo.map")]
        try:
            builder.check(image, folder / "check.gb")
        except builder.BuildError as error:
            problems.append(str(error))
    # The digests read every source, so that the result rests on them.
    return {"name": f"build {number}", "digests": builder.digests(), "problems": problems}


def _misplaced(map_file: Path) -> Iterator[str]:
    """Yield each area of a build that is outside of the room for its kind."""
    areas = AREA.findall(map_file.read_text(encoding="ascii"))
    placed = {name: (int(at, 16), int(size, 16)) for name, at, size in areas if int(size, 16)}
    yield from {"_DATA"} - placed.keys()
    yield from {"_INITIALIZED"} & placed.keys()
    for name, (at, size) in placed.items():
        if at <= 0xFFFF and not name.startswith("_VECTORS"):
            last = at + size - 1
            room = VARIABLES if at in VARIABLES else HOME_CODE
            if not {at, last} <= set(room):
                yield f"{name} at {at:#x}-{last:#x}"
