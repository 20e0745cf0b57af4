"""Whether the player is in control, and why RAM may be unreliable.

Agents often misread RAM between two stable moments: before the game starts, while the screen fades,
in the middle of a warp or of a scripted walk.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from emulator.profile import symbol
from emulator.ram.map import HEIGHT, MAP, TILESET, WALK_COUNTER, WIDTH, X, Y
from emulator.ram.view import Ram, cached_on

SCRIPTED_INPUTS: Final = symbol("wSimulatedJoypadStatesIndex")
JOY_IGNORE: Final = symbol("wJoyIgnore")
NPC_SCRIPT: Final = symbol("wNPCMovementScriptPointerTableNum")
STATUS_FLAGS_5: Final = symbol("wStatusFlags5")
NPC_MOVES: Final = 0x01  # of wStatusFlags5
PAD_OFF: Final = 0x20
SCRIPTED_WALK: Final = 0x80
IGNORE_INPUT: Final = symbol("wIgnoreInputCounter")
MOVEMENT_FLAGS: Final = symbol("wMovementFlags")
DOOR_STEP: Final = 0x02  # of wMovementFlags
HOP_OR_SPIN: Final = 0xC0
IN_BATTLE: Final = symbol("wIsInBattle")
BLACKOUT: Final = 0xFF
OPPONENT: Final = symbol("wCurOpponent")
WARP_COUNT: Final = symbol("wNumberOfWarps")  # wWarpEntries follow
WARPS: Final = symbol("wWarpEntries")  # Y, X, number of the warp to arrive at, map
WARP_SIZE: Final = 4
TO_LAST_MAP: Final = 0xFF  # instead of a map
LAST_MAP: Final = symbol("wLastMap")
ARRIVAL: Final = symbol("wDestinationWarpID")
WARP_TAKEN: Final = symbol("wWarpedFromWhichWarp")
PLAYER_PICTURE: Final = symbol("wSpritePlayerStateData1PictureID")
TILESETS: Final = 24

LCDC: Final = 0xFF40  # rLCDC
SCREEN_ON: Final = 0x80
BGP: Final = 0xFF47  # rBGP
PALETTE: Final = 0xE4
DARK_PALETTE: Final = 0xFE  # a cave without FLASH
DARKNESS: Final = symbol("wMapPalOffset")


class NoControl(Enum):
    """A reason not to act on a state."""

    NOT_STARTED = "the game has not started"
    OFF_MAP = "the position is outside the map"
    SCREEN_OFF = "the screen is off"
    FADING = "the screen is fading"
    WARPING = "a warp is not over"
    SCRIPTED = "a script moves the player"
    ESCORTED = "a script moves another person"
    INPUT_IGNORED = "the pad is ignored"
    BATTLE_BEGINS = "a battle with a trainer begins"
    BLACKOUT = "a battle was just lost"


@dataclass(frozen=True, slots=True)
class Control:
    """Whether the player is in control; `reasons` lists what prevents it.

    `started` says whether a game is being played: before that, RAM holds leftovers. `free` is true when there are
    no reasons and no step is in progress.
    """

    walking: bool
    reasons: tuple[NoControl, ...]
    # Read dozens of times every tick, so computed only when these bytes change.
    started: bool
    free: bool

    @property
    def trusted(self) -> bool:
        """Whether the state is reliable: there are no reasons."""
        return not self.reasons

    @property
    def scripted(self) -> bool:
        """Whether a script moves the player or another person."""
        return NoControl.SCRIPTED in self.reasons or NoControl.ESCORTED in self.reasons

    @property
    def fading(self) -> bool:
        """Whether the screen is fading or off."""
        return NoControl.FADING in self.reasons or NoControl.SCREEN_OFF in self.reasons


BEFORE_GAME: Final = Control(
    walking=False, reasons=(NoControl.NOT_STARTED,), started=False, free=False
)


@cached_on(
    (PLAYER_PICTURE, 1),
    (NPC_SCRIPT, 1),
    (SCRIPTED_INPUTS, 1),
    (JOY_IGNORE, 1),
    (WALK_COUNTER, 1),
    (IN_BATTLE, 1),
    (OPPONENT, 1),
    (IGNORE_INPUT, 1),
    (DARKNESS, WIDTH + 1 - DARKNESS),
    (WARP_COUNT, ARRIVAL + 1 - WARP_COUNT),
    (STATUS_FLAGS_5, 1),
    (MOVEMENT_FLAGS, 1),
    (WARP_TAKEN, 1),
    (LCDC, BGP + 1 - LCDC),
)
def read_control(ram: Ram) -> Control:
    """Return whether the player is in control."""
    walking = ram.byte(WALK_COUNTER) != 0
    reasons = (*_position_reasons(ram), *_screen_reasons(ram), *_script_reasons(ram))
    started = NoControl.NOT_STARTED not in reasons
    return Control(walking, reasons, started, free=not (reasons or walking))


def _position_reasons(ram: Ram) -> tuple[NoControl, ...]:
    here = ram.span(MAP, WIDTH + 1 - MAP)
    width, height = here[WIDTH - MAP], here[HEIGHT - MAP]
    is_map = width and height and here[TILESET - MAP] & 0x7F < TILESETS
    if not is_map or not ram.byte(PLAYER_PICTURE):
        return (NoControl.NOT_STARTED,)
    on_map = here[X - MAP] < 2 * width and here[Y - MAP] < 2 * height
    return () if on_map else (NoControl.OFF_MAP,)


def _screen_reasons(ram: Ram) -> tuple[NoControl, ...]:
    if not ram.covers(LCDC, BGP + 1 - LCDC):
        return ()  # an image of work RAM only
    if not ram.byte(LCDC) & SCREEN_ON:
        return (NoControl.SCREEN_OFF,)
    palette = ram.byte(BGP)
    settled = palette == PALETTE or (palette == DARK_PALETTE and ram.byte(DARKNESS))
    return () if settled else (NoControl.FADING,)


def _script_reasons(ram: Ram) -> tuple[NoControl, ...]:
    flags = ram.byte(STATUS_FLAGS_5)
    moving = ram.byte(MOVEMENT_FLAGS) & (HOP_OR_SPIN | DOOR_STEP)
    reasons = []
    if flags & SCRIPTED_WALK or ram.byte(SCRIPTED_INPUTS) or moving:
        reasons.append(NoControl.SCRIPTED)
    if flags & NPC_MOVES or ram.byte(NPC_SCRIPT):
        reasons.append(NoControl.ESCORTED)
    if (flags & PAD_OFF and ram.byte(IGNORE_INPUT)) or _is_leaving(ram):
        reasons.append(NoControl.WARPING)
    if ram.byte(JOY_IGNORE):
        reasons.append(NoControl.INPUT_IGNORED)
    if ram.byte(IN_BATTLE) == BLACKOUT:
        reasons.append(NoControl.BLACKOUT)
    elif ram.byte(OPPONENT) and not ram.byte(IN_BATTLE):
        # wIsInBattle changes only after the transition, in which everything else looks free.
        reasons.append(NoControl.BATTLE_BEGINS)
    return tuple(reasons)


def _is_leaving(ram: Ram) -> bool:
    """Return whether the player stands on the warp just taken, and RAM holds the map it is on.

    wCurMap is the new map from the end of the step on; position, people and blocks are those of the old map until the
    fade is over. After that, no warp of the new map is under the player and leads to that map itself.
    """
    taken = ram.byte(WARP_TAKEN)
    if taken >= ram.byte(WARP_COUNT):
        return False
    y, x, arrival, leads_to = ram.span(WARPS + WARP_SIZE * taken, WARP_SIZE)
    if (y, x, arrival) != (ram.byte(Y), ram.byte(X), ram.byte(ARRIVAL)):
        return False
    return ram.byte(MAP) == (ram.byte(LAST_MAP) if leads_to == TO_LAST_MAP else leads_to)
