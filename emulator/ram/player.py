"""The player: names, money, badges, the clock of the game, the bag, and what is left of a visit to the Safari."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.view import Ram
from emulator.text import bcd, bits, decode_name

PLAYER_NAME: Final = symbol("wPlayerName")
RIVAL_NAME: Final = symbol("wRivalName")
NAME_SIZE: Final = 11
MONEY: Final = symbol("wPlayerMoney")  # three BCD bytes
BADGES: Final = symbol("wObtainedBadges")
PLAYER_ID: Final = symbol("wPlayerID")
PLAY_TIME: Final = symbol("wPlayTimeHours")  # hours, maxed flag, minutes, seconds, frames


class PlayTime(NamedTuple):
    """How long the game says it has been played."""

    hours: int
    minutes: int
    seconds: int
    frames: int


@dataclass(frozen=True, slots=True)
class Player:
    """Who plays, and what they own that is not in the bag; `badges` are bit numbers."""

    name: str
    rival_name: str
    money: int
    badges: tuple[int, ...]
    player_id: int
    play_time: PlayTime

    @property
    def badge_count(self) -> int:
        """How many badges there are."""
        return len(self.badges)


def read_player(ram: Ram) -> Player:
    """Return who plays."""
    name = decode_name(ram.span(PLAYER_NAME, NAME_SIZE))
    money = _decode_purse(ram.span(MONEY, PLAYER_ID + 2 - MONEY))
    hours, _, minutes, seconds, frames = ram.span(PLAY_TIME, 5)
    return Player(name, *money, PlayTime(hours, minutes, seconds, frames))


@lru_cache(maxsize=16)
def _decode_purse(purse: bytes) -> tuple[str, int, tuple[int, ...], int]:
    return (
        decode_name(purse[RIVAL_NAME - MONEY :][:NAME_SIZE]),
        bcd(purse[:3]),
        bits(purse[BADGES - MONEY]),
        int.from_bytes(purse[PLAYER_ID - MONEY :][:2], "big"),
    )


BAG_COUNT: Final = symbol("wNumBagItems")
BAG_CAPACITY: Final = 20
BAG_SIZE: Final = 1 + 2 * BAG_CAPACITY + 1


class Stack(NamedTuple):
    """So many of one item."""

    item: int
    quantity: int


@dataclass(frozen=True, slots=True)
class Bag:
    """The stacks of the bag in its order."""

    items: tuple[Stack, ...]

    def __len__(self) -> int:
        return len(self.items)

    def quantity(self, item: int) -> int:
        """Return how many of `item` there are."""
        return sum(stack.quantity for stack in self.items if stack.item == item)

    @property
    def full(self) -> bool:
        """Whether no other kind of item fits in."""
        return len(self.items) >= BAG_CAPACITY


def read_bag(ram: Ram) -> Bag:
    """Return what the player carries."""
    return _decode_bag(ram.span(BAG_COUNT, BAG_SIZE))


@lru_cache(maxsize=16)
def _decode_bag(block: bytes) -> Bag:
    count = block[0]
    if count > BAG_CAPACITY or block[1 + 2 * count] != 0xFF:
        return Bag(())
    pairs = block[1 : 1 + 2 * count]
    return Bag(tuple([Stack(*pair) for pair in zip(pairs[::2], pairs[1::2], strict=True)]))


SAFARI_STEPS: Final = symbol("wSafariSteps")  # two bytes, the high one first
SAFARI_BALLS: Final = symbol("wNumSafariBalls")


class Safari(NamedTuple):
    """Steps that may still be taken, and balls that may still be thrown; of the last visit where there is none now."""

    steps: int
    balls: int


def read_safari(ram: Ram) -> Safari:
    """Return what is left."""
    return Safari(int.from_bytes(ram.span(SAFARI_STEPS, 2), "big"), ram.byte(SAFARI_BALLS))
