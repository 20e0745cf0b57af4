"""How observations are written and read, whoever wrote them."""

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.conversation.format import (
    LONGEST_LINE,
    PAST_DUE,
    TIMES,
    DatedLine,
    LinePriority,
    LineTime,
    ObservationLine,
    one_line,
    parse,
    render,
)
from memory.conversation.model import parse_answer
from memory.conversation.port import Distilled
from memory.conversation.situation_format import Failure, Situation, read_situation

DAY = dt.date(2026, 11, 22)
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)
TEXTS = (
    st.one_of(
        WORDS,
        WORDS.map("(14:30) {}".format),
        WORDS.map(lambda words: f"{words} {TIMES} 3"),
        WORDS.map("🔴 {}".format),
        WORDS.map("-> {}".format),
    )
    .map(one_line)
    .filter(lambda each: each and not each.endswith(PAST_DUE))
)
MOMENTS = st.builds(
    LineTime,
    clock=st.one_of(st.just(""), st.times().map("{:%H:%M}".format)),
    game_s=st.none() | st.integers(0, 10**7),
    tick=st.none() | st.integers(0, 10**9),
)
LINES = st.builds(
    ObservationLine,
    priority=st.sampled_from(LinePriority),
    text=TEXTS,
    moment=MOMENTS,
    count=st.integers(1, 999),
    details=st.lists(TEXTS, max_size=2).map(tuple),
)
OBSERVATIONS = st.lists(st.builds(DatedLine, st.none() | st.dates(), LINES), max_size=6).map(tuple)
IDS = st.from_regex(re.compile(r"[a-z]{1,8}_[a-z0-9]{1,8}"), fullmatch=True)


@given(OBSERVATIONS)
def test_d15_what_is_rendered_is_read_back_as_it_was(observations: tuple[DatedLine, ...]) -> None:
    assert parse(render(observations)) == observations


@given(st.text(max_size=400))
def test_d15_any_text_is_read_and_then_stays_as_it_is(text: str) -> None:
    once = render(parse(text))
    assert render(parse(once)) == once


def test_d15_groups_have_dates_and_lines_priorities_and_24_hour_times() -> None:
    lines = (
        DatedLine(
            DAY,
            ObservationLine(
                LinePriority.ASSERTED, "milestone reached: left_home", LineTime("14:30", 3730, 812)
            ),
        ),
        DatedLine(
            DAY,
            ObservationLine(
                LinePriority.ASKED, "asked: stuck at route_1", LineTime("23:05"), count=3
            ),
        ),
        DatedLine(
            None,
            ObservationLine(LinePriority.UNCERTAIN, "the north may be open", details=("a guess",)),
        ),
        DatedLine(None, ObservationLine(LinePriority.DONE, "entered route_1", LineTime(tick=5))),
    )
    assert render(lines) == (
        "Date: 2026-11-22\n"
        "* 🔴 (14:30, game 1:02:10, tick 812) milestone reached: left_home\n"
        f"* 🟡 (23:05) asked: stuck at route_1 {TIMES} 3\n"
        "Date: unknown\n"
        "* 🟢 the north may be open\n"
        "  * -> a guess\n"
        "* ✅ (tick 5) entered route_1"
    )


@pytest.mark.parametrize(
    "header",
    [
        "Date: Nov 22, 2026",
        "**Date: 2026-11-22**",
        "Date: 2026-11-22 (yesterday)",
        "## Date: November 22, 2026",
    ],
)
def test_d15_dates_are_read_as_models_write_them(header: str) -> None:
    assert parse(f"{header}\n- 🔴 (9:05) left home") == (
        DatedLine(DAY, ObservationLine(LinePriority.ASSERTED, "left home", LineTime("09:05"))),
    )


def test_d15_an_answer_has_three_parts() -> None:
    answer = parse_answer(
        "Here it is.\n<observations>\nDate: 2026-11-22\n* 🔴 (14:30) left home\n</observations>\n"
        "<current-task>reach second_town</current-task>\n"
        "<suggested-response>\nGo north.\n</suggested-response>"
    )
    assert answer == Distilled(
        "Date: 2026-11-22\n* 🔴 (14:30) left home", "reach second_town", "Go north."
    )


def test_d15_list_lines_are_taken_where_the_tags_are_missing() -> None:
    answer = parse_answer(
        "Sure, here are the observations:\n\nDate: 2026-11-22\n* 🔴 (14:30) left home\n"
        "1. the rival is strong\n\nI hope this helps!\n<current-task>win</current-task>"
    )
    assert answer.observations == (
        "Date: 2026-11-22\n* 🔴 (14:30) left home\n* 🟡 the rival is strong"
    )
    assert answer.current_task == "win"


def test_d15_an_answer_that_breaks_off_is_read_to_its_end() -> None:
    answer = parse_answer("<observations>\n* 🔴 left home\n* 🟡 asked: stuck\n<current-task>win")
    assert answer == Distilled("Date: unknown\n* 🔴 left home\n* 🟡 asked: stuck", "win")


def test_d15_an_answer_that_says_nothing_has_no_observations() -> None:
    assert parse_answer("I cannot help with that.") == Distilled("")
    assert parse_answer("") == Distilled("")


def test_d19_a_line_is_cut_at_ten_thousand_characters() -> None:
    ((_, line),) = parse("* 🔴 " + "long " * 5_000)
    assert len(line.text) <= LONGEST_LINE
    assert line.text.endswith("long…")


def test_d15_details_and_priorities_are_read_as_models_write_them() -> None:
    text = "Date: one day\n- 🟡 asked\n  - a detail\n  - 🔴 (noon) lost\n\t* ->\n  * -> 🟢 a guess"
    assert parse(text) == (
        DatedLine(None, ObservationLine(LinePriority.ASKED, "asked", details=("a detail",))),
        DatedLine(
            None, ObservationLine(LinePriority.ASSERTED, "(noon) lost", details=("🟢 a guess",))
        ),
    )


def test_d15_cutting_keeps_ids_whole_or_leaves_them_out() -> None:
    assert one_line("beyond second_town", 12) == "beyond…"
    assert one_line("second_town", 5) == "seco…"
    assert one_line("a  b\n c", 5) == "a b c"


@given(
    st.builds(
        Situation,
        why=IDS,
        tick=st.integers(0).map(str),
        place=IDS,
        goal=IDS,
        reached=st.lists(IDS, max_size=4, unique=True).map(tuple),
        happened=st.lists(IDS.map("milestone reached: {}".format), max_size=3).map(tuple),
        failed=st.lists(
            st.builds(Failure, IDS.map("go:{}: a wall".format), st.integers(0, 99)), max_size=3
        ).map(tuple),
    )
)
def test_d18_a_situation_is_read_as_it_was_written(told: Situation) -> None:
    assert read_situation(f"{told}\n\nMap around:\n###\n- no item of ours") == told


def test_d18_a_situation_is_read_as_advisers_are_told_it() -> None:
    told = read_situation(
        "Purpose: plan_failed\nTick: 812\nLast milestone: starter\n<situation>\n- standing still\n"
        "Where: route_1\nReached: left_home, starter\n- rival\nblackout: woke up at home\n"
        "Candidates:\n- go:route_2: the way east\nfailed: go:route_1 (tried 2 times)\n</situation>"
    )
    assert told == Situation(
        why="plan_failed",
        tick="812",
        place="route_1",
        reached=("starter", "left_home", "rival"),
        happened=("blackout: woke up at home",),
        failed=(Failure("go:route_1", 2),),
    )
