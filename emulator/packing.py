"""A recording as bytes and back, each record as the chain covers it; the chain itself follows from them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from emulator.console import DIGEST_SIZE, Step
from emulator.recording import BUTTONS, RECORD, StepRecord, canonical, first_link, next_chain

MOST_PACKED: Final = RECORD.size + DIGEST_SIZE  # bytes that a record takes at most
MOST_FRAMES: Final = 0x10000  # of a step, eighteen minutes; nobody waits longer for the game


def pack(records: Iterable[StepRecord]) -> bytes:
    """Return records that begin at power-on as bytes."""
    return b"".join(map(canonical, records))


def unpack(data: bytes, cartridge_sha1: str) -> Iterator[StepRecord]:
    """Yield what was packed, with the chain made anew, from bytes that anybody may have written.

    Raises:
        ValueError: where they are no recording: cut short, out of order, or a step that is none.
    """
    tick, frame, chain, at = 0, 0, first_link(cartridge_sha1).chain, 0
    while at < len(data):
        record = _record(data, at)
        tick, frame = tick + 1, frame + record.step.frames
        if (record.tick, record.frame) != (tick, frame) or record.step.frames > MOST_FRAMES:
            message = f"tick {tick} is out of order, or longer than a step is"
            raise ValueError(message)
        chain = next_chain(chain, record)
        yield replace(record, chain=chain)
        at += RECORD.size + len(record.full_digest or b"")


def _record(data: bytes, at: int) -> StepRecord:
    try:
        tick, button, hold, settle, frame, digest, is_full = RECORD.unpack_from(data, at)
        full = data[at + RECORD.size :][:DIGEST_SIZE] if is_full else None
        if is_full and len(full or b"") < DIGEST_SIZE:
            raise IndexError("cut short")
        step = Step(BUTTONS[button], hold, settle)
    except (struct.error, IndexError) as error:
        message = f"the record at byte {at} is none ({error})"
        raise ValueError(message) from error
    return StepRecord(tick, step, frame, digest, full, b"")
