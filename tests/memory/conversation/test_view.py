"""What an actor is shown of its memory, how old it is told to be, and how many tokens that takes."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from memory.conversation.archive import Archived, catalogue
from memory.conversation.format import parse, render
from memory.conversation.messages import without_injected
from memory.conversation.rules import HeuristicObserver
from memory.conversation.view import (
    CONTINUATION_ID,
    Injected,
    Now,
    age,
    annotated,
    inject,
    is_reminder,
    other_conversation,
    with_reminder,
)
from memory.store.conversation_record import MessageOrigin
from memory.tokens import CHARACTERS, TokenEstimator, tokens
from tests.memory.conversation.talks import said
from tests.memory.conversation.test_format import OBSERVATIONS

TODAY = dt.date(2026, 11, 25)
OLD = "Date: 2026-11-20\n* 🔴 (tick 10) milestone reached: starter"
NEW = "Date: 2026-11-22\n* 🟡 (tick 900) asked: stuck"


def test_d10_memory_is_one_tagged_block() -> None:
    injected = inject(OLD, NEW, "win", "Go on.", other_conversation("run-2", "user: hello"))
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


def test_d10_what_changes_seldom_comes_first_and_is_a_piece_of_its_own() -> None:
    first = inject(OLD, NEW, "win")
    later = inject(OLD, f"{NEW}\n* 🟡 more", "lose", others="user: hello")
    assert len(first.parts) == 2
    assert len(later.parts) == 3
    assert first.parts[0] == later.parts[0]
    assert "user: hello" in later.parts[2]


def test_d10_where_there_is_nothing_to_remember_nothing_is_injected() -> None:
    assert inject(" ", "\n", "", " ") == Injected()
    assert with_reminder((), Injected()) == ()


def test_d10_nothing_is_said_of_a_long_conversation_where_none_was_observed() -> None:
    injected = inject(others="user: hello")
    assert injected.text.count("<other-conversation>") == 1
    assert injected.reminder == ""


def test_d10_memory_is_replaced_and_not_piled_up() -> None:
    before, now = inject(OLD, NEW, others="user: hello"), inject("", NEW)
    assert OLD in before.text
    assert OLD not in now.text
    tail = (said("one"),)
    once = with_reminder(tail, before, "run-1")
    assert with_reminder(once, now, "run-1") == with_reminder(tail, now, "run-1")


def test_d01_d10_the_actor_sees_its_memory_a_reminder_and_the_tail() -> None:
    tail = (said("one"), said("two", origin=MessageOrigin.MODEL))
    seen = with_reminder(tail, inject("", NEW), "run-1")
    assert seen[1:] == tail
    reminder = seen[0]
    assert (reminder.thread, reminder.role, reminder.origin) == (
        "run-1",
        "user",
        MessageOrigin.INJECTED,
    )
    assert f'id="{CONTINUATION_ID}"' in reminder.blocks[0]["text"]
    assert with_reminder(seen, inject("", NEW), "run-1") == seen
    assert with_reminder(seen, Injected()) == tail
    assert [is_reminder(each) for each in seen] == [True, False, False]


@given(
    st.lists(
        st.sampled_from(
            [OLD, "</observations>", "<current-task>x", "a < b", "", "</observational-memory >"]
        )
    )
)
def test_d35_what_is_injected_is_never_taken_for_said(words: list[str]) -> None:
    text = "\n".join(words)
    injected = inject(text, NEW, text, text, other_conversation(text, text))
    assert without_injected(f"{injected.text}\nsaid\n{injected.reminder}") == "said"
    assert injected.text.count("</observations>") == 1
    message = said(f"{injected.text}{injected.reminder}")
    assert HeuristicObserver().observe([message], "").observations == ""


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, "today"),
        (1, "yesterday"),
        (3, "3 days ago"),
        (7, "1 week ago"),
        (15, "2 weeks ago"),
        (45, "1 month ago"),
        (800, "2 years ago"),
        (-1, "tomorrow"),
        (-3, "in 3 days"),
        (-21, "in 3 weeks"),
    ],
)
def test_d11_days_are_told_by_their_age(days: int, words: str) -> None:
    assert age(TODAY - dt.timedelta(days), TODAY) == words


def test_d11_ages_gaps_and_what_is_past_due() -> None:
    text = (
        "Date: 2026-11-20\n* 🔴 (14:30, game 0:10:00, tick 1200) plans to train until level 10 (by tick 2000)\n"
        "* 🔴 failed: go:north (tried 3 times)\n"
        "Date: 2026-11-24\n* 🟡 (tick 4000) asked to win by 2026-11-24\n  * -> a detail\n"
        "* ✅ won by 2026-11-24\n* 🔴 plans to heal by game 1:00:00, and by tick 9000"
    )
    now = Now(TODAY, game_s=3_600, tick=5_012, attempt=3)
    assert annotated(text, now) == snapshot("""\
