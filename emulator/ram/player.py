"""The player: names, money, badges, play time, the bag, and the Safari Zone counters."""

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
RIVAL_STARTER: Final = symbol("wRivalStarter")
PLAYER_ID: Final = symbol("wPlayerID")
PLAY_TIME: Final = symbol("wPlayTimeHours")  # hours, maxed flag, minutes, seconds, frames


class PlayTime(NamedTuple):
    """The play time that the game shows."""

    hours: int
    minutes: int
    seconds: int
    frames: int


@dataclass(frozen=True, slots=True)
class Player:
    """The player's names, money, badges (as bit numbers), id and play time, and the species that the rival chose first."""

    name: str
    rival_name: str
    money: int
    badges: tuple[int, ...]
    player_id: int
    play_time: PlayTime
    rival_starter: int = 0

    @property
    def badge_count(self) -> int:
        """The number of badges."""
        return len(self.badges)


def read_player(ram: Ram) -> Player:
    """Return the player's data."""
    name = decode_name(ram.span(PLAYER_NAME, NAME_SIZE))
    money = _decode_assets(ram.span(MONEY, PLAYER_ID + 2 - MONEY))
    hours, _, minutes, seconds, frames = ram.span(PLAY_TIME, 5)
    play_time = PlayTime(hours, minutes, seconds, frames)
    return Player(name, *money, play_time, ram.byte(RIVAL_STARTER))


@lru_cache(maxsize=16)
def _decode_assets(block: bytes) -> tuple[str, int, tuple[int, ...], int]:
    return (
        decode_name(block[RIVAL_NAME - MONEY :][:NAME_SIZE]),
        bcd(block[:3]),
        bits(block[BADGES - MONEY]),
        int.from_bytes(block[PLAYER_ID - MONEY :][:2], "big"),
    )


BAG_COUNT: Final = symbol("wNumBagItems")
BAG_CAPACITY: Final = 20
BAG_SIZE: Final = 1 + 2 * BAG_CAPACITY + 1


class Stack(NamedTuple):
    """An item and its quantity."""

    item: int
    quantity: int


@dataclass(frozen=True, slots=True)
class Bag:
    """The stacks of the bag in order."""

    items: tuple[Stack, ...]

    def __len__(self) -> int:
        return len(self.items)

    def quantity(self, item: int) -> int:
        """Return the quantity of `item`."""
        return sum(stack.quantity for stack in self.items if stack.item == item)

    @property
    def full(self) -> bool:
        """Whether no other kind of item fits in."""
        return len(self.items) >= BAG_CAPACITY


def read_bag(ram: Ram) -> Bag:
    """Return the contents of the bag."""
    return _decode_bag(ram.span(BAG_COUNT, BAG_SIZE))


@lru_cache(maxsize=16)
def _decode_bag(block: bytes) -> Bag:
    count = block[0]
    if count > BAG_CAPACITY or block[1 + 2 * count] != 0xFF:
        return Bag(())
    pairs = block[1 : 1 + 2 * count]
    return Bag(tuple([Stack(*pair) for pair in zip(pairs[::2], pairs[1::2], strict=True)]))


SAFARI_STEPS: Final = symbol("wSafariSteps")  # two bytes, big-endian
SAFARI_BALLS: Final = symbol("wNumSafariBalls")


class Safari(NamedTuple):
    """Steps and balls left in the Safari Zone; outside of it, the values of the last visit."""

    steps: int
    balls: int


def read_safari(ram: Ram) -> Safari:
    """Return the Safari Zone counters."""
    return Safari(int.from_bytes(ram.span(SAFARI_STEPS, 2), "big"), ram.byte(SAFARI_BALLS))
