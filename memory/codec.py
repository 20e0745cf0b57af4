"""Canonical JSON, and records to and from it.

Knows dataclasses and JSON. Knows nothing of the meaning of the records.
"""

from __future__ import annotations

import json
import re
import reprlib
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from decimal import Decimal
from functools import cache
from hashlib import blake2b
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias, TypeVar, cast

from memory.errors import MalformedRecord

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Record = TypeVar("Record", bound="DataclassInstance")

MAX_DEPTH: Final = 64  # of nested lists and tables
# Of a value given to memory, which may be stored within other records.
_MAX_STORED_DEPTH: Final = MAX_DEPTH // 2
_LARGEST: Final = 1 << 1_023  # of integers: any that a float can hold
_encoder = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)
_TEXT: Final = frozenset({str})
_SCALARS: Final = frozenset({str, int, bool, type(None)})
_NESTED: Final = frozenset({list, dict})


def encode(value: Json) -> str:
    """Return the canonical JSON text of `value`: sorted keys, no spaces, no NaN."""
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"{reprlib.repr(value)} is not JSON ({error}); give plain numbers, text, lists and mappings."
        raise MalformedRecord(message) from error


def valid_unicode(text: str) -> str:
    """Return `text` with lone surrogates, which no file can store, replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # A surrogate pair becomes one character, as in JSON.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def require_json(value: Mapping[str, Json]) -> None:
    """Raise MalformedRecord when `value` would not survive encoding; a plain record is checked without encoding it."""
    named = set(map(type, value)) <= _TEXT
    odd = [each for each in value.values() if type(each) not in _SCALARS]
    if not (named and all(map(_is_plain, odd))):
        _require_text_keys(value)
        encode(value)


def _require_text_keys(value: object) -> None:
    """Raise MalformedRecord for keys that JSON would turn into text, and for nests deeper than `_MAX_STORED_DEPTH`."""
    level = [value]
    for _ in range(_MAX_STORED_DEPTH):
        deeper: list[object] = []
        for each in level:
            if isinstance(each, dict):
                if not all(isinstance(key, str) for key in each):
                    message = f"{reprlib.repr(each)} has keys that are not text; give text."
                    raise MalformedRecord(message)
                deeper += each.values()
            elif isinstance(each, list | tuple):
                deeper += each
        if not deeper:
            return
        level = deeper
    message = f"a value is nested deeper than {_MAX_STORED_DEPTH} levels; give a flatter one."
    raise MalformedRecord(message)


def _is_plain(value: object) -> bool:
    """Return whether `value`, a float or a container, certainly is JSON."""
    kind = type(value)
    if kind is float:
        return isfinite(cast("float", value))
    return kind is list and set(map(type, cast("list[object]", value))) <= _SCALARS


def decode(text: str) -> Any:  # noqa: ANN401  # the caller knows the stored shape
    """Return the value of a JSON text, as `encode` wrote it or from outside.

    Raises ValueError for any other text, for nests deeper than `MAX_DEPTH`, and for numbers that no float can hold.
    """
    try:
        value = _decoder.decode(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if len(text) > 2 * MAX_DEPTH:  # a shorter text has no nest and no integer beyond the limits
        if text.count("[") + text.count("{") > MAX_DEPTH:
            _require_shallow(value)
        if _MAYBE_LONG.search(text[::_SAMPLED]) and _LONG_INTEGER.search(text):
            _require_limits(value)
    return value


def decode_toml(text: str, *, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the table of a TOML text; raises ValueError, also beyond the limits of `decode`."""
    if _LONG_KEY.search(text):  # its time would grow with the square of its length
        raise ValueError(_TOO_DEEP)
    try:
        table = tomllib.loads(text, parse_float=parse_float)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _require_limits(table)
    return table


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(_TOO_LARGE)
    return number


_decoder: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse_constant)
_TOO_LARGE: Final = "a number is too large"
_TOO_DEEP: Final = f"it is nested deeper than {MAX_DEPTH} levels"
# A search through every character would take longer than decoding: every 16th shows whether there may be 300 digits.
_SAMPLED: Final = 16
_MAYBE_LONG: Final = re.compile(rf"\d{{{300 // _SAMPLED}}}")
_LONG_INTEGER: Final = re.compile(r"\d{300}")
_LONG_KEY: Final = re.compile(
    rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}"""
)


def _require_shallow(value: object) -> None:
    """Raise ValueError for a nest of lists and tables deeper than `MAX_DEPTH`."""
    level = [value]
    for _ in range(MAX_DEPTH):
        lists = (each.values() if type(each) is dict else each for each in level)
        level = [each for items in lists for each in items if type(each) in _NESTED]  # type: ignore[attr-defined]  # they are containers
        if not level:
            return
    raise ValueError(_TOO_DEEP)


def _require_limits(value: object) -> None:
    """Raise ValueError for a value beyond the limits of `decode`."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        deeper: list[object] = []
        for each in level:
            match each:
                case dict():
                    deeper += each.values()
                case list():
                    deeper += each
                case int() if not -_LARGEST < each < _LARGEST:
                    raise ValueError(_TOO_LARGE)
                case float() if not isfinite(each):
                    raise ValueError(_TOO_LARGE)
                case Decimal() if not (each.is_finite() and each.copy_abs() < _LARGEST):
                    raise ValueError(_TOO_LARGE)
                case _:
                    pass
        if not deeper:
            return
        level = deeper
    raise ValueError(_TOO_DEEP)


