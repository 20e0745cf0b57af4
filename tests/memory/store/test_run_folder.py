"""A run's folder: made whole or not at all, resumed only where there is something to resume."""

import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memory import CorruptStore, StoreError, create_run, open_run, open_run_store, read_run
from memory.errors import RunFolderError
from tests.memory.samples import checkpoint

SETTINGS = {"seed": 7}


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file grow."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def played(path: Path) -> Path:
    with closing(create_run(path, SETTINGS, run_id="run-1")) as folder:
        folder.store.commit(checkpoint=checkpoint(3))
    return path


def contents(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.iterdir()}


def test_a_run_goes_on_with_the_settings_and_the_moment_it_had(tmp_path: Path) -> None:
    run = played(tmp_path / "runs" / "a")
    with closing(open_run(run)) as folder:
        assert folder.settings == SETTINGS
        assert folder.store.run_id == "run-1"
        assert folder.store.latest_checkpoint() == checkpoint(3)
    with closing(read_run(run)) as reader:
        assert reader.store.latest_checkpoint() == checkpoint(3)


def test_an_empty_folder_will_do_also_with_an_old_lock(tmp_path: Path) -> None:
    (tmp_path / "run.lock").touch()
    played(tmp_path)


@pytest.mark.parametrize("name", ["run.toml", "run.sqlite", "report.html", "letter.txt", ".hidden"])
def test_a_folder_that_holds_anything_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("somebody's", encoding="utf-8")
    with pytest.raises(RunFolderError, match=f"{tmp_path} already holds {name}; name an empty"):
        create_run(tmp_path, SETTINGS, run_id="r")
    assert contents(tmp_path) == {name: b"somebody's"}


@pytest.mark.parametrize("name", ["", "."])
def test_the_working_folder_is_a_folder_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "letter.txt").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunFolderError, match="already holds letter"):
        create_run(Path(name), SETTINGS, run_id="r")
    assert contents(tmp_path) == {"letter.txt": b""}


def test_only_a_run_is_offered_to_be_gone_on_with(tmp_path: Path) -> None:
    run = played(tmp_path / "run")
    before = contents(run)
    with pytest.raises(RunFolderError, match=f"or go on with --resume {run}"):
        create_run(run, SETTINGS, run_id="r")
    assert contents(run) == before
    (tmp_path / "letter.txt").touch()
    with pytest.raises(RunFolderError, match=r"already holds letter\.txt; .* as --run$"):
        create_run(tmp_path, SETTINGS, run_id="r")


def test_a_run_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with full_disk(), pytest.raises(RunFolderError, match="cannot be written"):
        create_run(tmp_path / "runs" / "a", SETTINGS, run_id="r")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "run.lock").touch()
    with full_disk(), pytest.raises(RunFolderError, match="cannot be written"):
        create_run(tmp_path, SETTINGS, run_id="r")
    assert contents(tmp_path) == {"run.lock": b""}
    played(tmp_path)


def test_a_store_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path) -> None:
    with full_disk(), pytest.raises(StoreError):
        create_run(tmp_path / "a", {}, run_id="r")  # no settings: the first byte is the store's
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("somebody's", encoding="utf-8")
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        with pytest.raises(RunFolderError, match="cannot be written"):
            create_run(path, SETTINGS, run_id="r")
    assert contents(tmp_path) == {"a": b"somebody's"}


def test_one_owner_at_a_time(tmp_path: Path) -> None:
    run = played(tmp_path / "run")
    with closing(open_run(run)):
        for other in (open_run, lambda path: create_run(path, SETTINGS, run_id="r")):
            with pytest.raises(RunFolderError, match="in use by another process"):
                other(run)
    open_run(run).close()


@pytest.mark.parametrize("left", [None, b""])
def test_a_run_without_its_file_is_not_taken_for_a_new_one(
    tmp_path: Path, left: bytes | None
) -> None:
    run = played(tmp_path / "run")
    (run / "run.sqlite").unlink()
    if left is not None:
        (run / "run.sqlite").write_bytes(left)
    before = contents(run)
    with pytest.raises(RunFolderError) as caught:
        open_run(run)
    assert str(caught.value) == (
        f"{run / 'run.sqlite'} holds no checkpoint to go on from; start a new run with another --run"
    )
    assert contents(run) == before


def test_a_run_without_a_checkpoint_is_not_gone_on_with(tmp_path: Path) -> None:
    run = tmp_path / "run"
    create_run(run, SETTINGS, run_id="r").close()
    for _ in range(2):  # the first refusal leaves it open to nobody
        with pytest.raises(RunFolderError, match="holds no checkpoint to go on from"):
            open_run(run)


def test_a_damaged_run_stays_where_it_is(tmp_path: Path) -> None:
    run = played(tmp_path / "run")
    file = run / "run.sqlite"
    file.write_bytes(file.read_bytes()[:10_000])
    before = contents(run)
    for _ in range(2):
        with pytest.raises(CorruptStore, match=r"run\.sqlite is damaged .* put back a copy"):
            open_run(run)
    assert contents(run) == before


def test_a_checkpoint_that_cannot_be_read_closes_the_run_again(tmp_path: Path) -> None:
    run = played(tmp_path / "run")
    with closing(open_run_store(run / "run.sqlite", run_id="r")) as store:
        store._database.execute("UPDATE checkpoints SET mind = '{'")
    with pytest.raises(CorruptStore, match="checkpoints, tick 3") as caught:
        open_run(run)
    # Looked at while the error still holds on to the frames it went through.
    assert sorted(each.name for each in run.iterdir()) == ["run.lock", "run.sqlite", "run.toml"]
    del caught
    with pytest.raises(CorruptStore, match="checkpoints, tick 3"):
        open_run(run)


def test_settings_that_are_none_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        create_run(tmp_path / "a", {"seed": object()}, run_id="r")
    assert list(tmp_path.iterdir()) == []
