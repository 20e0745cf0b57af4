"""Start states: saved states of a user, and changes made on a console before play.

A saved state names the emulator that made it and its cartridge; both are checked before play begins from it.
Setup changes are not recorded as play.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from agent.errors import ScenarioError
from agent.skills import Destination, Outcome, SkillRun, Terrain, travel
from emulator import (
    EMULATOR,
    RED,
    Cartridge,
    PyBoyConsole,
    State,
    StateError,
    StateOrigin,
    Step,
    World,
    demo_cartridge_path,
    load_cartridge,
    read_state,
    state_origin,
    symbol,
)
from memory.file_access import read_bytes

ENDING: Final = ".redstate"


def state_path(folder: Path, name: str) -> Path:
    """Return the path of a saved state."""
    return folder / f"{name}{ENDING}"


def read_moment(path: Path, cartridge: Cartridge) -> bytes:
    """Return a saved state from which this emulator can play `cartridge`.

    Raises ScenarioError when it cannot, in a line that names the file and says what to do.
    """
    data = _read(path)
    made_by, sha1, _ = _origin(path, data)
    if sha1 != cartridge.sha1:
        message = (
            f"{path} is for {cartridge_name(sha1)}, SHA-1 {sha1}, but the cartridge is {cartridge.name},"
            f" SHA-1 {cartridge.sha1}; pass the --rom that it was recorded on"
        )
        raise ScenarioError(message)
    if made_by != EMULATOR:
        message = f"{path} was made by {made_by}, and this is {EMULATOR}; record it again, or install {made_by}"
        raise ScenarioError(message)
    return data


def origin_of(path: Path) -> StateOrigin:
    """Return the origin of a saved state; raises ScenarioError when it is another kind of file, or damaged."""
    return _origin(path, _read(path))


def cartridge_name(sha1: str) -> str:
    """Return the display name of the cartridge with this SHA-1."""
    demo = load_cartridge(demo_cartridge_path())
    names = {demo.sha1: demo.name, RED.sha1: "Pokemon Red (US)"}
    return names.get(sha1, "another cartridge")


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path)
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
        fault = str(error).partition(";")[0]  # the rest is advice about checkpoints
        message = f"{path}: {fault}; restore a backup of it, or record it again"
        raise ScenarioError(message) from error


LONGEST_WALK: Final = 3_000  # steps of input
RAM_ENABLE, RAM_BANK, BANK = 0x0000, 0x4000, 0xA000  # of the cartridge RAM
BANK_SIZE: Final = 0x2000
BANKS: Final = 4
LIST_END: Final = 0xFF
COPIED: Final = (("wPartyMons", 44), ("wPartyMonOT", 11), ("wPartyMonNicks", 11))


def current_state(console: PyBoyConsole) -> State:
    """Return the current state of a console."""
    return read_state(console.ram(), console.frame)


def copy_battery(old: PyBoyConsole, new: PyBoyConsole) -> None:
    """Copy the battery RAM of one console into another that was just switched on."""
    for bank in range(BANKS):
        for console in (old, new):
            console.poke(RAM_ENABLE, b"\x0a")
            console.poke(RAM_BANK, bytes([bank]))
        new.poke(BANK, old.read(BANK, BANK_SIZE))
    new.poke(RAM_BANK, b"\x00")
    new.poke(RAM_ENABLE, b"\x00")


def change_ram(
    console: PyBoyConsole, data: Sequence[tuple[int, bytes]], bits: Sequence[tuple[int, int, bool]]
) -> None:
    """Write bytes at their addresses, and set or clear bits by address and number."""
    for address, values in data:
        console.poke(address, values)
    for address, bit, is_set in bits:
        byte = console.read(address, 1)[0]
        console.poke(address, bytes([byte | 1 << bit if is_set else byte & ~(1 << bit)]))


def fill_team(console: PyBoyConsole, size: int) -> None:
    """Fill the team with copies of its first member, up to this size."""
    species = console.read(symbol("wPartySpecies"), 1)
    console.poke(symbol("wPartyCount"), bytes([size, *(species * size), LIST_END]))
    for label, each in COPIED:
        start = symbol(label)
        console.poke(start, console.read(start, each) * size)


def press(console: PyBoyConsole, steps: Iterable[Step]) -> None:
    """Perform input steps one after the other."""
    for step in steps:
        console.perform(step)


def walk_to(console: PyBoyConsole, map_id: int, square: tuple[int, int]) -> None:
    """Walk to a square of a map; raises ScenarioError when the walk does not arrive."""
    destination = Destination(map_id, frozenset({square}))
    terrain = Terrain(World.of(console.cartridge))
    skill_run = SkillRun(travel(terrain, destination, current_state(console)))
    for _ in range(LONGEST_WALK):
        if skill_run.outcome is not Outcome.RUNNING:
            break
        console.perform(skill_run.step)
        skill_run.resume(current_state(console))
    state = current_state(console)
    if skill_run.outcome is not Outcome.DONE or state.position != square:
        here = state.map
        where = f"map {map_id} at ({square[0]},{square[1]})"
        message = f"the walk to {where} ended on map {here.map_id} at ({here.x},{here.y})"
        raise ScenarioError(message)
