"""Shared fixtures: the demo cartridge, a tiny cartridge that logs its joypad, RAM images."""

from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from emulator import (
    Button,
    Cartridge,
    Console,
    Facing,
    GameMap,
    Position,
    PyBoyConsole,
    Ram,
    RecordingConsole,
    Step,
    StepRecord,
    World,
    demo_cartridge_path,
    load_cartridge,
    read_state,
)
from emulator.cartridge import (
    DEMO_TITLE,
    HEADER_CHECKSUM,
    IMAGE_CHECKSUM,
    header_checksum,
    image_checksum,
)

IMAGES: Final = Path(__file__).resolve().parents[3] / "shared" / "red" / "wram"

# Counts frames at C000 (LE) and logs at C100 + frame, modulo 256, which buttons are down:
# bits 0-3 A B SELECT START, 4-7 RIGHT LEFT UP DOWN. Sleeps in between.
PAD_LOGGER: Final = bytes.fromhex(
    "3E01 E0FF FB"  # ld a,1; ldh (IE),a; ei
    "76 00"  # loop: halt; nop
    "3E10 E000 F000 F000 2F E60F 47"  # select A B SELECT START; b = pressed
    "3E20 E000 F000 F000 2F E60F CB37 B0 47"  # select directions; b |= pressed << 4
    "3E30 E000"
    "FA00C0 6F 26C1 70"  # hl = C100 + frame; (hl) = b
    "3C EA00C0 20D2"  # frame += 1; back to loop
    "FA01C0 3C EA01C0 18C9"  # carry into the high byte; back to loop
)

MakeConsole: TypeAlias = Callable[[Cartridge], Console]


def tiny_rom(program: bytes = PAD_LOGGER, *, cartridge_type: int = 0x13, title: str = "") -> bytes:
    """Return a 32 KiB image that runs `program` and has the demo's title."""
    rom = bytearray(0x8000)
    rom[0x40] = 0xD9  # the V-blank interrupt returns at once
    rom[0x100:0x104] = bytes.fromhex("00 C35001")
    name = (title or DEMO_TITLE).encode()
    rom[0x134 : 0x134 + len(name)] = name
    rom[0x147], rom[0x149] = cartridge_type, 3
    rom[0x150 : 0x150 + len(program)] = program
    rom[HEADER_CHECKSUM] = header_checksum(bytes(rom))
    rom[IMAGE_CHECKSUM] = image_checksum(bytes(rom))
    return bytes(rom)


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[..., Cartridge]:
    def make(program: bytes = PAD_LOGGER, *, cartridge_type: int = 0x13) -> Cartridge:
        path = tmp_path / "tiny.gb"
        path.write_bytes(tiny_rom(program, cartridge_type=cartridge_type))
        return load_cartridge(path)

    return make


@pytest.fixture
def rom_of() -> Callable[..., bytes]:
    return tiny_rom


@pytest.fixture(scope="session")
def demo() -> Cartridge:
    return load_cartridge(demo_cartridge_path())


@pytest.fixture
def switch_on() -> Iterator[Callable[[Cartridge], PyBoyConsole]]:
    consoles: list[PyBoyConsole] = []

    def make(cartridge: Cartridge) -> PyBoyConsole:
        consoles.append(PyBoyConsole(cartridge))
        return consoles[-1]

    yield make
    for console in consoles:
        console.close()


@cache
def recorded(cartridge: Cartridge, steps: tuple[Step, ...]) -> tuple[StepRecord, ...]:
    """Return the recording of `steps` from power-on."""
    records: list[StepRecord] = []
    console = RecordingConsole(PyBoyConsole(cartridge), records.append)
    for step in steps:
        console.perform(step)
    console.close()
    return tuple(records)


@pytest.fixture(scope="session")
def record() -> Callable[[Cartridge, tuple[Step, ...]], tuple[StepRecord, ...]]:
    return recorded


@pytest.fixture(params=["pyboy", "recorder"])
def make_console(request: pytest.FixtureRequest) -> Iterator[MakeConsole]:
    """Every implementation of Console."""
    consoles: list[Console] = []

    def make(cartridge: Cartridge) -> Console:
        console: Console = PyBoyConsole(cartridge)
        if request.param == "recorder":
            console = RecordingConsole(console, lambda record: None)
        consoles.append(console)
        return console

    yield make
    for console in consoles:
        console.close()


@cache
def steps_to_bedroom() -> tuple[Step, ...]:
    """Return the input from power-on to the first moment of control, found by playing."""
    console = PyBoyConsole(load_cartridge(demo_cartridge_path()))
    steps: list[Step] = []
    for _ in range(600):
        state = read_state(console.ram(), console.frame)
        if state.in_control:
            break
        # The first entry of a list of names opens the keyboard: take the second.
        names = state.menu is not None and state.menu.maximum == 3 and state.menu.current == 0
        steps.append(Step(Button.DOWN if names else Button.A, 4, 12))
        console.perform(steps[-1])
    else:
        pytest.fail("the demo gives no control within 600 presses")
    console.close()
    return tuple(steps)


@pytest.fixture(scope="session")
def bedroom_steps() -> tuple[Step, ...]:
    return steps_to_bedroom()


@pytest.fixture(scope="session")
def before_bedroom(demo: Cartridge, bedroom_steps: tuple[Step, ...]) -> bytes:
    """The demo before the last of the steps to the first moment of control."""
    console = PyBoyConsole(demo)
    for step in bedroom_steps[:-1]:
        console.perform(step)
    state = console.save()
    console.close()
    return state


@pytest.fixture
def bedroom(
    demo: Cartridge,
    before_bedroom: bytes,
    bedroom_steps: tuple[Step, ...],
    switch_on: Callable[[Cartridge], PyBoyConsole],
) -> PyBoyConsole:
    """The demo at the first moment of control."""
    console = switch_on(demo)
    console.load(before_bedroom)
    console.perform(bedroom_steps[-1], render=True)
    return console


WALK: Final = {
    Facing.DOWN: Button.DOWN,
    Facing.UP: Button.UP,
    Facing.LEFT: Button.LEFT,
    Facing.RIGHT: Button.RIGHT,
}


def way_to_warp(here: GameMap, start: Position, index: int) -> list[Facing]:
    """Return the directions from a square onto a warp of the same map."""
    ways: dict[Position, list[Facing]] = {start: []}
    queue = deque([start])
    goal = here.warps[index].position
    while queue:
        square = queue.popleft()
        for facing in Facing:
            ahead = Position(square.x + facing.dx, square.y + facing.dy)
            other_warp = here.warp_at(*ahead) is not None and ahead != goal
            if ahead in ways or other_warp or not here.can_step(square, facing):
                continue
            ways[ahead] = [*ways[square], facing]
            queue.append(ahead)
    return ways[goal]


@pytest.fixture
def way_downstairs(bedroom: PyBoyConsole, demo: Cartridge) -> list[Button]:
    """The presses from the first moment of control onto the stairs."""
    state = read_state(bedroom.ram(), bedroom.frame)
    here = World.of(demo).map(state.map.map_id)
    return [WALK[facing] for facing in way_to_warp(here, state.position, 0)]


@pytest.fixture
def ram_image() -> Callable[[str], Ram]:
    if not IMAGES.exists():
        pytest.skip(f"no RAM images of the real game in {IMAGES}")

    def load(name: str) -> Ram:
        return Ram.of_image(
            (IMAGES / f"{name}.wram").read_bytes(), (IMAGES / f"{name}.hram").read_bytes()
        )

    return load
