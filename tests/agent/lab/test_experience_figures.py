"""What the games of an experiment come to: differences in pairs, their verdicts, and what they are held against."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.experience import MemoryUse
from agent.lab.bench.experience import (
    MEASURES,
    TICKS,
    EffectVerdict,
    Experiment,
    ExperimentPlan,
    difference,
)
from agent.lab.bench.trials import EMPTY, TAUGHT, Arm, TaughtMemory, TrialGame, Trials, arms
from agent.lab.eval import Committed, committed
from agent.lab.stats import mean_gap_interval, mean_interval

SHARE = next(each for each in MEASURES if each.what == "lost any battle")


def game(seed: int, ticks: int, *, lost: int = 0) -> TrialGame:
    return TrialGame(
        seed=seed,
        stop="goal",
        reached=True,
        ticks=ticks,
        frames=40 * ticks,
        battles=9,
        turns=30,
        lost=lost,
        choices={"take_starter": 2},
        deeds={"travel": ticks - 100, "fight, during train": 100},
    )


def rows_of(ticks: Sequence[int]) -> list[dict[str, int]]:
    none = dict.fromkeys(("battles_lost", "blackouts", "episodes", "restores"), 0)
    return [
        {"seed": seed, "home_tick": at, "badge_tick": at, "frames": 40 * at, **none}
        for seed, at in enumerate(ticks)
    ]


def experiment(
    *, saved: int, other: dict[MemoryUse, int] | None = None, moved: dict[str, int] | None = None
) -> Experiment:
    """Forty seeds; with memory each takes `saved` ticks less, give or take."""
    costs = {MemoryUse.COSTS: 0} if other is None else other
    empty = tuple(game(seed, 1_200 + 7 * seed % 50, lost=seed % 2) for seed in range(40))
    taught = tuple(
        replace(game(each.seed, each.ticks - saved + each.seed % 3), moved=moved) for each in empty
    )
    off = tuple(
        tuple(replace(each, ticks=each.ticks + more) for each in taught) for more in costs.values()
    )
    every = (TAUGHT, EMPTY, *(Arm(f"without {use.value}", True, use) for use in costs))
    return Experiment(
        ExperimentPlan("0..9", "20..59", "badge", 4_000, each_use=True),
        "a cartridge",
        "ab12",
        Trials(every, (taught, empty, *off)),
        TaughtMemory({"patterns": 3}, frozenset({1})),
        Committed("100..149", "ab12", ("home", "badge"), rows_of([1_180, 1_200, 1_230] * 9)),
    )


def figures_of(found: Experiment) -> dict[str, Any]:
    return dict(found.findings().figures)


def test_what_takes_less_with_memory_helps_and_what_takes_more_harms() -> None:
    empty = [game(seed, 1_000 + seed) for seed in range(30)]
    for more, verdict in (
        (-50, EffectVerdict.HELPS),
        (0, EffectVerdict.NOTHING),
        (50, EffectVerdict.HARMS),
    ):
        taught = [replace(each, ticks=each.ticks + more) for each in empty]
        found = difference(TICKS, taught, empty)
        assert found.verdict is verdict
        assert found.gap.estimate == found.with_it - found.without_it == more
        signs = (found.signs.first, found.same, found.signs.second)
        assert signs == (30 * (more < 0), 30 * (more == 0), 30 * (more > 0))
        assert found.signs.p_value() == pytest.approx(2 / 2**30 if more else 1)


def test_a_few_pairs_say_nothing_however_they_fall() -> None:
    empty = [game(seed, 1_000) for seed in range(3)]
    found = difference(TICKS, [replace(each, ticks=900) for each in empty], empty)
    assert found.verdict is EffectVerdict.TOO_FEW


def test_a_share_has_newcombes_interval_also_where_nothing_happened() -> None:
    # An example of Newcombe (1998): 36, 12, 2 and 0 of 50 pairs.
    pairs = [(1, 1)] * 36 + [(1, 0)] * 12 + [(0, 1)] * 2
    one, other = (
        [game(seed, 1_000, lost=each) for seed, each in enumerate(side)]
        for side in zip(*pairs, strict=True)
    )
    found = difference(SHARE, one, other)
    assert found.gap == pytest.approx((0.2, 0.0569, 0.3404), abs=1e-3)
    none = [game(seed, 1_000) for seed in range(50)]
    low, high = difference(SHARE, none, none).gap[1:]
    assert low < 0 < high


@given(st.lists(st.integers(-500, 500), min_size=1, max_size=60))
def test_the_interval_of_a_mean_holds_it_and_is_the_same_every_time(values: list[int]) -> None:
    found = mean_interval(values)
    assert found == mean_interval(values)
    assert found is not None
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found.low - 1e-9 <= found.estimate <= found.high + 1e-9 or len(values) < 10
    assert mean_interval([]) is None


def test_the_gap_of_two_samples_is_drawn_apart() -> None:
    one, other = [10.0 + each % 5 for each in range(50)], [20.0 + each % 7 for each in range(40)]
    found = mean_gap_interval(one, other)
    assert found is not None
    assert found.estimate == pytest.approx(sum(one) / 50 - sum(other) / 40)
    assert found.low < found.estimate < found.high < 0
    assert mean_gap_interval([], other) is None


def test_the_figures_say_what_the_intervals_say() -> None:
    helped = figures_of(experiment(saved=100))
    assert helped["pays"]["ticks"]["verdict"] == "helps"
    assert helped["pays"]["ticks"]["better"] == 40
    assert helped["pays"]["battles"]["verdict"] == "no difference shown"
    assert helped["uses"]["costs"]["changed"] == 0
    assert helped["beside"]["ticks"]["worse"]
    assert figures_of(experiment(saved=-100))["pays"]["ticks"]["verdict"] == "harms"
    assert helped["deeds"]["fight, during train"] == [100.0, 100.0]


def test_a_use_is_told_by_what_is_lost_without_it() -> None:
    found = experiment(
        saved=100,
        other={MemoryUse.STRENGTH: 30, MemoryUse.COSTS: 0},
        moved={MemoryUse.STRENGTH.value: 2},
    )
    strength, costs = found.findings().tables[1]
    assert strength["difference"] == (-30.0, -30.0, -30.0)
    assert (strength["other games"], strength["decisions moved (in games)"]) == (40, "80 (40)")
    assert strength["memory"] == "helps"
    assert costs["decisions moved (in games)"] == "0 (0)"


def test_pairs_are_told_by_the_way_that_memory_had_them_leave() -> None:
    found = experiment(saved=0)
    _, empty, *off = found.trials.games
    other = tuple(
        replace(each, ticks=each.ticks + 90, choices={"take_starter": 3})
        if each.seed < 10
        else each
        for each in empty
    )
    found = replace(found, trials=Trials(found.trials.arms, (empty, other, *off)))
    told = {ways: (each.signs.count, each.gap.estimate) for ways, each in found.by_way().items()}
    assert told == {"take_starter 2": (30, 0), "take_starter 3": (10, -90)}


def test_what_was_not_switched_off_has_no_row() -> None:
    both = replace(experiment(saved=0), trials=Trials((TAUGHT, EMPTY), ((game(1, 9),),) * 2))
    paying, using = both.findings().tables
    assert using == []
    assert len(paying) == len(MEASURES)


def test_what_is_known_of_another_cartridge_or_milestone_is_not_compared() -> None:
    found = experiment(saved=0)
    assert list(found.beside())[:3] == ["ticks", "frames", "battles lost"]
    on_the_way = replace(found, plan=found.plan._replace(until="home"))
    assert list(on_the_way.beside()) == ["ticks"]
    nothing = [
        replace(found, sha1="cd34"),
        replace(found, committed=None),
        replace(found, plan=found.plan._replace(until="mars")),
    ]
    for each in nothing:
        assert each.beside() == {}


def test_the_same_games_give_the_same_picture_and_figures() -> None:
    one, other = (experiment(saved=20).findings() for _ in range(2))
    assert one.draw is not None
    assert other.draw is not None
    assert one.draw() == other.draw()
    assert one.figures == other.figures


def test_what_eval_did_not_publish_is_no_evaluation(tmp_path: Path) -> None:
    assert committed(tmp_path / "none.json") is None


def test_every_use_is_named_in_the_arms() -> None:
    names = [each.name for each in arms(each_use=True)]
    assert names == ["taught", "empty", *(f"taught without {use.value}" for use in MemoryUse)]
