"""A replay names what differs: an input that changed the game, or a record that was edited."""

import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from agent.app import record_of
from agent.errors import RunError
from agent.tools.replay.bisect import bisect_pair, changes, difference
from agent.tools.replay.operations import bisect_run, bisect_runs
from agent.tools.replay.recording import Recording, recording_of
from emulator import (
    FRAMES_PER_SECOND,
    RED,
    Button,
    DivergenceKind,
    PyBoyConsole,
    Step,
    StepRecord,
    demo_cartridge_path,
    first_divergence,
    load_cartridge,
    verify_chain,
)
from emulator.profile import symbol
from emulator.recording import first_link, next_chain
from memory import read_run
from tests.agent.support import Agent, Game, Played, edited, game_at, play_in
from tests.proofs.divergence import ChangedByte, drawn, found_alone, go_another_way, other_step

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
    summary = play_in(folder, seed=3, until="healed")
    return Played(folder / "run", folder / "memory.sqlite", summary)


@pytest.fixture
def records(played: Played) -> list[StepRecord]:
    with closing(read_run(played.folder)) as run:
        return [record_of(row) for row in run.store.steps()]


@pytest.mark.parametrize("draw", range(3))
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


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("UPDATE steps SET settle = settle + 1 WHERE tick = 70", "tick 70: edited record"),
        ("UPDATE steps SET button = 'up' WHERE tick = 10", "tick 10: edited record"),
        ("DELETE FROM steps WHERE tick = 30", "tick 31: edited record"),
        ("DELETE FROM steps WHERE tick = (SELECT max(tick) FROM steps)", "edited record"),
        ("DELETE FROM steps WHERE tick > 0", "tick 1: edited record"),
        ("DELETE FROM steps WHERE tick > 1", "tick 2: edited record"),
        ("DELETE FROM steps WHERE tick > 99", "tick 100: edited record"),
        ("UPDATE steps SET button = NULL WHERE tick = 20", "tick 20: edited record"),
        ("UPDATE steps SET button = 'zz' WHERE tick = 20", "tick 20: edited record"),
        ("UPDATE steps SET hold = 5000000000 WHERE tick = 20", "tick 20: edited record"),
    ],
)
def test_an_edited_record_and_where_the_recording_was_cut_short_are_named(
    sql: str, says: str, agent: Agent, played: Played, tmp_path: Path
) -> None:
    ended = agent("replay", edited(played.folder, tmp_path / "copy", sql))
    assert ended.code == 1
    assert ended.out.startswith("divergence: tick "), ended.err
    assert says in ended.out


FORMS = (
    (),
    ("--bisect",),
    ("--decide",),
    ("--to", 5, "--png", "FILE"),
    ("--from", 4, "--to", 5, "--gif", "FILE"),
)


def with_settings(run: Path, to: Path, old: str, new: str) -> Path:
    """Return a copy of a run with other words in its settings."""
    settings = shutil.copytree(run, to) / "run.toml"
    told = settings.read_text(encoding="utf-8")
    assert old in told
    settings.write_text(told.replace(old, new), encoding="utf-8")
    return to


