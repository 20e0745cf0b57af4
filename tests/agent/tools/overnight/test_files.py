"""The files of a night, and the recovery after a child ended."""

import resource
import select
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from agent.tools.overnight.child import LONGEST_TEXT, MOST_REACHED, Heartbeat
from agent.tools.overnight.copies import EVERY_S, Copier, memory_file, run_file, settings_file
from agent.tools.overnight.logs import (
    OLDER_FILES,
    ChildLog,
    Line,
    NightJournal,
    NightProgress,
    progress_of,
    read_journal,
)
from agent.tools.overnight.night import (
    FRAMES_PER_HOUR,
    ChildExit,
    Limit,
    NightEnding,
    NightFault,
    NightLimits,
    NightUsage,
    NightVerdict,
    exceeded,
)
from agent.tools.overnight.recovery import (
    KILLS,
    REPAIRS,
    WAITS,
    NightHistory,
    Restart,
    Target,
    decide,
    newest_before,
)
from agent.tools.overnight.repair import Damage, NightFiles
from agent.tools.overnight.watch import StallDetector
from memory import file_fault, read_run_store
from tests.agent.tools.overnight.nights import run_night
from tests.agent.tools.overnight.test_overnight import corrupt_file


@pytest.fixture
def files(run: Path) -> NightFiles:
    """The files of a short run with its memory, without copies."""
    return files_of(run)


def files_of(run: Path) -> NightFiles:
    memory = memory_file(run, run.parent / "memory.sqlite")
    return NightFiles(run, settings_file(run), run_file(run), memory, lambda: 0.0)


def damage_in(files: NightFiles) -> Damage:
    found = files.examine(thoroughly=True)
    assert found is not None
    return found


def copy_all(files: NightFiles) -> None:
    files.settings.make_copy()
    for file in (files.run, files.memory):
        file.make_copy()


