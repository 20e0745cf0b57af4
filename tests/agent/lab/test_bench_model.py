"""`bench model` with the loopback server, and `bench battles` in pairs of the same battle."""

import json
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.model import Reply, Request, Usage
from agent.fake_claude.answers import tokens_of_text
from agent.lab.bench.battle_setup import KINDS, battle_setup, met_battle, met_trainer, party_in_ram
from agent.lab.bench.battles import (
    BattlePair,
    FightResult,
    MeetingJob,
    StrongestMove,
    battle_findings,
    meet_trainers,
    play_battle,
    start_state,
)
from agent.lab.bench.model import ASKED, COMPLETED, ModelEffort, loopback, measure_model, talk_of
from agent.lab.bench.stopwatch import ObservedCall
from agent.lab.publish import as_json
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
from emulator.ram.party import MoveSlot
from tests.agent.support import Agent, Played, game_at

CARTRIDGE = load_cartridge(demo_cartridge_path())
EFFORT = ModelEffort(ticks=320, questions=40, rounds=10)


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    found = measure_model(CARTRIDGE, lambda _: None, EFFORT)
    return dict(json.loads(as_json(found.figures)))


def test_bench_model_reports_every_figure_with_a_limit(found: dict[str, Any]) -> None:
    bounds = {
        each["bound"]["what"].partition(":")[0]: each["bound"]["limit"] for each in found["figures"]
    }
    assert bounds["recorder, a node"] == 1
    assert bounds["reader and observer of tapes, a turn"] == 2
    assert bounds["observer of a conversation without a model, a turn"] == 2
    assert bounds["before a call with nothing due"] == bounds["a request laid out"] == 5
    assert bounds["block of what was observed"] == 5
    assert "a question, tools and service apart" in bounds
    assert all(each["values"]["high"] > 0 for each in found["figures"])


def test_a_session_counts_the_memory_tokens_in_its_prompts(found: dict[str, Any]) -> None:
    game = found["talks"][0]["said"]
    assert game["counts"]["memory tokens"] > 0
    assert game["memory_share"] > 0


def test_the_requested_number_of_questions_is_asked(found: dict[str, Any]) -> None:
    long = found["talks"][1]
    assert long["questions"] == EFFORT.questions
    assert long["said"]["counts"]["answers"] == EFFORT.questions
    assert long["calls"] >= EFFORT.questions


def completed(purpose: str, system: Sequence[Any], messages: Sequence[Any]) -> ObservedCall:
    reply = Reply("id", "claude", (), "end_turn", Usage(input=100, output=10, cache_read=5))
    request = Request("claude", system, messages)
    return ObservedCall((None, request, purpose), {}, reply, 0.0, 0.0, 0.0)


def test_memory_text_in_a_request_counts_as_memory() -> None:
    block, notes = "<observations>\n- seen\n</observations>", "<memory>\nwon\n</memory>"
    said = {"role": "user", "content": [{"type": "text", "text": "where?"}]}
    now = {"role": "user", "content": [{"type": "text", "text": f"It is now.\n{block}\nAnswer."}]}
    system = [{"type": "text", "text": each} for each in ("rules", notes, "older things")]
    talk = talk_of("one", {ASKED: [], COMPLETED: [completed("stuck", system, [said, now])]}, {})
    own = sum(map(tokens_of_text, (block, notes, "older things")))
    assert talk["memory_share"] == own / 115
    assert (talk["calls"], talk["tokens"].total()) == (1, 115)


def test_observer_calls_count_as_memory_and_the_share_is_of_all_tokens() -> None:
    calls = [completed(purpose, (), ()) for purpose in ("observer", "stuck")]
    unanswered = calls[0]._replace(result=None)
    talk = talk_of("both", {ASKED: [], COMPLETED: [*calls, unanswered]}, {})
    assert (talk["memory_share"], talk["calls"]) == (0.5, 2)


def test_loopback_hides_real_keys_and_restores_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "real key")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "too")
    with loopback() as server:
        assert os.environ["ANTHROPIC_BASE_URL"] == server.url
        assert os.environ["ANTHROPIC_API_KEY"] != "real key"
        assert "ANTHROPIC_AUTH_TOKEN" not in os.environ
    assert os.environ["ANTHROPIC_API_KEY"] == "real key"
    assert os.environ["ANTHROPIC_AUTH_TOKEN"] == "too"
    assert "ANTHROPIC_BASE_URL" not in os.environ


DEX = Dex.of(CARTRIDGE)


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


def test_a_trainer_is_fought_with_the_team_that_met_it(played: Played) -> None:
    with game_at(played.folder, lambda state: met_trainer(state) is not None) as game:
        met, state = met_trainer(game.state), game.state
    assert met is not None
    assert state.battle is not None
    drawn = met_battle([met], 7)
    assert drawn.kind(DEX) == DEX.trainer(state.battle.trainer_class).name
    with closing(PyBoyConsole(CARTRIDGE)) as console:
        console.load(start_state(CARTRIDGE))
        for address, data in drawn.own_in_ram(DEX, 0).items():
            console.poke(address, data)
        prepared = read_state(console.ram(), console.frame)
    assert (prepared.party, prepared.bag) == (state.party, state.bag)


def test_the_classes_of_met_trainers_alternate(played: Played) -> None:
    with game_at(played.folder, lambda state: met_trainer(state) is not None) as game:
        met = met_trainer(game.state)
    assert met is not None
    both = [met, met, replace(met, foe=replace(met.foe, trainer_class=1))]
    drawn = [met_battle(both, seed).foe.trainer_class for seed in range(6)]
    assert drawn == [met.foe.trainer_class, 1] * 3


def test_a_battle_is_the_same_from_the_same_start_state() -> None:
    start = start_state(CARTRIDGE)
    with closing(PyBoyConsole(CARTRIDGE)) as console:
        for seed in (0, 1, 2):
            drawn = battle_setup(DEX, seed)
            once, again = (
                play_battle(console, start, DEX, drawn, StrongestMove(DEX)) for _ in range(2)
            )
            assert once.result is again.result
            assert once.result in {BattleResult.WON, BattleResult.LOST}
            assert len(once.decision_s) == len(again.decision_s) > 0
            assert read_state(console.ram(), console.frame).battle_result is once.result


def test_the_baseline_uses_only_power_times_accuracy(played: Played) -> None:
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
    assert StrongestMove(DEX).order(state, TriedOrders()) == Attack(1)


def test_bench_battles_needs_games_that_meet_trainers(agent: Agent) -> None:
    ended = agent("bench", "battles", "--seeds", "0", "--met", "0", "--until", "left_home")
    assert ended.code == 2
    assert "meet no trainer before left_home" in ended.err


def test_a_game_that_meets_trainers_counts_each_decision_of_its_battles() -> None:
    game = meet_trainers(MeetingJob(CARTRIDGE.path, 0, "rival"), lambda: False)
    assert len(game.met) == 1
    assert game.decision_s
    assert all(each >= 0 for each in game.decision_s)
    fought = FightResult(BattleResult.WON, (1.0,))
    found = battle_findings("demo", [BattlePair(0, "wild", fought, fought)], [game, game])
    assert found.figures["decisions"] == 2 * len(game.decision_s)


def test_bench_battles_prints_one_json_object(agent: Agent) -> None:
    ended = agent("bench", "battles", "--seeds", "0..1", "--json")
    assert ended.code == 0
    assert ended.json["pairs"] == 2
    assert {"lower_bound", "difference", "agent", "baseline"} <= set(ended.json)
    assert json.dumps(ended.json) == ended.out.strip()
