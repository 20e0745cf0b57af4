"""The contract of Console, checked on every implementation."""

import hashlib
import io
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from pyboy import PyBoy

from emulator import (
    EMULATOR,
    Button,
    Cartridge,
    Console,
    ConsoleError,
    PyBoyConsole,
    StateError,
    Step,
    load_cartridge,
    pyboy_console,
)
from emulator.console import DIGEST_RANGES, WATCHED_RANGES
from emulator.pyboy_console import find_work_ram
from emulator.savestate import SavedState, encode_state

MakeConsole: TypeAlias = Callable[[Cartridge], Console]
Moment: TypeAlias = tuple[int, bytes, bytes]

ROOT: Final = Path(__file__).resolve().parents[2]
BOOT: Final = Step(None, 0, 80)  # longer than the boot ROM's logo
INTO_THE_GAME: Final = (BOOT, *[Step(Button.A, 4, 12)] * 12)
# A moment with a button down, after a step without settling, is the hardest to save.
STILL_DOWN: Final = Step(Button.DOWN, 6, 0)
AND_ON: Final = (
    Step(Button.DOWN, 6, 2),
    Step(Button.B, 3, 5),
    *[Step(Button.A, 2, 9)] * 6,
    Step(None, 0, 30),
)
ALL: Final = (*INTO_THE_GAME, STILL_DOWN, *AND_ON)

RESUME_SCRIPT: Final = """
import sys
from pathlib import Path
from emulator import Button, PyBoyConsole, Step, load_cartridge
rom, state, *steps = sys.argv[1:]
console = PyBoyConsole(load_cartridge(rom))
console.load(Path(state).read_bytes())
for step in steps:
    button, hold, settle = step.split(",")
    console.perform(Step(Button(button) if button else None, int(hold), int(settle)))
    print(console.frame, console.digest().hex(), console.full_digest().hex())
"""


def play(console: Console, steps: Sequence[Step]) -> list[Moment]:
    moments = []
    for step in steps:
        console.perform(step)
        moments.append((console.frame, console.digest(), console.full_digest()))
    return moments


def play_in_a_fresh_process(rom: Path, state: Path, steps: Sequence[Step]) -> list[Moment]:
    words = [
        f"{step.button.value if step.button else ''},{step.hold},{step.settle}" for step in steps
    ]
    command = [sys.executable, "-W", "ignore", "-c", RESUME_SCRIPT, str(rom), str(state), *words]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    lines = [line.split() for line in run.stdout.splitlines()]
    return [(int(frame), bytes.fromhex(part), bytes.fromhex(full)) for frame, part, full in lines]


def test_same_steps_from_power_on_give_the_same_game_and_only_they_advance_time(
    make_console: MakeConsole, demo: Cartridge
) -> None:
    moments = play(make_console(demo), ALL)
    assert moments == play(make_console(demo), ALL)
    frames = [sum(step.frames for step in ALL[: n + 1]) for n in range(len(ALL))]
    assert [frame for frame, _, _ in moments] == frames


def test_restoring_is_exact_in_the_same_and_in_a_fresh_console(
    make_console: MakeConsole, demo: Cartridge
) -> None:
    console, fresh = make_console(demo), make_console(demo)
    play(console, (*INTO_THE_GAME, STILL_DOWN))
    state, before = console.save(), (console.frame, console.full_digest())
    went_on = play(console, AND_ON)
    for each in (console, fresh):
        each.load(state)
        assert (each.frame, each.full_digest()) == before
        assert play(each, AND_ON) == went_on


@pytest.mark.usefixtures("new_interpreters")
def test_restoring_is_exact_in_a_fresh_process(
    switch_on: "SwitchOn", demo: Cartridge, tmp_path: Path
) -> None:
    console = switch_on(demo)
    play(console, (*INTO_THE_GAME, STILL_DOWN))
    rom, state = tmp_path / "demo.gb", tmp_path / "moment"
    rom.write_bytes(demo.rom)
    state.write_bytes(console.save())
    assert play_in_a_fresh_process(rom, state, AND_ON) == play(console, AND_ON)


