"""The differences of two states of RAM: by the fields of the game's state, and by labels where no field shows them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import count
from typing import Final, NamedTuple

from emulator import RED, Ram, label_of, read_state, symbol
from emulator.ram import HIGH_RAM, WORK_RAM

LONGEST: Final = 48  # characters of a value that are shown
RUN: Final = 8  # bytes shown of a range that differs
_TOP: Final = symbol("wStack")
# The bytes below the top of the stack that no label covers.
_SIZE: Final = next(size for size in count(1) if label_of(_TOP - size) is not None)
STACK: Final = range(_TOP - _SIZE + 1, _TOP + 1)
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
    for address in differing_addresses(here, there):
        if read_state(_with_byte(here, address, there.byte(address)), 0) != shown:
            continue
        if span and not _continues(span, address):
            yield _range_change(here, there, span)
            span = []
        span.append(address)
    if span:
        yield _range_change(here, there, span)


def _continues(span: list[int], address: int) -> bool:
    """Return whether a differing address belongs to a range: the stack, which no reader knows, is one."""
    if address in STACK:
        return span[0] in STACK
    return address == span[-1] + 1 and _label(address)[0] == _label(span[0])[0]


def differing_addresses(here: Ram, there: Ram) -> Iterator[int]:
    """Yield each address of work RAM and high RAM at which two states differ."""
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
    label, offset = ("stack", 0) if first in STACK else _label(first)
    name = f"{label}+{offset}" if offset else label
    more = f" (and {len(span) - size} more bytes)" if len(span) > size else ""
    seen = [ram.span(first, size).hex() for ram in (here, there)]
    return ValueChange(name, seen[0], seen[1] + more)


def _label(address: int) -> tuple[str, int]:
    return label_of(address) or (f"{address:#06x}", 0)
