"""Demo cartridges broken on purpose, and whether `verify` reports the fault of each.

The intact cartridge is built once; for an edit only the changed sources are compiled, and for an edit of the world only
the tables. A game begins at power-on, or at the start of a scenario, which is derived on the intact cartridge.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from filelock import FileLock

from agent import HOME
from agent.app import Interrupt
from agent.app.summary import NoViewer
from agent.story.story import Story
from agent.tools.scenario.file import PlayBody, read_scenario
from agent.tools.scenario.start import Cache, derive
from agent.tools.verify.fact import FactLog
from agent.tools.verify.game import CartridgeVerdict, VerifyRequest, verify
from emulator import Cartridge, CartridgeKind, demo_cartridge_path, load_cartridge
from memory import read_run
from tests.proofs.cartridge_build import DEMO, SOURCES, builder_of
from tests.proofs.workers import Row

EDITS: Final = Path(__file__).with_name("broken_cartridges.toml")
SCENARIOS: Final = HOME / "tests" / "scenarios"
CACHE: Final = HOME / ".cache" / "broken"
KEPT: Final = 2  # source versions whose builds are cached
MOST_FRAMES: Final = 90 * 60 * 60  # of any game
SEEDS: Final = 1_000_000


class EditError(Exception):
    """The text to replace is not exactly once in the source, because the sources have changed."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One small change: `old` of the file becomes `new`.

    `finds` is the fact that must be reported as wrong, if any; `until` the milestone up to which a game is played. With
    `scenario` the game is that one of `tests/scenarios`, and its frames end it. `file` is a source, or a table below
    `world/`, which needs no compiler.
    """

    name: str
    description: str
    file: str
    old: str
    new: str
    finds: str = ""
    until: str = ""
    scenario: str = ""

    def applied(self, text: str) -> str:
        """Return the source with the change, or raise an EditError."""
        found = text.count(self.old)
        if found != 1:
            message = f"{self.name}: {self.file} has {self.old!r} {found} times, not once; repair broken_cartridges.toml"
            raise EditError(message)
        return text.replace(self.old, self.new)

    @property
    def source(self) -> str:
        """The text of the file in the checkout."""
        return (DEMO / self.file if self.is_table else SOURCES / self.file).read_text("ascii")

    @property
    def is_table(self) -> bool:
        """Whether it changes the world instead of the code."""
        return self.file.startswith("world/")


def read_edits(file: Path = EDITS) -> tuple[Edit, ...]:
    """Return every edit of a file."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple([Edit(name=name, **row) for name, row in table.items()])


def broken_image(edit: Edit) -> Path:
    """Return the image with one edit, built unless it is cached for the same sources."""
    text = edit.applied(edit.source)
    key = hashlib.sha1(f"{edit.file}\0{text}".encode(), usedforsecurity=False).hexdigest()
    home = _home()
    image = home / f"{edit.name}-{key[:12]}.gb"
    if not image.exists():
        with _scratch(home, edit.name) as folder:
            if edit.is_table:
                data = _changed_tables(edit, text, folder)
            else:
                data = _link(_changed_objects(edit, text, intact_build(), folder), folder)
            (folder / "image").write_bytes(data)
            (folder / "image").replace(image)
    return image


def _home() -> Path:
    """Return the folder for builds of these sources."""
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


def intact_build() -> Path:
    """Return the folder with `image`, map and objects of build.py; the first process builds it."""
    home = _home()
    folder = home / "sound"
    with FileLock(f"{home}.lock"):
        if not folder.exists():
            with _scratch(home, "sound") as fresh:
                (fresh / "image").write_bytes(builder_of(fresh).build(fresh))
                fresh.rename(folder)
    return folder


def _changed_objects(edit: Edit, text: str, sound: Path, folder: Path) -> list[Path]:
    """Return the objects of the intact build, with those changed by the edit replaced."""
    builder = builder_of(folder)
    shutil.copy(sound / "world.h", folder / "world.h")
    touched = [SOURCES / edit.file]
    if edit.file.endswith(".h"):
        touched = [path for path in sorted(SOURCES.glob("*.c")) if _mentions(path, edit)]
        for path in [*touched, *SOURCES.glob("*.h")]:  # a header includes those beside it first
            shutil.copy(path, folder / path.name)
    (folder / edit.file).write_text(text, encoding="ascii")
    builder.compile_all([folder / path.name for path in touched], folder)
    names = {path.stem for path in touched}
    kept = [each for each in sorted(sound.glob("*.rel")) if each.stem not in names]
    return [*kept, *[folder / f"{name}.rel" for name in sorted(names)]]


def _changed_tables(edit: Edit, text: str, folder: Path) -> bytes:
    """Return the intact image with the bytes that an edit of the world changes."""
    worlds = []
    for name in ("intact", "changed"):
        shutil.copytree(DEMO / "world", folder / name / "world")
        if name == "changed":
            (folder / name / edit.file).write_text(text, encoding="ascii")
        command = (sys.executable, "-m", "world.compile", str(folder / name))
        subprocess.run(command, cwd=folder / name, check=True, capture_output=True)
        worlds.append(folder / name)
    if len({(each / "world.h").read_bytes() for each in worlds}) != 1:
        message = f"{edit.name}: world.h changes with {edit.file}, so code must be compiled again"
        raise EditError(message)
    image = bytearray(demo_cartridge_path().read_bytes())
    pairs = zip(*[(each / "world.bin").read_bytes() for each in worlds], strict=True)
    for at, (before, after) in enumerate(pairs):
        if before != after:
            image[at] = after
    builder_of(folder).fix_checksums(image)
    return bytes(image)


