"""Game Boy pictures as PNG, GIF and MP4 files, enlarged by an integer factor. Only this module imports PyAV.

Import it only where a file is made: PyAV loads slowly.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from io import BytesIO
from typing import Final, Literal, TypeAlias

import av
import numpy as np
from PIL import Image

from agent.tools.replay.recording import Picture
from agent.tools.report.timeline import game_s
from emulator import Screen
from emulator.screen import HEIGHT, WIDTH

GREYS: Final = (255, 170, 85, 0)  # for the shades 0 to 3
PALETTE: Final = [level for grey in GREYS for level in (grey, grey, grey)]


def png(screen: Screen, scale: int) -> bytes:
    """Return one picture as a PNG file."""
    file = BytesIO()
    _image(screen, scale).save(file, "PNG", optimize=True)
    return file.getvalue()


def gif(pictures: Iterable[Picture], scale: int) -> bytes:
    """Return pictures as a looping GIF file in game time.

    A GIF counts hundredths of a second. Each picture ends at the nearest one, so that rounding errors do not add up.
    """
    images, times, shown, ended = [], [], 0, 0
    for picture in pictures:
        shown += picture.frames
        until = round(100 * game_s(shown))
        images.append(_image(picture.screen, scale))
        times.append(10 * (until - ended))
        ended = until
    file = BytesIO()
    images[0].save(
        file, "GIF", save_all=True, append_images=images[1:], duration=times, loop=0, optimize=False
    )
    return file.getvalue()


def enlarged(screen: Screen, scale: int) -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
    """Return the shades of a picture, each dot `scale` wide and high."""
    return screen.shades.repeat(scale, axis=0).repeat(scale, axis=1)


def _image(screen: Screen, scale: int) -> Image.Image:
    image = Image.fromarray(enlarged(screen, scale), "P")
    image.putpalette(PALETTE)
    return image


Codec: TypeAlias = Literal["libx264", "mpeg4"]

RATE: Final = Fraction(23_891, 400)  # frames a second, 59.7275
# H.264 plays everywhere, but not every build has it; a few flat greys need no slow motion search.
CODECS: Final[Mapping[Codec, Mapping[str, str]]] = {
    "libx264": {"preset": "veryfast", "crf": "22"},
    "mpeg4": {"qscale": "4"},
}
LEVELS: Final = np.array(GREYS, dtype=np.uint8)


def mp4(pictures: Iterable[Picture], scale: int, every: int) -> bytes:
    """Return pictures as an MP4 file in game time, one for each `every` frames."""
    file = BytesIO()
    codec = next(each for each in CODECS if each in av.codecs_available)
    with av.open(file, "w", format="mp4") as movie:
        stream = movie.add_stream(codec, RATE / every, options=dict(CODECS[codec]))
        stream.width, stream.height, stream.pix_fmt = WIDTH * scale, HEIGHT * scale, "yuv420p"
        shown = sent = 0
        for picture in pictures:
            drawn = av.VideoFrame.from_ndarray(LEVELS[enlarged(picture.screen, scale)], "gray")
            frame = drawn.reformat(format="yuv420p")
            shown += picture.frames
            while sent * every < shown:
                frame.pts = sent
                movie.mux(stream.encode(frame))
                sent += 1
        movie.mux(stream.encode())
    return file.getvalue()
