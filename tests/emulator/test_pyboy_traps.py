"""Traps of PyBoy that the console closes, each as PyBoy itself shows it or would."""

import io
import time
from collections.abc import Callable

import pytest
from pyboy import PyBoy

from emulator import Button, Cartridge, PyBoyConsole, Step
from emulator.pyboy_console import find_work_ram

SwitchOn = Callable[[Cartridge], PyBoyConsole]

# Latches the cartridge's clock every frame and adds its seconds up at C100 (C101: last value).
CLOCK_READER = bytes.fromhex(
    "3E01 E0FF FB"  # ld a,1; ldh (IE),a; ei
    "76 00"  # loop: halt; nop
    "3E0A EA0000"  # enable RAM and clock
    "3E08 EA0040"  # select seconds
    "AF EA0060 3C EA0060"  # latch
    "FA00A0 EA01C1 47"  # last value
    "FA00C1 80 EA00C1"  # add up
    "18DC"  # back to loop
)


def test_drawing_does_not_change_the_game(
    bedroom_steps: tuple[Step, ...], bedroom: PyBoyConsole, demo: Cartridge
) -> None:
    undrawn = PyBoy(
        io.BytesIO(demo.rom), window="null", sound_emulated=False, log_level=99, no_input=True
    )
    undrawn.set_emulation_speed(0)
    for step in bedroom_steps:
        assert step.button is not None
        undrawn.button_press(step.button.value)
        undrawn.tick(step.hold, False, False)
        undrawn.button_release(step.button.value)
        undrawn.tick(step.settle, False, False)
    assert bytes(undrawn.memory[0xC000:0xE000]) == bedroom.read(0xC000, 0x2000)
    assert bytes(undrawn.memory[0xFF80:0xFFFF]) == bedroom.read(0xFF80, 0x7F)
    undrawn.stop(save=False)


def test_the_first_picture_of_a_console_is_in_its_place(
    bedroom: PyBoyConsole, demo: Cartridge, switch_on: SwitchOn
) -> None:
    bedroom.perform(Step(Button.START, 4, 30), render=True)
    fresh = switch_on(demo)
    fresh.load(bedroom.save())
    bedroom.perform(Step(Button.DOWN, 4, 16), render=True)
    fresh.perform(Step(Button.DOWN, 4, 16), render=True)
    assert fresh.screen() == bedroom.screen()
    assert fresh.full_digest() == bedroom.full_digest()


def test_a_cartridge_clock_does_not_follow_the_wall_clock(
    tiny: Callable[..., Cartridge], switch_on: SwitchOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    cartridge = tiny(CLOCK_READER, cartridge_type=0x10)
    now = [1e9]
    monkeypatch.setattr(time, "time", lambda: now[0])
    console = switch_on(cartridge)
    console.perform(Step(None, 0, 100))
    state = console.save()
    now[0] += 12_345
    fresh = switch_on(cartridge)
    fresh.load(state)
    for each in (console, fresh):
        each.perform(Step(None, 0, 200))
    assert console.full_digest() == fresh.full_digest()
    assert console.read(0xC100, 2) == b"\0\0"


def test_work_ram_at_power_on_is_always_the_same(demo: Cartridge, switch_on: SwitchOn) -> None:
    assert switch_on(demo).read(0xC000, 0x2000) == bytes(0x2000)


def test_a_console_runs_many_thousand_frames_a_second(bedroom: PyBoyConsole) -> None:
    started = time.perf_counter()
    bedroom.perform(Step(None, 0, 2_000))
    assert time.perf_counter() - started < 2  # 100 ms on an idle machine


def test_a_press_reaches_the_game_in_its_first_frame(
    tiny: Callable[..., Cartridge], switch_on: SwitchOn
) -> None:
    console = switch_on(tiny())
    console.perform(Step(None, 0, 80))
    logged = console.read(0xC000, 1)[0]
    console.perform(Step(Button.START, 1, 1))
    assert console.read(0xC100 + logged, 2) == bytes([8, 0])


def test_work_ram_is_read_in_one_piece_and_live(bedroom: PyBoyConsole) -> None:
    memory = PyBoy(io.BytesIO(bedroom.cartridge.rom), window="null", log_level=99).memory
    view = find_work_ram(memory)
    assert view is not None  # else PyBoy has changed: reading takes 30 times as long
    memory[0xC123] = 0x42
    memory[0xDFFF] = 0x43
    assert (view[0x123], view[0x1FFF]) == (0x42, 0x43)
    assert bedroom.ram().span(0xC000, 0x2000) == bedroom.read(0xC000, 0x2000)


def test_without_that_piece_everything_reads_the_same(
    demo: Cartridge, switch_on: SwitchOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = switch_on(demo)
    monkeypatch.setattr("emulator.pyboy_console.find_work_ram", lambda memory: None)
    slow = switch_on(demo)
    for console in (quick, slow):
        console.perform(Step(Button.A, 100, 30))
    assert quick.ram() == slow.ram()
    assert quick.full_digest() == slow.full_digest()


def test_memory_that_is_not_pyboys_has_no_such_piece() -> None:
    assert find_work_ram(dict.fromkeys(range(0x10000), 0)) is None
