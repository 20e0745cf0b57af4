"""From how a child ended to what is done: every kind, by itself."""

from dataclasses import replace

import pytest

from agent.overnight import Beat, Ending
from agent.overnight.ended import Ended
from agent.overnight.fault import Fault
from agent.overnight.guards import FRAMES_PER_HOUR, Guard, Limits, Reading, passed, told
from agent.overnight.judging import KILLS, MENDS, WAITS, Again, Back, Record, judge, newest_before
from agent.overnight.lull import Lull
from agent.overnight.mending import Damage
from agent.overnight.verdict import Verdict

MARKS = [(0, True), (64, True), (102, True), (900, False), (1_000, False)]
PLENTY = Reading(night_s=60, frame=100, free_bytes=10**12, resident=10**8, log_bytes=10)


@pytest.mark.parametrize(
    ("ended", "fault"),
    [
        (Ended(-9), Fault.KILLED),
        (Ended(-15), Fault.TERMINATED),
        (Ended(130, stop="interrupted"), Fault.TERMINATED),
        (Ended(-11), Fault.CRASH),
        (Ended(-6, because=Fault.HANG), Fault.HANG),
        (Ended(1, says="it broke"), Fault.ERROR),
        (Ended(0), Fault.ERROR),  # it says nothing of a goal
    ],
)
def test_who_did_not_reach_the_goal_is_started_again(ended: Ended, fault: Fault) -> None:
    answer, _ = judge(ended, None, Record())
    assert isinstance(answer, Again)
    assert (answer.fault, answer.wait, answer.back) == (fault, 1, Back.LAST)


@pytest.mark.parametrize(
    ("ended", "ending", "which"),
    [
        (Ended(0, stop="goal", because=Guard.HOURS), Ending.GOAL, None),
        (Ended(0, stop="ticks"), Ending.LIMIT, Guard.TICKS),
        (Ended(130, because=Guard.DISK), Ending.LIMIT, Guard.DISK),
        (Ended(-9, because=Guard.HOURS), Ending.LIMIT, Guard.HOURS),
        (Ended(130, is_unwatched=True), Ending.INTERRUPTED, None),
    ],
)
def test_some_endings_are_verdicts(ended: Ended, ending: Ending, which: Guard | None) -> None:
    answer, _ = judge(ended, None, Record())
    assert isinstance(answer, Verdict)
    assert (answer.ending, answer.which) == (ending, which)


def test_a_goal_whose_files_are_damaged_is_not_reached_yet() -> None:
    ended, torn = Ended(0, stop="goal"), Damage(Fault.DAMAGED_MEMORY, "torn")
    answer, _ = judge(ended, torn, Record())
    assert isinstance(answer, Again)
    assert (answer.fault, answer.damage) == (Fault.DAMAGED_MEMORY, torn)
    verdict, _ = judge(ended, Damage(Fault.DISK, "full"), Record())  # nothing is left to write
    assert isinstance(verdict, Verdict)


def answers(ended: Ended, damage: Damage | None = None) -> list[Again | Verdict]:
    """Return the answers to the same ending again and again, up to the verdict."""
    record, given = Record(), list[Again | Verdict]()
    while not given or isinstance(given[-1], Again):
        answer, record = judge(ended, damage, record)
        given.append(answer)
    return given


def test_waits_grow_to_a_minute_and_an_older_checkpoint_is_tried_before_the_end() -> None:
    *again, last = answers(Ended(-11, says="ended by SIGSEGV"))
    assert [(each.wait, each.back) for each in again if isinstance(each, Again)] == [
        (1, Back.LAST),
        (2, Back.LAST),
        (4, Back.LAST),
        (8, Back.FURTHER),
        (16, Back.FURTHER),
        (32, Back.FURTHER),
        (60, Back.COPY),
    ]
    assert isinstance(last, Verdict)
    assert last.why.startswith("ended by SIGSEGV (it came 8 times")


