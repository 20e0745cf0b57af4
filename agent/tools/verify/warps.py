"""Facts about warps and map edges: their destinations as seen in play, and trials of the keys they need."""

from collections.abc import Iterator
from typing import Final

from agent.skills.walk import BUTTON
from agent.tools.verify.fact import (
    FACING,
    IN_BATTLE,
    JOY_IGNORE,
    MAP,
    Deviation,
    FactLog,
    FactSource,
    FactWatcher,
    Sandbox,
    Trial,
    X,
    Y,
)
from agent.tools.verify.movement import is_idle, walks
from emulator import Button, Facing, GameMap, Ram, State, World, symbol
from emulator.ram import MapPosition
from emulator.soundness.check import maps_in_use
from emulator.world import LAST_MAP, Warp, WarpTrigger

LAST_OUTDOORS: Final = symbol("wLastMap")
PAUSED: Final = symbol("wIgnoreInputCounter")
FLAGS: Final = symbol("wStatusFlags5")
PAD_OFF: Final = 0x20
ENTRIES: Final = symbol("wWarpEntries")
PLAYER_PICTURE: Final = symbol("wSpritePlayerStateData1PictureID")
PAUSES: Final = range(25, 32)  # values of the counter that are seen
SIMULATED: Final = symbol("wSimulatedJoypadStatesIndex")
SCRIPTED: Final = 0x80  # of wStatusFlags5: a script walks the player
SETUP_FRAMES: Final = 12  # frames, before the first step, within which the new map is set up
RELEASED: Final = 6  # frames after its release in which a key still counts as held
LOADED: Final = 4  # frames after which a crossing is over
ALL_KEYS: Final = 0xFF  # of wJoyIgnore
DARK: Final = symbol("wMapPalOffset")
TILESET: Final = symbol("wCurMapTileset")
MAP_SIZE: Final = 3  # bytes: tileset, height and width
FACILITY: Final = 22  # the tileset with pads
FADE_FRAMES: Final = 30  # a fade takes 32
ARROWS: Final = frozenset({Button.UP, Button.DOWN, Button.LEFT, Button.RIGHT})


