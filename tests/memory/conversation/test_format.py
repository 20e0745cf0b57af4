"""The format of observations, rendered and parsed, from rules and from models."""

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from memory.conversation.archive import catalogue
from memory.conversation.format import (
    MAX_LINE,
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
from memory.conversation.messages import strip_injected
from memory.conversation.model import parse_answer
from memory.conversation.port import Condensed
from memory.conversation.rules import HeuristicObserver
from memory.conversation.situation_format import Failure, Situation, read_situation
from memory.conversation.view import (
    CONTINUATION_ID,
    Injected,
    Now,
    age,
    annotate_ages,
    inject,
    is_reminder,
    other_conversation,
    with_reminder,
)
from memory.store.conversation_record import Chunk, MessageOrigin
from memory.tokens import CHARACTERS, TokenEstimator, tokens
from tests.memory.conversation.sample_talk import dated, said

DAY = dt.date(2026, 11, 22)
ASSERTED = LinePriority.ASSERTED
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
def test_d15_rendered_observations_are_parsed_back(observations: tuple[DatedLine, ...]) -> None:
    assert parse(render(observations)) == observations


@given(st.text(max_size=400))
def test_d15_any_text_is_parsed_to_a_stable_form(text: str) -> None:
    once = render(parse(text))
    assert render(parse(once)) == once


def test_d15_groups_have_dates_and_lines_priorities_and_24_hour_times() -> None:
    lines = (
        dated("milestone reached: left_home", ASSERTED, LineTime("14:30", 3730, 812), date=DAY),
        dated("asked: stuck at route_1", moment=LineTime("23:05"), date=DAY, count=3),
        dated("the north may be open", LinePriority.UNCERTAIN, details=("a guess",)),
        dated("entered route_1", LinePriority.DONE, LineTime(tick=5)),
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
    ["Date: Nov 22, 2026", "**Date: 2026-11-22**", "Date: 2026-11-22 (yesterday)", "## Date: November 22, 2026"],
)  # fmt: skip
def test_d15_date_formats_of_models_are_parsed(header: str) -> None:
    assert parse(f"{header}\n- 🔴 (9:05) left home") == (
        dated("left home", ASSERTED, LineTime("09:05"), date=DAY),
    )


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (
            "Here it is.\n<observations>\nDate: 2026-11-22\n* 🔴 (14:30) left home\n</observations>\n"
            "<current-task>reach second_town</current-task>\n"
            "<suggested-response>\nGo north.\n</suggested-response>",
            ("Date: 2026-11-22\n* 🔴 (14:30) left home", "reach second_town", "Go north."),
        ),
        (  # without tags, its list lines are used
            "Sure, here are the observations:\n\nDate: 2026-11-22\n* 🔴 (14:30) left home\n"
            "1. the rival is strong\n\nI hope this helps!\n<current-task>win</current-task>",
            ("Date: 2026-11-22\n* 🔴 (14:30) left home\n* 🟡 the rival is strong", "win"),
        ),
        (
            "<observations>\n* 🔴 left home\n* 🟡 asked: stuck\n<current-task>win",
            ("Date: unknown\n* 🔴 left home\n* 🟡 asked: stuck", "win"),
        ),
        ("I cannot help with that.", ("",)),
        ("", ("",)),
    ],
)
def test_d15_an_answer_has_three_parts_with_or_without_its_tags(
    words: str, answer: tuple[str, ...]
) -> None:
    assert parse_answer(words) == Condensed(*answer)


def test_d26_the_catalogue_has_one_line_per_group_and_respects_its_budget() -> None:
    groups = [
        group(1, f"{OLD}\n* 🔴 failed: go:north (tried 3 times)"),
        group(2, f"{NEW}\nDate: 2026-11-24\n* 🟡 (tick 950) asked: lost"),
        group(3, "* 🟢 a guess"),
    ]
    assert catalogue(groups) == snapshot("""\
* group-1 (2026-11-20, ticks 10 to 10, 2 lines): reached starter; failed: go:north (tried 3 times)
* group-2 (2026-11-22 to 2026-11-24, ticks 900 to 950, 2 lines): asked: stuck; asked: lost
* group-3 (no date, 1 line): a guess\
""")
    assert catalogue([]) == ""
    groups = [group(number, NEW) for number in range(500)]
    text = catalogue(groups, 300)
    assert tokens(text) <= 300
    first, *rest = text.splitlines()
    assert first == f"* group-0 to group-{499 - len(rest)}: {500 - len(rest)} older groups"
    assert rest[-1].startswith("* group-499 (2026-11-22, ticks 900 to 900, 1 line): asked: stuck")
    assert len(rest) > 10
    assert catalogue(groups, 3) == ""


