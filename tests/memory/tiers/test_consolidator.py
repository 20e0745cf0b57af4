"""Consolidation: what is carried to the next tier, when, and only once."""

from contextlib import closing
from dataclasses import asdict, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from memory import (
    BLACKOUT,
    MistakeRecord,
    SuccessfulStrategy,
    as_json,
    open_knowledge_store,
    open_run_store,
)
from memory.codec import encode
from memory.tiers.approaches import APPROACH, INTERRUPTED, MAX_APPROACHES
from memory.tiers.consolidator import CONSOLIDATION
from memory.tiers.knowledge import ConsolidationConfig, LearnedPattern
from memory.tiers.lessons import SESSION, dated
from memory.tiers.observer import ACTION
from tests.memory.samples import (
    ACT,
    AIM,
    EPISODIC,
    FIGHT,
    MISTAKE,
    MONTH,
    NOON,
    PATTERN,
    PREFERENCE,
    STM,
    STRATEGY,
    TOWN,
    WORKING,
    Tiers,
    checkpoint,
    memory_in,
    open_tiers,
)


def patterns(tiers: Tiers) -> list[LearnedPattern]:
    return list(tiers.tactician.patterns.values())


def mistakes(tiers: Tiers) -> list[MistakeRecord]:
    return list(tiers.tactician.mistakes.values())


def strategies(tiers: Tiers) -> list[SuccessfulStrategy]:
    return list(tiers.tactician.strategies.values())


def test_e27_the_defaults_are_those_of_the_design() -> None:
    seed = {
        "tick_interval": 1000,
        "session_end_consolidate": True,
        "pattern_threshold": 0.7,
        "min_occurrences_for_pattern": 3,
        "forgetting_decay_rate": 0.95,
        "max_patterns_per_type": 50,
        "max_strategies": 100,
        "max_mistakes": 200,
        "importance_threshold": 0.3,
    }
    assert asdict(ConsolidationConfig()) == seed
    assert [field.name for field in fields(ConsolidationConfig)] == list(seed)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 2_500), max_size=40))
