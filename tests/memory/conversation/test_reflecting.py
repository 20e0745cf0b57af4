"""How observations become fewer, by rules and by a ladder, and when what came of it is refused."""

import datetime as dt
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.conversation.format import (
    DatedLine,
    LinePriority,
    LineTime,
    ObservationLine,
    parse,
    render,
)
from memory.conversation.model import is_degenerate, problem_with
from memory.conversation.port import DistillingFailed
from memory.conversation.rules import HeuristicObserver, HeuristicReflector
from memory.conversation.situation_format import is_ban, milestones_in
from memory.tokens import tokens
from tests.memory.conversation.talks import MILESTONES, play

WORDS = st.sampled_from(
    ("failed", "north", "ledge", "rival", "lost", "never", "way", "blocked", "rat")
)
TEXTS = st.one_of(
    st.lists(WORDS, min_size=1, max_size=8).map(" ".join),
    st.integers(0, 9).map("milestone reached: m_{}".format),
    st.integers(1, 9).map("failed: go:north (tried {} times)".format),
)
LINES = st.builds(
    ObservationLine,
    priority=st.sampled_from(LinePriority),
    text=TEXTS,
    moment=st.integers(0, 999).map(lambda tick: LineTime(tick=tick)),
    count=st.integers(1, 3),
)
DATES = st.integers(1, 9).map(lambda day: dt.date(2026, 11, day))
OBSERVATIONS = st.lists(st.builds(DatedLine, DATES, LINES), min_size=1, max_size=40).map(
    lambda each: tuple(sorted(each, key=lambda dated: str(dated.date)))
)


def reflect(text: str, target: int, level: int = 0) -> str:
    return HeuristicReflector().reflect(text, level=level, target=target).observations


def dropped(text: str, target: int) -> set[str]:
    """Return what `text` told and its reflection no longer does."""
    kept = {each.line.text for each in parse(reflect(text, target))}
    return {each.line.text for each in parse(text)} - kept


@given(OBSERVATIONS, st.integers(1, 400), st.integers(0, 4))
def test_d18_reflections_keep_to_their_tokens_or_to_the_milestones_alone(
    observations: tuple[DatedLine, ...], target: int, level: int
) -> None:
    text = render(observations)
    reflected = reflect(text, target, level)
    told = milestones_in(parse(reflected))
    assert sorted(told) == sorted(milestones_in(observations))
    if tokens(reflected) > target:
        assert [each.line.text for each in parse(reflected)] == [
            f"milestone{'s' if len(told) > 1 else ''} reached: {', '.join(told)}"
        ]


@given(OBSERVATIONS, st.integers(0, 4))
def test_d18_reflecting_never_says_what_was_not_observed(
    observations: tuple[DatedLine, ...], level: int
) -> None:
    text = render(observations)
    reflected = reflect(text, 10_000, level)
    assert tokens(reflected) <= tokens(text)
    assert not reflected or problem_with(reflected, source=text, limit=0) == ""


def test_d18_what_goes_first_is_unsure_then_asked_then_done_and_bans_go_last() -> None:
    text = (
        "* 🔴 failed: go:north: a ledge (tried 3 times)\n* 🔴 battle lost: RIVAL\n"
        "* ✅ entered route_1 from home\n* 🟡 asked: stuck at route_1\n* 🟢 advised: do go:route_2\n"
        "* 🔴 milestone reached: starter"
    )
    order: list[set[str]] = []
    for target in range(tokens(text) + 20, 0, -1):
        gone = dropped(text, target)
        if not order or gone != order[-1]:
            order.append(gone)
    steps = [next(iter(later - earlier)) for earlier, later in pairwise(order)]
    assert [each.split(":")[0] for each in steps] == [
        "advised",
        "asked",
        "entered route_1 from home",
        "battle lost",
        "failed",
    ]


def test_d18_without_milestones_and_without_room_nothing_stays() -> None:
    assert reflect("* 🔴 failed: go:north", 1) == ""


