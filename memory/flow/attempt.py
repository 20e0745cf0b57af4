"""A transformer put to work on entries that it may not be able to take."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.blackboard.entry import Entry
    from memory.flow.subscription import Derived, Transformer


class Made(NamedTuple):
    """Which entries could be carried, and what came of them."""

    carried: Sequence[Entry]
    derived: Sequence[Derived]


NOTHING = Made((), ())


def attempt(
    transformer: Transformer, entries: Sequence[Entry], fault: Callable[[Exception], object]
) -> Made:
    """Return what `transformer` makes of `entries`; all of it, before the first is written.

    One entry that it cannot take is passed over, so that it does not hold up the others for ever. Where it can take
    none, the entries are not to blame, and none counts as carried. Every error is given to `fault`.
    """
    if not entries:
        return NOTHING
    if (derived := _tried(transformer, entries, fault)) is not None:
        return Made(entries, derived)
    able = [each for each in entries if _tried(transformer, [each], fault) is not None]
    derived = _tried(transformer, able, fault) if able else None
    return NOTHING if derived is None else Made(able, derived)


def _tried(
    transformer: Transformer, entries: Sequence[Entry], fault: Callable[[Exception], object]
) -> list[Derived] | None:
    try:
        return list(transformer(entries))
    except Exception as error:  # noqa: BLE001  # an edge must not disturb the writer
        fault(error)
        return None
