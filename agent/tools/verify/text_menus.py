"""Facts about texts and menus: page turns, the position of the cursor, its moves, and its wrapping."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from agent.tools.verify.fact import FactLog, FactWatcher, Sandbox, Trial, menu_with_cursor
from emulator import Button, Menu, MenuKind, Ram, State, symbol
from emulator.ram import COLUMNS, TILE_MAP, Dialogue, Waiting, read_dialogue, read_tiles

ARROW_TILE: Final = 0xEE
ARROW_ADDRESS: Final = TILE_MAP + 16 * COLUMNS + 18
NO_PRESS_FRAMES: Final = 120  # frames without a press
TURNED: Final = 40  # frames within which a press has an effect
TIMES: Final = 5


class ArrowWatcher(FactWatcher):
    """Checks the position of the arrow of an open text."""

    _before: Sequence[int] = ()

    def after_step(self, state: State) -> None:
        """Find arrows on the whole screen: lists have their own arrow, and draw it before their cursor."""
        before, self._before = self._before, ()
        if state.menu is not None or not state.dialogue.lines or state.in_battle:
            return
        tiles = read_tiles(state.ram)
        found = self._before = [at for at, tile in enumerate(tiles) if tile == ARROW_TILE]
        if not found or found != before:
            return
        elsewhere = [divmod(at, COLUMNS)[::-1] for at in found if TILE_MAP + at != ARROW_ADDRESS]
        seen = f"an arrow at {elsewhere[0]}" if elsewhere else None
        self.log.record("text.arrow", seen, state.ram, state.frame)


class PageTrials(Trial):
    """Waits at a text without a press, and then turns its page."""

    def is_ready(self, state: State) -> bool:
        """Return whether a text waits, and tests are left."""
        waits = state.dialogue.waiting is Waiting.ARROW and state.menu is None
        return waits and self.tried[state.in_battle] < TIMES

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Wait, then press A, then B."""
        self.tried[state.in_battle] += 1
        page, note = state.dialogue, self.log
        went_on = any(_is_other(ram, page) for ram in sandbox.frames(None, NO_PRESS_FRAMES))
        seen = f"another page within {NO_PRESS_FRAMES} frames without a press" if went_on else None
        note.record("text.waits", seen, state.ram, state.frame)
        for fact, button in (("text.a", Button.A), ("text.b", Button.B)):
            sandbox.restore()
            sandbox.wait(4)
            wrong = None if _turns(sandbox, button, page) else f"it still waits after {button.name}"
            note.record(fact, wrong, state.ram, state.frame)


def _turns(sandbox: Sandbox, button: Button, page: Dialogue) -> bool:
    """Return whether a press shows another page, or the arrow does not come back."""
    changes = [_is_other(ram, page) for ram in sandbox.frames(button, 4)]
    changes += [_is_other(ram, page) for ram in sandbox.frames(None, TURNED)]
    return any(changes) or not sandbox.until(
        lambda ram: ram.byte(ARROW_ADDRESS) == ARROW_TILE, TURNED
    )


def _is_other(ram: Ram, page: Dialogue) -> bool:
    return read_dialogue(ram).lines != page.lines


LAYOUT: Final = symbol("hUILayoutFlags")
SINGLE: Final = 0x02
ELSEWHERE: Final = (MenuKind.QUANTITY, MenuKind.KEYBOARD, MenuKind.OPTIONS, MenuKind.OTHER)
STOPPING: Final = (MenuKind.YES_NO, MenuKind.NURSE, MenuKind.MART, MenuKind.USE_TOSS)
COLUMNS_OF_BATTLE: Final = (MenuKind.BATTLE_LEFT, MenuKind.BATTLE_RIGHT)
SCROLLING: Final = (MenuKind.ITEMS, MenuKind.PRICED_ITEMS)
ROWS: Final = 3
SETTLED: Final = 16  # frames after which a new menu accepts input
TRIES: Final = 2  # of each kind
STARTS: Final = 3


class CursorWatcher(FactWatcher):
    """Checks where the cursor is drawn."""

    _wrong = 0  # frames in a row

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Detect a cursor that stays in a wrong place; it is drawn one frame after it was moved."""
        menu = menu_with_cursor(now)
        if menu is None or menu.kind in ELSEWHERE:
            self._wrong = 0
            return
        spacing = 1 if now.byte(LAYOUT) & SINGLE else 2
        place = (menu.top_x, menu.top_y + spacing * menu.current)
        self._wrong = 0 if menu.cursor == place else self._wrong + 1
        if self._wrong == SETTLED:
            self.log.fails("menus.cursor", f"it is at {menu.cursor}, not at {place}", now, number)
        elif not self._wrong and button is None:
            self.log.holds("menus.cursor")


class Cycle(NamedTuple):
    """The items of a cursor by the game's numbers, and whether the ends wrap."""

    first: int
    last: int
    wraps: bool


