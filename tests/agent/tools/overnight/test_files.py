"""What a night keeps, and what is done when a child ends."""

import resource
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent.tools.overnight.child import Heartbeat
from agent.tools.overnight.logs import KEPT, Line, Logbook, NightJournal, progress_of, read_journal
from agent.tools.overnight.outcomes import (
    FRAMES_PER_HOUR,
    ChildExit,
    Guard,
    NightEnding,
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
from agent.tools.overnight.repair import (
    EVERY_S,
    Copier,
    Damage,
    NightFiles,
    kept_memory,
    kept_run,
    take_settings,
)
from agent.tools.overnight.watch import StallDetector
from memory import flaw_in, read_run_store
from tests.agent.tools.overnight.test_overnight import spoil


@pytest.fixture
def files(run: Path) -> NightFiles:
    """A run that was played for a while, with its memory, and no copy of anything."""
    return NightFiles(run, kept_run(run), kept_memory(run, run.parent / "memory.sqlite"))


def damage_in(files: NightFiles) -> Damage:
    found = files.examine(thoroughly=True)
    assert found is not None
    return found


def copy_all(files: NightFiles) -> None:
    take_settings(files.folder)
    for kept in (files.run, files.memory):
        kept.take()


def test_lines_wait_for_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    journal = NightJournal(folder, lambda: 12.3456)
    journal.tell("began")
    journal.tell("sample", tick=1)
    assert list(read_journal(folder)) == []
    folder.mkdir()
    journal.tell("started", n=1)
    assert [line["what"] for line in read_journal(folder)] == ["began", "sample", "started"]
    assert read_journal(folder)[0]["at"] == 12.346


def test_a_line_that_was_cut_off_swallows_no_other(tmp_path: Path) -> None:
    (tmp_path / "night.jsonl").write_bytes(b'{"at": 1, "what": "began"}\n{"at": 2, "wh')
    NightJournal(tmp_path, lambda: 3.0).tell("started", n=1)
    assert [line["what"] for line in read_journal(tmp_path)] == ["began", "started"]


def test_a_diary_that_grew_too_large_takes_no_more_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.tools.overnight.logs.MOST_BYTES", 10)
    journal = NightJournal(tmp_path, lambda: 3.0)
    for what in ("began", "sample", "verdict"):
        journal.tell(what)
    assert [line["what"] for line in read_journal(tmp_path)] == ["began", "verdict"]


def test_a_night_is_taken_over_from_its_diary_and_a_new_one_after_a_verdict() -> None:
    lines: list[Line] = [
        {"what": "milestone", "id": "rival"},
        {"what": "ended", "n": 2, "night_s": 60.0, "log_bytes": 7},
        {"what": "fault", "kind": "crash"},
        {"what": "rules"},
        {"what": "verdict", "verdict": "interrupted", "night_s": 61.0},
    ]
    night = progress_of(lines)
    assert (night.night_s, night.log_bytes, night.children, night.by_rules) == (61.0, 7, 2, True)
    assert night.faults == {"crash": 1}
    anew = progress_of([*lines, {"what": "verdict", "verdict": "limit"}])
    assert (anew.night_s, anew.children, anew.by_rules, anew.faults) == (0.0, 0, False, {})
    assert list(anew.milestones) == ["rival"]


def test_the_log_is_rotated_and_keeps_the_last_line_in_mind(tmp_path: Path) -> None:
    log = Logbook(tmp_path, 5, rotate_at=100)
    for number in range(30):
        log.write(b"line %d of what is said" % number + b"\n")
    log.write(b"half a li")
    assert log.last == "line 29 of what is said"
    log.end_line()
    assert log.last == "half a li"
    files = sorted(tmp_path.iterdir())
    assert len(files) == KEPT + 1
    assert sum(each.stat().st_size for each in files) <= 100 * (KEPT + 1)
    assert log.total > 600


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    log = Logbook(tmp_path / "nowhere")
    log.write(b"error: the disk is full\n")
    assert log.last == "error: the disk is full"


def test_copies_are_made_now_and_then_and_after_what_is_worth_it(files: NightFiles) -> None:
    now = [0.0]
    copier = Copier((files.run, files.memory), 0, lambda: now[0])
    for at, hurries, copies in ((0, False, 1), (1, False, 1), (2, True, 2), (EVERY_S, False, 2)):
        now[0] = at
        if hurries:
            copier.hurry()
        assert copier.copy_if_due(1 << 40) is None
        assert len(list(files.run.copies)) == len(list(files.memory.copies)) == copies
    first = next(files.run.copies).stat().st_mtime_ns
    now[0] = 2 + EVERY_S
    copier.copy_if_due(0)
    assert next(files.run.copies).stat().st_mtime_ns == first  # there was no room
    copier.copy_if_due(1 << 40)
    assert next(files.run.copies).stat().st_mtime_ns > first


def test_a_run_that_has_just_begun_is_copied_at_once_however_long_its_memory_took(
    files: NightFiles,
) -> None:
    now = iter((0.0, 100.0, 101.0, 102.0))
    copier = Copier((files.run, files.memory), 0, lambda: next(now))
    begun = files.run.path.rename(files.folder / "later")
    copier.copy_if_due(1 << 40)
    begun.rename(files.run.path)
    copier.hurry()
    copier.copy_if_due(1 << 40)
    assert any(files.run.copies)


def test_no_copy_takes_the_place_of_a_good_one_unless_it_is_whole(files: NightFiles) -> None:
    files.run.take()
    good = files.run.copy.read_bytes()
    spoil(files.run.path)
    failed = Copier((files.run, files.memory), 0, lambda: 0.0).copy_if_due(1 << 40)
    assert failed is not None
    assert failed[0] == files.run.path
    assert files.run.copy.read_bytes() == good
    assert files.memory.copy.exists()


@pytest.mark.parametrize("damage", ["spoilt", "gone", "empty"])
def test_a_damaged_file_is_replaced_by_the_newest_whole_copy(
    files: NightFiles, damage: str
) -> None:
    copy_all(files)
    copy_all(files)
    files.run.copy.write_bytes(b"no copy at all")
    faults = NightFault.DAMAGED_RUN, NightFault.DAMAGED_MEMORY
    for kept, fault in zip((files.run, files.memory), faults, strict=True):
        match damage:
            case "spoilt":
                spoil(kept.path)
            case "gone":
                kept.path.unlink()
            case _:
                kept.path.write_bytes(b"")
        found = damage_in(files)
        assert found.fault is fault
        assert files.repair(found).done
        assert flaw_in(kept.path) is None
    assert files.examine(thoroughly=True) is None
    assert (files.folder / "run.sqlite.damaged-1").exists() is (damage != "gone")
    assert [tick for tick, _ in files.marks()] == [0, 65, 102]


def test_settings_that_say_nothing_are_put_back(files: NightFiles) -> None:
    copy_all(files)
    settings = files.folder / "run.toml"
    before = settings.read_bytes()
    settings.write_bytes(b"\0" * 100)
    found = damage_in(files)
    says = "put back the copy of run.toml; what was there is run.toml.damaged-1"
    assert files.repair(found).says == says
    assert settings.read_bytes() == before


def test_with_no_room_for_its_copy_a_run_stays_where_it_is(files: NightFiles) -> None:
    copy_all(files)
    before = sorted((path.name, path.stat().st_size) for path in files.folder.iterdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            files.go_back_to_copy()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sorted((path.name, path.stat().st_size) for path in files.folder.iterdir()) == before
    assert files.go_back_to_copy().done


@pytest.mark.parametrize("which", ["run", "memory"])
def test_without_a_good_copy_a_file_stays_as_it_is_and_is_named(
    files: NightFiles, which: str
) -> None:
    path = getattr(files, which).path
    spoil(path)
    torn = path.read_bytes()
    found = damage_in(files)
    repaired = files.repair(found)
    assert not repaired.done
    assert f"no good copy of {path} is left, and it stays as it is" in repaired.says
    assert path.read_bytes() == torn


def test_a_whole_run_needs_nothing_and_a_file_that_never_was_ours_is_left_to_its_owner(
    files: NightFiles,
) -> None:
    assert files.examine(thoroughly=True) is None
    files.memory.path.write_text("somebody's notes", encoding="utf-8")
    assert files.examine(thoroughly=True) is None  # play refuses it, in one line


def test_a_run_without_a_checkpoint_is_begun_anew_and_kept(files: NightFiles) -> None:
    found = Damage(NightFault.NOT_RESUMABLE, "")
    assert files.repair(found).done
    assert not files.has_run
    names = {each.name for each in files.folder.iterdir()}
    assert {"run.sqlite.unbegun-1", "run.toml.unbegun-1"} <= names


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("a file where the folder should be", encoding="utf-8")
    files = NightFiles(run, kept_run(run), kept_memory(run, tmp_path / "memory.sqlite"))
    found = damage_in(files)
    assert found.fault is NightFault.UNWRITABLE
    assert not files.repair(found).done


def test_a_copy_is_of_one_moment_and_whole_in_one_file(files: NightFiles) -> None:
    files.run.take()
    assert sorted(each.name for each in files.run.copy.parent.iterdir()) == ["run.sqlite"]
    with closing(read_run_store(files.run.copy)) as copy:
        assert len(list(copy.steps())) == 102
        assert copy.marks()[-1].tick == 102


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
    full = Damage(NightFault.DISK, "full")  # nothing is left to write
    assert isinstance(judge(ended, full, NightHistory()).answer, NightVerdict)


def answers(ended: ChildExit, damage: Damage | None = None) -> list[Restart | NightVerdict]:
    """Return the answers to the same ending again and again, up to the verdict."""
    record, given = NightHistory(), list[Restart | NightVerdict]()
    while not given or isinstance(given[-1], Restart):
        answer, record = judge(ended, damage, record)
        given.append(answer)
    return given


def test_waits_grow_to_a_minute_and_an_older_checkpoint_is_tried_before_the_end() -> None:
    *again, last = answers(ChildExit(-11, says="ended by SIGSEGV"))
    backs = [Back.LAST] * 3 + [Back.FURTHER] * 3 + [Back.COPY]
    told = [(each.wait, each.back) for each in again if isinstance(each, Restart)]
    assert told == list(zip((1, 2, 4, 8, 16, 32, 60), backs, strict=True))
    assert isinstance(last, NightVerdict)
    assert last.why.startswith("ended by SIGSEGV (it came 8 times")


@pytest.mark.parametrize(
    ("ended", "damage", "times", "ending", "which"),
    [
        (ChildExit(-9), None, KILLS, NightEnding.GAVE_UP, None),
        (ChildExit(1), Damage(NightFault.DISK, "full"), WAITS, NightEnding.LIMIT, Guard.DISK),
        (ChildExit(1), Damage(NightFault.UNWRITABLE, "ro"), WAITS, NightEnding.GAVE_UP, None),
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
