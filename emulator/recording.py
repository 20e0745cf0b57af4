"""Recordings of play: the steps, digests of their effects, and a hash chain that reveals edits.

A record holds a step and the digests after it. `RecordingConsole` wraps a console and makes records.
"""

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from emulator.console import DIGEST_SIZE, Button, Console, Step, hashed
from emulator.errors import ConsoleError, Divergence, DivergenceKind
from emulator.savestate import state_checksum, state_origin

FULL_DIGEST_EVERY: Final = 100  # ticks
BUTTONS: Final = (None, *Button)
# tick, button, hold, settle, frame, digest, whether a full digest follows
RECORD: Final = struct.Struct(f"<QBIIQ{DIGEST_SIZE}s?")


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One tick: the step performed, the digests after it, and the chain hash up to it."""

    tick: int
    step: Step
    frame: int
    digest: bytes
    full_digest: bytes | None
    chain: bytes


class Link(NamedTuple):
    """A position in a recording: its last tick and the chain hash up to it."""

    tick: int
    chain: bytes


def first_link(cartridge_sha1: str) -> Link:
    """Return the position at which every recording of a cartridge begins, power-on."""
    return Link(0, hashed(bytes.fromhex(cartridge_sha1)))


def next_chain(chain: bytes, record: StepRecord) -> bytes:
    """Return the chain hash up to and including `record`; the field `record.chain` is ignored."""
    return hashed(chain + canonical(record))


def canonical(record: StepRecord) -> bytes:
    """Return the bytes of `record` that the chain covers: everything but its chain."""
    return _pack(record.tick, record.step, record.frame, record.digest, record.full_digest)


def _pack(tick: int, step: Step, frame: int, digest: bytes, full: bytes | None) -> bytes:
    button = BUTTONS.index(step.button)
    head = RECORD.pack(tick, button, step.hold, step.settle, frame, digest, full is not None)
    return head + full if full else head


class ConsoleWrapper:
    """A console that delegates everything but time to the wrapped console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.cartridge = console.cartridge
        self.ram = console.ram
        self.read = console.read
        self.screen = console.screen
        self.digest = console.digest
        self.full_digest = console.full_digest
        self.close = console.close

    @property
    def frame(self) -> int:
        """Frames since power-on."""
        return self._console.frame


class RecordingConsole(ConsoleWrapper):
    """A console that turns every step into a StepRecord and passes it to `sink`.

    `start` is the position of the recording when the wrapped console is not at power-on.
    Loading a state that this object saved restores the recording position of that state, too.
    """

    def __init__(
        self, console: Console, sink: Callable[[StepRecord], object], *, start: Link | None = None
    ) -> None:
        super().__init__(console)
        self._sink = sink
        self.link = start or first_link(console.cartridge.sha1)  # the position in the recording
        self._start: Link | None = self.link
        self._saved: dict[bytes, Link] = {}

    def perform(self, step: Step, *, render: bool = False) -> None:
        """Perform `step` and pass its record to the sink."""
        console, tick = self._console, self.link.tick + 1
        console.perform(step, render=render)
        full = console.full_digest() if tick % FULL_DIGEST_EVERY == 0 else None
        frame, digest = console.frame, console.digest()
        chain = hashed(self.link.chain + _pack(tick, step, frame, digest, full))
        self.link = Link(tick, chain)
        self._start = None
        self._sink(StepRecord(tick, step, frame, digest, full, chain))

    def save(self) -> bytes:
        """Return the current state as bytes and store the recording position for it."""
        state = self._console.save()
        self._saved[state_checksum(state)] = self.link
        return state

    def load(self, state: bytes) -> None:
        """Restore a state that `save` returned, with its position in the recording.

        Before the first step, any other state is accepted as the start.
        """
        link = self._saved.get(state_checksum(state), self._start)
        if link is None:
            frame = state_origin(state).frame
            message = f"the state of frame {frame} is not part of this recording; start a new one"
            raise ConsoleError(message)
        self._console.load(state)
        self.link = link


def mismatch(console: Console, record: StepRecord) -> Divergence | None:
    """Return how a console differs from `record` after its step, or None."""
    seen: list[tuple[DivergenceKind, object, object]] = [
        (DivergenceKind.FRAME, console.frame, record.frame),
        (DivergenceKind.DIGEST, console.digest().hex(), record.digest.hex()),
    ]
    if record.full_digest is not None:
        full = console.full_digest().hex()
        seen.append((DivergenceKind.FULL_DIGEST, full, record.full_digest.hex()))
    for kind, here, recorded in seen:
        if here != recorded:
            return Divergence(record.tick, kind, f"{here} here, {recorded} recorded")
    return None


def verify_chain(records: Iterable[StepRecord], cartridge_sha1: str) -> int | None:
    """Return the first tick with a broken chain link, or None when no record was edited."""
    link = first_link(cartridge_sha1)
    for record in records:
        chain = next_chain(link.chain, record)
        if record.tick != link.tick + 1 or record.chain != chain:
            return record.tick
        link = Link(record.tick, chain)
    return None


def first_divergence(console: Console, records: Iterable[StepRecord]) -> Divergence | None:
    """Return the first tick at which a console contradicts the records of its next steps, which are read once."""
    for record in records:
        console.perform(record.step)
        if differs := mismatch(console, record):
            return differs
    return None


MAX_RECORD_SIZE: Final = RECORD.size + DIGEST_SIZE  # maximum size of a record in bytes
MAX_STEP_FRAMES: Final = 0x10000  # per step, eighteen minutes; no step of play is longer


def pack(records: Iterable[StepRecord]) -> bytes:
    """Return records that begin at power-on as bytes."""
    return b"".join(map(canonical, records))


def unpack(data: bytes, cartridge_sha1: str) -> Iterator[StepRecord]:
    """Yield the records in packed bytes, which may come from anywhere, with the chain recomputed.

    Raise ValueError when the bytes are not a recording: truncated, out of order, or with an invalid step.
    """
    tick, frame, chain, at = 0, 0, first_link(cartridge_sha1).chain, 0
    while at < len(data):
        record = _record(data, at)
        tick, frame = tick + 1, frame + record.step.frames
        if (record.tick, record.frame) != (tick, frame) or record.step.frames > MAX_STEP_FRAMES:
            raise ValueError(f"tick {tick} is out of order, or longer than any step")
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
        raise ValueError(f"the record at byte {at} is invalid ({error})") from error
    return StepRecord(tick, step, frame, digest, full, b"")
