"""Driving a recorded run again, tick by tick."""

from collections.abc import Iterator
from typing import NamedTuple

from agent.replay.recording import Recording, find_edit, recording_of
from agent.replay.records import readable
from emulator import Console, Divergence, PlayingConsole, State, mismatch, read_state
from memory import RunReader


class Replay(NamedTuple):
    """How many ticks were recorded, and the first that came out differently, if any did."""

    ticks: int
    divergence: Divergence | None


def replay(run: RunReader, console: Console) -> Replay:
    """Drive the live steps of `run` through a fresh `console`, comparing after every tick."""
    return drive(recording_of(run), console)


def drive(recording: Recording, console: Console) -> Replay:
    """Drive a recording through a fresh `console`, comparing after every tick.

    The machine is driven without regard to what was edited, so neither witness can hide the other; the last
    checkpoint says how far the recording goes at least, so that a cut is noticed as well.
    """
    edited = find_edit(recording, console.cartridge.sha1)
    for record in recording.records:
        if edited is not None and edited.tick <= record.tick:
            break
        console.perform(record.step)
        found = mismatch(console, record)
        if found is not None:
            return Replay(len(recording.records), found)
    return Replay(len(recording.records), edited)


def moments(run: RunReader, console: Console) -> Iterator[tuple[int, State]]:
    """Yield each tick of the live steps of `run` with the state it ended in, from a fresh `console`.

    Raises:
        Divergence: where the console does something else than what was recorded.
    """
    records = readable(run.steps())
    player = PlayingConsole(console, records)
    for record in records:
        player.perform(record.step)
        yield record.tick, read_state(console.ram(), console.frame)
