"""The percept of one tick from RAM and the rendered screen, with the disagreements between the two.

RAM is read every tick, a frame only when something needs it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from emulator import Console, Font, Screen, ScreenType, State, World
from emulator.ram import MapPosition
from emulator.screen import Scene, accuracy, letters_of, locate, read_glyphs
from memory.codec import SavedAttributes

LOOK_EVERY: Final = 200  # ticks


@dataclass(frozen=True, slots=True)
class ScreenReading:
    """One reading of the screen: the picture, its text, and the map position it shows, if any."""

    tick: int
    screen: Screen
    text: str
    scene: Scene | None

    @property
    def rows(self) -> tuple[str, ...]:
        """The text of each row."""
        return tuple(self.text.split("\n"))

    @property
    def label(self) -> str:
        """The position in words."""
        if self.scene is None:
            return "the frame shows no known place"
        scene = self.scene
        return f"the frame shows map {scene.map_id} at ({scene.x},{scene.y}), {scene.fit:.0%} of it"


@dataclass(frozen=True, slots=True)
class Percept:
    """State and screen together.

    `text` is the text of the tile map without blank rows; `pixel_text` that of the latest frame, at tick `read_at`, and
    `confidence` how well the two agreed there (0 to 1): '' and 0 if the screen has changed since, is dark or fades.
    `disagreements` are the differences found in this tick, in words; `reading` is None unless a frame was read;
    `came_from` is the map in which the player was last free to walk, None before the first.
    """

    tick: int
    state: State
    text: str
    confidence: float = 0.0
    disagreements: tuple[str, ...] = ()
    reading: ScreenReading | None = None
    came_from: int | None = None
    pixel_text: str = ""
    read_at: int | None = None  # None before the first frame

    @property
    def place(self) -> MapPosition:
        """Where the player stands."""
        here = self.state.map
        return MapPosition(here.map_id, here.x, here.y)


class Due(Enum):
    """What is needed of the next frame."""

    NOTHING = "nothing"
    FRAME = "frame"
    PLACE = "place"  # the frame and its position on the map, which is slow to find


class Perceiver(SavedAttributes):
    """Reads percepts of one console, and compares RAM with the pixels.

    A frame is rendered while time passes, so each tick decides whether the next one is rendered:
    when a milestone waits for its second witness, when the screen type changed, and every `LOOK_EVERY` ticks.
    """

    SAVED = ("_last_map",)  # where the player was last free to walk

    def __init__(
        self,
        console: Console,
        font: Font,
        world: World,
        due: Callable[[State], Due],
        *,
        is_drawn: bool = True,
    ) -> None:
        self._is_drawn = is_drawn
        self.wants_frame = False
        self._console = console
        self._font = font
        self._world = world
        self._due = due  # what a milestone needs for its second witness
        self._confidence = 0.0
        self._pixel_text = ""
        self._read_at: int | None = None
        self._read_rows: tuple[str, ...] = ()  # of the tile map at that tick
        self._last_type: ScreenType | None = None
        self._last_map: int | None = None

    def perceive(self, state: State, tick: int) -> Percept:
        """Return the percept of this tick: always from RAM, and from the frame if one was rendered."""
        due = self._due(state)
        reading = self._look(tick, find_place=due is Due.PLACE) if self.wants_frame else None
        # In the dark the game draws every tile alike, and a fading frame is between two screens.
        is_clear, rows = not (state.is_dark or state.control.fading), state.screen_rows
        if reading is not None and is_clear:
            self._confidence = accuracy(rows, reading.rows).share
            self._pixel_text = _text_of(reading.rows)
            self._read_at, self._read_rows = tick, rows
        is_read = is_clear and self._read_at is not None and self._read_rows == rows
        percept = Percept(
            tick=tick,
            state=state,
            text=_text_of(rows),
            pixel_text=self._pixel_text if is_read else "",
            read_at=self._read_at,
            confidence=self._confidence if is_read else 0.0,
            disagreements=tuple(self._disagreements(state, reading)) if reading else (),
            reading=reading,
            came_from=self._last_map,
        )
        changed = state.screen_type is not self._last_type
        is_due = due is not Due.NOTHING or changed or (tick + 1) % LOOK_EVERY == 0
        self.wants_frame = self._is_drawn and is_due
        self._last_type = state.screen_type
        if state.in_control:
            self._last_map = state.map.map_id
        return percept

    def _look(self, tick: int, *, find_place: bool) -> ScreenReading:
        screen = self._console.screen()
        text = read_glyphs(screen, self._font)
        scene = locate(screen, self._world) if find_place else None
        return ScreenReading(tick, screen, text, scene)

    def _disagreements(self, state: State, reading: ScreenReading) -> Iterator[str]:
        if state.control.fading:
            return
        is_text = not state.is_dark and self._confidence < 1
        if is_text and not _is_behind(reading.rows, state.screen_rows):
            yield f"text: tile map and pixels agree on {self._confidence:.0%}"
        here = state.map
        if reading.scene is not None and not reading.scene.shows(here.map_id, here.x, here.y):
            yield f"place: RAM says map {here.map_id} at ({here.x},{here.y}), {reading.label}"
        live, shown = self._world.live_map(state), state.tiles_in_sight
        if live is not None and shown is not None and (wrong := live.count_differences(shown)):
            yield f"terrain: live map and screen disagree on {wrong} squares"


def percept_of(state: State, tick: int) -> Percept:
    """Return a percept from RAM alone, for callers that do not act on it."""
    return Percept(tick, state, _text_of(state.screen_rows))


def _is_behind(rows: Sequence[str], newest: Sequence[str]) -> bool:
    """Return whether rows lack one letter, the last of a row: the frame was drawn before the letter printed last."""
    differing = [each for each in zip(rows, newest, strict=True) if each[0] != each[1]]
    if len(differing) != 1:
        return False
    had, now = map(letters_of, differing[0])
    return had == now[:-1]


@lru_cache(maxsize=64)
def _text_of(rows: tuple[str, ...]) -> str:
    """Return the text of the rows of a screen, without blank rows."""
    return "\n".join(row for row in map(str.strip, rows) if row)