def test_saving_changes_nothing(make_console: MakeConsole, demo: Cartridge) -> None:
    steps = (BOOT, Step(Button.A, 4, 12), STILL_DOWN, *AND_ON[:3])
    console, other = make_console(demo), make_console(demo)
    for step in steps:
        console.perform(step)
        console.save()
        other.perform(step)
        assert console.full_digest() == other.full_digest()


def test_reading_does_not_change_the_game(make_console: MakeConsole, demo: Cartridge) -> None:
    console, other = make_console(demo), make_console(demo)
    for step in ALL:
        console.perform(step, render=True)
        before = console.full_digest()
        assert console.screen() == console.screen()
        console.ram()
        console.read(0x8000, 0x100)
        assert console.full_digest() == before
        other.perform(step)
        assert other.full_digest() == before


def test_only_a_moment_that_was_drawn_has_a_picture(
    make_console: MakeConsole, demo: Cartridge
) -> None:
    console = make_console(demo)
    with pytest.raises(ConsoleError, match="was not drawn"):
        console.screen()
    console.perform(ALL[0], render=True)
    state = console.save()
    assert console.screen().shades.shape == (144, 160)
    console.perform(ALL[1])
    with pytest.raises(ConsoleError, match="was not drawn"):
        console.screen()
    console.load(state)
    with pytest.raises(ConsoleError, match="was not drawn"):
        console.screen()


def test_a_picture_has_four_shades_and_is_a_png(bedroom: PyBoyConsole) -> None:
    assert bedroom.screen().shades.max() == 3
    assert bedroom.screen().png().startswith(b"\x89PNG")


def test_ram_is_read_once_per_step_and_equals_read(
    make_console: MakeConsole, demo: Cartridge
) -> None:
    console = make_console(demo)
    play(console, INTO_THE_GAME)
    ram = console.ram()
    assert console.ram() is ram
    assert ram.windows == tuple((at, console.read(at, len(data))) for at, data in ram.windows)
    console.perform(STILL_DOWN)
    assert console.ram() is not ram


def test_an_address_that_is_not_watched_is_refused(
    make_console: MakeConsole, demo: Cartridge
) -> None:
    ram = make_console(demo).ram()
    with pytest.raises(ConsoleError, match=r"0x8000.*console\.read"):
        ram.byte(0x8000)
    with pytest.raises(ConsoleError, match="0xdfff"):
        ram.span(0xDFFF, 2)


def test_digests_cover_their_documented_ranges(make_console: MakeConsole, demo: Cartridge) -> None:
    console = make_console(demo)
    play(console, INTO_THE_GAME)
    watched = b"".join(console.read(*each) for each in DIGEST_RANGES)
    everything = console.read(0xC000, 0x2000) + console.read(0xFF80, 0x7F)
    assert console.digest() == hashlib.blake2b(watched, digest_size=16).digest()
    assert console.full_digest() == hashlib.blake2b(everything, digest_size=16).digest()


def test_digest_ranges_are_small_and_watched() -> None:
    assert sum(size for _, size in DIGEST_RANGES) <= 1024
    for start, size in DIGEST_RANGES:
        assert any(at <= start and start + size <= at + n for at, n in WATCHED_RANGES)


PRESSES: Final = (
    BOOT,
    Step(Button.A, 3, 5),
    Step(Button.LEFT, 1, 1),
    Step(Button.DOWN, 4, 0),
    Step(Button.DOWN, 4, 2),  # one long press with the step before
    Step(Button.UP, 2, 0),
    Step(Button.SELECT, 5, 1),  # the next button releases the last one
    Step(None, 0, 7),
    *[Step(button, 2, 3) for button in Button],
)
PAD_BITS: Final = {
    Button.A: 1,
    Button.B: 2,
    Button.SELECT: 4,
    Button.START: 8,
    Button.RIGHT: 16,
    Button.LEFT: 32,
    Button.UP: 64,
    Button.DOWN: 128,
}