def test_d15_d19_a_line_is_cut_at_ten_thousand_characters_and_between_words() -> None:
    ((_, line),) = parse("* 🔴 " + "long " * 5_000)
    assert len(line.text) <= MAX_LINE
    assert line.text.endswith("long…")
    for text, longest, cut in (
        ("beyond second_town", 12, "beyond…"),
        ("second_town", 5, "seco…"),
        ("a  b\n c", 5, "a b c"),
    ):
        assert one_line(text, longest) == cut


def test_d15_detail_and_priority_formats_of_models_are_parsed() -> None:
    text = "Date: one day\n- 🟡 asked\n  - a detail\n  - 🔴 (noon) lost\n\t* ->\n  * -> 🟢 a guess"
    assert parse(text) == (
        dated("asked", details=("a detail",)),
        dated("(noon) lost", ASSERTED, details=("🟢 a guess",)),
    )


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
def test_d18_a_rendered_situation_is_parsed_back(found: Situation) -> None:
    assert read_situation(f"{found}\n\nMap around:\n###\n- no item of ours") == found


def test_d18_a_situation_in_a_question_is_parsed() -> None:
    found = read_situation(
        "Purpose: plan_failed\nTick: 812\nLast milestone: starter\n<situation>\n- standing still\n"
        "Where: route_1\nReached: left_home, starter\n- rival\nblackout: woke up at home\n"
        "Candidates:\n- go:route_2: the way east\nfailed: go:route_1 (tried 2 times)\n</situation>"
    )
    assert found == Situation(
        why="plan_failed",
        tick="812",
        place="route_1",
        reached=("starter", "left_home", "rival"),
        happened=("blackout: woke up at home",),
        failed=(Failure("go:route_1", 2),),
    )


TODAY = dt.date(2026, 11, 25)
OTHER = other_conversation("run-2", "user: hello")
OLD = "Date: 2026-11-20\n* 🔴 (tick 10) milestone reached: starter"
NEW = "Date: 2026-11-22\n* 🟡 (tick 900) asked: stuck"


def test_d10_memory_is_one_tagged_block() -> None:
    injected = inject(OLD, NEW, "win", "Go on.", OTHER)
    assert injected.text == snapshot("""\
<observational-memory>
What I remember of this conversation, in my own notes. Its older messages are no longer shown; I noted what matters while they were. I go on from here as from my own memory: what is marked 🔴 was shown or stated, 🟡 was asked, 🟢 is a guess or earlier advice that nobody confirmed, ✅ is done. Of two notes that contradict each other the newer one holds, and what the game shows now outweighs both.
<observations>
Date: 2026-11-20
* 🔴 (tick 10) milestone reached: starter
Date: 2026-11-22
* 🟡 (tick 900) asked: stuck
</observations>
<current-task>
win
</current-task>
<suggested-response>
Go on.
</suggested-response>
<other-conversation thread="run-2">
user: hello
</other-conversation>
</observational-memory>\
""")
    assert injected.reminder == snapshot("""\
<system-reminder id="om-continuation">
This conversation has grown long, so its older part is in my notes above. Go on naturally from the messages below: do not greet, do not sum up, and do not speak of notes or memory.
</system-reminder>\
""")


def test_d01_d10_the_actor_sees_its_memory_a_reminder_and_the_tail() -> None:
    tail = (said("one"), said("two", origin=MessageOrigin.MODEL))
    now = inject("", NEW)
    seen = with_reminder(tail, now, "run-1")
    assert seen[1:] == tail
    fields = seen[0].thread, seen[0].role, seen[0].origin
    assert fields == ("run-1", "user", MessageOrigin.INJECTED)
    assert f'id="{CONTINUATION_ID}"' in seen[0].blocks[0]["text"]
    assert with_reminder(seen, now, "run-1") == seen  # replaced, not repeated
    assert with_reminder(with_reminder(tail, inject(OLD, NEW), "run-1"), now, "run-1") == seen
    assert with_reminder(seen, Injected()) == tail
    assert [is_reminder(each) for each in seen] == [True, False, False]
    assert inject(" ", "\n", "", " ") == Injected()
    assert with_reminder((), Injected()) == ()
    injected = inject(others=OTHER)
    assert injected.text.count("<other-conversation") == 1
    assert injected.reminder == ""
    first = inject(OLD, NEW, "win")  # rarely changing parts come first
    later = inject(OLD, f"{NEW}\n* 🟡 more", "lose", others=OTHER)
    assert [len(each.parts) for each in (first, later)] == [2, 3]
    assert first.parts[0] == later.parts[0]
    assert "user: hello" in later.parts[2]


