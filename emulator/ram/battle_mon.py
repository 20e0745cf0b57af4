"""A Pokemon in battle: its stats, stages and volatile status."""

from dataclasses import dataclass
from enum import Flag
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.party import Dvs, MoveSlot, Stats, Status, decode_dvs, decode_moves, decode_status
from emulator.ram.view import Ram, RamSlices
from emulator.text import decode_name, word

MON_SIZE: Final = 29
NAME_SIZE: Final = 11
UNMODIFIED_SIZE: Final = 17  # level, five stats, six stages
STATUS_SIZE: Final = 3
COUNTERS_SIZE: Final = 4  # and the HP of a substitute, stored elsewhere
STAGES: Final = range(1, 14)  # as stored by the game
NEUTRAL: Final = 7


class Side(NamedTuple):
    """The addresses of one side's Pokemon."""

    nickname: int
    mon: int
    unmodified: int
    statuses: int
    counters: int
    substitute: int


OWN: Final = Side(
    nickname=symbol("wBattleMonNick"),
    mon=symbol("wBattleMon"),
    unmodified=symbol("wPlayerMonUnmodifiedLevel"),
    statuses=symbol("wPlayerBattleStatus1"),
    counters=symbol("wPlayerNumAttacksLeft"),
    substitute=symbol("wPlayerSubstituteHP"),
)
ENEMY: Final = Side(
    nickname=symbol("wEnemyMonNick"),
    mon=symbol("wEnemyMon"),
    unmodified=symbol("wEnemyMonUnmodifiedLevel"),
    statuses=symbol("wEnemyBattleStatus1"),
    counters=symbol("wEnemyNumAttacksLeft"),
    substitute=symbol("wEnemySubstituteHP"),
)
SIZES: Final = Side(NAME_SIZE, MON_SIZE, UNMODIFIED_SIZE, STATUS_SIZE, COUNTERS_SIZE, 1)
_SLICES: Final = {side: RamSlices(tuple(zip(side, SIZES, strict=True))) for side in (OWN, ENEMY)}
_ENDS: Final = tuple(accumulate((*SIZES[:-2], COUNTERS_SIZE + 1)))
_PARTS: Final = tuple([slice(*ends) for ends in pairwise((0, *_ENDS))])


class Volatile(Flag):
    """Volatile status, which ends with the battle: the bits of the three status bytes, lowest first."""

    NONE = 0
    BIDING = 1 << 0
    THRASHING = 1 << 1
    HITTING_AGAIN = 1 << 2
    FLINCHED = 1 << 3
    CHARGING = 1 << 4
    TRAPPING = 1 << 5  # keeps the other side from acting
    INVULNERABLE = 1 << 6
    CONFUSED = 1 << 7
    ALWAYS_HITS = 1 << 8
    MIST = 1 << 9
    FOCUSED = 1 << 10  # Focus Energy, which lowers the critical hit rate by a bug of the game
    SUBSTITUTE = 1 << 12
    RECHARGING = 1 << 13
    RAGING = 1 << 14
    SEEDED = 1 << 15
    BADLY_POISONED = 1 << 16
    LIGHT_SCREEN = 1 << 17
    REFLECT = 1 << 18
    TRANSFORMED = 1 << 19


KNOWN: Final = sum(flag.value for flag in Volatile)


class Stages(NamedTuple):
    """The stage of each stat, from -6 to 6."""

    attack: int = 0
    defense: int = 0
    speed: int = 0
    special: int = 0
    accuracy: int = 0
    evasion: int = 0


@dataclass(frozen=True, slots=True)
class BattleMon:
    """A Pokemon in battle; `position` is its place in its team.

    `stats` are the current values, `unmodified` those without stages, badges and status.
    `disabled` is the slot of `moves` that cannot be used.
    """

    species: int
    nickname: str
    position: int
    level: int
    hp: int
    status: Status
    types: tuple[int, int]
    catch_rate: int
    moves: tuple[MoveSlot, ...]
    dvs: Dvs
    stats: Stats
    unmodified: Stats
    stages: Stages
    volatile: Volatile
    attacks_left: int
    confused_turns: int
    toxic_turns: int
    disabled: int | None
    substitute_hp: int

    @property
    def max_hp(self) -> int:
        """Maximum HP."""
        return self.stats.hp

    @property
    def fainted(self) -> bool:
        """Whether it has no HP left."""
        return self.hp == 0

    @property
    def transformed(self) -> bool:
        """Whether species, types, moves and stats are copied from another Pokemon."""
        return Volatile.TRANSFORMED in self.volatile


def read_battle_mon(ram: Ram, side: Side, position: int) -> BattleMon | None:
    """Return the active Pokemon of a side, or None when the data is incomplete."""
    image = _SLICES[side].of(ram)
    return None if image is None else _decode(image, position)


@lru_cache(maxsize=16)
def _decode(image: bytes, position: int) -> BattleMon | None:
    nickname, mon, unmodified, statuses, counters = [image[part] for part in _PARTS]
    stats, hp = Stats(*_words(mon[15:25])), word(mon, 1)
    if not mon[0] or not mon[14] or hp > stats.hp:
        return None
    return BattleMon(
        species=mon[0],
        nickname=decode_name(nickname),
        position=position,
        level=mon[14],
        hp=hp,
        status=decode_status(mon[4]),
        types=(mon[5], mon[6]),
        catch_rate=mon[7],
        moves=decode_moves(mon[8:12], mon[25:29]),
        dvs=decode_dvs(mon[12:14]),
        stats=stats,
        unmodified=Stats(*_words(unmodified[1:11])),
        stages=Stages(*[byte - NEUTRAL if byte in STAGES else 0 for byte in unmodified[11:]]),
        volatile=Volatile(int.from_bytes(statuses, "little") & KNOWN),
        attacks_left=counters[0],
        confused_turns=counters[1],
        toxic_turns=counters[2],
        disabled=(counters[3] >> 4) - 1 if counters[3] >> 4 else None,
        substitute_hp=counters[4],
    )


def _words(data: bytes) -> list[int]:
    return [word(data, at) for at in range(0, len(data), 2)]