@pytest.mark.parametrize("form", FORMS)
def test_another_pyboy_is_said_first(
    form: tuple[object, ...], agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = with_settings(played.folder, tmp_path / "copy", 'pyboy = "2', 'pyboy = "1')
    file = tmp_path / "file"
    ended = agent("replay", run, *[file if each == "FILE" else each for each in form])
    assert ended.code == 0, ended.err
    assert ended.err.splitlines()[0].startswith("recorded with PyBoy 1")


@pytest.mark.parametrize("form", FORMS)
def test_another_cartridge_is_all_that_is_said(
    form: tuple[object, ...], agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = with_settings(played.folder, tmp_path / "copy", CARTRIDGE.sha1, "00" * 20)
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


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bisected")
    play_in(folder, seed=3, until="rival")
    return folder / "run"


@pytest.fixture
def recording(run: Path) -> Iterator[Recording]:
    with closing(read_run(run)) as folder:
        yield recording_of(folder.store)


@pytest.mark.parametrize("draw", range(4))
def test_a_machine_that_differs_is_found_at_its_tick(draw: int, recording: Recording) -> None:
    fault = drawn(recording, random.Random(draw))
    found = found_alone(recording, fault, CARTRIDGE)
    assert found.divergence is not None
    assert (found.divergence.tick, found.divergence.kind) == (fault.tick, DivergenceKind.DIGEST)
    assert found.restores <= found.most
    after = [mark.tick for mark in recording.marks if mark.tick >= fault.tick]
    assert found.ticks == (after or [len(recording.records)])[0]


@pytest.mark.parametrize("draw", range(3))
def test_a_game_that_goes_another_way_is_found_at_its_tick(
    draw: int, run: Path, recording: Recording, tmp_path: Path
) -> None:
    chance = random.Random(draw)
    tick = chance.randrange(1, len(recording.records) + 1)
    step = other_step(recording, tick, chance)
    go_another_way(run, tmp_path / "other", tick, step)
    with closing(read_run(tmp_path / "other")) as other:
        pair = recording, recording_of(other.store)
        found = bisect_pair(pair, CARTRIDGE.sha1, partial(PyBoyConsole, CARTRIDGE))
    assert found.divergence is not None
    assert (found.divergence.tick, found.divergence.kind) == (tick, DivergenceKind.STEP)
    assert step.button is not None
    assert f"-> {step.button.name.lower()}" in found.divergence.detail
    assert found.restores <= found.most
    assert found.notes == ()
    before = max((mark.tick for mark in recording.marks if mark.tick < tick), default=0)
    assert found.ticks == 2 * (tick - before)
    assert found.shown is not None
    assert found.shown.between == f"at tick {tick}, A -> B"


def test_what_no_digest_covers_is_found_between_two_checkpoints(recording: Recording) -> None:
    good, bad = (mark.tick for mark in recording.marks[-2:])
    assert (bad - 2) // 100 == bad // 100, "a full digest would tell first"
    found = found_alone(recording, ChangedByte(bad - 2, symbol("wEventFlags") + 300, 4), CARTRIDGE)
    assert found.divergence is not None
    assert (found.divergence.tick, found.divergence.kind) == (bad, DivergenceKind.CHECKPOINT)
    assert f"it was at tick {good}" in found.divergence.detail
    assert found.restores <= found.most
    assert found.shown is not None
    ((name, here, there),) = found.shown.fields
    assert name == f"flags.events[{called(300 * 8 + 2)}]"
    assert {here, there} == {"0", "1"}


def called(bit: int) -> object:
    return next((name for name, number in RED.events.items() if number == bit), bit)


def test_ram_without_a_field_is_called_by_its_label(recording: Recording) -> None:
    bad = recording.marks[-1].tick
    found = found_alone(
        recording, ChangedByte(bad - 2, symbol("wDayCareMonName") + 3, 1), CARTRIDGE
    )
    assert found.shown is not None
    assert found.shown.fields == ()
    assert [each.name for each in found.shown.ram] == ["wDayCareMonName+3"]


def test_a_sound_run_has_no_difference(run: Path, agent: Agent) -> None:
    driven = agent("replay", run)
    assert (driven.code, driven.out) == (0, "divergence: none\n")
    ended = agent("replay", run, "--bisect")
    assert (ended.code, ended.out) == (0, "divergence: none\n")
    (line,) = ended.err.splitlines()
    assert line.endswith("3 restores of 4 checkpoints (at most 4.0)")
    both = agent("replay", "--bisect", run, run)
    assert (both.code, both.out) == (0, "divergence: none\n")


def test_an_edited_record_is_said(run: Path, tmp_path: Path) -> None:
    other = edited(run, tmp_path / "edited", "UPDATE steps SET settle = 9 WHERE tick = 70")
    for found in (bisect_run(other, None), bisect_runs(run, other, None)):
        assert found.divergence is not None
        assert (found.divergence.tick, found.divergence.kind) == (70, DivergenceKind.EDITED)
        assert "itself was changed: tick 70" in found.notes[0]


def test_a_checkpoint_that_cannot_be_loaded_is_passed_over(run: Path, tmp_path: Path) -> None:
    torn = "UPDATE checkpoints SET state = substr(state, 1, 900) WHERE tick > 0"
    found = bisect_run(edited(run, tmp_path / "spoilt", torn), None)
    assert (found.divergence, found.restores) == (None, 1)
    assert found.notes
    assert all("is passed over: the saved state is cut short" in each for each in found.notes)


def test_a_shorter_recording_is_told_apart_from_another(
    run: Path, agent: Agent, tmp_path: Path
) -> None:
    file = tmp_path / "short.redreplay"
    cuts = [f"DELETE FROM {table} WHERE tick > 150" for table in ("steps", "checkpoints")]
    short = edited(run, tmp_path / "short", *cuts)
    assert agent("replay", short, "--export", file).code == 0
    ended = agent("replay", "--bisect", run, file)
    assert (ended.code, ended.out) == (0, "divergence: none\n")
    assert "B ends at tick 150, A goes on to" in ended.err


def test_a_file_is_held_against_a_run_from_power_on(
    run: Path, recording: Recording, agent: Agent, tmp_path: Path
) -> None:
    go_another_way(run, tmp_path / "other", 150, other_step(recording, 150, random.Random(1)))
    file = tmp_path / "other.redreplay"
    agent("replay", tmp_path / "other", "--export", file)
    ended = agent("replay", "--bisect", run, file)
    assert ended.code == 1
    assert ended.out.startswith("divergence: tick 150: step: button: ")
    assert "at tick 150, A -> B:" in ended.out.splitlines()
    assert "2 restores" in ended.err


def test_two_seeds_are_two_games(run: Path, tmp_path: Path, agent: Agent) -> None:
    play_in(tmp_path, seed=4, ticks=40)
    ended = agent("replay", run, tmp_path / "run", "--bisect")
    assert ended.code == 1
    assert ended.err.splitlines()[0].startswith("A has seed 3, B has seed 4")
    assert ended.out.startswith("divergence: tick 9: step: settle: ")


def test_two_cartridges_are_not_compared(run: Path, tmp_path: Path) -> None:
    other = with_settings(run, tmp_path / "other", CARTRIDGE.sha1, "00" * 20)
    with pytest.raises(RunError, match="no tick of them can be compared"):
        bisect_runs(run, other, None)


@pytest.fixture
def game(run: Path) -> Iterator[Game]:
    """The demo as soon as there is a team."""
    with game_at(run, lambda state: state.in_control and len(state.party) > 0) as lent:
        yield lent


def test_changes_are_named_down_to_their_smallest_parts(game: Game) -> None:
    before, one = game.state, game.console.ram()
    hp = symbol("wPartyMon1HP") + 1
    game.poke({hp: 1, symbol("wPlayerMoney") + 2: 0x07, symbol("wXCoord"): 3})
    named = {each.name: each for each in changes(before, game.state)}
    assert set(named) == {"party[0].hp", "player.money", "map.x"}
    assert str(named["map.x"]) == f"map.x: {before.map.x} -> 3"
    assert difference(one, one, "").fields == difference(one, one, "").ram == ()


def test_what_is_only_in_one_moment_is_named_in_its_parts() -> None:
    assert [str(each) for each in changes(None, Step(None, 0, 4))] == [
        "hold: nothing -> 0",
        "settle: nothing -> 4",
    ]
    assert [str(each) for each in changes((1, 2), (1,), "each")] == ["each[1]: 2 -> nothing"]


def test_bytes_of_one_label_are_one_stretch(game: Game) -> None:
    here = game.console.ram()
    at = symbol("wDayCareMonName")
    game.poke({at + each: 0x50 + each for each in range(11)})
    (change,) = difference(here, game.console.ram(), "").ram
    assert change.name == "wDayCareMonName"
    assert change.there == "5051525354555657 (and 3 more bytes)"
