"""Files that vanish during a night: before its verdict it looks at its run and memory, and says what is lost."""

import logging
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agent.cli.night import NightGoal, last_lines
from agent.tools.overnight.logs import Line
from agent.tools.overnight.night import NightEnding
from agent.tools.report import page
from memory import file_fault, open_knowledge_store
from memory.store.run_folder import SETTINGS, STORE
from tests.agent.tools.overnight.nights import Viewer, lines_of, run_night
from tests.memory.samples import NOON

GOAL = {"beats": [{"tick": 103, "checkpoint": 103}], "stop": "goal"}
TICKS = GOAL | {"stop": "ticks"}


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def _rename(path: Path) -> None:
    path.rename(path.with_name(f"moved-{path.name}"))


def _replace_by_folder(path: Path) -> None:
    _remove(path)
    path.mkdir()


def _replace_by_file(path: Path) -> None:
    _remove(path)
    path.write_bytes(b"")


def _replace_by_text(path: Path) -> None:
    _remove(path)
    path.write_text("not a file of a run\n" * 99, encoding="utf-8")


def _make_unreadable(path: Path) -> None:
    path.chmod(0)


LOSSES: list[Callable[[Path], None]] = [
    _remove,
    _replace_by_folder,
    _replace_by_file,
    _replace_by_text,
]
FILES = ["", SETTINGS, STORE, "../memory.sqlite"]
LOSSES += [_make_unreadable] if os.geteuid() else []  # root reads every file


def _lost_at(what: str, path: Path, lose: Callable[[Path], None]) -> Viewer:
    """Return a viewer that loses `path` once, when the journal has a line of this kind."""

    def react(line: Line) -> None:
        if line["what"] == what and not lost:
            lost.append(line)
            lose(path)

    lost: list[Line] = []
    return Viewer(react)


def _is_sound(run: Path, memory: Path) -> bool:
    return (run / SETTINGS).is_file() and not file_fault(run / STORE) and not file_fault(memory)


@pytest.mark.parametrize("lose", LOSSES)
@pytest.mark.parametrize("name", FILES)
def test_no_night_ends_well_with_a_file_that_is_lost(
    run: Path, name: str, lose: Callable[[Path], None]
) -> None:
    number = FILES.index(name) + LOSSES.index(lose)  # each file and each loss at both moments
    moment, life = (("started", GOAL), ("ended", TICKS))[number % 2]
    lost = (run / name).resolve()
    night = run_night(run, life, viewer=_lost_at(moment, lost, lose))
    is_sound = _is_sound(run, run.parent / "memory.sqlite")
    assert is_sound or night.verdict == "gave_up", night.reason
    if not is_sound:
        assert str(lost) in night.reason
    if run.is_dir():
        assert lines_of(run, "verdict")[-1]["reason"] == night.reason


def test_a_lost_file_is_named_with_its_copy_whatever_ends_the_night(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agent.tools.overnight.recovery import Recovery

    after = Recovery.after

    def lose_after_the_check(self: Recovery, ended: object) -> object:
        step = after(self, ended)  # type: ignore[arg-type]
        (run.parent / "memory.sqlite").unlink()
        return step

    monkeypatch.setattr(Recovery, "after", lose_after_the_check)
    night = run_night(run, GOAL)
    assert night.verdict == "gave_up"
    assert f"{run.parent / 'memory.sqlite'} does not exist" in night.reason
    assert f"copies: {run / 'copies' / 'memory.sqlite'} (the milestone is reached)" in night.reason


def test_another_run_in_the_folder_is_no_end_of_this_one(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = shutil.copytree(run, tmp_path / "other")
    table = (other / SETTINGS).read_text(encoding="utf-8")
    (other / SETTINGS).write_text(table.replace('run = "', 'run = "other-'), encoding="utf-8")
    with closing(sqlite3.connect(other / STORE)) as file, file:
        file.execute("UPDATE run SET run_id = 'other-' || run_id")

    def replace(path: Path) -> None:
        _rename(path)
        shutil.copytree(other, path)

    night = run_night(run, GOAL, viewer=_lost_at("ended", run, replace))
    assert night.verdict == "gave_up"
    assert f"{run} was removed, renamed or replaced" in night.reason


def test_the_last_lines_of_a_lost_run_offer_nothing_of_it(run: Path) -> None:
    night = run_night(run, TICKS, viewer=_lost_at("ended", run, _remove))
    lines = list(last_lines(night, NightGoal.of(None, None), "red-agent overnight"))
    assert night.verdict == NightEnding.GAVE_UP.value
    assert f"{run} was removed, renamed or replaced, and the copies in it too" in lines[0]
    assert [each.partition(":")[0] for each in lines] == ["result", "run"]


def test_a_run_is_called_complete_only_after_a_look_at_it(
    run: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(page, "report_run", fail)
    caplog.set_level(logging.WARNING)
    page.report_ended(run, None)
    assert caplog.messages == ["no report was written: MemoryError; the run itself is complete"]
    for lose in (_remove, _replace_by_file):
        caplog.clear()
        lose(run / STORE)
        page.report_ended(run, None)
        assert "complete" not in caplog.messages[0]


def test_an_empty_memory_in_the_place_of_a_lost_one_is_a_loss(run: Path) -> None:
    memory, other = run.parent / "memory.sqlite", Path(f"{run.parent}-other.sqlite")
    open_knowledge_store(other, now=NOON).close()

    def replace(path: Path) -> None:
        shutil.move(other, path)

    night = run_night(run, GOAL, viewer=_lost_at("ended", memory, replace))
    assert night.verdict == "gave_up"
    assert f"{memory} was replaced" in night.reason
    assert f"copies: {run / 'copies' / 'memory.sqlite'}" in night.reason
    assert run_night(run, GOAL).verdict == "goal"  # another one may be put in place between nights
