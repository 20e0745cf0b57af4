"""The console implemented with PyBoy; the only file that imports it. Its pitfalls are handled here.

* Given a path, PyBoy reads and writes battery RAM beside the ROM: it receives the image as bytes instead.
* A saved state omits queued button events: no event stays queued between steps.
* A cartridge clock (MBC3 with timer) follows the wall clock: it is locked.
* In the first frame that is ever drawn, the window is one row too high: the frames before it are drawn as well.
* PyBoy loads SDL for a window that is never opened, a third of a second per process: SDL is hidden from it.
* At an invalid instruction, which only a damaged image or state reaches, a frame never ends, and no signal is handled:
  a thread looks for that, and lets the processor go on in a loop of its own, so that the frame ends with an error.
* `pyboy.memory[a:b]` builds a list of integers, 230 us for work RAM, more than the rest of a tick: the array behind it
  is read directly after a check that it is the right one; without it everything still works, more slowly.
"""

import gc
import importlib.metadata
import io
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import process_time
from typing import Final, Protocol
from weakref import ref

from emulator.cartridge import Cartridge
from emulator.console import DIGEST_RANGES, WATCHED_RANGES, Button, Step, hashed
from emulator.errors import ConsoleError, StateError
from emulator.ram.view import HIGH_RAM, WORK_RAM, Ram, RamSlices, layout_of
from emulator.savestate import CORRUPT, SavedState, decode_state, encode_state
from emulator.screen.picture import Screen

ARRAY: Final = ("pyboy.core.ram", "memoryview")  # type of the object with the array, in 2.8
# Garbage collector generations, youngest first: the array is new, and there may be a million objects.
YOUNGEST_FIRST: Final = (0, 1, 2)
PROBES: Final = (0xA5, 0x5A)


class ByteMemory(Protocol):
    """Memory that is read and written byte by byte, like `pyboy.memory`."""

    def __getitem__(self, address: int) -> int: ...

    def __setitem__(self, address: int, value: int) -> None: ...


def find_work_ram(memory: ByteMemory) -> memoryview | None:
    """Return the live work RAM behind `memory`, or None when it cannot be found."""
    for generation in map(gc.get_objects, YOUNGEST_FIRST):
        for each in reversed(generation):  # the newest first
            if type(each).__name__ != ARRAY[1] or type(each).__module__ != ARRAY[0]:
                continue
            view = memoryview(each)
            if view.nbytes == WORK_RAM[1] and _is_same_memory(memory, view):
                return view.toreadonly()
    return None


def _is_same_memory(memory: ByteMemory, view: memoryview) -> bool:
    start, size = WORK_RAM
    return all(_mirrors(memory, start + offset, view, offset) for offset in (0, size - 1))


def _mirrors(memory: ByteMemory, address: int, view: memoryview, offset: int) -> bool:
    before = memory[address]
    try:
        for probe in PROBES:
            memory[address] = probe
            if view[offset] != probe:
                return False
    finally:
        memory[address] = before
    return True


@contextmanager
def _hidden(package: str) -> Iterator[None]:
    """Make imports of `package` fail inside the context."""
    sys.modules[package] = None  # type: ignore[assignment]  # makes the import fail
    yield
    del sys.modules[package]


with _hidden("sdl2"):
    from pyboy import PyBoy
    from pyboy.utils import PyBoyException

EMULATOR: Final = f"PyBoy {importlib.metadata.version('pyboy')}"
MAX_BATTERY_RAM: Final = 16 * 0x2000
SILENT: Final = 99  # above every log level that PyBoy has
PALETTE: Final = (0xFFFFFF, 0xAAAAAA, 0x555555, 0x000000)
SHADE_BITS: Final = 6  # the two highest bits of a channel tell the shade, inverted

WATCHED: Final = layout_of(WATCHED_RANGES)
DIGESTED: Final = RamSlices(DIGEST_RANGES)
CARTRIDGE_TYPE: Final = 0x0147
WITH_CLOCK: Final = (0x0F, 0x10)