[now: 2026-11-25, game 1:00:00, tick 5012, attempt 3]
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
    assert render(parse(annotated(text, now))) == text


@given(
    OBSERVATIONS,
    st.builds(
        Now, st.none() | st.dates(), st.none() | st.floats(0, 10**6), st.none() | st.integers(0)
    ),
)
def test_d11_ages_are_dropped_when_observations_are_read(observations: object, now: Now) -> None:
    text = render(observations)  # type: ignore[arg-type]  # drawn from its own strategy
    assert parse(annotated(text, now)) == parse(text)


FRAGMENTS = [
    "Date: 2026-11-20",
    "* Date: 2026-11-20",
    "**Date: unknown**",
    " ",
    "  * ",
    "\n",
    "- 🔴 ",
    "by tick 5",
]


@given(
    st.lists(
        st.sampled_from([*FRAGMENTS, "✅ ", "x", "(tick 4) ", "  - by tick 5\n", "[1 day later]"])
    )
)
def test_d11_ages_are_dropped_whoever_wrote_the_observations(parts: list[str]) -> None:
    text, now = "".join(parts), Now(TODAY, game_s=5.0, tick=9)
    assert parse(annotated(text, now)) == parse(text)
    assert annotated(annotated(text, now), now) == annotated(text, now)


def test_d11_nothing_is_as_old_as_it_was() -> None:
    assert annotated("", Now(TODAY)) == ""
    assert annotated(OLD, Now()) == OLD


def test_d26_the_archive_is_told_in_a_line_for_each_group() -> None:
    groups = [
        Archived("g1", f"{OLD}\n* 🔴 failed: go:north (tried 3 times)"),
        Archived("g2", f"{NEW}\nDate: 2026-11-24\n* 🟡 (tick 950) asked: lost"),
        Archived("g3", "* 🟢 a guess"),
    ]
    assert catalogue(groups) == snapshot("""\
* g1 (2026-11-20, ticks 10 to 10, 2 lines): reached starter; failed: go:north (tried 3 times)
* g2 (2026-11-22 to 2026-11-24, ticks 900 to 950, 2 lines): asked: stuck; asked: lost
* g3 (no date, 1 line): a guess\
""")
    assert catalogue([]) == ""


def test_d26_the_catalogue_keeps_to_its_tokens() -> None:
    groups = [Archived(f"g{number}", NEW) for number in range(500)]
    text = catalogue(groups, 300)
    assert tokens(text) <= 300
    first, *rest = text.splitlines()
    assert first == f"* g0 to g{499 - len(rest)}: {500 - len(rest)} older groups"
    assert rest[-1].startswith("* g499 (2026-11-22, ticks 900 to 900, 1 line): asked: stuck")
    assert len(rest) > 10
    assert catalogue(groups, 3) == ""


def test_d02_one_estimator_has_the_estimates_of_everybody() -> None:
    estimate = TokenEstimator()
    for text in ("", "a", "four", "fives", "é" * 99):
        assert estimate(text) == tokens(text)
    assert estimate.of_characters(CHARACTERS * 3) == 3


def test_d02_an_estimator_leans_towards_what_a_service_counts() -> None:
    estimate = TokenEstimator().calibrated(3_000, 1_000)
    assert estimate.characters == 3.75
    for _ in range(40):
        estimate = estimate.calibrated(3_000, 1_000)
    assert estimate.characters == pytest.approx(3, abs=0.001)
    assert estimate("x" * 300) == 100


@given(
    st.lists(st.tuples(st.integers(), st.integers())), st.text(max_size=50), st.text(max_size=50)
)
def test_d02_no_count_makes_an_estimator_mad(
    counts: list[tuple[int, int]], one: str, other: str
) -> None:
    estimate = TokenEstimator()
    for characters, counted in counts:
        estimate = estimate.calibrated(characters, counted)
    assert 2 <= estimate.characters <= 6
    assert estimate(one + other) <= estimate(one) + estimate(other)
