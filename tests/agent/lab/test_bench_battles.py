"""`bench battles` in pairs of the same battle."""

import json
from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.lab.bench.battle_setup import KINDS, battle_setup, met_battle, met_trainer
from agent.lab.bench.battles import (
    BattlePair,
    FightResult,
    StrongestMove,
    battle_findings,
    meet_trainers,
    play_battle,
    start_state,
)
from agent.lab.stats import Paired
from agent.skills import Attack, TriedOrders
from emulator import (
    BattleResult,
    Dex,
    PyBoyConsole,
    demo_cartridge_path,
    load_cartridge,
    read_state,
)
from emulator.ram.party import MoveSlot
from tests.agent.demo import at_the_menu
from tests.agent.support import Agent, Played, game_at

CARTRIDGE = load_cartridge(demo_cartridge_path())
DEX = Dex.of(CARTRIDGE)


@pytest.fixture(scope="module")
def start() -> bytes:
    return start_state(CARTRIDGE)


def test_the_interval_is_that_of_newcombe() -> None:
    # An example of Newcombe (1998): 36, 12, 2 and 0 of 50 pairs.
    difference, low, high = Paired(36, 12, 2, 0).interval()
    assert difference == 0.2
    assert low == pytest.approx(0.0569, abs=5e-4)
    assert high == pytest.approx(0.3404, abs=5e-4)
    assert Paired(5, 4, 4, 2).p_value() == 1.0
    assert Paired(5, 10, 0, 2).p_value() == pytest.approx(2 / 1024)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_the_interval_has_the_difference_and_is_symmetric(pairs: list[tuple[bool, bool]]) -> None:
    counts = Paired.of(pairs)
    difference, low, high = counts.interval()
    assert -1 - 1e-9 <= low <= difference + 1e-9
    assert difference - 1e-9 <= high <= 1 + 1e-9
    turned = Paired.of([(other, one) for one, other in pairs])
    assert turned.interval() == pytest.approx((-difference, -high, -low))
    assert 0 < counts.p_value() <= 1


def test_a_seed_gives_one_battle_and_kinds_alternate() -> None:
    drawn = [battle_setup(DEX, seed) for seed in range(60)]
    assert drawn == [battle_setup(DEX, seed) for seed in range(60)]
    assert Counter(each.foe.kind for each in drawn) == dict.fromkeys(KINDS, 20)
    assert len({(each.foe, each.own) for each in drawn}) > 40
    assert all(1 <= len(each.own) <= len(each.foe.team) for each in drawn)


def test_a_team_written_to_ram_is_read_back(played: Played) -> None:
    drawn = battle_setup(DEX, 2)
    with game_at(played.folder, lambda state: bool(len(state.party))) as game:
        for address, data in drawn.ram.items():
            game.console.poke(address, data)
        party = game.state.party
    assert [(mon.level, mon.species) for mon in party.mons] == list(drawn.own)
    for mon in party.mons:
        assert mon.hp == mon.stats.hp
        assert [each.move for each in mon.moves] == list(
            DEX.species(mon.species).moves_at(mon.level)
        )


def test_a_trainer_is_fought_with_the_team_that_met_it(played: Played, start: bytes) -> None:
    with game_at(played.folder, lambda state: met_trainer(state, DEX) is not None) as game:
        met, state = met_trainer(game.state, DEX), game.state
    assert met is not None
    assert state.battle is not None
    both = [met, met, replace(met, foe=replace(met.foe, trainer_class=1))]
    classes = [met_battle(both, seed).foe.trainer_class for seed in range(6)]
    assert classes == [met.foe.trainer_class, 1] * 3  # they alternate
    drawn = met_battle([met], 7)
    assert drawn.kind == DEX.trainer(state.battle.trainer_class).name
    with closing(PyBoyConsole(CARTRIDGE)) as console:
        console.load(start)
        for address, data in drawn.ram.items():
            console.poke(address, data)
        prepared = read_state(console.ram(), console.frame)
    assert (prepared.party, prepared.bag) == (state.party, state.bag)


def test_a_battle_is_the_same_from_the_same_start_state(start: bytes) -> None:
    with closing(PyBoyConsole(CARTRIDGE)) as console:
        for seed in (0, 2):
            drawn = battle_setup(DEX, seed)
            once, again = (play_battle(console, start, drawn, StrongestMove(DEX)) for _ in range(2))
            assert once.result is again.result
            assert once.result in {BattleResult.WON, BattleResult.LOST}
            assert len(once.decision_s) == len(again.decision_s) > 0
            assert read_state(console.ram(), console.frame).battle_result is once.result


def test_the_baseline_uses_only_power_times_accuracy(played: Played) -> None:
    with game_at(played.folder, at_the_menu) as game:
        state = game.state
    assert state.battle is not None
    assert state.battle.own is not None
    by_force = sorted(DEX.all_moves.values(), key=lambda each: each.power * each.accuracy)
    weak, strong = by_force[0], by_force[-1]
    moves = (MoveSlot(weak.number, 9, 0), MoveSlot(strong.number, 9, 0))
    own = replace(state.battle.own, moves=moves, disabled=None)
    state = replace(state, battle=replace(state.battle, own=own))
    assert StrongestMove(DEX).order(state, TriedOrders()) == Attack(1)


def test_bench_battles_needs_games_that_meet_trainers(agent: Agent) -> None:
    ended = agent("bench", "battles", "--seeds", "0", "--met", "0", "--until", "left_home")
    assert ended.code == 2
    assert "meet no trainer before left_home" in ended.err


def test_a_game_that_meets_trainers_counts_each_decision_of_its_battles() -> None:
    game = meet_trainers(CARTRIDGE.path, "rival", 0, lambda: False)
    assert len(game.met) == 1
    assert game.decision_s
    assert all(each >= 0 for each in game.decision_s)
    fought = FightResult(BattleResult.WON, (1.0,))
    found = battle_findings("demo", [BattlePair(0, "wild", fought, fought)], [game, game])
    assert found.figures["decisions"] == 2 * len(game.decision_s)


def test_bench_battles_prints_one_json_object(
    agent: Agent, start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.lab.bench.battles.start_state", lambda _cartridge: start)
    ended = agent("bench", "battles", "--seeds", "0", "--json")
    assert ended.code == 0
    assert ended.json["pairs"] == 1
    assert {"lower_bound", "difference", "agent", "baseline"} <= set(ended.json)
    assert json.dumps(ended.json) == ended.out.strip()