def content_id(*parts: Json) -> str:
    """Return 16 hex digits that depend only on `parts`."""
    return blake2b(encode(parts).encode(), digest_size=8).hexdigest()


def as_json(record: DataclassInstance) -> dict[str, Json]:
    """Return the fields of a flat record as plain JSON, which `from_json` reads back."""
    shape = _shape(type(record))
    data = dict(zip(shape.names, shape.values(record), strict=True))
    for name in shape.tuples:
        data[name] = list(data[name])
    return data


def as_table(records: Sequence[DataclassInstance]) -> list[Json]:
    """Return records of one kind as a table in plain JSON: first the field names, then one list for each record."""
    rows = [as_json(each) for each in records]
    return [list(rows[0]), *(list(row.values()) for row in rows)] if rows else []


def rows_of(table: Sequence[Sequence[Json]]) -> Iterator[dict[str, Json]]:
    """Yield each record of an `as_table` table in the form of `as_json`."""
    for values in table[1:]:
        yield dict(zip(cast("Sequence[str]", table[0]), values, strict=True))


def from_json(kind: type[Record], data: Mapping[str, Json]) -> Record:
    """Return the record that `as_json` encoded; keys that are not fields are ignored, and fields with a default may lack."""
    try:
        shape = _shape(kind)
        given = [name for name in shape.names if name in data or name not in shape.optional]
        values: dict[str, Any] = {name: data[name] for name in given}
        for name in shape.tuples:
            if name in values:
                values[name] = tuple(values[name])
    except (KeyError, TypeError) as error:
        message = f"{kind.__name__} cannot be read from {dict(data)!r}: {error} is wrong or absent."
        raise MalformedRecord(message) from error
    return kind(**values)


def merged(  # one argument for each way of merging a field
    known: Record,
    new: Record,
    *,
    kept: Iterable[str] = (),
    added: Iterable[str] = (),
    lowest: Iterable[str] = (),
    highest: Iterable[str] = (),
    **given: object,
) -> Record:
    """Return `new` merged with `known`: fields kept from `known`, added, the lowest or highest of both, or given by name."""
    changed: dict[str, Any] = {name: getattr(known, name) for name in kept}
    changed |= {name: getattr(known, name) + getattr(new, name) for name in added}
    changed |= {name: min(getattr(known, name), getattr(new, name)) for name in lowest}
    changed |= {name: max(getattr(known, name), getattr(new, name)) for name in highest}
    return replace(new, **changed, **given)


class SavedAttributes:
    """A base class for checkpoint parts: the attributes in `SAVED` are stored as plain JSON, without their leading `_`.

    Each value is restored with the type of the current attribute: a set, a counter, or another SavedAttributes.
    """

    SAVED: ClassVar[tuple[str, ...]]

    def to_json(self) -> dict[str, Json]:
        """Return the complete state."""
        return {name.removeprefix("_"): _saved(getattr(self, name)) for name in self.SAVED}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore the state that `to_json` returned."""
        for name in self.SAVED:
            current, given = getattr(self, name), data[name.removeprefix("_")]
            if isinstance(current, SavedAttributes):
                current.restore(given)
            else:
                is_collection = isinstance(current, set | dict | list)
                setattr(self, name, type(current)(given) if is_collection else given)


def _saved(value: Any) -> Json:  # noqa: ANN401  # any attribute value
    match value:
        case SavedAttributes():
            return value.to_json()
        case set():
            return sorted(value)
        case dict() | list():
            return value.copy()
        case _:
            return value  # type: ignore[no-any-return]


class _Shape(NamedTuple):
    """The fields of a record type: all names, those of tuple fields, those with a default, and a getter of all values."""

    names: tuple[str, ...]
    tuples: tuple[str, ...]
    optional: frozenset[str]
    values: Callable[[DataclassInstance], Sequence[Any]]


@cache
def _shape(kind: type[DataclassInstance]) -> _Shape:
    names = tuple([field.name for field in fields(kind)])
    # Compared as text: names imported only for the type checker cannot be resolved here.
    tuples = tuple([each.name for each in fields(kind) if str(each.type).startswith("tuple")])
    optional = frozenset(each.name for each in fields(kind) if each.default is not MISSING)
    getter = attrgetter(*names)
    return _Shape(
        names, tuples, optional, getter if len(names) > 1 else lambda record: (getter(record),)
    )
