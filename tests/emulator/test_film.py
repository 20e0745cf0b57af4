"""A step that is drawn on its way leaves what a step leaves."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from emulator import Button, Cartridge, PyBoyConsole, Step, StepRecord, pack, unpack
from emulator.recording import MOST_FRAMES

SwitchOn: TypeAlias = Callable[[Cartridge], PyBoyConsole]
Record: TypeAlias = Callable[[Cartridge, Sequence[Step]], list[StepRecord]]
STEPS = (
    Step(Button.RIGHT, 7, 9),
    Step(Button.DOWN, 6, 0),  # stays down
    Step(Button.DOWN, 5, 3),
    Step(None, 0, 61),
    Step(Button.A, 1, 1),
)


@pytest.mark.parametrize("every", [1, 2, 4, 7, 100])
def test_filming_leaves_the_digests_of_performing(
    every: int, demo: Cartridge, bedroom_steps: tuple[Step, ...], switch_on: SwitchOn
) -> None:
    filmed, performed = switch_on(demo), switch_on(demo)
    for step in bedroom_steps[-20:] + STEPS:
        list(filmed.film(step, every))
        performed.perform(step)
        assert (filmed.frame, filmed.full_digest()) == (performed.frame, performed.full_digest())


def test_a_film_shows_each_frame_that_is_due_as_it_is(
    bedroom: PyBoyConsole, demo: Cartridge, switch_on: SwitchOn
) -> None:
    other = switch_on(demo)
    other.load(bedroom.save())
    start, seen = bedroom.frame, []
    for screen in bedroom.film(Step(Button.DOWN, 16, 20), 3):
        assert screen == bedroom.screen()
        seen.append((bedroom.frame, screen))
    assert [frame for frame, _ in seen] == [
        frame for frame in range(start + 1, start + 37) if frame % 3 == 0
    ]
    assert len({screen for _, screen in seen}) > 3
    frame, screen = seen[-1]
    other.perform(Step(Button.DOWN, 16, frame - start - 16), render=True)
    assert other.screen() == screen


def test_a_packed_recording_comes_back(
    demo: Cartridge,
    bedroom_steps: tuple[Step, ...],
    record: Record,
) -> None:
    records = record(demo, bedroom_steps * 2)
    assert list(unpack(pack(records), demo.sha1)) == records


@pytest.mark.parametrize(
    ("at", "byte"),
    [(0, 2), (8, 9), (9, 0xFF), (13, 0xFF), (17, 0xFF), (41, 1)],
    ids=["tick", "button", "hold", "settle", "frame", "a full digest that is not there"],
)
def test_bytes_that_are_no_recording_are_refused(
    at: int, byte: int, demo: Cartridge, record: Record
) -> None:
    packed = bytearray(pack(record(demo, STEPS[:1])))
    packed[at] = byte
    with pytest.raises(ValueError, match=r"tick 1 is out of order|is none"):
        list(unpack(bytes(packed), demo.sha1))


def test_a_step_without_end_is_refused(demo: Cartridge) -> None:
    endless = Step(None, 0, MOST_FRAMES + 1)
    packed = pack([StepRecord(1, endless, endless.frames, bytes(16), None, b"")])
    with pytest.raises(ValueError, match="longer than a step is"):
        list(unpack(packed, demo.sha1))
