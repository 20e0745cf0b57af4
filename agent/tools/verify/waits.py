"""Facts about waits: before a menu takes a press, at texts without an arrow, and at the page of a first catch."""

from functools import cached_property
from itertools import chain
from typing import Final

from agent.tools.verify.fact import IN_BATTLE, FactWatcher, Sandbox, Trial, menu_with_cursor
from emulator import Button, MenuKind, Phase, Ram, State, symbol
from emulator.ram import COLUMNS, TILE_MAP, BattleType, Waiting, read_dialogue

# The keys to an entry of the battle menu from anywhere, the menu behind it, and the frames from A to its cursor.
MENUS: Final = {
    MenuKind.MOVES: ((Button.LEFT, Button.UP), range(8, 17)),
    MenuKind.ITEMS: ((Button.LEFT, Button.DOWN), range(12, 21)),
    MenuKind.PARTY: ((Button.RIGHT, Button.UP), range(20, 27)),
}
OPENED: Final = 60  # frames within which a menu opens


class MenuWaitTrials(Trial):
    """Opens the moves, the bag and the party from the menu of a battle, and counts the frames to their cursors."""

    def is_ready(self, state: State) -> bool:
        """Return whether the first battle menu waits that leads to all three."""
        battle = state.battle
        if self.tried or battle is None or not len(state.bag):
            return False
        return battle.phase is Phase.MAIN_MENU and battle.type is BattleType.NORMAL

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Open each."""
        self.tried["menus.waits"] += 1
        for kind, (keys, frames) in MENUS.items():
            sandbox.restore()
            sandbox.wait(8)
            for key in keys:
                sandbox.press(key)
            waited = _frames_to_cursor(sandbox, kind)
            if waited is not None:
                wrong = f"the cursor of {kind.value!r} came {waited} frames after A"
                seen = None if waited in frames else wrong
                self.log.record("menus.waits", seen, state.ram, state.frame)


def _frames_to_cursor(sandbox: Sandbox, kind: MenuKind) -> int | None:
    """Return the frames from A to the cursor of a menu, or None when it does not open."""
    seen = chain(sandbox.frames(Button.A, 4), sandbox.frames(None, OPENED))
    for count, ram in enumerate(seen, 1):
        menu = menu_with_cursor(ram)
        if menu is not None and menu.kind is kind:
            return count
    return None


TOWNS: Final = range(11)  # the maps of FLY
SETTLED: Final = 40  # frames after which the town map takes a press
PRESSES: Final = ((Button.UP, 3), (None, 3), (Button.UP, 3), (None, SETTLED))


class TownMapTrials(Trial):
    """Presses UP twice on the town map of FLY, within the 15 frames in which it reads no press."""

    def is_ready(self, state: State) -> bool:
        """Return whether the first town map is open."""
        if self.tried or state.in_control or state.in_battle or state.menu is not None:
            return False
        if not state.game_started or state.dialogue.lines:
            return False
        return any(name and name in state.screen_rows[0] for name in self._names)

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Press, and count the towns shown."""
        self.tried["menus.town_map"] += 1
        shown = _first_row(sandbox.wait(SETTLED).ram)
        changes = 0
        for button, frames in PRESSES:
            for ram in sandbox.frames(button, frames):
                row = _first_row(ram)
                # The line is blank for a moment before the next name is drawn.
                changes += row != shown and row.strip(b"\x7f") != b""
                shown = row if row.strip(b"\x7f") else shown
        seen = None if changes == 1 else f"two presses 6 frames apart showed {changes} towns"
        self.log.record("menus.town_map", seen, state.ram, state.frame)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        headers = (self.world.map(each).header for each in TOWNS if each in self.world.map_ids)
        return tuple([each.town_map.name for each in headers if each.town_map])


def _first_row(ram: Ram) -> bytes:
    return ram.span(TILE_MAP, COLUMNS)


TRIES: Final = 4
BEGINS: Final = 20  # of trials, since a text that is still being printed looks the same
ENDS: Final = (".", "!", "?")  # of a text that may be complete
STILL: Final = 30  # frames without a change: not printing
HELD: Final = 240  # frames without a change: waiting for a key, since no fixed delay is longer
GOES_ON: Final = 60  # frames within which a press has an effect


class HeldTextTrials(Trial):
    """Waits at a text without an arrow, and presses A and B."""

    def is_ready(self, state: State) -> bool:
        """Return whether a text stands without an arrow, and tests are left."""
        is_quiet = state.dialogue.waiting is Waiting.QUIET and state.dialogue.font_loaded
        if not is_quiet or state.menu is not None or state.in_battle:
            return False
        has_left = self.tried["text.held"] < TRIES and self.tried["begun"] < BEGINS
        return has_left and state.dialogue.text.endswith(ENDS)

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Wait until nothing changes, then press A, then B."""
        self.tried["begun"] += 1
        page = state.ram.span(*SCREEN)
        if sandbox.until(lambda ram: ram.span(*SCREEN) != page, STILL):
            return
        if sandbox.until(lambda ram: ram.span(*SCREEN) != page, HELD):
            return  # a fixed delay
        self.tried["text.held"] += 1
        for button in (Button.A, Button.B):
            sandbox.restore()
            sandbox.wait(4)
            sandbox.press(button, hold=4)
            left = sandbox.until(lambda ram: ram.span(*SCREEN) != page, GOES_ON)
            wrong = None if left else f"it still stands {GOES_ON} frames after {button.name}"
            self.log.record("text.held", wrong, state.ram, state.frame)


SCREEN: Final = (TILE_MAP, 18 * COLUMNS)
OWNED: Final = (symbol("wPokedexOwned"), 19)
ENEMY: Final = symbol("wEnemyMonSpecies")
ARROW_AT: Final = TILE_MAP + 16 * COLUMNS + 18
ARROW: Final = 0xEE
WILD: Final = 1


class CatchWatcher(FactWatcher):
    """Checks that the page of the dex follows a first catch."""

    _waits = False

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Detect a new owned species in a wild battle, and the page or what comes instead."""
        if now.byte(IN_BATTLE) == WILD and before.span(*OWNED) != now.span(*OWNED):
            self._waits = self._is_first(before, now)
        if not self._waits:
            return
        if now.byte(ARROW_AT) == ARROW and not read_dialogue(now).lines:
            self._waits = False
            self.log.holds("battles.page")
            return
        menu = menu_with_cursor(now)
        asks = menu is not None and menu.kind is MenuKind.YES_NO
        if asks or now.byte(IN_BATTLE) != WILD:
            self._waits = False
            after = "the question for a name" if asks else "the end of the battle"
            self.log.fails("battles.page", f"{after} followed without it", now, number)

    def _is_first(self, before: Ram, now: Ram) -> bool:
        """Return whether the enemy's species is newly owned; an evolution adds another without a page."""
        enemy = self.dex.all_species.get(now.byte(ENEMY))
        old, new = (int.from_bytes(ram.span(*OWNED), "little") for ram in (before, now))
        return enemy is not None and bool((new & ~old) >> (enemy.dex - 1) & 1)
