"""Starting, resuming and replaying runs: from what was asked for to a session and its folder."""

import platform
import secrets
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from math import inf
from pathlib import Path
from types import FrameType
from typing import Any, Final

from agent import VERSION
from agent.app.moment import Viewer
from agent.app.session import Limits, Session
from agent.app.settings import Settings
from agent.capabilities import Story
from agent.errors import UsageError
from agent.replay import record_of
from agent.report import Summary, write_report
from emulator import (
    Cartridge,
    CartridgeError,
    Divergence,
    PyBoyConsole,
    demo_cartridge_path,
    first_divergence,
    load_cartridge,
)
from memory import RunFolder, RunStore, create_run, open_knowledge_store, open_run, read_run

HOME: Final = Path(__file__).resolve().parents[2]


def play_run(settings: Settings, viewer: Viewer) -> Summary:
    """Play as `settings` say, leave a run folder behind, and return how it went."""
    now = datetime.now(UTC)
    with ExitStack() as stack:
        folder = None
        if settings.resume is not None:
            folder = stack.enter_context(closing(open_run(settings.resume)))
        cartridge = _cartridge(settings.rom, folder.settings if folder else None)
        story = Story.of(cartridge.kind)
        until = _goal(settings.until, story)
        knowledge = open_knowledge_store(_memory(settings), now=now.timestamp())
        stack.enter_context(closing(knowledge))
        if folder is None:
            frozen = _frozen(settings, cartridge, until, now, knowledge.content_hash())
            folder = stack.enter_context(closing(_new_run(settings, frozen, now)))
        console = stack.enter_context(closing(PyBoyConsole(cartridge)))
        limits = Limits(until, inf if settings.ticks is None else settings.ticks)
        session = Session(folder, console, knowledge, story, viewer, limits)
        with _interrupts(session.interrupt):
            summary = session.play()
        write_report(folder, summary)
        return summary


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay found; `notes` are worth saying before anything else."""

    ticks: int
    divergence: Divergence | None
    notes: tuple[str, ...]


def replay_run(path: Path, rom: Path | None) -> Replayed:
    """Drive the live steps of the run in `path` through a fresh console."""
    with closing(read_run(path)) as folder:
        cartridge = _cartridge(rom, folder.settings)
        records = [record_of(row) for row in folder.store.steps()]
        recorded = folder.settings["versions"]["pyboy"]
    notes = []
    if recorded != version("pyboy"):
        notes.append(f"recorded with PyBoy {recorded}, this is {version('pyboy')}")
    with closing(PyBoyConsole(cartridge)) as console:
        return Replayed(len(records), first_divergence(console, records), tuple(notes))


def _cartridge(rom: Path | None, run: Any) -> Cartridge:  # noqa: ANN401 -- the table of run.toml
    """Return the cartridge asked for, or the one that the run was played on."""
    if rom is not None or run is None:
        cartridge = load_cartridge(rom or demo_cartridge_path())
    else:
        cartridge = _cartridge_of_run(run["cartridge"]["sha1"])
    if run is not None and cartridge.sha1 != run["cartridge"]["sha1"]:
        wanted, got = run["cartridge"], cartridge
        message = (
            f"the run was played on {wanted['name']}, SHA-1 {wanted['sha1']}, and this is"
            f" {got.name}, SHA-1 {got.sha1}; pass the --rom it was played on"
        )
        raise CartridgeError(message)
    return cartridge


def _cartridge_of_run(sha1: str) -> Cartridge:
    """Return the image in roms/ that has this SHA-1, or the demo when none has."""
    for path in sorted((HOME / "roms").glob("*.gb")):
        try:
            cartridge = load_cartridge(path)
        except CartridgeError:
            continue  # somebody's other game; it is not asked for
        if cartridge.sha1 == sha1:
            return cartridge
    return load_cartridge(demo_cartridge_path())


def _goal(until: str | None, story: Story) -> str:
    known = [milestone.id for milestone in story.milestones]
    if until is None:
        return known[-1]
    if until not in known:
        message = f"--until {until} is no milestone of this cartridge; it has {', '.join(known)}"
        raise UsageError(message)
    return until


def _memory(settings: Settings) -> Path:
    return settings.memory or HOME / "memory.sqlite"


def _new_run(settings: Settings, frozen: dict[str, Any], now: datetime) -> RunFolder[RunStore]:
    run_id = f"{now:%Y%m%d-%H%M%S}-seed{settings.seed}-{secrets.token_hex(2)}"
    path = settings.run or HOME / "runs" / run_id
    return create_run(path, {"run": run_id, **frozen}, run_id=run_id)


def _frozen(
    settings: Settings, cartridge: Cartridge, until: str, now: datetime, memory: str
) -> dict[str, Any]:
    """What run.toml keeps for ever; TOML has no null, so what was not asked for is left out."""
    limits = {} if settings.ticks is None else {"ticks": settings.ticks}
    return {
        "started": now,
        "seed": settings.seed,
        "mind": settings.mind.value,
        "cartridge": {
            "name": cartridge.name,
            "title": cartridge.title,
            "sha1": cartridge.sha1,
        },
        "versions": {
            "agent": VERSION,
            "pyboy": version("pyboy"),
            "python": platform.python_version(),
        },
        "limits": {"until": until, **limits},
        "memory": {"hash": memory},
    }


@contextmanager
def _interrupts(interrupt: Callable[[], None]) -> Iterator[None]:
    """End play cleanly at the first Ctrl-C or SIGTERM; the second one ends the process."""

    def first(number: int, _frame: FrameType | None) -> None:
        interrupt()
        signal.signal(number, before[signal.Signals(number)])

    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        for each in before:
            signal.signal(each, first)
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
