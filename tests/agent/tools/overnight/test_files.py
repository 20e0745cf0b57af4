"""What a night keeps: journal, log and copies, also where a folder cannot be written or a file is damaged."""

import resource
from contextlib import closing
from pathlib import Path
from shutil import copyfile, copytree

import pytest

from agent.app import Interrupt, Settings, play_run
from agent.tools.overnight.logs import KEPT, Line, Logbook, NightJournal, progress_of, read_journal
from agent.tools.overnight.outcomes import NightFault
from agent.tools.overnight.repair import (
    EVERY_S,
    Copier,
    Damage,
    NightFiles,
    kept_memory,
    kept_run,
    take_settings,
)
from memory import flaw_in, read_run_store
from tests.agent.support import Watcher
from tests.agent.tools.overnight.test_overnight import spoil


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("begun")
    settings = Settings(run=folder / "run", memory=folder / "memory.sqlite", until="starter")
    play_run(settings, Watcher(), Interrupt())
    return folder


@pytest.fixture
def files(begun: Path, tmp_path: Path) -> NightFiles:
    """A run that was played for a while, with its memory, and no copy of anything."""
    run = copytree(begun / "run", tmp_path / "run")
    copyfile(begun / "memory.sqlite", tmp_path / "memory.sqlite")
    return NightFiles(run, kept_run(run), kept_memory(run, tmp_path / "memory.sqlite"))


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
    assert (log.is_written, log.last) == (False, "error: the disk is full")


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


def test_no_copy_takes_the_place_of_a_good_one_unless_it_is_whole(files: NightFiles) -> None:
    files.run.take()
    good = files.run.copy.read_bytes()
    spoil(files.run.path)
    failed = Copier((files.run, files.memory), 0, lambda: 0.0).copy_if_due(1 << 40)
    assert failed is not None
    assert failed[0] == files.run.path
    assert files.run.copy.read_bytes() == good
    assert files.memory.copy.exists()


def test_a_whole_run_needs_nothing(files: NightFiles) -> None:
    assert files.examine(thoroughly=True) is None


@pytest.mark.parametrize("damage", ["spoilt", "gone", "empty"])
def test_a_damaged_file_is_replaced_by_the_newest_whole_copy(
    files: NightFiles, damage: str
) -> None:
    copy_all(files)
    copy_all(files)
    files.run.copy.write_bytes(b"no copy at all")
    for kept, fault in (
        (files.run, NightFault.DAMAGED_RUN),
        (files.memory, NightFault.DAMAGED_MEMORY),
    ):
        match damage:
            case "spoilt":
                spoil(kept.path)
            case "gone":
                kept.path.unlink()
            case _:
                kept.path.write_bytes(b"")
        found = files.examine(thoroughly=True)
        assert found is not None
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
    found = files.examine(thoroughly=False)
    assert found is not None
    assert (
        files.repair(found).says
        == "put back the copy of run.toml; what was there is run.toml.damaged-1"
    )
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


def test_without_a_good_copy_a_run_stays_as_it_is_and_is_named(files: NightFiles) -> None:
    spoil(files.run.path)
    torn = files.run.path.read_bytes()
    found = files.examine(thoroughly=True)
    assert found is not None
    repaired = files.repair(found)
    assert not repaired.done
    assert f"no good copy of {files.run.path} is left, and it stays as it is" in repaired.says
    assert files.run.path.read_bytes() == torn


def test_a_memory_without_a_copy_stays_as_it_is_and_is_named(files: NightFiles) -> None:
    spoil(files.memory.path)
    torn = files.memory.path.read_bytes()
    found = files.examine(thoroughly=True)
    assert found is not None
    repaired = files.repair(found)
    assert not repaired.done
    assert f"no good copy of {files.memory.path} is left, and it stays as it is" in repaired.says
    assert files.memory.path.read_bytes() == torn


def test_a_file_that_never_was_ours_is_left_to_who_owns_it(files: NightFiles) -> None:
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
    found = files.examine(thoroughly=True)
    assert found is not None
    assert found.fault is NightFault.UNWRITABLE
    assert not files.repair(found).done


def test_a_copy_is_of_one_moment_and_whole_in_one_file(files: NightFiles) -> None:
    files.run.take()
    assert sorted(each.name for each in files.run.copy.parent.iterdir()) == ["run.sqlite"]
    with closing(read_run_store(files.run.copy)) as copy:
        assert len(list(copy.steps())) == 102
        assert copy.marks()[-1].tick == 102
