"""Opening what was recorded, a run's folder or an exported file, and saying first what is not as it was then."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from agent.app.settings import Frozen
from agent.app.slot import cartridge_for
from agent.errors import RunError
from agent.replay import Origin, Reached, Recording, read_portable, recording_of
from emulator import Cartridge
from memory import RunReader, read_run

Tell: TypeAlias = Callable[[str], object]


def quiet(_words: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording that is open; `run` is its store, which an exported file has none of."""

    path: Path
    origin: Origin
    milestones: tuple[Reached, ...]
    recording: Recording
    run: RunReader | None

    def store(self, wanted: str) -> RunReader:
        """Return the run itself, for what an exported file does not hold; raises RunError where there is none."""
        if self.run is None:
            message = f"{self.path} is an exported replay, and {wanted} takes the folder of a run"
            raise RunError(message)
        return self.run


@contextmanager
def recorded(path: Path) -> Iterator[Recorded]:
    """Lend what was recorded in a run's folder or an exported file, also while the run is being played."""
    if path.is_file():
        exported = read_portable(path)
        yield Recorded(path, exported.origin, exported.milestones, exported.recording, None)
        return
    with closing(read_run(path)) as folder:
        origin = _origin(Frozen.of(folder.settings), folder.settings)
        recording = recording_of(folder.store)
        yield Recorded(path, origin, _reached(folder.store), recording, folder.store)


def slot_for(origin: Origin, rom: Path | None, tell: Tell) -> Cartridge:
    """Return the cartridge of a recording, and tell at once when the emulator is another than it was.

    Raises:
        CartridgeError: when there is another cartridge.
    """
    cartridge = cartridge_for(rom, origin)
    tell_emulator(origin.pyboy, tell)
    return cartridge


def tell_emulator(then: str, tell: Tell) -> None:
    """Tell when a recording was made with another PyBoy."""
    now = version("pyboy")
    if then not in ("", now):  # it was not always told
        tell(f"recorded with PyBoy {then}, this is {now}: what differs may be due to that")


def _origin(frozen: Frozen, settings: Mapping[str, Any]) -> Origin:
    agent = settings["versions"].get("agent", "")
    return Origin(frozen.run, frozen.seed, frozen.cartridge, frozen.sha1, frozen.pyboy, str(agent))


def _reached(run: RunReader) -> tuple[Reached, ...]:
    with run.understood("milestones"):
        return tuple(
            Reached(str(each.payload["id"]), each.tick, tuple(sorted(each.payload["witnesses"])))
            for each in run.events("milestone")
        )
