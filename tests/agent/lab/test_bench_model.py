"""bench model and bench battles: against the loopback server, and in pairs of the same battle."""

import json
import os
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.model import Reply, Request, Usage
from agent.cli.flags import seeds_of
from agent.errors import UsageError
from agent.fake_claude.answers import tokens_of_text
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
from agent.lab.bench.limits import FigureBound, Lapses
from agent.lab.bench.model import ModelEffort, measure_model
from agent.lab.bench.model_games import (
    BLOCK,
    NOTES,
    OBSERVED,
    RULES,
    STATE,
    TAIL,
    CallTokens,
    ConversationTokens,
    call_tokens,
    loopback,
)
from agent.lab.bench.stopwatch import heard
from agent.lab.publish import Findings, as_json
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
EFFORT = ModelEffort(ticks=320, questions=8, tape=6, turns=100, calls=5, rounds=10)
TALKS = ["a game", "a game, distilled", "long", "long, distilled"]


@dataclass(frozen=True)
class Left:
    """What the measurement found, and its object and picture."""

    found: Findings
    told: dict[str, Any]
    picture: bytes


@pytest.fixture(scope="module")
def left() -> Left:
    found = measure_model(CARTRIDGE, lambda _: None, EFFORT)
    assert found.draw is not None
    return Left(found, json.loads(as_json(found.figures)), found.draw())


def test_every_figure_with_a_limit_is_there(left: Left) -> None:
    limits = {
        each["bound"]["what"].partition(":")[0]: each["bound"]["limit"]
        for each in left.told["figures"]
    }
    assert limits["recorder, a node"] == 1
    assert limits["reader and observer of tapes, a turn"] == 2
    assert limits["observer of a conversation without a model, a turn"] == 2
    assert limits["before a call that activates what waits, without a model"] == 5
    assert limits["before a call with nothing due, and its request laid out"] == 5
    assert limits["block of what was observed"] == 5
    assert {"hash v1, a node", "mask of the key, a KB"} <= set(limits)
    assert {"a call booked and settled for good, behind many others"} <= set(limits)
    assert {"a question, tools and service apart"} <= set(limits)
    assert all(each["values"]["high"] > 0 for each in left.told["figures"])


def test_the_tables_have_every_figure_and_every_talk(left: Left) -> None:
    figures, talks = left.found.tables
    assert [row["what"] for row in figures] == [
        each["bound"]["what"] for each in left.told["figures"]
    ]
    assert [(row["talk"], row["questions"], row["calls"]) for row in talks] == [
        (each["name"], each["questions"], each["calls"]) for each in left.told["talks"]
    ]
    assert left.picture.startswith(b"\x89PNG")


def test_tokens_are_told_by_kind_and_by_what_they_are_for(left: Left) -> None:
    assert [each["name"] for each in left.told["talks"]] == TALKS
    for each in left.told["talks"]:
        assert each["tokens"]["cache_read"] > each["tokens"]["output"] > 0
        assert each["parts"][RULES] > 0
        assert 0 < each["memory_share"] < 1
        assert abs(each["memory_share"] - each["said"]["memory_share"]) < 0.05


def test_a_session_tells_what_memory_put_into_its_prompts(left: Left) -> None:
    game = left.told["talks"][0]["said"]
    assert game["counts"]["memory tokens"] > 0
    assert game["memory_share"] > 0


def test_as_many_questions_are_asked_as_were_wanted(left: Left) -> None:
    long = left.told["talks"][2]
    assert long["questions"] == EFFORT.questions
    assert long["said"]["counts"]["answers"] == EFFORT.questions
    assert long["calls"] >= EFFORT.questions


def test_the_parts_of_a_request_are_told_apart() -> None:
    block, notes = "<observations>\n- seen\n</observations>", "<memory>\nwon\n</memory>"
    said = {"role": "user", "content": [{"type": "text", "text": "where?"}]}
    now = {"role": "user", "content": [{"type": "text", "text": f"It is now.\n{block}\nAnswer."}]}
    system = [{"type": "text", "text": each} for each in ("rules", notes, "older things")]
    request = Request("claude", system, [said, now], 100)
    reply = Reply("id", "claude", (), "end_turn", Usage(input=100, output=10))
    call = call_tokens(request, "stuck", reply)
    assert set(call.parts) == {RULES, NOTES, OBSERVED, BLOCK, STATE, TAIL}
    assert call.parts[BLOCK] == tokens_of_text(block)
    assert call.memory == sum(map(tokens_of_text, (block, notes, "older things")))
    assert call.total == 110


def test_all_of_an_observers_call_belongs_to_memory() -> None:
    reply = Reply("id", "claude", (), "end_turn", Usage(input=100, output=10, cache_read=5))
    call = call_tokens(Request("claude", (), (), 100), "observer", reply)
    assert call.memory == call.total == 115


def test_a_share_is_of_all_tokens() -> None:
    calls = [
        CallTokens("stuck", {"input": 60, "output": 20}, {}, 20),
        CallTokens("observer", {"input": 20}, {}, 20),
    ]
    assert ConversationTokens("both", 1, calls, {}).memory_share == 0.4
    assert ConversationTokens("none", 0, [], {}).memory_share == 0


def test_nobody_elses_key_is_used_and_the_environment_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "somebody's")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "too")
    with loopback() as server:
        assert os.environ["ANTHROPIC_BASE_URL"] == server.url
        assert os.environ["ANTHROPIC_API_KEY"] != "somebody's"
        assert "ANTHROPIC_AUTH_TOKEN" not in os.environ
    assert os.environ["ANTHROPIC_API_KEY"] == "somebody's"
    assert os.environ["ANTHROPIC_AUTH_TOKEN"] == "too"
    assert "ANTHROPIC_BASE_URL" not in os.environ


def test_calls_are_heard_only_meanwhile() -> None:
    before = Lapses.note
    with heard("agent.lab.bench.limits:Lapses.of") as calls:
        came = Lapses().of(FigureBound("adding", None, None), lambda: 1 + 1)
    assert (came, len(calls), calls[0].result) == (2, 1, 2)
    Lapses().of(FigureBound("adding", None, None), lambda: 1)
    assert len(calls) == 1
    assert Lapses.note is before


def test_what_is_done_is_told_of_the_processor_and_of_the_wall() -> None:
    took = Lapses()
    took.of(FigureBound("adding", 5.0, 1.0), lambda: sum(range(1_000)))
    told = [(each.bound.what, each.bound.limit) for each in took.figures()]
    assert told == [
        ("adding: of the processor", 5.0),
        ("adding: of the wall, with the disk", 5.0),
    ]


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
