"""Facts about movement: steps checked frame by frame, and trials of turns, bumps and ledges."""

from collections.abc import Iterator
from typing import Final

from agent.skills.walk import BUTTON
from agent.tools.verify.fact import (
    COUNTER,
    FACING,
    MAP,
    MOVEMENT,
    FactWatcher,
    Sandbox,
    Trial,
    X,
    Y,
)
from emulator import Button, Facing, Ram, State, symbol
from emulator.ram import Travel

TRAVEL: Final = symbol("wWalkBikeSurfState")
SPINNING: Final = 0x80  # a spinning player faces all directions
COUNTED: Final = range(12, 19)  # frames with a counter: seven values, two frames each, and lag


class WalkWatcher(FactWatcher):
    """Checks wWalkCounter and the coordinates during steps."""

    _frames = 0  # since the counter began
    _from = (0, 0, 0)
    _moved_early = _spun = False

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Check the counter and the coordinates."""
        counter = now.byte(COUNTER)
        if not counter:
            if self._frames:
                self._ended(now, number)
            self._frames = 0
            return
        if not self._frames:
            self._from, self._moved_early, self._spun = _place(before), False, False
        self._frames += 1
        self._moved_early = self._moved_early or _place(now) != self._from
        self._spun = self._spun or now.byte(MOVEMENT) & SPINNING != 0

    def _ended(self, now: Ram, number: int) -> None:
        map_id, x, y = _place(now)
        if map_id != self._from[0] or now.byte(TRAVEL) != Travel.WALK.value:
            return
        if now.byte(MOVEMENT) & SPINNING or self._spun:
            return
        note = self.log
        early = "they changed while the counter still ran" if self._moved_early else None
        note.record("walking.arrival", early, now, number)
        facing = Facing(now.byte(FACING) & 0x0C)
        went = (x - self._from[1], y - self._from[2])
        wrong = None if went == tuple(facing.delta) else f"{went} while facing {facing.name}"
        note.record("walking.one_square", wrong, now, number)
        length = self._frames
        lasted = None if length in COUNTED else f"the counter ran for {length} frames, not 14"
        note.record("walking.length", lasted, now, number)


def _place(ram: Ram) -> tuple[int, int, int]:
    return ram.byte(MAP), ram.byte(X), ram.byte(Y)


IDLE: Final = symbol("wCheckFor180DegreeTurn")
STOPPED: Final = symbol("wPlayerLastStopDirection")
BITS: Final = {Facing.DOWN: 4, Facing.UP: 8, Facing.LEFT: 2, Facing.RIGHT: 1}  # as stored in RAM
HOPPING: Final = 0x40
TAP: Final = 2  # frames: one pass
TURNS: Final = 15  # tries
OTHERS: Final = 6
HOP_FRAMES: Final = 60


def is_idle(state: State) -> bool:
    """Return whether the player has stood on foot for a pass, so that another direction would only turn."""
    on_foot = state.map.travel is Travel.WALK
    return on_foot and state.in_control and state.ram.byte(IDLE) == 1


class StepTrials(Trial):
    """Turns and walks from the player's square in each direction."""

    def is_ready(self, state: State) -> bool:
        """Return whether this square is new and has a test left."""
        is_new = _place(state.ram) not in self.tried
        return is_new and is_idle(state) and next(self._tries(state), None) is not None

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Try each direction."""
        self.tried[_place(state.ram)] += 1
        for fact, facing in list(self._tries(state)):
            self.tried[fact] += 1
            seen = _TRIES[fact](sandbox, state, facing)
            end = sandbox.state
            # The result is unknown when a battle, a talk or a script began, or the player fell to another map.
            if seen is not None and end.in_control and end.map.map_id == state.map.map_id:
                # The trial is logged with the state in which it began.
                self.log.record(fact, seen or None, state.ram, state.frame)
            sandbox.restore()

    def _tries(self, state: State) -> Iterator[tuple[str, Facing]]:
        for facing in Facing:
            fact = self._fact_ahead(state, facing)
            if self.tried["walking.turn"] < TURNS and state.ram.byte(STOPPED) != BITS[facing]:
                yield "walking.turn", facing
            if fact is not None and self.tried[fact] < OTHERS:
                yield fact, facing

    def _fact_ahead(self, state: State, facing: Facing) -> str | None:
        game_map, here = self.world.live_map(state), state.position
        if game_map is None:
            return None
        ahead = _ahead(state, facing)
        if not game_map.contains(*ahead) or game_map.warp_at(*here) is not None:
            return None
        if any(person.position == ahead for person in state.people_present):
            still = [p for p in state.people_present if p.position == ahead and not p.moving]
            return "walking.people" if still else None
        if game_map.hop(here, facing) is not None:
            return "ledges.hop"
        if game_map.can_step(here, facing):
            return "walking.held" if game_map.warp_at(*ahead) is None else None
        tile = game_map.tile(*ahead)
        edges = {edge for _, _, edge in game_map.ground.ledges}
        is_edge = game_map.tileset.tileset_id == 0 and tile in edges
        return "ledges.one_way" if is_edge else "walking.bump"


# A try returns what was wrong, "" when nothing was, or None when it was interrupted.


def _turn(sandbox: Sandbox, begin: State, facing: Facing) -> str | None:
    moved = sandbox.until(walks, TAP, BUTTON[facing]) or sandbox.until(walks, 14)
    end = sandbox.wait(24)
    if moved or end.position != begin.position:
        return f"a tap of {TAP} frames {facing.name} walked at once"
    return "" if end.map.facing is facing else None


def _held(sandbox: Sandbox, begin: State, facing: Facing) -> str | None:
    walked = sandbox.until(walks, 16, BUTTON[facing])
    end, ahead = sandbox.wait(24), _ahead(begin, facing)
    if any(person.position == ahead for person in begin.people + end.people):
        return None
    if walked and end.position not in (begin.position, ahead):
        return None  # the floor moves the player further
    if not walked or end.position != ahead:
        return f"{facing.name} held for 16 frames did not lead to the free square ahead"
    return ""


def _bump(sandbox: Sandbox, begin: State, facing: Facing) -> str | None:
    walked = sandbox.until(walks, 24, BUTTON[facing])
    end = sandbox.wait(4)
    if walked or end.position != begin.position:
        return f"{facing.name} led onto a square that is not in any list of floor tiles"
    return "" if end.map.facing is facing else f"the player still faces {end.map.facing.name}"


def _people(sandbox: Sandbox, begin: State, facing: Facing) -> str | None:
    end, ahead = sandbox.press(BUTTON[facing], hold=16, settle=20), _ahead(begin, facing)
    if not any(person.position == ahead for person in end.people_present):
        return None
    return "the player stands where a person stands" if end.position == ahead else ""


def _hop(sandbox: Sandbox, begin: State, facing: Facing) -> str | None:
    hopped = sandbox.until(lambda ram: ram.byte(MOVEMENT) & HOPPING != 0, 16, BUTTON[facing])
    here, there = begin.position, sandbox.wait(HOP_FRAMES).position
    if not hopped or there != _ahead(begin, facing, 2):
        return f"{facing.name} over a ledge led from {tuple(here)} to {tuple(there)}"
    return ""


def _one_way(sandbox: Sandbox, begin: State, facing: Facing) -> str | None:
    end = sandbox.press(BUTTON[facing], hold=16, settle=HOP_FRAMES)
    if end.position != begin.position:
        return f"{facing.name} into a ledge from its wrong side led to {tuple(end.position)}"
    return ""


def _ahead(state: State, facing: Facing, squares: int = 1) -> tuple[int, int]:
    return state.map.x + squares * facing.dx, state.map.y + squares * facing.dy


def walks(ram: Ram) -> bool:
    """Return whether a step is in progress."""
    return ram.byte(COUNTER) != 0


_TRIES: Final = {
    "walking.turn": _turn,
    "walking.held": _held,
    "walking.bump": _bump,
    "walking.people": _people,
    "ledges.hop": _hop,
    "ledges.one_way": _one_way,
}