@pytest.mark.parametrize(
    ("ended", "damage", "times", "ending", "which"),
    [
        (Ended(-9), None, KILLS, Ending.GAVE_UP, None),
        (Ended(1), Damage(Fault.DISK, "full"), WAITS, Ending.LIMIT, Guard.DISK),
        (Ended(1), Damage(Fault.UNWRITABLE, "read-only"), WAITS, Ending.GAVE_UP, None),
        (Ended(1), Damage(Fault.DAMAGED_RUN, "torn"), MENDS, Ending.GAVE_UP, None),
        (Ended(3, stop="gave_up", says="no way"), None, 2, Ending.GAVE_UP, None),
    ],
)
def test_no_answer_is_given_for_ever(
    ended: Ended, damage: Damage | None, times: int, ending: Ending, which: Guard | None
) -> None:
    *again, last = answers(ended, damage)
    assert len(again) == times
    assert isinstance(last, Verdict)
    assert (last.ending, last.which) == (ending, which)
    assert last.why


def test_a_checkpoint_beyond_all_others_gives_every_try_again() -> None:
    worn = Record(furthest=500, failures=6, kills=20, waits=9, mends=3)
    assert worn.after(Ended(1, checkpoint=500)) == worn
    assert worn.after(Ended(1, checkpoint=501)) == Record(furthest=501)


def test_memory_that_is_short_ends_the_night_only_when_a_restart_did_not_help() -> None:
    ended = Ended(130, because=Guard.MEMORY, says="2,000 MB taken")
    first, record = judge(ended, None, Record())
    assert isinstance(first, Again)
    second, _ = judge(ended, None, replace(record, memory_is_short=True))
    assert isinstance(second, Verdict)
    assert second.which is Guard.MEMORY


@pytest.mark.parametrize(
    ("tick", "lasting", "target"),
    [(1_000, False, 900), (900, True, 102), (64, False, 0), (0, False, 0), (0, True, 0)],
)
def test_the_tick_to_go_back_to_is_the_last_before(
    tick: int, target: int, *, lasting: bool
) -> None:
    assert newest_before(MARKS, tick, lasting=lasting) == target
    assert newest_before([], tick, lasting=lasting) is None


@pytest.mark.parametrize(
    ("reading", "guard"),
    [
        (PLENTY, None),
        (PLENTY._replace(free_bytes=1), Guard.DISK),
        (PLENTY._replace(night_s=3_600), Guard.HOURS),
        (PLENTY._replace(frame=round(2.5 * FRAMES_PER_HOUR)), Guard.GAME_HOURS),
        (PLENTY._replace(log_bytes=10**9), Guard.LOG),
        (PLENTY._replace(resident=10**10), Guard.MEMORY),
        (PLENTY._replace(calls=7), None),  # of a model that is not asked any more
        (PLENTY._replace(calls=7, asks=True), Guard.CALLS),
        (PLENTY._replace(usd=2.0, asks=True), Guard.DOLLARS),
        (PLENTY._replace(free_bytes=1, usd=2.0, asks=True), Guard.DISK),
    ],
)
def test_what_is_passed_is_named(reading: Reading, guard: Guard | None) -> None:
    limits = Limits(hours=1, game_hours=2, calls=7, usd=1.5)
    assert passed(reading, limits) is guard
    if guard is not None:
        assert told(guard, reading, limits)


def beat(tick: int, frame: int, gains: int = 0) -> Beat:
    return Beat(tick, frame, "the lab", "wait", (), gains, 0)


def test_a_hang_is_no_new_tick_for_long() -> None:
    lull = Lull()
    lull.begin(100.0)
    assert not lull.hangs(129.0, after_s=30)
    lull.saw(beat(1, 10), 120.0)
    lull.saw(beat(1, 10), 145.0)  # at the same tick
    assert not lull.hangs(150.0, after_s=30)
    assert lull.hangs(150.1, after_s=30)


def test_a_livelock_counts_what_is_played_since_the_last_gain_of_all_children() -> None:
    hour, lull = round(FRAMES_PER_HOUR), Lull()
    for child in range(3):
        lull.begin(0.0)
        lull.saw(beat(10, 0, gains=0), 0.0)
        lull.saw(beat(20, hour, gains=4), 0.0)  # each plays the same again
        lull.saw(beat(30, 2 * hour, gains=4), 0.0)
        assert lull.is_livelock(after_hours=2.5) is (child > 0)
    assert lull.gained_at == 20
    lull.saw(beat(40, 0, gains=4), 0.0)  # going back gives no time back
    assert lull.is_livelock(after_hours=4.5)
    lull.saw(beat(50, hour, gains=5), 0.0)
    assert not lull.is_livelock(after_hours=0.1)
