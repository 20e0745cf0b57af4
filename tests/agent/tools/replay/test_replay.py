"""`replay` reports differences: a changed input, or an edited record."""

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
from agent.tools.replay.bisect import bisect_pair
from agent.tools.replay.difference import changes, difference
from agent.tools.replay.operations import bisect_run, bisect_runs
from agent.tools.replay.recording import Recording, recording_of
from emulator import (
    FRAMES_PER_SECOND,
    RED,
    Button,
    DivergenceKind,
    PyBoyConsole,
    Ram,
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
from tests.proofs.divergence import (
    ChangedByte,
    bisect_with,
    copy_with,
    most_restores,
    other_step,
    random_change,
)

CARTRIDGE = load_cartridge(demo_cartridge_path())
# Work and high RAM without the stack, whose unused part keeps traces of old calls.
MEANINGFUL = ((0xC000, 0x1EE2), (0xFF80, 0x7F))


def truth(recorded: Sequence[StepRecord], edited: Sequence[StepRecord]) -> int | None:
    """Return the first tick after which RAM differs between two replays."""
    with closing(PyBoyConsole(CARTRIDGE)) as one, closing(PyBoyConsole(CARTRIDGE)) as other:
        for record, changed in zip(recorded, edited, strict=True):
            one.perform(record.step)
            other.perform(changed.step)
            if any(one.read(*each) != other.read(*each) for each in MEANINGFUL):
                return record.tick
    return None


def rechained(records: Sequence[StepRecord]) -> list[StepRecord]:
    """Return the records with a valid chain."""
    chain = first_link(CARTRIDGE.sha1).chain
    forged = []
    for record in records:
        chain = next_chain(chain, record)
        forged.append(replace(record, chain=chain))
    return forged


@pytest.fixture
def recording(short_run: Path) -> Iterator[Recording]:
    with closing(read_run(short_run / "run")) as folder:
        yield recording_of(folder.store)


@pytest.mark.parametrize("draw", range(2))
def test_a_changed_input_is_reported_at_the_first_differing_tick(
    draw: int, recording: Recording
) -> None:
    chance, records = random.Random(draw), recording.records
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
    # A trace in the unused part of the stack is not a difference, but the digests may see it.
    assert named == differs or (differs is None and named == old.tick)
    assert verify_chain(edited, CARTRIDGE.sha1) == old.tick


@pytest.mark.parametrize(
    ("sql", "message"),
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
def test_edited_and_missing_records_are_reported_with_their_tick(
    sql: str, message: str, agent: Agent, run: Path, tmp_path: Path
) -> None:
    ended = agent("replay", edited(run, tmp_path / "copy", sql))
    assert ended.code == 1
    assert ended.out.startswith("divergence: tick "), ended.err
    assert message in ended.out


FORMS = (
    (),
    ("--bisect",),
    ("--decide",),
    ("--to", 5, "--png", "a.png"),
    ("--from", 4, "--to", 5, "--gif", "a.gif"),
)


def in_folder(folder: Path, form: tuple[object, ...]) -> list[object]:
    """Return flags with their files in a folder."""
    return [folder / str(each) if str(each).startswith("a.") else each for each in form]


def with_settings(run: Path, to: Path, old: str, new: str) -> Path:
    """Return a copy of a run with changed settings."""
    settings = shutil.copytree(run, to) / "run.toml"
    text = settings.read_text(encoding="utf-8")
    assert old in text
    settings.write_text(text.replace(old, new), encoding="utf-8")
    return to


@pytest.mark.parametrize("form", FORMS)
def test_another_pyboy_version_is_reported_first_and_another_cartridge_is_one_error_line(
    form: tuple[object, ...], agent: Agent, tiny_run: Path, tmp_path: Path
) -> None:
    other = with_settings(tiny_run, tmp_path / "other", CARTRIDGE.sha1, "00" * 20)
    ended = agent("replay", other, *in_folder(tmp_path, form))
    assert (ended.code, ended.out) == (1, "")
    (line,) = ended.err.splitlines()
    assert "pass the --rom it was played on" in line
    assert not list(tmp_path.glob("a.*"))
    old = with_settings(tiny_run, tmp_path / "old", 'pyboy = "2', 'pyboy = "1')
    ended = agent("replay", old, *in_folder(tmp_path, form))
    assert ended.code == 0, ended.err
    assert ended.err.splitlines()[0].startswith("recorded with PyBoy 1")


def test_a_gif_over_the_maximum_length_is_refused(
    agent: Agent, played: Played, tmp_path: Path
) -> None:
    with closing(read_run(played.folder)) as folder:
        frames = record_of(list(folder.store.record.steps())[299]).frame
    file = tmp_path / "a.gif"
    ended = agent("replay", played.folder, "--from", 1, "--to", 300, "--gif", file)
    assert (ended.code, ended.out) == (2, "")
    (line,) = ended.err.splitlines()
    duration = round(frames / FRAMES_PER_SECOND)
    assert f"would last {duration} seconds of game time, and the maximum is 60" in line
    assert not file.exists()


@pytest.mark.parametrize("draw", range(2))
def test_bisect_finds_the_tick_of_a_machine_fault(draw: int, recording: Recording) -> None:
    fault = random_change(recording, random.Random(draw))
    found = bisect_with(recording, fault, CARTRIDGE)
    assert found.divergence is not None
    assert (found.divergence.tick, found.divergence.kind) == (fault.tick, DivergenceKind.DIGEST)
    assert found.restores <= most_restores(recording)
    after = [mark.tick for mark in recording.marks if mark.tick >= fault.tick]
    assert found.ticks == (after or [len(recording.records)])[0]


@pytest.mark.parametrize("draw", range(2))
def test_bisect_finds_the_tick_of_a_changed_step(
    draw: int, run: Path, recording: Recording, tmp_path: Path
) -> None:
    chance = random.Random(draw)
    tick = chance.randrange(1, len(recording.records) + 1)
    step = other_step(recording, tick, chance)
    copy_with(run, tmp_path / "other", tick, step)
    with closing(read_run(tmp_path / "other")) as other:
        pair = recording, recording_of(other.store)
        found = bisect_pair(pair, CARTRIDGE.sha1, partial(PyBoyConsole, CARTRIDGE))
    assert found.divergence is not None
    assert (found.divergence.tick, found.divergence.kind) == (tick, DivergenceKind.STEP)
    assert step.button is not None
    assert f"-> {step.button.name.lower()}" in found.divergence.detail
    assert found.restores <= most_restores(recording)
    assert found.notes == ()
    before = max((mark.tick for mark in recording.marks if mark.tick < tick), default=0)
    assert found.ticks == 2 * (tick - before)
    assert found.shown is not None
    assert found.shown.between == f"at tick {tick}, A -> B"


def test_a_change_outside_the_digest_is_found_between_two_checkpoints(recording: Recording) -> None:
    good, bad = (mark.tick for mark in recording.marks[-2:])
    assert (bad - 2) // 100 == bad // 100, "a full digest would find it first"
    found = bisect_with(recording, ChangedByte(bad - 2, symbol("wEventFlags") + 300, 4), CARTRIDGE)
    assert found.divergence is not None
    assert (found.divergence.tick, found.divergence.kind) == (bad, DivergenceKind.CHECKPOINT)
    assert f"RAM still matched at tick {good}" in found.divergence.detail
    assert found.restores <= most_restores(recording)
    assert found.shown is not None
    ((name, here, there),) = found.shown.fields
    assert name == f"flags.events[{event_name(300 * 8 + 2)}]"
    assert {here, there} == {"0", "1"}
    unnamed = ChangedByte(bad - 2, symbol("wDayCareMonName") + 3, 1)
    shown = bisect_with(recording, unnamed, CARTRIDGE).shown
    assert shown is not None
    assert (shown.fields, [each.name for each in shown.ram]) == ((), ["wDayCareMonName+3"])


def event_name(bit: int) -> object:
    return next((name for name, number in RED.events.items() if number == bit), bit)


def test_a_stack_that_differs_is_one_line() -> None:
    here, there = bytearray(0x2000), bytearray(0x2000)
    for at in (0x1F10, 0x1F12, 0x1FF0):
        there[at] = 7
    images = [Ram.of_image(bytes(each), bytes(0x7F)) for each in (here, there)]
    (change,) = difference(images[0], images[1], "A -> B").ram
    assert str(change) == "stack: 000000 -> 070007"


def test_a_run_that_never_got_stuck_has_no_episode(run: Path, agent: Agent) -> None:
    ended = agent("replay", run, "--episode", 1)
    line = "error: the run never got stuck, so there is no episode; leave out --episode\n"
    assert (ended.code, ended.err) == (1, line)


def test_an_intact_run_has_no_difference(run: Path, agent: Agent) -> None:
    replayed = agent("replay", run)
    assert (replayed.code, replayed.out) == (0, "divergence: none\n")
    ended = agent("replay", run, "--bisect")
    assert (ended.code, ended.out) == (0, "divergence: none\n")
    (line,) = ended.err.splitlines()
    assert line.endswith("; power-on or a checkpoint was loaded twice")
    both = agent("replay", "--bisect", run, run)
    assert (both.code, both.out) == (0, "divergence: none\n")


def test_bisect_reports_an_edited_record(run: Path, tmp_path: Path) -> None:
    other = edited(run, tmp_path / "edited", "UPDATE steps SET settle = 9 WHERE tick = 70")
    for found in (bisect_run(other, None), bisect_runs(run, other, None)):
        assert found.divergence is not None
        assert (found.divergence.tick, found.divergence.kind) == (70, DivergenceKind.EDITED)
        assert "itself was changed: tick 70" in found.notes[0]


def test_a_corrupt_checkpoint_is_skipped(run: Path, tmp_path: Path) -> None:
    cut = "UPDATE checkpoints SET state = substr(state, 1, 900) WHERE tick > 0"
    found = bisect_run(edited(run, tmp_path / "spoilt", cut), None)
    assert (found.divergence, found.restores) == (None, 1)
    assert found.notes
    assert all("is skipped: the saved state is cut short" in each for each in found.notes)


def test_a_shorter_recording_is_noted_without_a_divergence(
    run: Path, agent: Agent, tmp_path: Path
) -> None:
    file = tmp_path / "short.redreplay"
    cuts = [f"DELETE FROM {table} WHERE tick > 90" for table in ("steps", "checkpoints")]
    short = edited(run, tmp_path / "short", *cuts)
    assert agent("replay", short, "--export", file).code == 0
    ended = agent("replay", "--bisect", run, file)
    assert (ended.code, ended.out) == (0, "divergence: none\n")
    assert "B ends at tick 90, A continues to" in ended.err


def test_an_exported_file_is_compared_with_a_run(
    run: Path, recording: Recording, agent: Agent, tmp_path: Path
) -> None:
    copy_with(run, tmp_path / "other", 90, other_step(recording, 90, random.Random(1)))
    file = tmp_path / "other.redreplay"
    agent("replay", tmp_path / "other", "--export", file)
    ended = agent("replay", "--bisect", run, file)
    assert ended.code == 1
    assert ended.out.startswith("divergence: tick 90: step: button: ")
    assert "at tick 90, A -> B:" in ended.out.splitlines()
    assert "was loaded twice" in ended.err


def test_runs_with_two_seeds_diverge(run: Path, tmp_path: Path, agent: Agent) -> None:
    other = tmp_path / "other"
    play_in(tmp_path, run=other, seed=4, ticks=20)
    ended = agent("replay", run, other, "--bisect")
    assert ended.code == 1
    assert ended.err.splitlines()[0].startswith("A has seed 0, B has seed 4")
    assert ended.out.startswith("divergence: tick 9: step: settle: ")


def test_runs_on_two_cartridges_are_not_compared(run: Path, tmp_path: Path) -> None:
    other = with_settings(run, tmp_path / "other", CARTRIDGE.sha1, "00" * 20)
    with pytest.raises(RunError, match="their ticks cannot be compared"):
        bisect_runs(run, other, None)


@pytest.fixture
def game(played: Played) -> Iterator[Game]:
    """The demo as soon as there is a team."""
    with game_at(played.folder, lambda state: state.in_control and len(state.party) > 0) as game:
        yield game


def test_changes_are_listed_down_to_their_smallest_parts(game: Game) -> None:
    before, one = game.state, game.console.ram()
    hp = symbol("wPartyMon1HP") + 1
    game.poke({hp: 1, symbol("wPlayerMoney") + 2: 0x07, symbol("wXCoord"): 3})
    named = {each.name: each for each in changes(before, game.state)}
    assert set(named) == {"party[0].hp", "player.money", "map.x"}
    assert str(named["map.x"]) == f"map.x: {before.map.x} -> 3"
    assert difference(one, one, "").fields == difference(one, one, "").ram == ()


def test_a_value_in_only_one_state_is_listed_by_its_parts() -> None:
    assert [str(each) for each in changes(None, Step(None, 0, 4))] == [
        "hold: nothing -> 0",
        "settle: nothing -> 4",
    ]
    assert [str(each) for each in changes((1, 2), (1,), "each")] == ["each[1]: 2 -> nothing"]


def test_bytes_of_one_label_are_one_change(game: Game) -> None:
    here = game.console.ram()
    at = symbol("wDayCareMonName")
    game.poke({at + each: 0x50 + each for each in range(11)})
    (change,) = difference(here, game.console.ram(), "").ram
    assert change.name == "wDayCareMonName"
    assert change.there == "5051525354555657 (and 3 more bytes)"


def test_a_replay_is_printed_as_json(run: Path, agent: Agent, tmp_path: Path) -> None:
    replayed = agent("replay", run, "--json").json
    assert (replayed["divergence"], replayed["ticks"] > 100) == (None, True)
    decided = agent("replay", run, "--decide", "--json").json
    assert decided == {**replayed, "answers": 0}
    other = edited(run, tmp_path / "edited", "UPDATE steps SET settle = 9 WHERE tick = 70")
    ended = agent("replay", "--bisect", run, other, "--json")
    assert (ended.code, ended.json["divergence"].startswith("tick 70: ")) == (1, True)
    assert ended.json.keys() == {"divergence", "ticks", "restores", "difference"}
    picture = agent("replay", run, "--to", 50, "--png", tmp_path / "it.png", "--json").json
    assert picture == {
        "file": str(tmp_path / "it.png"),
        "bytes": (tmp_path / "it.png").stat().st_size,
    }
