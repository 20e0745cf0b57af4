"""From how a child ended to what is done: every kind, by itself."""

from dataclasses import replace

import pytest

from agent.tools.overnight import Heartbeat, NightEnding
from agent.tools.overnight.outcomes import (
    FRAMES_PER_HOUR,
    ChildExit,
    Guard,
    NightFault,
    NightLimits,
    NightUsage,
    NightVerdict,
    passed,
)
from agent.tools.overnight.recovery import (
    KILLS,
    MENDS,
    WAITS,
    Back,
    NightHistory,
    Restart,
    judge,
    newest_before,
)
from agent.tools.overnight.repair import Damage
from agent.tools.overnight.watch import StallDetector

MARKS = [(0, True), (64, True), (102, True), (900, False), (1_000, False)]
PLENTY = NightUsage(night_s=60, frame=100, free_bytes=10**12, resident=10**8, log_bytes=10)


@pytest.mark.parametrize(
    ("ended", "fault"),
    [
        (ChildExit(-9), NightFault.KILLED),
        (ChildExit(-15), NightFault.TERMINATED),
        (ChildExit(130, stop="interrupted"), NightFault.TERMINATED),
        (ChildExit(-11), NightFault.CRASH),
        (ChildExit(-6, because=NightFault.HANG), NightFault.HANG),
        (ChildExit(1, says="it broke"), NightFault.ERROR),
        (ChildExit(0), NightFault.ERROR),  # it says nothing of a goal
    ],
)
def test_who_did_not_reach_the_goal_is_started_again(ended: ChildExit, fault: NightFault) -> None:
    answer, _ = judge(ended, None, NightHistory())
    assert isinstance(answer, Restart)
    assert (answer.fault, answer.wait, answer.back) == (fault, 1, Back.LAST)


@pytest.mark.parametrize(
    ("ended", "ending", "which"),
    [
        (ChildExit(0, stop="goal", because=Guard.HOURS), NightEnding.GOAL, None),
        (ChildExit(0, stop="ticks"), NightEnding.LIMIT, Guard.TICKS),
        (ChildExit(130, because=Guard.DISK), NightEnding.LIMIT, Guard.DISK),
        (ChildExit(-9, because=Guard.HOURS), NightEnding.LIMIT, Guard.HOURS),
        (ChildExit(130, is_unwatched=True), NightEnding.INTERRUPTED, None),
    ],
)
def test_some_endings_are_verdicts(
    ended: ChildExit, ending: NightEnding, which: Guard | None
) -> None:
    answer, _ = judge(ended, None, NightHistory())
    assert isinstance(answer, NightVerdict)
    assert (answer.ending, answer.which) == (ending, which)


def test_a_goal_whose_files_are_damaged_is_not_reached_yet() -> None:
    ended, torn = ChildExit(0, stop="goal"), Damage(NightFault.DAMAGED_MEMORY, "torn")
    answer, _ = judge(ended, torn, NightHistory())
    assert isinstance(answer, Restart)
    assert (answer.fault, answer.damage) == (NightFault.DAMAGED_MEMORY, torn)
    verdict, _ = judge(
        ended, Damage(NightFault.DISK, "full"), NightHistory()
    )  # nothing is left to write
    assert isinstance(verdict, NightVerdict)


def answers(ended: ChildExit, damage: Damage | None = None) -> list[Restart | NightVerdict]:
    """Return the answers to the same ending again and again, up to the verdict."""
    record, given = NightHistory(), list[Restart | NightVerdict]()
    while not given or isinstance(given[-1], Restart):
        answer, record = judge(ended, damage, record)
        given.append(answer)
    return given


