"""Steps as they are seen frame by frame: how long, which way, and when the coordinates change."""

from __future__ import annotations

from typing import Final

from agent.verify.fact import MAP, Fact, Notebook, X, Y
from agent.verify.facts.watcher import Onlooker
from emulator import Button, Facing, Ram, Travel
from emulator.profile import symbol

LENGTH: Final = Fact(
    "walking.length",
    "A step on foot takes 16 frames: wWalkCounter goes from 8 to 0, one a pass of two frames.",
    "engine.md 3.1: loop and step timing",
)
ARRIVAL: Final = Fact(
    "walking.arrival",
    "wXCoord and wYCoord change when wWalkCounter reaches 0, and not before.",
    "engine.md 3.1: coordinates change at the end of the step",
)
ONE_SQUARE: Final = Fact(
    "walking.one_square",
    "A step leads one square the way that the player faces.",
    "engine.md 3.2: facing",
)

COUNTER: Final = symbol("wWalkCounter")
FACING: Final = symbol("wSpritePlayerStateData1FacingDirection")
TRAVEL: Final = symbol("wWalkBikeSurfState")
MOVEMENT: Final = symbol("wMovementFlags")
SPINNING: Final = 0x80  # who is turned about faces all ways
COUNTED: Final = range(12, 19)  # frames that show a counter: seven values, two each, and lag


class Walking(Onlooker):
    """Follows wWalkCounter."""

    facts = (LENGTH, ARRIVAL, ONE_SQUARE)

    def __init__(self, notebook: Notebook) -> None:
        super().__init__(notebook)
        self._frames = 0  # since the counter began
        self._from = (0, 0, 0)
        self._torn = self._spun = False

    def begin_anew(self) -> None:
        """Let a step that had begun be none."""
        self._frames = 0

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Look at the counter and the coordinates."""
        counter = now.byte(COUNTER)
        if not counter:
            if self._frames:
                self._ended(now, number)
            self._frames = 0
            return
        if not self._frames:
            self._from, self._torn, self._spun = _place(before), False, False
        self._frames += 1
        self._torn = self._torn or _place(now) != self._from
        self._spun = self._spun or now.byte(MOVEMENT) & SPINNING != 0

    def _ended(self, now: Ram, number: int) -> None:
        map_id, x, y = _place(now)
        if map_id != self._from[0] or now.byte(TRAVEL) != Travel.WALK.value:
            return
        if now.byte(MOVEMENT) & SPINNING or self._spun:
            return
        note = self.notebook
        early = "they changed while it still counted" if self._torn else None
        note.judge(ARRIVAL, early, now, number)
        facing = Facing(now.byte(FACING) & 0x0C)
        went = (x - self._from[1], y - self._from[2])
        wrong = None if went == tuple(facing.delta) else f"{went} while facing {facing.name}"
        note.judge(ONE_SQUARE, wrong, now, number)
        length = self._frames
        lasted = None if length in COUNTED else f"it counted for {length} frames, not 14"
        note.judge(LENGTH, lasted, now, number)


def _place(ram: Ram) -> tuple[int, int, int]:
    return ram.byte(MAP), ram.byte(X), ram.byte(Y)
