"""Search for the first tick at which a replay differs from its recording, or two recordings differ from each other.

Digest chains are cumulative, so two recordings are compared by binary search without a console. A single recording is
replayed from power-on and compared at every tick: a checkpoint holds the recorded machine state and proves nothing
about the ticks before it. Differences outside the digests are found by binary search over the checkpoints passed.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from typing import NamedTuple, TypeAlias

from agent.tools.progress import Bar, no_bar, tracked
from agent.tools.replay.difference import Difference, changes, difference, differing_addresses
from agent.tools.replay.recording import Recording, find_edit, restore, restore_latest
from emulator import Console, Divergence, DivergenceKind, Ram, StepRecord, mismatch
from memory import CheckpointInfo

SwitchOn: TypeAlias = Callable[[], Console]


class Search(ExitStack):
    """The consoles of one search, closed at its end, and its cost; a power-on counts as a restore."""

    def __init__(self, switch_on: SwitchOn, bar: Bar) -> None:
        super().__init__()
        self._switch_on = switch_on
        self.bar = bar
        self.restores = 0
        self.ticks = 0
        self.notes: dict[str, None] = {}

    def console(self) -> Console:
        """Return a new console."""
        return self.enter_context(closing(self._switch_on()))

    def restore(self, console: Console, recording: Recording, mark: CheckpointInfo) -> bool:
        """Restore a checkpoint, and return whether that worked."""
        refused = restore(console, recording, mark)
        if refused:
            self.notes[refused] = None
        self.restores += not refused
        return not refused


class BisectResult(NamedTuple):
    """The first difference, if there is any, and the cost of finding it.

    `shown` holds the differences in RAM, where they are known. `notes` holds further remarks.
    """

    divergence: Divergence | None
    shown: Difference | None
    notes: tuple[str, ...]
    restores: int
    ticks: int


PassedMark: TypeAlias = tuple[CheckpointInfo, Ram]  # a checkpoint passed, and RAM as replayed


class RamChange(NamedTuple):
    """Two consecutive checkpoints: RAM is as recorded at `good` (0: power-on), but not at `bad`."""

    good: int
    bad: int
    shown: Difference


def bisect_alone(recording: Recording, switch_on: SwitchOn, bar: Bar = no_bar) -> BisectResult:
    """Return the first tick at which a console from `switch_on` differs from the recording."""
    with Search(switch_on, bar) as search:
        console = search.console()
        search.restores += 1
        edited = find_edit(recording, console.cartridge.sha1)
        intact = recording if edited is None else recording.before(edited.tick)
        divergence, passed = _replay_to_difference(intact, console, search)
        change = _changed(intact, passed, search)
        return BisectResult(
            divergence=_earlier(divergence, change) or edited,
            shown=None if change is None else change.shown,
            notes=(*_notes_on_drive(edited, divergence, change, passed), *search.notes),
            restores=search.restores,
            ticks=search.ticks,
        )


def _replay_to_difference(
    recording: Recording, console: Console, search: Search
) -> tuple[Divergence | None, list[PassedMark]]:
    """Replay to the end, or to the first checkpoint after a divergence."""
    marks = {each.tick: each for each in recording.marks}
    divergence, passed = None, []
    for record in tracked(recording.records, search.bar):
        console.perform(record.step)
        search.ticks += 1
        divergence = divergence or mismatch(console, record)
        if record.tick in marks:
            passed.append((marks[record.tick], console.ram()))
            if divergence is not None:
                break
    return divergence, passed


def _changed(
    recording: Recording, passed: Sequence[PassedMark], search: Search
) -> RamChange | None:
    """Return the two checkpoints between which RAM began to differ, found by binary search."""
    known = list(passed)
    if not known:
        return None
    reference, low, high, seen = search.console(), 0, len(known), None
    while low < high:
        middle = (low + high) // 2
        if not search.restore(reference, recording, known[middle][0]):
            del known[middle]
            high -= 1
        elif next(differing_addresses(known[middle][1], reference.ram()), None) is None:
            low = middle + 1
        else:
            high, seen = middle, reference.ram()
    if seen is None:
        return None
    bad, ram = known[high]
    between = f"at the checkpoint of tick {bad.tick}, driven -> recorded"
    good = known[high - 1][0].tick if high else 0
    return RamChange(good, bad.tick, difference(ram, seen, between))


def _earlier(divergence: Divergence | None, change: RamChange | None) -> Divergence | None:
    if change is None or (divergence is not None and divergence.tick <= change.bad):
        return divergence
    detail = (
        f"all ticks up to it match, but its RAM differs; RAM still matched at tick {change.good}, and"
        " what changed since is not covered by the digest of a tick"
    )
    return Divergence(change.bad, DivergenceKind.CHECKPOINT, detail)


def _notes_on_drive(
    edited: Divergence | None,
    divergence: Divergence | None,
    change: RamChange | None,
    passed: Sequence[PassedMark],
) -> list[str]:
    notes = []
    if edited is not None:
        notes.append(f"the recording itself was changed: {edited}")
    if divergence is not None and change is not None and change.bad < divergence.tick:
        notes.append(f"the ticks differ from {divergence.tick} on ({divergence.kind})")
    if divergence is not None and change is None:
        last = passed[-1][0].tick if passed else 0
        notes.append(
            f"at the checkpoint of tick {last} RAM matches the recording again"
            if last >= divergence.tick
            else "no checkpoint follows, so only the digest of the recorded state is known"
        )
    return notes


RecordingPair: TypeAlias = tuple[Recording, Recording]  # of one cartridge


def bisect_pair(
    pair: RecordingPair, cartridge_sha1: str, switch_on: SwitchOn, bar: Bar = no_bar
) -> BisectResult:
    """Return the first tick at which two recordings differ, and how; a different length alone does not count."""
    edits = [find_edit(each, cartridge_sha1) for each in pair]
    edited = min(filter(None, edits), key=lambda each: each.tick, default=None)
    one, other = pair if edited is None else (each.before(edited.tick) for each in pair)
    with Search(switch_on, bar) as search:
        found = first_difference(one.records, other.records)
        shown = None if found is None else _shown((one, other), found.tick, search)
        return BisectResult(
            divergence=found or edited,
            shown=shown,
            notes=(*_notes_on_pair(pair, edits, found or edited), *search.notes),
            restores=search.restores,
            ticks=search.ticks,
        )


def first_difference(one: Sequence[StepRecord], other: Sequence[StepRecord]) -> Divergence | None:
    """Return the first difference between two intact recordings, among the ticks that both have."""
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
    return Divergence(one.tick, DivergenceKind.FULL_DIGEST, "the same step led to another state")


def _shown(pair: RecordingPair, tick: int, search: Search) -> Difference:
    """Replay both to the end of a tick, from their last common checkpoint, or else each from its own last one."""
    one, other = ({mark.tick for mark in each.marks} for each in pair)
    latest = max((each for each in one & other if each < tick), default=tick - 1)
    span = latest, tick
    here, there = (_ram_at(*each, span, search) for each in zip("AB", pair, strict=True))
    return difference(here, there, f"at tick {tick}, A -> B")


def _ram_at(name: str, recording: Recording, span: tuple[int, int], search: Search) -> Ram:
    latest, tick = span
    console = search.console()
    start, refused = restore_latest(console, recording, latest)
    search.restores += 1
    search.notes |= dict.fromkeys(refused)
    differs = None
    for record in tracked(recording.records[start:tick], search.bar):
        console.perform(record.step)
        search.ticks += 1
        differs = differs or mismatch(console, record)
    if differs is not None:
        note = f"{name} does not replay as it was recorded ({differs}); bisect it alone"
        search.notes[note] = None
    return console.ram()


def _notes_on_pair(
    pair: RecordingPair, edits: Sequence[Divergence | None], found: Divergence | None
) -> list[str]:
    named = zip("AB", edits, strict=True)
    notes = [f"{name} itself was changed: {edit}" for name, edit in named if edit is not None]
    lengths = {name: len(each.records) for name, each in zip("AB", pair, strict=True)}
    if found is None and lengths["A"] != lengths["B"]:
        short, long = sorted(lengths, key=lambda name: lengths[name])
        notes.append(f"{short} ends at tick {lengths[short]}, {long} continues to {lengths[long]}")
    return notes