def test_d18_what_is_old_goes_before_what_is_recent() -> None:
    text = render(
        DatedLine(
            None, ObservationLine(LinePriority.ASKED, f"question {number}", LineTime(tick=number))
        )
        for number in range(100)
    )
    kept = parse(reflect(text, tokens(text) // 2))
    ticks = [each.line.moment.tick for each in kept]
    assert ticks == list(range(100 - len(kept), 100))
    assert len(kept) > 40


def test_d18_what_is_old_is_told_shorter_at_harder_levels() -> None:
    text = render(
        DatedLine(None, ObservationLine(LinePriority.ASKED, f"{number} " + "a word " * 40))
        for number in range(10)
    )
    lengths = [
        [len(each.line.text) for each in parse(reflect(text, 10**6, level))] for level in range(5)
    ]
    sizes = [sum(each) for each in lengths]
    assert sizes == sorted(set(sizes), reverse=True)
    assert all(each[-1] == lengths[0][-1] for each in lengths)


def test_d17_each_level_aims_at_two_tenths_less() -> None:
    text = HeuristicObserver(lambda words: len(words) * 2).observe(play(300), "").observations
    sizes = [tokens(reflect(text, 10**6, level)) / tokens(text) for level in range(5)]
    for level, size in enumerate(sizes):
        assert size <= 1 - level * 0.2 + 0.001
    assert sizes == sorted(sizes, reverse=True)


def test_d18_reflecting_upon_play_again_and_again_keeps_every_milestone_and_ban() -> None:
    told = ""
    for _ in range(3):
        told += "\n" + HeuristicObserver().observe(play(140), "").observations
        told = reflect(told, 250, level=2)
    assert milestones_in(parse(told)) == MILESTONES
    assert [each.line.text for each in parse(told) if is_ban(each.line)] == [
        "failed: go:route_1: a ledge is in the way (tried 28 times)"
    ]


def test_d19_there_must_be_something_to_reflect_upon() -> None:
    with pytest.raises(DistillingFailed, match="observe something first"):
        reflect(" \n", 100)


@pytest.mark.parametrize("text", ["", "  \n", "Date: 2026-11-22\n", "[3 days later]"])
def test_d19_an_empty_reflection_is_an_error(text: str) -> None:
    assert problem_with(text, source="x", limit=0) == "there are no observations in it"


def test_d19_what_is_not_smaller_is_told_from_what_is() -> None:
    assert problem_with("* 🔴 left home", source="left home", limit=2) == (
        "it has 4 tokens, more than 2"
    )
    assert problem_with("* 🔴 left home", source="left home", limit=4) == ""


@given(st.integers(1, 199), st.integers(0, 150))
def test_d19_text_that_repeats_itself_is_degenerate_in_whatever_steps(
    period: int, lead: int
) -> None:
    alphabet = "".join(chr(0x4E00 + number) for number in range(period))
    start = "".join(chr(0x3400 + number) for number in range(lead))
    assert is_degenerate(start + alphabet * (4_000 // period))


def test_d19_a_row_without_end_is_degenerate_and_short_or_varied_text_is_not() -> None:
    varied = "\n".join(f"* 🔴 (tick {number}) battle lost: rat {number}" for number in range(900))
    assert not is_degenerate(varied)
    assert not is_degenerate("again " * 333)
    assert is_degenerate("again " * 334)
    assert is_degenerate("".join(map(chr, range(0x4E00, 0x4E00 + 20_000))) * 3)
    endless = "".join(f"{number} " for number in range(10_000)) + "x" * 2_000
    assert is_degenerate(endless)


def test_d19_four_in_ten_windows_may_be_repeats_and_no_more() -> None:
    fresh = "".join(map(chr, range(0x4E00, 0x4E00 + 2_000)))
    assert not is_degenerate(fresh + fresh[:200] * 6)  # six of sixteen
    assert is_degenerate(fresh + fresh[:200] * 7)  # seven of seventeen


def test_d34_a_reflection_that_cannot_be_used_is_told_so_in_one_line() -> None:
    fresh = "\n".join(f"* 🔴 went to cave {number} and came back" for number in range(100))
    assert problem_with(fresh + "\n* again" * 1_000, source=fresh, limit=0) == (
        "it repeats itself over and over"
    )
    assert (
        problem_with(
            "* 🔴 met SQUIRTLE in second_town and Charmander in third_town",
            source="SQUIRTLE was met in Second_Town",
            limit=0,
        )
        == "it names what was not said: third_town"
    )
    assert problem_with("* 🔴 NEVER trust GIOVANNI", source="trust", limit=0) == (
        "it names what was not said: GIOVANNI"
    )
