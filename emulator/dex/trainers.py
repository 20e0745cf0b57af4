"""Trainers: class names, prize money, teams, and the special moves of leaders."""

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from emulator.cartridge import Rom, read_names
from emulator.dex.items import LAST_MOVE
from emulator.dex.species import LAST_SPECIES
from emulator.profile import table
from emulator.rules.arithmetic import HIGHEST_LEVEL
from emulator.text import bcd

PARTIES: Final = table("TrainerDataPointers")
PARTIES_END: Final = table("TrainerAIPointers").address  # which follow
MONEY: Final = table("TrainerPicAndMoneyPointers")  # picture, three BCD bytes
MONEY_SIZE: Final = 5
NAMES: Final = table("TrainerNames")
CHOICES: Final = table("TrainerClassMoveChoiceModifications")  # a list per class, each ended by 0
CHOICES_SIZE: Final = 4  # maximum of a list
COUNT: Final = 47
LEVELS_DIFFER: Final = 0xFF
TEAM_SIZE: Final = 6
MAX_TEAMS: Final = 0xFF  # a trainer's number is one byte


class TeamMember(NamedTuple):
    """A Pokemon of a trainer's team, or one that a rod can catch."""

    level: int
    species: int


Team: TypeAlias = tuple[TeamMember, ...]


class TeamData(NamedTuple):
    """The bytes that hold the teams of one class; after the last class they include other data."""

    data: bytes
    is_last: bool


@dataclass(frozen=True, slots=True)
class TrainerClass:
    """All trainers of one class; trainer number n has the team `teams[n - 1]`.

    `choices` are the numbers of the modifications by which they choose moves.
    """

    number: int
    name: str
    base_money: int
    teams: tuple[Team, ...]
    choices: tuple[int, ...]

    def prize(self, number: int) -> int:
        """Return the prize money of the trainer with this number, counted from 1."""
        return self.base_money * self.teams[number - 1][-1].level


def read_trainers(rom: Rom) -> dict[int, TrainerClass]:
    """Return every class by its number."""
    money = rom.table(MONEY, MONEY_SIZE, COUNT)
    choices = rom.span(*CHOICES, COUNT * CHOICES_SIZE).split(b"\0")
    named = zip(read_names(rom, NAMES, COUNT), team_data(rom), strict=True)
    classes = {}
    for n, (name, team_bytes) in enumerate(named):
        teams, chosen = _teams(team_bytes.data), tuple(choices[n]) if n < len(choices) else ()
        classes[n + 1] = TrainerClass(n + 1, name, bcd(money[n][2:]) // 100, teams, chosen)
    return classes


def team_data(rom: Rom) -> tuple[TeamData, ...]:
    """Return the bytes with the teams of each class."""
    bank, at = PARTIES
    starts = [rom.pointer(bank, at + 2 * n) for n in range(COUNT)]
    teams = []
    for n, start in enumerate(starts):
        # The number of teams is not stored: they end where those of another class begin. Several classes may
        # have the same start; the last of these has the teams.
        later = min((other for other in starts if other > start), default=PARTIES_END)
        end = start if start in starts[n + 1 :] else later
        teams.append(TeamData(rom.span(bank, start, max(end - start, 0)), start == max(starts)))
    return tuple(teams)


def _teams(data: bytes) -> tuple[Team, ...]:
    teams: list[Team] = []
    for record in data.split(b"\0", MAX_TEAMS)[:-1]:
        team = _team(record)
        if team is None:  # after the last class is other data
            break
        teams.append(team)
    return tuple(teams)


def _team(record: bytes) -> Team | None:
    if record[:1] == bytes([LEVELS_DIFFER]):
        team = tuple([TeamMember(*pair) for pair in zip(record[1::2], record[2::2], strict=False)])
    else:
        team = tuple([TeamMember(record[0], species) for species in record[1:]])
    valid = all(m.level <= HIGHEST_LEVEL and m.species <= LAST_SPECIES for m in team)
    return team if 0 < len(team) <= TEAM_SIZE and valid else None


LONE_MOVES: Final = table("LoneMoves")  # place in the team, move
GYMS: Final = 8
TEAM_MOVES: Final = table("TeamMoves")  # trainer class, move
ELITE: Final = 4
ELITE_PLACE: Final = 4  # always the fifth Pokemon


class SpecialMove(NamedTuple):
    """The third move of the Pokemon at `place`, counted from 0, of a team."""

    place: int
    move: int


def read_lone_moves(rom: Rom) -> dict[int, SpecialMove]:
    """Return the special moves of leaders by gym number, 1 to 8 (wLoneAttackNo)."""
    return {
        gym: SpecialMove(place, move)
        for gym, (place, move) in enumerate(rom.table(LONE_MOVES, 2, GYMS), start=1)
        if place < TEAM_SIZE and 0 < move <= LAST_MOVE
    }


def read_team_moves(rom: Rom) -> dict[int, SpecialMove]:
    """Return the special moves of the Elite Four by trainer class."""
    return {
        number: SpecialMove(ELITE_PLACE, move)
        for number, move in rom.table(TEAM_MOVES, 2, ELITE)
        if 0 < number <= COUNT and 0 < move <= LAST_MOVE
    }
