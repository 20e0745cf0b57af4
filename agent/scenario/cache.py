"""Derived states, each a run folder under the hash of everything that it follows from.

A state follows from the cartridge's image, the emulator's version, all of our sources, the seed, and the
stages of its file; change any and it is derived anew. Deleting the folder is always safe.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final, Self

from filelock import FileLock

from emulator import Cartridge

HOUSE: Final = Path(__file__).resolve().parents[2]
ROOMS: Final = ("agent", "emulator", "memory")
SOURCES: Final = (".py", ".toml", ".json")
GENERATIONS_KEPT: Final = 3


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of derived states; `sources` is the hash of what all of them follow from."""

    folder: Path
    sources: str

    @classmethod
    def of(cls, cartridge: Cartridge, folder: Path = HOUSE / ".cache" / "scenarios") -> Self:
        """Return the cache for a cartridge as everything is now; older generations of it are dropped."""
        generation = cls(folder, _hash((cartridge.sha1, version("pyboy"), _sources())))
        generation.home.mkdir(parents=True, exist_ok=True)
        generation._drop_old()
        return generation

    @property
    def home(self) -> Path:
        """The folder of this generation."""
        return self.folder / self.sources

    def entry(self, parent: str, spelled: Iterable[str]) -> str:
        """Return the name of the state that follows from `parent` by what the file spells so."""
        return _hash((parent, *spelled))

    def path(self, entry: str) -> Path:
        """Return where a state lies, or will lie."""
        return self.home / entry

    def lock(self, entry: str) -> FileLock:
        """Return what keeps two processes from deriving the same state at once."""
        return FileLock(self.home / f"{entry}.lock")

    def _drop_old(self) -> None:
        generations = [each for each in self.folder.iterdir() if each.is_dir()]
        generations.sort(key=lambda each: (each == self.home, each.stat().st_mtime))
        for old in generations[:-GENERATIONS_KEPT]:
            shutil.rmtree(old, ignore_errors=True)


@cache
def _sources() -> str:
    """Return the hash of every source that play may depend on."""
    files = (path for room in ROOMS for path in sorted((HOUSE / room).rglob("*.*")))
    digest = hashlib.blake2b(digest_size=16)
    for path in files:
        if path.suffix in SOURCES:
            digest.update(path.relative_to(HOUSE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _hash(parts: Iterable[str]) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
