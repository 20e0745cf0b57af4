"""Setting a moment up on a console: changed RAM, presses and walks. Nothing of it is recorded as play."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agent.errors import ScenarioError
from agent.scenario.stages import Change, Press, Setting, Team, Walk
from agent.skills import Course, Destination, Outcome, Terrain, travel
from emulator import PyBoyConsole, State, World, read_state
from emulator.profile import symbol

LONGEST_WALK: Final = 3_000  # steps of input
RAM_ENABLE, RAM_BANK, BANK = 0x0000, 0x4000, 0xA000  # of the cartridge's own RAM
BANK_SIZE: Final = 0x2000
BANKS: Final = 4
LIST_END: Final = 0xFF
COPIED: Final = (("wPartyMons", 44), ("wPartyMonOT", 11), ("wPartyMonNicks", 11))


def look(console: PyBoyConsole) -> State:
    """Return the state of this moment."""
    return read_state(console.ram(), console.frame)


def set_up(console: PyBoyConsole, stages: Iterable[Setting]) -> None:
    """Do what `stages` say; raises ScenarioError when a walk does not arrive."""
    for stage in stages:
        match stage:
            case Change():
                _change(console, stage)
            case Team(size):
                _clone(console, size)
            case Press(steps):
                for step in steps:
                    console.perform(step)
            case Walk():
                _walk(console, stage)


def hand_over_battery(old: PyBoyConsole, new: PyBoyConsole) -> None:
    """Put into a console just switched on what the cartridge of another keeps without power."""
    for bank in range(BANKS):
        for console in (old, new):
            console.poke(RAM_ENABLE, b"\x0a")
            console.poke(RAM_BANK, bytes([bank]))
        new.poke(BANK, old.read(BANK, BANK_SIZE))
    new.poke(RAM_BANK, b"\x00")
    new.poke(RAM_ENABLE, b"\x00")


def _change(console: PyBoyConsole, change: Change) -> None:
    for address, data in change.data:
        console.poke(address, data)
    for address, bit, is_set in change.bits:
        byte = console.read(address, 1)[0]
        console.poke(address, bytes([byte | 1 << bit if is_set else byte & ~(1 << bit)]))


def _clone(console: PyBoyConsole, size: int) -> None:
    species = console.read(symbol("wPartySpecies"), 1)
    console.poke(symbol("wPartyCount"), bytes([size, *(species * size), LIST_END]))
    for label, each in COPIED:
        start = symbol(label)
        console.poke(start, console.read(start, each) * size)


def _walk(console: PyBoyConsole, walk: Walk) -> None:
    destination = Destination(walk.map_id, frozenset({walk.square}))
    terrain = Terrain(World.of(console.cartridge))
    course = Course(travel(terrain, destination, look(console)))
    for _ in range(LONGEST_WALK):
        if course.outcome is not Outcome.RUNNING:
            break
        console.perform(course.step)
        course.resume(look(console))
    state = look(console)
    if course.outcome is not Outcome.DONE or state.position != walk.square:
        here = state.map
        x, y = walk.square
        where = f"map {walk.map_id} at ({x},{y})"
        message = f"the walk to {where} ended on map {here.map_id} at ({here.x},{here.y})"
        raise ScenarioError(message)