STUCK_AFTER_S: Final = 3.0  # of processor time, which includes no time of other processes
SLOWEST: Final = 100  # frames per second; a usual machine computes a hundred times as many
ENDLESS_LOOP: Final = bytes((0xF3, 0x18, 0xFE))  # di; jr -2


class StuckFrames(Thread):
    """Finds a frame of one console that never ends, and makes it end."""

    def __init__(self, console: "PyBoyConsole") -> None:
        super().__init__(name="stuck frames", daemon=True)
        self.closed = Event()
        self._console = ref(console)

    def run(self) -> None:
        """Look at the console until it is closed or gone."""
        seen, since = 0, 0.0  # the number of a call of the emulator, and when it was first seen
        while not self.closed.wait(STUCK_AFTER_S / 4) and (console := self._console()) is not None:
            call, frames = console.running
            if not call or call != seen:
                seen, since = call, process_time()
            elif process_time() - since > STUCK_AFTER_S + frames / SLOWEST:
                console.leave_stuck_frame()
            del console  # which may be collected meanwhile


class PyBoyConsole:
    """A headless Game Boy from power-on, running at full speed."""

    def __init__(self, cartridge: Cartridge) -> None:
        self.cartridge = cartridge
        self._pyboy = _power_on(cartridge)
        self._memory = self._pyboy.memory
        self._work_ram = find_work_ram(self._memory)
        self.frame = 0  # since power-on
        self._held: Button | None = None
        self._drawn = False
        self._has_drawn = False
        self._ram: Ram | None = None
        self._state: bytes | None = None  # as of now, if it was saved or loaded
        self._frames = self._calls = self._returned = (
            0  # frames of the last call, and counts of calls
        )
        self._stuck_at: int | None = None
        self._watch = StuckFrames(self)
        self._watch.start()

    def perform(self, step: Step, *, render: bool = False) -> None:
        """Run the frames of `step`, pressing and releasing its button; draw the last frame if `render`."""
        if render and not self._has_drawn:
            deque(self.film(step, 1), maxlen=0)
            return
        self._hold(step.button)
        if step.hold:
            self._tick(step.hold, render=render and step.settle == 0)
        if step.settle:
            self._hold(None)
            self._tick(step.settle, render=render)
        self._drawn = render
        self.frame += step.frames
        self._ram = self._state = None

    def film(self, step: Step, every: int) -> Iterator[Screen]:
        """Perform `step` and yield the picture of each frame whose number is a multiple of `every`.

        Time advances as pictures are taken: the step is complete when the iterator ends.
        """
        self._hold(step.button)
        yield from self._draw(step.hold, every)
        if step.settle:
            self._hold(None)
            yield from self._draw(step.settle, every)

    def ram(self) -> Ram:
        """Return the watched RAM as it is now."""
        if self._ram is None:
            work = self._work_ram or self.read(*WORK_RAM)
            others = [self.read(*each) for each in WATCHED_RANGES[1:]]
            self._ram = Ram.of_layout(WATCHED, b"".join((work, *others)))
        return self._ram

    def read(self, address: int, size: int) -> bytes:
        """Return any range of memory as it is now."""
        return bytes(self._memory[address : address + size])

    def poke(self, address: int, data: bytes) -> None:
        """Write RAM to set up a measurement; normal play only presses buttons."""
        for at, byte in enumerate(data, start=address):
            self._memory[at] = byte
        self._ram = self._state = None

    def screen(self) -> Screen:
        """Return the current picture, or raise a ConsoleError when the frame was not drawn.

        Drawing it later would need a save, a tick and a load: 25 ms per picture.
        """
        if not self._drawn:
            message = (
                f"frame {self.frame} was not drawn; perform the step before it with render=True"
            )
            raise ConsoleError(message)
        reds = self._pyboy.screen.ndarray[:, :, 0]
        return Screen(~reds >> SHADE_BITS)

    def save(self) -> bytes:
        """Return the current state as bytes; play resumed from them is identical."""
        if self._state is None:  # PyBoy writes it byte by byte, which takes longer than many ticks
            file = io.BytesIO()
            self._pyboy.save_state(file)
            sha1 = self.cartridge.sha1
            saved = SavedState(EMULATOR, sha1, self.frame, self._held, file.getvalue())
            self._state = encode_state(saved)
        return self._state

    def load(self, state: bytes) -> None:
        """Restore a state that `save` returned, or raise a StateError."""
        saved = decode_state(state, emulator=EMULATOR, cartridge_sha1=self.cartridge.sha1)
        self._ram = self._state = None
        try:
            self._pyboy.load_state(io.BytesIO(saved.payload))
        except PyBoyException as error:
            raise StateError(CORRUPT) from error
        self.frame = saved.frame
        self._held = saved.held
        self._drawn = False
        self._state = state

    def digest(self) -> bytes:
        """Return blake2b-128 over DIGEST_RANGES."""
        watched = DIGESTED.of(self.ram())
        assert watched is not None  # DIGEST_RANGES are parts of WATCHED_RANGES
        return hashed(watched)

    def full_digest(self) -> bytes:
        """Return blake2b-128 over all of work RAM and high RAM."""
        ram = self.ram()
        return hashed(ram.span(*WORK_RAM) + ram.span(*HIGH_RAM))

    def close(self) -> None:
        """Switch off without writing any file."""
        self._watch.closed.set()
        self._pyboy.stop(save=False)

    @property
    def running(self) -> tuple[int, int]:
        """The number and the frames of the running call of the emulator; the number is 0 between calls."""
        return self._calls if self._calls != self._returned else 0, self._frames

    def leave_stuck_frame(self) -> None:
        """End the running frame, whose instruction takes no time; called by another thread."""
        self._stuck_at = self._pyboy.register_file.PC
        self.poke(HIGH_RAM[0], ENDLESS_LOOP)
        self._pyboy.register_file.PC = HIGH_RAM[0]

    def _tick(self, frames: int, *, render: bool) -> None:
        self._frames = frames
        self._calls += 1
        self._pyboy.tick(frames, render=render, sound=False)
        self._returned = self._calls
        if self._stuck_at is not None:
            message = (
                f"the game stopped at an invalid instruction, at address 0x{self._stuck_at:04X}: the cartridge"
                " image or a saved state is damaged; copy the image again, or go back to an older state"
            )
            raise ConsoleError(message)

    def _draw(self, frames: int, every: int) -> Iterator[Screen]:
        end = self.frame + frames
        while self.frame < end:
            due = min(end, self.frame + every - self.frame % every)
            self._drawn = due % every == 0
            self._tick(due - self.frame, render=self._drawn)
            self.frame = due
            self._ram = self._state = None
            if self._drawn:
                self._has_drawn = True
                yield self.screen()

    def _hold(self, button: Button | None) -> None:
        # PyBoy handles both events at the start of the next frame, so no event outlives a step.
        if button is self._held:
            return
        if self._held is not None:
            self._pyboy.button_release(self._held.value)
        if button is not None:
            self._pyboy.button_press(button.value)
        self._held = button


def _power_on(cartridge: Cartridge) -> PyBoy:
    pyboy = PyBoy(
        io.BytesIO(cartridge.rom),
        ram_file=io.BytesIO(bytes(MAX_BATTERY_RAM)),
        window="null",
        sound_emulated=False,
        no_input=True,
        color_palette=PALETTE,
        log_level=SILENT,
    )
    pyboy.set_emulation_speed(0)
    if cartridge.rom[CARTRIDGE_TYPE] in WITH_CLOCK:
        pyboy.rtc_lock_experimental(True)
    return pyboy
