"""Saved moments of a user's own: files in a folder, each the bytes of one state of the emulator.

What a file says of itself, the emulator that made it and the cartridge it is of, is checked before anything is
played from it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agent.errors import ScenarioError
from emulator import (
    EMULATOR,
    RED,
    Cartridge,
    StateError,
    StateOrigin,
    demo_cartridge_path,
    load_cartridge,
    state_origin,
)

ENDING: Final = ".redstate"


def state_path(folder: Path, name: str) -> Path:
    """Return the file of a saved moment."""
    return folder / f"{name}{ENDING}"


def read_moment(path: Path, cartridge: Cartridge) -> bytes:
    """Return a saved moment from which this emulator can play `cartridge`.

    Raises:
        ScenarioError: when it cannot, in a line that names the file and says what to do.
    """
    data = _read(path)
    made_by, sha1, _ = _origin(path, data)
    if sha1 != cartridge.sha1:
        message = (
            f"{path} is of {cartridge_name(sha1)}, SHA-1 {sha1}, and in the slot is {cartridge.name},"
            f" SHA-1 {cartridge.sha1}; pass the --rom that it was recorded on"
        )
        raise ScenarioError(message)
    if made_by != EMULATOR:
        message = f"{path} was made by {made_by}, and this is {EMULATOR}; record it again, or install {made_by}"
        raise ScenarioError(message)
    return data


def origin_of(path: Path) -> StateOrigin:
    """Return where a saved moment comes from; raises ScenarioError when it is none, or damaged."""
    return _origin(path, _read(path))


def cartridge_name(sha1: str) -> str:
    """Return what people call the cartridge with this SHA-1."""
    demo = load_cartridge(demo_cartridge_path())
    names = {demo.sha1: demo.name, RED.sha1: "Pokemon Red (US)"}
    return names.get(sha1, "another cartridge")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        message = (
            f"{path} cannot be read ({error.strerror}); put it there, record it with"
            " `scenario record`, or name its folder by --states"
        )
        raise ScenarioError(message) from error


def _origin(path: Path, data: bytes) -> StateOrigin:
    try:
        return state_origin(data)
    except StateError as error:
        fault = str(error).partition(";")[0]  # what follows is about checkpoints
        message = f"{path}: {fault}; put back a copy of it, or record it again"
        raise ScenarioError(message) from error
