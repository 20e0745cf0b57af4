"""Turns on the cartridge are turns of the engine: a small part of the proof of many."""

from dataclasses import replace
from itertools import islice

import pytest

from agent.battle.odds import tables_of
from emulator.rules.codes import THEIRS
from tests.agent.demo import DEX
from tests.agent.ring import Ring
from tests.proofs.cartridge_battles import compared
from tests.proofs.drawn_battles import played_battle
from tests.proofs.played_turns import PlayedTurn
from tests.proofs.turn_oracle import judged

SEEDS = (6, 14, 23)


@pytest.fixture(scope="module")
def turns(ring: Ring) -> list[PlayedTurn]:
    """The turns of a few battles with drawn teams, moves and orders."""
    played = [played_battle(ring.game.console, ring.start, DEX, each) for each in SEEDS]
    return [turn for each in played for turn in each]


def test_what_happens_in_drawn_battles_is_possible_by_the_engine(turns: list[PlayedTurn]) -> None:
    assert len(turns) >= 20
    assert compared(DEX, turns, "a few")["problems"] == []


def test_what_cannot_have_happened_is_detected(turns: list[PlayedTurn]) -> None:
    going_on = (turn for turn in turns if not turn.ends)
    for turn in islice(going_on, 2):
        after = turn.after.copy()
        after.sides[THEIRS].stages[2] += 3
        shown = judged(replace(turn, after=after), 1, tables_of(DEX), most=4_096).shown
        assert any("stages 2" in each for each in shown)
