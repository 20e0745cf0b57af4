"""Text that waits: for how long, where its arrow is, and what turns the page."""

from __future__ import annotations

from typing import Final

from agent.verify.aside import Aside
from agent.verify.fact import Fact, Notebook
from agent.verify.facts.watcher import Onlooker
from emulator import Button, Dialogue, Ram, State, Waiting
from emulator.ram.dialogue import read_dialogue
from emulator.ram.screen_tiles import COLUMNS, TILE_MAP, read_tiles

WAITS: Final = Fact(
    "text.waits",
    "A text that shows its arrow goes on only when A or B is pressed.",
    "engine.md 4: PARA and PROMPT wait",
)
ARROW: Final = Fact(
    "text.arrow",
    "The arrow of a text that waits blinks at column 18 of row 16.",
    "engine.md 0: tile (18,16)",
)
A_ADVANCES: Final = Fact("text.a", "A turns the page.", "engine.md 0: recipe for dialogue")
B_ADVANCES: Final = Fact("text.b", "B turns the page.", "engine.md 0: recipe for dialogue")

TILE: Final = 0xEE
PLACE: Final = TILE_MAP + 16 * COLUMNS + 18
PATIENCE: Final = 120  # frames without a press
TURNED: Final = 40  # frames within which a press shows
TIMES: Final = 5


class Arrows(Onlooker):
    """Looks where the arrow of an open text is."""

    facts = (ARROW,)

    def __init__(self, notebook: Notebook) -> None:
        super().__init__(notebook)
        self._before: list[int] = []

    def begin_anew(self) -> None:
        """Know of no arrow before."""
        self._before = []

    def moment(self, state: State) -> None:
        """Look for arrows on the whole screen: lists have one of their own, and draw it before their cursor."""
        before, self._before = self._before, []
        if state.menu is not None or not state.dialogue.lines or state.in_battle:
            return
        tiles = read_tiles(state.ram)
        found = self._before = [at for at, tile in enumerate(tiles) if tile == TILE]
        if not found or found != before:
            return
        elsewhere = [divmod(at, COLUMNS)[::-1] for at in found if TILE_MAP + at != PLACE]
        seen = f"an arrow at {elsewhere[0]}" if elsewhere else None
        self.notebook.judge(ARROW, seen, state.ram, state.frame)


class Pages:
    """Leaves a waiting text alone, and then turns its page."""

    facts = (WAITS, A_ADVANCES, B_ADVANCES)

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self._left = {False: TIMES, True: TIMES}  # in battle or not

    def wants(self, state: State) -> bool:
        """Say whether a text waits, and few were tried so far."""
        waits = state.dialogue.waiting is Waiting.ARROW and state.menu is None
        return waits and self._left[state.in_battle] > 0

    def run(self, aside: Aside, state: State) -> None:
        """Wait, then press A, then B."""
        self._left[state.in_battle] -= 1
        page, note = state.dialogue, self._notebook
        went_on = any(_is_other(ram, page) for ram in aside.frames(None, PATIENCE))
        seen = f"another page within {PATIENCE} frames without a press" if went_on else None
        note.judge(WAITS, seen, state.ram, state.frame)
        for fact, button in ((A_ADVANCES, Button.A), (B_ADVANCES, Button.B)):
            aside.back()
            aside.wait(4)
            wrong = None if _turns(aside, button, page) else f"it still waits after {button.name}"
            note.judge(fact, wrong, state.ram, state.frame)


def _turns(aside: Aside, button: Button, page: Dialogue) -> bool:
    """Say whether a press shows another page, or the arrow does not come back."""
    looks = [_is_other(ram, page) for ram in aside.frames(button, 4)]
    looks += [_is_other(ram, page) for ram in aside.frames(None, TURNED)]
    return any(looks) or not aside.until(_has_arrow, TURNED)


def _has_arrow(ram: Ram) -> bool:
    return ram.byte(PLACE) == TILE


def _is_other(ram: Ram, page: Dialogue) -> bool:
    return read_dialogue(ram).lines != page.lines
