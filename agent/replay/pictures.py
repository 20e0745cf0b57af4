"""Pictures of the Game Boy as PNG and as GIF, in its four shades, enlarged by a whole factor."""

from collections.abc import Iterable
from io import BytesIO
from typing import Final

import numpy as np
from PIL import Image

from agent.replay.film import Picture, seconds
from emulator import Screen

GREYS: Final = (255, 170, 85, 0)  # of the shades 0 to 3
PALETTE: Final = [level for grey in GREYS for level in (grey, grey, grey)]


def png(screen: Screen, scale: int) -> bytes:
    """Return one picture as a PNG file."""
    file = BytesIO()
    _image(screen, scale).save(file, "PNG", optimize=True)
    return file.getvalue()


def gif(pictures: Iterable[Picture], scale: int) -> bytes:
    """Return pictures as a GIF file that goes round, in game time.

    A GIF counts hundredths of a second: each picture ends at the nearest to its own end, so that nothing adds up.
    """
    images, lasts, shown, told = [], [], 0, 0
    for picture in pictures:
        shown += picture.frames
        until = round(100 * seconds(shown))
        images.append(_image(picture.screen, scale))
        lasts.append(10 * (until - told))
        told = until
    file = BytesIO()
    images[0].save(
        file, "GIF", save_all=True, append_images=images[1:], duration=lasts, loop=0, optimize=False
    )
    return file.getvalue()


def enlarged(screen: Screen, scale: int) -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
    """Return the shades of a picture, each dot `scale` wide and high."""
    return screen.shades.repeat(scale, axis=0).repeat(scale, axis=1)


def _image(screen: Screen, scale: int) -> Image.Image:
    image = Image.fromarray(enlarged(screen, scale), "P")
    image.putpalette(PALETTE)
    return image
