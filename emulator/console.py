"""The port to a Game Boy: steps in, frozen values out.

Knows time, memory and pictures; knows nothing of the game but which addresses to watch.
"""

import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from emulator.cartridge import Cartridge
from emulator.profile import symbol
from emulator.ram.view import HIGH_RAM, WORK_RAM, Ram
from emulator.screen.picture import Screen

FRAMES_PER_SECOND: Final = 59.7275
DIGEST_SIZE: Final = 16

# What `Console.ram` holds: (address, size), ascending.
WATCHED_RANGES: Final = (
    WORK_RAM,
    (0xFF40, 12),  # rLCDC .. rWX, for fades
    HIGH_RAM,
)

# What practically any change in the game shows in at once; parts of WATCHED_RANGES.
DIGEST_RANGES: Final = (
    (symbol("wSpriteStateData1"), 96),  # sprites 0-5
    (symbol("wSpriteStateData2"), 96),
    (symbol("wTileMap"), 360),
    (symbol("wTopMenuItemY"), 0x34),  # menus
    (symbol("wSimulatedJoypadStatesIndex"), 0x34),  # scripted input, wJoyIgnore
    (symbol("wFontLoaded"), 109),  # font, walk counter, both battle mons
    (symbol("wPartyCount"), 56),  # party list and its first mon
    (symbol("wNumBagItems"), 77),  # bag, money, badges, map, position, tileset, size
    (symbol("wPlayerMovingDirection"), 3),  # where the player faces, moved and will move
    # The top of the stack shows inputs that nothing else has taken notice of yet.
    (symbol("wStack") - 47, 48),
    (symbol("hWY"), 74),  # pad, random state
)


class Button(Enum):
    """One button of the pad; its value is PyBoy's name for it."""

    A = "a"
    B = "b"
    SELECT = "select"
    START = "start"
    RIGHT = "right"
    LEFT = "left"
    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Step:
    """One input: `button` down for `hold` frames, then everything up for `settle` frames.

    A step without settling leaves its button down until the next step begins, so that the same
    button again is one long press. A wait is `Step(None, 0, frames)`.
    """

    button: Button | None
    hold: int
    settle: int

    def __post_init__(self) -> None:
        if self.hold < 0 or self.settle < 0 or self.frames < 1:
            message = f"a step takes at least one frame, not hold={self.hold} settle={self.settle}"
            raise ValueError(message)
        if (self.hold == 0) != (self.button is None):
            message = f"a button is held, a wait is not: button={self.button} hold={self.hold}"
            raise ValueError(message)

    @property
    def frames(self) -> int:
        """How long the step lasts."""
        return self.hold + self.settle


class Console(Protocol):
    """A Game Boy with a cartridge in it; only `perform` lets time pass."""

    @property
    def cartridge(self) -> Cartridge:
        """The cartridge in the slot."""

    @property
    def frame(self) -> int:
        """Frames since power-on."""

    def perform(self, step: Step, *, render: bool = False) -> None:
        """Let the frames of `step` pass with its button down and up again.

        The last frame is drawn only when its picture is needed: `render`.
        """

    def ram(self) -> Ram:
        """Return the watched windows at this moment."""

    def read(self, address: int, size: int) -> bytes:
        """Return any RAM at this moment."""

    def screen(self) -> Screen:
        """Return the picture of this moment, or raise a ConsoleError when it was not drawn."""

    def save(self) -> bytes:
        """Return this moment as bytes; loading them and going on equals going on."""

    def load(self, state: bytes) -> None:
        """Go to the moment that `save` returned, or raise a StateError."""

    def digest(self) -> bytes:
        """Return blake2b-128 over DIGEST_RANGES."""

    def full_digest(self) -> bytes:
        """Return blake2b-128 over all of work RAM and high RAM."""

    def close(self) -> None:
        """Switch off; nothing is written anywhere."""


def hashed(data: bytes) -> bytes:
    """Return blake2b-128 of `data`."""
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).digest()
