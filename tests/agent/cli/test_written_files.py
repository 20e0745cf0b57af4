"""What commands write: never through a link that lies in a folder, and whole or not at all."""

import os
import resource
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from agent.app import TickView
from agent.tools.overnight.copies import memory_file, run_file, settings_file
from memory import read_run
from memory.errors import RunFolderError
from tests.agent.support import Agent, Played, play_in, refused
from tests.agent.tools.overnight.nights import run_night
from tests.memory.store.taught import taught

PRECIOUS = b"kept as it is"
ENDED = {"beats": [{"tick": 103}], "stop": "ticks", "code": 3, "says": "a line for the log\n"}


@pytest.fixture
def run(played: Played, tmp_path: Path) -> Path:
    shutil.copyfile(played.memory, tmp_path / "memory.sqlite")
    return Path(shutil.copytree(played.folder, tmp_path / "run"))


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A file outside of the run folder."""
    path = tmp_path / "outside" / "precious"
    path.parent.mkdir()
    path.write_bytes(PRECIOUS)
    return path


def replace_by_link(path: Path, target: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def assert_intact(precious: Path) -> None:
    assert precious.read_bytes() == PRECIOUS
    assert [each.name for each in precious.parent.iterdir()] == [precious.name]


def of(run: Path, words: tuple[object, ...]) -> list[object]:
    """Return the arguments with paths in `run` for those that begin with its name."""
    return [run.parent / str(each) if str(each).startswith(run.name) else each for each in words]


VERIFY = ("verify", "--minutes", 0.1, "--write", "run")


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("report.html.unfinished", ("report", "run")),
        ("summary.json.unfinished", ("play", "--resume", "run", "--ticks", 1)),
        ("summary.json", ("play", "--resume", "run", "--ticks", 1)),
        ("verify-report.html.unfinished", VERIFY),
        ("verify-report.json", VERIFY),
    ],
)
def test_a_link_in_a_run_folder_is_not_written_through(
    name: str, command: tuple[object, ...], run: Path, precious: Path, agent: Agent
) -> None:
    replace_by_link(run / name, precious)
    ended = agent(*of(run, command))
    assert "Traceback" not in ended.err
    assert_intact(precious)
    assert not [*run.glob(".*.unfinished")]


@pytest.mark.parametrize("name", ["run.sqlite", "run.toml", "run.lock"])
@pytest.mark.parametrize(
    "command", [("play", "--resume", "run"), ("memory", "check", "run", "--repair")]
)
def test_a_run_with_a_link_for_a_file_is_not_opened_for_writing(
    name: str, command: tuple[object, ...], run: Path, agent: Agent, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "outside"
    elsewhere.mkdir()
    (run / name).rename(elsewhere / name)
    before = (elsewhere / name).read_bytes()
    (run / name).symlink_to(elsewhere / name)
    refused(agent(*of(run, command)), 1, f"{name} is a link")
    assert {each.name: each.read_bytes() for each in elsewhere.iterdir()} == {name: before}


def test_reading_a_run_leaves_the_log_of_a_linked_file_as_it_is(
    run: Path, agent: Agent, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "outside"
    elsewhere.mkdir()
    for path in [run / "run.sqlite", *run.glob("run.sqlite-*")]:
        path.rename(elsewhere / path.name)
    (elsewhere / "run.sqlite-wal").write_bytes(b"a log that a killed process left")
    (run / "run.sqlite").symlink_to(elsewhere / "run.sqlite")
    assert agent("report", run).code == 0
    assert (elsewhere / "run.sqlite-wal").read_bytes() == b"a log that a killed process left"


@pytest.mark.parametrize("name", ["night.probe", "../night.probe", "copies/run.sqlite.new"])
def test_a_night_does_not_write_through_a_link(name: str, run: Path, precious: Path) -> None:
    replace_by_link(run / name, precious)
    run_night(run, ENDED)
    assert_intact(precious)
    assert (run / "copies" / "run.sqlite").is_file()


def test_a_copy_is_not_put_back_through_a_link(run: Path, precious: Path) -> None:
    settings_file(run).make_copy()
    for file in (run_file(run), memory_file(run, run.parent / "memory.sqlite")):
        file.make_copy()
    (run / "run.sqlite").write_bytes(b"")
    replace_by_link(run / "run.sqlite.put-back", precious)
    run_night(run, ENDED)
    assert_intact(precious)
    assert not (run / "run.sqlite").is_symlink()
    assert read_run(run).store.checkpoints.marks()


@pytest.mark.parametrize("name", ["night.jsonl", "night.log", "copies", "run.sqlite", "run.toml"])
def test_a_night_refuses_a_link_in_one_line(name: str, run: Path, precious: Path) -> None:
    target = precious.parent if name == "copies" else precious
    replace_by_link(run / name, target)
    with pytest.raises(RunFolderError, match=f"{name} is a link, and a night writes only into"):
        run_night(run, ENDED)
    assert_intact(precious)


@pytest.mark.parametrize(
    "name",
    [
        "memory.sqlite.before-forget-1.unfinished",
        "memory.sqlite.before-forget-1",
        "memory.sqlite.before-merge-1",
    ],
)
@pytest.mark.parametrize("target", ["precious", "missing"])
def test_the_copy_of_a_memory_goes_to_a_name_without_a_link(
    name: str, target: str, run: Path, precious: Path, agent: Agent
) -> None:
    memory = run.parent / "memory.sqlite"
    (run.parent / name).symlink_to(precious.with_name(target))
    if "merge" in name:
        ended = agent("memory", "merge", taught(run.parent / "other.sqlite"), "--into", memory)
    else:
        ended = agent("memory", "forget", "--in", memory, "--kind", "battle", "--yes")
    assert ended.code == 0, ended.err
    assert_intact(precious)


def test_a_merge_into_a_link_to_nothing_says_so(run: Path, precious: Path, agent: Agent) -> None:
    into = run.parent / "into.sqlite"
    into.symlink_to(precious.with_name("missing"))
    ended = agent("memory", "merge", run.parent / "memory.sqlite", "--into", into)
    refused(ended, 1, "into.sqlite is a link; name a path without a file")
    assert_intact(precious)


@pytest.mark.parametrize(
    "command",
    [
        ("memory", "merge", "memory.sqlite", "memory.sqlite", "--into", "loop"),
        ("memory", "merge", "loop", "memory.sqlite", "--into", "new.sqlite"),
        ("eval", "--seeds", "1", "--until", "left_home", "--out", "loop"),
        ("report", "loop"),
        ("scenario", "record", "loop", "--at", 3, "--name", "it", "--into", "loop"),
    ],
)
def test_a_loop_of_links_is_refused_in_one_line(
    command: tuple[object, ...], run: Path, agent: Agent
) -> None:
    (run.parent / "loop").symlink_to("loop")
    names = {"loop", "memory.sqlite", "new.sqlite"}
    ended = agent(*(run.parent / str(each) if each in names else each for each in command))
    assert (ended.code in {1, 2}, ended.err.count("\n")) == (True, 1), ended.err


@contextmanager
def full_disk(run: Path) -> Iterator[None]:
    """Let no file grow beyond a thousand bytes; the run is read without a write-ahead log, which is larger."""
    with closing(sqlite3.connect(run / "run.sqlite")) as database:
        database.execute("PRAGMA journal_mode = DELETE")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("memory", "export", "run", "--to"), "made.json"),
        (("replay", "run", "--export"), "made.replay"),
        (("replay", "run", "--to", 40, "--png"), "made.png"),
        (("report", "run", "--write"), "made.html"),
    ],
)
def test_a_full_disk_leaves_no_half_file_and_the_second_try_works(
    command: tuple[object, ...], name: str, run: Path, agent: Agent
) -> None:
    folder = run.parent / "made"
    folder.mkdir()
    words = [*of(run, command), folder / name]
    with full_disk(run):
        ended = agent(*words)
    assert (ended.code in {1, 2}, ended.err.splitlines()[-1].count(name)) == (True, 1), ended.err
    assert "File too large" in ended.err
    assert list(folder.iterdir()) == []
    assert agent(*words).code == 0
    assert [each.name for each in folder.iterdir()] == [name]


def test_a_report_that_cannot_be_written_says_what_to_do(run: Path, agent: Agent) -> None:
    with full_disk(run):
        ended = agent("report", run)
    refused(ended, 1, f"{run.name}/report.html cannot be written (File too large")
    assert "--write FILE" in ended.err


def test_what_is_moved_away_during_play_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run, memory = tmp_path / "run", tmp_path / "memory.sqlite"

    def move(moment: TickView) -> None:
        if moment.tick == 30:
            memory.rename(tmp_path / "elsewhere.sqlite")
            run.rename(tmp_path / "other")

    play_in(tmp_path, move, until="left_home")
    said = (
        f"{run} was renamed or removed during play",
        f"{memory} was moved or removed during play",
    )
    assert [sum(words in each for each in caplog.messages) for words in said] == [1, 1]
    assert read_run(tmp_path / "other").store.checkpoints.marks()
    assert not run.exists()


def test_a_run_in_a_read_only_folder_is_not_resumed_and_the_advice_fits(
    run: Path, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root may write everywhere.
    monkeypatch.setattr(os, "access", lambda _path, mode, **_more: mode != os.W_OK)
    ended = agent("play", "--resume", run)
    refused(ended, 1, "cannot be written (Permission denied)")
    assert "resume a copy of the folder elsewhere" in ended.err


def test_a_run_begins_beside_an_unfinished_file_that_a_kill_left(tmp_path: Path) -> None:
    left = tmp_path / "run" / ".run.toml.0123456789abcdef.unfinished"
    left.parent.mkdir()
    left.write_bytes(b"")
    assert play_in(tmp_path, ticks=3).ticks == 3


def test_a_scenario_is_recorded_where_a_kill_left_its_state(
    run: Path, agent: Agent, tmp_path: Path
) -> None:
    into, words = tmp_path / "made", ("scenario", "record", run, "--name", "it")
    for tick, code in ((40, 0), (40, 0), (41, 2)):
        ended = agent(*words, "--at", tick, "--into", into)
        assert (ended.code, "exists already" in ended.err) == (code, code == 2)
        (into / "it.toml").unlink(missing_ok=code == 2)
