"""Building a broken cartridge: all objects of the sound one are compiled once, and then only what an edit touches."""

import hashlib
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from filelock import FileLock

from tests.broken.edits import SOURCES, Edit

ROOT: Final = Path(__file__).resolve().parents[2]
DEMO: Final = ROOT / "roms" / "demo"
CACHE: Final = ROOT / ".cache" / "broken"
KEPT: Final = 2  # sets of sources whose builds are kept
WORKERS: Final = 2


def is_possible() -> bool:
    """Say whether the tools to build a cartridge are installed."""
    return shutil.which("sdcc") is not None


def broken_image(edit: Edit) -> Path:
    """Return the image with one edit, built unless an earlier run has built it from the same sources."""
    text = edit.applied(edit.source)
    home = _home()
    key = hashlib.sha1(f"{edit.file}\0{text}".encode(), usedforsecurity=False).hexdigest()
    image = home / f"{edit.name}-{key[:12]}.gb"
    with FileLock(f"{home}.lock"):
        objects = _objects(home)
    if not image.exists():
        with _scratch(home, edit.name) as folder:
            data = _linked(_changed(edit, text, objects, folder), folder)
            (folder / "image").write_bytes(data)
            (folder / "image").replace(image)
    return image


def _home() -> Path:
    """Return the folder of what is built from these sources."""
    files = [path for path in sorted(DEMO.rglob("*")) if _is_source(path)]
    digest = hashlib.sha1(Path(__file__).read_bytes(), usedforsecurity=False)
    for path in files:
        digest.update(str(path.relative_to(DEMO)).encode() + b"\0" + path.read_bytes())
    home = CACHE / digest.hexdigest()[:16]
    if not home.exists():
        older = sorted(CACHE.glob("*/"), key=lambda each: each.stat().st_mtime)
        for each in older[: max(len(older) - KEPT + 1, 0)]:
            shutil.rmtree(each, ignore_errors=True)
        home.mkdir(parents=True, exist_ok=True)
    return home


def _is_source(path: Path) -> bool:
    return path.is_file() and not {"build", "__pycache__"} & set(path.relative_to(DEMO).parts)


def _objects(home: Path) -> Sequence[Path]:
    """Return the objects of the sound cartridge; whoever comes first compiles them."""
    folder = home / "objects"
    sources = sorted(SOURCES.glob("*.[cs]"))
    if not folder.exists():
        with _scratch(home, "objects") as fresh:
            builder = _builder(fresh)
            builder.write_world(fresh)
            _compile(builder, sources, fresh)
            fresh.rename(folder)
    return [folder / f"{source.stem}.rel" for source in sources]


def _changed(edit: Edit, text: str, objects: Sequence[Path], folder: Path) -> list[Path]:
    """Return the objects with those in the place of which the edit leaves others."""
    builder = _builder(folder)
    shutil.copy(objects[0].parent / "world.h", folder / "world.h")
    touched = [SOURCES / edit.file]
    if edit.file.endswith(".h"):
        touched = [path for path in sorted(SOURCES.glob("*.c")) if _mentions(path, edit)]
        for path in [*touched, *SOURCES.glob("*.h")]:  # a header finds those beside it first
            shutil.copy(path, folder / path.name)
    (folder / edit.file).write_text(text, encoding="ascii")
    sources = [folder / path.name for path in touched]
    _compile(builder, sources, folder)
    names = {path.stem for path in touched}
    kept = [each for each in objects if each.stem not in names]
    return [*kept, *[folder / f"{name}.rel" for name in sorted(names)]]


def _mentions(path: Path, edit: Edit) -> bool:
    labels = re.findall(r"^#define (\w+)", edit.old, re.MULTILINE)
    text = path.read_text(encoding="ascii")
    return any(re.search(rf"\b{label}\b", text) for label in labels)


def _compile(builder: ModuleType, sources: Iterable[Path], folder: Path) -> None:
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda source: builder.compile_source(source, folder), sources))


def _linked(objects: Sequence[Path], folder: Path) -> bytes:
    builder = _builder(folder)
    banks = {builder.bank_of(source) for source in sorted(SOURCES.glob("*.[cs]"))} - {0}
    builder.link(objects, banks, folder)
    builder.check_areas(folder / "demo.map")
    image = bytearray(builder.pack(folder))
    builder.place(_tables(), image, list(builder.code_chunks(folder / "demo.ihx")))
    builder.fix_checksums(image)
    return bytes(image)


@cache
def _tables() -> Sequence[object]:
    """Return the tables of the world, which no edit touches."""
    with _scratch(CACHE, "tables") as folder:
        return list(_builder(folder).write_world(folder))


def _builder(folder: Path) -> ModuleType:
    """Return build.py with its tools at work in `folder`."""
    spec = importlib.util.spec_from_file_location("demo_build", DEMO / "build.py")
    if spec is None or spec.loader is None:
        raise ImportError(DEMO / "build.py")
    builder = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("demo_build", builder)
    spec.loader.exec_module(builder)
    vars(builder)["BUILD"] = folder
    return builder


@contextmanager
def _scratch(home: Path, name: str) -> Iterator[Path]:
    """Lend a folder of this process's own, which goes when it is done."""
    folder = home / f".{name}-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
