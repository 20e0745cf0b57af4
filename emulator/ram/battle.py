"""The current battle: both sides, and the input that it waits for."""

from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Final

from emulator.profile import symbol
from emulator.ram.battle_mon import ENEMY, OWN, BattleMon, read_battle_mon
from emulator.ram.menu import Menu
from emulator.ram.menu_kind import MenuKind
from emulator.ram.party import Party, read_enemy_party
from emulator.ram.tile_map import (
    BOTTOM_LEFT,
    BOTTOM_RIGHT,
    COLUMNS,
    TOP_LEFT,
    TOP_RIGHT,
    Dialogue,
    Waiting,
    read_tiles,
)
from emulator.ram.view import Ram

STATS_BOX: Final = {  # the corners of the stats box after a level-up
    2 * COLUMNS + 9: TOP_LEFT,
    2 * COLUMNS + 19: TOP_RIGHT,
    11 * COLUMNS + 9: BOTTOM_LEFT,
    11 * COLUMNS + 19: BOTTOM_RIGHT,
}
# An evolving Pokemon is shown in the middle, seven tiles high, where a battle has no picture. The tile ids of
# a picture increase downwards; both of its forms are below PICTURES_END.
EVOLVING_COLUMN: Final = tuple([row * COLUMNS + 7 for row in range(2, 9)])
PICTURES_END: Final = 0x62
DEX_PAGE_EDGE: Final = bytes([0x6C, *[0x6F] * (COLUMNS - 2), 0x6E])  # the lowest row of a dex page


class Phase(Enum):
    """The input that a battle waits for; the values describe it."""

    INTRO = "nothing yet: no Pokemon is out yet"
    BUSY = "nothing: something is being shown"
    EVOLVING = "nothing: a Pokemon evolves, and B would stop it"
    TEXT = "a button, to continue the text"
    LEVEL_UP = "a button, to close the stats of a new level"
    MAIN_MENU = "an action for this turn"
    MOVE_MENU = "a move"
    BAG = "an item"
    PARTY = "a Pokemon"
    PARTY_SUBMENU = "an action with a Pokemon"
    YES_NO = "yes or no"
    CHANGE_MON = "yes or no: switch before the trainer's next Pokemon"
    NEXT_MON = "yes or no: continue with another Pokemon"
    FORGET_MOVE = "a move to forget"
    COPY_MOVE = "a move of the enemy to copy"
    DEX_PAGE = "a button, to turn the dex page about a new catch"
    NAMING = "the letters of a name"
    OTHER_MENU = "a choice from another menu"


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
    MenuKind.MOVES_OF_ENEMY: Phase.COPY_MOVE,
    MenuKind.KEYBOARD: Phase.NAMING,
}


def read_phase(ram: Ram, menu: Menu | None, dialogue: Dialogue, *, out: bool) -> Phase:
    """Return the input that the battle waits for; `out` says whether the player's Pokemon is out."""
    tiles = read_tiles(ram)
    if menu is None and all(tiles[at] == corner for at, corner in STATS_BOX.items()):
        return Phase.LEVEL_UP
    if dialogue.waiting is Waiting.ARROW:
        return Phase.TEXT
    if tiles.endswith(DEX_PAGE_EDGE):
        return Phase.DEX_PAGE
    if menu is not None:
        return _PHASES.get(menu.kind, Phase.OTHER_MENU)
    column = [tiles[at] for at in EVOLVING_COLUMN]
    if column[-1] < PICTURES_END and all(low == high + 1 for high, low in pairwise(column)):
        return Phase.EVOLVING
    return Phase.BUSY if out else Phase.INTRO


OWN_POSITION: Final = symbol("wPlayerMonNumber")
OWN_MOVE: Final = symbol("wPlayerSelectedMove")
ENEMY_MOVE: Final = symbol("wEnemySelectedMove")
RESULT: Final = symbol("wBattleResult")
ENEMY_SPECIES: Final = symbol("wEnemyMonSpecies2")  # set before the rest of its data
ENEMY_HP: Final = symbol("wEnemyMonHP")
OWN_HP: Final = symbol("wBattleMonHP")
ENEMY_POSITION: Final = symbol("wEnemyMonPartyPos")  # 0xFF before a trainer's first mon
TRAINER_CLASS: Final = symbol("wTrainerClass")
IS_IN_BATTLE: Final = symbol("wIsInBattle")
OPPONENT: Final = symbol("wCurOpponent")
TYPE: Final = symbol("wBattleType")
TRAINER_NUMBER: Final = symbol("wTrainerNo")
NOT_OUT_YET: Final = symbol("wFirstMonsNotOutYet")
RUN_ATTEMPTS: Final = symbol("wNumRunAttempts")

FIRST_TRAINER: Final = 200  # opponents from here on are trainer classes, the others species
NOBODY: Final = 0xFF
SELECTABLE: Final = range(1, 0xA6)  # other values mean that no move was selected


