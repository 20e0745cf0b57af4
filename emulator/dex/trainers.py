"""Trainers: what their class is called, what it pays, and with whom each of them fights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from emulator.dex.names import read_names
from emulator.profile import table
from emulator.ram.numbers import bcd
from emulator.world.rom import Rom

PARTIES: Final = table("TrainerDataPointers")
PARTIES_END: Final = table("TrainerAIPointers").address  # which follow
MONEY: Final = table("TrainerPicAndMoneyPointers")  # picture, three BCD bytes
MONEY_SIZE: Final = 5
NAMES: Final = table("TrainerNames")
COUNT: Final = 47
LEVELS_DIFFER: Final = 0xFF
HIGHEST_LEVEL: Final = 100
LAST_SPECIES: Final = 190
TEAM_SIZE: Final = 6


class Member(NamedTuple):
    """A mon of a trainer's team."""

    level: int
    species: int


Team: TypeAlias = tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class TrainerClass:
    """All trainers of one class; who has number n fights with `teams[n - 1]`."""

    number: int
    name: str
    base_money: int
    teams: tuple[Team, ...]

    def prize(self, number: int) -> int:
        """Return what the trainer with this number, from 1 on, pays."""
        return self.base_money * self.teams[number - 1][-1].level


def read_trainers(rom: Rom) -> dict[int, TrainerClass]:
    """Return every class by its number."""
    bank, at = PARTIES
    starts = [rom.pointer(bank, at + 2 * n) for n in range(COUNT)]
    money = rom.span(*MONEY, COUNT * MONEY_SIZE)
    classes = {}
    for n, name in enumerate(read_names(rom, NAMES, COUNT)):
        # How many teams there are is not stored: they end where those of another class begin,
        # which may be where they begin themselves: the last of these classes has the teams.
        later = [start for start in starts if start > starts[n]]
        end = starts[n] if starts[n] in starts[n + 1 :] else min(later, default=PARTIES_END)
        teams = _teams(rom.span(bank, starts[n], max(end - starts[n], 0)))
        digits = money[n * MONEY_SIZE + 2 : (n + 1) * MONEY_SIZE]
        classes[n + 1] = TrainerClass(n + 1, name, bcd(digits) // 100, teams)
    return classes


def _teams(data: bytes) -> tuple[Team, ...]:
    teams: list[Team] = []
    record, ended, data = data.partition(b"\0")
    while ended and (team := _team(record)) is not None:  # behind the last class is no team
        teams.append(team)
        record, ended, data = data.partition(b"\0")
    return tuple(teams)


def _team(record: bytes) -> Team | None:
    if record[:1] == bytes([LEVELS_DIFFER]):
        pairs = zip(record[1::2], record[2::2], strict=False)
        team = tuple([Member(level, species) for level, species in pairs])
    else:
        team = tuple([Member(record[0], species) for species in record[1:]])
    sound = all(m.level <= HIGHEST_LEVEL and m.species <= LAST_SPECIES for m in team)
    return team if 0 < len(team) <= TEAM_SIZE and sound else None
