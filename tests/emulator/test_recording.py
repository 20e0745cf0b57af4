"""Recordings: exact, resumable, and protected against edits."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator import (
    Button,
    Cartridge,
    ConsoleError,
    DivergenceKind,
    Link,
    PyBoyConsole,
    RecordingConsole,
    Step,
    StepRecord,
    first_divergence,
    pack,
    unpack,
    verify_chain,
)
from emulator.recording import FULL_DIGEST_EVERY, MAX_STEP_FRAMES, first_link, next_chain

Record: TypeAlias = Callable[[Cartridge, tuple[Step, ...]], tuple[StepRecord, ...]]
SwitchOn: TypeAlias = Callable[[Cartridge], PyBoyConsole]

WALK: Final = tuple(
    Step(button, 8, 8)
    for button in (Button.RIGHT, Button.UP, Button.LEFT, Button.DOWN, Button.UP) * 8
)

OTHER_STEP: Final = {"step": Step(Button.SELECT, 8, 8)}


@pytest.fixture(scope="module")
def steps(bedroom_steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return (*bedroom_steps, *WALK)


@pytest.fixture(scope="module")
def records(demo: Cartridge, steps: tuple[Step, ...], record: Record) -> list[StepRecord]:
    return list(record(demo, steps))


def rechained(records: Sequence[StepRecord], cartridge: Cartridge) -> list[StepRecord]:
    """Return `records` with a chain that matches their edits."""
    chain, linked = first_link(cartridge.sha1).chain, []
    for each in records:
        chain = next_chain(chain, each)
        linked.append(replace(each, chain=chain))
    return linked


def edited(records: list[StepRecord], tick: int, changes: dict[str, Any]) -> list[StepRecord]:
    return [replace(each, **changes) if each.tick == tick else each for each in records]


def diverges(console: PyBoyConsole, records: Sequence[StepRecord]) -> tuple[int, DivergenceKind]:
    found = first_divergence(console, records)
    assert found is not None
    assert str(found).startswith(f"tick {found.tick}: {found.kind}: ")
    return found.tick, found.kind


def test_a_record_holds_the_step_and_the_digests_after_it(
    records: list[StepRecord], steps: tuple[Step, ...]
) -> None:
    assert [each.tick for each in records] == list(range(1, len(steps) + 1))
    assert [each.step for each in records] == list(steps)
    assert records[-1].frame == sum(step.frames for step in steps)
    with_full = [each.tick for each in records if each.full_digest is not None]
    assert with_full == list(range(FULL_DIGEST_EVERY, len(steps) + 1, FULL_DIGEST_EVERY))
    in_play = [each.digest for each in records[10:]]
    assert len(set(in_play)) == len(in_play)


def test_a_recording_replays_without_divergence(
    records: list[StepRecord], demo: Cartridge, switch_on: SwitchOn
) -> None:
    assert verify_chain(records, demo.sha1) is None
    assert first_divergence(switch_on(demo), records) is None


@pytest.mark.parametrize("tick", [1, 50, 100])
def test_a_flipped_input_is_reported_at_its_tick(
    tick: int, records: list[StepRecord], demo: Cartridge
) -> None:
    assert verify_chain(edited(records, tick, OTHER_STEP), demo.sha1) == tick


def test_a_flipped_input_is_detected_even_when_the_chain_is_forged(
    records: list[StepRecord], demo: Cartridge, switch_on: SwitchOn
) -> None:
    forged = rechained(edited(records, 90, OTHER_STEP), demo)
    assert diverges(switch_on(demo), forged) == (90, DivergenceKind.DIGEST)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"frame": 12}, DivergenceKind.FRAME),
        ({"digest": bytes(16)}, DivergenceKind.DIGEST),
        ({"full_digest": bytes(16)}, DivergenceKind.FULL_DIGEST),
        ({"step": Step(Button.RIGHT, 8, 9)}, DivergenceKind.FRAME),
    ],
)
def test_a_forged_record_diverges_from_the_console_at_its_tick(
    changes: dict[str, Any],
    kind: DivergenceKind,
    records: list[StepRecord],
    demo: Cartridge,
    switch_on: SwitchOn,
) -> None:
    assert diverges(switch_on(demo), rechained(edited(records, 70, changes), demo)) == (70, kind)


def test_a_missing_record_breaks_the_chain(records: list[StepRecord], demo: Cartridge) -> None:
    assert verify_chain(records[:30] + records[31:], demo.sha1) == 32
    assert verify_chain(records[1:], demo.sha1) == 2


def test_a_recording_belongs_to_its_cartridge(records: list[StepRecord]) -> None:
    assert verify_chain(records, "00" * 20) == 1


@settings(max_examples=60)
@given(
    at=st.integers(0, 9),
    changes=st.one_of(
        st.fixed_dictionaries({"tick": st.integers(0, 2**64 - 1)}),
        st.fixed_dictionaries({"frame": st.integers(0, 2**64 - 1)}),
        st.fixed_dictionaries({"digest": st.binary(min_size=16, max_size=16)}),
        st.fixed_dictionaries({"full_digest": st.none() | st.binary(min_size=16, max_size=16)}),
        st.fixed_dictionaries({"chain": st.binary(min_size=16, max_size=16)}),
        st.builds(
            lambda button, hold, settle: {"step": Step(button, hold, settle)},
            st.sampled_from(Button),
            st.integers(1, 2**32 - 1),
            st.integers(0, 2**32 - 1),
        ),
    ),
)
def test_any_edit_breaks_the_chain_at_its_record(at: int, changes: dict[str, Any]) -> None:
    link = first_link("ab" * 20)
    records: list[StepRecord] = []
    for tick in range(1, 11):
        bare = StepRecord(tick, Step(Button.A, 1, tick), 9 * tick, bytes([tick] * 16), None, b"")
        link = Link(tick, next_chain(link.chain, bare))
        records.append(replace(bare, chain=link.chain))
    forged = records.copy()
    forged[at] = replace(records[at], **changes)
    broken = verify_chain(forged, "ab" * 20)
    assert broken == (None if forged == records else forged[at].tick)


def test_a_recording_console_restores_its_position_with_a_loaded_state(
    steps: tuple[Step, ...], records: list[StepRecord], demo: Cartridge, switch_on: SwitchOn
) -> None:
    live: list[StepRecord] = []
    console = RecordingConsole(switch_on(demo), live.append)
    for step in steps[:70]:
        console.perform(step)
    state, link = console.save(), console.link
    for button in (Button.B, Button.START):
        console.perform(Step(button, 4, 4))
    assert console.link.tick == 72
    console.load(state)
    assert console.link == link == (70, records[69].chain)
    del live[70:]  # the dead branch
    for step in steps[70:]:
        console.perform(step)
    assert live == records


def test_a_recording_continues_in_another_session(
    steps: tuple[Step, ...], records: list[StepRecord], demo: Cartridge, switch_on: SwitchOn
) -> None:
    live: list[StepRecord] = []
    first = RecordingConsole(switch_on(demo), live.append)
    for step in steps[:80]:
        first.perform(step)
    second = RecordingConsole(switch_on(demo), live.append, start=first.link)
    second.load(first.save())
    for step in steps[80:]:
        second.perform(step)
    assert live == records
    console = switch_on(demo)
    console.load(first.save())
    assert first_divergence(console, live[80:]) is None


def test_a_recording_console_refuses_a_foreign_state_after_its_first_step(
    demo: Cartridge, switch_on: SwitchOn
) -> None:
    elsewhere = switch_on(demo)
    elsewhere.perform(Step(None, 0, 5))
    console = RecordingConsole(switch_on(demo), lambda record: None)
    console.perform(Step(None, 0, 7))
    with pytest.raises(ConsoleError, match="frame 5 is not part of this recording"):
        console.load(elsewhere.save())


STEPS = (
    Step(Button.RIGHT, 7, 9),
    Step(Button.DOWN, 6, 0),  # stays down
    Step(Button.DOWN, 5, 3),
    Step(None, 0, 61),
    Step(Button.A, 1, 1),
)


@pytest.mark.parametrize("every", [1, 4, 7, 100])
def test_filming_gives_the_same_digests_as_performing(
    every: int, demo: Cartridge, bedroom_steps: tuple[Step, ...], switch_on: SwitchOn
) -> None:
    filmed, performed = switch_on(demo), switch_on(demo)
    for step in bedroom_steps[-20:] + STEPS:
        list(filmed.film(step, every))
        performed.perform(step)
        assert (filmed.frame, filmed.full_digest()) == (performed.frame, performed.full_digest())


def test_a_film_yields_each_due_frame_unchanged(
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


def test_packing_and_unpacking_a_recording_is_lossless(
    demo: Cartridge, bedroom_steps: tuple[Step, ...], record: Record
) -> None:
    records = list(record(demo, bedroom_steps))
    assert list(unpack(pack(records), demo.sha1)) == records


@pytest.mark.parametrize(
    ("at", "byte"),
    [(0, 2), (8, 9), (9, 0xFF), (13, 0xFF), (17, 0xFF), (41, 1)],
    ids=["tick", "button", "hold", "settle", "frame", "a full digest that is not there"],
)
def test_bytes_that_are_not_a_recording_are_refused(
    at: int, byte: int, demo: Cartridge, record: Record
) -> None:
    packed = bytearray(pack(record(demo, STEPS[:1])))
    packed[at] = byte
    with pytest.raises(ValueError, match=r"tick 1 is out of order|is invalid"):
        list(unpack(bytes(packed), demo.sha1))


def test_a_step_longer_than_the_limit_is_refused(demo: Cartridge) -> None:
    endless = Step(None, 0, MAX_STEP_FRAMES + 1)
    packed = pack([StepRecord(1, endless, endless.frames, bytes(16), None, b"")])
    with pytest.raises(ValueError, match="longer than any step"):
        list(unpack(packed, demo.sha1))
