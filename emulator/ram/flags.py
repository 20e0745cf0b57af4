"""Story progress: one bit per event, and the switches of a gym door."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.view import Ram

EVENTS: Final = symbol("wEventFlags")
EVENT_BYTES: Final = 320
HIDDEN: Final = symbol("wToggleableObjectFlags")
HIDDEN_SIZE: Final = 32
BLACKOUT_MAP: Final = symbol("wLastBlackoutMap")
STATUS_FLAGS_1: Final = symbol("wStatusFlags1")
STATUS_FLAGS_4: Final = symbol("wStatusFlags4")
USED_CENTER: Final = 0x04  # of wStatusFlags4
NO_BATTLES: Final = 0x10
SCRIPTS: Final = symbol("wGameProgressFlags")  # the step of the script of each map
SCRIPTS_SIZE: Final = 200
OWNED: Final = symbol("wPokedexOwned")
OWNED_SIZE: Final = 19
FAME: Final = symbol("wNumHoFTeams")


@dataclass(frozen=True, slots=True)
class Flags:
    """Event bits, hidden map objects, the destination after a blackout, wStatusFlags1, and the steps of map scripts.

    `blackout_map` is the town in which the player wakes up; `used_center` says whether the player has ever
    used a Pokemon Center; `meets_none` whether the game lets no wild Pokemon appear; `teams_of_fame` counts the teams that
    entered the Hall of Fame.
    """

    events: bytes = field(repr=False)
    hidden: bytes = field(repr=False)
    blackout_map: int
    used_center: bool
    status_1: int  # wStatusFlags1
    owned: bytes = field(repr=False)  # one bit per species
    scripts: bytes = field(default=bytes(SCRIPTS_SIZE), repr=False)
    meets_none: bool = False
    teams_of_fame: int = 0

    def is_set(self, bit: int) -> bool:
        """Return whether event `bit` has happened."""
        return bool(self.events[bit >> 3] >> (bit & 7) & 1)

    @property
    def count(self) -> int:
        """The number of events that have happened."""
        return int.from_bytes(self.events, "big").bit_count()

    @property
    def species_owned(self) -> int:
        """The number of species ever owned."""
        return int.from_bytes(self.owned, "big").bit_count()


def read_flags(ram: Ram) -> Flags:
    """Return the story flags."""
    return Flags(
        events=ram.span(EVENTS, EVENT_BYTES),
        hidden=ram.span(HIDDEN, HIDDEN_SIZE),
        blackout_map=ram.byte(BLACKOUT_MAP),
        used_center=bool(ram.byte(STATUS_FLAGS_4) & USED_CENTER),
        status_1=ram.byte(STATUS_FLAGS_1),
        owned=ram.span(OWNED, OWNED_SIZE),
        scripts=ram.span(SCRIPTS, SCRIPTS_SIZE),
        meets_none=bool(ram.byte(STATUS_FLAGS_4) & NO_BATTLES),
        teams_of_fame=ram.byte(FAME),
    )


FIRST_SWITCH: Final = symbol("wFirstLockTrashCanIndex")
SECOND_SWITCH: Final = symbol("wSecondLockTrashCanIndex")


class Switches(NamedTuple):
    """The numbers of two trash cans, from 0; the second is chosen when the first has been found."""

    first: int
    second: int


def read_switches(ram: Ram) -> Switches:
    """Return the trash cans that hold the switches."""
    return Switches(ram.byte(FIRST_SWITCH), ram.byte(SECOND_SWITCH))
