"""RAM images: what work RAM and high RAM held at one moment, as two files without a cartridge."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agent.errors import UsageError
from emulator import HIGH_RAM, WORK_RAM, Ram

WORK: Final = ".wram"
HIGH: Final = ".hram"


def read_images(path: Path) -> Iterator[tuple[str, Ram]]:
    """Yield name and RAM of the image in `path`, or of all in a folder, in the order of their names.

    An image is NAME.wram, the 8,192 bytes from 0xC000 on, with NAME.hram, the 127 from 0xFF80 on, beside it.

    Raises:
        UsageError: when there is no image, or a file has not the size it must have.
    """
    if path.is_dir():
        found = sorted(path.glob(f"*{WORK}"))
        if not found:
            message = f"{str(path)!r} holds no RAM image: no file in it ends in {WORK}"
            raise UsageError(message)
    elif path.suffix == WORK:
        found = [path]
    else:
        message = (
            f"{str(path)!r} is no RAM image: name a file that ends in {WORK}, or a folder of them"
        )
        raise UsageError(message)
    for work in found:
        high = work.with_suffix(HIGH)
        yield work.stem, Ram.of_image(_read(work, WORK_RAM[1]), _read(high, HIGH_RAM[1]))


def _read(path: Path, size: int) -> bytes:
    if path.exists() and not path.is_file():
        message = f"{str(path)!r} is no file but a folder, device or pipe; name an image's file"
        raise UsageError(message)
    try:
        data = path.read_bytes()
    except OSError as error:
        message = f"cannot read {str(path)!r} ({error.strerror}); an image is a {WORK} and a {HIGH}"
        raise UsageError(message) from error
    if len(data) != size:
        message = f"{str(path)!r} has {len(data)} bytes, and must have {size}"
        raise UsageError(message)
    return data
