"""bench battles: the same battle for both, counted in pairs, told with how sure it is."""

import json
from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.cli.flags import seeds_of
from agent.errors import UsageError
from agent.lab.bench.battles import (
    KINDS,
    BattlePair,
    Fought,
    Strongest,
    battle_findings,
    battle_rows,
    contest,
    fight_pairs,
    first_moment,
    party_in_ram,
    play_battle,
)
from agent.lab.stats import Paired
from agent.skills import Attack, TriedOrders
from emulator import (
    BattleResult,
    Dex,
    Phase,
    PyBoyConsole,
    demo_cartridge_path,
    load_cartridge,
    read_state,
)
from emulator.ram import MoveSlot
from tests.agent.support import Agent, Played, game_at

CARTRIDGE = load_cartridge(demo_cartridge_path())
DEX = Dex.of(CARTRIDGE)


def test_the_interval_is_newcombes() -> None:
    # An example of Newcombe (1998): 36, 12, 2 and 0 of 50 pairs.
    difference, low, high = Paired(36, 12, 2, 0).interval()
    assert difference == 0.2
    assert low == pytest.approx(0.0569, abs=5e-4)
    assert high == pytest.approx(0.3404, abs=5e-4)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_the_interval_holds_the_difference_and_turns_around(pairs: list[tuple[bool, bool]]) -> None:
    counts = Paired.of(pairs)
    difference, low, high = counts.interval()
    assert -1 - 1e-9 <= low <= difference + 1e-9
    assert difference - 1e-9 <= high <= 1 + 1e-9
    turned = Paired.of([(other, one) for one, other in pairs])
    assert turned.interval() == pytest.approx((-difference, -high, -low))
    assert 0 < counts.p_value() <= 1


def test_an_even_split_says_nothing_and_an_uneven_one_much() -> None:
    assert Paired(5, 4, 4, 2).p_value() == 1.0
    assert Paired(5, 10, 0, 2).p_value() == pytest.approx(2 / 1024)


def test_a_seed_draws_one_battle_and_kinds_take_turns() -> None:
    drawn = [contest(DEX, seed) for seed in range(60)]
    assert drawn == [contest(DEX, seed) for seed in range(60)]
    assert Counter(each.foe.kind for each in drawn) == dict.fromkeys(KINDS, 20)
    assert len({(each.foe, each.own) for each in drawn}) > 40
    assert all(1 <= len(each.own) <= len(each.foe.team) for each in drawn)


def test_a_team_written_to_ram_is_read_back_as_it_was_drawn(played: Played) -> None:
    drawn = contest(DEX, 2)
    with game_at(played.folder, lambda state: bool(len(state.party))) as game:
        player_id = game.state.player.player_id
        for address, data in party_in_ram(DEX, drawn.own, drawn.dvs, player_id).items():
            game.console.poke(address, data)
        party = game.state.party
    assert [(mon.level, mon.species) for mon in party.mons] == list(drawn.own)
    for mon in party.mons:
        assert mon.hp == mon.stats.hp
        assert [each.move for each in mon.moves] == list(
            DEX.species(mon.species).moves_at(mon.level)
        )


def test_both_fight_the_same_battle_from_the_same_moment() -> None:
    start = first_moment(CARTRIDGE)
    with closing(PyBoyConsole(CARTRIDGE)) as console:
        for seed in (0, 1, 2):
            drawn = contest(DEX, seed)
            once, again = (
                play_battle(console, start, DEX, drawn, Strongest(DEX)) for _ in range(2)
            )
            assert once.result is again.result
            assert once.result in {BattleResult.WON, BattleResult.LOST}
            assert len(once.thought) == len(again.thought) > 0
            assert read_state(console.ram(), console.frame).battle_result is once.result


def test_pairs_are_told_for_all_and_by_kind() -> None:
    seen: list[int] = []
    pairs = fight_pairs(CARTRIDGE, range(3), processes=1, done=seen.append)
    assert [pair.seed for pair in pairs] == [0, 1, 2]
    assert sum(seen) >= 3  # they are counted by tens
    assert [row["battles"] for row in battle_rows(pairs)] == ["all", *KINDS]


def test_it_says_who_won_more_and_draws_the_same_picture_of_it() -> None:
    won, lost = Fought(BattleResult.WON, (0.001,)), Fought(BattleResult.LOST, (0.002,))
    pairs = [BattlePair(seed, KINDS[0], won, lost if seed % 2 else won) for seed in range(40)]
    found = battle_findings("a cartridge", pairs)
    row, _ = battle_rows(pairs)
    assert (row["agent wins"].estimate, row["baseline wins"].estimate) == (1.0, 0.5)
    assert (row["only the agent"], row["only the baseline"]) == (20, 0)
    assert found.figures["lower_bound"] < found.figures["difference"] == 0.5
    assert found.draw is not None
    assert found.draw() == found.draw()
    assert found.draw().startswith(b"\x89PNG")


def test_the_baseline_goes_by_power_times_accuracy_alone(played: Played) -> None:
    def asks(state: object) -> bool:
        battle = getattr(state, "battle", None)
        return battle is not None and battle.phase is Phase.MAIN_MENU

    with game_at(played.folder, asks) as game:
        state = game.state
    assert state.battle is not None
    assert state.battle.own is not None
    by_force = sorted(DEX.all_moves.values(), key=lambda each: each.power * each.accuracy)
    weak, strong = by_force[0], by_force[-1]
    moves = (MoveSlot(weak.number, 9, 0), MoveSlot(strong.number, 9, 0))
    own = replace(state.battle.own, moves=moves, disabled=None)
    state = replace(state, battle=replace(state.battle, own=own))
    assert Strongest(DEX).order(state, TriedOrders()) == Attack(1)


def test_the_command_tells_one_object(agent: Agent) -> None:
    ended = agent("bench", "battles", "--seeds", "0..1", "--json")
    assert ended.code == 0
    assert ended.json["pairs"] == 2
    assert {"lower_bound", "difference", "agent", "baseline"} <= set(ended.json)
    assert json.dumps(ended.json) == ended.out.strip()


@pytest.mark.parametrize("seeds", ["5..2", "a..b", "1..", "-1..3"])
def test_seeds_that_are_no_range_are_refused(seeds: str) -> None:
    with pytest.raises(UsageError):
        seeds_of(seeds)
    assert seeds_of("3..5") == [3, 4, 5]
