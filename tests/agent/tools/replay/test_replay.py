"""A replay names what differs: an input that changed the game, or a record that was edited."""

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, play_run, record_of
from emulator import (
    FRAMES_PER_SECOND,
    Button,
    PyBoyConsole,
    Step,
    StepRecord,
    demo_cartridge_path,
    first_divergence,
    load_cartridge,
    verify_chain,
)
from emulator.recording import first_link, next_chain
from memory import read_run
from tests.agent.support import Agent, Played, Watcher

CARTRIDGE = load_cartridge(demo_cartridge_path())
# Work and high RAM without the stack, whose dead part keeps traces of what was called long ago.
MEANINGFUL = ((0xC000, 0x1EE2), (0xFF80, 0x7F))


def truth(recorded: Sequence[StepRecord], edited: Sequence[StepRecord]) -> int | None:
    """Return the first tick after which RAM differs between two drives."""
    with closing(PyBoyConsole(CARTRIDGE)) as one, closing(PyBoyConsole(CARTRIDGE)) as other:
        for record, changed in zip(recorded, edited, strict=True):
            one.perform(record.step)
            other.perform(changed.step)
            if any(one.read(*each) != other.read(*each) for each in MEANINGFUL):
                return record.tick
    return None


def rechained(records: Sequence[StepRecord]) -> list[StepRecord]:
    """Return the records with a chain made to fit."""
    chain = first_link(CARTRIDGE.sha1).chain
    forged = []
    for record in records:
        chain = next_chain(chain, record)
        forged.append(replace(record, chain=chain))
    return forged


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A run to the healing alone: here it is played again as a whole, many times."""
    folder = tmp_path_factory.mktemp("replayed")
    run, memory = folder / "run", folder / "memory.sqlite"
    settings = Settings(seed=3, until="healed", run=run, memory=memory)
    return Played(run, memory, play_run(settings, Watcher(), Interrupt()))


@pytest.fixture
def records(played: Played) -> list[StepRecord]:
    with closing(read_run(played.folder)) as run:
        return [record_of(row) for row in run.store.steps()]


@pytest.mark.parametrize("draw", range(6))
def test_a_flipped_input_is_named_at_its_first_differing_tick(
    draw: int, records: list[StepRecord]
) -> None:
    chance = random.Random(draw)
    at = chance.randrange(len(records))
    old = records[at]
    hold = old.step.hold or min(4, old.step.settle)
    button = chance.choice([each for each in Button if each is not old.step.button])
    edited = list(records)
    edited[at] = replace(old, step=Step(button, hold, old.step.frames - hold))
    differs = truth(records, edited)
    with closing(PyBoyConsole(CARTRIDGE)) as console:
        found = first_divergence(console, rechained(edited))
    named = found.tick if found else None
    # A trace on the dead part of the stack is nobody's difference; the digests may see it yet.
    assert named == differs or (differs is None and named == old.tick)
    assert verify_chain(edited, CARTRIDGE.sha1) == old.tick


def edit(run: Path, sql: str) -> None:
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        assert database.execute(sql).rowcount == 1


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("UPDATE steps SET settle = settle + 1 WHERE tick = 70", "tick 70: edited record"),
        ("UPDATE steps SET button = 'up' WHERE tick = 10", "tick 10: edited record"),
        ("DELETE FROM steps WHERE tick = 30", "tick 31: edited record"),
        ("DELETE FROM steps WHERE tick = (SELECT max(tick) FROM steps)", "edited record"),
        ("UPDATE steps SET button = NULL WHERE tick = 20", "tick 20: edited record"),
        ("UPDATE steps SET button = 'zz' WHERE tick = 20", "tick 20: edited record"),
        ("UPDATE steps SET hold = 5000000000 WHERE tick = 20", "tick 20: edited record"),
    ],
)
def test_the_chain_names_an_edited_record(
    sql: str, says: str, agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = copied(played.folder, tmp_path)
    edit(run, sql)
    ended = agent("replay", run)
    assert ended.code == 1
    assert ended.out.startswith("divergence: tick "), ended.err
    assert says in ended.out


@pytest.mark.parametrize("kept", [0, 1, 99])
def test_a_recording_cut_short_is_named(
    kept: int, agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = copied(played.folder, tmp_path)
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        database.execute("DELETE FROM steps WHERE tick > ?", (kept,))
    ended = agent("replay", run)
    assert ended.code == 1
    assert ended.out.startswith(f"divergence: tick {kept + 1}: edited record"), ended.out


def copied(run: Path, to: Path) -> Path:
    copy = to / "copy"
    copy.mkdir()
    for path in run.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    return copy


def test_a_sound_run_has_none(agent: Agent, played: Played) -> None:
    ended = agent("replay", played.folder)
    assert (ended.code, ended.out) == (0, "divergence: none\n")


FORMS = (
    (),
    ("--bisect",),
    ("--decide",),
    ("--to", 5, "--png", "FILE"),
    ("--from", 4, "--to", 5, "--gif", "FILE"),
)


def changed(run: Path, to: Path, old: str, new: str) -> Path:
    copy = copied(run, to)
    settings = (copy / "run.toml").read_text(encoding="utf-8")
    assert old in settings
    (copy / "run.toml").write_text(settings.replace(old, new), encoding="utf-8")
    return copy


@pytest.mark.parametrize("form", FORMS)
def test_another_pyboy_is_said_first(
    form: tuple[object, ...], agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = changed(played.folder, tmp_path, 'pyboy = "2', 'pyboy = "1')
    file = tmp_path / "file"
    ended = agent("replay", run, *[file if each == "FILE" else each for each in form])
    assert ended.code == 0, ended.err
    assert ended.err.splitlines()[0].startswith("recorded with PyBoy 1")


@pytest.mark.parametrize("form", FORMS)
def test_another_cartridge_is_all_that_is_said(
    form: tuple[object, ...], agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = changed(played.folder, tmp_path, CARTRIDGE.sha1, "00" * 20)
    file = tmp_path / "file"
    ended = agent("replay", run, *[file if each == "FILE" else each for each in form])
    assert (ended.code, ended.out) == (1, "")
    (line,) = ended.err.splitlines()
    assert "pass the --rom it was played on" in line
    assert not file.exists()


def test_absurdly_long_pictures_are_not_made(
    agent: Agent, played: Played, records: list[StepRecord], tmp_path: Path
) -> None:
    lasts = round(records[299].frame / FRAMES_PER_SECOND)
    file = tmp_path / "a.gif"
    ended = agent("replay", played.folder, "--from", 1, "--to", 300, "--gif", file)
    assert (ended.code, ended.out) == (2, "")
    (line,) = ended.err.splitlines()
    assert f"would last {lasts} seconds of game time, and at most 60 are made" in line
    assert not file.exists()
