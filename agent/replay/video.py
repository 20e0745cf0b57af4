"""Pictures of the Game Boy as an MP4 file: the only file that imports PyAV."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from io import BytesIO
from typing import Final, Literal, TypeAlias

import av
import numpy as np

from agent.replay.film import Picture
from agent.replay.pictures import GREYS, enlarged
from emulator.screen.picture import HEIGHT, WIDTH

Codec: TypeAlias = Literal["libx264", "mpeg4"]

RATE: Final = Fraction(23_891, 400)  # frames a second, 59.7275
# H.264 plays everywhere, but not every build has it; few flat greys need no slow search for what moves.
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
