"""One picture of the Game Boy as four shades. Knows pixels; knows nothing of what they show."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Final

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
            # Nothing is written anywhere: so Pillow says that its encoder got no memory.
            raise MemoryError(str(error)) from error
        return file.getvalue()
