"""A saved moment as bytes: our header, and the emulator's own state behind it.

The header names everything that must agree before PyBoy may see its bytes, since PyBoy itself
takes any and fails, or worse plays on, with a wrong one.
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
FASTEST: Final = 1  # zlib level: the bytes are mostly blank pictures and shrink to a tenth anyway


@dataclass(frozen=True, slots=True)
class SavedState:
    """A moment: whose it is, when it is, which button is down, and the emulator's bytes."""

    emulator: str
    cartridge_sha1: str
    frame: int
    held: Button | None
    payload: bytes


class StateOrigin(NamedTuple):
    """Where a state comes from: the emulator that made it, the cartridge it is of, and its frame."""

    emulator: str
    cartridge_sha1: str
    frame: int


def encode_state(state: SavedState) -> bytes:
    """Return `state` as bytes that `decode_state` takes back."""
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
    """Return the moment in `data` if this emulator with this cartridge can go on from it."""
    header = _header(data)
    made_by, sha1, frame = header.origin
    if made_by != emulator:
        message = f"the state was saved by {made_by}, this is {emulator}; install {made_by}"
        raise StateError(message)
    if sha1 != cartridge_sha1:
        message = f"the state belongs to cartridge {sha1}, not {cartridge_sha1}; use that one"
        raise StateError(message)
    payload = zlib.decompress(data[PAYLOAD:])
    return SavedState(made_by, sha1, frame, BUTTONS[header.held], payload)


def state_origin(data: bytes) -> StateOrigin:
    """Return where an undamaged state comes from, or raise a StateError."""
    return _header(data).origin


def state_name(data: bytes) -> bytes:
    """Return what tells one undamaged state from any other: its checksum."""
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
        """Where it comes from."""
        made_by = self.made_by.rstrip(b"\0").decode(errors="replace")
        return StateOrigin(made_by, self.sha1.hex(), self.frame)


def _header(data: bytes) -> _Header:
    if not data.startswith(MAGIC):
        raise StateError("not a saved state of ours; pass bytes that save() returned")
    if len(data) < PAYLOAD:
        raise StateError("the saved state is cut short; restore an older checkpoint")
    header = _Header(*HEADER.unpack_from(data))
    if header.version != FORMAT:
        found = header.version
        message = f"the state has format {found}, we read {FORMAT}; use the release that saved it"
        raise StateError(message)
    packed, check = data[PAYLOAD:], data[HEADER.size : PAYLOAD]
    if len(packed) != header.size or hashed(data[: HEADER.size] + packed) != check:
        raise StateError("the saved state is cut short or damaged; restore an older checkpoint")
    return header
