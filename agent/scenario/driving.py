"""Bringing a console to any moment of a run, from the nearest checkpoint before it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from agent.errors import RunError
from emulator import (
    Divergence,
    Link,
    PlayingConsole,
    PyBoyConsole,
    StateError,
    StepRecord,
)
from emulator.recording import first_link
from memory import RunReader


def drive_to(
    tick: int, records: Sequence[StepRecord], run: RunReader, console: PyBoyConsole
) -> None:
    """Bring `console` to the moment after `tick` of a branch, whose steps from the first on are `records`.

    Every tick on the way is compared.

    Raises:
        RunError: when the machine does something else than what was recorded.
    """
    start = _nearest(tick, records, run, console)
    player = PlayingConsole(console, records[start:tick])
    try:
        for record in records[start:tick]:
            player.perform(record.step)
    except Divergence as divergence:
        message = (
            f"the run cannot be driven again to tick {tick}: {divergence}; drive it with the PyBoy"
            " it was played with, or name a moment before that"
        )
        raise RunError(message) from divergence


def fork_of(records: Sequence[StepRecord], live: Sequence[StepRecord]) -> int:
    """Return the last tick that a branch has in common with the live one."""
    pairs = zip(records, live, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].chain == pair[1].chain, pairs))


def _nearest(
    tick: int, records: Sequence[StepRecord], run: RunReader, console: PyBoyConsole
) -> int:
    """Load the last checkpoint of the branch up to `tick`, and return its tick; 0 for power-on, where there is none."""
    for checkpoint in run.checkpoints():
        link = Link(checkpoint.tick, checkpoint.chain)
        if checkpoint.tick > tick or link != _link_at(checkpoint.tick, records, console):
            continue
        try:
            console.load(checkpoint.state)
        except StateError:
            continue  # of another PyBoy, or damaged: an older one may do
        return checkpoint.tick
    return 0


def _link_at(tick: int, records: Sequence[StepRecord], console: PyBoyConsole) -> Link | None:
    if tick == 0:
        return first_link(console.cartridge.sha1)
    return Link(tick, records[tick - 1].chain) if tick <= len(records) else None
