"""The battle of each seed: the opponent and the own team, and how they are written into RAM.

A third of the seeds meets a wild Pokemon of any species, a third a trainer of the cartridge with one Pokemon, a third a
trainer with several. The own team is made by the cartridge's rules for Pokemon that just reached their level, which is
near that of the strongest opponent. Battles may instead be those that games met: the trainers of the way, each against
the team, with the bag and the badges, that came to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from emulator import Dex, Species, State, symbol
from emulator.dex import TeamMember
from emulator.ram import Dvs
from emulator.rules import stats_of

HIGHEST: Final = 16  # level of wild Pokemon
LOWEST: Final = 3
ABOVE: Final = (-2, -1, 0, 1)  # the own level minus that of the strongest opponent
LARGEST_TEAM: Final = 3
LONGEST_WAIT: Final = 240  # frames
PLAYER_ID: Final = 1  # of the trainer of a drawn team
WILD: Final = "wild"
ONE: Final = "trainer with one"
SEVERAL: Final = "trainer with several"
KINDS: Final = (WILD, ONE, SEVERAL)
# What a battle depends on besides the opponent, and the sizes in bytes; the whole party lies in one piece.
KEPT: Final = {
    "wPlayerID": 2,
    "wPartyCount": 404,
    "wNumBagItems": 42,
    "wObtainedBadges": 1,
    "wGymLeaderNo": 1,
}


@dataclass(frozen=True, slots=True)
class BattleOpponent:
    """A trainer by class and number, or a wild Pokemon with class 0."""

    trainer_class: int
    number: int
    team: tuple[TeamMember, ...]

    @property
    def kind(self) -> str:
        """The row of the table that the battle counts in."""
        if not self.trainer_class:
            return WILD
        return ONE if len(self.team) == 1 else SEVERAL


@dataclass(frozen=True, slots=True)
class BattleSetup:
    """The setup of one battle: the opponent, the bytes to write into RAM before it by address, and the frames to wait.

    `kind` is the row of the table that it counts in, and `own` the team if it was drawn.
    """

    foe: BattleOpponent
    kind: str
    ram: Mapping[int, bytes]
    seed: int = 0
    wait: int = 1
    own: tuple[TeamMember, ...] = ()


def met_trainer(state: State, dex: Dex) -> BattleSetup | None:
    """Return the battle with a trainer that has just begun, or None in any other state."""
    battle, ram = state.battle, state.ram
    if battle is None or not battle.is_trainer:
        return None
    kept = {symbol(label): size for label, size in KEPT.items()}
    foe = BattleOpponent(battle.trainer_class, battle.trainer_number, ())
    spans = {at: bytes(ram.span(at, size)) for at, size in kept.items()}
    return BattleSetup(foe, dex.trainer(battle.trainer_class).name, spans)


def met_battle(met: Sequence[BattleSetup], seed: int) -> BattleSetup:
    """Return the battle of a seed; the classes of trainers alternate."""
    chance = Random(seed)
    classes = list(dict.fromkeys(each.foe.trainer_class for each in met))
    wanted = classes[seed % len(classes)]
    drawn = chance.choice([each for each in met if each.foe.trainer_class == wanted])
    return replace(drawn, seed=seed, wait=1 + chance.randrange(LONGEST_WAIT))


def battle_setup(dex: Dex, seed: int) -> BattleSetup:
    """Return the battle of a seed; the kinds alternate, so that each has a third."""
    chance = Random(seed)
    foe = _foe(dex, KINDS[seed % len(KINDS)], chance)
    highest = max(level for level, _ in foe.team)
    size = 1 if len(foe.team) == 1 else chance.randint(1, min(len(foe.team), LARGEST_TEAM))
    species = [chance.choice(_fighters(dex)) for _ in range(size)]
    own = tuple(
        [TeamMember(max(highest + chance.choice(ABOVE), 2), each.index) for each in species]
    )
    ram = {
        symbol("wPlayerID"): PLAYER_ID.to_bytes(2),
        **party_in_ram(dex, own, chance.randrange(1 << 16), PLAYER_ID),
    }
    return BattleSetup(foe, foe.kind, ram, seed, 1 + chance.randrange(LONGEST_WAIT), own)


def _foe(dex: Dex, kind: str, chance: Random) -> BattleOpponent:
    trainers = [foe for foe in _trainers(dex) if foe.kind == kind]
    if trainers:
        return chance.choice(trainers)
    level, species = chance.randint(LOWEST, HIGHEST), chance.choice(_fighters(dex)).index
    return BattleOpponent(0, 0, (TeamMember(level, species),))


def _trainers(dex: Dex) -> list[BattleOpponent]:
    """Return every distinct team once; unused trainer classes share one."""
    teams: dict[tuple[TeamMember, ...], BattleOpponent] = {}
    for number, trainer in dex.all_trainers.items():
        for at, team in enumerate(trainer.teams, start=1):
            teams.setdefault(team, BattleOpponent(number, at, team))
    return list(teams.values())


def _fighters(dex: Dex) -> list[Species]:
    """Return every species that can attack at the lowest level."""
    return [
        each
        for each in dex.all_species.values()
        if any(dex.all_moves[move].power for move in each.moves_at(2) if move in dex.all_moves)
    ]


SIZE: Final = 44
NAME_SIZE: Final = 11
NAME: Final = b"\x8c\x8e\x8d\x50".ljust(NAME_SIZE, b"\x50")
NO_MORE: Final = 0xFF


def party_in_ram(
    dex: Dex, members: Sequence[TeamMember], dvs: int, player_id: int
) -> dict[int, bytes]:
    """Return the bytes to write by address to give the player this team, as if it had just reached its levels."""
    count, species = len(members), bytes([member.species for member in members])
    mons = b"".join([_mon(dex, member, dvs, player_id) for member in members])
    return {
        symbol("wPartyCount"): bytes([count]),
        symbol("wPartySpecies"): species + bytes([NO_MORE]),
        symbol("wPartyMons"): mons,
        symbol("wPartyMonOT"): NAME * count,
        symbol("wPartyMonNicks"): NAME * count,
    }


def _mon(dex: Dex, member: TeamMember, dvs: int, player_id: int) -> bytes:
    species = dex.species(member.species)
    attack, defense, speed, special = [dvs >> shift & 15 for shift in (12, 8, 4, 0)]
    stats = stats_of(species.base, Dvs(attack, defense, speed, special), member.level)
    moves = species.moves_at(member.level)
    data = bytearray(SIZE)
    data[0], data[3], data[33] = species.index, member.level, member.level
    data[1:3] = stats.hp.to_bytes(2)
    data[5:8] = bytes([*species.types, species.catch_rate])
    data[8 : 8 + len(moves)] = bytes(moves)
    data[12:14] = player_id.to_bytes(2)
    data[14:17] = species.growth.experience_at(member.level).to_bytes(3)
    data[27:29] = dvs.to_bytes(2)
    data[29 : 29 + len(moves)] = bytes([dex.move(move).pp for move in moves])
    data[34:44] = b"".join([stat.to_bytes(2) for stat in stats])
    return bytes(data)


OPPONENT_IS_TRAINER: Final = 200


def opponent_in_ram(foe: BattleOpponent) -> dict[int, bytes]:
    """Return the bytes to write by address to meet this opponent."""
    if foe.trainer_class:
        code, level = OPPONENT_IS_TRAINER + foe.trainer_class, 0
    else:
        level, code = foe.team[0]
    return {
        symbol("wTrainerNo"): bytes([foe.number]),
        symbol("wCurEnemyLevel"): bytes([level]),
        symbol("wCurOpponent"): bytes([code]),
    }
