"""Whether a run's file is what its lives said, and whether it is one line of play without a seam."""

from collections.abc import Iterator, Mapping, Sequence

from agent.app import record_of
from emulator import verify_chain
from kills.found import FoundRun
from kills.image import Image, Row
from kills.words import digest, spelled


def differences(image: Image, found: FoundRun) -> list[str]:
    """Return what the file has otherwise than the image, a line each; none when they are the same."""
    return [
        *_of_rows("steps", image.steps, found.steps),
        *_of_rows("events", image.events, found.events),
        *_of_rows("lessons", image.lessons, found.lessons),
        *_of_rows("observations", image.observations, found.observations),
        *_of_entries("entries", image.entries, found.entries),
        *_of_marks(image, found),
    ]


def seams(found: FoundRun, sha1: str) -> Iterator[str]:
    """Yield what is wrong with the live lineage by itself."""
    yield from found.complaints
    ticks = [row.tick for row in found.live_steps]
    if ticks != list(range(1, len(ticks) + 1)):
        gap = next(at for at, tick in enumerate(ticks, 1) if at != tick)
        yield f"live steps: tick {gap} is followed by another than the next one"
    elif (broken := _broken(found, sha1)) is not None:
        yield f"live steps: the chain of digests does not hold at tick {broken}"
    for mark in found.marks:
        if mark.tick > len(ticks):
            yield f"checkpoint {mark.id}: its tick {mark.tick} was not recorded"
        elif mark.tick and (row := found.live_steps[mark.tick - 1]).chain != mark.chain:
            yield f"checkpoint {mark.id}: its chain is not that of tick {row.tick}"
    sequences = [each.sequence for each in found.outbox]
    if len(set(sequences)) < len(sequences):
        yield "lessons: a sequence number comes twice"


def _broken(found: FoundRun, sha1: str) -> int | None:
    """Return the first tick that the chain does not hold at, or that is no step at all."""
    records = []
    for row in found.live_steps:
        try:
            records.append(record_of(row))
        except ValueError:
            return row.tick
    return verify_chain(records, sha1)


def _of_rows(what: str, expected: Sequence[Row], found: Sequence[Row]) -> Iterator[str]:
    if len(expected) != len(found):
        yield f"{what}: {len(found)} rows, {len(expected)} were committed"
    for number, (one, other) in enumerate(zip(expected, found, strict=False), 1):
        if one.content != other.content:
            yield f"{what}: row {number} is not the one that was committed"
            return
        if one.live != other.live:
            state = "live" if other.live else "on a dead branch"
            yield f"{what}: row {number} is {state} and should not be"
            return


def _of_entries(what: str, expected: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    if lost := sorted(expected.keys() - found.keys()):
        yield f"{what}: {len(lost)} are lost, one of them is {lost[0]}"
    if more := sorted(found.keys() - expected.keys()):
        yield f"{what}: {len(more)} should be gone, one of them is {more[0]}"
    other = [seq for seq in expected.keys() & found.keys() if expected[seq] != found[seq]]
    if other:
        yield f"{what}: {len(other)} have another content, one of them is {min(other)}"


def _of_marks(image: Image, found: FoundRun) -> Iterator[str]:
    there = [each.id for each in found.marks]
    if (expected := [each.id for each in image.marks]) != there:
        yield f"checkpoints: {there}, {expected} were committed"
        return
    for mark, other in zip(image.marks, found.marks, strict=True):
        yield from _of_entries(f"entries of checkpoint {mark.id}", mark.entries, other.entries)
        if mark.content != other.content:
            yield f"checkpoint {mark.id}: not the game and mind that were committed"
        parts = {name: digest(spelled(data)) for name, data in other.parts.items()}
        for name in sorted(mark.parts.keys() | parts.keys()):
            if mark.parts.get(name) != parts.get(name):
                yield f"checkpoint {mark.id}: part {name} is not the one that was committed"
