"""Whole battles: the same from the same seed, compiled or not, alone or in an array; and good data from a cartridge."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from emulator.engine.choices import AS_THE_GAME, GREEDY, RANDOM
from emulator.engine.turn import copies, play_out, play_turn, play_turns
from emulator.rules.codes import GOES_ON, LINK, LOST, RAN, TRAINER, WILD, WON
from tests.emulator.engine.real_battle import real_battle, real_tables

ROOT = Path(__file__).resolve().parents[3]


def digest_of_battles() -> str:
    """Return a digest of how some battles of random species and moves end."""
    digest = sha256()
    for seed in range(6):
        kind = (WILD, TRAINER, LINK)[seed % 3]
        many = copies(real_battle(seed, kind), 2, seed)
        ends = play_out(many, RANDOM, RANDOM if kind == LINK else AS_THE_GAME, 25, real_tables())
        digest.update(many.tobytes() + ends.tobytes())
    return digest.hexdigest()


def test_the_same_seed_gives_the_same_battle_compiled_or_not() -> None:
    program = f"from {__name__} import digest_of_battles as d; print(d())"
    plain = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert plain.stdout.strip() == digest_of_battles() == digest_of_battles()


def test_a_turn_of_an_array_is_the_turn_of_each() -> None:
    many = copies(real_battle(1, TRAINER), 50, seed=9)
    alone = many.copy()
    ours, theirs = np.arange(50) % 4, np.full(50, -1)
    outcomes = play_turns(many, ours, theirs, real_tables())
    each = [play_turn(alone[at], at % 4, -1, real_tables()) for at in range(50)]
    assert outcomes.tolist() == each
    assert many.tobytes() == alone.tobytes()
    assert len({position.draws for position in many}) > 1


@pytest.mark.parametrize("kind", [WILD, TRAINER])
def test_battles_end(kind: int) -> None:
    many = copies(real_battle(4, kind), 200, seed=1)
    ends = play_out(many, GREEDY, AS_THE_GAME, 500, real_tables())
    assert set(ends.tolist()) <= {WON, LOST, RAN, 9}
    assert (many["sides"]["hp"] >= 0).all()
    assert (many["sides"]["hp"] <= many["sides"]["max_hp"]).all()
    cut = play_out(copies(real_battle(4, kind), 5, seed=1), RANDOM, AS_THE_GAME, 0, real_tables())
    assert set(cut.tolist()) == {GOES_ON}


def test_greedy_play_beats_random_play() -> None:
    won = 0
    for seed in range(100):
        battle = copies(real_battle(seed, LINK), 10, seed)
        won += int((play_out(battle, GREEDY, RANDOM, 500, real_tables()) == WON).sum())
    assert won > 600


@pytest.mark.usefixtures("new_interpreters")
def test_what_does_not_play_loads_without_numba() -> None:
    program = "import sys, emulator, memory, agent.cli; print('numba' in sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "False"
