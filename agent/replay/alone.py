"""The first tick at which a fresh drive is not what was recorded.

No checkpoint can be believed before the ticks up to it were driven, since it holds what the recorded machine was.
So a console is driven from power-on, once, comparing every tick; restores go into what digests do not tell: of
the checkpoints passed on the way, the first whose RAM is another is found by halves.
"""

from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from agent.replay.difference import Difference, difference, is_same
from agent.replay.finding import Finding
from agent.replay.recording import Recording, find_edit
from agent.replay.restoring import Restoring, SwitchOn
from emulator import Console, Divergence, DivergenceKind, Ram, mismatch
from memory import CheckpointMark


class Passed(NamedTuple):
    """A checkpoint that the drive came by, and what RAM was there."""

    mark: CheckpointMark
    ram: Ram


class Parted(NamedTuple):
    """Two checkpoints in a row: at `good` (0: power-on) RAM is as recorded, at `bad` it is not."""

    good: int
    bad: int
    shown: Difference


def bisect_alone(recording: Recording, switch_on: SwitchOn) -> Finding:
    """Return the first tick at which what `switch_on` gives does something else than what was recorded."""
    with closing(Restoring(switch_on)) as restoring:
        console = restoring.power_on()
        edited = find_edit(recording, console.cartridge.sha1)
        sound = recording if edited is None else recording.before(edited.tick)
        divergence, passed = _driven(sound, console, restoring)
        parted = _parted(sound, passed, restoring)
        first = _first(divergence, parted)
        return Finding(
            divergence=first or edited,
            shown=None if parted is None else parted.shown,
            notes=(*_notes(edited, divergence, parted, passed), *restoring.notes),
            restores=restoring.restores,
            moments=recording.moments,
            ticks=restoring.ticks,
        )


def _driven(
    recording: Recording, console: Console, restoring: Restoring
) -> tuple[Divergence | None, list[Passed]]:
    """Drive to the end, or to the first checkpoint after a divergence."""
    marks = {each.tick: each for each in recording.marks}
    divergence, passed = None, []
    for record in recording.records:
        console.perform(record.step)
        restoring.ticks += 1
        divergence = divergence or mismatch(console, record)
        if record.tick in marks:
            passed.append(Passed(marks[record.tick], console.ram()))
            if divergence is not None:
                break
    return divergence, passed


def _parted(recording: Recording, passed: Sequence[Passed], restoring: Restoring) -> Parted | None:
    """Return between which checkpoints RAM came to differ, in as many restores as there are halves."""
    known = list(passed)
    if not known:
        return None
    reference, low, high, seen = restoring.instrument(), 0, len(known), None
    while low < high:
        middle = (low + high) // 2
        if not restoring.restore(reference, recording, known[middle].mark):
            del known[middle]
            high -= 1
        elif is_same(known[middle].ram, reference.ram()):
            low = middle + 1
        else:
            high, seen = middle, reference.ram()
    if seen is None:
        return None
    bad, good = known[high], known[high - 1].mark.tick if high else 0
    between = f"at the checkpoint of tick {bad.mark.tick}, driven -> recorded"
    return Parted(good, bad.mark.tick, difference(bad.ram, seen, between))


def _first(divergence: Divergence | None, parted: Parted | None) -> Divergence | None:
    if parted is None or (divergence is not None and divergence.tick <= parted.bad):
        return divergence
    detail = (
        f"every tick up to it is as recorded, its RAM is not; it was at tick {parted.good}, and what"
        " parted since is outside of what a tick's digest covers"
    )
    return Divergence(parted.bad, DivergenceKind.CHECKPOINT, detail)


def _notes(
    edited: Divergence | None,
    divergence: Divergence | None,
    parted: Parted | None,
    passed: Sequence[Passed],
) -> list[str]:
    notes = []
    if edited is not None:
        notes.append(f"the recording itself was changed: {edited}")
    if divergence is not None and parted is not None and parted.bad < divergence.tick:
        notes.append(f"the ticks differ from {divergence.tick} on ({divergence.kind})")
    if divergence is not None and parted is None:
        last = passed[-1].mark.tick if passed else 0
        notes.append(
            f"at the checkpoint of tick {last} RAM is as recorded again"
            if last >= divergence.tick
            else "no checkpoint follows, so only the digest tells what was recorded"
        )
    return notes
