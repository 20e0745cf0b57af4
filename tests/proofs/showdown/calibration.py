"""What the agent says of battles beside how they end on Showdown's engine: random duels, and fights of Red's trainers."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple

from agent.battle.odds import Foe, Foes, chance_to_beat, mon_from
from emulator import Dex, Party, PartyMon
from emulator.engine.foe import NOTHING, ROUTINES
from emulator.rules import effects
from tests.proofs.showdown.jobs import red_dex
from tests.proofs.showdown.oracle import Match, TeamJson, play_matches
from tests.proofs.showdown.players import Players
from tests.proofs.workers import Row

FIGHTS: Final = 10  # a job
GAMES: Final = 40  # of a fight
LEVELS: Final = (5, 55)
ABOVE: Final = (-6, 4)  # levels of the foe beside ours
OURS_ABOVE: Final = (-4, 4)  # levels of our team beside the trainer's
LARGEST: Final = 4  # team
PLENTY: Final = 63  # PP: the game's own side does not run out of them
# Fights that are not clear: the others, most of all, would hide what is wrong.
CONTESTED: Final = (0.03, 0.97)

KINDS: Final = {
    "sleep": (effects.SLEEP,),
    "paralysis": (effects.PARALYZE,),
    "poison, seeds": (effects.POISON, effects.LEECH_SEED),
    "confusion": (effects.CONFUSE,),
    "trapping": (effects.TRAP,),
    "lowers stats": (
        *range(effects.ATTACK_DOWN_1, effects.EVASION_DOWN_1 + 1),
        *range(effects.ATTACK_DOWN_2, effects.EVASION_DOWN_2 + 1),
    ),
    "raises its own": (
        *range(effects.ATTACK_UP_1, effects.EVASION_UP_1 + 1),
        *range(effects.ATTACK_UP_2, effects.EVASION_UP_2 + 1),
    ),
    "heals": (effects.HEAL, effects.DRAIN),
    "explodes": (effects.EXPLODE,),
    "screens, substitute": (effects.LIGHT_SCREEN, effects.REFLECT, effects.SUBSTITUTE),
}


class Fight(NamedTuple):
    """A fight of ours with a team that may be a trainer's."""

    party: Party
    foes: Foes


def random_duel(dex: Dex, random: Random) -> Fight:
    """Return one against one, of about the same level, with the moves that they learn."""
    level = random.randint(*LEVELS)
    own = with_moves(dex, random, level)
    foe = with_moves(dex, random, min(max(level + random.randint(*ABOVE), 2), 100))
    mon = mon_from(dex, own)
    assert mon is not None
    return Fight(Party((mon,)), (foe,))


def with_moves(dex: Dex, random: Random, level: int) -> Foe:
    """Return one of a random species that knows a move at this level."""
    while True:
        found = Foe(level, random.choice(sorted(dex.all_species)))
        mon = mon_from(dex, found)
        if mon is not None and mon.moves:
            return found


def trainer_fight(dex: Dex, random: Random) -> Fight:
    """Return a fight of a trainer, whose class uses no items and does not switch, with a plausible team of ours."""
    classes = [
        each
        for each in dex.all_trainers.values()
        if each.teams and ROUTINES[each.number][3] == NOTHING
    ]
    trainer = random.choice([(each, team) for each in classes for team in each.teams])
    team = tuple(
        [Foe(each.level, each.species, trainer_class=trainer[0].number) for each in trainer[1]]
    )
    level = max(each.level for each in team)
    party: list[PartyMon] = []
    for _ in range(random.randint(1, LARGEST)):
        mon = mon_from(
            dex, with_moves(dex, random, min(max(level + random.randint(*OURS_ABOVE), 3), 100))
        )
        assert mon is not None
        party.append(mon)
    return Fight(Party(tuple(party)), team)


def team_json(dex: Dex, mons: Sequence[PartyMon], pp: int | None = None) -> TeamJson:
    """Return a team as Showdown's engine takes it, with so many PP if not its own."""
    return [
        {
            "species": dex.all_species[mon.species].dex,
            "level": mon.level,
            "moves": [slot.move for slot in mon.moves],
            "dvs": [mon.dvs.hp, *mon.dvs],
            "trained": [0] * 5,
            "pp": [slot.pp if pp is None else pp for slot in mon.moves],
        }
        for mon in mons
    ]


def kinds_of(dex: Dex, foes: Sequence[PartyMon]) -> list[str]:
    """Return which kinds of moves a team has besides plain attacks."""
    found = {dex.move(slot.move).effect for mon in foes for slot in mon.moves}
    return [kind for kind, those in KINDS.items() if found.intersection(those)] or ["plain attacks"]


def duels_job(number: int) -> Row:
    """Compare random duels."""
    return _compared(f"duels {number}", contested(random_duel, Random(number)), number)


def trainers_job(number: int) -> Row:
    """Compare fights of trainers."""
    return _compared(f"trainers {number}", contested(trainer_fight, Random(number)), number)


def contested(draw: Callable[[Dex, Random], Fight], random: Random) -> list[Fight]:
    """Return fights that are not clear by what is said of them."""
    dex, found = red_dex(), list[Fight]()
    while len(found) < FIGHTS:
        fight = draw(dex, random)
        if CONTESTED[0] < chance_to_beat(dex, *fight) < CONTESTED[1]:
            found.append(fight)
    return found


def _compared(name: str, fights: Sequence[Fight], seed: int) -> Row:
    dex, matches, classes = red_dex(), list[Match](), list[int]()
    rows: list[Row] = []
    for fight in fights:
        foes = [mon for foe in fight.foes if (mon := mon_from(dex, foe)) is not None]
        teams = team_json(dex, fight.party.mons), team_json(dex, foes, PLENTY)
        for _ in range(GAMES):
            matches.append(Match(teams, ("asked", "asked"), seed * 100_000 + len(matches)))
            classes.append(fight.foes[0].trainer_class)
        rows.append(
            {
                "said": chance_to_beat(dex, fight.party, fight.foes),
                "kinds": kinds_of(dex, foes),
                "own": [dex.all_species[mon.species].name for mon in fight.party.mons],
                "foes": [dex.all_species[mon.species].name for mon in foes],
                "level": fight.party.mons[0].level,
                "class": fight.foes[0].trainer_class,
            }
        )
    players = Players(dex, classes)
    won = [game.winner == 0 for game in play_matches(matches, players.choose)]
    for at, row in enumerate(rows):
        row["played"] = sum(won[at * GAMES : (at + 1) * GAMES]) / GAMES
    return {
        "name": name,
        "fights": rows,
        "asked": players.asked,
        "unlike": players.unlike,
        "problems": [],
    }
