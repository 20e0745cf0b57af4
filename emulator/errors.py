"""Everything this package raises on purpose.

::

    EmulatorError             the machine, or what is in its slot, cannot serve
    ├── CartridgeError        the file is no cartridge that we play
    ├── ProfileError          the profile of the game has nothing under that label
    ├── StateError            the bytes are no state that this console can take
    ├── ConsoleError          the console was asked for what it cannot do
    ├── ReadingError          a reader of pictures broke down
    └── Divergence            a recording and the machine disagree, at a named tick
"""

from enum import StrEnum


class EmulatorError(Exception):
    """The machine, or what is in its slot, cannot serve; the message says what to do."""


class CartridgeError(EmulatorError):
    """The file is no cartridge that we play."""


class ProfileError(EmulatorError):
    """The profile of the game has nothing under that label."""


class StateError(EmulatorError):
    """The bytes are no state that this console can take."""


class ConsoleError(EmulatorError):
    """The console was asked for what it cannot do."""


class ReadingError(EmulatorError):
    """A reader of pictures broke down; the picture may be as good as any."""


class DivergenceKind(StrEnum):
    """What differed first between a recording and the machine."""

    STEP = "step"
    FRAME = "frame"
    DIGEST = "digest"
    FULL_DIGEST = "full digest"
    CHECKPOINT = "checkpoint"  # RAM that no digest before it covers
    EDITED = "edited record"


class Divergence(EmulatorError):
    """A recording and the machine disagree at `tick`."""

    def __init__(self, tick: int, kind: DivergenceKind, detail: str) -> None:
        super().__init__(f"tick {tick}: {kind}: {detail}")
        self.tick = tick
        self.kind = kind
        self.detail = detail
