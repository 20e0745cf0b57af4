"""Search for the first tick at which a replay differs from its recording, or two recordings differ from each other.

Digest chains are cumulative, so two recordings are compared by binary search without a console. A single recording is
replayed from power-on and compared at every tick: a checkpoint holds the recorded machine state and proves nothing
about the ticks before it. Differences outside the digests are found by binary search over the checkpoints passed.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import fields, is_dataclass
from enum import Enum
from math import log2
from typing import Final, NamedTuple, TypeAlias

from agent.tools.progress import Bar, no_bar, tracked
from agent.tools.replay.recording import Recording, find_edit, restore, restore_latest
from emulator import (
    RED,
    Console,
    Divergence,
    DivergenceKind,
    Ram,
    StepRecord,
    label_of,
    mismatch,
    read_state,
)
from emulator.ram.view import HIGH_RAM, WORK_RAM
from memory import CheckpointInfo

LONGEST: Final = 48  # characters of a value that are shown
RUN: Final = 8  # bytes shown of a range that differs
EVENTS: Final = {bit: name for name, bit in RED.events.items()}


class ValueChange(NamedTuple):
    """A named value, as it is in the first and in the second state."""

    name: str
    here: str
    there: str

    def __str__(self) -> str:
        """Return the change as one line for display."""
        return f"{self.name}: {self.here} -> {self.there}"


class Difference(NamedTuple):
    """The differences of two states: `fields` of the game state, and bytes of RAM that no field shows."""

    between: str
    fields: tuple[ValueChange, ...]
    ram: tuple[ValueChange, ...]


def difference(here: Ram, there: Ram, between: str) -> Difference:
    """Return the differences between two states of RAM."""
    one, other = read_state(here, 0), read_state(there, 0)
    return Difference(between, tuple(changes(one, other)), tuple(_hidden_changes(here, there)))


def changes(here: object, there: object, name: str = "") -> Iterator[ValueChange]:
    """Yield the differences between two records, down to their smallest parts."""
    if here == there:
        return
    mine, theirs = _parts(here), _parts(there)
    if mine is None or theirs is None or not (mine or theirs):
        yield ValueChange(_display_name(name), _words(here), _words(there))
        return
    for part in {**mine, **theirs}:
        yield from changes(mine.get(part), theirs.get(part), name + part)


def _parts(value: object) -> Mapping[str, object] | None:
    """Return the parts of a value by name suffix, or None when it has no parts.

    None has an empty set of parts, so that it can be compared with a value that has some.
    """
    if value is None:
        return {}
    if isinstance(value, Enum):
        return None
    if isinstance(value, bytes):  # a set of bits, such as the event flags
        bits = [byte >> at & 1 for byte in value for at in range(8)]
        return {f"[{number}]": bit for number, bit in enumerate(bits)}
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return {f"[{number}]": each for number, each in enumerate(value)}
    return _named_parts(value)


def _named_parts(value: object) -> Mapping[str, object] | None:
    names: Sequence[str] = getattr(value, "_fields", ())
    if is_dataclass(value):
        names = [each.name for each in fields(value) if each.compare]
        if len(names) == 1 and hasattr(value, "__len__"):  # a named wrapper around one list
            return _parts(getattr(value, names[0]))
    return {f".{name}": getattr(value, name) for name in names} or None


def _display_name(name: str) -> str:
    """Return a name without its first dot, with the name of the event for an event flag."""
    head, _, bit = name.removesuffix("]").rpartition("[")
    if head == ".flags.events":
        return f"flags.events[{EVENTS.get(int(bit), bit)}]"
    return name.removeprefix(".")


def _words(value: object) -> str:
    if isinstance(value, Enum):
        return value.name.lower()
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _hidden_changes(here: Ram, there: Ram) -> Iterator[ValueChange]:
    """Yield the RAM ranges that differ and that no field of the state shows, each with its label."""
    shown = read_state(here, 0)
    span: list[int] = []
    for address in _differing_addresses(here, there):
        if read_state(_with_byte(here, address, there.byte(address)), 0) != shown:
            continue
        if span and (address != span[-1] + 1 or _label(address)[0] != _label(span[0])[0]):
            yield _range_change(here, there, span)
            span = []
        span.append(address)
    if span:
        yield _range_change(here, there, span)


def _differing_addresses(here: Ram, there: Ram) -> Iterator[int]:
    for start, size in (WORK_RAM, HIGH_RAM):
        pairs = zip(here.span(start, size), there.span(start, size), strict=True)
        yield from (at for at, (one, other) in enumerate(pairs, start) if one != other)


def _with_byte(ram: Ram, address: int, byte: int) -> Ram:
    """Return a copy of RAM with one byte changed."""
    windows = [
        (start, data[: address - start] + bytes([byte]) + data[address - start + 1 :])
        if start <= address < start + len(data)
        else (start, data)
        for start, data in ram.windows
    ]
    return Ram(windows)


def _range_change(here: Ram, there: Ram, span: list[int]) -> ValueChange:
    first, size = span[0], min(len(span), RUN)
    label, offset = _label(first)
    name = f"{label}+{offset}" if offset else label
    more = f" (and {len(span) - size} more bytes)" if len(span) > size else ""
    seen = [ram.span(first, size).hex() for ram in (here, there)]
    return ValueChange(name, seen[0], seen[1] + more)


def _label(address: int) -> tuple[str, int]:
    return label_of(address) or (f"{address:#06x}", 0)


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

    `restorable` counts the states that could be restored, including power-on. `shown` holds the differences in RAM, where
    they are known. `notes` holds further remarks.
    """

    divergence: Divergence | None
    shown: Difference | None
    notes: tuple[str, ...]
    restores: int
    restorable: int
    ticks: int

    @property
    def max_restores(self) -> float:
        """The maximum number of restores of the search."""
        return 2 + log2(self.restorable)


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
            restorable=recording.restorable,
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
        elif next(_differing_addresses(known[middle][1], reference.ram()), None) is None:
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
    edited = min(
        (each for each in edits if each is not None), key=lambda each: each.tick, default=None
    )
    one, other = pair if edited is None else (each.before(edited.tick) for each in pair)
    with Search(switch_on, bar) as search:
        found = first_difference(one.records, other.records)
        shown = None if found is None else _shown((one, other), found.tick, search)
        return BisectResult(
            divergence=found or edited,
            shown=shown,
            notes=(*_notes_on_pair(pair, edits, found or edited), *search.notes),
            restores=search.restores,
            restorable=max(each.restorable for each in pair),
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
    notes = [
        f"{name} itself was changed: {edited}"
        for name, edited in zip("AB", edits, strict=True)
        if edited is not None
    ]
    lengths = {name: len(each.records) for name, each in zip("AB", pair, strict=True)}
    if found is None and lengths["A"] != lengths["B"]:
        short, long = sorted(lengths, key=lambda name: lengths[name])
        notes.append(f"{short} ends at tick {lengths[short]}, {long} continues to {lengths[long]}")
    return notes
