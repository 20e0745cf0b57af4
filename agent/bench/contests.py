"""What is fought in the measurement of battles: drawn by a seed, the same for both policies."""

from dataclasses import dataclass
from random import Random
from typing import Final

from emulator import Dex, Member, Species

HIGHEST: Final = 16  # level of what is met in the wild
LOWEST: Final = 3
ABOVE: Final = (-2, -1, 0, 1)  # the own level less that of the strongest foe
LARGEST_TEAM: Final = 3
WILD: Final = "wild"
ONE: Final = "trainer with one"
SEVERAL: Final = "trainer with several"
KINDS: Final = (WILD, ONE, SEVERAL)


@dataclass(frozen=True, slots=True)
class Foe:
    """A trainer by class and number, or class 0 and one who is met in the wild."""

    trainer_class: int
    number: int
    team: tuple[Member, ...]

    @property
    def kind(self) -> str:
        """The row of the table that the battle counts in."""
        if not self.trainer_class:
            return WILD
        return ONE if len(self.team) == 1 else SEVERAL


@dataclass(frozen=True, slots=True)
class Contest:
    """One battle: who is met, by whom, and how many frames pass before."""

    seed: int
    foe: Foe
    own: tuple[Member, ...]
    dvs: int  # of the own mons, as stored
    wait: int


def contest(dex: Dex, seed: int) -> Contest:
    """Return the battle of a seed; kinds take turns, so that each has a third."""
    chance = Random(seed)
    foe = _foe(dex, KINDS[seed % len(KINDS)], chance)
    highest = max(level for level, _ in foe.team)
    size = 1 if len(foe.team) == 1 else chance.randint(1, min(len(foe.team), LARGEST_TEAM))
    species = [chance.choice(_fighters(dex)) for _ in range(size)]
    own = tuple([Member(max(highest + chance.choice(ABOVE), 2), each.index) for each in species])
    return Contest(seed, foe, own, chance.randrange(1 << 16), 1 + chance.randrange(240))


def _foe(dex: Dex, kind: str, chance: Random) -> Foe:
    trainers = [foe for foe in _trainers(dex) if foe.kind == kind]
    if trainers:
        return chance.choice(trainers)
    level, species = chance.randint(LOWEST, HIGHEST), chance.choice(_fighters(dex)).index
    return Foe(0, 0, (Member(level, species),))


def _trainers(dex: Dex) -> list[Foe]:
    """Every team once; classes that nobody made all have the same."""
    teams: dict[tuple[Member, ...], Foe] = {}
    for number, trainer in dex.all_trainers.items():
        for at, team in enumerate(trainer.teams, start=1):
            teams.setdefault(team, Foe(number, at, team))
    return list(teams.values())


def _fighters(dex: Dex) -> list[Species]:
    """Every species whose mons can attack at the lowest level."""
    return [
        each
        for each in dex.all_species.values()
        if any(dex.all_moves[move].power for move in each.moves_at(2) if move in dex.all_moves)
    ]