class WarpWatcher(FactWatcher):
    """Checks changes of wCurMap."""

    _wanted: tuple[int, int, int] | None = None  # map, x and y behind an edge
    _warp: Warp | None = None
    _came_from = 0  # the map that it leads from
    _is_fading = False
    _faded = 0  # frames since the map changed
    _due = 0  # frames until a crossing is checked
    _paused = 0  # frames of the pause so far
    _counter = 0  # the last value of wIgnoreInputCounter
    _counted = 0  # the number of values of it seen
    _has_arrived = False
    _since_key = 0

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Detect a change of the map, and check what follows it."""
        self._since_key = 0 if button in ARROWS else self._since_key + 1
        if before.byte(MAP) != now.byte(MAP):
            self._leave(before, now, number)
        elif self._is_fading:
            self._fade(before, now, number)
        if self._warp is not None:
            self._arrive(self._warp, now, number)
        elif self._due:
            self._due -= 1
            if not self._due:
                self._cross(now, number)

    def _leave(self, before: Ram, now: Ram, number: int) -> None:
        self._warp, self._due, self._is_fading = None, 0, False
        if now.byte(IN_BATTLE) or before.byte(IN_BATTLE) or not before.byte(PLAYER_PICTURE):
            return  # a defeat, or a game that begins
        if before.byte(MAP) not in self.world.map_ids:
            return
        facing = Facing(before.byte(FACING) & 0x0C)
        x, y = before.byte(X), before.byte(Y)
        here = self.world.map(before.byte(MAP))
        warp = here.warp_at(x, y)
        if warp is None:
            # FLY and a blackout change the map without crossing an edge.
            wanted = self._wanted = here.crossing((x, y), facing)
            self._due = LOADED if wanted is not None and wanted[0] == now.byte(MAP) else 0
        elif _is_unchanged(warp, before) and now.byte(MAP) == (
            now.byte(LAST_OUTDOORS) if warp.map_id == LAST_MAP else warp.map_id
        ):
            self._warp, self._paused, self._counted, self._has_arrived = warp, 0, 0, False
            self._came_from = here.map_id
            self._is_fading, self._faded = True, 0
            if warp.map_id == LAST_MAP:
                self._look_outside(here, warp, now, number)
            walks_by_script = before.byte(FLAGS) & SCRIPTED or before.byte(SIMULATED)
            if warp.trigger is WarpTrigger.PRESS and not walks_by_script:
                idle = self._since_key > RELEASED
                seen = f"no direction was held for {self._since_key} frames" if idle else None
                self.log.record("warps.key", seen, now, number)

    def _look_outside(self, here: GameMap, warp: Warp, now: Ram, number: int) -> None:
        """Check which outdoor map an exit to the last map leads to."""
        wanted, seen = self.world.end_of(here.map_id, warp), now.byte(MAP)
        if wanted is not None:
            wrong = f"it led to map {seen}, and the door of map {wanted.map_id} leads back"
            self.log.record("warps.outside", None if seen == wanted.map_id else wrong, now, number)

    def _fade(self, before: Ram, now: Ram, number: int) -> None:
        """Check that the old map stays in RAM while the picture fades, and that the pad is off only after it."""
        self._faded += 1
        is_set_up = now.byte(JOY_IGNORE) == ALL_KEYS
        if not is_set_up and _setup(before) == _setup(now):
            return
        is_early = self._faded < FADE_FRAMES and not before.byte(DARK)
        wrong = f"the map was set up {self._faded} frames after wCurMap changed"
        self.log.record("warps.fade", wrong if is_early else None, now, number)
        self._is_fading = False

    def _arrive(self, warp: Warp, now: Ram, number: int) -> None:
        """Wait for the pause to begin, check the position in its first frames, and follow its counter."""
        if now.byte(FLAGS) & PAD_OFF and now.byte(PAUSED):
            self._paused += 1
            # The counter stops while the screen is off, as long as the map loads.
            self._counted += now.byte(PAUSED) != self._counter
            self._counter = now.byte(PAUSED)
            if not self._has_arrived and self._paused <= SETUP_FRAMES:
                self._look_where(warp, now, number)
        elif self._paused:
            seen = None if self._counted in PAUSES else f"it counted {self._counted} frames"
            self.log.record("warps.pause", seen, now, number)
            look_back(self, self._came_from, now, number)
            self._warp, self._counter = None, 0

    def _look_where(self, warp: Warp, now: Ram, number: int) -> None:
        """Check that the player stands at the destination; while the screen is off the map may not be set up yet."""
        wanted = self.world.map(now.byte(MAP)).warps
        square = wanted[warp.warp_index].position if warp.warp_index < len(wanted) else None
        here = (now.byte(X), now.byte(Y))
        self._has_arrived = here == square
        if self._has_arrived:
            self.log.holds("warps.arrival")
        elif self._paused == SETUP_FRAMES:
            seen = f"{here}, and the destination's warp is on {square}"
            self.log.fails("warps.arrival", seen, now, number)

    def _cross(self, now: Ram, number: int) -> None:
        here = (now.byte(MAP), now.byte(X), now.byte(Y))
        wrong = f"map, x and y are {here}, and {self._wanted} are expected"
        seen = None if here == self._wanted else wrong
        self.log.record("connections.crossing", seen, now, number)


def look_back(source: FactSource, came_from: int, now: Ram, number: int) -> None:
    """Check that the exits of a map whose exits all lead to one map lead back: an elevator has just written its own."""
    count = len(source.world.map(now.byte(MAP)).warps)
    exits = {now.byte(ENTRIES + 4 * each + 3) for each in range(count)}
    if len(exits) == 1 and LAST_MAP not in exits:
        wrong = f"its exits lead to map {min(exits)}, and the player came from map {came_from}"
        source.log.record("warps.back", None if exits == {came_from} else wrong, now, number)


def _setup(ram: Ram) -> tuple[int, ...]:
    return (ram.byte(X), ram.byte(Y), *ram.span(TILESET, MAP_SIZE))


def _is_unchanged(warp: Warp, ram: Ram) -> bool:
    """Return whether RAM has the warp as the cartridge does: an elevator changes it once a floor is chosen."""
    entry = ram.span(ENTRIES + 4 * warp.index, 4)
    return entry == bytes([warp.y, warp.x, warp.warp_index, warp.map_id])


FACTS: Final = {WarpTrigger.STEP: "warps.step", WarpTrigger.PRESS: "warps.press"}
TRIES: Final = 4  # of each kind
BEGINS: Final = 16  # maximum frames to hold a key until a step begins
ARRIVAL_FRAMES: Final = 60  # frames after which the player has arrived, and a warp has fired


class WarpTrials(Trial):
    """Walks onto the warps beside the player."""

    def is_ready(self, state: State) -> bool:
        """Return whether an untested warp is beside the player."""
        return is_idle(state) and next(self._beside(state), None) is not None

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Walk onto each of them."""
        for fact, facing, warp in list(self._beside(state)):
            self.tried[state.map.map_id, warp.index] += 1
            self.tried[fact] += 1
            is_step = warp.trigger is WarpTrigger.STEP
            tried = _step(sandbox, facing) if is_step else _press(sandbox, facing, warp)
            if tried is not None:
                self.log.record(fact, tried or None, state.ram, state.frame)
            sandbox.restore()

    def _beside(self, state: State) -> Iterator[tuple[str, Facing, Warp]]:
        here = self.world.live_map(state)
        if here is None or here.warp_at(*state.position) is not None:
            return
        occupied = {person.position for person in state.people_present}
        for facing in Facing:
            ahead = (state.map.x + facing.dx, state.map.y + facing.dy)
            warp = here.warp_at(*ahead) if here.contains(*ahead) else None
            if warp is None or ahead in occupied or not here.can_step(state.position, facing):
                continue
            fact = FACTS.get(warp.trigger)
            is_new = (state.map.map_id, warp.index) not in self.tried
            if fact is not None and is_new and self.tried[fact] < TRIES:
                yield fact, facing, warp


