"""Ways between maps, as play takes them: where they end, and how long the pad is off."""

from __future__ import annotations

from typing import Final, NamedTuple

from agent.verify.fact import MAP, Fact, Notebook, X, Y
from agent.verify.facts.watcher import Onlooker
from emulator import LAST_MAP, Button, Facing, Position, Ram, Trigger, Warp, World
from emulator.profile import symbol

ARRIVAL: Final = Fact(
    "warps.arrival",
    "A warp leads to the square of the destination's warp with its index; 0xFF is the last map outdoors.",
    "formats.md 3.7: arrival",
)
KEY: Final = Fact(
    "warps.key",
    "A warp that is neither on a door tile nor on a warp tile fires only while its direction is held.",
    "formats.md 3.7: press warps",
)
PAUSE: Final = Fact(
    "warps.pause",
    "After a warp the pad is off for 30 frames, counted in wIgnoreInputCounter with bit 5 of wStatusFlags5.",
    "engine.md 3.3: input locks",
)
CROSSING: Final = Fact(
    "connections.crossing",
    "A step over the edge of a map ends where the alignment of its connection says.",
    "formats.md 3.2: connection",
)

IN_BATTLE: Final = symbol("wIsInBattle")
FACING: Final = symbol("wSpritePlayerStateData1FacingDirection")
LAST_OUTDOORS: Final = symbol("wLastMap")
PAUSED: Final = symbol("wIgnoreInputCounter")
FLAGS: Final = symbol("wStatusFlags5")
PAD_OFF: Final = 0x20
ENTRIES: Final = symbol("wWarpEntries")
PLAYER_PICTURE: Final = symbol("wSpritePlayerStateData1PictureID")
PAUSES: Final = range(25, 32)  # values of the counter that are seen
SIMULATED: Final = symbol("wSimulatedJoypadStatesIndex")
SCRIPTED: Final = 0x80  # of wStatusFlags5: a script walks the player
ARRIVES: Final = 12  # frames, before the first step, within which the new map is set up
RELEASED: Final = 6  # frames after which a key that was let go of is not held any more
LOADED: Final = 4  # frames after which a crossing is over
ARROWS: Final = frozenset({Button.UP, Button.DOWN, Button.LEFT, Button.RIGHT})


class Left(NamedTuple):
    """How the player was the last frame that a map was the current one."""

    map_id: int
    x: int
    y: int
    facing: Facing
    outdoors: int
    since_key: int


class Ways(Onlooker):
    """Follows wCurMap."""

    facts = (ARRIVAL, KEY, PAUSE, CROSSING)

    def __init__(self, notebook: Notebook, world: World) -> None:
        super().__init__(notebook)
        self._world = world
        self.begin_anew()

    def begin_anew(self) -> None:
        """Let a way that had begun be none."""
        self._left: Left | None = None
        self._warp: Warp | None = None
        self._due = 0  # frames until a crossing is looked at
        self._paused = 0  # frames of the pause so far
        self._counter = 0  # what wIgnoreInputCounter was
        self._counted = 0  # how many values of it were seen
        self._has_arrived = False
        self._since_key = 0
        self._settled = Position(-1, -1)

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Look for another map, and for what follows one."""
        self._since_key = 0 if button in ARROWS else self._since_key + 1
        if before.byte(MAP) != now.byte(MAP):
            self._leave(before, now, number)
        if self._warp is not None:
            self._arrive(now, number)
        elif self._due:
            self._due -= 1
            if not self._due:
                self._cross(now, number)

    def _leave(self, before: Ram, now: Ram, number: int) -> None:
        self._warp, self._due = None, 0
        if now.byte(IN_BATTLE) or before.byte(IN_BATTLE) or not before.byte(PLAYER_PICTURE):
            return  # a defeat, or a game that begins
        if before.byte(MAP) not in self._world.map_ids:
            return
        facing = Facing(before.byte(FACING) & 0x0C)
        x, y = before.byte(X), before.byte(Y)
        here = self._world.map(before.byte(MAP))
        left = Left(here.map_id, x, y, facing, before.byte(LAST_OUTDOORS), self._since_key)
        self._left = left
        warp = here.warp_at(x, y)
        if warp is None:
            # Whoever flies, or wakes up elsewhere, crosses no edge.
            wanted = here.crossing((x, y), facing)
            self._due = LOADED if wanted is not None and wanted[0] == now.byte(MAP) else 0
        elif _is_as_it_was(warp, before) and now.byte(MAP) == self._destination(warp, now):
            self._warp, self._paused, self._counted, self._has_arrived = warp, 0, 0, False
            walks_by_script = before.byte(FLAGS) & SCRIPTED or before.byte(SIMULATED)
            if warp.trigger is Trigger.PRESS and not walks_by_script:
                idle = self._since_key > RELEASED
                seen = f"no direction was held for {self._since_key} frames" if idle else None
                self.notebook.judge(KEY, seen, now, number)

    def _destination(self, warp: Warp, now: Ram) -> int:
        return now.byte(LAST_OUTDOORS) if warp.map_id == LAST_MAP else warp.map_id

    def _arrive(self, now: Ram, number: int) -> None:
        """Wait for the pause to begin, look where one is in its first frames, and follow its counter."""
        warp, is_off = self._warp, now.byte(FLAGS) & PAD_OFF and now.byte(PAUSED)
        if warp is None:
            return
        if is_off:
            self._paused += 1
            # It stands still while the screen is off, which lasts as long as a map takes to load.
            self._counted += now.byte(PAUSED) != self._counter
            self._counter = now.byte(PAUSED)
            if not self._has_arrived and self._paused <= ARRIVES:
                self._look_where(warp, now, number)
        elif self._paused:
            seen = None if self._counted in PAUSES else f"it counted {self._counted} frames"
            self.notebook.judge(PAUSE, seen, now, number)
            self._warp, self._counter = None, 0

    def _look_where(self, warp: Warp, now: Ram, number: int) -> None:
        """See whether the player stands where the warp leads; a map whose screen is still off may not be set up yet."""
        wanted = self._world.map(now.byte(MAP)).warps
        square = wanted[warp.warp_index].position if warp.warp_index < len(wanted) else None
        here = (now.byte(X), now.byte(Y))
        self._has_arrived = here == square
        if self._has_arrived:
            self.notebook.holds(ARRIVAL)
        elif self._paused == ARRIVES:
            seen = f"{here}, and the destination's warp is on {square}"
            self.notebook.fails(ARRIVAL, seen, now, number)

    def _cross(self, now: Ram, number: int) -> None:
        left = self._left
        if left is None:
            return
        wanted = self._world.map(left.map_id).crossing((left.x, left.y), left.facing)
        here = (now.byte(MAP), now.byte(X), now.byte(Y))
        seen = None if here == wanted else f"map, x and y are {here}, and {wanted} are due"
        self.notebook.judge(CROSSING, seen, now, number)


def _is_as_it_was(warp: Warp, ram: Ram) -> bool:
    """Say whether RAM has the warp as the cartridge does: an elevator leads elsewhere once a floor was chosen."""
    entry = ram.span(ENTRIES + 4 * warp.index, 4)
    return entry == bytes([warp.y, warp.x, warp.warp_index, warp.map_id])
