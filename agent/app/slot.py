"""Which cartridge goes into the slot."""

from pathlib import Path
from typing import Protocol

from emulator import Cartridge, CartridgeError, demo_cartridge_path, load_cartridge


class PlayedOn(Protocol):
    """A run that says on which cartridge it was played: its name, and its SHA-1."""

    @property
    def cartridge(self) -> str:
        """Its name."""
        ...

    @property
    def sha1(self) -> str:
        """The SHA-1 of its image."""
        ...


def cartridge_for(rom: Path | None, run: PlayedOn | None) -> Cartridge:
    """Return the image asked for, else the one `run` was played on, else the demo.

    Raises:
        CartridgeError: when the image cannot be played, or is not the one of `run`.
    """
    if run is None:
        return load_cartridge(rom or demo_cartridge_path())
    cartridge = load_cartridge(rom) if rom else _find(run.sha1)
    if cartridge.sha1 != run.sha1:
        message = (
            f"the run was played on {run.cartridge}, SHA-1 {run.sha1}, and this is"
            f" {cartridge.name}, SHA-1 {cartridge.sha1}; pass the --rom it was played on"
        )
        raise CartridgeError(message)
    return cartridge


def _find(sha1: str) -> Cartridge:
    """Return the image beside the demo that has this SHA-1, or the demo when none has."""
    demo = demo_cartridge_path()
    for path in sorted(demo.parent.glob("*.gb")):
        try:
            cartridge = load_cartridge(path)
        except CartridgeError:
            continue  # somebody's other game; it is not asked for
        if cartridge.sha1 == sha1:
            return cartridge
    return load_cartridge(demo)
