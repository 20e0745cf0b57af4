"""One picture of the Game Boy in four shades, and its tiles. Covers pixels, not what they show."""

import io
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Shades = NDArray[np.uint8]

WIDTH: Final = 160
HEIGHT: Final = 144
GREYS: Final = np.array([255, 170, 85, 0], dtype=np.uint8)  # shade 0 is white


@dataclass(frozen=True, slots=True, eq=False)
class Screen:
    """A picture: `shades` is 144 rows of 160 values, 0 (white) to 3 (black), read-only."""

    shades: Shades

    def __post_init__(self) -> None:
        if self.shades.shape != (HEIGHT, WIDTH) or self.shades.dtype != np.uint8:
            message = f"a screen is 144x160 uint8, not {self.shades.shape} {self.shades.dtype}"
            raise ValueError(message)
        self.shades.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Screen) and np.array_equal(self.shades, other.shades)

    def __hash__(self) -> int:
        return hash(self.shades.tobytes())

    def png(self) -> bytes:
        """Return the picture as a PNG file, or raise a MemoryError."""
        file = io.BytesIO()
        try:
            Image.fromarray(GREYS[self.shades]).save(file, format="PNG")
        except OSError as error:
            # No file is written: Pillow reports a failed memory allocation of its encoder as OSError.
            raise MemoryError(str(error)) from error
        return file.getvalue()


SIZE: Final = 8
COLUMNS: Final = 20
ROWS: Final = 18
BLACK: Final = 3
TILE_PIXELS: Final = np.dtype((np.void, SIZE * SIZE))  # all pixels of a tile as one value


def decode_1bpp(data: bytes) -> Shades:
    """Return tiles of 8 bytes each as shades, shape (tiles, 8, 8): white and black."""
    bits = np.unpackbits(np.frombuffer(data, np.uint8)).reshape(-1, SIZE, SIZE)
    return bits * np.uint8(BLACK)


def decode_2bpp(data: bytes) -> Shades:
    """Return tiles of 16 bytes each as shades under palette E4, shape (tiles, 8, 8)."""
    planes = np.unpackbits(np.frombuffer(data, np.uint8)).reshape(-1, SIZE, 2, SIZE)
    return planes[:, :, 0] + planes[:, :, 1] * np.uint8(2)


def cells(screen: Screen) -> Shades:
    """Return the picture split into its grid, shape (18, 20, 8, 8)."""
    grid = screen.shades.reshape(ROWS, SIZE, COLUMNS, SIZE)
    return np.ascontiguousarray(grid.transpose(0, 2, 1, 3))


def keys(tiles: Shades) -> list[bytes]:
    """Return each tile's pixels as bytes, for look-up."""
    pixels = np.ascontiguousarray(tiles).reshape(-1, TILE_PIXELS.itemsize)
    return cast("list[bytes]", pixels.view(TILE_PIXELS).ravel().tolist())