def _mentions(path: Path, edit: Edit) -> bool:
    labels = re.findall(r"^#define (\w+)", edit.old, re.MULTILINE)
    text = path.read_text(encoding="ascii")
    return any(re.search(rf"\b{label}\b", text) for label in labels)


def _link(objects: Sequence[Path], folder: Path) -> bytes:
    builder = builder_of(folder)
    banks = {builder.bank_of(source) for source in sorted(SOURCES.glob("*.[cs]"))} - {0}
    builder.link(objects, banks, folder)
    builder.check_areas(folder / "demo.map")
    image = bytearray(builder.pack(folder))
    builder.place(_tables(), image, list(builder.code_chunks(folder / "demo.ihx")))
    builder.fix_checksums(image)
    return bytes(image)


@cache
def _tables() -> Sequence[object]:
    """Return the tables of the world, which no edit changes."""
    with _scratch(CACHE, "tables") as folder:
        return list(builder_of(folder).write_world(folder))


@contextmanager
def _scratch(home: Path, name: str) -> Iterator[Path]:
    """Create a folder for this process, and remove it at the end."""
    folder = home / f".{name}-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def intact_job(number: int) -> Row:
    """Verify the intact cartridge in a complete game: no fact may be wrong."""
    last = Story.of(CartridgeKind.DEMO).milestones[-1].id
    request = VerifyRequest(last, MOST_FRAMES, number % SEEDS)
    verdict = verify(load_cartridge(demo_cartridge_path()), request, NoViewer(), Interrupt())
    return {
        "name": f"sound, seed {number % SEEDS}",
        "says": verdict.headline,
        "tick": verdict.played.ticks,
        "problems": [f"{row.fact.id} is reported wrong" for row in verdict.wrong],
    }


def scenario_job(number: int) -> Row:
    """Verify the intact cartridge in a scenario: no fact that a broken one breaks there may be wrong.

    Others may be, since scenarios begin with bytes of RAM set by hand.
    """
    name = used_scenarios()[number % SEEDS]
    broken = {edit.finds for edit in read_edits() if edit.scenario == name}
    verdict = verified_scenario(name, load_cartridge(demo_cartridge_path()))
    named = [row.fact.id for row in verdict.wrong if row.fact.id in broken]
    return {
        "name": f"sound, {name}",
        "says": verdict.headline,
        "tick": verdict.played.ticks,
        "problems": [f"{fact} is reported wrong" for fact in named],
    }


def used_scenarios() -> list[str]:
    """Return the names of the scenarios in which broken cartridges are verified."""
    return sorted({edit.scenario for edit in read_edits() if edit.scenario})


def broken_job(number: int) -> Row:
    """Verify one broken cartridge until its fault is reported."""
    edit = read_edits()[number % SEEDS]
    named, tick = named_facts(edit)
    return {
        "name": edit.name,
        "says": edit.description,
        "named": named,
        "tick": tick,
        "problems": []
        if edit.finds in named
        else [f"{edit.finds} is not among {named or 'nothing'}"],
    }


def named_facts(edit: Edit) -> tuple[list[str], int]:
    """Return the wrong facts of a broken cartridge in order, and the last tick."""

    def enough(log: FactLog) -> bool:
        return edit.finds in (row.fact.id for row in log.wrong)

    cartridge = load_cartridge(broken_image(edit))
    if edit.scenario:
        verdict = verified_scenario(edit.scenario, cartridge, enough)
    else:
        request = VerifyRequest(edit.until, MOST_FRAMES)
        verdict = verify(cartridge, request, NoViewer(), Interrupt(), enough)
    return [row.fact.id for row in verdict.wrong], verdict.played.ticks


def verified_scenario(
    name: str, cartridge: Cartridge, enough: Callable[[FactLog], bool] | None = None
) -> CartridgeVerdict:
    """Verify a cartridge in a scenario's game, from the state in which it starts on the intact cartridge."""
    intact = load_cartridge(demo_cartridge_path())
    scenario = read_scenario(SCENARIOS / f"{name}.toml")
    path, body = derive(scenario, intact, Cache.of(intact)), scenario.body
    if path is None or not isinstance(body, PlayBody):
        message = f"{name} does not play from a state"
        raise EditError(message)
    last = Story.of(CartridgeKind.DEMO).milestones[-1].id
    with closing(read_run(path)) as folder:
        *_, start = folder.store.checkpoints.marks()
    frames = start.frame + body.play.frames
    request = VerifyRequest(last, frames, scenario.seed, body.play.wants, path)
    # States fit, since what is broken lies in code that is not running then.
    return verify(replace(cartridge, sha1=intact.sha1), request, NoViewer(), Interrupt(), enough)
