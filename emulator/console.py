"""The interface of a Game Boy: steps go in, immutable values come out.

Covers time, memory and pictures; of the game it knows only which addresses to watch.
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

# Ranges that `Console.ram` holds, as (address, size), ascending.
WATCHED_RANGES: Final = (
    WORK_RAM,
    (0xFF40, 12),  # rLCDC .. rWX, for fades
    HIGH_RAM,
)

# Ranges in which nearly every change of the game shows at once; parts of WATCHED_RANGES.
DIGEST_RANGES: Final = (
    (symbol("wSpriteStateData1"), 96),  # sprites 0-5
    (symbol("wSpriteStateData2"), 96),
    (symbol("wTileMap"), 360),
    (symbol("wTopMenuItemY"), 0x34),  # menus
    (symbol("wSimulatedJoypadStatesIndex"), 0x34),  # scripted input, wJoyIgnore
    (symbol("wFontLoaded"), 109),  # font, walk counter, both active Pokemon of a battle
    (symbol("wPartyCount"), 56),  # party list and its first Pokemon
    (symbol("wNumBagItems"), 77),  # bag, money, badges, map, position, tileset, size
    (symbol("wPlayerMovingDirection"), 3),  # direction the player faces, last moved and moves next
    # The top of the stack shows inputs before anything else reacts to them.
    (symbol("wStack") - 47, 48),
    (symbol("hWY"), 74),  # pad, random state
)


class Button(Enum):
    """One button of the joypad; the value is PyBoy's name for it."""

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
    """One input: `button` is down for `hold` frames, then every button is up for `settle` frames.

    A step with `settle` 0 keeps its button down until the next step begins: repeating the same
    button makes one long press. A wait is `Step(None, 0, frames)`.
    """

    button: Button | None
    hold: int
    settle: int

    def __post_init__(self) -> None:
        if self.hold < 0 or self.settle < 0 or self.frames < 1:
            message = f"a step lasts one frame or more, not hold={self.hold} settle={self.settle}"
            raise ValueError(message)
        if (self.hold == 0) != (self.button is None):
            message = f"a press needs hold of 1 or more, a wait needs hold=0: button={self.button} hold={self.hold}"
            raise ValueError(message)

    @property
    def frames(self) -> int:
        """Length of the step in frames."""
        return self.hold + self.settle


class Console(Protocol):
    """A Game Boy with a cartridge; only `perform` advances time."""

    @property
    def cartridge(self) -> Cartridge:
        """The cartridge in the slot."""

    @property
    def frame(self) -> int:
        """Frames since power-on."""

    def perform(self, step: Step, *, render: bool = False) -> None:
        """Run the frames of `step`, pressing and releasing its button.

        The last frame is drawn only if `render` is true.
        """

    def ram(self) -> Ram:
        """Return the watched RAM as it is now."""

    def read(self, address: int, size: int) -> bytes:
        """Return any range of RAM as it is now."""

    def screen(self) -> Screen:
        """Return the current picture, or raise a ConsoleError when the frame was not drawn."""

    def save(self) -> bytes:
        """Return the current state as bytes; play resumed from them is identical."""

    def load(self, state: bytes) -> None:
        """Restore a state that `save` returned, or raise a StateError."""

    def digest(self) -> bytes:
        """Return blake2b-128 over DIGEST_RANGES."""

    def full_digest(self) -> bytes:
        """Return blake2b-128 over all of work RAM and high RAM."""

    def close(self) -> None:
        """Switch off without writing any file."""


def hashed(data: bytes) -> bytes:
    """Return blake2b-128 of `data`."""
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).digest()
