"""In what two moments of the game differ, by the names of what differs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Final, NamedTuple

from emulator import HIGH_RAM, RED, WORK_RAM, Ram, label_of, read_state

LONGEST: Final = 48  # characters of a value that are shown
RUN: Final = 8  # bytes shown of a stretch that differs
EVENTS: Final = {bit: name for name, bit in RED.events.items()}


class Change(NamedTuple):
    """Something by name, and what it is in either moment."""

    name: str
    here: str
    there: str

    def __str__(self) -> str:
        """Return it as people read it."""
        return f"{self.name}: {self.here} -> {self.there}"


@dataclass(frozen=True, slots=True)
class Difference:
    """Two moments side by side: `fields` of the state of the game, and bytes of RAM that no field shows."""

    between: str
    fields: tuple[Change, ...]
    ram: tuple[Change, ...]


def difference(here: Ram, there: Ram, between: str) -> Difference:
    """Return in what two moments differ."""
    one, other = read_state(here, 0), read_state(there, 0)
    return Difference(between, tuple(changes(one, other)), tuple(_unshown(here, there)))


def is_same(here: Ram, there: Ram) -> bool:
    """Return whether all of work RAM and high RAM is the same."""
    return all(here.span(*each) == there.span(*each) for each in (WORK_RAM, HIGH_RAM))


def changes(here: object, there: object, name: str = "") -> Iterator[Change]:
    """Yield in what two records differ, down to their smallest parts."""
    if here == there:
        return
    mine, theirs = _parts(here), _parts(there)
    if mine is None or theirs is None or not (mine or theirs):
        yield Change(_called(name), _words(here), _words(there))
        return
    for part in {**mine, **theirs}:
        yield from changes(mine.get(part), theirs.get(part), name + part)


def _parts(value: object) -> Mapping[str, object] | None:
    """Return what a value is made of, each with what its name adds; None when it has no parts.

    What is not there has none either, but may be held against what has some.
    """
    if value is None:
        return {}
    if isinstance(value, Enum):
        return None
    if isinstance(value, bytes):  # a set of bits, as events are
        bits = [byte >> at & 1 for byte in value for at in range(8)]
        return {f"[{number}]": bit for number, bit in enumerate(bits)}
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return {f"[{number}]": each for number, each in enumerate(value)}
    return _named(value)


def _named(value: object) -> Mapping[str, object] | None:
    names: Sequence[str] = getattr(value, "_fields", ())
    if is_dataclass(value):
        names = [each.name for each in fields(value) if each.compare]
        if len(names) == 1 and hasattr(value, "__len__"):  # one list with a name of its own
            return _parts(getattr(value, names[0]))
    return {f".{name}": getattr(value, name) for name in names} or None


def _called(name: str) -> str:
    """Return a name without its first dot, and the event's where it is one."""
    head, _, bit = name.removesuffix("]").rpartition("[")
    if head == ".flags.events":
        return f"flags.events[{EVENTS.get(int(bit), bit)}]"
    return name.removeprefix(".")


def _words(value: object) -> str:
    if isinstance(value, Enum):
        return value.name.lower()
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _unshown(here: Ram, there: Ram) -> Iterator[Change]:
    """Yield the stretches of RAM that differ and that no field of the state shows, each by its label."""
    shown = read_state(here, 0)
    stretch: list[int] = []
    for address in _differing(here, there):
        if read_state(_with(here, address, there.byte(address)), 0) != shown:
            continue
        if stretch and (address != stretch[-1] + 1 or _label(address)[0] != _label(stretch[0])[0]):
            yield _stretched(here, there, stretch)
            stretch = []
        stretch.append(address)
    if stretch:
        yield _stretched(here, there, stretch)


def _differing(here: Ram, there: Ram) -> Iterator[int]:
    for start, size in (WORK_RAM, HIGH_RAM):
        pairs = zip(here.span(start, size), there.span(start, size), strict=True)
        yield from (at for at, (one, other) in enumerate(pairs, start) if one != other)


def _with(ram: Ram, address: int, byte: int) -> Ram:
    """Return RAM as it would be with one other byte."""
    windows = [
        (start, data[: address - start] + bytes([byte]) + data[address - start + 1 :])
        if start <= address < start + len(data)
        else (start, data)
        for start, data in ram.windows
    ]
    return Ram(windows)


def _stretched(here: Ram, there: Ram, stretch: list[int]) -> Change:
    first, size = stretch[0], min(len(stretch), RUN)
    label, offset = _label(first)
    name = f"{label}+{offset}" if offset else label
    more = f" (and {len(stretch) - size} more bytes)" if len(stretch) > size else ""
    seen = [ram.span(first, size).hex() for ram in (here, there)]
    return Change(name, seen[0], seen[1] + more)


def _label(address: int) -> tuple[str, int]:
    return label_of(address) or (f"{address:#06x}", 0)