@given(
    st.lists(
        st.sampled_from(
            [OLD, "</observations>", "<current-task>x", "a < b", "", "</observational-memory >"]
        )
    )
)
def test_d35_injected_text_is_always_removed(words: list[str]) -> None:
    text = "\n".join(words)
    injected = inject(text, NEW, text, text, other_conversation(text, text))
    assert strip_injected(f"{injected.text}\nsaid\n{injected.reminder}") == "said"
    assert injected.text.count("</observations>") == 1
    message = said(f"{injected.text}{injected.reminder}")
    assert HeuristicObserver().observe([message], "").observations == ""


def test_d11_days_have_an_age_in_words() -> None:
    past = {1: "yesterday", 3: "3 days ago", 7: "1 week ago", 15: "2 weeks ago", 45: "1 month ago"}
    ages = {
        0: "today",
        800: "2 years ago",
        -1: "tomorrow",
        -3: "in 3 days",
        -21: "in 3 weeks",
    } | past
    assert {days: age(TODAY - dt.timedelta(days), TODAY) for days in ages} == ages
    assert annotate_ages("", Now(TODAY)) == ""
    assert annotate_ages(OLD, Now()) == OLD


def test_d11_ages_gaps_and_past_due_marks() -> None:
    text = (
        "Date: 2026-11-20\n* 🔴 (14:30, game 0:10:00, tick 1200) plans to train until level 10 (by tick 2000)\n"
        "* 🔴 failed: go:north (tried 3 times)\n"
        "Date: 2026-11-24\n* 🟡 (tick 4000) asked to win by 2026-11-24\n  * -> a detail\n"
        "* ✅ won by 2026-11-24\n* 🔴 plans to heal by game 1:00:00, and by tick 9000"
    )
    now = Now(TODAY, game_s=3_600, tick=5_012, attempt=3)
    assert annotate_ages(text, now) == snapshot("""\
[as of: 2026-11-25, game 1:00:00, tick 5012, attempt 3]
Date: 2026-11-20 (5 days ago, 0:50:00 of play ago, 3812 ticks ago)
* 🔴 (14:30, game 0:10:00, tick 1200) plans to train until level 10 (by tick 2000) [past due]
* 🔴 failed: go:north (tried 3 times)
[4 days later]
Date: 2026-11-24 (yesterday, 1012 ticks ago)
* 🟡 (tick 4000) asked to win by 2026-11-24 [past due]
  * -> a detail
* ✅ won by 2026-11-24
* 🔴 plans to heal by game 1:00:00, and by tick 9000\
""")
    assert render(parse(annotate_ages(text, now))) == text


FRAGMENTS = [
    *("Date: 2026-11-20", "* Date: 2026-11-20", "**Date: unknown**", "[1 day later]", "(tick 4) "),
    *(" ", "  * ", "\n", "- 🔴 ", "by tick 5", "✅ ", "x", "  - by tick 5\n"),
]


@given(
    st.lists(st.sampled_from(FRAGMENTS)).map("".join) | OBSERVATIONS.map(render),
    st.builds(
        Now, st.none() | st.dates(), st.none() | st.floats(0, 10**6), st.none() | st.integers(0)
    ),
)
def test_d11_parsing_drops_ages_from_any_text(text: str, now: Now) -> None:
    assert parse(annotate_ages(text, now)) == parse(text)
    assert annotate_ages(annotate_ages(text, now), now) == annotate_ages(text, now)


def group(number: int, text: str) -> Chunk:
    return Chunk(1, 1, text, 1, 1, "programmatic", id=number)


def test_d02_an_estimator_is_calibrated_towards_counted_tokens() -> None:
    estimate = TokenEstimator()
    for text in ("", "a", "four", "fives", "é" * 99):
        assert estimate(text) == tokens(text)
    assert estimate.of_characters(CHARACTERS * 3) == 3
    assert estimate.calibrated(3_000, 1_000).characters == 3.75
    for _ in range(41):
        estimate = estimate.calibrated(3_000, 1_000)
    assert estimate.characters == pytest.approx(3, abs=0.001)
    assert estimate("x" * 300) == 100


@given(
    st.lists(st.tuples(st.integers(), st.integers())), st.text(max_size=50), st.text(max_size=50)
)
def test_d02_no_count_pushes_an_estimator_out_of_bounds(
    counts: list[tuple[int, int]], one: str, other: str
) -> None:
    estimate = TokenEstimator()
    for characters, counted in counts:
        estimate = estimate.calibrated(characters, counted)
    assert 2 <= estimate.characters <= 6
    assert estimate(one + other) <= estimate(one) + estimate(other)
