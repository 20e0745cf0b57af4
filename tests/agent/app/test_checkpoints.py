"""The commit schedule of a session, tick by tick, also while another process has locked the file."""

from collections.abc import Sequence

import pytest

from agent.app.checkpoints import COMMIT_EVERY, LONGEST_WAIT, Commit, CommitSchedule
from memory.store.checkpoints import CheckpointReason


def committed(schedule: CommitSchedule, ticks: range, *, busy: Sequence[int] = ()) -> list[str]:
    """Return the tick and kind of each commit, with the reason of checkpoints."""
    found = []
    for tick in ticks:
        match schedule.next(tick):
            case Commit.RECORD:
                schedule.recorded(tick)
                found.append(f"{tick} record")
            case Commit.CHECKPOINT if schedule.due is not None:
                found.append(f"{tick} {schedule.due}{' refused' if tick in busy else ''}")
                if tick in busy:
                    schedule.refused(tick, schedule.due)
                else:
                    schedule.saved(tick)
            case Commit.LESSONS:
                schedule.lessons_due = False
                found.append(f"{tick} lessons")
            case _:
                pass
    return found


def test_without_a_reason_only_the_record_is_committed() -> None:
    ticks = range(1, 2 * COMMIT_EVERY + 2)
    commits = committed(CommitSchedule(0), ticks)
    assert commits == [f"{COMMIT_EVERY} record", f"{2 * COMMIT_EVERY} record"]


def test_a_checkpoint_follows_the_record_and_lessons_follow_the_checkpoint() -> None:
    schedule = CommitSchedule(0)
    schedule.request("battle")
    assert committed(schedule, range(40, 45)) == ["40 record", "41 battle", "42 lessons"]


@pytest.mark.parametrize("tick", [0, 1])
def test_a_just_committed_record_is_not_committed_again(tick: int) -> None:
    schedule = CommitSchedule(0)
    schedule.request("start")
    assert committed(schedule, range(tick, tick + 3)) == [f"{tick} start", f"{tick + 1} lessons"]


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        (("battle", "consolidation"), "battle"),
        (("battle", "milestone"), "milestone"),
        (("milestone", "battle"), "milestone"),
    ],
)
def test_the_first_reason_stands_unless_a_milestone_replaces_it(
    reasons: Sequence[CheckpointReason], expected: CheckpointReason
) -> None:
    schedule = CommitSchedule(0)
    for each in reasons:
        schedule.request(each)
    assert schedule.due == expected


def test_a_refused_checkpoint_follows_the_next_record() -> None:
    schedule = CommitSchedule(0)
    schedule.request("milestone")
    commits = committed(schedule, range(8, COMMIT_EVERY + 15), busy=[9])
    again = 9 + COMMIT_EVERY
    assert commits == [
        "8 record", "9 milestone refused", f"{again} record", f"{again + 1} milestone", f"{again + 2} lessons",
    ]  # fmt: skip


def test_a_new_reason_replaces_a_waiting_one() -> None:
    schedule = CommitSchedule(0)
    schedule.request("battle")
    assert committed(schedule, range(8, 11), busy=[9]) == ["8 record", "9 battle refused"]
    schedule.request("consolidation")
    assert committed(schedule, range(20, 30)) == ["20 record", "21 consolidation", "22 lessons"]
    assert (schedule.due, schedule.waiting) == (None, None)


def test_lessons_wait_while_another_checkpoint_is_due() -> None:
    schedule = CommitSchedule(0)
    schedule.request("battle")
    assert committed(schedule, range(8, 10)) == ["8 record", "9 battle"]
    schedule.request("milestone")
    assert committed(schedule, range(10, 14)) == ["10 milestone", "11 lessons"]


def test_a_checkpoint_waits_until_the_player_is_in_control() -> None:
    schedule = CommitSchedule(0)
    schedule.request("milestone")
    assert [schedule.next(tick, in_control=False) for tick in range(40, 60)] == [None] * 20
    assert committed(schedule, range(60, 63)) == ["60 record", "61 milestone", "62 lessons"]
    schedule.request("consolidation")
    ticks = range(70, 70 + LONGEST_WAIT)
    waited = [schedule.next(tick, in_control=False) for tick in ticks]
    assert Commit.CHECKPOINT not in waited
    assert schedule.next(ticks.stop, in_control=False) is Commit.RECORD  # it waits no longer


def test_a_start_does_not_wait_for_control() -> None:
    schedule = CommitSchedule(0)
    schedule.request("start")
    assert schedule.next(0, in_control=False) is Commit.CHECKPOINT
