"""What a result rests on: the files of the project that were opened to measure it, each with a digest.

A result stays true as long as these are unchanged. Results of whole games rest on the chains of the recorded games
instead of the code that plays: when these are tick for tick as before, so are the games.
"""

import os
import re
import runpy
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final, NamedTuple, TypeAlias
from unittest.mock import patch

from agent import HOME

Sources: TypeAlias = Mapping[str, str]  # a path in the checkout, and the digest of the file

ROOMS: Final = frozenset({"agent", "memory", "emulator", "roms", "scripts", "tests"})
CHAINS: Final = "tests/recorded_games.txt"
# How results are measured again and written changes no figure.
PUBLISHING: Final = frozenset({
    "agent/cli/bench.py", "agent/lab/publish.py", "agent/lab/sources.py",
    "agent/lab/opened/sitecustomize.py", "tests/proofs/conftest.py", "tests/proofs/workers.py",
})  # fmt: skip
MEASURING: Final = ("agent/lab/", "tests/")
REMEMBERING: Final = ("agent/experience/", "memory/tiers/")  # what recorded games do not show
# Results of whole games, and which code they rest on besides that which measures.
GAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "advised_games": ("agent/fake_claude/",),
    "battles": ("agent/battle/", "agent/cli/measurements.py", "emulator/rules/"),
    "experience": REMEMBERING,
    "games": (),
    "good_advice": (),
    "odd_cartridges": REMEMBERING,
    "scenarios": ("agent/tools/scenario/",),
    "waits": (),
}
# What the command line loads before it measures changes no figure.
FRAME: Final = re.compile(r"agent\.cli(?!\.measurements)")
EDITED: Final = "edited"  # in place of a digest
HOOK: Final = HOME / "agent" / "lab" / "opened" / "sitecustomize.py"
RECORD: Final = "RED_AGENT_OPENED"  # as the hook names it


@cache
def digest(name: str) -> str:
    """Return the digest of a file of the project, '' when it is gone; a process reads it once."""
    try:
        return blake2b((HOME / name).read_bytes(), digest_size=4).hexdigest()
    except OSError:
        return ""


def changed_files(sources: Sources) -> list[str]:
    """Return the files that are no longer as they were."""
    return [name for name, was in sources.items() if digest(name) != was]


def sources_of(result: str, opened: Iterable[Path]) -> Sources:
    """Return what the result of that name rests on when these files were opened to measure it."""
    names = {name for each in opened if (name := _counted(each))}
    if result in GAMES:
        kept = (*MEASURING, *GAMES[result])
        names = {CHAINS} | {name for name in names if name.startswith(kept)}
    return {name: digest(name) for name in sorted(names)}


def _counted(path: Path) -> str:
    """Return the path in the checkout of a file that a result may rest on, or ''."""
    if path.parent.name == "__pycache__":  # compiled from the module beside it
        path = path.parents[1] / f"{path.name.partition('.')[0]}.py"
    if not path.is_relative_to(HOME) or "__pycache__" in path.parts:
        return ""
    name = path.relative_to(HOME)
    if name.parts[0] not in ROOMS or name.suffix == ".gb" or not path.is_file():
        return ""  # the SHA-1 of the cartridge stands in the result
    return "" if (text := name.as_posix()) in PUBLISHING else text


def packed(sources: Sources) -> dict[str, str]:
    """Return sources as few lines of JSON: a folder each, with the names and digests of its files."""
    folders = defaultdict[str, list[str]](list)
    for path, was in sorted(sources.items()):
        folder, _, name = path.rpartition("/")
        folders[folder].append(f"{name} {was}")
    return {folder: ", ".join(each) for folder, each in sorted(folders.items())}


def unpacked(folders: Mapping[str, str]) -> Sources:
    """Return the sources that were `packed`."""
    return {
        f"{folder}/{name}": was
        for folder, each in folders.items()
        for name, was in (pair.rsplit(" ", 1) for pair in each.split(", "))
    }


class OpenedFiles(NamedTuple):
    """What this process and those that it starts open from a moment on, as the hook writes it down in a folder."""

    folder: Path
    started: float
    before: float  # the time of files that were not edited since then

    def sources(self, result: str, *, here: bool = False) -> Sources:
        """Return what a result rests on; with `here` on all modules that are loaded in this process, too.

        For a file that was edited since the start `EDITED` stands, because it is unknown which text was read.
        """
        opened = {HOME / each.name.replace(":", os.sep) for each in self.folder.iterdir()}
        if here:
            opened |= {
                Path(file)
                for name, module in tuple(sys.modules.items())
                if (file := getattr(module, "__file__", None)) and not FRAME.match(name)
            }
        return {
            name: was if (HOME / name).stat().st_mtime < self.before else EDITED
            for name, was in sources_of(result, opened).items()
        }

    @property
    def seconds(self) -> float:
        """Wall time since the start."""
        return round(perf_counter() - self.started, 1)


@contextmanager
def recording(*, here: bool) -> Iterator[OpenedFiles]:
    """Let processes that are started meanwhile record what they open; with `here` this one does so, too."""
    with TemporaryDirectory(prefix="opened-") as folder:
        search = os.pathsep.join((str(HOOK.parent), python_path()))
        with patch.dict(os.environ, {RECORD: folder, "PYTHONPATH": search}):
            if here:
                _record_here()
            yield OpenedFiles(Path(folder), perf_counter(), Path(folder).stat().st_mtime)


def python_path() -> str:
    """Return the PYTHONPATH of a process that may start in any folder: the checkout, and what this one has."""
    return os.pathsep.join(filter(None, (str(HOME), os.environ.get("PYTHONPATH"))))


@cache
def _record_here() -> None:
    """Let this process record; Python knows no way to end that."""
    runpy.run_path(str(HOOK))