def test_e28_it_fires_once_in_each_interval_that_is_entered(jumps: list[int]) -> None:
    with TemporaryDirectory() as folder:
        tiers = open_tiers(Path(folder) / "run.sqlite")
        tick, fired = 0, []
        for jump in jumps:
            tick += jump
            if tiers.consolidator.tick(tick) is not None:
                fired.append(tick // 1000)
            assert tiers.consolidator.tick(tick) is None
        entered = {sum(jumps[: n + 1]) // 1000 for n in range(len(jumps))} - {0}
        assert fired == sorted(entered)
        tiers.store.close()


def test_e29_a_sequence_that_works_three_times_becomes_a_pattern(tiers: Tiers) -> None:
    for tick in range(0, 9, 3):
        tiers.act(tick, "enter", why="heal")
        tiers.act(tick + 1, "talk", why="heal")
        tiers.act(tick + 2, "leave", why="heal", success=True)
    done = tiers.consolidator.consolidate(9, reason="session_end")
    assert (done.actions, done.patterns, done.reason) == (9, 1, "session_end")
    (pattern,) = patterns(tiers)
    assert pattern.description == "heal: enter, talk, leave"
    assert pattern.trigger_conditions == {"location": "town", "reasoning": "heal"}
    assert (pattern.success_count, pattern.failure_count, pattern.confidence) == (3, 0, 1.0)
    assert (pattern.learned_from_session, pattern.learned_from_tick) == ("session-1", 8)
    assert pattern.last_validated == dated(NOON, 4.0)


def test_e29_evidence_is_reported_once_and_adds_up(tiers: Tiers) -> None:
    tiers.acts(range(4), "up")
    for _ in range(2):
        tiers.consolidator.consolidate(1000)
    # The last sequence may continue.
    assert [pattern.success_count for pattern in patterns(tiers)] == [3]
    for tick in range(1000, 1006):
        tiers.acts([tick], "up", success=tick < 1002)
    tiers.consolidator.consolidate(2000, reason="session_end")
    (pattern,) = patterns(tiers)
    assert (pattern.success_count, pattern.failure_count) == (6, 4)
    before = replace(tiers.tactician.knowledge(), total_sessions=0)
    tiers.consolidator.consolidate(2000, reason="session_end")
    assert replace(tiers.tactician.knowledge(), total_sessions=0) == before


def test_e29_seven_successes_of_ten_are_enough(tiers: Tiers) -> None:
    tiers.acts(range(2), "rare", why="rare")
    for tick in range(10):
        tiers.acts([tick], "jump", why="cross", success=tick < 7)
    for tick in range(10, 20):
        tiers.acts([tick], "swim", why="float", success=tick < 16)
    for tick in range(20, 30):
        tiers.acts([tick], "risky", why="risky", success=tick % 2 == 0)
    tiers.consolidator.consolidate(1000, reason="session_end")
    found = tiers.tactician.get_relevant_patterns({"location": "town"})
    assert [(each.description, each.confidence) for each in found] == [
        ("cross: jump, jump again", 0.7)
    ]
    assert mistakes(tiers) == []


def test_e26_e27_the_settings_cap_knowledge_and_disable_the_end_of_a_session(
    tmp_path: Path,
) -> None:
    config = ConsolidationConfig(
        max_patterns_per_type=1, max_strategies=1, max_mistakes=1, session_end_consolidate=False
    )
    tiers = open_tiers(tmp_path / "run.sqlite", config=config)
    tiers.acts(range(9), "up")
    assert tiers.consolidator.consolidate(9, reason="session_end").actions == 0
    assert patterns(tiers) == []
    known = tiers.tactician
    for n in "012":
        known.add_pattern(replace(PATTERN, pattern_id=n))
        known.add_strategy(replace(STRATEGY, strategy_id=n))
        known.add_mistake(replace(MISTAKE, mistake_id=n))
    assert set(known.patterns) == set(known.strategies) == set(known.mistakes) == {"2"}
    tiers.store.close()


def test_e29_one_action_and_interrupted_ones_prove_nothing(tiers: Tiers) -> None:
    for tick in range(6):
        tiers.act(tick, "fight", why="end the battle")
        done = as_json(replace(ACT, success=False, outcome_summary=INTERRUPTED))
        tiers.blackboard.write(
            WORKING, ACTION, {**done, "location": "lane"}, tick=tick, game_s=tick
        )
    tiers.consolidator.consolidate(1000, reason="session_end")
    assert [patterns(tiers), mistakes(tiers)] == [[], []]


def test_e29_the_way_of_each_game_becomes_a_pattern_in_the_third(tmp_path: Path) -> None:
    with closing(open_knowledge_store(tmp_path / "memory.sqlite", now=NOON)) as known:
        for game in range(3):
            with closing(open_run_store(tmp_path / f"{game}.sqlite", run_id=f"game {game}")) as run:
                tiers = Tiers(run, memory_in(run))
                tiers.memory.inherit(known)
                tiers.acts([5], "walk", why="reach the gym")
                tiers.consolidator.consolidate(1000, reason="session_end")
                run.commit(checkpoint=checkpoint(1000))
                assert known.deliver(run.run_id, run.outbox.rows()) > 0
            found = [each.success_count for each in known.load_knowledge().patterns.values()]
            assert found == ([3] if game == 2 else [])


def test_e29_an_action_that_keeps_failing_becomes_a_mistake(tiers: Tiers) -> None:
    for tick in range(4):
        tiers.act(tick, "push wall", why=f"reason {tick}", success=False)
    tiers.consolidator.consolidate(1000, reason="session_end")
    (mistake,) = mistakes(tiers)
    assert mistake.situation == {"location": "town", "action": "push wall"}
    assert (mistake.severity, mistake.occurrence_count) == ("minor", 4)
    for tick in range(1000, 1008):
        tiers.act(tick, "push wall", success=False)
    tiers.consolidator.consolidate(2000, reason="session_end")
    (mistake,) = mistakes(tiers)
    assert (mistake.severity, mistake.occurrence_count) == ("major", 12)
    assert mistake.outcome == "failed 12 of 12 times in one game"


def test_e30_each_battle_counts_once(tiers: Tiers) -> None:
    tiers.strategist.record_battle(replace(FIGHT, moves_used=("tackle", "growl", "growl")))
    for outcome in ("runaway", "catch"):
        tiers.strategist.record_battle(replace(FIGHT, battle_id=outcome, outcome=outcome))
    tiers.strategist.record_battle(
        replace(FIGHT, battle_id="b3", outcome="defeat", moves_used=("tackle", "growl"))
    )
    for tick in (1000, 2000):
        tiers.consolidator.consolidate(tick)
    (strategy,) = strategies(tiers)
    assert strategy.moves_sequence == ("tackle", "growl")
    assert (strategy.success_rate, strategy.total_uses) == (0.5, 2)
    (mistake,) = mistakes(tiers)
    assert (mistake.severity, mistake.occurrence_count) == ("minor", 1)  # as it cost nothing
    tiers.blackboard.write(
        STM, BLACKOUT, as_json(FIGHT) | {"cost": 750, "subject": "rat", "place": "", "tick": 9}
    )
    tiers.consolidator.consolidate(2000)
    (mistake,) = mistakes(tiers)
    assert (mistake.severity, mistake.occurrence_count) == ("critical", 1)
    assert mistake.outcome.endswith(", which cost 750")
    assert mistake.situation["player_level"] == 5
    assert (tiers.tactician.total_battles, tiers.tactician.overall_win_rate) == (2, 0.5)
    tiers.strategist.record_battle(
        replace(FIGHT, battle_id="b4", outcome="defeat", player_level=7, moves_used=("growl",))
    )
    tiers.consolidator.consolidate(3000)
    (mistake,) = mistakes(tiers)
    assert mistake.defeats_by_level == {5: 1, 7: 1}
    assert replace(mistake, situation={"player_level": 7}).defeats_by_level == {7: 2}
    damaged = {"lost_at": {"many": 1, "7": None, "9": 2}}
    assert replace(mistake, situation=damaged).defeats_by_level == {9: 2}


def test_e29_working_memory_drops_carried_entries_except_the_last_minutes(tiers: Tiers) -> None:
    tiers.acts(range(1000), "up")
    tiers.consolidator.tick(1000)
    left = tiers.blackboard.entries(WORKING)
    assert [left[0].tick, left[-1].tick] == [400, 999]  # two ticks a second, five minutes
    tiers.act(1000, "up")
    assert tiers.consolidator.tick(2000) is not None
    (pattern,) = patterns(tiers)
    assert pattern.success_count == 1000


def test_a_session_writes_a_summary(tiers: Tiers) -> None:
    tiers.strategist.record_battle(FIGHT)
    tiers.strategist.add_location(TOWN)
    tiers.strategist.set_objective(AIM)
    tiers.consolidator.consolidate(500, reason="session_end")
    (summary,) = tiers.blackboard.entries(EPISODIC, kind=SESSION)
    figures = {"session_id": "session-1", "ticks": 500, "battles": 1, "win_rate": 1.0}
    assert summary.data == {**figures, "places": ["hometown"], "progress": {"reach": 0.0}}
    assert tiers.tactician.total_sessions == 1


def test_e31_forgetting_removes_only_knowledge_below_the_threshold(tiers: Tiers) -> None:
    tactician = tiers.tactician
    kept = replace(PATTERN, relevance_score=0.31)
    tactician.add_pattern(kept)
    tactician.add_pattern(replace(PATTERN, pattern_id="weak", relevance_score=0.29))
    tactician.add_strategy(STRATEGY)
    tactician.add_strategy(replace(STRATEGY, strategy_id="weak", success_rate=0.29))
    tactician.add_mistake(MISTAKE)
    tactician.set_preference(PREFERENCE)
    lost = tiers.consolidator.apply_forgetting()
    assert [memory.id for memory in lost] == ["weak", "weak"]
    assert (set(tactician.patterns), set(tactician.strategies)) == ({"p1"}, {"s1"})
    assert tiers.consolidator.apply_forgetting() == []
    tiers.blackboard.expire(10 * MONTH)  # knowledge does not age within a run
    tiers.consolidator.tick(1000)
    assert tactician.patterns["p1"] == kept


def test_e32_memories_are_ranked_for_keeping(tiers: Tiers) -> None:
    tiers.tactician.add_pattern(PATTERN)
    tiers.tactician.add_strategy(STRATEGY)
    tiers.tactician.add_mistake(MISTAKE)
    tiers.strategist.set_objective(AIM)
    tiers.strategist.set_objective(replace(AIM, objective_id="o2", priority=90))
    tiers.strategist.record_battle(FIGHT)
    tiers.strategist.record_battle(replace(FIGHT, battle_id="lost", outcome="defeat"))
    low = tiers.blackboard.write(WORKING, "x", {}, tick=1, game_s=0.0, importance=1)
    high = tiers.blackboard.write(WORKING, "x", {}, tick=1, game_s=0.0, importance=9)
    assert tiers.consolidator.prioritize_memories() == {
        "observer": [str(high.seq), str(low.seq)],
        "strategist": ["o2", "o1", "lost", "b1"],
        "tactician": ["s1", "p1", "m1"],
    }


def test_e33_the_status_shows_consolidations_and_pending_counts(tiers: Tiers) -> None:
    kinds: list[str] = []
    status = tiers.consolidator.get_consolidation_status()
    assert (status["last"], status["next_consolidation_tick"]) == (None, 1000)
    tiers.consolidator.tick(999)
    tiers.blackboard.subscribe("agent:*:stm", lambda event: kinds.append(event.entry.kind))
    tiers.consolidator.tick(1500)
    assert kinds == [CONSOLIDATION]
    assert tiers.blackboard.entries(STM, kind=CONSOLIDATION)[0].data["tick"] == 1500
    tiers.acts(range(3), "up")
    tiers.consolidator.tick(2500)
    status = tiers.consolidator.get_consolidation_status()
    assert status["last_consolidation_tick"] == 2500
    assert status["next_consolidation_tick"] == 3000
    assert status["pending_actions"] == 2  # the last sequence may continue
    assert status["consolidations"] == 2


def test_e33_a_long_run_does_not_grow(tmp_path: Path) -> None:
    config = ConsolidationConfig(tick_interval=25)
    tiers = open_tiers(tmp_path / "run.sqlite", config=config)
    counts = []
    for tick in range(1, 3_001):
        tiers.act(tick, f"action {tick % 1_800}", why=f"reason {tick % 90}")
        if tiers.consolidator.tick(tick) is not None:
            tiers.store.commit(checkpoint=checkpoint(tick))
            counts.append(tiers.memory.map().count)
    assert len(tiers.consolidator.consolidation_history) == 50
    assert tiers.consolidator.consolidations == 120
    assert max(counts[60:]) <= max(counts[:60]) + 50  # the records of consolidations
    assert len(tiers.blackboard.entries(STM, kind=APPROACH)) == MAX_APPROACHES
    tiers.store.close()


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=60), st.data())
def test_a_restored_memory_continues_identically(
    actions: list[tuple[str, bool]], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(actions)))
    ends = []
    with TemporaryDirectory() as folder:
        for is_cut in (False, True):
            path = Path(folder) / f"{is_cut}.sqlite"
            tiers = open_tiers(path, config=ConsolidationConfig(tick_interval=10))
            for tick, (value, success) in enumerate(actions, start=1):
                if is_cut and tick == cut:
                    tiers.store.commit(checkpoint=checkpoint(tick))
                    tiers.act(tick, "lost")
                    tiers.store.close()
                    tiers = open_tiers(path, config=ConsolidationConfig(tick_interval=10))
                tiers.act(tick, value, success=success)
                tiers.consolidator.tick(tick)
            entries = [
                each
                for scope in tiers.blackboard.scopes()
                for each in tiers.blackboard.entries(scope)
            ]
            ends.append((entries, encode(tiers.memory.flows.to_json())))
            tiers.store.close()
    assert ends[0] == ends[1]