def test_buttons_are_down_for_exactly_the_frames_of_their_hold(
    make_console: MakeConsole, tiny: Callable[..., Cartridge]
) -> None:
    console = make_console(tiny())
    play(console, PRESSES)
    seen = console.read(0xC100, console.read(0xC000, 1)[0])
    held = b"".join(
        bytes([PAD_BITS[step.button] if step.button else 0]) * step.hold + bytes(step.settle)
        for step in PRESSES[1:]
    )
    assert held.rstrip(b"\0") in seen
    assert seen.count(0) == len(seen) - len(held.replace(b"\0", b""))


def test_an_invalid_state_is_refused(make_console: MakeConsole, demo: Cartridge) -> None:
    console = make_console(demo)
    play(console, (BOOT,))
    state = console.save()
    bad = {
        "not a saved state": [b"", b"anything", state[1:]],
        "cut short": [state[:20], state[:-1], state + b"\0"],
        "corrupt": [flipped(state, at) for at in (len(state) - 1, 60, 80)],
        "format": [flipped(state, 8)],
    }
    before = console.full_digest()
    for reason, states in bad.items():
        for each in states:
            with pytest.raises(StateError, match=reason):
                console.load(each)
    assert console.full_digest() == before


def flipped(state: bytes, at: int) -> bytes:
    return state[:at] + bytes([state[at] ^ 1]) + state[at + 1 :]


def test_a_state_of_another_cartridge_is_refused(
    make_console: MakeConsole, demo: Cartridge, tiny: Callable[..., Cartridge]
) -> None:
    other = PyBoyConsole(tiny())
    with pytest.raises(StateError, match=f"belongs to cartridge {other.cartridge.sha1}"):
        make_console(demo).load(other.save())
    other.close()


def test_a_state_of_another_emulator_is_refused(make_console: MakeConsole, demo: Cartridge) -> None:
    state = encode_state(SavedState("PyBoy 2.7.0", demo.sha1, 80, None, b"anything"))
    with pytest.raises(StateError, match=r"saved by PyBoy 2\.7\.0.*install PyBoy 2\.7\.0"):
        make_console(demo).load(state)


@pytest.mark.parametrize("payload", [b"", b"anything", bytes(1_000), bytes(1 << 25)])
def test_a_state_that_the_emulator_did_not_write_is_refused(
    payload: bytes, switch_on: "SwitchOn", demo: Cartridge
) -> None:
    state = encode_state(SavedState(EMULATOR, demo.sha1, 80, None, payload))
    with pytest.raises(StateError, match="corrupt; restore an older checkpoint"):
        switch_on(demo).load(state)


@pytest.mark.parametrize("program", ["D3", "FB ED", "F3 76 00 E3", "AF E040 FC"])
def test_a_frame_that_never_ends_is_an_error(
    program: str,
    switch_on: "SwitchOn",
    tiny: Callable[..., Cartridge],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pyboy_console, "STUCK_AFTER_S", 0.1)
    monkeypatch.setattr(pyboy_console, "SLOWEST", 1000)
    console = switch_on(tiny(bytes.fromhex(program)))
    if program.startswith("F3"):  # the processor waits for ever, and frames pass
        console.perform(BOOT)
        assert console.frame == BOOT.frames
        return
    for _ in range(2):
        with pytest.raises(ConsoleError, match="invalid instruction, at address 0x015"):
            console.perform(BOOT)


def test_nothing_is_written_beside_the_rom(
    make_console: MakeConsole, demo: Cartridge, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rom = tmp_path / "slot" / "game.gb"
    rom.parent.mkdir()
    rom.write_bytes(demo.rom)
    # Files that other programs leave there would change power-on if they were loaded.
    rom.with_suffix(".gb.ram").write_bytes(b"\xff" * 0x8000)
    rom.parent.chmod(0o555)
    before = {path: path.read_bytes() for path in rom.parent.iterdir()}
    console = make_console(load_cartridge(rom))
    moments = play(console, ALL)
    console.load(console.save())
    console.close()
    rom.parent.chmod(0o755)
    assert {path: path.read_bytes() for path in rom.parent.iterdir()} == before
    assert moments == play(make_console(demo), ALL)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("button", "hold", "settle"),
    [(None, 0, 0), (Button.A, 0, 5), (None, 3, 2), (Button.A, -1, 5), (Button.A, 1, -1)],
)
def test_an_impossible_step_is_refused(button: Button | None, hold: int, settle: int) -> None:
    with pytest.raises(ValueError, match=r"a step lasts|a press needs"):
        Step(button, hold, settle)


