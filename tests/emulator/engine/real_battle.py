"""Battles of random species and moves of a cartridge: Red's tables where the facts are, else the demo's."""

import random
from functools import cache
from pathlib import Path

from emulator import Dex, demo_cartridge_path, load_cartridge
from emulator.cartridge import Cartridge, CartridgeKind
from emulator.dex.dex import engine_tables
from emulator.engine.stages import start_battle
from emulator.ram.party import Dvs
from emulator.rules.position import Position, Tables, empty_positions
from emulator.rules.stats import stats_of
from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER

DVS = Dvs(9, 8, 8, 8)
LEVEL = 40


@cache
def real_dex() -> Dex:
    """Return Red's tables, or the demo's where the facts of Red are missing."""
    if not FOLDER.exists():
        return Dex.of(load_cartridge(demo_cartridge_path()))
    return Dex.of(Cartridge(Path("red.gb"), build(), "POKEMON RED", "", CartridgeKind.RED))


@cache
def real_tables() -> Tables:
    """Return the tables of the engine."""
    return engine_tables(real_dex())


def real_battle(seed: int, kind: int, members: int = 3) -> Position:
    """Return the start of a battle between teams that follow from the seed."""
    dex, draw = real_dex(), random.Random(seed)
    position: Position = empty_positions(1)[0]
    position.kind, position.seed, position.trainer_class = kind, seed, draw.randint(1, 47)
    for side in position.sides:
        side.count = members
        for place in range(members):
            member = side.team[place]
            species = dex.species(draw.choice(sorted(dex.all_species)))
            stats = stats_of(species.base, DVS, LEVEL)
            member.species, member.level, member.dvs[:] = species.index, LEVEL, DVS
            member.hp = member.max_hp = stats.hp
            member.stats[:] = stats[1:]
            member.exp = species.growth.experience_at(LEVEL)
            for slot, move in enumerate(draw.sample(sorted(dex.all_moves), 4)):
                member.moves[slot] = move
                member.pp[slot] = member.max_pp[slot] = dex.move(move).pp
    start_battle(position, real_tables())
    return position
