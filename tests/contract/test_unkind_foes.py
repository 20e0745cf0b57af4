"""Each kind of status move is known by a trainer of the demo and by a wild Pokemon in the grass."""

from collections.abc import Iterator
from typing import Final

import pytest

from emulator.rules import effects
from tests.agent.demo import DEX

LAST_LEADER: Final = 37  # the classes up to the last leader; the four of the corridor are above
KINDS: Final = {
    "sleep": {effects.SLEEP},
    "paralysis": {effects.PARALYZE},
    "confusion": {49},
    "accuracy down": {22},
    "trapping": {42},
    "setting up": {10, 11, 12, 13, 50, 51, 52, 53},
    "healing": {56},
    "explosion": {7},
}


def trainers_effects() -> Iterator[int]:
    for number, trainer in DEX.all_trainers.items():
        for team in trainer.teams if number <= LAST_LEADER else ():
            for level, species in team:
                yield from effects_at(species, level)


def effects_at(species: int, level: int) -> list[int]:
    return [DEX.move(move).effect for move in DEX.species(species).moves_at(level)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_trainer_and_a_wild_pokemon_know_each_kind_of_status_move(kind: str) -> None:
    assert KINDS[kind] & set(trainers_effects())
    wild = {
        effect
        for each in DEX.wild.values()
        if each.grass is not None
        for slot in each.grass.slots
        for effect in effects_at(slot.species, slot.level)
    }
    assert KINDS[kind] & wild