class BattleKind(Enum):
    """The value of wIsInBattle; `LOST` is a blackout in progress."""

    NONE = 0
    WILD = 1
    TRAINER = 2
    LOST = 0xFF


class BattleType(Enum):
    """The rules of a battle."""

    NORMAL = 0
    OLD_MAN = 1  # the old man's catching tutorial
    SAFARI = 2


class BattleResult(Enum):
    """How the last battle ended; `LEFT` covers running, catching and being forced out."""

    WON = 0
    LOST = 1
    LEFT = 2


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle; `own` and `enemy` are None while the Pokemon of that side is not fully out.

    `opponent` is the opponent the game was given: a species, a trainer class plus 200, or 0 for
    a random encounter. `own_move` and `enemy_move` are the moves selected last, or None.
    """

    kind: BattleKind
    type: BattleType
    phase: Phase
    opponent: int
    trainer_class: int
    trainer_number: int
    own: BattleMon | None
    enemy: BattleMon | None
    enemy_party: Party
    own_move: int | None
    enemy_move: int | None
    run_attempts: int

    @property
    def is_wild(self) -> bool:
        """Whether this is a wild battle: the enemy can be caught, and the player can run."""
        return self.kind is BattleKind.WILD

    @property
    def is_trainer(self) -> bool:
        """Whether this is a trainer battle, which cannot be left."""
        return self.kind is BattleKind.TRAINER


def read_battle(ram: Ram, party: Party, menu: Menu | None, dialogue: Dialogue) -> Battle | None:
    """Return the battle, or None when there is none."""
    kind = _KINDS.get(ram.byte(IS_IN_BATTLE))
    if kind is None:
        return None
    own = _own(ram, party) if kind is not BattleKind.LOST else None
    enemy = _enemy(ram, kind, out=own is not None) if kind is not BattleKind.LOST else None
    opponent, is_trainer = ram.byte(OPPONENT), kind is BattleKind.TRAINER
    class_ = opponent - FIRST_TRAINER if opponent > FIRST_TRAINER else ram.byte(TRAINER_CLASS)
    return Battle(
        kind=kind,
        type=_TYPES.get(ram.byte(TYPE), BattleType.NORMAL),
        phase=read_phase(ram, menu, dialogue, out=own is not None),
        opponent=opponent,
        trainer_class=class_ if is_trainer else 0,
        trainer_number=ram.byte(TRAINER_NUMBER) if is_trainer else 0,
        own=own,
        enemy=enemy,
        enemy_party=read_enemy_party(ram) if is_trainer else Party(()),
        own_move=_selected(ram, OWN_MOVE),
        enemy_move=_selected(ram, ENEMY_MOVE),
        run_attempts=ram.byte(RUN_ATTEMPTS),
    )


def read_result(ram: Ram) -> BattleResult | None:
    """Return how the last battle ended; `WON` before the first one.

    A wild Pokemon that leaves by itself does not change what the game has noted: a victory, or a defeat after one of
    the team has fainted. HP decide then: those of the battle, since a lost team is healed after it.
    """
    byte = ram.byte(RESULT)
    if byte > BattleResult.LEFT.value:
        return None
    result = BattleResult(byte)
    lost = result is BattleResult.LOST and not any(ram.span(OWN_HP, 2))
    return BattleResult.LEFT if any(ram.span(ENEMY_HP, 2)) and not lost else result


def _own(ram: Ram, party: Party) -> BattleMon | None:
    # Until the Pokemon is out, this memory holds one of an older battle: compare it with the party.
    position = ram.byte(OWN_POSITION)
    mon = read_battle_mon(ram, OWN, position) if position < len(party) else None
    if mon is None or mon.transformed:
        return mon
    member = party[position]
    if ram.byte(NOT_OUT_YET) and (mon.level, mon.hp) != (member.level, member.hp):
        return None
    return mon if mon.species == member.species else None


def _enemy(ram: Ram, kind: BattleKind, *, out: bool) -> BattleMon | None:
    position = ram.byte(ENEMY_POSITION) if kind is BattleKind.TRAINER else 0
    mon = read_battle_mon(ram, ENEMY, position) if position != NOBODY else None
    if mon is None or mon.transformed:
        return mon
    # A transformed mon that faints loses that mark, and keeps the species it copied.
    fell = mon.fainted and kind is BattleKind.WILD and out
    return mon if fell or ram.byte(ENEMY_SPECIES) in (0, mon.species) else None


def _selected(ram: Ram, address: int) -> int | None:
    move = ram.byte(address)
    return move if move in SELECTABLE else None


_KINDS: Final = {kind.value: kind for kind in BattleKind if kind is not BattleKind.NONE}
_TYPES: Final = {each.value: each for each in BattleType}