def test_journal_lines_wait_for_an_unwritable_folder_and_join_no_cut_line(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    journal = NightJournal(folder, lambda: 12.3456)
    journal.append("began")
    journal.append("sample", tick=1)
    assert list(read_journal(folder)) == []
    folder.mkdir()
    journal.append("started", n=1)
    assert [line["what"] for line in read_journal(folder)] == ["began", "sample", "started"]
    assert read_journal(folder)[0]["at"] == 12.346
    with (folder / "night.jsonl").open("ab") as file:
        file.write(b'{"at": 2, "wh')  # cut off
    journal.append("ended")
    assert [line["what"] for line in read_journal(folder)][2:] == ["started", "ended"]


def test_a_full_journal_takes_no_more_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.tools.overnight.logs.MOST_BYTES", 10)
    journal = NightJournal(tmp_path, lambda: 3.0)
    for what in ("began", "sample", "verdict"):
        journal.append(what)
    assert [line["what"] for line in read_journal(tmp_path)] == ["began", "verdict"]


def test_progress_is_read_from_the_journal_up_to_a_verdict() -> None:
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
    next_night = progress_of([*lines, {"what": "verdict", "verdict": "limit"}])
    assert next_night == NightProgress(milestones={"rival": None})


def test_the_log_is_rotated_and_stores_the_last_line_even_where_it_cannot_be_written(
    tmp_path: Path,
) -> None:
    log = ChildLog(tmp_path, 5, rotate_at=100)
    for number in range(30):
        log.write(b"line %d of what is said" % number + b"\n")
    log.write(b"half a li")
    assert log.last == "line 29 of what is said"
    log.end_line()
    assert log.last == "half a li"
    files = sorted(tmp_path.iterdir())
    assert len(files) == OLDER_FILES + 1
    assert sum(each.stat().st_size for each in files) <= 100 * (OLDER_FILES + 1)
    assert log.total > 600
    log = ChildLog(tmp_path / "nowhere")
    log.write(b"error: the disk is full\n")  # raises nothing
    assert log.last == "error: the disk is full"


def test_copies_are_made_regularly_and_on_request(files: NightFiles) -> None:
    now = [0.0]
    copier = Copier((files.run, files.memory), files.settings, 0, lambda: now[0])
    for at, hurries, copies in ((0, False, 1), (1, False, 1), (2, True, 2), (EVERY_S, False, 2)):
        now[0] = at
        if hurries:
            copier.request_copy()
        assert copier.copy_if_due(1 << 40) is None
        assert len(list(files.run.copies)) == len(list(files.memory.copies)) == copies
    first = next(files.run.copies).stat().st_mtime_ns
    now[0] = 2 + EVERY_S
    copier.copy_if_due(0)
    assert next(files.run.copies).stat().st_mtime_ns == first  # no disk space
    copier.copy_if_due(1 << 40)
    assert next(files.run.copies).stat().st_mtime_ns > first


def test_a_new_run_is_copied_at_once_even_after_a_slow_copy_of_memory(files: NightFiles) -> None:
    now = iter((0.0, 100.0, 101.0, 102.0))
    copier = Copier((files.run, files.memory), files.settings, 0, lambda: next(now))
    begun = files.run.path.rename(files.folder / "later")
    copier.copy_if_due(1 << 40)
    begun.rename(files.run.path)
    copier.request_copy()
    copier.copy_if_due(1 << 40)
    assert any(files.run.copies)


def test_a_corrupt_copy_does_not_replace_a_valid_one(files: NightFiles) -> None:
    files.run.make_copy()
    good = files.run.copy.read_bytes()
    corrupt_file(files.run.path)
    failed = Copier((files.run, files.memory), files.settings, 0, lambda: 0.0).copy_if_due(1 << 40)
    assert failed is not None
    assert failed[0] == files.run.path
    assert files.run.copy.read_bytes() == good
    assert files.memory.copy.exists()


@pytest.mark.parametrize("damage", ["corrupt", "missing", "empty"])
def test_a_damaged_file_is_replaced_by_the_newest_valid_copy(
    files: NightFiles, damage: str
) -> None:
    copy_all(files)
    copy_all(files)
    files.run.copy.write_bytes(b"no copy at all")
    faults = NightFault.DAMAGED_RUN, NightFault.DAMAGED_MEMORY
    for file, fault in zip((files.run, files.memory), faults, strict=True):
        match damage:
            case "corrupt":
                corrupt_file(file.path)
            case "missing":
                file.path.unlink()
            case _:
                file.path.write_bytes(b"")
        found = damage_in(files)
        assert found.fault is fault
        assert files.repair(found).done
        assert file_fault(file.path) is None
    assert files.examine(thoroughly=True) is None
    assert (files.folder / "run.sqlite.damaged-1").exists() is (damage != "missing")
    assert [tick for tick, _ in files.marks()] == [0, 66, 104]


def edit(path: Path, sql: str) -> None:
    """Change a file by SQL, without its own checks."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        assert database.execute(sql).rowcount == 1


def count(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.mark.parametrize("change", ["data = 'x'", "tags = '[1]'"])
def test_a_memory_plays_on_without_its_unreadable_row(files: NightFiles, change: str) -> None:
    path = files.memory.path
    before = count(path, "ltm_entries")
    edit(path, f"UPDATE ltm_entries SET {change} WHERE id = 1")
    damaged = path.read_bytes()
    night = run_night(files.folder, {"beats": [{"tick": 500}], "stop": "goal"})
    assert (night.verdict, night.faults) == ("goal", {"damaged_memory": 1})
    (fault,) = (line for line in read_journal(files.folder) if line["what"] == "fault")
    assert fault["answer"] == (
        "repaired (damaged rows: 1); the old file is memory.sqlite.damaged-1"
    )
    assert file_fault(path) is None
    assert count(path, "ltm_entries") == before - 1
    (kept,) = path.parent.glob("memory.sqlite.damaged-*")
    assert kept.read_bytes() == damaged
    assert not [*files.folder.glob("copies/*repaired*")]


def test_an_unreadable_lesson_of_a_run_without_a_copy_is_left_out(files: NightFiles) -> None:
    ticks = files.marks()
    edit(files.run.path, "UPDATE outbox SET payload = 'x' WHERE rowid = 1")
    found = damage_in(files)
    message = "repaired (damaged rows: 1); the old file is run.sqlite.damaged-1"
    assert files.repair(found) == (True, message)
    assert files.examine(thoroughly=True) is None
    assert files.marks() == ticks


@pytest.mark.parametrize("has_copy", [False, True])
def test_a_repair_that_is_not_good_takes_no_place(files: NightFiles, *, has_copy: bool) -> None:
    if has_copy:
        copy_all(files)
    edit(files.run.path, "UPDATE parts SET data = 'x' WHERE checkpoint = 1 AND name = 'mind'")
    damaged = files.run.path.read_bytes()
    done, message = files.repair(damage_in(files))
    assert done is has_copy
    assert message.startswith("restored the copy of " if has_copy else "there is no good copy")
    assert (files.run.path.read_bytes() == damaged) is not has_copy


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ("hash = ", "# hash = "),
        ("seed = ", 'seed = "5" #'),
        ('mind = "rules"', 'mind = "nobody"'),
        ("[versions]", "[[["),
        ("[versions]", "\0" * 100),
    ],
)
def test_wrong_settings_are_restored_and_the_run_stays(
    files: NightFiles, given: str, changed: str
) -> None:
    copy_all(files)
    settings, record = files.settings.path, files.run.path.read_bytes()
    before = settings.read_text(encoding="utf-8")
    settings.write_text(before.replace(given, changed, 1), encoding="utf-8")
    found = damage_in(files)
    assert found.fault is NightFault.DAMAGED_RUN
    assert files.repair(found).message == (
        "restored the copy of run.toml; the old file is run.toml.damaged-1"
    )
    assert settings.read_text(encoding="utf-8") == before
    assert files.examine(thoroughly=True) is None
    assert files.run.path.read_bytes() == record


def test_settings_are_copied_with_the_other_files(files: NightFiles) -> None:
    now = [0.0]
    copier = Copier((files.run, files.memory), files.settings, 0, lambda: now[0])
    copier.copy_if_due(0)  # no room for the other files
    assert files.settings.copy.read_bytes() == files.settings.path.read_bytes()
    files.settings.copy.write_bytes(b"\0" * 100)
    now[0] = EVERY_S
    copier.copy_if_due(1 << 40)
    assert files.settings.copy.read_bytes() == files.settings.path.read_bytes()


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file grow above a page, as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_copy_that_a_full_disk_refuses_is_no_damage(files: NightFiles) -> None:
    copy_all(files)
    before = files.run.copy.read_bytes()
    now = [0.0]
    copier = Copier((files.run, files.memory), files.settings, 0, lambda: now[0])
    with full_disk():
        assert copier.copy_if_due(1 << 40) is None
    assert files.run.copy.read_bytes() == before
    now[0] = EVERY_S
    assert copier.copy_if_due(1 << 40) is None
    assert len(list(files.run.copies)) == 2


def test_a_link_cannot_lead_the_check_of_a_folder_out_of_it(files: NightFiles) -> None:
    outside = files.folder.parent / "precious"
    outside.write_text("kept", encoding="utf-8")
    for name in ("night.probe", "copies/memory.sqlite.repaired"):
        (files.folder / name).parent.mkdir(exist_ok=True)
        (files.folder / name).symlink_to(outside)
    edit(files.memory.path, "UPDATE ltm_entries SET data = 'x' WHERE id = 1")
    assert files.repair(damage_in(files)).done
    assert outside.read_text(encoding="utf-8") == "kept"


def test_without_disk_space_for_its_copy_a_run_is_not_moved(files: NightFiles) -> None:
    copy_all(files)
    before = sorted((path.name, path.stat().st_size) for path in files.folder.iterdir())
    with full_disk(), pytest.raises(OSError, match="too large"):
        files.go_back_to_copy()
    assert sorted((path.name, path.stat().st_size) for path in files.folder.iterdir()) == before
    assert files.go_back_to_copy().done


@pytest.mark.parametrize("which", ["run", "memory"])
def test_without_a_valid_copy_a_file_stays_and_is_named(files: NightFiles, which: str) -> None:
    path = getattr(files, which).path
    corrupt_file(path)
    corrupt = path.read_bytes()
    found = damage_in(files)
    repaired = files.repair(found)
    assert not repaired.done
    assert repaired.message == "there is no good copy of it, and it stays as it is"
    assert path.read_bytes() == corrupt


def test_an_intact_run_and_a_foreign_memory_file_need_no_repair(files: NightFiles) -> None:
    assert files.examine(thoroughly=True) is None
    files.memory.path.write_text("notes of the owner", encoding="utf-8")
    assert files.examine(thoroughly=True) is None  # play refuses it


def test_a_run_without_a_checkpoint_is_renamed_and_started_again(files: NightFiles) -> None:
    found = Damage(NightFault.NOT_RESUMABLE, "")
    assert files.repair(found).done
    assert not files.has_run
    names = {each.name for each in files.folder.iterdir()}
    assert {"run.sqlite.unbegun-1", "run.toml.unbegun-1"} <= names


def test_an_unwritable_folder_is_reported(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("a file where the folder should be", encoding="utf-8")
    files = files_of(run)
    found = damage_in(files)
    assert found.fault is NightFault.UNWRITABLE
    assert not files.repair(found).done


def test_a_copy_is_one_complete_file(files: NightFiles) -> None:
    files.run.make_copy()
    assert sorted(each.name for each in files.run.copy.parent.iterdir()) == ["run.sqlite"]
    with closing(read_run_store(files.run.copy)) as copy:
        assert len(list(copy.record.steps())) == 104
        assert copy.checkpoints.marks()[-1].tick == 104


MARKS = [(0, True), (64, True), (102, True), (900, False), (1_000, False)]
WITHIN_LIMITS = NightUsage(night_s=60, frame=100, free_bytes=10**12, resident=10**8, log_bytes=10)


@pytest.mark.parametrize(
    ("ended", "fault"),
    [
        (ChildExit(-9), NightFault.KILLED),
        (ChildExit(-15), NightFault.TERMINATED),
        (ChildExit(130, stop="interrupted"), NightFault.TERMINATED),
        (ChildExit(-11), NightFault.CRASH),
        (ChildExit(-6, because=NightFault.HANG), NightFault.HANG),
        (ChildExit(1, message="it broke"), NightFault.ERROR),
        (ChildExit(0), NightFault.ERROR),  # without a summary
    ],
)
def test_a_child_without_goal_is_restarted(ended: ChildExit, fault: NightFault) -> None:
    step, _ = decide(ended, None, NightHistory())
    assert isinstance(step, Restart)
    assert (step.fault, step.wait, step.target) == (fault, 1, Target.LAST)


@pytest.mark.parametrize(
    ("ended", "ending", "which"),
    [
        (ChildExit(0, stop="goal", because=Limit.HOURS), NightEnding.GOAL, None),
        (ChildExit(0, stop="ticks"), NightEnding.LIMIT, Limit.TICKS),
        (ChildExit(130, because=Limit.DISK), NightEnding.LIMIT, Limit.DISK),
        (ChildExit(-9, because=Limit.HOURS), NightEnding.LIMIT, Limit.HOURS),
        (ChildExit(130, is_interrupted=True), NightEnding.INTERRUPTED, None),
    ],
)
def test_some_exits_are_verdicts(
    ended: ChildExit, ending: NightEnding, which: Limit | None
) -> None:
    step, _ = decide(ended, None, NightHistory())
    assert isinstance(step, NightVerdict)
    assert (step.ending, step.which) == (ending, which)


def test_a_goal_with_damaged_files_is_repaired_first() -> None:
    ended, damage = ChildExit(0, stop="goal"), Damage(NightFault.DAMAGED_MEMORY, "corrupt")
    step, _ = decide(ended, damage, NightHistory())
    assert isinstance(step, Restart)
    assert (step.fault, step.damage) == (NightFault.DAMAGED_MEMORY, damage)
    full = Damage(NightFault.DISK, "full")  # nothing more is written
    assert isinstance(decide(ended, full, NightHistory()).step, NightVerdict)


def steps_after(ended: ChildExit, damage: Damage | None = None) -> list[Restart | NightVerdict]:
    """Return the steps after the same exit again and again, up to the verdict."""
    record, given = NightHistory(), list[Restart | NightVerdict]()
    while not given or isinstance(given[-1], Restart):
        step, record = decide(ended, damage, record)
        given.append(step)
    return given


def test_crashes_wait_longer_and_use_older_checkpoints_before_the_verdict() -> None:
    *again, last = steps_after(ChildExit(-11, message="ended by SIGSEGV"))
    backs = [Target.LAST] * 3 + [Target.FURTHER] * 3 + [Target.COPY]
    targets = [(each.wait, each.target) for each in again if isinstance(each, Restart)]
    assert targets == list(zip((1, 2, 4, 8, 16, 32, 60), backs, strict=True))
    assert isinstance(last, NightVerdict)
    assert last.reason.startswith("ended by SIGSEGV (it happened 8 times")


@pytest.mark.parametrize(
    ("ended", "damage", "times", "ending", "which"),
    [
        (ChildExit(-9), None, KILLS, NightEnding.GAVE_UP, None),
        (ChildExit(1), Damage(NightFault.DISK, "full"), WAITS, NightEnding.LIMIT, Limit.DISK),
        (ChildExit(1), Damage(NightFault.UNWRITABLE, "ro"), WAITS, NightEnding.GAVE_UP, None),
        (
            ChildExit(1),
            Damage(NightFault.DAMAGED_RUN, "corrupt"),
            REPAIRS,
            NightEnding.GAVE_UP,
            None,
        ),
        (ChildExit(3, stop="gave_up", message="no way"), None, 2, NightEnding.GAVE_UP, None),
    ],
)
def test_every_step_repeats_a_bounded_number_of_times(
    ended: ChildExit, damage: Damage | None, times: int, ending: NightEnding, which: Limit | None
) -> None:
    *again, last = steps_after(ended, damage)
    assert len(again) == times
    assert isinstance(last, NightVerdict)
    assert (last.ending, last.which) == (ending, which)
    assert last.reason


def test_a_further_checkpoint_and_a_gain_reset_the_counts() -> None:
    history = NightHistory(furthest=500, failures=6, kills=20, waits=9, repairs=3)
    assert history.after(ChildExit(1, checkpoint=500)) == history
    assert history.after(ChildExit(1, checkpoint=501)) == NightHistory(furthest=501)
    assert NightHistory(gains=5, returns=2).after(ChildExit(3, gains=6)) == NightHistory(gains=6)


@pytest.mark.parametrize(
    ("tick", "lasting", "target"),
    [(1_000, False, 900), (900, True, 102), (64, False, 0), (0, False, 0), (0, True, 0)],
)
def test_newest_before_returns_the_last_earlier_checkpoint(
    tick: int, target: int, *, lasting: bool
) -> None:
    assert newest_before(MARKS, tick, lasting=lasting) == target
    assert newest_before([], tick, lasting=lasting) is None


@pytest.mark.parametrize(
    ("reading", "limit"),
    [
        (WITHIN_LIMITS, None),
        (WITHIN_LIMITS._replace(free_bytes=1), Limit.DISK),
        (WITHIN_LIMITS._replace(night_s=3_600), Limit.HOURS),
        (WITHIN_LIMITS._replace(frame=round(2.5 * FRAMES_PER_HOUR)), Limit.GAME_HOURS),
        (WITHIN_LIMITS._replace(log_bytes=10**9), Limit.LOG),
        (WITHIN_LIMITS._replace(resident=10**10), Limit.MEMORY),
        (WITHIN_LIMITS._replace(calls=7), None),  # of a model that is no longer asked
        (WITHIN_LIMITS._replace(calls=7, asks=True), Limit.CALLS),
        (WITHIN_LIMITS._replace(usd=2.0, asks=True), Limit.DOLLARS),
        (WITHIN_LIMITS._replace(free_bytes=1, usd=2.0, asks=True), Limit.DISK),
    ],
)
def test_the_first_exceeded_limit_is_returned(reading: NightUsage, limit: Limit | None) -> None:
    limits = NightLimits(hours=1, game_hours=2, calls=7, usd=1.5)
    found = exceeded(reading, limits)
    assert (found.because if found else None) is limit
    assert found is None or found.message


def beat(tick: int, frame: int, gains: int = 0) -> Heartbeat:
    return Heartbeat(tick, frame, "the lab", "wait", (), gains, 0)


def test_a_hang_is_a_long_time_without_a_new_tick() -> None:
    stalls = StallDetector()
    stalls.begin(100.0)
    assert not stalls.hangs(129.0, after_s=30)
    stalls.observe(beat(1, 10), 120.0)
    stalls.observe(beat(1, 10), 145.0)  # at the same tick
    assert not stalls.hangs(150.0, after_s=30)
    assert stalls.hangs(150.1, after_s=30)


def test_a_livelock_counts_frames_since_the_last_gain_of_all_children() -> None:
    hour, stalls = round(FRAMES_PER_HOUR), StallDetector()
    for child in range(3):
        stalls.begin(0.0)
        stalls.observe(beat(10, 0, gains=0), 0.0)
        stalls.observe(beat(20, hour, gains=4), 0.0)  # each child repeats the same progress
        stalls.observe(beat(30, 2 * hour, gains=4), 0.0)
        assert stalls.is_livelock(after_hours=2.5) is (child > 0)
    assert stalls.gained_at == 20
    stalls.observe(beat(40, 0, gains=4), 0.0)  # going back does not reduce the idle frames
    assert stalls.is_livelock(after_hours=4.5)
    stalls.observe(beat(50, hour, gains=5), 0.0)
    assert not stalls.is_livelock(after_hours=0.1)


def test_a_cut_text_ends_with_an_ellipsis(tmp_path: Path) -> None:
    words = "Mind the brambles, JUNO! " * 20
    sent = Heartbeat(1, 10, "the lab", words, (), 0, 0)
    got = Heartbeat.of(sent.line())
    assert got == sent._replace(doing=f"{words[: LONGEST_TEXT - 1]}…")
    log = ChildLog(tmp_path)
    log.write(words.encode() + b"\n")
    assert log.last.endswith("…")


@pytest.mark.parametrize("letter", ["é", "\U0001f40d", "\x01", "\ud800"])
def test_a_heartbeat_late_in_a_game_fits_into_a_pipe(letter: str) -> None:
    names = tuple(f"a_milestone_of_red_{number}" for number in range(70))
    moments = tuple((1_000_000 + number, 100_000_000 + number) for number in range(70))
    sent = Heartbeat(1_234_567, 1 << 30, letter * 300, letter * 300, names, 999, 1_234_567, moments)
    assert len(sent.line()) <= select.PIPE_BUF
    got = Heartbeat.of(sent.line())
    assert got is not None
    assert got.milestones == names
    assert got.reached == moments[-MOST_REACHED:]
