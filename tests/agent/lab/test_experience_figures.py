"""What the games of an experiment come to: differences in pairs, their verdicts, and a page that says no more than that."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.experience import MemoryUse
from agent.lab import Committed, GameRow, committed, mean_gap_interval, mean_interval
from agent.lab.bench import (
    EMPTY,
    TAUGHT,
    Arm,
    Experiment,
    ExperimentPlan,
    TaughtMemory,
    TrialGame,
    Trials,
    arms,
    experiment_json,
    experiment_page,
    paired_rows,
    use_rows,
)
from agent.lab.bench.experience import MEASURES, TICKS, EffectVerdict, difference
from agent.lab.plots import draw_experiment
from tests.agent.support import ROOT

PAGE = ROOT / "docs" / "first_badge.md"
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


def rows_of(ticks: Sequence[int]) -> tuple[GameRow, ...]:
    return tuple(GameRow(seed, {"badge": at}, 0, 0, 0, 0, 40 * at) for seed, at in enumerate(ticks))


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


def page_of(found: Experiment, path: Path) -> str:
    return experiment_page(found, path, "the command", "agent 1", "first_badge.md")


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
        assert found.p_value == pytest.approx(2 / 2**30 if more else 1)


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


def test_the_page_says_what_the_intervals_say_and_no_more(tmp_path: Path) -> None:
    helped = page_of(experiment(saved=100), tmp_path / "pays.md")
    assert "- *ticks*: memory helps; " in helped
    assert "less in 40 of 40 pairs" in helped
    assert "- *battles*: no difference shown; 9.00 with it and without it" in helped
    assert "- the use `costs`: no game is another without it." in helped
    assert "ticks 1,224.0 here, 1,203.3 there: worse" in helped
    assert "- *ticks*: memory harms; " in page_of(experiment(saved=-100), tmp_path / "pays.md")
    assert "| fight, during train | 100.0 | 100.0 | +0.0 |" in helped
    assert "taught: take_starter 2: 40; goal: 40." in helped
    assert "_analysis.md" not in helped


def test_where_interval_and_sign_test_disagree_the_page_says_so(tmp_path: Path) -> None:
    found = experiment(saved=0)
    _, empty, *off = found.trials.games
    # A few games gain much, as many lose a little: the mean falls, but not most pairs.
    taught = tuple(
        replace(each, ticks=each.ticks + {0: -300, 1: 10}.get(each.seed % 3, 0)) for each in empty
    )
    found = replace(found, trials=Trials(found.trials.arms, (taught, empty, *off)))
    words = page_of(found, tmp_path / "pays.md")
    assert "- *ticks*: memory helps, by the interval and not by the sign test; " in words
    assert "less in 14 of 40 pairs, as much in 13, more in 13 (p 1)." in words


def test_a_use_is_told_by_what_is_lost_without_it(tmp_path: Path) -> None:
    found = experiment(
        saved=100,
        other={MemoryUse.STRENGTH: 30, MemoryUse.COSTS: 0},
        moved={MemoryUse.STRENGTH.value: 2},
    )
    head, strength, costs = use_rows(found)
    told = dict(zip(head, strength, strict=True))
    assert told["ticks (95%)"] == "-30.0 (-30.0 to -30.0)"
    assert (told["other games"], told["decisions moved (in games)"]) == ("40", "80 (40)")
    assert told["use of it"] == "helps"
    assert dict(zip(head, costs, strict=True))["decisions moved (in games)"] == "0 (0)"
    text = page_of(found, tmp_path / "pays.md")
    assert "- the use `costs`: no game is another without it, and it never fired." in text
    assert "and it moved 80 decisions in 40 games; ticks, helps: -30.0" in text


def test_pairs_are_told_by_the_way_that_memory_had_them_leave(tmp_path: Path) -> None:
    found = experiment(saved=0)
    _, empty, *off = found.trials.games
    other = tuple(
        replace(each, ticks=each.ticks + 90, choices={"take_starter": 3})
        if each.seed < 10
        else each
        for each in empty
    )
    found = replace(found, trials=Trials(found.trials.arms, (empty, other, *off)))
    told = {ways: (each.signs.count, each.gap.estimate) for ways, each in found.by_way()}
    assert told == {"take_starter 2": (30, 0), "take_starter 3": (10, -90)}
    assert "| take_starter 3 | 10 | " in page_of(found, tmp_path / "pays.md")


def test_what_runs_do_not_tell_has_no_column() -> None:
    assert "decisions moved (in games)" not in next(use_rows(experiment(saved=0)))
    both = replace(experiment(saved=0), trials=Trials((TAUGHT, EMPTY), ((game(1, 9),),) * 2))
    assert list(use_rows(both)) == []
    assert len(list(paired_rows(both))) == len(MEASURES)


def test_what_is_known_of_another_cartridge_or_milestone_is_not_compared(tmp_path: Path) -> None:
    found = experiment(saved=0)
    assert [each.what for each in found.beside()][:3] == ["ticks", "frames", "battles lost"]
    on_the_way = replace(found, plan=found.plan._replace(until="home"))
    assert [each.what for each in on_the_way.beside()] == ["ticks"]
    nothing = [
        replace(found, sha1="cd34"),
        replace(found, committed=None),
        replace(found, plan=found.plan._replace(until="mars")),
    ]
    for each in nothing:
        assert each.beside() == ()
        assert "held against no committed table" in page_of(each, tmp_path / "pays.md")


def test_what_was_written_by_hand_is_linked_where_it_exists(tmp_path: Path) -> None:
    (tmp_path / "pays_analysis.md").write_text("Why.", encoding="utf-8")
    assert "[pays_analysis.md](pays_analysis.md)" in page_of(
        experiment(saved=0), tmp_path / "pays.md"
    )


def test_the_same_games_give_the_same_picture_and_figures(tmp_path: Path) -> None:
    pictures = [tmp_path / name for name in ("one.png", "other.png")]
    for each in pictures:
        draw_experiment(experiment(saved=20), each)
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
    assert experiment_json(experiment(saved=20)) == experiment_json(experiment(saved=20))


def test_the_committed_page_is_read_back_as_it_was_written() -> None:
    found = committed(PAGE)
    assert found is not None
    assert found.milestones[-1] == "first_badge"
    assert found.seeds == "100..149"
    assert [each.seed for each in found.games] == list(range(100, 150))
    text = PAGE.read_text(encoding="utf-8")
    for what, total in (
        ("battles lost", sum(each.battles_lost for each in found.games)),
        ("blackouts", sum(each.blackouts for each in found.games)),
        ("episodes", sum(each.episodes for each in found.games)),
        ("restores", sum(each.restores for each in found.games)),
    ):
        assert f"| {what} | {total} |" in text
    last = found.games[-1]
    row = f"| 149 | goal | 63 | 100 | {last.ticks['rival']} |"
    assert row in text
    assert f"| {last.frames:,} |" in text


def test_what_eval_did_not_write_is_no_table(tmp_path: Path) -> None:
    assert committed(tmp_path / "none.md") is None
    (tmp_path / "other.md").write_text("# A page\n", encoding="utf-8")
    assert committed(tmp_path / "other.md") is None


def test_every_use_is_named_in_the_arms() -> None:
    names = [each.name for each in arms(each_use=True)]
    assert names == ["taught", "empty", *(f"taught without {use.value}" for use in MemoryUse)]
