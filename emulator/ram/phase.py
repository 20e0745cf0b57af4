"""What a battle waits for, as far as one moment tells."""

from __future__ import annotations

from enum import Enum
from itertools import pairwise
from typing import Final

from emulator.ram.dialogue import Dialogue, Waiting
from emulator.ram.menu import Menu
from emulator.ram.menu_kind import MenuKind
from emulator.ram.screen_tiles import (
    BOTTOM_LEFT,
    BOTTOM_RIGHT,
    COLUMNS,
    TOP_LEFT,
    TOP_RIGHT,
    read_tiles,
)
from emulator.ram.view import Ram

STATS_BOX: Final = {  # the corners of the box that a new level opens
    2 * COLUMNS + 9: TOP_LEFT,
    2 * COLUMNS + 19: TOP_RIGHT,
    11 * COLUMNS + 9: BOTTOM_LEFT,
    11 * COLUMNS + 19: BOTTOM_RIGHT,
}
# A mon that evolves is shown in the middle, seven tiles high, where a fight has no picture. The tiles of
# a picture follow one another downwards; both its shapes are below PICTURES_END.
EVOLVING_COLUMN: Final = tuple([row * COLUMNS + 7 for row in range(2, 9)])
PICTURES_END: Final = 0x62


class Phase(Enum):
    """What a battle waits for; the values say it in words."""

    INTRO = "nothing yet: the first mons are not out"
    BUSY = "nothing: something is being shown"
    EVOLVING = "nothing: a mon evolves, and B would stop it"
    TEXT = "a button, to read on"
    LEVEL_UP = "a button, to close the numbers of a new level"
    MAIN_MENU = "what to do this turn"
    MOVE_MENU = "a move"
    BAG = "an item"
    PARTY = "a mon"
    PARTY_SUBMENU = "what to do with a mon"
    YES_NO = "yes or no"
    CHANGE_MON = "yes or no: change mons before the trainer's next"
    NEXT_MON = "yes or no: fight on with another mon"
    FORGET_MOVE = "a move to forget"
    NAMING = "letters of a name"
    OTHER_MENU = "a choice from some other menu"


_PHASES: Final = {
    MenuKind.BATTLE_LEFT: Phase.MAIN_MENU,
    MenuKind.BATTLE_RIGHT: Phase.MAIN_MENU,
    MenuKind.SAFARI_LEFT: Phase.MAIN_MENU,
    MenuKind.SAFARI_RIGHT: Phase.MAIN_MENU,
    MenuKind.MOVES: Phase.MOVE_MENU,
    MenuKind.ITEMS: Phase.BAG,
    MenuKind.PARTY: Phase.PARTY,
    MenuKind.PARTY_BATTLE: Phase.PARTY_SUBMENU,
    MenuKind.YES_NO: Phase.YES_NO,
    MenuKind.CHANGE_MON: Phase.CHANGE_MON,
    MenuKind.NEXT_MON: Phase.NEXT_MON,
    MenuKind.MOVES_TO_FORGET: Phase.FORGET_MOVE,
    MenuKind.KEYBOARD: Phase.NAMING,
}


def read_phase(ram: Ram, menu: Menu | None, dialogue: Dialogue, *, out: bool) -> Phase:
    """Return what the battle waits for; `out` says whether the player's mon is out."""
    tiles = read_tiles(ram)
    if menu is None and all(tiles[at] == corner for at, corner in STATS_BOX.items()):
        return Phase.LEVEL_UP
    if dialogue.waiting is Waiting.ARROW:
        return Phase.TEXT
    if menu is not None:
        return _PHASES.get(menu.kind, Phase.OTHER_MENU)
    if _shows_evolution(tiles):
        return Phase.EVOLVING
    return Phase.BUSY if out else Phase.INTRO


def _shows_evolution(tiles: bytes) -> bool:
    column = [tiles[at] for at in EVOLVING_COLUMN]
    return column[-1] < PICTURES_END and all(low == high + 1 for high, low in pairwise(column))
