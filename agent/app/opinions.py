"""How each way of reading pictures does on one screen of the cartridge in the slot: its main menu."""

from contextlib import closing
from dataclasses import dataclass
from typing import Final

from agent.skills import Course, Outcome, boot, wait
from emulator import (
    Accuracy,
    Cartridge,
    ConsoleError,
    Font,
    GlyphReader,
    PyBoyConsole,
    ReadingError,
    Screen,
    TextReader,
    Unavailable,
    accuracy,
    find_tesseract,
    read_state,
)

DRAWN: Final = " ┌─┐│└┘▶"  # boxes and the cursor


@dataclass(frozen=True, slots=True)
class Opinion:
    """One reader: how many characters it has right, or why it has nothing to say."""

    reader: str
    accuracy: Accuracy | None
    reason: str = ""
    disagreements: tuple[str, ...] = ()  # rows that it reads otherwise than the tile map


def opinions(cartridge: Cartridge) -> list[Opinion]:
    """Switch a cartridge on, go to its main menu, and return what each reader makes of it.

    Raises:
        ConsoleError: when the main menu does not open.
    """
    with closing(PyBoyConsole(cartridge)) as console:
        course = Course(boot(1, read_state(console.ram(), console.frame)))
        while course.outcome is Outcome.RUNNING:
            console.perform(course.step)
            course.resume(read_state(console.ram(), console.frame))
        if course.outcome is not Outcome.DONE:
            message = "its main menu does not open; copy the image again"
            raise ConsoleError(message)
        for _ in range(2):  # the first picture that an emulator draws is one line off
            console.perform(wait(8), render=True)
        rows = read_state(console.ram(), console.frame).screen_rows
        screen = console.screen()
    readers = (GlyphReader(Font.of(cartridge)), find_tesseract())
    return [_opinion(reader, screen, rows) for reader in readers]


def _opinion(reader: TextReader | Unavailable, screen: Screen, rows: tuple[str, ...]) -> Opinion:
    if isinstance(reader, Unavailable):
        return Opinion(reader.name, None, reader.reason)
    try:
        read = reader.read(screen)
    except ReadingError as error:
        return Opinion(reader.name, None, str(error))
    otherwise = tuple(
        f"{seen.strip()} for {row.strip(DRAWN)}"
        for row, seen in zip(rows, read, strict=True)
        if accuracy((row,), (seen,)).share < 1
    )
    return Opinion(reader.name, accuracy(rows, read), disagreements=otherwise)