SwitchOn = Callable[[Cartridge], PyBoyConsole]

# Latches the cartridge's clock every frame and adds its seconds at C100 (C101: last value).
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
    bedroom_steps: tuple[Step, ...], switch_on: SwitchOn, demo: Cartridge
) -> None:
    drawn = switch_on(demo)
    undrawn = PyBoy(
        io.BytesIO(demo.rom), window="null", sound_emulated=False, log_level=99, no_input=True
    )
    undrawn.set_emulation_speed(0)
    for step in bedroom_steps:
        drawn.perform(step, render=True)
        assert step.button is not None
        undrawn.button_press(step.button.value)
        undrawn.tick(step.hold, False, False)
        undrawn.button_release(step.button.value)
        undrawn.tick(step.settle, False, False)
    assert bytes(undrawn.memory[0xC000:0xE000]) == drawn.read(0xC000, 0x2000)
    assert bytes(undrawn.memory[0xFF80:0xFFFF]) == drawn.read(0xFF80, 0x7F)
    undrawn.stop(save=False)


def test_the_first_picture_of_a_console_is_not_shifted(
    bedroom: PyBoyConsole, demo: Cartridge, switch_on: SwitchOn
) -> None:
    bedroom.perform(Step(Button.START, 4, 30), render=True)
    fresh = switch_on(demo)
    fresh.load(bedroom.save())
    bedroom.perform(Step(Button.DOWN, 4, 16), render=True)
    fresh.perform(Step(Button.DOWN, 4, 16), render=True)
    assert (fresh.screen(), fresh.full_digest()) == (bedroom.screen(), bedroom.full_digest())


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
    assert (console.full_digest(), console.read(0xC100, 2)) == (fresh.full_digest(), b"\0\0")


def test_work_ram_at_power_on_is_always_the_same(demo: Cartridge, switch_on: SwitchOn) -> None:
    assert switch_on(demo).read(0xC000, 0x2000) == bytes(0x2000)


def test_a_press_reaches_the_game_in_its_first_frame(
    tiny: Callable[..., Cartridge], switch_on: SwitchOn
) -> None:
    console = switch_on(tiny())
    console.perform(Step(None, 0, 80))
    logged = console.read(0xC000, 1)[0]
    console.perform(Step(Button.START, 1, 1))
    assert console.read(0xC100 + logged, 2) == bytes([8, 0])


def test_the_work_ram_array_is_found_and_live(bedroom: PyBoyConsole) -> None:
    memory = PyBoy(io.BytesIO(bedroom.cartridge.rom), window="null", log_level=99).memory
    view = find_work_ram(memory)
    assert view is not None  # otherwise PyBoy has changed, and reading takes 30 times as long
    memory[0xC123] = 0x42
    memory[0xDFFF] = 0x43
    assert (view[0x123], view[0x1FFF]) == (0x42, 0x43)
    assert bedroom.ram().span(0xC000, 0x2000) == bedroom.read(0xC000, 0x2000)


def test_without_the_work_ram_array_all_reads_are_equal(
    demo: Cartridge, switch_on: SwitchOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = switch_on(demo)
    monkeypatch.setattr("emulator.pyboy_console.find_work_ram", lambda memory: None)
    slow = switch_on(demo)
    for console in (quick, slow):
        console.perform(Step(Button.A, 100, 30))
    assert (quick.ram(), quick.full_digest()) == (slow.ram(), slow.full_digest())


def test_no_work_ram_array_is_found_for_other_memory() -> None:
    assert find_work_ram(dict.fromkeys(range(0x10000), 0)) is None
