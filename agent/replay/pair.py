"""The first tick at which two recordings differ.

Chains are cumulative, so the tick is found without a console, by halves; then each is driven there from a
checkpoint, which shows in what.
"""

from bisect import bisect_left
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from agent.replay.difference import Difference, changes, difference
from agent.replay.finding import Finding
from agent.replay.recording import Recording, find_edit
from agent.replay.restoring import Restoring, SwitchOn
from emulator import Divergence, DivergenceKind, Ram, StepRecord, mismatch


class Pair(NamedTuple):
    """Two recordings of one cartridge."""

    one: Recording
    other: Recording


def bisect_pair(pair: Pair, cartridge_sha1: str, switch_on: SwitchOn) -> Finding:
    """Return the first tick at which two recordings differ, and in what; a shorter one alone is no difference."""
    edits = [find_edit(each, cartridge_sha1) for each in pair]
    edited = min((each for each in edits if each is not None), key=_tick, default=None)
    sound = pair if edited is None else Pair(*[each.before(edited.tick) for each in pair])
    with closing(Restoring(switch_on)) as restoring:
        found = first_difference(sound.one.records, sound.other.records)
        shown = None if found is None else _shown(sound, found.tick, restoring)
        return Finding(
            divergence=found or edited,
            shown=shown,
            notes=(*_notes(pair, edits, found or edited), *restoring.notes),
            restores=restoring.restores,
            moments=max(each.moments for each in pair),
            ticks=restoring.ticks,
        )


def first_difference(one: Sequence[StepRecord], other: Sequence[StepRecord]) -> Divergence | None:
    """Return the first tick that two sound recordings do not have in common, of those that both have."""
    both = min(len(one), len(other))
    at = bisect_left(range(both), 1, key=lambda each: one[each].chain != other[each].chain)
    return None if at == both else _differs(one[at], other[at])


def _differs(one: StepRecord, other: StepRecord) -> Divergence:
    steps = "; ".join(str(each) for each in changes(one.step, other.step))
    if steps:
        return Divergence(one.tick, DivergenceKind.STEP, steps)
    if one.frame != other.frame:
        return Divergence(one.tick, DivergenceKind.FRAME, f"{one.frame} -> {other.frame}")
    if one.digest != other.digest:
        words = f"{one.digest.hex()} -> {other.digest.hex()}"
        return Divergence(one.tick, DivergenceKind.DIGEST, words)
    return Divergence(one.tick, DivergenceKind.FULL_DIGEST, "the same step led elsewhere")


def _shown(pair: Pair, tick: int, restoring: Restoring) -> Difference:
    """Drive both to the end of a tick, from the last checkpoint that they share, else each from its own."""
    shared = {each.tick for each in pair.one.marks} & {each.tick for each in pair.other.marks}
    latest = max((each for each in shared if each < tick), default=tick - 1)
    here, there = (_driven(name, each, (latest, tick), restoring) for name, each in _named(pair))
    return difference(here, there, f"at tick {tick}, A -> B")


def _driven(name: str, recording: Recording, stretch: tuple[int, int], restoring: Restoring) -> Ram:
    latest, tick = stretch
    console, start = restoring.nearest(recording, latest)
    differs = None
    for record in recording.records[start:tick]:
        console.perform(record.step)
        restoring.ticks += 1
        differs = differs or mismatch(console, record)
    if differs is not None:
        note = f"{name} does not come out as it was recorded ({differs}); bisect it alone"
        restoring.notes.append(note)
    return console.ram()


def _named(pair: Pair) -> tuple[tuple[str, Recording], ...]:
    return ("A", pair.one), ("B", pair.other)


def _notes(pair: Pair, edits: Sequence[Divergence | None], found: Divergence | None) -> list[str]:
    notes = [
        f"{name} itself was changed: {edited}"
        for (name, _), edited in zip(_named(pair), edits, strict=True)
        if edited is not None
    ]
    lengths = {name: len(each.records) for name, each in _named(pair)}
    if found is None and lengths["A"] != lengths["B"]:
        short, long = sorted(lengths, key=lambda name: lengths[name])
        notes.append(f"{short} ends at tick {lengths[short]}, {long} goes on to {lengths[long]}")
    return notes


def _tick(divergence: Divergence) -> int:
    return divergence.tick
