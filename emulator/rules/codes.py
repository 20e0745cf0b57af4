"""The numbers of a position: sizes, sides, kinds, outcomes, choices, stats, and status."""

from typing import Final

from emulator.ram.battle_mon import Volatile

SLOTS: Final = 4  # moves of a Pokemon
TEAM: Final = 6
STATS: Final = 4  # that stages change
STAGES: Final = 6  # of those, accuracy and evasion
BAG: Final = 20
NO_ONE: Final = -1

OURS: Final = 0
THEIRS: Final = 1

# Kinds of battles. In a link battle both sides are players: PP, no badges, no extra misses, replacements chosen.
WILD: Final = 0
TRAINER: Final = 1
SAFARI: Final = 2
LINK: Final = 3

# How a turn ended. The replacements wait for `send`.
GOES_ON: Final = 0
WE_SEND: Final = 1
THEY_SEND: Final = 2
BOTH_SEND: Final = 3
WON: Final = 4
LOST: Final = 5
DRAWN: Final = 6
RAN: Final = 7
CAUGHT: Final = 8
FOE_LEFT: Final = 9

# Choices, one kind of small integer.
SWITCH: Final = 4  # to the member at choice - SWITCH
RUN: Final = 10
GO_ON: Final = 11  # no move is chosen: asleep, recharging, in the middle of a move
STRUGGLES: Final = 12  # no move can be chosen
BAIT: Final = 13
ROCK: Final = 14
MIMIC_ONE: Final = 16  # MIMIC_ONE + slot * 4 + the slot of the move to copy
ITEM: Final = 32  # ITEM + item * 32 + place in the team * 4 + move slot
DECIDES: Final = -1  # the foe chooses as the game does
PER_ITEM: Final = 32

ATTACK: Final = 0
DEFENSE: Final = 1
SPEED: Final = 2
SPECIAL: Final = 3
ACCURACY: Final = 4
EVASION: Final = 5

# Major status, as stored.
ASLEEP: Final = 7  # a mask: turns left
POISONED: Final = 1 << 3
BURNED: Final = 1 << 4
FROZEN: Final = 1 << 5
PARALYZED: Final = 1 << 6

# Volatile status: the bits of `Volatile`, of which the lowest byte is the first status byte.
BIDING: Final[int] = Volatile.BIDING.value
THRASHING: Final[int] = Volatile.THRASHING.value
HITTING_AGAIN: Final[int] = Volatile.HITTING_AGAIN.value
FLINCHED: Final[int] = Volatile.FLINCHED.value
CHARGING: Final[int] = Volatile.CHARGING.value
TRAPPING: Final[int] = Volatile.TRAPPING.value
INVULNERABLE: Final[int] = Volatile.INVULNERABLE.value
CONFUSED: Final[int] = Volatile.CONFUSED.value
ALWAYS_HITS: Final[int] = Volatile.ALWAYS_HITS.value
MIST: Final[int] = Volatile.MIST.value
FOCUSED: Final[int] = Volatile.FOCUSED.value
SUBSTITUTE: Final[int] = Volatile.SUBSTITUTE.value
RECHARGING: Final[int] = Volatile.RECHARGING.value
RAGING: Final[int] = Volatile.RAGING.value
SEEDED: Final[int] = Volatile.SEEDED.value
BADLY_POISONED: Final[int] = Volatile.BADLY_POISONED.value
LIGHT_SCREEN: Final[int] = Volatile.LIGHT_SCREEN.value
REFLECT: Final[int] = Volatile.REFLECT.value
TRANSFORMED: Final[int] = Volatile.TRANSFORMED.value

CANNOT_MOVE: Final = 0xFF


def choice_of_item(item: int, member: int = 0, slot: int = 0) -> int:
    """Return the choice to use an item on a member of the team, or on one of its moves."""
    return ITEM + item * PER_ITEM + member * SLOTS + slot