def test_waits_grow_to_a_minute_and_an_older_checkpoint_is_tried_before_the_end() -> None:
    *again, last = answers(ChildExit(-11, says="ended by SIGSEGV"))
    assert [(each.wait, each.back) for each in again if isinstance(each, Restart)] == [
        (1, Back.LAST),
        (2, Back.LAST),
        (4, Back.LAST),
        (8, Back.FURTHER),
        (16, Back.FURTHER),
        (32, Back.FURTHER),
        (60, Back.COPY),
    ]
    assert isinstance(last, NightVerdict)
    assert last.why.startswith("ended by SIGSEGV (it came 8 times")


@pytest.mark.parametrize(
    ("ended", "damage", "times", "ending", "which"),
    [
        (ChildExit(-9), None, KILLS, NightEnding.GAVE_UP, None),
        (ChildExit(1), Damage(NightFault.DISK, "full"), WAITS, NightEnding.LIMIT, Guard.DISK),
        (
            ChildExit(1),
            Damage(NightFault.UNWRITABLE, "read-only"),
            WAITS,
            NightEnding.GAVE_UP,
            None,
        ),
        (ChildExit(1), Damage(NightFault.DAMAGED_RUN, "torn"), MENDS, NightEnding.GAVE_UP, None),
        (ChildExit(3, stop="gave_up", says="no way"), None, 2, NightEnding.GAVE_UP, None),
    ],
)
def test_no_answer_is_given_for_ever(
    ended: ChildExit, damage: Damage | None, times: int, ending: NightEnding, which: Guard | None
) -> None:
    *again, last = answers(ended, damage)
    assert len(again) == times
    assert isinstance(last, NightVerdict)
    assert (last.ending, last.which) == (ending, which)
    assert last.why


def test_a_checkpoint_beyond_all_others_gives_every_try_again() -> None:
    worn = NightHistory(furthest=500, failures=6, kills=20, waits=9, mends=3)
    assert worn.after(ChildExit(1, checkpoint=500)) == worn
    assert worn.after(ChildExit(1, checkpoint=501)) == NightHistory(furthest=501)


def test_memory_that_is_short_ends_the_night_only_when_a_restart_did_not_help() -> None:
    ended = ChildExit(130, because=Guard.MEMORY, says="2,000 MB taken")
    first, record = judge(ended, None, NightHistory())
    assert isinstance(first, Restart)
    second, _ = judge(ended, None, replace(record, memory_is_short=True))
    assert isinstance(second, NightVerdict)
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
def test_what_is_passed_is_named(reading: NightUsage, guard: Guard | None) -> None:
    limits = NightLimits(hours=1, game_hours=2, calls=7, usd=1.5)
    found = passed(reading, limits)
    assert (found.because if found else None) is guard
    assert found is None or found.says


def beat(tick: int, frame: int, gains: int = 0) -> Heartbeat:
    return Heartbeat(tick, frame, "the lab", "wait", (), gains, 0)


def test_a_hang_is_no_new_tick_for_long() -> None:
    stalls = StallDetector()
    stalls.begin(100.0)
    assert not stalls.hangs(129.0, after_s=30)
    stalls.saw(beat(1, 10), 120.0)
    stalls.saw(beat(1, 10), 145.0)  # at the same tick
    assert not stalls.hangs(150.0, after_s=30)
    assert stalls.hangs(150.1, after_s=30)


def test_a_livelock_counts_what_is_played_since_the_last_gain_of_all_children() -> None:
    hour, stalls = round(FRAMES_PER_HOUR), StallDetector()
    for child in range(3):
        stalls.begin(0.0)
        stalls.saw(beat(10, 0, gains=0), 0.0)
        stalls.saw(beat(20, hour, gains=4), 0.0)  # each plays the same again
        stalls.saw(beat(30, 2 * hour, gains=4), 0.0)
        assert stalls.is_livelock(after_hours=2.5) is (child > 0)
    assert stalls.gained_at == 20
    stalls.saw(beat(40, 0, gains=4), 0.0)  # going back gives no time back
    assert stalls.is_livelock(after_hours=4.5)
    stalls.saw(beat(50, hour, gains=5), 0.0)
    assert not stalls.is_livelock(after_hours=0.1)