class MenuTrials(Trial):
    """Moves the cursor of each kind of menu down to its end and up again."""

    def is_ready(self, state: State) -> bool:
        """Return whether this kind of menu has tests left."""
        menu = state.menu
        if menu is None or self.tried[menu.kind] >= TRIES:
            return False
        return menu.kind in SCROLLING or cycle_of(menu, state) is not None

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Go over all items."""
        menu = state.menu
        if menu is None or not _accepts_input(sandbox, menu):
            return
        self.tried[menu.kind] += 1
        sandbox.restore()
        menu = sandbox.wait(SETTLED).menu or menu
        if menu.kind in SCROLLING:
            self.log.record("menus.lists", scrolled(sandbox, menu), state.ram, state.frame)
            return
        cycle = cycle_of(menu, state)
        if cycle is not None:
            go_over(sandbox, menu, cycle, self.log)
        if menu.kind in COLUMNS_OF_BATTLE:
            sandbox.restore()
            sandbox.wait(SETTLED)
            self.log.record("menus.columns", _columns(sandbox), state.ram, state.frame)


class StartMenuTrials(Trial):
    """Opens the START menu where the player can move, and closes it again."""

    def is_ready(self, state: State) -> bool:
        """Return whether the player can move on a map without a test yet."""
        is_new = state.map.map_id not in self.tried and self.tried["menus.start"] < STARTS
        return is_new and state.in_control

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Open it, go over it, close it."""
        self.tried[state.map.map_id] += 1
        opened = sandbox.press(Button.START, hold=4, settle=40)
        menu = opened.menu
        if opened.in_battle or (menu is None and opened.dialogue.is_open):
            return
        self.tried["menus.start"] += 1
        note = self.log
        if menu is None or menu.kind is not MenuKind.START:
            note.fails("menus.start", "no menu opened at (11,2)", state.ram, state.frame)
            return
        entries = _entries(opened)
        wrong = f"wMaxMenuItem is {menu.maximum} with {entries} entries"
        seen = None if menu.maximum == entries else wrong
        note.record("menus.start", seen, state.ram, state.frame)
        go_over(sandbox, menu, Cycle(0, menu.maximum - 1, wraps=True), note)
        closed = sandbox.press(Button.B, hold=4, settle=40)
        still = "B did not close it" if closed.menu is not None else None
        note.record("menus.start", still, state.ram, state.frame)


def cycle_of(menu: Menu, state: State) -> Cycle | None:
    """Return the items of a menu's cursor, or None when no fact covers its ends."""
    if menu.kind in STOPPING or menu.kind in COLUMNS_OF_BATTLE:
        return Cycle(0, menu.maximum, wraps=False)
    battle = state.battle
    if menu.kind is MenuKind.MOVES and battle is not None and battle.own is not None:
        return Cycle(1, len(battle.own.moves), wraps=True)
    return None


def go_over(sandbox: Sandbox, menu: Menu, cycle: Cycle, log: FactLog) -> None:
    """Press DOWN past the last item, and UP past the first, and log where the cursor went."""
    at = menu.current
    size = cycle.last - cycle.first + 1
    for button, by in ((Button.DOWN, 1), (Button.UP, -1)):
        for _ in range(size):
            wanted, fact = at + by, "menus.one_item"
            if wanted not in range(cycle.first, cycle.last + 1):
                fact = "menus.wraps" if cycle.wraps else "menus.stops"
                wanted = (at + by - cycle.first) % size + cycle.first if cycle.wraps else at
            now = sandbox.press(button)
            got = None if now.menu is None else now.menu.current
            where = f"the menu at ({menu.top_x},{menu.top_y})"
            seen = f"{button.name} led from item {at} to {got} ({where})"
            log.record(fact, None if got == wanted else seen, now.ram, now.frame)
            if got != wanted:
                return
            at = wanted


def scrolled(sandbox: Sandbox, menu: Menu) -> str | None:
    """Go to the end of a list and back, and return what was wrong."""
    end = menu.list_count  # the index of CANCEL
    lowest = min(ROWS - 1, end)
    offset, row = menu.list_offset, menu.current
    for button in (Button.DOWN, Button.UP):
        for _ in range(end + 1):
            offset, row = _scroll(offset, row, button, lowest, end)
            now = sandbox.press(button).menu
            got = None if now is None else (now.list_offset, now.current)
            if got != (offset, row):
                return f"{button.name} led to (offset, row) {got}, not {(offset, row)}"
    return None


def _scroll(offset: int, row: int, button: Button, lowest: int, end: int) -> tuple[int, int]:
    if button is Button.DOWN:
        if row < lowest:
            return offset, row + 1
        return (offset + 1, row) if offset + ROWS <= end else (offset, row)
    if row:
        return offset, row - 1
    return max(offset - 1, 0), row


def _accepts_input(sandbox: Sandbox, menu: Menu) -> bool:
    """Return whether this menu accepts input: a menu hidden behind a text shows its cursor as well."""
    sandbox.wait(SETTLED)
    for button in (Button.DOWN, Button.UP):
        now = sandbox.press(button).menu
        if now is None or now.kind is not menu.kind:
            return False
        if (now.list_offset, now.current) != (menu.list_offset, menu.current):
            return True
    return False


def _columns(sandbox: Sandbox) -> str | None:
    for button, column in ((Button.RIGHT, 15), (Button.LEFT, 9), (Button.RIGHT, 15)):
        menu = sandbox.press(button).menu
        if menu is None or menu.cursor[0] != column:
            return f"{button.name} led to {None if menu is None else menu.cursor}"
    return None


def _entries(state: State) -> int:
    """Return the number of lines of the START menu."""
    tiles = read_tiles(state.ram)
    lines = [tiles[row * COLUMNS + 12] for row in range(2, 18, 2)]
    return sum(each >= 0x80 for each in lines[:7])
