"""How well two readers read the text in rendered frames: the glyphs of the cartridge, and Tesseract in a worker.

The first reads every frame. The second reads as many as it can beside play, which never waits for it: what it reads
is observed and counted, and decides nothing.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Full, Queue
from threading import Event, Thread
from time import perf_counter
from typing import Final, TypeAlias

from agent.perception.percept import Percept
from emulator.screen import NAME as SECOND
from emulator.screen import Accuracy, GlyphReader, TextReader, Unavailable, accuracy
from memory.tiers import LATEST_INPUTS, TextReading

REST: Final = 1  # times as long as it has read: the worker takes half of a processor at most
LEAVE: Final = 1.0  # seconds to wait for the frame in hand, and again for the end of the worker
GLYPHS: Final = GlyphReader.name
DIFFERENCES: Final = 10  # the newest rows that were read differently

FindReader: TypeAlias = Callable[[], "TextReader | Unavailable"]


@dataclass(slots=True)
class ReaderScore:
    """How much of the text in frames one reader has read right, by the tile map, and why it reads no more."""

    frames: int = 0
    characters: int = 0
    right: int = 0
    missing: str = ""
    differences: tuple[str, ...] = ()  # the last rows read differently, in words

    @property
    def share(self) -> float:
        """The share of right characters."""
        return Accuracy(self.right, self.characters).share

    def add(self, found: Accuracy) -> None:
        """Count one frame."""
        self.frames += 1
        self.right += found.right
        self.characters += found.total


class ScreenReaders:
    """Reads and counts the text in rendered frames; `find_second` finds the reader of the worker, if there is one."""

    def __init__(self, find_second: FindReader | None = None) -> None:
        self.find_second = find_second
        self.readings: deque[TextReading] = deque(maxlen=LATEST_INPUTS)  # the newest of the worker
        self.scores = {GLYPHS: ReaderScore()}
        self._text = ""  # of the last tick
        self._waiting: Queue[Percept | None] = Queue(maxsize=1)
        self._closing = Event()
        self._worker = Thread(target=self._work, name="second reader", daemon=True)

    def see(self, percept: Percept) -> None:
        """Count what the glyphs show, and hand a frame with text to the worker if it waits for one."""
        reading, state = percept.reading, percept.state
        is_printed, self._text = percept.text == self._text, percept.text
        # While a text is being printed, the frame is behind RAM.
        if reading is None or state.is_dark or not is_printed:
            return
        self.scores[GLYPHS].add(accuracy(state.screen_rows, reading.rows))
        if self.find_second is None or not reading.text.strip():
            return
        if SECOND not in self.scores:
            self.scores[SECOND] = ReaderScore()
            self._worker.start()
        with suppress(Full):
            self._waiting.put_nowait(percept)

    def close(self) -> None:
        """End the worker when it has read what it was given; one that is not in time is left behind."""
        self._closing.set()
        if self._worker.is_alive():
            with suppress(Full):
                self._waiting.put(None, timeout=LEAVE)
            self._worker.join(LEAVE)

    def _work(self) -> None:
        """Read frames until play ends or a reading fails."""
        score = self.scores[SECOND]
        try:
            reader = self.find_second() if self.find_second is not None else Unavailable(SECOND, "")
            if isinstance(reader, Unavailable):
                score.missing = reader.reason
                return
            while (percept := self._waiting.get()) is not None:
                start = perf_counter()
                self._compare(percept, reader, score)
                self._closing.wait(REST * (perf_counter() - start))
        except Exception as error:  # noqa: BLE001  # an observer never ends play
            score.missing = f"{type(error).__name__}: {error}"

    def _compare(self, percept: Percept, reader: TextReader, score: ReaderScore) -> None:
        reading, tile_map = percept.reading, percept.state.screen_rows
        assert reading is not None
        glyphs, read = reading.rows, reader.read(reading.screen)
        score.add(accuracy(tile_map, read))
        rows = zip(tile_map, glyphs, read, strict=True)
        found = TextReading(percept.tick, tile_map, glyphs, read, tuple(filter(_differs, rows)))
        words = (
            f"tick {found.tick}: {row!r} in RAM, {seen!r} by {GLYPHS}, {other!r} by {SECOND}"
            for row, seen, other in found.differences
        )
        score.differences = (*score.differences, *words)[-DIFFERENCES:]
        self.readings.append(found)


def _differs(rows: tuple[str, str, str]) -> bool:
    return any(accuracy(rows[:1], (each,)).share < 1 for each in rows[1:])
