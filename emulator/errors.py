"""Every exception that this package raises on purpose.

::

    EmulatorError             the emulator or the cartridge cannot be used
    ├── CartridgeError        the file is not a supported cartridge
    ├── ProfileError          the game's profile does not have that label
    ├── StateError            the bytes are not a state that this console can load
    ├── ConsoleError          the console cannot do what was requested
    ├── ReadingError          a text reader failed
    └── Divergence            a recording and the emulator differ at a given tick
"""

from enum import StrEnum


class EmulatorError(Exception):
    """The emulator or the cartridge cannot be used; the message says what to do."""


class CartridgeError(EmulatorError):
    """The file is not a supported cartridge."""


class ProfileError(EmulatorError):
    """The game's profile does not have that label."""


class StateError(EmulatorError):
    """The bytes are not a state that this console can load."""


class ConsoleError(EmulatorError):
    """The console cannot do what was requested."""


class ReadingError(EmulatorError):
    """A text reader failed; the picture itself may be fine."""


class DivergenceKind(StrEnum):
    """What differs first between a recording and the emulator."""

    STEP = "step"
    FRAME = "frame"
    DIGEST = "digest"
    FULL_DIGEST = "full digest"
    CHECKPOINT = "checkpoint"  # RAM that no earlier digest covers
    EDITED = "edited record"


class Divergence(EmulatorError):
    """A recording and the emulator differ at `tick`."""

    def __init__(self, tick: int, kind: DivergenceKind, detail: str) -> None:
        super().__init__(f"tick {tick}: {kind}: {detail}")
        self.tick = tick
        self.kind = kind
        self.detail = detail