def _step(sandbox: Sandbox, facing: Facing) -> str | None:
    begin = sandbox.state.map.map_id
    if not sandbox.until(walks, BEGINS, BUTTON[facing]):
        return None
    left = sandbox.until(lambda ram: ram.byte(MAP) != begin, ARRIVAL_FRAMES)
    end = sandbox.state
    if end.in_battle or end.dialogue.is_open or (end.control.scripted and not left):
        return None
    return "" if left else f"the player stands on it {ARRIVAL_FRAMES} frames after the step began"


def _press(sandbox: Sandbox, facing: Facing, warp: Warp) -> str | None:
    begin = sandbox.state.map.map_id
    if not sandbox.until(walks, BEGINS, BUTTON[facing]):
        return None
    end = sandbox.wait(ARRIVAL_FRAMES)
    if end.map.map_id != begin:
        return "it fired although the key was released before the player arrived"
    if not end.in_control or end.position != warp.position:
        return None
    exit_button = BUTTON[next(iter(sorted(warp.press, key=lambda each: each.value)))]
    left = sandbox.until(lambda ram: ram.byte(MAP) != begin, ARRIVAL_FRAMES, exit_button)
    if sandbox.state.in_battle or sandbox.state.dialogue.is_open:
        return None
    return "" if left else f"{exit_button.name} held on it did not lead out"


def check_ladders(world: World, log: FactLog) -> None:
    """Record whether each ladder leads back, by the tables of the cartridge alone."""
    for here in maps_in_use(world):
        for warp in here.warps:
            ends = _ladder_ends(world, here, warp)
            if ends is None:
                continue
            there, back = ends
            if back.map_id == here.map_id and abs(back.x - warp.x) + abs(back.y - warp.y) <= 1:
                log.holds("warps.ladder")
                continue
            seen = f"the warp leads to {tuple(there)}, and from there to {tuple(back)}"
            where = f"map {here.map_id} at ({warp.x},{warp.y}), on the cartridge"
            log.add("warps.ladder", Deviation(where, here.map_id, None, None, seen))


def _ladder_ends(world: World, here: GameMap, warp: Warp) -> tuple[MapPosition, MapPosition] | None:
    """Return where a ladder leads and where the one there does; None for anything else.

    Both fire on arrival. An elevator, which writes its own exits, has no end; pads, of one tileset, are no ladders.
    """
    there = world.end_of(here.map_id, warp)
    if there is None or here.header.tileset_id == FACILITY:
        return None
    opposite = world.map(there.map_id).warps[warp.warp_index]
    back = world.end_of(there.map_id, opposite)
    fires = {warp.trigger, opposite.trigger} == {WarpTrigger.STEP}
    is_named = LAST_MAP not in {warp.map_id, opposite.map_id}
    return (there, back) if back is not None and fires and is_named else None
