"""Saved states as bytes: a header of this project, followed by the emulator's own state.

The header holds everything that must match before PyBoy may load the state. PyBoy itself accepts
any state; with a wrong one it fails or, worse, continues to play.
"""

import struct
import zlib
from dataclasses import dataclass
from typing import Final, NamedTuple

from emulator.console import DIGEST_SIZE, Button, hashed
from emulator.errors import StateError

MAGIC: Final = b"REDSTATE"
FORMAT: Final = 1
# magic, format, emulator version, cartridge SHA-1, frame, button held, payload size
HEADER: Final = struct.Struct("<8sH16s20sQBI")
PAYLOAD: Final = HEADER.size + DIGEST_SIZE
BUTTONS: Final = (None, *Button)
MOST_BYTES: Final = 1 << 22  # of a state, which has a quarter of a million
CORRUPT: Final = "the saved state is cut short or corrupt; restore an older checkpoint"
FASTEST: Final = 1  # zlib level: most bytes are blank pictures and shrink to a tenth anyway


@dataclass(frozen=True, slots=True)
class SavedState:
    """A saved moment: its emulator, cartridge, frame, pressed button, and the emulator's bytes."""

    emulator: str
    cartridge_sha1: str
    frame: int
    held: Button | None
    payload: bytes


class StateOrigin(NamedTuple):
    """The emulator that made a state, its cartridge, and its frame."""

    emulator: str
    cartridge_sha1: str
    frame: int


def encode_state(state: SavedState) -> bytes:
    """Return `state` as bytes that `decode_state` accepts."""
    packed = zlib.compress(state.payload, FASTEST)
    header = HEADER.pack(
        MAGIC,
        FORMAT,
        state.emulator.encode(),
        bytes.fromhex(state.cartridge_sha1),
        state.frame,
        BUTTONS.index(state.held),
        len(packed),
    )
    return header + hashed(header + packed) + packed


def decode_state(data: bytes, *, emulator: str, cartridge_sha1: str) -> SavedState:
    """Return the state in `data`, or raise a StateError when it does not fit this emulator and cartridge."""
    header = _header(data)
    made_by, sha1, frame = header.origin
    if made_by != emulator:
        raise StateError(f"the state was saved by {made_by}, this is {emulator}; install {made_by}")
    if sha1 != cartridge_sha1:
        message = f"the state belongs to cartridge {sha1}, not {cartridge_sha1}; use that one"
        raise StateError(message)
    try:
        unpacked = zlib.decompressobj()
        payload = unpacked.decompress(data[PAYLOAD:], MOST_BYTES)
        held = BUTTONS[header.held]
    except (zlib.error, IndexError) as error:
        raise StateError(CORRUPT) from error
    if not unpacked.eof:
        raise StateError(CORRUPT)
    return SavedState(made_by, sha1, frame, held, payload)


def state_origin(data: bytes) -> StateOrigin:
    """Return the origin of an intact state, or raise a StateError."""
    return _header(data).origin


def state_checksum(data: bytes) -> bytes:
    """Return the checksum that identifies an intact state."""
    _header(data)
    return data[HEADER.size : PAYLOAD]


class _Header(NamedTuple):
    magic: bytes
    version: int
    made_by: bytes
    sha1: bytes
    frame: int
    held: int
    size: int

    @property
    def origin(self) -> StateOrigin:
        """The origin named in the header."""
        made_by = self.made_by.rstrip(b"\0").decode(errors="replace")
        return StateOrigin(made_by, self.sha1.hex(), self.frame)


def _header(data: bytes) -> _Header:
    if not data.startswith(MAGIC):
        raise StateError("not a saved state of this program; pass bytes that save() returned")
    if len(data) < PAYLOAD:
        raise StateError("the saved state is cut short; restore an older checkpoint")
    header = _Header(*HEADER.unpack_from(data))
    if header.version != FORMAT:
        found = header.version
        message = f"the state has format {found}, not {FORMAT}; use the release that saved it"
        raise StateError(message)
    packed, check = data[PAYLOAD:], data[HEADER.size : PAYLOAD]
    if len(packed) != header.size or hashed(data[: HEADER.size] + packed) != check:
        raise StateError(CORRUPT)
    return header
